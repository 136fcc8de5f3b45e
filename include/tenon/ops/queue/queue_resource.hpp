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
  class Receiver : public AttemptList<Receiver>::Link {
   public:
    virtual ~Receiver() = default;
    virtual void Finish(const Status& status, SlimVector<Row> rows) = 0;

   private:
    friend class TensorQueue;
    enum Kind : std::uint8_t { kEnqueue, kDequeue, kClose };
    Index wanted_ = 0;  // rows
    Index done_ = 0;  // rows taken over or got so far
    SlimVector<Row> rows_;
    Status status_;
    CancellationManager* cancellation_ = nullptr;  // it and the token identify a call that waits
    CancellationManager::Token token_ = 0;
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
  void Enqueue(SlimVector<Row> rows, CancellationManager* cancellation, Owned<Receiver> receiver) {
    const Index count = Count(rows);
    Start(MakeAttempt(Attempt::kEnqueue, count, std::move(rows), std::move(receiver)), cancellation);
  }
  // Takes `count` rows. OutOfRange when the queue is closed and has fewer. With `up_to` the rows that are left will do,
  // except in a priority queue.
  void Dequeue(Index count, bool up_to, CancellationManager* cancellation, Owned<Receiver> receiver) {
    Owned<Attempt> attempt = MakeAttempt(Attempt::kDequeue, count, SlimVector<Row>(), std::move(receiver));
    attempt->up_to_ = up_to;
    Start(std::move(attempt), cancellation);
  }
  // After the enqueues that wait now, which may be cancelled instead. Cancelled when the queue was closed before.
  void Close(bool cancel_pending, CancellationManager* cancellation, Owned<Receiver> receiver) {
    if (!cancel_pending)
      return Start(MakeAttempt(Attempt::kClose, 0, SlimVector<Row>(), std::move(receiver)), cancellation);
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex_);
      closed_ = true;
      while (enqueues_.first() != nullptr) {
        Owned<Attempt> attempt = enqueues_.TakeFirst();
        if (attempt->kind_ == Attempt::kEnqueue)
          attempt->status_ = errors::Cancelled("Enqueue operation was cancelled");
        finished.Add(std::move(attempt));
      }
      ServeLocked(&finished);
    }
    Report(&finished);
    receiver->Finish(OkStatus(), {});
  }

 private:
  using Attempt = Receiver;
  using Attempts = AttemptList<Attempt>;

  template <class List>
  static Index Count(const List& list) {
    return static_cast<Index>(list.size());
  }
  static Owned<Attempt> MakeAttempt(Attempt::Kind kind, Index wanted, SlimVector<Row> rows, Owned<Receiver> receiver) {
    receiver->kind_ = kind;
    receiver->wanted_ = wanted;
    receiver->rows_ = std::move(rows);
    return receiver;
  }

  void Start(Owned<Attempt> attempt, CancellationManager* cancellation) {
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex_);
      const bool dequeues = attempt->kind_ == Attempt::kDequeue;
      bool live = true;
      if (cancellation != nullptr) {
        const auto token = cancellation->NewToken();
        attempt->cancellation_ = cancellation;
        attempt->token_ = token;
        live = cancellation->Register(token, [queue = Ref<TensorQueue>::Share(this), cancellation, token] {
          queue->Cancel(cancellation, token);
        });
      }
      if (!live) {
        attempt->cancellation_ = nullptr;
        attempt->status_ = Cancelled(*attempt);
        finished.Add(std::move(attempt));
      } else {
        (dequeues ? dequeues_ : enqueues_).Add(std::move(attempt));
        ServeLocked(&finished);
      }
    }
    Report(&finished);
  }
  void Cancel(const CancellationManager* cancellation, CancellationManager::Token token) {
    Attempts finished;
    {
      const tenon::MutexLock lock(mutex_);
      for (Attempts* list : {&enqueues_, &dequeues_}) {
        Owned<Attempt> attempt =
            list->TakeIf([&](const Attempt& a) { return a.cancellation_ == cancellation && a.token_ == token; });
        if (attempt == nullptr) continue;
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
  static void Report(Attempts* finished) {
    while (finished->first() != nullptr) {
      const Owned<Attempt> attempt = finished->TakeFirst();
      if (attempt->cancellation_ != nullptr) (void)attempt->cancellation_->TryDeregister(attempt->token_);
      attempt->Finish(attempt->status_,
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
  // The first of a kind: true when something changed.
  bool ServeFirst(Attempts* waiting, Attempts* finished) {
    if (waiting->first() == nullptr) return false;
    Attempt& attempt = *waiting->first();
    const Index before = attempt.done_;
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
    if (!over) return attempt.done_ != before;
    finished->Add(waiting->TakeFirst());
    return true;
  }
  bool ServeEnqueue(Attempt* attempt) {
    if (closed_) {
      attempt->status_ = errors::Cancelled(kind_name(), " '", options_.name, "' is closed.");
      return true;
    }
    while (attempt->done_ < attempt->wanted_ && (options_.capacity < 0 || Count(rows_) < options_.capacity))
      Put(std::move(attempt->rows_[static_cast<std::size_t>(attempt->done_++)]));
    return attempt->done_ == attempt->wanted_;
  }
  bool ServeDequeue(Attempt* attempt) {
    const Index stay = closed_ ? 0 : options_.min_after_dequeue;
    if (closed_ && Count(rows_) < attempt->wanted_ - attempt->done_) {
      const bool priority = options_.kind == QueueKind::kPriority;
      if (attempt->up_to_ && !priority && Count(rows_) + attempt->done_ > 0) {
        attempt->wanted_ = attempt->done_ + Count(rows_);
      } else {
        if (attempt->up_to_ && priority) {  // TensorFlow's priority queue takes these rows, fails and loses them
          rows_.clear();
          attempt->rows_.clear();
        } else {
          GiveBack(attempt);
        }
        attempt->status_ = errors::OutOfRange(kind_name(), " '", options_.name,
                                              "' is closed and has insufficient elements (requested ", attempt->wanted_,
                                              ", current size ", rows_.size(), ")");
        return true;
      }
    }
    while (attempt->done_ < attempt->wanted_ && Count(rows_) > stay) {
      if (attempt->rows_.size() == attempt->rows_.capacity())
        attempt->rows_.reserve(2 * attempt->rows_.size() + 1);  // before a row leaves the queue
      attempt->rows_.push_back(Take());
      ++attempt->done_;
    }
    return attempt->done_ == attempt->wanted_;
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
    attempt->done_ = 0;
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
