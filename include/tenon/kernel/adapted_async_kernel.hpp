// SPDX-License-Identifier: Apache-2.0
#pragma once
// AdaptedAsyncKernel: a user's kernel struct that ends later, as an AsyncOpKernel. Thousands of calls may wait: each
// keeps no more than its parameters point to.

#include <exception>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

// A user's kernel struct whose operator() takes a Done, as an AsyncOpKernel.
class AdaptedAsyncKernel final : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  Status Build(const KernelRow& row, OpKernelConstruction* construction) {
    TENON_RETURN_IF_ERROR(core_.Build(row, construction));
    core_.HostArguments(
        *construction, [this](int i) { set_input_memory_type(i, MemoryType::kHost); },
        [this](int i) { set_output_memory_type(i, MemoryType::kHost); });
    return OkStatus();
  }

  void ComputeAsync(OpKernelContext* ctx, DoneCallback done) override {
    Call* const call = done.call_;
    ViewArguments* arguments = nullptr;
    InlinedVector<AnyView, 8> own_views;
    if (core_.keeps_arguments())
      call->arguments_.reset(arguments = new ViewArguments(core_));
    else
      own_views.resize(ToSize(core_.view_count()));
    AnyView* const views = arguments == nullptr ? own_views.data() : arguments->views.data();
    if (Status status = core_.Prepare(ctx, views); !status.ok()) return End(call, std::move(status));
    detail::KernelCall frame = core_.Frame(ctx, views, arguments == nullptr ? nullptr : arguments->late.data());
    if (core_.takes_spans()) core_.FillSpans(ctx, &arguments->spans, &frame);
    DoneCallback held = Hold(call);
    frame.done = &kDone;
    frame.done_state = std::exchange(held.call_, nullptr);  // the Done has it
#if defined(__cpp_exceptions)
    Starting starting{call, false, std::exchange(starting_, &starting)};
    try {
      (void)core_.Call(frame);
    } catch (...) {
      starting_ = starting.outer;
      if (!starting.dropped) throw;
      return End(
          call, detail::StatusOfException({"the kernel of op '", type_string(), "' threw out of node '", name(), "'"}));
    }
    starting_ = starting.outer;
#else
    (void)core_.Call(frame);  // errors go through Done
#endif
  }

 private:
  struct ViewArguments final : Call::Arguments {
    explicit ViewArguments(const detail::AdaptedCore& core)
        : views(ToSize(core.view_count())), late(ToSize(core.argument_count())) {}
    SlimVector<AnyView> views;
    SlimVector<detail::LateSlot> late;
    detail::SpanStorage spans;
  };
  // A call that is in operator() on this thread. When that throws, its Done goes first, and must not end the call.
  struct Starting {
    const Call* call;
    bool dropped;
    Starting* outer;
  };
#if defined(__cpp_exceptions)
  static inline thread_local Starting* starting_ = nullptr;
  static bool IsThrown(const Call* call, const Status& status) {
    if (starting_ == nullptr || starting_->call != call || std::uncaught_exceptions() == 0) return false;
    return starting_->dropped = status.message() == Done::kDropped;
  }
#else
  static bool IsThrown(const Call*, const Status&) { return false; }
#endif
  // The functions of a Done, which holds the call. Its end may be the end of the Done.
  static DoneCallback Hold(void* call) {
    static_cast<Call*>(call)->holders_.fetch_add(1, std::memory_order_relaxed);
    return DoneCallback(static_cast<Call*>(call));
  }
  static void Again(void* call, Status) { Hold(call).CalledTwice(); }
  static void Release(void* call) { const DoneCallback last(static_cast<Call*>(call)); }
  static void End(void* call, Status status) {
    const DoneCallback done = Hold(call);
    if (!status.ok()) [[unlikely]]
      return EndWithError(done, status);
    done.call_->arguments_ = nullptr;
    done();
  }
  // A kernel that handed its Done on and threw has ended its call: the context may be gone, and only `done` knows.
  TENON_DETAIL_COLD static void EndWithError(const DoneCallback& done, const Status& status) {
    Call* const call = done.call_;
    if (IsThrown(call, status)) return;
    const bool dropped = status.message() == Done::kDropped;
    call->arguments_ = nullptr;
    if (!done.EndWith(dropped ? errors::Internal(call->label_->op, ": ", Done::kDropped) : status) && !dropped) done();
  }

  static const Done::Functions kDone, kDoneEnded;

  detail::AdaptedCore core_;
};
inline constexpr Done::Functions AdaptedAsyncKernel::kDone{&End, &kDoneEnded, &Release};
inline constexpr Done::Functions AdaptedAsyncKernel::kDoneEnded{&Again, &kDoneEnded, &Release};

TENON_DETAIL_STEP_NAMESPACE_END
