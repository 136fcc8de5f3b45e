// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpKernel: the one thing an executor knows how to run. Op structs become kernels through kernel/adapter.hpp; a class
// derived from OpKernel is the raw form, with TensorFlow's own members.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/span.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

class OpKernel;
class OpKernelContext;
class AsyncOpKernel;
class AdaptedAsyncKernel;
struct KernelMatch;
namespace detail {
class AdaptedCore;
class CallOfFunction;
Status PlaceInHostMemory(OpKernel* kernel, const KernelMatch& match);
void PlaceAsNodeSays(OpKernel* kernel);
}  // namespace detail

enum class MemoryType : std::uint8_t { kDevice = 0, kHost = 1 };

// The computation of a node, with TensorFlow's names. A session makes one for each node. thread-safe: Compute runs on
// any number of threads at once, so it changes members only under a lock. A kernel lives as long as its session.
//
//   class Count : public OpKernel {
//    public:
//     explicit Count(OpKernelConstruction* c) : OpKernel(c) {}
//     void Compute(OpKernelContext* ctx) override {
//       Tensor* out = nullptr;
//       if (Status s = ctx->allocate_output(0, TensorShape{}, &out); !s.ok()) return ctx->SetStatus(s);
//       out->scalar<std::int64_t>()() = ctx->input(0).NumElements();
//     }
//   };
class OpKernel {
 public:
  // Derived classes take such a pointer, too; a failure goes into construction->SetStatus.
  explicit OpKernel(OpKernelConstruction* construction)
      : def_(&construction->def()),
        op_(&construction->op()),
        input_types_(construction->input_types()),
        output_types_(construction->output_types()) {
    memory_.reserve(input_types_.size() + output_types_.size());
    for (const Span<const DataType>& types : {input_types_, output_types_})
      for (const DataType type : types) memory_.push_back(AlwaysOnHost(type) ? MemoryType::kHost : MemoryType::kDevice);
  }
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;
  virtual ~OpKernel() = default;

  // Runs the node: reads ctx->input(i), and sets every output or a status.
  virtual void Compute(OpKernelContext* ctx) = 0;
  virtual AsyncOpKernel* AsAsync() { return nullptr; }  // null: not asynchronous
  // Returns whether the kernel takes long; an executor runs other kernels in place.
  virtual bool IsExpensive() const { return true; }
  // Returns whether the kernel works after its end (OpKernelContext::inc_num_deferred_ops_function).
  virtual bool is_deferred() const { return false; }
  // Returns the value of a node that always gives one tensor (Const), or null. Such a node is not run.
  virtual const Tensor* const_tensor() const { return nullptr; }
  // Returns the core of a synchronous kernel that was made from an op struct; null for other kernels.
  virtual const detail::AdaptedCore* adapted() const { return nullptr; }

  const NodeDef& def() const { return *def_; }  // the node
  const OpView& op() const { return *op_; }  // the op's description
  std::string_view name() const { return def_->name; }  // the node's name
  std::string_view type_string() const { return def_->op; }  // the op's name
  const std::string& requested_input(int i) const { return def_->input[static_cast<std::size_t>(i)]; }  // as in NodeDef
  const std::string& requested_device() const { return def_->device; }  // may be empty
  int num_inputs() const { return static_cast<int>(input_types_.size()); }  // number of input tensors
  int num_outputs() const { return static_cast<int>(output_types_.size()); }  // number of output tensors
  DataType input_type(int i) const { return input_types_[static_cast<std::size_t>(i)]; }  // not checked
  DataType output_type(int i) const { return output_types_[static_cast<std::size_t>(i)]; }  // not checked
  Span<const DataType> input_types() const { return input_types_; }  // one per input tensor
  Span<const DataType> output_types() const { return output_types_; }  // one per output tensor
  MemoryType input_memory_type(int i) const { return memory_[static_cast<std::size_t>(i)]; }  // not checked
  MemoryType output_memory_type(int i) const { return memory_[OutputSlot(i)]; }  // not checked
  // One per input tensor.
  Span<const MemoryType> input_memory_types() const { return {memory_.data(), input_types_.size()}; }
  // One per output tensor.
  Span<const MemoryType> output_memory_types() const { return {memory_.data() + OutputSlot(0), output_types_.size()}; }
  const PackedInput& packed_input() const { return packed_input_; }  // the input that is packed, if any
  // Returns the string that a trace shows of a call. Defined in <tenon/kernel/context_access.hpp>.
  std::string TraceString(const OpKernelContext& context, bool verbose) const;
  std::string ShapeTraceString(const OpKernelContext& context) const;  // "(float[2,3];int32[])"
  // Finds the tensors [*start, *stop) of an argument. InvalidArgument: the op has no such argument.
  Status InputRange(std::string_view name, int* start, int* stop) const {
    return Range(op_->inputs, "input", name, start, stop);
  }
  // As InputRange, for outputs.
  Status OutputRange(std::string_view name, int* start, int* stop) const {
    return Range(op_->outputs, "output", name, start, stop);
  }

 protected:
  void set_input_memory_type(int i, MemoryType type) { memory_[static_cast<std::size_t>(i)] = type; }
  void set_output_memory_type(int i, MemoryType type) { memory_[OutputSlot(i)] = type; }
  void set_packed_input(const PackedInput& packed) { packed_input_ = packed; }

 private:
  friend Status detail::PlaceInHostMemory(OpKernel* kernel, const KernelMatch& match);
  friend void detail::PlaceAsNodeSays(OpKernel* kernel);
  std::size_t OutputSlot(int i) const { return input_types_.size() + static_cast<std::size_t>(i); }
  Status Range(Span<const ArgSpec> arguments, std::string_view which, std::string_view name, int* start,
               int* stop) const {
    *stop = 0;
    for (const ArgSpec& argument : arguments) {
      *start = *stop;
      *stop += static_cast<int>(op_->ArgCount(argument, [this](const AttrSpec& attr, ArgAttrValue* value) {
        const AttrValue* const found = def_->attr.Find(attr.name());
        if (found == nullptr) return false;
        value->number = found->i();
        value->types = found->list().type;
        return true;
      }));
      if (argument.name() == name) return OkStatus();
    }
    return errors::InvalidArgument("Unknown ", which, " name: ", name);
  }

  const NodeDef* def_;
  const OpView* op_;
  Span<const DataType> input_types_, output_types_;  // the node's, which outlives the kernel
  InlinedVector<MemoryType, 8> memory_;  // one per input, then one per output
  PackedInput packed_input_;
};

// Hears of asynchronous kernels that call done twice, perhaps after the run has ended. thread-safe.
class AsyncFaults : public RefCounted {
 public:
  virtual void CalledTwice(const Status& error) = 0;
};

namespace detail {
// Names of an asynchronous kernel for errors that may come when the kernel is gone. immutable.
struct AsyncLabel final : RefCounted {
  explicit AsyncLabel(const OpKernel& kernel) : op(kernel.op().name), node(kernel.name()) {}
  const std::string_view op;
  const std::string node;
};
}  // namespace detail

// A kernel that may end after its call returned, because it waits for a queue, a device or another process.
// thread-safe, as OpKernel.
class AsyncOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;
  class Call;
  class DoneCallback;
  ~AsyncOpKernel() override {
    if (detail::AsyncLabel* const label = label_.load(std::memory_order_acquire)) (void)label->Unref();
  }
  // Calls `done` exactly once, on any thread, perhaps before it returns; the context is gone afterwards.
  virtual void ComputeAsync(OpKernelContext* ctx, DoneCallback done) = 0;
  // Waits for the end (executors call ComputeAsync).
  inline void Compute(OpKernelContext* ctx) override;
  AsyncOpKernel* AsAsync() final { return this; }

 private:
  friend class detail::CallOfFunction;
  // Made by the first call, and shared by all: thousands may wait.
  Ref<detail::AsyncLabel> label() const {
    detail::AsyncLabel* made = label_.load(std::memory_order_acquire);
    if (made != nullptr) return Ref<detail::AsyncLabel>::Share(made);
    auto mine = Ref<detail::AsyncLabel>::Adopt(new detail::AsyncLabel(*this));
    if (label_.compare_exchange_strong(made, mine.get(), std::memory_order_acq_rel)) made = mine.release();
    return Ref<detail::AsyncLabel>::Share(made);
  }
  mutable std::atomic<detail::AsyncLabel*> label_{nullptr};
};

// One call of an asynchronous kernel. Executors derive from it, so that a call that waits is one block of memory. The
// last holder of a DoneCallback deletes it, perhaps when the session is gone.
class AsyncOpKernel::Call {
 public:
  // Memory that the parameters of a kernel struct point to until the end.
  struct Arguments {
    virtual ~Arguments() = default;
  };
  // The calls of `kernel`, whose faults go to `faults`, which may be null.
  Call(const AsyncOpKernel& kernel, AsyncFaults* faults) : Call(kernel.label(), faults) {}
  Call(Ref<detail::AsyncLabel> label, AsyncFaults* faults)
      : label_(std::move(label)), faults_(Ref<AsyncFaults>::Share(faults)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;

 private:
  friend class DoneCallback;
  friend class AdaptedAsyncKernel;
  // Called once, when the kernel has ended. The context lives until then.
  virtual void End() = 0;
  virtual OpKernelContext* GetContext() = 0;  // not called after End

  std::atomic<std::uint32_t> holders_{1};
  std::atomic<bool> ended_{false};
  const Ref<detail::AsyncLabel> label_;
  const Ref<AsyncFaults> faults_;
  Owned<Arguments> arguments_;
};

// Says that an asynchronous kernel has ended. Copies are the same call: a second one is logged and told to `faults`
// (engines fail the run with it). When the last copy goes and none was called, the node ends with Internal.
// thread-safe.
class AsyncOpKernel::DoneCallback {
 public:
  // end(state) is called once. The context lives until then.
  DoneCallback(void (*end)(void* state), void* state, OpKernelContext* context,
               AsyncFaults* faults = nullptr);  // in kernel/context.hpp
  // Takes the call over.
  explicit DoneCallback(Call* call) : call_(call) {}
  DoneCallback(const DoneCallback& other) : call_(other.call_) {
    if (call_ != nullptr) call_->holders_.fetch_add(1, std::memory_order_relaxed);
  }
  DoneCallback(DoneCallback&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  DoneCallback& operator=(DoneCallback other) noexcept {
    std::swap(call_, other.call_);
    return *this;
  }
  ~DoneCallback() {
    if (call_ == nullptr || call_->holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (!call_->ended_.load(std::memory_order_relaxed)) [[unlikely]]
      Dropped();
    delete call_;
  }

  void operator()() const {
    if (call_ != nullptr && !call_->ended_.exchange(true, std::memory_order_acq_rel)) [[likely]]
      return call_->End();
    if (call_ != nullptr) CalledTwice();
  }
  // Ends the call with an error if it has not ended: false when it has.
  bool EndWith(const Status& error) const;
  bool ended() const { return call_->ended_.load(std::memory_order_acquire); }

 private:
  friend class AdaptedAsyncKernel;
  void Dropped() const;  // in kernel/context.hpp, as is EndWith
  TENON_DETAIL_COLD void CalledTwice() const {
    const detail::AsyncLabel& label = *call_->label_;  // the session may be gone
    const Status error = errors::Internal("the asynchronous kernel of op '", label.op, "', node '", label.node,
                                          "', called its done callback twice");
    TENON_LOG(kError, error.message(), "; the second call does nothing");
    if (call_->faults_) call_->faults_->CalledTwice(error);
  }

  Call* call_;
};

inline void AsyncOpKernel::Compute(OpKernelContext* ctx) {
  std::atomic<bool> ended{false};
  const auto wake = [](void* flag) {
    static_cast<std::atomic<bool>*>(flag)->store(true, std::memory_order_release);
    static_cast<std::atomic<bool>*>(flag)->notify_one();
  };
  ComputeAsync(ctx, DoneCallback(wake, &ended, ctx));
  ended.wait(false, std::memory_order_acquire);
}

TENON_DETAIL_STEP_NAMESPACE_END
