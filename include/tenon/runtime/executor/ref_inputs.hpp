// SPDX-License-Identifier: Apache-2.0
#pragma once
// RefReads: a node that takes plain values where its graph has references gets the variables' values at the moment it
// starts.

#include <cstddef>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/bring_tensor.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/variable.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {

// The frame of one such node for one run of it; lives until the kernel has ended.
class RefReads {
 public:
  // Reads every reference that the kernel does not take as one. FailedPrecondition when a variable has no value yet.
  Status Read(const OpKernelContext::NodeFrame& from) {
    frame_ = from;
    const OpKernel& kernel = *from.kernel;
    const auto count = static_cast<std::size_t>(kernel.num_inputs());
    values_.resize(count);
    inputs_.resize(count);
    last_use_.assign(from.last_use, from.last_use + count);
    for (std::size_t i = 0; i < count; ++i) {
      inputs_[i] = from.inputs[i];
      if (!IsRefType(from.inputs[i]->dtype()) || IsRefType(kernel.input_type(static_cast<int>(i)))) continue;
      TENON_RETURN_IF_ERROR(ReadReference(*from.inputs[i], kernel.def().input[i], &values_[i]));
      if (kernel.input_memory_type(static_cast<int>(i)) == MemoryType::kDevice)
        TENON_RETURN_IF_ERROR(BringToKernel(*from.env, &values_[i]));
      inputs_[i] = &values_[i];
      last_use_[i] = 0;
    }
    frame_.inputs = inputs_.data();
    frame_.last_use = last_use_.data();
    return OkStatus();
  }
  const OpKernelContext::NodeFrame& frame() const { return frame_; }

 private:
  OpKernelContext::NodeFrame frame_{};
  SlimVector<Tensor> values_;
  SlimVector<Tensor*> inputs_;
  SlimVector<std::uint8_t> last_use_;
};

// A fetched value: references become values, and what shares a variable's buffer is copied, for the variable may change
// in place. For programs with references.
TENON_DETAIL_COLD inline Status DetachFromVariables(std::string_view name, Tensor* value) {
  if (IsRefType(value->dtype())) {
    const Tensor reference = *value;
    TENON_RETURN_IF_ERROR(ReadReference(reference, name, value));
  }
  if (value->NumElements() > 0 && !value->RefCountIsOne()) *value = value->DeepCopy();
  return value->IsInitialized() ? OkStatus()
                                : errors::ResourceExhausted("OOM when allocating tensor with shape", value->shape(),
                                                            " and type ", value->dtype(), " for a fetched variable");
}

}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END
