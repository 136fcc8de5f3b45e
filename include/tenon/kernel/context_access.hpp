// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rarer members of OpKernelContext and OpKernelConstruction, with TensorFlow's names: lists of tensors, references,
// allocation by attributes, recorded memory, services. Kernels that were written for TensorFlow include this; the
// runtime itself does not.

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/argument_lists.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/deferred_ops.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/memory_record.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/kernel/variable.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

TENON_DETAIL_COLD inline Status NoReference(const OpKernelContext& context, int i) {
  const OpKernel& kernel = context.op_kernel();
  return errors::Internal("input ", i, " of node '", kernel.name(), "', op '", kernel.type_string(),
                          "', is no reference: ",
                          i < 0 || i >= kernel.num_inputs() ? std::string("there are ") + StrCat(kernel.num_inputs())
                                                            : StrCat("it is a ", context.input_dtype(i)));
}
// `where`: " at file:line", or nothing.
TENON_DETAIL_COLD inline void LogFailure(std::string_view where, const Status& status) {
  TENON_LOG(kWarning, "OP_REQUIRES failed", where, " : ", status.ToString());
}

}  // namespace detail

// ---- inputs

// A reference type where the input is a reference, as input_dtype(i).
inline Status OpKernelContext::input_dtype(std::string_view name, DataType* dtype) const {
  int i = 0;
  TENON_RETURN_IF_ERROR(FindOne(false, name, &i));
  *dtype = input_dtype(i);
  return OkStatus();
}
// As input(i), with a Status where there is no such input or it is a reference.
inline Status OpKernelContext::get_input(int i, const Tensor** tensor) const {
  if (i < 0 || i >= num_inputs() || input_is_ref(i))
    return errors::InvalidArgument("Given index was ", i, ", but index of input must be greater than 0, less than the ",
                                   "number of inputs (", num_inputs(), "), and not a ref.");
  *tensor = &input(i);
  return OkStatus();
}
// The number of the one tensor of that argument: errors as for input(name).
inline Status OpKernelContext::get_input_index(std::string_view name, int* i) const { return FindOne(false, name, i); }
inline Status OpKernelContext::get_output_index(std::string_view name, int* i) const { return FindOne(true, name, i); }
inline Status OpKernelContext::input_list(std::string_view name, OpInputList* list) {
  int start = 0, stop = 0;
  TENON_RETURN_IF_ERROR(op_kernel().InputRange(name, &start, &stop));
  *list = OpInputList(this, start, stop);
  return OkStatus();
}
inline AllocatorAttributes OpKernelContext::input_alloc_attr(int i) const {
  AllocatorAttributes attributes;
  attributes.set_on_host(input_memory_type(i) == MemoryType::kHost);
  return attributes;
}
// InvalidArgument unless the node's tensors have these types.
inline Status OpKernelContext::MatchSignature(DataTypeSlice inputs, DataTypeSlice outputs) const {
  SlimVector<DataType> have;
  for (int i = 0; i < num_inputs(); ++i) have.push_back(input_dtype(i));
  return detail::MatchTypes({have.data(), have.size()}, op_kernel().output_types(), inputs, outputs);
}
// TensorFlow's form: false, and an error of the context, unless all inputs have one shape. `kernel` is the context's.
inline bool OpKernelContext::ValidateInputsAreSameShape(const OpKernel*) {
  const Status same = ValidateInputsAreSameShape();
  SetStatus(same);
  return same.ok();
}

// "(float[2,3];int32[])": of all inputs, also of references.
inline std::string OpKernel::ShapeTraceString(const OpKernelContext& context) const {
  std::string text = "(";
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Tensor& input = context.input(i);
    StrAppend(&text, i == 0 ? "" : ";");
    if (context.has_input(i)) StrAppend(&text, input.dtype(), input.shape());
  }
  return text += ")";
}
// "name:Op", with `verbose` "name:Op#shape=(float[2,3];int32[])#".
inline std::string OpKernel::TraceString(const OpKernelContext& context, bool verbose) const {
  std::string text = StrCat(name(), ":", type_string());
  if (verbose && num_inputs() > 0) StrAppend(&text, "#shape=", ShapeTraceString(context), "#");
  return text;
}

// ---- references. An error becomes the context's status.

inline LegacyVar* OpKernelContext::FindVariable(int i) {
  if (i >= 0 && i < num_inputs() && input_is_ref(i)) return ReferredBy(input(i));
  SetStatus(detail::NoReference(*this, i));
  return nullptr;
}
// The lock of the variable behind an input; null when the input is not a reference.
inline Mutex* OpKernelContext::input_ref_mutex(int i) {
  LegacyVar* const variable = FindVariable(i);
  return variable == nullptr ? nullptr : &variable->mutex;
}
inline Status OpKernelContext::input_ref_mutex(std::string_view name, Mutex** mutex) {
  int i = 0;
  TENON_RETURN_IF_ERROR(FindInput(name, true, &i));
  *mutex = input_ref_mutex(i);
  return OkStatus();
}
// The value behind a reference; it shares the variable's buffer. `lock_held`: the caller has its lock.
inline Tensor OpKernelContext::mutable_input(int i, bool lock_held) {
  LegacyVar* const variable = FindVariable(i);
  if (variable == nullptr) return Tensor(DataType::kInvalid);
  if (lock_held) return variable->tensor;
  const MutexLock lock(variable->mutex);
  return variable->tensor;
}
inline Status OpKernelContext::mutable_input(std::string_view name, Tensor* tensor, bool lock_held) {
  int i = 0;
  TENON_RETURN_IF_ERROR(FindInput(name, true, &i));
  *tensor = mutable_input(i, lock_held);
  return OkStatus();
}
inline Status OpKernelContext::mutable_input_list(std::string_view name, OpMutableInputList* list) {
  int start = 0, stop = 0;
  TENON_RETURN_IF_ERROR(op_kernel().InputRange(name, &start, &stop));
  *list = OpMutableInputList(this, start, stop);
  return OkStatus();
}
// The variable gets another tensor, of whatever shape.
inline void OpKernelContext::replace_ref_input(int i, const Tensor& tensor, bool lock_held) {
  LegacyVar* const variable = FindVariable(i);
  if (variable == nullptr) return;
  Tensor dropped;  // goes after the lock
  MutexLock lock;
  if (!lock_held) lock = MutexLock(variable->mutex);
  dropped = std::exchange(variable->tensor, tensor);
}
inline Status OpKernelContext::replace_ref_input(std::string_view name, const Tensor& tensor, bool lock_held) {
  int i = 0;
  TENON_RETURN_IF_ERROR(FindOne(false, name, &i));
  if (!input_is_ref(i))
    return errors::InvalidArgument("OpKernel used immutable input name '", name, "' when ref input was expected");
  replace_ref_input(i, tensor, lock_held);
  return OkStatus();
}
// The variable has no value afterwards.
inline void OpKernelContext::delete_ref_input(int i, bool lock_held) {
  if (LegacyVar* const variable = FindVariable(i); variable != nullptr)
    replace_ref_input(i, Tensor(BaseType(input_dtype(i)), TensorShape(), nullptr), lock_held);
}
inline void OpKernelContext::forward_ref_input_to_ref_output(int input, int output) {
  if (output < 0 || output >= num_outputs()) return SetStatus(NoOutput("forward_ref_input_to_ref_output", output));
  if (FindVariable(input) == nullptr) return;
  if (input_dtype(input) != expected_output_dtype(output))
    return SetStatus(NotThisRef("forward_ref_input_to_ref_output", output, input_dtype(input)));
  frame_->outputs[output] = this->input(input);
}

// ---- outputs

inline Status OpKernelContext::mutable_output(std::string_view name, Tensor** tensor) {
  int i = 0;
  TENON_RETURN_IF_ERROR(FindOne(true, name, &i));
  *tensor = mutable_output(i);
  return OkStatus();
}
inline Status OpKernelContext::output_list(std::string_view name, OpOutputList* list) {
  int start = 0, stop = 0;
  TENON_RETURN_IF_ERROR(op_kernel().OutputRange(name, &start, &stop));
  *list = OpOutputList(this, start, stop);
  return OkStatus();
}
inline AllocatorAttributes OpKernelContext::output_alloc_attr(int i) const {
  AllocatorAttributes attributes;
  attributes.set_on_host(output_memory_type(i) == MemoryType::kHost);
  return attributes;
}
TENON_DETAIL_COLD inline Status OpKernelContext::NotThisRef(std::string_view call, int i, DataType given) const {
  return errors::Internal(call, ": output ", i, " of node '", op_kernel().name(), "', op '", op_kernel().type_string(),
                          "', is a ", expected_output_dtype(i), ", not a ",
                          given == DataType::kInvalid ? std::string("null variable") : StrCat(given));
}
// An output that is a reference to a variable. An output of another type, or none, is an error of the context.
inline void OpKernelContext::set_output_ref(int i, Ref<LegacyVar> variable) {
  if (i < 0 || i >= num_outputs()) return SetStatus(NoOutput("set_output_ref", i));
  const DataType type = !variable ? DataType::kInvalid : MakeRefType(variable->tensor.dtype());
  if (type != expected_output_dtype(i)) return SetStatus(NotThisRef("set_output_ref", i, type));
  frame_->outputs[i] = RefTo(std::move(variable));
}
inline Status OpKernelContext::set_output_ref(std::string_view name, Ref<LegacyVar> variable) {
  int i = 0;
  TENON_RETURN_IF_ERROR(FindOne(true, name, &i));
  set_output_ref(i, std::move(variable));
  return status();
}
// In host memory where the attributes say so.
inline Status OpKernelContext::allocate_output(int i, const TensorShape& shape, Tensor** out,
                                               AllocatorAttributes attributes) {
  if (i < 0 || i >= num_outputs() || !attributes.on_host() || host_memory() || IsRefType(expected_output_dtype(i)))
    return allocate_output(i, shape, out);
  if (IsSet(i)) return CannotAllocate(i);
  TENON_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(expected_output_dtype(i), shape, get_allocator(attributes)));
  set_output(i, std::move(tensor));
  *out = mutable_output(i);
  return OkStatus();
}
inline Status OpKernelContext::allocate_output(std::string_view name, const TensorShape& shape, Tensor** out,
                                               AllocatorAttributes attributes) {
  int i = 0;
  TENON_RETURN_IF_ERROR(FindOne(true, name, &i));
  return allocate_output(i, shape, out, attributes);
}

// ---- forwarding

inline Owned<Tensor> OpKernelContext::forward_input(int input, int output, DataType dtype, const TensorShape& shape,
                                                    MemoryType memory_type, AllocatorAttributes attributes) {
  if (input < 0 || input >= num_inputs() || !has_input(input) || input_is_ref(input)) return nullptr;
  const Tensor& from = this->input(input);
  if (from.dtype() != dtype || from.NumElements() != shape.num_elements()) return nullptr;
  if (input_memory_type(input) != memory_type || (output >= 0 && output_memory_type(output) != memory_type))
    return nullptr;
  if (frame_->last_use[input] == 0 || !from.RefCountIsOne()) return nullptr;
  if (!attributes.IsEqualOrLessRestrictiveThan(input_alloc_attr(input))) return nullptr;
  Owned<Tensor> forwarded(new Tensor);
  return forwarded->CopyFrom(from, shape) ? std::move(forwarded) : nullptr;
}
// FailedPrecondition when it cannot be.
inline Status OpKernelContext::forward_input_to_output_with_shape(std::string_view input, std::string_view output,
                                                                  const TensorShape& shape, Tensor** out) {
  int from = 0, to = 0;
  TENON_RETURN_IF_ERROR(FindOne(false, input, &from));
  TENON_RETURN_IF_ERROR(FindOne(true, output, &to));
  if (forward_input_to_output_with_shape(from, to, shape, out)) return OkStatus();
  return errors::FailedPrecondition("OpKernel could not forward input '", input, "' to output '", output, "'");
}
inline Status OpKernelContext::forward_input_or_allocate_output(std::initializer_list<std::string_view> candidates,
                                                                std::string_view output, const TensorShape& shape,
                                                                Tensor** out) {
  const Span<const std::string_view> names(candidates.begin(), candidates.size());
  return forward_input_or_allocate_output(names, output, shape, out);
}
inline Status OpKernelContext::forward_input_or_allocate_output(Span<const std::string_view> candidates,
                                                                std::string_view output, const TensorShape& shape,
                                                                Tensor** out) {
  int to = 0;
  TENON_RETURN_IF_ERROR(FindOne(true, output, &to));
  for (const std::string_view name : candidates) {
    int from = 0;
    TENON_RETURN_IF_ERROR(FindOne(false, name, &from));
    if (forward_input_to_output_with_shape(from, to, shape, out)) return OkStatus();
  }
  return allocate_output(to, shape, out);
}

// ---- memory

// A tensor that the kernel keeps beyond the run: its memory is not the run's.
inline Status OpKernelContext::allocate_persistent(DataType dtype, const TensorShape& shape, Tensor* out,
                                                   AllocatorAttributes attributes) {
  const StepEnvironment& env = environment();
  Allocator* const allocator = attributes.on_host() && !host_memory() ? nullptr : env.result_allocator;
  TENON_ASSIGN_OR_RETURN(*out, Tensor::Make(dtype, shape, allocator));
  record_persistent_memory_allocation(static_cast<std::int64_t>(out->TotalBytes()));
  return OkStatus();
}
inline void OpKernelContext::record_temp_memory_allocation(std::int64_t bytes, const Tensor& tensor) {
  if (record_ != nullptr) record_->AddTemp(bytes, tensor);
}
inline std::int64_t OpKernelContext::temp_memory_allocated() const {
  return record_ == nullptr ? 0 : static_cast<MemoryRecord*>(record_)->temp_bytes();
}
inline void OpKernelContext::record_persistent_memory_allocation(std::int64_t bytes, std::int64_t alloc_id) {
  if (record_ != nullptr) static_cast<MemoryRecord*>(record_)->AddPersistent(bytes, alloc_id);
}
inline std::int64_t OpKernelContext::persistent_memory_allocated() const {
  return record_ == nullptr ? 0 : static_cast<MemoryRecord*>(record_)->persistent_bytes();
}
inline Span<const std::int64_t> OpKernelContext::persistent_alloc_ids() const {
  return record_ == nullptr ? Span<const std::int64_t>() : static_cast<MemoryRecord*>(record_)->persistent_ids();
}
inline void OpKernelContext::clear_recorded_memory() {
  if (record_ != nullptr) static_cast<MemoryRecord*>(record_)->Clear();
}

// ---- status. The forms with a warning log it; the other forms leave that to the caller of the run.

inline void OpKernelContext::CtxFailure(const char*, int, const Status& status) { SetStatus(status); }
inline void OpKernelContext::CtxFailureWithWarning(const Status& status) {
  detail::LogFailure("", status);
  SetStatus(status);
}
inline void OpKernelContext::CtxFailureWithWarning(const char* file, int line, const Status& status) {
  detail::LogFailure(StrCat(" at ", file, ":", line), status);
  SetStatus(status);
}
inline void OpKernelConstruction::CtxFailure(const char*, int, const Status& status) { SetStatus(status); }
inline void OpKernelConstruction::CtxFailureWithWarning(const Status& status) {
  detail::LogFailure("", status);
  SetStatus(status);
}
inline void OpKernelConstruction::CtxFailureWithWarning(const char* file, int line, const Status& status) {
  detail::LogFailure(StrCat(" at ", file, ":", line), status);
  SetStatus(status);
}

// ---- services

inline ResourceMgr* OpKernelConstruction::resource_manager() const {
  return functions_ == nullptr ? nullptr : functions_->resources();
}
inline Rendezvous* OpKernelContext::rendezvous() const {
  const RunServices* const all = services();
  if (all == nullptr || all->rendezvous != nullptr || all->own_rendezvous == nullptr)
    return all == nullptr ? nullptr : all->rendezvous;
  return all->own_rendezvous->Get();
}
// Members of StepServices, which explains them; null, empty or 0 where the run has none.
inline CallFrame* OpKernelContext::call_frame() const {
  return step_services() == nullptr ? nullptr : step_services()->call_frame;
}
inline TensorSliceReaderCache* OpKernelContext::slice_reader_cache() const {
  return step_services() == nullptr ? nullptr : step_services()->slice_reader_cache;
}
inline CollectiveExecutor* OpKernelContext::collective_executor() const {
  return step_services() == nullptr ? nullptr : step_services()->collective_executor;
}
inline GraphCollector* OpKernelContext::graph_collector() const {
  return step_services() == nullptr ? nullptr : step_services()->graph_collector;
}
// The collector of a run with a trace; else the one in StepServices.
inline StepStatsCollector* OpKernelContext::stats_collector() const {
  if (services() != nullptr && services()->stats != nullptr) return services()->stats;
  return step_services() == nullptr ? nullptr : step_services()->stats_collector;
}
inline const SessionMetadata* OpKernelContext::session_metadata() const {
  return step_services() == nullptr ? nullptr : step_services()->session_metadata;
}
inline std::string_view OpKernelContext::session_handle() const {
  return step_services() == nullptr ? std::string_view() : step_services()->session_handle;
}
inline std::string_view OpKernelContext::executor_type() const {
  return step_services() == nullptr ? std::string_view() : step_services()->executor_type;
}
inline std::int64_t OpKernelContext::deadline_us() const {
  return step_services() == nullptr ? 0 : step_services()->deadline_us;
}
inline bool OpKernelContext::run_all_kernels_inline() const {
  return step_services() != nullptr && step_services()->run_all_kernels_inline;
}
inline Runner OpKernelContext::runner() const { return Runner(services() == nullptr ? nullptr : services()->pool); }
// To be called before the kernel ends, by one that goes on working; dec when that work is done. The run waits.
inline Function<void()> OpKernelContext::inc_num_deferred_ops_function() const {
  DeferredOps* const deferred = services() == nullptr ? nullptr : services()->deferred;
  return [deferred] {
    if (deferred != nullptr) deferred->Inc();
  };
}
inline Function<void()> OpKernelContext::dec_num_deferred_ops_function() const {
  DeferredOps* const deferred = services() == nullptr ? nullptr : services()->deferred;
  return [deferred] {
    if (deferred != nullptr) deferred->Dec();
  };
}

TENON_DETAIL_NAMESPACE_END
