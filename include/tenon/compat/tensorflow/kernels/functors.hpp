// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functors of TensorFlow's own kernels that other ops use: fills, dense updates, joins of matrices; variables of
// training ops.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/kernel_params.hpp>

namespace Eigen {
struct SyclDevice;
}  // namespace Eigen

namespace tensorflow {

typedef Eigen::ThreadPoolDevice CPUDevice;
typedef Eigen::GpuDevice GPUDevice;

// Does nothing.
class NoOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext*) override {}
  bool IsExpensive() const override { return false; }
};

enum DenseUpdateType { ADD, SUB, ASSIGN };

namespace functor {

template <class Device, class T>
struct FillFunctor {
  void operator()(const Device& device, typename TTypes<T>::Flat out, typename TTypes<T>::ConstScalar in) {
    out.device(device) = out.constant(in());
  }
};
template <class Device, class T>
struct SetZeroFunctor {
  void operator()(const Device& device, typename TTypes<T>::Flat out) { out.device(device) = out.constant(T(0)); }
};
template <class Device>
struct SetZeroFunctor<Device, tstring> {
  void operator()(const Device&, typename TTypes<tstring>::Flat out) {
    for (int64_t i = 0; i < out.size(); ++i) out(i) = tstring();
  }
};
template <class Device, class T>
struct SetOneFunctor {
  void operator()(const Device& device, typename TTypes<T>::Flat out) { out.device(device) = out.constant(T(1)); }
};
template <class Device, class T>
struct SetNanFunctor {
  void operator()(const Device& device, typename TTypes<T>::Flat out) {
    out.device(device) = out.constant(Eigen::NumTraits<T>::quiet_NaN());
  }
};
template <class Device, class T, DenseUpdateType kUpdate>
struct DenseUpdate {
  void operator()(const Device& device, typename TTypes<T>::Flat params, typename TTypes<T>::ConstFlat update) {
    if constexpr (kUpdate == ADD)
      params.device(device) += update;
    else if constexpr (kUpdate == SUB)
      params.device(device) -= update;
    else
      params.device(device) = update;
  }
};

}  // namespace functor

// Joins matrices by columns.
template <class T>
void ConcatCPU(DeviceBase*, const std::vector<std::unique_ptr<typename TTypes<T, 2>::ConstMatrix>>& inputs,
               typename TTypes<T, 2>::Matrix* output) {
  const int64_t rows = output->dimension(0);
  for (int64_t r = 0; r < rows; ++r) {
    int64_t column = 0;
    for (const auto& input : inputs)
      for (int64_t c = 0; c < input->dimension(1); ++c) (*output)(r, column++) = (*input)(r, c);
  }
}

// ------------------------------------------------------------------------------------------- variables of training ops
inline bool IsResourceInput(OpKernelContext* context, int input) { return context->input_dtype(input) == DT_RESOURCE; }
// The variable's lock; *variable has a reference of its own where the input is a handle.
template <class Device, class T>
mutex* GetTrainingVariableMutex(OpKernelContext* context, int input, bool, Var** variable) {
  *variable = nullptr;
  if (!IsResourceInput(context, input)) return context->input_ref_mutex(input);
  if (!LookupResource(context, HandleFromInput(context, input), variable).ok()) {
    context->CtxFailureWithWarning(errors::Internal("Invalid variable reference."));
    return nullptr;
  }
  return (*variable)->mu();
}
template <class Device, class T>
mutex* GetTrainingVariableMutex(OpKernelContext* context, int input, Var** variable) {
  return GetTrainingVariableMutex<Device, T>(context, input, false, variable);
}
// Locks and references of variables, in the order of addresses.
class VariableInputLockHolder {
 public:
  VariableInputLockHolder(std::vector<Var*> variables, std::unique_ptr<std::vector<mutex_lock>> locks,
                          std::unique_ptr<std::vector<tf_shared_lock>> = nullptr)
      : variables_(std::move(variables)), locks_(std::move(locks)) {}
  VariableInputLockHolder(VariableInputLockHolder&& other) noexcept
      : variables_(std::exchange(other.variables_, {})), locks_(std::move(other.locks_)) {}
  ~VariableInputLockHolder() {
    locks_.reset();
    for (Var* variable : variables_) variable->Unref();
  }

 private:
  std::vector<Var*> variables_;
  std::unique_ptr<std::vector<mutex_lock>> locks_;
};
template <class Device, class T>
VariableInputLockHolder MaybeLockVariableInputMutexesInOrder(OpKernelContext* context, bool do_lock, bool sparse,
                                                             const std::vector<int>& inputs) {
  std::vector<Var*> variables;
  std::vector<mutex*> all;
  for (const int input : inputs) {
    Var* variable = nullptr;
    mutex* const lock = GetTrainingVariableMutex<Device, T>(context, input, sparse, &variable);
    if (variable != nullptr) variables.push_back(variable);
    if (lock != nullptr && std::find(all.begin(), all.end(), lock) == all.end()) all.push_back(lock);
  }
  auto locks = std::make_unique<std::vector<mutex_lock>>();
  std::sort(all.begin(), all.end(), std::less<mutex*>());
  locks->reserve(all.size());
  if (do_lock)
    for (mutex* lock : all) locks->emplace_back(*lock);
  return VariableInputLockHolder(std::move(variables), std::move(locks));
}
// Gives the variable's tensor memory that nothing else holds.
template <class Device, class T>
Status PrepareToUpdateVariable(OpKernelContext*, Tensor* tensor, bool) {
  if (!tensor->RefCountIsOne()) *tensor = tensor->DeepCopy();
  return Status();
}
template <class Device, class T>
Status EnsureSparseVariableAccess(OpKernelContext* context, Var* variable, bool = false) {
  return PrepareToUpdateVariable<Device, T>(context, variable->tensor(), true);
}
template <class Device, class T>
Status GetInputTensorFromVariable(OpKernelContext* context, int input, bool lock_held, bool, Tensor* out) {
  if (!IsResourceInput(context, input)) {
    *out = context->mutable_input(input, lock_held);
    return Status();
  }
  core::RefCountPtr<Var> variable;
  TF_RETURN_IF_ERROR(LookupResource(context, HandleFromInput(context, input), &variable));
  TF_RETURN_IF_ERROR((PrepareToUpdateVariable<Device, T>(context, variable->tensor(), true)));
  *out = *variable->tensor();
  return Status();
}
inline void MaybeForwardRefInputToRefOutput(OpKernelContext* context, int input, int output) {
  if (!IsResourceInput(context, input)) context->forward_ref_input_to_ref_output(input, output);
}

}  // namespace tensorflow
