// SPDX-License-Identifier: Apache-2.0
#pragma once
// Between the elements of a list and a tensor of them: laid one behind the other, and what its rows are.

#include <algorithm>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/list/tensor_list.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// Lays elements one behind the other, in the order in which they are added; unset ones are zeros.
class ElementStack {
 public:
  Status Add(const OpKernelContext& context, const Tensor& element, Index run) {
    const void* data = nullptr;
    if (!TensorList::IsSet(element)) {
      longest_unset_ = std::max(longest_unset_, run);
    } else {
      Tensor here = element;
      TENON_RETURN_IF_ERROR(BringToKernel(context, &here));
      data = here.raw_data();
      if (data != element.raw_data()) copies_.push_back(std::move(here));
    }
    parts_.push_back({data, run});
    return OkStatus();
  }
  // Output 0 := all of them as a tensor of this shape.
  template <class Device>
  Status Write(Context<Device>& context, const TensorShape& shape) {
    Tensor* out = nullptr;
    Tensor zeros;
    TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return OkStatus();
    if (longest_unset_ > 0)
      TENON_RETURN_IF_ERROR(ZeroTensor(context, out->dtype(), TensorShape({longest_unset_}), &zeros));
    for (ConcatPart& part : parts_)
      if (part.data == nullptr) part.data = zeros.raw_data();
    return tenon::Concat(context.device(), MoverOf(out->dtype()), Span<const ConcatPart>(parts_.data(), parts_.size()),
                         1, out->raw_data());
  }

 private:
  SlimVector<ConcatPart> parts_;
  SlimVector<Tensor> copies_;  // elements from other memory
  Index longest_unset_ = 0;
};

inline Status CheckIsVector(const Tensor& tensor) {
  if (tensor.dims() >= 1) return OkStatus();
  return errors::InvalidArgument("Tensor must be at least a vector, but saw shape: ", tensor.shape());
}
// The shape of each of the tensor's rows.
inline Status RowShape(const Tensor& tensor, TensorShape* row) {
  TENON_RETURN_IF_ERROR(CheckIsVector(tensor));
  *row = tensor.shape();
  return row->RemoveDimWithStatus(0);
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
