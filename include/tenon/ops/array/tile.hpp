// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tile, BroadcastTo, BroadcastArgs: elements repeated along dimensions.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kBroadcastToTypes =
    kPodAndObjectTypes | ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);
inline constexpr DataTypeSet kTileTypes{(kPodAndStringTypes | ToSet(DataType::kVariant)).mask &
                                        ~ToSet(DataType::kUint16).mask};

TENON_DETAIL_COLD inline Status TileShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), multiples, unused;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &multiples));
  if (c->RankKnown(input)) {
    TENON_RETURN_IF_ERROR(c->WithRank(multiples, c->Rank(input), &multiples));
    TENON_RETURN_IF_ERROR(c->Merge(c->input(1), c->Vector(c->Rank(input)), &unused));
  }
  if (!c->RankKnown(multiples)) return shape_inference::UnknownShape(c);
  const std::int32_t rank = c->Rank(multiples);
  TENON_RETURN_IF_ERROR(c->WithRank(input, rank, &input));
  SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank));
  for (std::int32_t d = 0; d < rank; ++d)
    TENON_RETURN_IF_ERROR(c->Multiply(c->Dim(input, d), c->Dim(multiples, d), &dims[static_cast<std::size_t>(d)]));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

inline Status BroadcastToShape(InferenceContext* c) {
  ShapeHandle vector, out, in = c->input(0);
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &vector));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  if (c->RankKnown(out) && c->RankKnown(in)) {
    const std::int32_t rank = c->Rank(out);
    TENON_RETURN_IF_ERROR(c->WithRankAtMost(in, rank, &in));
    for (std::int32_t i = 1; i <= c->Rank(in); ++i) {
      DimensionHandle dim = c->Dim(in, -i);
      if (c->Value(dim) <= 1) continue;
      TENON_RETURN_IF_ERROR(c->Merge(dim, c->Dim(out, -i), &dim));
      TENON_RETURN_IF_ERROR(c->ReplaceDim(out, -i, dim, &out));
    }
  }
  c->set_output(0, out);
  return OkStatus();
}

inline Status BroadcastArgsShape(InferenceContext* c) {
  ShapeHandle a, b;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &a));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &b));
  const std::int64_t m = c->Value(c->Dim(a, 0)), n = c->Value(c->Dim(b, 0));
  c->set_output(0, c->Vector(m < 0 || n < 0 ? c->UnknownDim() : c->MakeDim(m > n ? m : n)));
  return OkStatus();
}

}  // namespace detail

// input: [a, b], multiples = [2, 3]  ->  [2 a, 3 b]
struct Tile {
  static constexpr auto signature = Op("Tile")
                                        .Input("input: T")
                                        .Input("multiples: Tmultiples")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tmultiples: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::TileShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), kAllTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices multiples, Tensor& output) const {
      return Run(context.op(), context.device(), input, multiples, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& input, const HostIndices& multiples,
                    Tensor* output) {
    const int rank = input.dims();
    if (multiples.shape().dims() != 1)
      return errors::InvalidArgument("Tile: Expected multiples to be 1-D, but got shape ", multiples.shape());
    if (multiples.size() != rank)
      return errors::InvalidArgument("Tile: Expected multiples argument to be a vector of length ", rank,
                                     " but got length ", multiples.size());
    InlinedVector<Index, 8> sizes;
    for (int d = 0; d < rank; ++d) {
      if (multiples[d] < 0)
        return errors::InvalidArgument("Tile: Expected multiples[", d, "] >= 0, but got ", multiples[d]);
      sizes.push_back(MultiplyWithoutOverflow(input.dim_size(d), multiples[d]));
      if (sizes.back() < 0)
        return errors::InvalidArgument("Tile: the output's dimension ", d, " of ", input.dim_size(d), " * ",
                                       multiples[d], " elements overflows int64");
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return OkStatus();
    if (!detail::kTileTypes.contains(input.dtype()))
      return errors::Unimplemented("TileOp : The input data type is not supported, DataType : ", input.dtype(),
                                   ", Dimension : ", rank);
    NdCopy copy;
    const InlinedVector<Index, 8> from = StridesOf(input.shape().dim_sizes()), to = StridesOf(shape.dim_sizes());
    for (int d = 0; d < rank; ++d) {
      const auto i = static_cast<std::size_t>(d);
      copy.Add(multiples[d], 0, to[i] * input.dim_size(d));
      copy.Add(input.dim_size(d), from[i], to[i]);
    }
    return CopyNd(device, MoverOf(input.dtype()), copy, input.raw_data(), output->raw_data());
  }
};

// input: [a, 1], shape = [n, a, b]  ->  [n, a, b]
struct BroadcastTo {
  static constexpr auto signature = Op("BroadcastTo")
                                        .Input("input: T")
                                        .Input("shape: Tidx")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::BroadcastToShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      return ServeOnDevice<Device>(c, c.input_type(0), detail::kBroadcastToTypes);
    }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices shape, Tensor& output) const {
      return Run(context.op(), context.device(), input, shape, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& input, const HostIndices& wanted,
                    Tensor* output) {
    if (wanted.shape().dims() != 1)
      return errors::InvalidArgument("BroadcastTo: shape must be a vector of {int32,int64}, got shape ",
                                     wanted.shape());
    InlinedVector<Index, 8> sizes;
    for (Index d = 0; d < wanted.size(); ++d) {
      if (wanted[d] < 0) return errors::InvalidArgument("BroadcastTo: Dimension ", wanted[d], " must be >= 0");
      sizes.push_back(wanted[d]);
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, &shape));
    const int rank = shape.dims(), own = input.dims();
    if (own > rank)
      return errors::InvalidArgument("BroadcastTo: Rank of input (", own,
                                     ") must be no greater than rank of output shape (", rank, ").");
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    for (int d = 0; d < own; ++d)
      if (input.dim_size(d) != 1 && input.dim_size(d) != shape.dim_size(rank - own + d))
        return errors::InvalidArgument("BroadcastTo: Incompatible shapes: ", input.shape(), " vs. ", shape);
    NdCopy copy;
    const InlinedVector<Index, 8> from = StridesOf(input.shape().dim_sizes()), to = StridesOf(shape.dim_sizes());
    for (int d = 0; d < rank; ++d) {
      const int i = d - (rank - own);
      copy.Add(shape.dim_size(d), i < 0 || input.dim_size(i) == 1 ? 0 : from[static_cast<std::size_t>(i)],
               to[static_cast<std::size_t>(d)]);
    }
    return CopyNd(device, MoverOf(input.dtype()), copy, input.raw_data(), output->raw_data());
  }
};

// The shape of an element-wise operation on tensors of two shapes, all as vectors.
struct BroadcastArgs {
  static constexpr auto signature = Op("BroadcastArgs")
                                        .Input("s0: T")
                                        .Input("s1: T")
                                        .Output("r0: T")
                                        .Attr("T: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::BroadcastArgsShape);

  template <class Device, class T>
    requires(Device::type == "CPU")  // shapes are in host memory
  struct kernel {
    Status operator()(Device&, In<T, 1> s0, In<T, 1> s1, Out<T, 1> r0) const {
      for (Index i = 1; i <= r0.size(); ++i) {
        const T a = i <= s0.size() ? s0[s0.size() - i] : T(1), b = i <= s1.size() ? s1[s1.size() - i] : T(1);
        if (a != b && a != 1 && b != 1)
          return errors::InvalidArgument("BroadcastArgs: Incompatible shapes: ", a, " vs. ", b,
                                         " elements in the dimension that is number ", i, " from the end");
        r0[r0.size() - i] = a == 1 ? b : a;
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
