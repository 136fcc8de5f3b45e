// SPDX-License-Identifier: Apache-2.0
#pragma once
// WaitedResource: the base of resources that ops wait for - staging areas, accumulators, barriers, mutexes. An
// attempt that cannot be served yet waits without a thread and can be cancelled.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/ops/queue/attempt_list.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// thread-safe. A derived class guards its state with `mutex` and changes it in attempts and in Change().
class WaitedResource : public Resource {
 public:
  // The request of one run of an op to the resource.
  class Attempt : public AttemptList<Attempt>::Link {
   public:
    Attempt(OpKernelContext* c, Done d) : context(c), done_(std::move(d)) {}
    virtual ~Attempt() = default;
    // Under the resource's lock. True: the attempt is over, *status says how; false: it waits for a change. An attempt
    // that throws, without memory, is over, too.
    virtual bool Try(Status* status) = 0;
    // Afterwards, without the lock and only when Try left an OK status: sets the outputs.
    virtual Status Deliver() { return OkStatus(); }
    virtual Status Cancelled() const {
      return errors::Cancelled(context->op_kernel().type_string(), " operation was cancelled");
    }

    OpKernelContext* const context;
    // Attempts with a bit in common are served in the order in which they came.
    std::uint32_t line = 0;

   private:
    friend class WaitedResource;
    Done done_;
    Status result_;
    std::int64_t number_ = 0;
    CancellationManager* cancellation_ = nullptr;  // null: not registered there
    CancellationManager::Token token_ = 0;
  };

  // Serves the attempt now, or after the change that makes it possible. Reports its end through its Done.
  void Start(Owned<Attempt> attempt) {
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex);
      attempt->number_ = next_number_++;
      Attempt* const added = attempt.get();
      waiting_.Add(std::move(attempt));
      ServeLocked(&finished);
      if (waiting_.last() == added) RegisterLast(&finished);
    }
    Report(&finished);
  }

  mutable Mutex mutex;

 protected:
  // Runs change() under the lock, then serves the attempts that waited for it.
  template <class F>
  void Change(const F& change) {
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex);
      change();
      ServeLocked(&finished);
    }
    Report(&finished);
  }

 private:
  using Attempts = AttemptList<Attempt>;

  void ServeLocked(Attempts* finished) {
    std::uint32_t blocked = 0;
    Attempt* before = nullptr;
    for (Attempt* attempt = waiting_.first(); attempt != nullptr;) {
      if ((attempt->line & blocked) != 0 || !IsOver(attempt)) {
        blocked |= attempt->line;
        before = std::exchange(attempt, Attempts::Next(attempt));
        continue;
      }
      finished->Add(waiting_.TakeBehind(before));
      before = nullptr;  // it may have made room for one before it
      attempt = waiting_.first();
      blocked = 0;
    }
  }
  static bool IsOver(Attempt* attempt) {
    bool over = true;
    const Status tried = tenon::detail::CatchAll("an op that waits", [&] {
      over = attempt->Try(&attempt->result_);
      return OkStatus();
    });
    if (tried.ok()) [[likely]]
      return over;
    attempt->result_ = tried;
    return true;
  }
  Owned<Attempt> Take(std::int64_t number) {
    return waiting_.TakeIf([number](const Attempt& attempt) { return attempt.number_ == number; });
  }
  // Makes the last waiting attempt cancellable. Ends it at once if its run has been cancelled already.
  void RegisterLast(Attempts* finished) {
    Attempt& attempt = *waiting_.last();
    CancellationManager* const cancellation = attempt.context->cancellation_manager();
    if (cancellation == nullptr) return;
    attempt.token_ = cancellation->NewToken();
    bool live = false;
    const Status registered = tenon::detail::CatchAll("an op that waits", [&] {
      live = cancellation->Register(attempt.token_, [self = Ref<WaitedResource>::Share(this),
                                                     number = attempt.number_] { self->Cancel(number); });
      return OkStatus();
    });
    if (live) {
      attempt.cancellation_ = cancellation;
      return;
    }
    attempt.result_ = attempt.Cancelled();
    attempt.result_ = registered.ok() ? attempt.result_ : registered;
    finished->Add(Take(attempt.number_));
  }
  void Cancel(std::int64_t number) {
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex);
      if (Owned<Attempt> attempt = Take(number); attempt != nullptr) {
        attempt->result_ = attempt->Cancelled();
        finished.Add(std::move(attempt));
      }
      ServeLocked(&finished);  // attempts behind it in its line
    }
    Report(&finished);
  }
  static void Report(Attempts* finished) {
    while (finished->first() != nullptr) {
      Owned<Attempt> attempt = finished->TakeFirst();
      if (attempt->cancellation_ != nullptr) (void)attempt->cancellation_->TryDeregister(attempt->token_);
      if (attempt->result_.ok())
        attempt->result_ = tenon::detail::CatchAll("an op that waited", [&] { return attempt->Deliver(); });
      Done done = std::move(attempt->done_);
      const Status status = attempt->result_;
      attempt = nullptr;  // its members go before the op ends
      done(status);
    }
  }

  Attempts waiting_;  // in the order in which they came
  std::int64_t next_number_ = 0;
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
