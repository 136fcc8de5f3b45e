// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorQueue: the resource behind the queue ops. An attempt that cannot be served yet waits without a thread.
// Attempts of each kind are served in the order in which they came.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/random/philox.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/ops/queue/attempt_list.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

enum class QueueKind : std::uint8_t { kFifo, kPadding, kShuffle, kPriority };

// thread-safe. Done callbacks run without the queue's lock, on the thread whose call made them possible.
class TensorQueue final : public Resource {
 public:
  static constexpr std::string_view kTypeName = "tensorflow::QueueInterface";

  using Row = SlimVector<Tensor>;  // one tensor per component
  struct Options {
    QueueKind kind = QueueKind::kFifo;
    std::string name;
    SlimVector<DataType> types;
    SlimVector<PartialTensorShape> shapes;  // none: any
    Index capacity = -1;                    // negative: no limit
    Index min_after_dequeue = 0;            // kShuffle: elements that stay while the queue is open
    std::uint64_t seed = 0, seed2 = 0;
  };
  // Takes the rows that a dequeue got and reports the end of the op. The queue keeps the state of the call in it, too:
  // thousands of calls may wait.
  class Receiver : public CancellationManager::Waiter, public AttemptList<Receiver, Ref<Receiver>>::Link {
   public:
    // `queue` lives until the return, or the call of a Done.
    virtual void Finish(const TensorQueue& queue, const Status& status, SlimVector<Row> rows) = 0;

   private:
    friend class TensorQueue;
    enum Kind : std::uint8_t { kEnqueue, kDequeue, kClose };
    void OnCancel() override { queue_->Cancel(this); }
    void OnRemove() override { queue_ = {}; }

    Ref<TensorQueue> queue_;  // null: not registered at a manager
    CancellationManager* cancellation_ = nullptr;
    SlimVector<Row> rows_;  // to put, or got so far
    Index count_ = 0;  // rows put so far, or wanted
    Status status_;
    Kind kind_ = kEnqueue;
    bool up_to_ = false;
  };

  explicit TensorQueue(Options options)
      : options_(std::move(options)), random_(Philox::FromSeeds(options_.seed, options_.seed2)) {}
  std::string DebugString() const override { return StrCat(kind_name(), " '", options_.name, "'"); }
  const Options& options() const { return options_; }
  std::string_view kind_name() const {
    constexpr std::string_view kNames[] = {"FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue", "PriorityQueue"};
    return kNames[static_cast<std::size_t>(options_.kind)];
  }
  Index Size() const {
    const tenon::MutexLock lock(mutex_);
    return Count(rows_);
  }
  bool IsClosed() const {
    const tenon::MutexLock lock(mutex_);
    return closed_;
  }

  // Adds the rows, one after the other as there is room. Cancelled when the queue is closed.
  void Enqueue(SlimVector<Row> rows, CancellationManager* cancellation, Ref<Receiver> receiver) {
    receiver->rows_ = std::move(rows);
    Start(Attempt::kEnqueue, std::move(receiver), cancellation);
  }
  // Takes `count` rows. OutOfRange when the queue is closed and has fewer. With `up_to` the rows that are left will do,
  // except in a priority queue.
  void Dequeue(Index count, bool up_to, CancellationManager* cancellation, Ref<Receiver> receiver) {
    receiver->count_ = count;
    receiver->up_to_ = up_to;
    Start(Attempt::kDequeue, std::move(receiver), cancellation);
  }
  // After the enqueues that wait now, which may be cancelled instead. Cancelled when the queue was closed before.
  void Close(bool cancel_pending, CancellationManager* cancellation, Ref<Receiver> receiver) {
    if (!cancel_pending) return Start(Attempt::kClose, std::move(receiver), cancellation);
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex_);
      closed_ = true;
      while (enqueues_.first() != nullptr) {
        Ref<Attempt> attempt = enqueues_.TakeFirst();
        if (attempt->kind_ == Attempt::kEnqueue)
          attempt->status_ = errors::Cancelled("Enqueue operation was cancelled");
        finished.Add(std::move(attempt));
      }
      ServeLocked(&finished);
    }
    Report(&finished);
    receiver->Finish(*this, OkStatus(), {});
  }

 private:
  using Attempt = Receiver;
  using Attempts = AttemptList<Attempt, Ref<Attempt>>;

  template <class List>
  static Index Count(const List& list) {
    return static_cast<Index>(list.size());
  }
  void Start(Attempt::Kind kind, Ref<Attempt> attempt, CancellationManager* cancellation) {
    Attempts finished;
    attempt->kind_ = kind;
    {
      const tenon::MutexLock lock(mutex_);
      bool live = true;
      if (cancellation != nullptr) {
        attempt->queue_ = Ref<TensorQueue>::Share(this);
        attempt->cancellation_ = cancellation;
        live = cancellation->AddWaiter(attempt.get());
      }
      if (!live) {
        attempt->queue_ = {};
        attempt->cancellation_ = nullptr;
        attempt->status_ = Cancelled(*attempt);
        finished.Add(std::move(attempt));
      } else {
        (kind == Attempt::kDequeue ? dequeues_ : enqueues_).Add(std::move(attempt));
        ServeLocked(&finished);
      }
    }
    Report(&finished);
  }
  void Cancel(const Attempt* cancelled) {
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex_);
      for (Attempts* list : {&enqueues_, &dequeues_}) {
        Ref<Attempt> attempt = list->TakeIf([cancelled](const Attempt& a) { return &a == cancelled; });
        if (!attempt) continue;
        attempt->status_ = Cancelled(*attempt);
        if (attempt->kind_ == Attempt::kDequeue) GiveBack(attempt.get());
        finished.Add(std::move(attempt));
      }
      ServeLocked(&finished);
    }
    Report(&finished);
  }
  static Status Cancelled(const Attempt& attempt) {
    return attempt.kind_ == Attempt::kEnqueue   ? errors::Cancelled("Enqueue operation was cancelled")
           : attempt.kind_ == Attempt::kDequeue ? errors::Cancelled("Dequeue operation was cancelled")
                                                : errors::Cancelled("Close operation was cancelled");
  }
  void Report(Attempts* finished) const {
    while (finished->first() != nullptr) {
      const Ref<Attempt> attempt = finished->TakeFirst();
      if (attempt->cancellation_ != nullptr) (void)attempt->cancellation_->TryRemoveWaiter(attempt.get());
      attempt->Finish(*this, attempt->status_,
                      attempt->kind_ == Attempt::kDequeue ? std::move(attempt->rows_) : SlimVector<Row>());
    }
  }

  // Serves all attempts that it can, until nothing moves.
  void ServeLocked(Attempts* finished) {
    for (bool moved = true; moved;) {
      moved = ServeFirst(&enqueues_, finished);
      if (ServeFirst(&dequeues_, finished)) moved = true;
    }
  }
  // Rows put or got so far.
  static Index Done(const Attempt& attempt) {
    return attempt.kind_ == Attempt::kDequeue ? Count(attempt.rows_) : attempt.count_;
  }
  // The first of a kind: true when something changed.
  bool ServeFirst(Attempts* waiting, Attempts* finished) {
    if (waiting->first() == nullptr) return false;
    Attempt& attempt = *waiting->first();
    const Index before = Done(attempt);
    bool over = true;
    const Status served = tenon::detail::CatchAll("a queue", [&] {
      over = attempt.kind_ == Attempt::kEnqueue   ? ServeEnqueue(&attempt)
             : attempt.kind_ == Attempt::kDequeue ? ServeDequeue(&attempt)
                                                  : ServeClose(&attempt);
      return OkStatus();
    });
    if (!served.ok()) [[unlikely]] {  // no memory for a row
      over = true;
      attempt.status_ = served;
      if (attempt.kind_ == Attempt::kDequeue) GiveBack(&attempt);
    }
    if (!over) return Done(attempt) != before;
    finished->Add(waiting->TakeFirst());
    return true;
  }
  bool ServeEnqueue(Attempt* attempt) {
    if (closed_) {
      attempt->status_ = errors::Cancelled(kind_name(), " '", options_.name, "' is closed.");
      return true;
    }
    while (attempt->count_ < Count(attempt->rows_) && (options_.capacity < 0 || Count(rows_) < options_.capacity))
      Put(std::move(attempt->rows_[static_cast<std::size_t>(attempt->count_++)]));
    return attempt->count_ == Count(attempt->rows_);
  }
  bool ServeDequeue(Attempt* attempt) {
    const Index stay = closed_ ? 0 : options_.min_after_dequeue;
    if (closed_ && Count(rows_) < attempt->count_ - Count(attempt->rows_)) {
      const bool priority = options_.kind == QueueKind::kPriority;
      if (attempt->up_to_ && !priority && Count(rows_) + Count(attempt->rows_) > 0) {
        attempt->count_ = Count(attempt->rows_) + Count(rows_);
      } else {
        if (attempt->up_to_ && priority) {  // TensorFlow's priority queue takes these rows, fails and loses them
          rows_.clear();
          attempt->rows_.clear();
        } else {
          GiveBack(attempt);
        }
        attempt->status_ = errors::OutOfRange(kind_name(), " '", options_.name,
                                              "' is closed and has insufficient elements (requested ", attempt->count_,
                                              ", current size ", rows_.size(), ")");
        return true;
      }
    }
    while (Count(attempt->rows_) < attempt->count_ && Count(rows_) > stay) {
      if (attempt->rows_.size() == attempt->rows_.capacity())
        attempt->rows_.reserve(2 * attempt->rows_.size() + 1);  // before a row leaves the queue
      attempt->rows_.push_back(Take());
    }
    return Count(attempt->rows_) == attempt->count_;
  }
  bool ServeClose(Attempt* attempt) {
    if (closed_) attempt->status_ = errors::Cancelled("Queue '", options_.name, "' is already closed.");
    closed_ = true;
    return true;
  }
  // Puts the rows of an attempt back at the front, in their order. A shuffled queue has no order. Without memory for
  // that they are lost, and the log says so.
  void GiveBack(Attempt* attempt) {
    tenon::detail::CallAndLog("giving rows back to a queue", [&] {
      for (std::size_t i = attempt->rows_.size(); i-- > 0;) {
        if (options_.kind == QueueKind::kPriority || options_.kind == QueueKind::kShuffle)
          Put(std::move(attempt->rows_[i]));
        else
          rows_.insert(rows_.begin(), std::move(attempt->rows_[i]));
      }
    });
    attempt->rows_.clear();
  }

  // Any of several rows with one priority may be first. A heap makes it the row that TensorFlow takes.
  static bool After(const Row& a, const Row& b) { return *a[0].data<std::int64_t>() > *b[0].data<std::int64_t>(); }
  void Put(Row row) {
    rows_.push_back(std::move(row));
    if (options_.kind == QueueKind::kPriority) std::push_heap(rows_.begin(), rows_.end(), After);
  }
  Row Take() {
    if (options_.kind == QueueKind::kPriority) {
      std::pop_heap(rows_.begin(), rows_.end(), After);
      Row row = std::move(rows_.back());
      rows_.pop_back();
      return row;
    }
    if (options_.kind != QueueKind::kShuffle) {
      Row row = std::move(rows_.front());
      rows_.erase(rows_.begin());
      return row;
    }
    const std::size_t at = random_.Next() % rows_.size();  // the last row takes its place, as in TensorFlow
    Row row = std::exchange(rows_[at], std::move(rows_.back()));
    rows_.pop_back();
    return row;
  }

  mutable Mutex mutex_;
  const Options options_;
  SlimVector<Row> rows_;
  Attempts enqueues_, dequeues_;  // waiting attempts; closing waits among the enqueues
  bool closed_ = false;
  PhiloxWords random_;
};

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
