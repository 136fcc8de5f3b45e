// SPDX-License-Identifier: Apache-2.0
#pragma once
// Transpose, ConjugateTranspose, InvertPermutation.

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

// Input 1 says which input dimension becomes dimension 0, 1, ...
TENON_DETAIL_COLD inline Status TransposeShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), perm_shape = c->input(1);
  SlimVector<std::int64_t> perm;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &perm, &known));
  DimensionHandle count = c->NumElements(perm_shape);
  if (!c->RankKnown(input) && !c->ValueKnown(count) && !known) return shape_inference::UnknownShape(c);
  const std::int64_t rank = c->RankKnown(input)    ? c->Rank(input)
                            : c->ValueKnown(count) ? c->Value(count)
                                                   : static_cast<std::int64_t>(perm.size());
  if (!c->RankKnown(input) && rank < 2) {  // a scalar's permutation may have one element
    c->set_output(0, input);
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRank(input, rank, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(perm_shape, 1, &perm_shape));
  TENON_RETURN_IF_ERROR(c->WithValue(count, rank, &count));
  SlimVector<DimensionHandle> dims;
  for (std::int64_t i = 0; i < rank; ++i) {
    if (!known) {
      dims.push_back(c->UnknownDim());
      continue;
    }
    const std::int64_t from = perm[static_cast<std::size_t>(i)];
    if (from >= rank || from < -rank)
      return errors::InvalidArgument("perm dim ", from, " is out of range of input rank ", rank);
    dims.push_back(c->Dim(input, from));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// *is_same: nothing but dimensions of size 1 changes its place, so that the elements stay where they are.
inline Status PlanTranspose(const TensorShape& input, const HostIndices& perm, TensorShape* output, NdCopy* copy,
                            bool* is_same) {
  if (perm.shape().dims() != 1)
    return errors::InvalidArgument("Transpose: perm must be rank 1, got shape ", perm.shape());
  const int rank = input.dims();
  if (perm.size() != rank)
    return errors::InvalidArgument("Transpose: transpose expects a vector of size ", rank,
                                   ". But input(1) is a vector of size ", perm.size());
  bool seen[kMaxTensorRank] = {};
  const InlinedVector<Index, 8> steps = StridesOf(input.dim_sizes());
  InlinedVector<Index, 8> sizes, from;
  for (Index i = 0; i < rank; ++i) {
    const Index d = perm[i] < 0 ? perm[i] + rank : perm[i];
    if (d < 0 || d >= rank) return errors::InvalidArgument("Transpose: ", d, " is out of range [0 .. ", rank, ")");
    if (seen[d])
      return errors::InvalidArgument("Transpose: the permutation has ", d, " twice; it must have every dimension once");
    seen[d] = true;
    from.push_back(steps[static_cast<std::size_t>(d)]);
    sizes.push_back(input.dim_size(static_cast<int>(d)));
  }
  TENON_RETURN_IF_ERROR(TensorShape::Build({sizes.data(), sizes.size()}, output));
  const InlinedVector<Index, 8> to = StridesOf(output->dim_sizes());
  for (Index i = 0; i < rank; ++i)
    copy->Add(sizes[static_cast<std::size_t>(i)], from[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(i)]);
  *is_same = copy->elements == 0 || copy->dims.empty() || (copy->dims.size() == 1 && copy->dims[0].in == 1);
  return OkStatus();
}

template <class Device>
Status RunTranspose(OpKernelContext& context, Device& device, const Tensor& x, const HostIndices& perm, Tensor* y) {
  TensorShape shape;
  NdCopy copy;
  bool is_same = false;
  TENON_RETURN_IF_ERROR(PlanTranspose(x.shape(), perm, &shape, &copy, &is_same));
  if (is_same) {
    (void)y->CopyFrom(x, shape);  // the element counts agree
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &y));
  return CopyNd(device, MoverOf(x.dtype()), copy, x.raw_data(), y->raw_data());
}

// Every second of 2 n numbers of type Real with the other sign.
template <class Real>
void ConjugateAll(const void* from, void* to, Index n) {
  const Real* in = static_cast<const Real*>(from);
  Real* out = static_cast<Real*>(to);
  for (Index i = 0; i < n; ++i) {
    out[2 * i] = in[2 * i];
    out[2 * i + 1] = -in[2 * i + 1];
  }
}

inline constexpr DataTypeSet kTransposeTypes =
    kPodAndObjectTypes | ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);

}  // namespace detail

// x: [a, b, c], perm = [2, 0, 1]  ->  y: [c, a, b]
struct Transpose {
  static constexpr auto signature = Op("Transpose")
                                        .Input("x: T")
                                        .Input("perm: Tperm")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .Attr("Tperm: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::TransposeShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), detail::kTransposeTypes); }
    Status operator()(Context<Device>& context, const Tensor& x, HostIndices perm, Tensor& y) const {
      return detail::RunTranspose(context.op(), context.device(), x, perm, &y);
    }
  };
};

// Transpose of the complex conjugate.
struct ConjugateTranspose {
  static constexpr auto signature = Op("ConjugateTranspose")
                                        .Input("x: T")
                                        .Input("perm: Tperm")
                                        .Output("y: T")
                                        .Attr("T: type")
                                        .Attr("Tperm: {int32, int64} = DT_INT32")
                                        .SetShapeFn(detail::TransposeShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    // Only the CPU conjugates.
    Status Init(OpKernelConstruction& c) {
      constexpr DataTypeSet kReal{detail::kTransposeTypes.mask & ~kComplexTypes.mask};
      return ServeOnDevice<Device>(c, c.input_type(0), Device::type == "CPU" ? detail::kTransposeTypes : kReal);
    }
    Status operator()(Context<Device>& context, const Tensor& x, HostIndices perm, Tensor& y) const {
      if constexpr (Device::type == "CPU")
        if (IsComplex(x.dtype())) return RunComplex(context.op(), context.device(), x, perm, &y);
      return detail::RunTranspose(context.op(), context.device(), x, perm, &y);
    }
  };

 private:
  static Status RunComplex(OpKernelContext& context, Cpu& device, const Tensor& x, const HostIndices& perm, Tensor* y) {
    TensorShape shape;
    NdCopy copy;
    bool is_same = false;
    TENON_RETURN_IF_ERROR(detail::PlanTranspose(x.shape(), perm, &shape, &copy, &is_same));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &y));
    const void* from = x.raw_data();
    if (!is_same) {
      CopyNd(device, MoverOf(x.dtype()), copy, from, y->raw_data());
      from = y->raw_data();
    }
    const auto conjugate =
        x.dtype() == DataType::kComplex64 ? &detail::ConjugateAll<float> : &detail::ConjugateAll<double>;
    conjugate(from, y->raw_data(), y->NumElements());
    return OkStatus();
  }
};

// y[x[i]] = i
struct InvertPermutation {
  static constexpr auto signature =
      Op("InvertPermutation")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 1); });

  template <class Device, class T>
    requires(Device::type == "CPU")  // looks at the elements for duplicates
  struct kernel {
    Status operator()(Device&, In<T, 1> x, Out<T, 1> y) const {
      for (Index i = 0; i < y.size(); ++i) y[i] = T(-1);
      for (Index i = 0; i < x.size(); ++i) {
        const T at = x[i];
        if (at < 0 || static_cast<Index>(at) >= x.size())
          return errors::InvalidArgument("InvertPermutation: ", at, " is not between 0 and ", x.size());
        if (y[at] != T(-1)) return errors::InvalidArgument("InvertPermutation: ", at, " is duplicated in the input.");
        y[at] = static_cast<T>(i);
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
