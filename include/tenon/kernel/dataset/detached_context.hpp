// SPDX-License-Identifier: Apache-2.0
#pragma once
// DetachedContext: what iterators need to go on outside of runs: on a thread of their own, or when they are destroyed.

#include <atomic>
#include <cstdint>

#include <tenon/base/refcount.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/function_lease.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/kernel/step_environment.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A run without a caller. It is used within Call only, while the session is there. The cancellation may be used by any
// thread; the rest is externally synchronised.
class DetachedContext {
 public:
  // `context` is that of a run of a session.
  explicit DetachedContext(const IteratorContext& context)
      : lease_(Ref<FunctionLease>::Share(context.functions()->lease())),
        cancellation_(lease_ ? lease_->cancellation() : nullptr),
        constants_(*context.environment().constants),
        environment_(context.environment()),
        statistics_(context.statistics()) {
    environment_.constants = &constants_;
    environment_.services = &services_;
    environment_.step_id = NextStep();
    environment_.frame_id = 0;
    environment_.iteration = 0;
    environment_.call_depth = 0;
    services_.resources = context.functions()->resources();
    services_.cancellation = &cancellation_;
  }
  // Whether a context of these functions can outlive its run.
  static bool IsPossible(const IteratorContext& context) {
    return context.functions() != nullptr && context.functions()->lease() != nullptr &&
           context.functions()->resources() != nullptr;
  }
  CancellationManager* cancellation() { return &cancellation_; }

  // Runs call(context) -> Status. Cancelled: the session is gone.
  template <class F>
  Status Call(const F& call) {
    const LeasedFunctions functions(lease_.get());
    if (functions.get() == nullptr) return errors::Cancelled("The session of an iterator is closed");
    StepContainer container(services_.resources, environment_.step_id);
    services_.step_container = &container;
    IteratorContext context(environment_);
    context.set_statistics(statistics_);
    Status status = call(context);
    services_.step_container = nullptr;
    return status;
  }

 private:
  // Numbers that no run of a session has.
  static std::int64_t NextStep() {
    static std::atomic<std::int64_t> next{-2};
    return next.fetch_sub(1, std::memory_order_relaxed);
  }

  const Ref<FunctionLease> lease_;
  CancellationManager cancellation_;  // goes before the lease, whose child it is
  const StepConstants constants_;
  StepEnvironment environment_;
  const IteratorStatistics* const statistics_;
  RunServices services_;
};

TENON_DETAIL_NAMESPACE_END
