// SPDX-License-Identifier: Apache-2.0
#pragma once
// ValidateStridedSliceOp: what a strided slice with its masks takes from an input. StridedSliceAssignBCast: how a value
// is broadcast to such a slice.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/strided_slice_plan.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>

namespace tensorflow {

// The masks of the input's dimensions, and the place in `begin` of the dimensions of the output and of the input.
// -1: `begin` has none for it (a new axis; an axis of the ellipsis).
struct StridedSliceShapeSpec {
  int32 begin_dense_mask = 0;
  int32 end_dense_mask = 0;
  int32 shrink_axis_dense_mask = 0;
  gtl::InlinedVector<int64_t, 4> output_to_sparse_mapping;
  gtl::InlinedVector<int64_t, 4> output_to_processing_mapping;
  gtl::InlinedVector<int64_t, 4> processing_to_sparse_mapping;
};

namespace internal {
// The elements of a vector of int16, int32 or int64. InvalidArgument: another type or rank.
inline Status SliceBounds(const char* name, const Tensor& tensor, tenon::SlimVector<std::int64_t>* out) {
  if (tensor.dims() != 1)
    return errors::InvalidArgument("Expected begin, end, and strides to be 1D equal size tensors, but ", name,
                                   " has shape ", tensor.shape().DebugString(), " instead.");
  const auto copy = [&](const auto& values) {
    for (Eigen::Index i = 0; i < values.size(); ++i) out->push_back(static_cast<std::int64_t>(values(i)));
    return Status();
  };
  switch (tensor.dtype()) {
    case DT_INT16: return copy(tensor.flat<int16>());
    case DT_INT32: return copy(tensor.flat<int32>());
    case DT_INT64: return copy(tensor.flat<std::int64_t>());
    default: return errors::InvalidArgument(name, ": expected int16, int32 or int64, got ", tensor.dtype());
  }
}
// Fills the spec of a slice that is valid.
inline void DescribeSlice(int rank, std::size_t n, int32 begin_mask, int32 end_mask, int32 ellipsis_mask,
                          int32 new_axis_mask, int32 shrink_axis_mask, StridedSliceShapeSpec* spec) {
  const auto bit = [](int32 mask, std::size_t i) { return (mask >> i & 1) != 0; };
  *spec = {};
  std::size_t entries = 0;  // that take a dimension of the input
  for (std::size_t i = 0; i < n; ++i) entries += !bit(ellipsis_mask, i) && (bit(new_axis_mask, i) ? 0 : 1);
  int d = 0;
  const auto whole = [&](std::int64_t sparse) {
    spec->begin_dense_mask |= 1 << d;
    spec->end_dense_mask |= 1 << d;
    spec->output_to_sparse_mapping.push_back(sparse);
    spec->output_to_processing_mapping.push_back(d);
    spec->processing_to_sparse_mapping.push_back(sparse);
    ++d;
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (bit(ellipsis_mask, i)) {
      for (int rest = rank - static_cast<int>(entries); rest > 0; --rest) whole(-1);
    } else if (bit(new_axis_mask, i)) {
      spec->output_to_sparse_mapping.push_back(-1);
      spec->output_to_processing_mapping.push_back(-1);
    } else {
      const int32 here = 1 << d;
      if (bit(begin_mask, i)) spec->begin_dense_mask |= here;
      if (bit(end_mask, i)) spec->end_dense_mask |= here;
      if (bit(shrink_axis_mask, i)) {
        spec->shrink_axis_dense_mask |= here;
      } else {
        spec->output_to_sparse_mapping.push_back(static_cast<std::int64_t>(i));
        spec->output_to_processing_mapping.push_back(d);
      }
      spec->processing_to_sparse_mapping.push_back(static_cast<std::int64_t>(i));
      ++d;
    }
  }
  while (d < rank) whole(-1);
}
}  // namespace internal

// Results: sizes of the input's dimensions after slicing, the shape of the output, and bounds per dimension of the
// input. `begin_tensor` and `end_tensor` may be null, and sizes of the input unknown: then sizes of the results may be.
// InvalidArgument: a slice that does not fit, or an input of unknown rank.
inline Status ValidateStridedSliceOp(const Tensor* begin_tensor, const Tensor* end_tensor, const Tensor& strides_tensor,
                                     const tenon::PartialTensorShape& input_shape, int32 begin_mask, int32 end_mask,
                                     int32 ellipsis_mask, int32 new_axis_mask, int32 shrink_axis_mask,
                                     PartialTensorShape* processing_shape, PartialTensorShape* final_shape,
                                     bool* is_identity, bool* is_simple_slice, bool* slice_dim0,
                                     gtl::InlinedVector<int64_t, 4>* begin, gtl::InlinedVector<int64_t, 4>* end,
                                     gtl::InlinedVector<int64_t, 4>* strides,
                                     StridedSliceShapeSpec* shape_spec = nullptr) {
  if (input_shape.unknown_rank()) return errors::InvalidArgument("Unexpected input_shape with unknown rank");
  tenon::SlimVector<std::int64_t> first, last, steps;
  TF_RETURN_IF_ERROR(internal::SliceBounds("strides", strides_tensor, &steps));
  if (begin_tensor != nullptr) TF_RETURN_IF_ERROR(internal::SliceBounds("begin", *begin_tensor, &first));
  if (end_tensor != nullptr) TF_RETURN_IF_ERROR(internal::SliceBounds("end", *end_tensor, &last));
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < input_shape.dims(); ++d) sizes.push_back(input_shape.dim_size(d));
  tenon::StridedSlicePlan plan;
  TF_RETURN_IF_ERROR(tenon::PlanStridedSlice({sizes.data(), sizes.size()}, begin_tensor == nullptr ? nullptr : &first,
                                             end_tensor == nullptr ? nullptr : &last, steps, begin_mask, end_mask,
                                             ellipsis_mask, new_axis_mask, shrink_axis_mask, &plan));
  begin->assign(plan.begin.begin(), plan.begin.end());
  end->assign(plan.end.begin(), plan.end.end());
  strides->assign(plan.strides.begin(), plan.strides.end());
  *is_identity = plan.is_identity;
  *is_simple_slice = plan.is_simple_slice;
  *slice_dim0 = plan.slice_dim0;
  if (shape_spec != nullptr)
    internal::DescribeSlice(input_shape.dims(), steps.size(), begin_mask, end_mask, ellipsis_mask, new_axis_mask,
                            shrink_axis_mask, shape_spec);
  const auto shape = [](const tenon::SlimVector<std::int64_t>& of, PartialTensorShape* out) {
    return PartialTensorShape::MakePartialShape(of.data(), static_cast<int>(of.size()), out);
  };
  TF_RETURN_IF_ERROR(shape(plan.processing_shape, processing_shape));
  return shape(plan.final_shape, final_shape);
}
// Does so where all sizes are known. Internal: the results have unknown sizes.
inline Status ValidateStridedSliceOp(const Tensor* begin_tensor, const Tensor* end_tensor, const Tensor& strides_tensor,
                                     const tenon::PartialTensorShape& input_shape, int32 begin_mask, int32 end_mask,
                                     int32 ellipsis_mask, int32 new_axis_mask, int32 shrink_axis_mask,
                                     TensorShape* processing_shape, TensorShape* final_shape, bool* is_identity,
                                     bool* is_simple_slice, bool* slice_dim0, gtl::InlinedVector<int64_t, 4>* begin,
                                     gtl::InlinedVector<int64_t, 4>* end, gtl::InlinedVector<int64_t, 4>* strides,
                                     StridedSliceShapeSpec* shape_spec = nullptr) {
  PartialTensorShape processing, final;
  TF_RETURN_IF_ERROR(ValidateStridedSliceOp(begin_tensor, end_tensor, strides_tensor, input_shape, begin_mask, end_mask,
                                            ellipsis_mask, new_axis_mask, shrink_axis_mask, &processing, &final,
                                            is_identity, is_simple_slice, slice_dim0, begin, end, strides, shape_spec));
  if (!processing.AsTensorShape(processing_shape) || !final.AsTensorShape(final_shape))
    return errors::Internal("ValidateStridedSliceOp returned partial shapes ", processing.DebugString(), " and ",
                            final.DebugString());
  return Status();
}

// The value may have fewer dimensions than the slice, and sizes of 1 where the slice has others.
class StridedSliceAssignBCast {
 public:
  using Vec = gtl::InlinedVector<int64_t, 4>;
  StridedSliceAssignBCast(const Vec& value, const Vec& slice) : result_shape_(slice) {
    // Leading dimensions of size 1 beyond those of the slice say nothing.
    std::size_t skipped = 0;
    while (value.size() - skipped > slice.size() && value[skipped] == 1) ++skipped;
    const std::size_t rank = value.size() - skipped;
    if (rank > slice.size()) {
      valid_ = false;
      return;
    }
    const std::size_t missing = slice.size() - rank;
    for (std::size_t i = 0; i < slice.size(); ++i) {
      const int64_t size = i < missing ? 1 : value[skipped + i - missing];
      valid_ = valid_ && (size == 1 || size == slice[i]);
      reshape_.push_back(size);
      bcast_.push_back(size == 1 ? slice[i] : 1);
      broadcasting_required_ = broadcasting_required_ || size != slice[i];
    }
  }
  // Gives dimension `i` the place `dimension_map[i]` of `dims`. Negative: it goes. Places without one have size 1.
  // False: the map has another length, or a place is not there.
  bool RemapDimensions(int64_t dims, const Vec& dimension_map) {
    if (dimension_map.size() != result_shape_.size()) return false;
    for (const int64_t place : dimension_map)
      if (place >= dims) return false;
    const auto remap = [&](const Vec& from) {
      Vec out;
      for (int64_t d = 0; d < dims; ++d) out.push_back(1);
      for (std::size_t i = 0; i < from.size(); ++i)
        if (dimension_map[i] >= 0) out[static_cast<std::size_t>(dimension_map[i])] = from[i];
      return out;
    };
    reshape_ = remap(reshape_);
    bcast_ = remap(bcast_);
    result_shape_ = remap(result_shape_);
    return true;
  }
  bool IsValid() const { return valid_; }
  bool IsBroadcastingRequired() const { return broadcasting_required_; }
  const Vec& reshape() const { return reshape_; }
  const Vec& bcast() const { return bcast_; }
  const Vec& result_shape() const { return result_shape_; }

 private:
  bool valid_ = true, broadcasting_required_ = false;
  Vec reshape_, bcast_, result_shape_;
};

}  // namespace tensorflow
