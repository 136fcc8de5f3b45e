// SPDX-License-Identifier: Apache-2.0
#pragma once
// Steps that all executors share for one node: run its kernel or copy, check its outputs, add the node to an error.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/str.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/memory_record.hpp>
#include <tenon/kernel/output_check.hpp>
#include <tenon/kernel/run_kernel.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/ref_inputs.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/runtime/executor/trace_collector.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {

// The trace of the session's run that a step belongs to; null: the run is not traced.
inline TraceCollector* TraceOf(const Step& step) {
  return step.services() == nullptr ? nullptr : static_cast<TraceCollector*>(step.services()->stats);
}

// Measures the current node in an executor's loop: its start, and the memory that it takes beside its outputs. Does
// nothing without a trace. one thread.
class NodeMeter {
 public:
  NodeMeter(TraceCollector* trace, OpKernelContext* context) : trace_(trace) {
    if (trace != nullptr) [[unlikely]]
      context->set_memory_record(&memory_);
  }
  NodeMeter(const NodeMeter&) = delete;
  NodeMeter& operator=(const NodeMeter&) = delete;
  // `ready_ns`: NodeTiming::ready_ns.
  void Begin(std::int64_t ready_ns = -1) {
    if (trace_ != nullptr) [[unlikely]] {
      ready_ns_ = ready_ns;
      memory_.Clear();
      outputs_.reset();
      WaitOfThread() = 0;
      begin_ = trace_->Now();
    }
  }
  // Counts the kernel's outputs, for an executor that takes them away before End.
  void SeeOutputs(const Tensor* outputs, int count) {
    if (trace_ != nullptr) [[unlikely]]
      if (count > 0) outputs_.emplace().Describe(outputs, count);
  }
  // The node has ended; its outputs are in the step.
  void End(const Program& program, const ProgramNode& node, Step* step) {
    if (trace_ != nullptr) [[unlikely]]
      trace_->Add(program, node, step, begin_, std::exchange(WaitOfThread(), 0), &memory_, ready_ns_);
  }
  // The node has ended; its outputs are the executor's (SeeOutputs).
  void End(const Program& program, const ProgramNode& node) {
    if (trace_ != nullptr) [[unlikely]]
      trace_->AddNode(program, node, outputs_.value_or(TracedOutputs()), begin_, trace_->Now(),
                      std::exchange(WaitOfThread(), 0), &memory_, ready_ns_);
  }
  // Nanoseconds for which this thread has waited for the asynchronous kernel of its current node.
  static std::int64_t& WaitOfThread() {
    static thread_local std::int64_t wait_ns = 0;
    return wait_ns;
  }

 private:
  TraceCollector* const trace_;
  std::int64_t begin_ = 0, ready_ns_ = -1;
  std::optional<TracedOutputs> outputs_;  // empty without a trace: its shape takes time to make
  MemoryRecord memory_;
};

// Appends " [node 'dense/MatMul', CPU:0]", one for each call that the error leaves. Of many the innermost eight and the
// outermost stay, with " [... 990 calls ...]" between them.
TENON_DETAIL_COLD inline Status WithNodeAppended(const Status& status, std::string_view at) {
  constexpr std::string_view kNode = " [node '", kMore = " [... ", kCalls = " calls ...]";
  constexpr std::size_t kInnermost = 8;
  const std::string_view text = status.message();
  const std::size_t last = text.rfind(kNode);
  if (last == text.npos || text.find(']', last) != text.size() - 1) return status.WithAppended(at);
  std::size_t begin = 0, left_out = 0;
  if (text.substr(0, last).ends_with(kCalls)) {
    const std::size_t more = text.rfind(kMore, last), number = more + kMore.size();
    if (more == text.npos || !ParseInt(text.substr(number, last - kCalls.size() - number), &left_out))
      return status.WithAppended(at);
    begin = more;
    ++left_out;
  } else {
    std::size_t count = 0;
    for (std::size_t i = text.find(kNode); i != text.npos; i = text.find(kNode, i + 1))
      if (count++ == kInnermost) begin = i;
    if (count < kInnermost + 3) return status.WithAppended(at);
    left_out = count - kInnermost;
  }
  return Status(status.code(), StrCat(text.substr(0, begin), kMore, left_out, kCalls, at));
}

// Makes "MatMul: ... [node 'dense/MatMul', CPU:0]". Unavailable is for transports; from any other op it becomes
// Internal, as in TensorFlow, so that callers do not take it for a lost connection.
TENON_DETAIL_COLD inline Status AtNode(const Status& status, const Program& program, const ProgramNode& node) noexcept {
  const Device* device = node.on_host ? program.host : program.device;
  std::string at;
  if (!Succeeds([&] { at = StrCat(" [node '", node.node->name(), "', ", device->short_name(), "]"); })) return status;
  if (status.code() != Code::kUnavailable || node.node->op->flags.is_distributed_communication)
    return WithNodeAppended(status, at);
  return errors::Internal(status.message(), "\nExecuting non-communication op <", node.node->name(),
                          "> originally returned UnavailableError, and was replaced by InternalError to avoid "
                          "invoking TF network error handling logic.",
                          at);
}

// True if the run was cancelled: executors look before every node.
TENON_DETAIL_ALWAYS_INLINE bool IsCancelled(const CancellationManager* cancellation) {
  return cancellation != nullptr && cancellation->IsCancelled();
}
inline CancellationManager* CancellationOf(const Step& step) {
  return step.services() == nullptr ? nullptr : step.services()->cancellation;
}
TENON_DETAIL_COLD inline Status RunCancelled() { return errors::Cancelled("Run call was cancelled"); }
TENON_DETAIL_COLD inline Status LoopCancelled() { return errors::Cancelled("Loop execution was cancelled."); }

TENON_DETAIL_COLD inline Status BadOutput(const ProgramNode& node, int i, const Tensor& got) {
  if (got.dtype() == DataType::kInvalid)
    return errors::Internal("Missing ", i, "-th output from {{node ", node.node->name(), "}}: the kernel of op '",
                            node.node->op_name(), "' returned without setting it");
  return errors::Internal("Output ", i, " of type ", got.dtype(), " does not match declared output type ",
                          node.node->output_type(i), " for node {{node ", node.node->name(), "}}, op '",
                          node.node->op_name(), "'");
}

// Every output must be there and have its declared type and the shape that the op promises.
inline Status CheckOutputs(const ProgramNode& node, const OpKernelContext::NodeFrame& frame) {
  for (int i = 0; i < node.num_outputs; ++i)
    if (frame.outputs[i].dtype() != node.kernel->output_type(i)) [[unlikely]]
      return BadOutput(node, i, frame.outputs[i]);
  if (node.sizes_outputs) [[unlikely]]
    return CheckOutputShapes(frame);
  return OkStatus();
}

TENON_DETAIL_COLD inline Status CopyValue(const Program& program, const ProgramNode& node, const Tensor& value,
                                          Step* step, Tensor* to) {
  Tensor from = value;
  if (IsRefType(value.dtype())) TENON_RETURN_IF_ERROR(ReadReference(value, node.node->name(), &from));
  if (node.kind == ProgramNode::Kind::kToDevice) return program.device->CopyToDevice(from, step->cache(), to);
  return node.ends_later ? program.device->QueueCopyToHost(from, step->host_allocator(), to)
                         : program.device->CopyToHost(from, step->host_allocator(), to);
}

// Optional callback for the errors of a run. Called on any thread.
struct RunFailed {
  void (*call)(void* state, const Status& status) = nullptr;
  void* state = nullptr;
  void operator()(const Status& status) const {
    if (call != nullptr) call(state, status);
  }
};
// Waits for the end of a run. The caller may be a task of the pool that has the run's nodes queued: then another
// thread runs them, as soon as there is memory for it.
inline void WaitFor(const Notification& done) noexcept {
  if (done.HasBeenNotified()) return;
  ThreadPool::Waiting waiting;
  while (!waiting.IsReplaced()) {
    if (done.WaitForNotificationWithTimeout(1'000)) return;
  }
  done.WaitForNotification();
}
// Gives a task to the pool. False: the pool had no memory for it.
inline bool CanSchedule(ThreadPoolInterface* pool, void (*fn)(void*), void* arg) noexcept {
  return Succeeds([&] { pool->Schedule(fn, arg); });
}
TENON_DETAIL_COLD inline Status NotScheduled() noexcept {
  return errors::ResourceExhausted("The pool of threads has no memory for another task; the run has ended");
}
inline void WakeUp(void* notification) { static_cast<Notification*>(notification)->Notify(); }

// Faults of kernels after their end, for one executor. They make this run fail, or the next one. thread-safe.
class RunFaults final : public AsyncFaults {
 public:
  void CalledTwice(const Status& error) override {
    const SpinLockHolder lock(lock_);
    error_.Update(error);
  }
  Status Take() {
    const SpinLockHolder lock(lock_);
    return std::exchange(error_, OkStatus());
  }

 private:
  Status error_;
  SpinLock lock_;
};

// A fetched value that is dead is an error: InvalidArgument of a session's run, Internal of a function.
TENON_DETAIL_NOINLINE inline Status CheckFetches(const Program& program, Step* step, Code code) {
  for (std::size_t i = 0; i < program.fetches.size(); ++i) {
    const Program::Fetch& fetch = program.fetches[i];
    if (step->value(fetch.value).dtype() == DataType::kInvalid) [[unlikely]]
      return Status(
          code, StrCat("Retval[", i, "] does not have value: '", fetch.name, "' is in a branch that was not taken"));
  }
  return OkStatus();
}

// Runs the node's kernel to its end; waits for an asynchronous one.
inline void RunToEnd(const ProgramNode& node, OpKernelContext* context) {
  if (node.async == nullptr) [[likely]] {
    RunKernel(const_cast<OpKernel*>(node.kernel), context);
  } else {
    Notification done;
    const auto faults = Ref<RunFaults>::Adopt(new RunFaults);
    StartKernel(node.async, context, {&WakeUp, &done, faults.get()});
    const bool waits = context->track_allocations() && !done.HasBeenNotified();  // in a run with a trace
    const std::int64_t begin = waits ? SteadyNanoseconds() : 0;
    WaitFor(done);
    if (waits) NodeMeter::WaitOfThread() += SteadyNanoseconds() - begin;
    context->SetStatus(faults->Take());
  }
}
TENON_DETAIL_COLD inline void RunWithRefReads(const ProgramNode& node, const OpKernelContext::NodeFrame& frame,
                                              OpKernelContext* context) {
  RefReads reads;
  const Status status = reads.Read(frame);
  context->Enter(&reads.frame());
  if (!status.ok()) return context->SetStatus(status);
  RunToEnd(node, context);
}

// Runs a kernel to its end on this thread.
inline Status RunKernelOf(const ProgramNode& node, const OpKernelContext::NodeFrame& frame, OpKernelContext* context) {
  if (!node.reads_references) [[likely]] {
    context->Enter(&frame);
    RunToEnd(node, context);
  } else {
    RunWithRefReads(node, frame, context);
  }
  if (!context->status().ok()) [[unlikely]]
    return context->TakeStatus();
  return CheckOutputs(node, frame);
}

// Runs a node to its end on this thread.
inline Status RunNode(const Program& program, int number, Step* step, OpKernelContext* context) {
  const ProgramNode& node = program.nodes[static_cast<std::size_t>(number)];
  Status status;
  if (node.kind == ProgramNode::Kind::kKernel) [[likely]] {
    OpKernelContext::NodeFrame room;
    status = RunKernelOf(node, step->FrameFor(number, &room), context);
  } else if (node.kind != ProgramNode::Kind::kNothing) {
    status = CopyValue(program, node, step->value(program.inputs[static_cast<std::size_t>(node.first_input)]), step,
                       &step->value(node.first_output));
  }
  if (!status.ok()) [[unlikely]]
    return AtNode(status, program, node);
  return status;
}

}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END
