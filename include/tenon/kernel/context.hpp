// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernelContext: the inputs, outputs and services of a kernel while it runs. The executor fills one per thread
// and moves it from node to node.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/step_environment.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

// The output shapes of one node in one step object, with the inputs they were computed from: the shape function runs
// again only when an input shape, or the value of an input that it reads, has changed.
struct ShapeMemo {
  bool valid = false;
  bool has_promised = false;       // `promised` was made for these inputs
  std::uint8_t fresh = 0;          // bit i: the kernel has allocated output i, and only the step holds it
  std::uint64_t value_inputs = 0;  // bit i: the shape function read the value of input i
  InlinedVector<TensorShape, 2> inputs;
  InlinedVector<TensorShape, 1> outputs;
  SlimVector<SlimVector<std::byte>> values;  // one per input in value_inputs, in order
  SlimVector<PartialTensorShape> promised;   // per output, the promise of a kernel that sizes it (output_check.hpp)
};

class CallFrame;
class CollectiveExecutor;
class GraphCollector;
class LegacyVar;
class OpInputList;
class OpMutableInputList;
class OpOutputList;
class Runner;
class TensorSliceReaderCache;
struct SessionMetadata;

namespace detail {
TENON_DETAIL_COLD inline Status WrongKindOfInput(std::string_view name, bool reference_wanted) {
  return errors::InvalidArgument("OpKernel used ", reference_wanted ? "non-ref" : "ref", " input name '", name,
                                 "' when ", reference_wanted ? "ref" : "non-ref", " input was expected");
}
[[noreturn]] TENON_DETAIL_COLD inline void DieOnIndex(const char* call, int i, int count, const OpKernel& kernel) {
  TENON_CHECK(false, "OpKernelContext::", call, "(", i, "): node '", kernel.name(), "' (op ", kernel.type_string(),
              ") has ", count);
  std::abort();
}
}  // namespace detail

// The inputs, outputs and services of a kernel while it runs. one thread. Pointers from it live until the kernel
// returns (or, for an AsyncOpKernel, until done is called). Members that are only declared here are TensorFlow's rarer
// ones: their callers include <tenon/kernel/context_access.hpp>, which explains each.
class OpKernelContext {
 public:
  OpKernelContext() = default;

  // -- inputs
  int num_inputs() const { return frame_->kernel->num_inputs(); }  // number of input tensors
  // Returns an input. An index outside of [0, num_inputs()) ends the process; get_input returns a Status.
  const Tensor& input(int i) const {
    if (i < 0 || i >= num_inputs()) [[unlikely]]
      detail::DieOnIndex("input", i, num_inputs(), *frame_->kernel);
    return *frame_->inputs[i];
  }
  DataType input_dtype(int i) const { return input(i).dtype(); }  // a reference type for a reference
  MemoryType input_memory_type(int i) const { return frame_->kernel->input_memory_type(i); }  // device or host memory
  // Returns whether input i exists and has a value.
  bool has_input(int i) const { return i >= 0 && i < num_inputs() && input(i).dtype() != DataType::kInvalid; }
  // Finds the input of an argument. InvalidArgument: no such argument, a list of another length than 1, or a reference.
  Status input(std::string_view name, const Tensor** tensor) const {
    int i = 0;
    TENON_RETURN_IF_ERROR(FindInput(name, false, &i));
    *tensor = frame_->inputs[i];
    return OkStatus();
  }
  Status input_dtype(std::string_view name, DataType* dtype) const;  // by the argument's name; errors of input(name)
  Status get_input(int i, const Tensor** tensor) const;  // InvalidArgument: no such input, or a reference
  // number of the one tensor of an argument; errors of input(name)
  Status get_input_index(std::string_view name, int* i) const;
  // all tensors of an argument; InvalidArgument: no such argument
  Status input_list(std::string_view name, OpInputList* list);
  AllocatorAttributes input_alloc_attr(int i) const;  // on_host where the input is in host memory
  Status MatchSignature(DataTypeSlice inputs, DataTypeSlice outputs) const;  // InvalidArgument: other types
  // Compares the shapes of all inputs. InvalidArgument: they differ.
  Status ValidateInputsAreSameShape() const {
    for (int i = 1; i < num_inputs(); ++i)
      if (!(input(0).shape() == input(i).shape())) [[unlikely]]
        return errors::InvalidArgument("Inputs to operation ", frame_->kernel->name(), " of type ",
                                       frame_->kernel->type_string(),
                                       " must have the same size and shape.  Input 0: ", input(0).shape(), " != input ",
                                       i, ": ", input(i).shape());
    return OkStatus();
  }
  bool ValidateInputsAreSameShape(const OpKernel* kernel);  // false and an error: they differ

  // -- references
  // whether the input is a variable by reference
  bool input_is_ref(int i) const { return IsRefType(frame_->inputs[i]->dtype()); }
  Mutex* input_ref_mutex(int i);  // lock of the variable; null and an error: not a reference
  Status input_ref_mutex(std::string_view name, Mutex** mutex);  // by the argument's name; errors of input(name)
  // Returns the value of a variable; it shares the buffer. `lock_held`: the caller has the variable's lock.
  Tensor mutable_input(int i, bool lock_held);
  Status mutable_input(std::string_view name, Tensor* tensor, bool lock_held);
  // InvalidArgument: no such argument, or not references
  Status mutable_input_list(std::string_view name, OpMutableInputList* list);
  // Gives the variable another tensor of any shape.
  void replace_ref_input(int i, const Tensor& tensor, bool lock_held);
  Status replace_ref_input(std::string_view name, const Tensor& tensor, bool lock_held);
  void delete_ref_input(int i, bool lock_held);  // takes the variable's value away
  void forward_ref_input_to_ref_output(int input, int output);  // makes an output the variable of an input

  // -- outputs
  int num_outputs() const { return frame_->kernel->num_outputs(); }  // number of output tensors
  DataType expected_output_dtype(int i) const { return frame_->kernel->output_type(i); }  // as the node declares
  MemoryType output_memory_type(int i) const { return frame_->kernel->output_memory_type(i); }  // device or host memory
  // Returns an output. An index outside of [0, num_outputs()) ends the process. By name: InvalidArgument as
  // input(name).
  Tensor* mutable_output(int i) {
    if (i < 0 || i >= num_outputs()) [[unlikely]]
      detail::DieOnIndex("mutable_output", i, num_outputs(), *frame_->kernel);
    return &frame_->outputs[i];
  }
  Status mutable_output(std::string_view name, Tensor** tensor);
  // all tensors of an argument; InvalidArgument: no such argument
  Status output_list(std::string_view name, OpOutputList* list);
  Status get_output_index(std::string_view name, int* i) const;  // number of the one tensor of an argument
  AllocatorAttributes output_alloc_attr(int i) const;  // on_host where the output is in host memory
  bool output_required(int) const { return true; }  // unread outputs must be set, too
  bool output_expects_forwarding(int) const { return false; }  // no output is bound to the buffer of one input
  void set_output_ref(int i, Ref<LegacyVar> variable);  // makes an output a reference to a variable
  Status set_output_ref(std::string_view name, Ref<LegacyVar> variable);
  // Takes an output away again and returns it.
  Tensor release_output(int i) {
    if (i < 0 || i >= num_outputs()) [[unlikely]]
      detail::DieOnIndex("release_output", i, num_outputs(), *frame_->kernel);
    MarkUnset(i);
    return std::exchange(frame_->outputs[i], Tensor(DataType::kInvalid));
  }
  // Sets an output to a tensor. Internal: no such output. ResourceExhausted: a tensor with elements, but without memory
  // for them. The form with a number sets the context's status.
  void set_output(int i, Tensor tensor) {
    if (i < 0 || i >= num_outputs()) [[unlikely]]
      return SetStatus(NoOutput("set_output", i));
    if (!tensor.IsInitialized()) [[unlikely]]
      return SetStatus(NoMemoryOf(i, tensor));
    if (record_ != nullptr) [[unlikely]]
      record_->RemoveTemp(tensor);
    MarkSet(i);
    frame_->outputs[i] = std::move(tensor);
  }
  Status set_output(std::string_view name, Tensor tensor) {
    int i = 0;
    TENON_RETURN_IF_ERROR(FindOne(true, name, &i));
    set_output(i, std::move(tensor));
    return status();
  }
  // Gives output i an uninitialised tensor of its declared type. ResourceExhausted: no memory. Internal: no output i, a
  // reference, or an output that has a tensor already. *out lives until the kernel ends.
  Status allocate_output(int i, const TensorShape& shape, Tensor** out) {
    if (i < 0 || i >= num_outputs() || IsSet(i) || IsRefType(expected_output_dtype(i))) [[unlikely]]
      return CannotAllocate(i);
    MarkSet(i);
    TENON_RETURN_IF_ERROR(AllocateOutput(i, shape));
    *out = &frame_->outputs[i];
    return OkStatus();
  }
  // As allocate_output, but takes over the buffer of the first input in `candidates` that allows it. *forwarded becomes
  // its number, or -1.
  Status forward_input_or_allocate_output(std::initializer_list<int> candidates, int i, const TensorShape& shape,
                                          Tensor** out, int* forwarded = nullptr) {
    return forward_input_or_allocate_output(Span<const int>(candidates.begin(), candidates.size()), i, shape, out,
                                            forwarded);
  }
  Status forward_input_or_allocate_output(Span<const int> candidates, int i, const TensorShape& shape, Tensor** out,
                                          int* forwarded = nullptr) {
    for (const int input : candidates)
      if (forward_input_to_output_with_shape(input, i, shape, out)) {
        if (forwarded != nullptr) *forwarded = input;
        return OkStatus();
      }
    if (forwarded != nullptr) *forwarded = -1;
    return allocate_output(i, shape, out);
  }
  // As the first form, by the argument's name; InvalidArgument: no such argument, or a list.
  Status allocate_output(std::string_view name, const TensorShape& shape, Tensor** out) {
    int i = 0;
    TENON_RETURN_IF_ERROR(FindOne(true, name, &i));
    return allocate_output(i, shape, out);
  }
  Status allocate_output(int i, const TensorShape& shape, Tensor** out, AllocatorAttributes attributes);
  Status allocate_output(std::string_view name, const TensorShape& shape, Tensor** out, AllocatorAttributes attributes);
  // Returns the buffer of an input as a tensor of that type and shape if nothing else reads it and it lies in such
  // memory; null otherwise. `output` may be -1.
  Owned<Tensor> forward_input(int input, int output, DataType dtype, const TensorShape& shape, MemoryType memory_type,
                              AllocatorAttributes attributes);
  // By the arguments' names. InvalidArgument: no such argument, or a list.
  Status forward_input_to_output_with_shape(std::string_view input, std::string_view output, const TensorShape& shape,
                                            Tensor** out);
  // As above, by the arguments' names.
  Status forward_input_or_allocate_output(std::initializer_list<std::string_view> candidates, std::string_view output,
                                          const TensorShape& shape, Tensor** out);
  Status forward_input_or_allocate_output(Span<const std::string_view> candidates, std::string_view output,
                                          const TensorShape& shape, Tensor** out);
  // Lets output i share the buffer of an input, with that shape, if nothing else reads that input. False: it does not.
  bool forward_input_to_output_with_shape(int input, int i, const TensorShape& shape, Tensor** out) {
    if (!TryForward(input, i, shape)) return false;
    MarkSet(i);
    *out = &frame_->outputs[i];
    return true;
  }
  // Allocates scratch memory for the time of the call; in host memory where the attributes say so. ResourceExhausted:
  // no memory. InvalidArgument: a dtype that no tensor can hold.
  Status allocate_temp(DataType dtype, const TensorShape& shape, Tensor* out, AllocatorAttributes attributes = {}) {
    TENON_ASSIGN_OR_RETURN(*out, Tensor::Make(dtype, shape, get_allocator(attributes)));
    if (record_ != nullptr) [[unlikely]]
      record_->AddTemp(static_cast<std::int64_t>(out->TotalBytes()), *out);
    return OkStatus();
  }
  // Allocates memory that the kernel keeps; errors of allocate_temp.
  Status allocate_persistent(DataType dtype, const TensorShape& shape, Tensor* out,
                             AllocatorAttributes attributes = {});
  // Takes over the buffer of the first input in `candidates` that allows it, or allocates as allocate_temp.
  Status forward_input_or_allocate_temp(std::initializer_list<int> candidates, DataType dtype, const TensorShape& shape,
                                        Tensor* out, AllocatorAttributes attributes = {}) {
    for (const int i : candidates) {
      if (i < 0 || i >= num_inputs()) [[unlikely]]
        continue;
      Tensor& input = *frame_->inputs[i];
      if (frame_->last_use[i] != 0 && input.dtype() == dtype && input.RefCountIsOne() &&
          input_memory_type(i) == MemoryType::kDevice && !attributes.on_host() && out->CopyFrom(input, shape))
        return OkStatus();
    }
    return allocate_temp(dtype, shape, out, attributes);
  }
  // Returns the allocator of the step, or the host's where the attributes say so.
  Allocator* get_allocator(AllocatorAttributes attributes) const {
    const bool host = attributes.on_host() && frame_->env->host_allocator != nullptr;
    return host ? frame_->env->host_allocator : frame_->env->step_allocator;
  }

  // -- memory that the node takes beside its outputs, in bytes; counted while there is a record
  void set_memory_record(MemoryListener* record) { record_ = record; }  // a MemoryRecord; null: nothing is counted
  bool track_allocations() const { return record_ != nullptr; }  // whether memory is counted
  void record_temp_memory_allocation(std::int64_t bytes, const Tensor& tensor);  // counts scratch memory
  std::int64_t temp_memory_allocated() const;  // bytes of scratch memory so far
  void record_persistent_memory_allocation(std::int64_t bytes, std::int64_t alloc_id = -1);  // counts kept memory
  std::int64_t persistent_memory_allocated() const;  // bytes of kept memory so far
  Span<const std::int64_t> persistent_alloc_ids() const;  // ids of kept blocks
  void clear_recorded_memory();  // sets the counts to 0

  // -- status: the first error counts
  void SetStatus(const Status& status) { status_.Update(status); }  // keeps the first error, which ends the node
  void CtxFailure(const Status& status) { SetStatus(status); }  // as SetStatus
  void CtxFailure(const char* file, int line, const Status& status);
  void CtxFailureWithWarning(const Status& status);  // as SetStatus, and logs a warning
  void CtxFailureWithWarning(const char* file, int line, const Status& status);
  const Status& status() const { return status_; }  // the first error, or OK

  // -- where and when
  const OpKernel& op_kernel() const { return *frame_->kernel; }  // the running kernel
  // Returns the device as the kernel's type of device: device<Cpu>().
  template <class Device>
  Device& device() const {
    return *static_cast<Device*>(frame_->env->device);
  }
  void* raw_device() const { return frame_->env->device; }  // the device without its type
  bool host_memory() const { return frame_->env->constants->host_memory; }  // whether the device uses host memory
  std::string_view device_name() const {
    return frame_->env->constants->device_name;
  }  // "/job:localhost/.../device:CPU:0"
  std::int64_t step_id() const { return frame_->env->step_id; }  // number of the run
  int graph_def_version() const { return frame_->env->graph_def_version; }  // version of the graph's producer
  FunctionRuntime* function_library() const { return frame_->env->constants->functions; }  // null: no functions
  const StepEnvironment& environment() const { return *frame_->env; }  // everything above as one struct
  // Returns the number of the loop that the node is in; 0: outside of all loops.
  std::uint64_t frame_id() const { return frame_->env->frame_id; }
  std::int64_t iteration() const { return frame_->env->iteration; }  // 0 outside of all loops
  FrameAndIter frame_iter() const { return {frame_id(), iteration()}; }  // both numbers
  bool is_input_dead() const { return false; }  // nodes with a dead input are not run
  // Returns the resources of the session; null while constants are folded (kernel/resource_lookup.hpp checks that).
  ResourceMgr* resource_manager() const { return services() == nullptr ? nullptr : services()->resources; }
  // Returns the resources of this run; may be null.
  StepContainer* step_container() const { return services() == nullptr ? nullptr : services()->step_container; }
  // Returns the manager that is cancelled with the run; may be null.
  CancellationManager* cancellation_manager() const {
    return services() == nullptr ? nullptr : services()->cancellation;
  }
  // Returns the rendezvous of the run; values that are left in it go with the run.
  Rendezvous* rendezvous() const;
  // null: no further services
  const StepServices* step_services() const { return services() == nullptr ? nullptr : services()->more; }
  CallFrame* call_frame() const;  // arguments of the function that runs; may be null
  TensorSliceReaderCache* slice_reader_cache() const;  // may be null
  CollectiveExecutor* collective_executor() const;  // may be null
  GraphCollector* graph_collector() const;  // may be null
  StepStatsCollector* stats_collector() const;  // may be null
  const SessionMetadata* session_metadata() const;  // may be null
  std::string_view session_handle() const;  // may be empty
  std::string_view executor_type() const;  // "DEFAULT" for dataflow
  std::int64_t deadline_us() const;  // microseconds since 1970; 0: none
  bool run_all_kernels_inline() const;  // whether kernels run on the caller's thread
  Runner runner() const;  // runs a function on the run's threads
  Function<void()> inc_num_deferred_ops_function() const;  // the run waits until the function below is called
  Function<void()> dec_num_deferred_ops_function() const;  // ends such a wait

  // -- for executors
  struct NodeFrame {
    const OpKernel* kernel;
    Tensor* const* inputs;  // one pointer per input
    const std::uint8_t* last_use;  // per input: this node is the last that reads the value
    Tensor* outputs;  // num_outputs tensors in a row
    const std::uint8_t* output_escapes;  // per output: the value is fetched, so it outlives the step
    ShapeMemo* memo;
    const StepEnvironment* env;  // environment of the device that runs the node
    const Tensor* given = nullptr;  // memory for output 0, if it gets this type and shape
  };
  // Moves to another node; the frame must outlive its run.
  void Enter(const NodeFrame* frame) {
    frame_ = frame;
    set_ = 0;
  }
  const NodeFrame* frame() const { return frame_; }  // the node that runs
  // Changes the frame of the node that runs: what the kernel has set stays. The frame must outlive its use.
  void ReplaceFrame(const NodeFrame* frame) { frame_ = frame; }
  Status TakeStatus() { return std::exchange(status_, Status()); }

  // -- for the adapter
  ShapeMemo* memo() const { return frame_->memo; }
  Tensor* const* input_array() const { return frame_->inputs; }
  Status AllocateOutput(int i, const TensorShape& shape) {
    const bool host =
        frame_->kernel->output_memory_type(i) == MemoryType::kHost && frame_->env->host_allocator != nullptr;
    Allocator* allocator = host                             ? frame_->env->host_allocator
                           : frame_->output_escapes[i] != 0 ? frame_->env->result_allocator
                                                            : frame_->env->step_allocator;
    const DataType dtype = frame_->kernel->output_type(i);
    if (frame_->given != nullptr && i == 0 && frame_->given->dtype() == dtype && frame_->given->shape() == shape) {
      frame_->outputs[0] = *frame_->given;
      return OkStatus();
    }
    frame_->outputs[i].Reset(allocator, dtype, shape);
    if (!frame_->outputs[i].IsInitialized()) [[unlikely]]
      return OutOfMemory(i, shape, allocator);
    return OkStatus();
  }
  // Makes output `out` share the buffer of input `in` when both are there and nothing else can see it any more.
  bool TryForward(int in, int out, const TensorShape& shape) {
    if (in < 0 || in >= num_inputs() || out < 0 || out >= num_outputs()) [[unlikely]]
      return false;
    if (frame_->last_use[in] == 0) return false;
    Tensor& input = *frame_->inputs[in];
    if (input.dtype() != frame_->kernel->output_type(out) || !input.RefCountIsOne()) return false;
    if (frame_->kernel->input_memory_type(in) != frame_->kernel->output_memory_type(out)) return false;
    return frame_->outputs[out].CopyFrom(input, shape);
  }

 private:
  const RunServices* services() const { return frame_->env->services; }
  Status FindOne(bool output, std::string_view name, int* i) const {
    int stop = 0;
    TENON_RETURN_IF_ERROR(output ? frame_->kernel->OutputRange(name, i, &stop)
                                 : frame_->kernel->InputRange(name, i, &stop));
    if (stop == *i + 1) return OkStatus();
    return NotSingle(output, name);
  }
  // The one input of that name, which must be a reference or must not.
  Status FindInput(std::string_view name, bool reference, int* i) const {
    TENON_RETURN_IF_ERROR(FindOne(false, name, i));
    return input_is_ref(*i) == reference ? OkStatus() : detail::WrongKindOfInput(name, reference);
  }
  // Whether output i has a tensor of this node's call; the step's slots may hold another call's. `i` is one of the
  // outputs.
  bool IsSet(int i) const {
    return i < kNearOutputs ? (set_ >> i & 1) != 0 : HasFarOutputs() && (*far_set_)[FarIndex(i)] != 0;
  }
  void MarkSet(int i) {
    if (i >= kNearOutputs) [[unlikely]]
      return MarkFarSet(i);
    set_ |= std::uint64_t{1} << i;
  }
  void MarkUnset(int i) {
    if (i < kNearOutputs)
      set_ &= ~(std::uint64_t{1} << i);
    else if (HasFarOutputs())
      (*far_set_)[FarIndex(i)] = 0;
  }
  // For nodes with many outputs. Enter, which runs for every node, says with one bit that far_set_ is another node's.
  static constexpr int kNearOutputs = 63;
  static std::size_t FarIndex(int i) { return static_cast<std::size_t>(i - kNearOutputs); }
  bool HasFarOutputs() const { return set_ >> kNearOutputs != 0; }
  TENON_DETAIL_NOINLINE void MarkFarSet(int i) {
    if (far_set_ == nullptr) far_set_ = MakeOwned<SlimVector<std::uint8_t>>();
    if (!HasFarOutputs()) far_set_->assign(static_cast<std::size_t>(num_outputs() - kNearOutputs), 0);
    set_ |= std::uint64_t{1} << kNearOutputs;
    (*far_set_)[FarIndex(i)] = 1;
  }
  // The variable of a reference input; null, and an error, for any other input.
  LegacyVar* FindVariable(int i);
  TENON_DETAIL_COLD Status NotSingle(bool output, std::string_view name) const {
    const std::string_view which = output ? "output" : "input";
    return errors::InvalidArgument("OpKernel used list-valued ", which, " name '", name, "' when single-valued ", which,
                                   " was expected");
  }
  TENON_DETAIL_COLD Status CannotAllocate(int i) const {
    if (i < 0 || i >= num_outputs()) return NoOutput("allocate_output", i);
    if (IsRefType(expected_output_dtype(i)))
      return errors::Internal("allocate_output with ref type. index=", i, " type: ", expected_output_dtype(i),
                              " kernel=", frame_->kernel->name(), " of op '", frame_->kernel->type_string(),
                              "'; set_output_ref gives it a variable");
    return errors::Internal("allocate_output on same index multiple times. index = ", i,
                            ", kernel=", frame_->kernel->name());
  }
  TENON_DETAIL_COLD Status NoOutput(std::string_view call, int i) const {
    return errors::Internal(call, " with bad index=", i, " kernel=", frame_->kernel->name(), "; it has ", num_outputs(),
                            " outputs");
  }
  TENON_DETAIL_COLD Status NoMemoryOf(int i, const Tensor& tensor) const {
    return errors::ResourceExhausted("OOM: output ", i, " was set to a tensor of shape ", tensor.shape(), " and type ",
                                     tensor.dtype(), " that has no memory; its allocation was refused");
  }
  Status NotThisRef(std::string_view call, int i, DataType given) const;
  TENON_DETAIL_COLD Status OutOfMemory(int i, const TensorShape& shape, Allocator* allocator) const {
    return errors::ResourceExhausted(
        "OOM when allocating tensor with shape", shape, " and type ", frame_->kernel->output_type(i), " on ",
        frame_->env->constants->device_name, " by ",
        detail::NoMemoryFrom(*allocator, detail::BytesWanted(frame_->kernel->output_type(i), shape)));
  }

  const NodeFrame* frame_ = nullptr;
  // Bit i: output i, one of the first 63, has been allocated or set. Bit 63: far_set_ says so of the other outputs.
  std::uint64_t set_ = 0;
  Owned<SlimVector<std::uint8_t>> far_set_;
  MemoryListener* record_ = nullptr;
  Status status_;
};

namespace detail {
// A call whose end is a function.
class CallOfFunction final : public AsyncOpKernel::Call {
 public:
  CallOfFunction(void (*end)(void* state), void* state, OpKernelContext* context, AsyncFaults* faults)
      : Call(LabelOf(const_cast<OpKernel&>(context->op_kernel())), faults),
        end_(end),
        state_(state),
        context_(context) {}

 private:
  static Ref<AsyncLabel> LabelOf(OpKernel& kernel) {
    AsyncOpKernel* const async = kernel.AsAsync();
    return async != nullptr ? async->label() : Ref<AsyncLabel>::Adopt(new AsyncLabel(kernel));
  }
  void End() override { end_(state_); }
  OpKernelContext* GetContext() override { return context_; }

  void (*const end_)(void* state);
  void* const state_;
  OpKernelContext* const context_;
};
}  // namespace detail

inline AsyncOpKernel::DoneCallback::DoneCallback(void (*end)(void* state), void* state, OpKernelContext* context,
                                                 AsyncFaults* faults)
    : call_(new detail::CallOfFunction(end, state, context, faults)) {}
inline bool AsyncOpKernel::DoneCallback::EndWith(const Status& error) const {
  if (call_->ended_.exchange(true, std::memory_order_acq_rel)) return false;
  call_->GetContext()->SetStatus(error);
  call_->End();
  return true;
}
TENON_DETAIL_COLD inline void AsyncOpKernel::DoneCallback::Dropped() const {
  const OpKernel& kernel = call_->GetContext()->op_kernel();
  EndWith(errors::Internal("the asynchronous kernel of op '", kernel.type_string(), "', node '", kernel.name(),
                           "', dropped its done callback without calling it"));
}

namespace detail {
inline Status AllocateLateOutput(OpKernelContext* context, int output, const TensorShape& shape, AnyView* view) {
  Tensor* tensor = nullptr;
  TENON_RETURN_IF_ERROR(context->allocate_output(output, shape, &tensor));
  *view = AnyView{tensor->raw_data(), tensor->NumElements(), &tensor->shape()};
  return OkStatus();
}
}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END
