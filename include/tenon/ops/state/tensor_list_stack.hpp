// SPDX-License-Identifier: Apache-2.0
#pragma once
// How tensors are made of the elements of a list: laid one behind the other.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/engine/move.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/state/tensor_list.hpp>
#include <tenon/ops/state/tensor_list_shapes.hpp>

TENON_NAMESPACE_BEGIN

namespace ops::detail {

// Lays elements one behind the other, in the order in which they are added; unset ones are zeros.
class ElementStack {
 public:
  void Add(const Tensor* element, Index run) {
    parts_.push_back({TensorList::IsSet(*element) ? element->raw_data() : nullptr, run});
    if (!TensorList::IsSet(*element)) longest_unset_ = std::max(longest_unset_, run);
  }
  // Output 0 := all of them as a tensor of this shape.
  Status Write(OpKernelContext& context, const TensorShape& shape) {
    Tensor* out = nullptr;
    Tensor zeros;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return OkStatus();
    if (longest_unset_ > 0)
      TENON_RETURN_IF_ERROR(ZeroTensor(context, out->dtype(), TensorShape({longest_unset_}), &zeros));
    for (ConcatPart& part : parts_)
      if (part.data == nullptr) part.data = zeros.raw_data();
    tenon::Concat(context.device<Cpu>(), MoverOf(out->dtype()), {parts_.data(), parts_.size()}, 1, out->raw_data());
    return OkStatus();
  }

 private:
  SlimVector<ConcatPart> parts_;
  Index longest_unset_ = 0;
};
inline Status CheckIsVector(const Tensor& tensor) {
  if (tensor.dims() >= 1) return OkStatus();
  return errors::InvalidArgument("Tensor must be at least a vector, but saw shape: ", tensor.shape());
}

}  // namespace ops::detail

TENON_NAMESPACE_END
