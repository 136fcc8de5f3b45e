// SPDX-License-Identifier: Apache-2.0
#pragma once
// Var: the state behind a variable, named by a handle (resource variables) or by a reference (Variable, VariableV2).
// A reference edge carries a tensor of a reference type, which holds the variable itself; RefTo and ReferredBy convert.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/bring_tensor.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/resource_lookup.hpp>
#include <tenon/kernel/resource_mgr.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// `mutex` guards the rest. A value that was read shares the variable's buffer: a kernel that changes elements of a
// resource variable calls MakeWritable first, so that no value read earlier changes. References work as in
// TensorFlow: a value read through one may change until the end of the run.
class Var : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::Var";

  explicit Var(DataType dtype) : tensor(dtype, TensorShape(), nullptr) {}
  std::string DebugString() const override {
    const MutexLock lock(mutex);
    return StrCat(tensor.dtype(), "/", tensor.shape());
  }
  std::int64_t MemoryUsed() const override {
    const MutexLock lock(mutex);
    return static_cast<std::int64_t>(tensor.TotalBytes());
  }

  // Under the lock: gives the variable a buffer that nothing else sees, with the same values, in the same memory.
  // ResourceExhausted when there is none left.
  Status MakeWritable(const OpKernelContext& context) {
    if (tensor.NumElements() == 0 || tensor.RefCountIsOne()) return OkStatus();
    Tensor copy;
    if (tensor.HostAccessible())
      copy = tensor.DeepCopy();
    else if (Device* const device = context.environment().constants->memory_device; device != nullptr)
      TENON_RETURN_IF_ERROR(device->CopyWithin(tensor, &copy));
    if (!copy.IsInitialized())
      return errors::ResourceExhausted("OOM when allocating tensor with shape", tensor.shape(), " and type ",
                                       tensor.dtype(), " for a copy of a variable");
    tensor = std::move(copy);
    return OkStatus();
  }

  // Under the lock: moves the value to the memory that the kernel's device reads. It stays there: a variable is copied
  // in each step only if kernels on both sides use it.
  Status BringTo(const OpKernelContext& context) { return BringToKernel(context, &tensor); }

  // Under the lock: whether the value is a view of a mapped file, which a variable may keep until it is written to.
  bool IsOfFile() const { return tensor.buffer() != nullptr && tensor.buffer()->root()->is_mapped_file(); }

  mutable Mutex mutex;
  Tensor tensor;
  bool is_initialized = false;  // for resource variables; the tensor of a reference says it itself
};

// The variable of a Variable or VariableV2 node; TensorFlow keeps the two kinds apart.
class LegacyVar final : public Var {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::LegacyVar";
  using Var::Var;
};

// The tensor that a reference edge carries; it holds the variable. Shape functions see `shape` in a run.
inline Tensor RefTo(Ref<LegacyVar> variable, const TensorShape& shape = TensorShape()) {
  const DataType type = MakeRefType(variable->tensor.dtype());
  LegacyVar* held = variable.release();
  return Tensor(
      type, shape,
      Buffer::Wrap(held, sizeof *held, [](void* object, void*) { static_cast<LegacyVar*>(object)->Unref(); }, nullptr));
}
// The variable of a reference edge; null for any other tensor (one that was fed in its place, for example).
inline LegacyVar* ReferredBy(const Tensor& tensor) {
  return IsRefType(tensor.dtype()) ? static_cast<LegacyVar*>(const_cast<void*>(tensor.raw_data())) : nullptr;
}
// The value at this moment, sharing the variable's buffer. FailedPrecondition when there is none yet; `name` is the
// node's, for the message.
inline Status ReadReference(const Tensor& reference, std::string_view name, Tensor* value) {
  const LegacyVar* variable = ReferredBy(reference);
  const MutexLock lock(variable->mutex);
  if (!variable->tensor.IsInitialized())
    return errors::FailedPrecondition("Attempting to use uninitialized value ", name);
  *value = variable->tensor;
  return OkStatus();
}

// A variable that a kernel reads or changes, locked: the resource that a handle names, or a reference's variable.
class LockedVar {
 public:
  LockedVar() = default;
  Tensor& tensor() const { return var_->tensor; }
  Var& var() const { return *var_; }
  bool is_reference() const { return !owner_; }

  // `input` is input number `number` of the node. NotFound when a handle's variable does not exist, FailedPrecondition
  // when a reference's has no value yet, InvalidArgument when the element type is not `dtype`.
  Status Open(const OpKernelContext& context, int number, const Tensor& input, DataType dtype) {
    if (input.dtype() == DataType::kResource) {
      TENON_RETURN_IF_ERROR(LookupResource<Var>(context, input, &owner_));
      var_ = owner_.get();
    } else if (var_ = ReferredBy(input); var_ == nullptr) {
      return errors::InvalidArgument("Input ", number, " of node ", context.op_kernel().name(), " was passed ",
                                     input.dtype(), " incompatible with expected ", MakeRefType(dtype), ".");
    }
    lock_ = MutexLock(var_->mutex);
    const std::string_view name =
        is_reference() ? std::string_view(context.op_kernel().def().input[static_cast<std::size_t>(number)])
                       : std::string_view(input.data<ResourceHandle>()->name);
    if (is_reference() ? !tensor().IsInitialized() : !var_->is_initialized)
      return errors::FailedPrecondition("Attempting to use uninitialized value ", name);
    if (tensor().dtype() != dtype)
      return errors::InvalidArgument("Trying to use variable ", name, " with wrong dtype. Expected ", tensor().dtype(),
                                     " got ", dtype);
    return is_reference() ? OkStatus() : var_->BringTo(context);
  }
  // Call it before changing elements. A value that was read through a reference sees the change, as in TensorFlow,
  // but strings and handles, which another thread could be reading, are copied first. So are views of files.
  Status MakeWritable(const OpKernelContext& context) const {
    return is_reference() && SizeOf(tensor().dtype()) != 0 && !var_->IsOfFile() ? OkStatus()
                                                                                : var_->MakeWritable(context);
  }

 private:
  Ref<Var> owner_;
  Var* var_ = nullptr;
  MutexLock lock_;  // let go before owner_
};

TENON_DETAIL_NAMESPACE_END
