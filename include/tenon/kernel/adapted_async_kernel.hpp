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
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

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
    static constexpr Done::Watch kWatch{&DoneCallback::Again, &DoneCallback::Release};
    Owned<PendingCall> made(new PendingCall{{&kWatch, nullptr}, std::move(done), nullptr});
    InlinedVector<AnyView, 8> own_views;
    if (core_.keeps_arguments())
      made->arguments = MakeOwned<Arguments>(core_);
    else
      own_views.resize(ToSize(core_.view_count()));
    PendingCall* const call = made.get();
    AnyView* const views = call->arguments == nullptr ? own_views.data() : call->arguments->views.data();
    if (Status status = core_.Prepare(ctx, views); !status.ok()) return End(made.release(), std::move(status));
    detail::KernelCall frame =
        core_.Frame(ctx, views, call->arguments == nullptr ? nullptr : call->arguments->late.data());
    if (core_.takes_spans()) core_.FillSpans(ctx, &call->arguments->spans, &frame);
    frame.done = &Finish;
    frame.done_state = made.release();
    call->watched = call->done.Share();  // the Done has it
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
  // Memory that parameters point to until Done is called.
  struct Arguments {
    explicit Arguments(const detail::AdaptedCore& core)
        : views(ToSize(core.view_count())), late(ToSize(core.argument_count())) {}
    SlimVector<AnyView> views;
    SlimVector<detail::LateSlot> late;
    detail::SpanStorage spans;
  };
  struct PendingCall : detail::DoneState {
    DoneCallback done;
    Owned<Arguments> arguments;  // null: the kernel takes no lists and no Late
  };
  // A call that is in operator() on this thread. When that throws, its Done goes first, and must not end the call.
  struct Starting {
    const PendingCall* call;
    bool dropped;
    Starting* outer;
  };
#if defined(__cpp_exceptions)
  static inline thread_local Starting* starting_ = nullptr;
  static bool IsThrown(const PendingCall* call, const Status& status) {
    if (starting_ == nullptr || starting_->call != call || std::uncaught_exceptions() == 0) return false;
    return starting_->dropped = status.message() == Done::kDropped;
  }
#else
  static bool IsThrown(const PendingCall*, const Status&) { return false; }
#endif
  static void Finish(void* state, Status status) {
    End(static_cast<PendingCall*>(static_cast<detail::DoneState*>(state)), std::move(status));
  }
  static void End(PendingCall* call, Status status) {
    if (!status.ok()) [[unlikely]]
      return EndWithError(call, status);
    const DoneCallback done = std::move(call->done);
    delete call;
    done();
  }
  // A kernel that handed its Done on and threw has ended its call: the context may be gone, and only `done` knows.
  TENON_DETAIL_COLD static void EndWithError(PendingCall* call, const Status& status) {
    if (IsThrown(call, status)) return;
    const bool dropped = status.message() == Done::kDropped;
    const DoneCallback done = std::move(call->done);
    delete call;
    if (!done.EndWith(dropped ? errors::Internal(done.op(), ": ", Done::kDropped) : status) && !dropped) done();
  }

  detail::AdaptedCore core_;
};

TENON_DETAIL_NAMESPACE_END
