// SPDX-License-Identifier: Apache-2.0
#pragma once
// WaitedResource: the base of resources that ops wait for - staging areas, accumulators, barriers, mutexes. An
// attempt that cannot be served yet waits without a thread and can be cancelled.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/resource_mgr.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// thread-safe. A derived class guards its state with `mutex` and changes it in attempts and in Change().
class WaitedResource : public Resource {
 public:
  // The request of one run of an op to the resource.
  class Attempt {
   public:
    Attempt(OpKernelContext* c, Done d) : context(c), done_(std::move(d)) {}
    virtual ~Attempt() = default;
    // Under the resource's lock. True: the attempt is over, *status says how; false: it waits for a change.
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
      const std::int64_t number = attempt->number_ = next_number_++;
      waiting_.push_back(std::move(attempt));
      ServeLocked(&finished);
      if (!waiting_.empty() && waiting_.back()->number_ == number) RegisterLast(&finished);
    }
    Report(std::move(finished));
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
    Report(std::move(finished));
  }

 private:
  using Attempts = SlimVector<Owned<Attempt>>;

  void ServeLocked(Attempts* finished) {
    std::uint32_t blocked = 0;
    for (std::size_t i = 0; i < waiting_.size();) {
      Attempt& attempt = *waiting_[i];
      if ((attempt.line & blocked) != 0 || !attempt.Try(&attempt.result_)) {
        blocked |= attempt.line;
        ++i;
        continue;
      }
      finished->push_back(TakeOut(i));
      i = 0;  // it may have made room for one before it
      blocked = 0;
    }
  }
  Owned<Attempt> TakeOut(std::size_t i) {
    Owned<Attempt> attempt = std::move(waiting_[i]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    return attempt;
  }
  // Makes the last waiting attempt cancellable. Ends it at once if its run has been cancelled already.
  void RegisterLast(Attempts* finished) {
    Attempt& attempt = *waiting_.back();
    CancellationManager* const cancellation = attempt.context->cancellation_manager();
    if (cancellation == nullptr) return;
    attempt.token_ = cancellation->NewToken();
    if (cancellation->Register(attempt.token_, [self = Ref<WaitedResource>::Share(this), number = attempt.number_] {
          self->Cancel(number);
        })) {
      attempt.cancellation_ = cancellation;
      return;
    }
    attempt.result_ = attempt.Cancelled();
    finished->push_back(TakeOut(waiting_.size() - 1));
  }
  void Cancel(std::int64_t number) {
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex);
      for (std::size_t i = 0; i < waiting_.size(); ++i) {
        if (waiting_[i]->number_ != number) continue;
        waiting_[i]->result_ = waiting_[i]->Cancelled();
        finished.push_back(TakeOut(i));
        break;
      }
      ServeLocked(&finished);  // attempts behind it in its line
    }
    Report(std::move(finished));
  }
  static void Report(Attempts finished) {
    for (Owned<Attempt>& attempt : finished) {
      if (attempt->cancellation_ != nullptr) (void)attempt->cancellation_->TryDeregister(attempt->token_);
      if (attempt->result_.ok()) attempt->result_ = attempt->Deliver();
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
