// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseToDense: a dense tensor of stored elements and a default.

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

inline constexpr DataTypeSet kToDenseTypes = kPodAndStringTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) |
                                             ToSet(DataType::kQint16) | ToSet(DataType::kQuint16);

inline std::int64_t IndexAt(const Tensor& t, Index i) {
  return t.dtype() == DataType::kInt32 ? t.data<std::int32_t>()[i] : t.data<std::int64_t>()[i];
}
inline std::string IndexText(const Tensor& indices, Index row, Index rank) {
  std::string text = "[";
  for (Index d = 0; d < rank; ++d) StrAppend(&text, d == 0 ? "" : ",", IndexAt(indices, row * rank + d));
  return text + "]";
}

// The first row of [n, rank] indices that is outside of `sizes` or, where they must ascend, not behind the row before
// it; -1: none.
template <class T>
Index FirstBadRow(const T* indices, Index n, Index rank, const Index* sizes, bool ascending) {
  Index before = -1;
  for (Index i = 0; i < n; ++i) {
    Index at = 0;
    bool inside = true;
    for (Index d = 0; d < rank; ++d, ++indices) {
      inside = inside && *indices >= 0 && *indices < sizes[d];
      at = static_cast<Index>(static_cast<std::uint64_t>(at) * static_cast<std::uint64_t>(sizes[d]) +
                              static_cast<std::uint64_t>(*indices));
    }
    if (!inside || (ascending && at <= before)) return i;
    before = at;
  }
  return -1;
}
// Puts value i to where row i says; all are inside.
template <class T>
void PlaceValues(const T* indices, Index n, Index rank, const Index* sizes, const ElementMover& mover,
                 const void* values, Index step, void* dense) {
  for (Index i = 0; i < n; ++i) {
    Index at = 0;
    for (Index d = 0; d < rank; ++d, ++indices) at = at * sizes[d] + static_cast<Index>(*indices);
    if (mover.bytes == 4 && mover.assign == nullptr)
      std::memcpy(mover.At(dense, at), mover.At(values, i * step), 4);
    else
      CopyRun(mover, mover.At(values, i * step), mover.At(dense, at), 1);
  }
}

// Row `i` of [n, rank] indices against the shape and the row before it.
inline Status CheckOrderedIndex(const Tensor& indices, Index i, Index rank, const TensorShape& shape) {
  bool inside = true, increasing = i == 0;
  int order = 0;
  for (Index d = 0; d < rank; ++d) {
    const std::int64_t x = IndexAt(indices, i * rank + d);
    inside = inside && x >= 0 && x < shape.dim_size(static_cast<int>(d));
    if (i > 0 && order == 0) {
      const std::int64_t before = IndexAt(indices, (i - 1) * rank + d);
      order = x < before ? -1 : x > before ? 1 : 0;
    }
  }
  increasing = increasing || order > 0;
  if (inside && increasing) return OkStatus();
  const std::string text = StrCat("indices[", i, "] = ", IndexText(indices, i, rank));
  if (!inside) return errors::InvalidArgument("SparseToDense: ", text, " is out of bounds: need 0 <= index < ", shape);
  if (order < 0)
    return errors::InvalidArgument("SparseToDense: ", text, " is out of order. Many sparse ops require sorted indices.",
                                   " Use `tf.sparse.reorder` to create a correctly ordered copy.");
  return errors::InvalidArgument("SparseToDense: ", text, " is repeated");
}

}  // namespace detail

// sparse_indices: [n, r], [n] (r = 1) or [] (n = r = 1)  output_shape: [r]  sparse_values: [n] or []
struct SparseToDense {
  static constexpr auto signature = Op("SparseToDense")
                                        .Input("sparse_indices: Tindices")
                                        .Input("output_shape: Tindices")
                                        .Input("sparse_values: T")
                                        .Input("default_value: T")
                                        .Output("dense: T")
                                        .Attr("validate_indices: bool = true")
                                        .Attr("T: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle out;
                                          TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });

  struct Attrs {
    bool validate_indices;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(2), detail::kToDenseTypes); }
    Status operator()(Context<Device>& context, const Tensor& indices, const Tensor& output_shape, const Tensor& values,
                      const Tensor& default_value, Tensor& dense) const {
      return Run(context.op(), context.device(), this->validate_indices, indices, output_shape, values, default_value,
                 &dense);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, bool validate, const Tensor& indices,
                    const Tensor& output_shape, const Tensor& values, const Tensor& default_value, Tensor* dense) {
    if (indices.dims() > 2)
      return errors::InvalidArgument("SparseToDense: sparse_indices should be a scalar, vector, or matrix, got shape ",
                                     indices.shape());
    const Index n = indices.dims() > 0 ? indices.dim_size(0) : 1, rank = indices.dims() > 1 ? indices.dim_size(1) : 1;
    if (output_shape.dims() != 1)
      return errors::InvalidArgument("SparseToDense: output_shape must be rank 1, got shape ", output_shape.shape());
    if (output_shape.NumElements() != rank)
      return errors::InvalidArgument("SparseToDense: output_shape has incorrect number of elements: ",
                                     output_shape.NumElements(), " should be: ", rank);
    if (values.dims() > 1 || (values.dims() == 1 && values.dim_size(0) != n))
      return errors::InvalidArgument("SparseToDense: sparse_values has incorrect shape ", values.shape(),
                                     ", should be [] or [", n, "]");
    if (default_value.dims() != 0)
      return errors::InvalidArgument("SparseToDense: default_value should be a scalar, got shape ",
                                     default_value.shape());
    SlimVector<Index> sizes;
    for (Index d = 0; d < rank; ++d) {
      sizes.push_back(detail::IndexAt(output_shape, d));
      if (sizes.back() < 0)
        return errors::InvalidArgument("SparseToDense: Dimension ", sizes.back(), " must be >= 0 (dimension ", d, ")");
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(detail::ShapeOfSizes("SparseToDense", sizes.data(), rank, &shape));
    const bool narrow = indices.dtype() == DataType::kInt32;
    const Index bad = narrow ? detail::FirstBadRow(indices.data<std::int32_t>(), n, rank, sizes.data(), validate)
                             : detail::FirstBadRow(indices.data<std::int64_t>(), n, rank, sizes.data(), validate);
    if (bad >= 0 && validate) TENON_RETURN_IF_ERROR(detail::CheckOrderedIndex(indices, bad, rank, shape));
    if (bad >= 0)
      return errors::InvalidArgument("SparseToDense: Indices are not valid (out of bounds).  Shape: ", shape,
                                     ", indices[", bad, "] = ", detail::IndexText(indices, bad, rank));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &dense));
    const ElementMover mover = MoverOf(dense->dtype());
    tenon::Fill(device, mover, default_value.raw_data(), dense->raw_data(), dense->NumElements());
    const Index step = values.dims() == 0 ? 0 : 1;
    if (narrow)
      detail::PlaceValues(indices.data<std::int32_t>(), n, rank, sizes.data(), mover, values.raw_data(), step,
                          dense->raw_data());
    else
      detail::PlaceValues(indices.data<std::int64_t>(), n, rank, sizes.data(), mover, values.raw_data(), step,
                          dense->raw_data());
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
