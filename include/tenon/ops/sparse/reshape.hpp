// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseReshape, SparseReorder: the same elements at other places, or in order.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status SparseReshapeShape(InferenceContext* c) {
  ShapeHandle indices, unused, new_shape;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &new_shape));
  c->set_output(0, c->Matrix(c->Dim(indices, 0), c->Dim(new_shape, 0)));
  c->set_output(1, new_shape);
  return OkStatus();
}
inline Status SparseReorderShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(SparseRanks(c, 0));
  ShapeHandle indices, values;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &values));
  c->set_output(0, indices);
  c->set_output(1, values);
  return OkStatus();
}

// The sizes wanted, with -1 replaced by what is left over of `dense` elements.
inline Status FindNewSizes(const TensorShape& from, const Tensor& wanted, SlimVector<std::int64_t>* sizes) {
  constexpr const char* kOp = "SparseReshape";
  const Index dense = from.num_elements();
  Index product = 1, unknown = -1;
  for (Index d = 0; d < wanted.NumElements(); ++d) {
    const std::int64_t size = wanted.data<std::int64_t>()[d];
    sizes->push_back(size);
    if (size == -1) {
      if (unknown >= 0)
        return errors::InvalidArgument(kOp, ": only one output dimension may be -1, not both ", unknown, " and ", d);
      unknown = d;
      continue;
    }
    if (size < 0) return errors::InvalidArgument(kOp, ": size ", d, " must be non-negative, not ", size);
    product = MultiplyWithoutOverflow(product, size);
    if (product < 0)
      return errors::InvalidArgument(kOp, ": the product of the sizes in ",
                                     SizesText(wanted.data<std::int64_t>(), wanted.NumElements()),
                                     " is too large; it must fit in 63 bits");
  }
  if (unknown >= 0) {
    if (product == 0)
      return errors::InvalidArgument(kOp, ": reshape cannot infer the missing input size for an empty tensor unless ",
                                     "all specified input sizes are non-zero");
    if (dense % product != 0)
      return errors::InvalidArgument(kOp, ": Input to reshape is a SparseTensor with ", dense,
                                     " dense values, but the requested shape requires a multiple of ", product,
                                     ". input_shape=", from,
                                     " output_shape=", SizesText(sizes->data(), static_cast<Index>(sizes->size())));
    (*sizes)[static_cast<std::size_t>(unknown)] = dense / product;
    product = dense;
  }
  if (product != dense)
    return errors::InvalidArgument(kOp, ": Input to reshape is a tensor with ", dense,
                                   " dense values, but the requested shape has ", product, ". input_shape=", from,
                                   " output_shape=", SizesText(sizes->data(), static_cast<Index>(sizes->size())));
  return OkStatus();
}

}  // namespace detail

// Each index keeps its place in the row-major order of all elements, stored or not. Indices are not checked.
struct SparseReshape {
  static constexpr auto signature = Op("SparseReshape")
                                        .Input("input_indices: int64")
                                        .Input("input_shape: int64")
                                        .Input("new_shape: int64")
                                        .Output("output_indices: int64")
                                        .Output("output_shape: int64")
                                        .SetShapeFn(detail::SparseReshapeShape);

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& indices, const Tensor& shape, const Tensor& new_shape,
                      Tensor&, Tensor&) const {
      return Run(context.op(), indices, shape, new_shape);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& indices, const Tensor& shape, const Tensor& new_shape) {
    if (indices.dims() != 2)
      return errors::InvalidArgument("SparseReshape: Input must be a matrix, got shape ", indices.shape());
    if (shape.dims() != 1)
      return errors::InvalidArgument("SparseReshape: Input shape must be a vector, got shape ", shape.shape());
    if (new_shape.dims() != 1)
      return errors::InvalidArgument("SparseReshape: Target shape should be a vector but received shape ",
                                     new_shape.shape());
    const Index n = indices.dim_size(0), rank = shape.NumElements(), new_rank = new_shape.NumElements();
    if (indices.dim_size(1) != rank)
      return errors::InvalidArgument("SparseReshape: Input tensor rank must match input shape length, got ",
                                     indices.dim_size(1), " and ", rank);
    TensorShape from;
    SlimVector<std::int64_t> sizes;
    TENON_RETURN_IF_ERROR(detail::ShapeOfSizes("SparseReshape", shape.data<std::int64_t>(), rank, &from));
    TENON_RETURN_IF_ERROR(detail::FindNewSizes(from, new_shape, &sizes));
    TENON_RETURN_IF_ERROR(detail::SetVector(context, 1, sizes.data(), new_rank));
    bool same = rank == new_rank;
    for (Index d = 0; d < rank && same; ++d) same = sizes[static_cast<std::size_t>(d)] == shape.data<std::int64_t>()[d];
    if (same) {
      context.set_output(0, indices);
      return OkStatus();
    }
    if (n > 0 && from.num_elements() == 0)
      return errors::InvalidArgument("SparseReshape: Input tensor has ", n, " non zero elements but input shape (",
                                     from, ") or output shape (", detail::SizesText(sizes.data(), new_rank),
                                     ") is empty");
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n, new_rank}), &out));
    const SparseRows rows{indices.data<std::int64_t>(), n, rank};
    for (Index i = 0; i < n; ++i) {
      std::uint64_t place = 0;  // an index out of range may wrap around
      for (Index d = 0; d < rank; ++d)
        place = place * static_cast<std::uint64_t>(from.dim_size(static_cast<int>(d))) +
                static_cast<std::uint64_t>(rows.Row(i)[d]);
      auto left = static_cast<std::int64_t>(place);
      std::int64_t* to = out->data<std::int64_t>() + i * new_rank;
      for (Index d = new_rank - 1; d >= 0; --d) {  // the first takes what is left, also beyond its size
        const std::int64_t size = sizes[static_cast<std::size_t>(d)];
        to[d] = d > 0 ? left % size : left;
        left /= size;
      }
    }
    return OkStatus();
  }
};

// The elements in row-major order; those at the same place stay in their order. Indices are not checked.
struct SparseReorder {
  static constexpr auto signature = Op("SparseReorder")
                                        .Input("input_indices: int64")
                                        .Input("input_values: T")
                                        .Input("input_shape: int64")
                                        .Output("output_indices: int64")
                                        .Output("output_values: T")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::SparseReorderShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&) const {
      const detail::SparseInput x = detail::SparseInputAt(context.op(), 0);
      TENON_RETURN_IF_ERROR(detail::CheckSparse("SparseReorder", x));
      if (InOrder(x.rows())) {
        context.op().set_output(0, *x.indices);
        context.op().set_output(1, *x.values);
        return OkStatus();
      }
      return detail::TakeRows(context.op(), 0, x, RowOrder(x.rows(), AllColumns(x.rank())));
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
