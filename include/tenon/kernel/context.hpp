// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernelContext: what a kernel sees while it runs. The executor fills one per thread and moves it from node to node.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_NAMESPACE_BEGIN

// The output shapes of one node in one step object, with the inputs they were computed from: the shape function runs
// again only when an input shape, or the value of an input that it reads, has changed.
struct ShapeMemo {
  bool valid = false;
  std::uint64_t value_inputs = 0;  // bit i: the shape function read the value of input i
  SlimVector<TensorShape> inputs, outputs;
  SlimVector<SlimVector<std::byte>> values;  // of the inputs in value_inputs, in order
};

class CancellationManager;
class FunctionRuntime;
class ResourceMgr;
class StepContainer;

// What one run and all functions that it calls have in common.
struct RunServices {
  ResourceMgr* resources = nullptr;              // the session's
  StepContainer* step_container = nullptr;       // resources that go with the run
  CancellationManager* cancellation = nullptr;   // of the run
};

// What is the same for all nodes of one run on one device.
struct StepEnvironment {
  void* device = nullptr;            // the Cpu or Cuda that kernels get
  std::string_view device_name;      // "/job:localhost/replica:0/task:0/device:CPU:0"
  Allocator* step_allocator = nullptr;    // memory that lives no longer than the step, as a rule
  Allocator* result_allocator = nullptr;  // memory of fetched tensors
  Allocator* host_allocator = nullptr;    // host memory, when the device has another one
  bool host_memory = true;                // the device reads and writes ordinary host memory
  std::int64_t step_id = 0;
  int graph_def_version = 0;
  int call_depth = 0;                     // function calls around the step
  FunctionRuntime* functions = nullptr;   // of the graph's library; null while constants are folded
  const RunServices* services = nullptr;  // null while constants are folded
};

// one thread. Pointers handed out live until the kernel returns (or, for an AsyncOpKernel, until done is called).
class OpKernelContext {
 public:
  OpKernelContext() = default;

  // -- inputs
  int num_inputs() const { return frame_->kernel->num_inputs(); }
  const Tensor& input(int i) const { return *frame_->inputs[i]; }
  DataType input_dtype(int i) const { return frame_->inputs[i]->dtype(); }
  MemoryType input_memory_type(int i) const { return frame_->kernel->input_memory_type(i); }
  bool has_input(int i) const { return frame_->inputs[i]->dtype() != DataType::kInvalid; }
  // By the argument's name; InvalidArgument when there is none, or when it is a list of another length than 1.
  Status input(std::string_view name, const Tensor** tensor) const {
    int i = 0;
    TENON_RETURN_IF_ERROR(FindOne(false, name, &i));
    *tensor = frame_->inputs[i];
    return OkStatus();
  }
  // InvalidArgument unless all inputs have one shape.
  Status ValidateInputsAreSameShape() const {
    for (int i = 1; i < num_inputs(); ++i)
      if (!(input(0).shape() == input(i).shape())) [[unlikely]]
        return errors::InvalidArgument("Inputs to operation ", frame_->kernel->name(), " of type ",
                                       frame_->kernel->type_string(),
                                       " must have the same size and shape.  Input 0: ", input(0).shape(), " != input ",
                                       i, ": ", input(i).shape());
    return OkStatus();
  }

  // -- outputs
  int num_outputs() const { return frame_->kernel->num_outputs(); }
  DataType expected_output_dtype(int i) const { return frame_->kernel->output_type(i); }
  MemoryType output_memory_type(int i) const { return frame_->kernel->output_memory_type(i); }
  Tensor* mutable_output(int i) { return &frame_->outputs[i]; }
  // Takes the output away again.
  Tensor release_output(int i) {
    if (i < 64) allocated_ &= ~(std::uint64_t{1} << i);
    return std::exchange(frame_->outputs[i], Tensor(DataType::kInvalid));
  }
  void set_output(int i, Tensor tensor) { frame_->outputs[i] = std::move(tensor); }
  Status set_output(std::string_view name, Tensor tensor) {
    int i = 0;
    TENON_RETURN_IF_ERROR(FindOne(true, name, &i));
    set_output(i, std::move(tensor));
    return OkStatus();
  }
  // Gives output i an uninitialised tensor of its declared type. ResourceExhausted when memory is out; Internal when
  // there is no output i or it has been allocated already.
  Status allocate_output(int i, const TensorShape& shape, Tensor** out) {
    const std::uint64_t bit = i < 64 ? std::uint64_t{1} << (i & 63) : 0;
    if (i < 0 || i >= num_outputs() || (allocated_ & bit) != 0) [[unlikely]]
      return CannotAllocate(i);
    allocated_ |= bit;
    TENON_RETURN_IF_ERROR(AllocateOutput(i, shape));
    *out = &frame_->outputs[i];
    return OkStatus();
  }
  // Like allocate_output, but takes over the buffer of the first input in `candidates` that allows it.
  Status forward_input_or_allocate_output(std::initializer_list<int> candidates, int i, const TensorShape& shape,
                                          Tensor** out) {
    for (const int input : candidates)
      if (TryForward(input, i, shape)) {
        *out = &frame_->outputs[i];
        return OkStatus();
      }
    return allocate_output(i, shape, out);
  }
  Status allocate_output(std::string_view name, const TensorShape& shape, Tensor** out) {
    int i = 0;
    TENON_RETURN_IF_ERROR(FindOne(true, name, &i));
    return allocate_output(i, shape, out);
  }
  // Output i shares the buffer of the input, with that shape, if nobody else can see it any more; false otherwise.
  bool forward_input_to_output_with_shape(int input, int i, const TensorShape& shape, Tensor** out) {
    if (!TryForward(input, i, shape)) return false;
    *out = &frame_->outputs[i];
    return true;
  }
  // Scratch memory for the time of the call; in host memory where the attributes say so.
  Status allocate_temp(DataType dtype, const TensorShape& shape, Tensor* out, AllocatorAttributes attributes = {}) {
    TENON_ASSIGN_OR_RETURN(*out, Tensor::Make(dtype, shape, get_allocator(attributes)));
    return OkStatus();
  }
  // The same, or the buffer of the first input in `candidates` that allows it.
  Status forward_input_or_allocate_temp(std::initializer_list<int> candidates, DataType dtype, const TensorShape& shape,
                                        Tensor* out, AllocatorAttributes attributes = {}) {
    for (const int i : candidates) {
      Tensor& input = *frame_->inputs[i];
      if (frame_->last_use[i] != 0 && input.dtype() == dtype && input.RefCountIsOne() &&
          input_memory_type(i) == MemoryType::kDevice && !attributes.on_host() && out->CopyFrom(input, shape))
        return OkStatus();
    }
    return allocate_temp(dtype, shape, out, attributes);
  }
  Allocator* get_allocator(AllocatorAttributes attributes) const {
    const bool host = attributes.on_host() && frame_->env->host_allocator != nullptr;
    return host ? frame_->env->host_allocator : frame_->env->step_allocator;
  }

  // -- status: the first error counts
  void SetStatus(const Status& status) { status_.Update(status); }
  void CtxFailure(const Status& status) { SetStatus(status); }
  const Status& status() const { return status_; }

  // -- where and when
  const OpKernel& op_kernel() const { return *frame_->kernel; }
  template <class Device>
  Device& device() const {
    return *static_cast<Device*>(frame_->env->device);
  }
  void* raw_device() const { return frame_->env->device; }
  bool host_memory() const { return frame_->env->host_memory; }
  std::string_view device_name() const { return frame_->env->device_name; }
  std::int64_t step_id() const { return frame_->env->step_id; }
  int graph_def_version() const { return frame_->env->graph_def_version; }
  FunctionRuntime* function_library() const { return frame_->env->functions; }
  const StepEnvironment& environment() const { return *frame_->env; }
  // Null while constants are folded (kernel/resource_lookup.hpp has the checks).
  ResourceMgr* resource_manager() const { return services() == nullptr ? nullptr : services()->resources; }
  StepContainer* step_container() const { return services() == nullptr ? nullptr : services()->step_container; }
  CancellationManager* cancellation_manager() const {
    return services() == nullptr ? nullptr : services()->cancellation;
  }

  // -- for executors
  struct NodeFrame {
    const OpKernel* kernel;
    Tensor* const* inputs;               // one pointer per input
    const std::uint8_t* last_use;        // per input: this node is the last that reads the value
    Tensor* outputs;                     // num_outputs tensors in a row
    const std::uint8_t* output_escapes;  // per output: the value is fetched, so it outlives the step
    ShapeMemo* memo;
    const StepEnvironment* env;          // of the device that runs the node
  };
  // Moves to another node; the frame must outlive its run.
  void Enter(const NodeFrame* frame) {
    frame_ = frame;
    allocated_ = 0;
  }
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
    frame_->outputs[i] = Tensor(allocator, dtype, shape);
    if (!frame_->outputs[i].IsInitialized()) [[unlikely]]
      return OutOfMemory(i, shape, allocator);
    return OkStatus();
  }
  // Makes output `out` share the buffer of input `in` when nobody else can see it any more.
  bool TryForward(int in, int out, const TensorShape& shape) {
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
    const std::string_view which = output ? "output" : "input";
    return errors::InvalidArgument("OpKernel used list-valued ", which, " name '", name, "' when single-valued ", which,
                                   " was expected");
  }
  TENON_COLD Status CannotAllocate(int i) const {
    if (i >= 0 && i < num_outputs())
      return errors::Internal("allocate_output on same index multiple times. index = ", i,
                              ", kernel=", frame_->kernel->name());
    return errors::Internal("allocate_output with bad index=", i, " kernel=", frame_->kernel->name(), "; it has ",
                            num_outputs(), " outputs");
  }
  TENON_COLD Status OutOfMemory(int i, const TensorShape& shape, Allocator* allocator) const {
    return errors::ResourceExhausted(
        "OOM when allocating tensor with shape", shape, " and type ", frame_->kernel->output_type(i), " on ",
        frame_->env->device_name, " by ",
        detail::NoMemoryFrom(*allocator, detail::BytesWanted(frame_->kernel->output_type(i), shape)));
  }

  const NodeFrame* frame_ = nullptr;
  std::uint64_t allocated_ = 0;  // bit i: the kernel asked for output i, one of the first 64
  Status status_;
};

namespace detail {
inline Status AllocateLateOutput(OpKernelContext* context, int output, const TensorShape& shape, AnyView* view) {
  Tensor* tensor = nullptr;
  TENON_RETURN_IF_ERROR(context->allocate_output(output, shape, &tensor));
  *view = AnyView{tensor->raw_data(), tensor->NumElements(), &tensor->shape()};
  return OkStatus();
}
}  // namespace detail

TENON_NAMESPACE_END
