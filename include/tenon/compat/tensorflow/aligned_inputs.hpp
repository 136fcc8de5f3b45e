// SPDX-License-Identifier: Apache-2.0
#pragma once
// AlignedInputs: copies of inputs that do not lie as Eigen's maps want them. Slices of tensors and foreign memory do
// so.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tenon/tensor/copies.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/compat/tensorflow/base/eigen.hpp>

namespace tensorflow {

// Gives a context a frame with copies of such inputs, until Restore. one thread.
class AlignedInputs {
 public:
  static bool AreNeeded(const tenon::OpKernelContext& context) {
    for (int i = 0; i < context.num_inputs(); ++i)
      if (!IsAligned(*context.input_array()[i])) return true;
    return false;
  }
  // ResourceExhausted: no memory for the copies.
  explicit AlignedInputs(tenon::OpKernelContext* context)
      : context_(context), before_(context->frame()), frame_(*context->frame()) {
    const auto count = static_cast<std::size_t>(context->num_inputs());
    inputs_.assign(frame_.inputs, frame_.inputs + count);
    copies_.resize(count);
    for (std::size_t i = 0; i < count && status_.ok(); ++i) {
      if (IsAligned(*inputs_[i])) continue;
      tenon::Result<tenon::Tensor> copy = tenon::tensor::DeepCopy(*inputs_[i]);
      status_ = copy.status();
      if (!status_.ok()) break;
      copies_[i] = *std::move(copy);
      inputs_[i] = &copies_[i];
    }
    frame_.inputs = inputs_.data();
    context->ReplaceFrame(&frame_);
  }
  AlignedInputs(const AlignedInputs&) = delete;
  AlignedInputs& operator=(const AlignedInputs&) = delete;

  const tenon::Status& status() const { return status_; }
  // Gives the context its own frame back; before the node ends.
  void Restore() {
    if (tenon::OpKernelContext* const context = std::exchange(context_, nullptr); context != nullptr)
      context->ReplaceFrame(before_);
  }

 private:
  static bool IsAligned(const tenon::Tensor& tensor) {
    constexpr std::uintptr_t kAlignment = EIGEN_MAX_ALIGN_BYTES == 0 ? 1 : EIGEN_MAX_ALIGN_BYTES;
    return reinterpret_cast<std::uintptr_t>(tensor.raw_data()) % kAlignment == 0 || !tenon::IsPlain(tensor.dtype()) ||
           !tensor.HostAccessible();
  }
  tenon::OpKernelContext* context_;
  const tenon::OpKernelContext::NodeFrame* before_;
  tenon::OpKernelContext::NodeFrame frame_;
  std::vector<tenon::Tensor*> inputs_;
  std::vector<tenon::Tensor> copies_;
  tenon::Status status_;
};

}  // namespace tensorflow
