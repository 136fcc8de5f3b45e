// SPDX-License-Identifier: Apache-2.0
#pragma once
// LocalRendezvous: the table of one step in one process. Each key has a queue of values that were not received yet,
// or of receivers that wait.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/rendezvous.hpp>
#include <tenon/runtime/extensions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. Keys are told apart by their 64-bit hash, as in TensorFlow. Callbacks run without the lock.
//
//   auto rendezvous = Ref<LocalRendezvous>::Adopt(new LocalRendezvous);
//   TENON_RETURN_IF_ERROR(rendezvous->Send(key, {}, tensor, false));
//   TENON_RETURN_IF_ERROR(rendezvous->Recv(key, {}, &received, &is_dead));
class LocalRendezvous final : public Rendezvous {
 public:
  LocalRendezvous() : buckets_(16) {}

  Status Send(const RendezvousKey& key, const Args& args, const Tensor& tensor, bool is_dead) override {
    Owned<Item> receiver;
    {
      const MutexLock lock(mutex_);
      if (!status_.ok()) [[unlikely]]
        return status_;
      receiver = Take(key.hash, Kind::kReceiver);
      if (receiver == nullptr) {
        if (const Item* const error = ErrorOf(key.hash)) [[unlikely]]
          return error->status;
        Owned<Item> item = MakeOwned<Item>();
        item->hash = key.hash;
        item->args = args;
        item->tensor = tensor;
        item->is_dead = is_dead;
        Put(std::move(item));
        return OkStatus();
      }
    }
    EndWait(*receiver);
    receiver->done(OkStatus(), args, receiver->args, tensor, is_dead);
    return OkStatus();
  }

  Status SendError(const RendezvousKey& key, const Status& status) override {
    Item* receivers = nullptr;
    Status error = status;
    {
      const MutexLock lock(mutex_);
      if (!status_.ok()) return status_;
      if (ErrorOf(key.hash) != nullptr) return OkStatus();
      if (error.ok()) error = errors::Internal("LocalRendezvous: SendError was called without an error");
      Owned<Item> item = MakeOwned<Item>();
      item->hash = key.hash;
      item->kind = Kind::kError;
      item->status = error;
      MakeRoom();
      for (Item** last = &receivers; (*last = Take(key.hash, Kind::kReceiver).release()) != nullptr;)
        last = &(*last)->next;
      ++errors_;
      Put(std::move(item));
    }
    EndAll(receivers, error);
    return OkStatus();
  }

  void RecvAsync(const RendezvousKey& key, const Args& args, DoneCallback done) override {
    Status status;
    Owned<Item> sent;
    {
      const MutexLock lock(mutex_);
      status = status_;
      if (status.ok()) sent = Take(key.hash, Kind::kValue);
      if (status.ok() && sent == nullptr)
        if (const Item* const error = ErrorOf(key.hash)) [[unlikely]]
          status = error->status;
      if (status.ok() && sent == nullptr) {
        Owned<Item> item = MakeOwned<Item>();
        item->hash = key.hash;
        item->args = args;
        item->kind = Kind::kReceiver;
        MakeRoom();
        if (!WatchCancellation(item.get())) {
          status = CancelledReceive();
        } else {
          item->done = std::move(done);
          Put(std::move(item));
          return;
        }
      }
    }
    if (!status.ok()) return done(status, Args(), Args(), Tensor(), false);
    done(OkStatus(), sent->args, args, sent->tensor, sent->is_dead);
  }

  void StartAbort(const Status& status) override {
    Item* items;
    {
      const MutexLock lock(mutex_);
      if (!status_.ok()) return;
      status_ = status.ok() ? errors::Internal("LocalRendezvous: StartAbort was called without an error") : status;
      items = TakeAll();
      errors_ = 0;
    }
    EndAll(items, status_);
  }

 private:
  // A key has values, or receivers, in their order; its error comes last.
  enum class Kind : std::uint8_t { kValue, kReceiver, kError };
  struct Item {
    std::uint64_t hash = 0;
    Item* next = nullptr;
    Kind kind = Kind::kValue;
    bool is_dead = false;
    Args args;
    Tensor tensor;
    Status status;  // if the item is an error
    DoneCallback done;
    std::uint64_t id = 0;  // unique, of a receiver that can be cancelled; otherwise 0
    CancellationManager::Token token = 0;
  };
  struct Bucket {
    Item *first = nullptr, *last = nullptr;  // in the order in which they came
  };

  ~LocalRendezvous() override { EndAll(TakeAll(), errors::Cancelled("LocalRendezvous deleted")); }

  TENON_DETAIL_COLD static Status CancelledReceive() { return errors::Cancelled("RecvAsync is cancelled."); }

  Bucket& BucketOf(std::uint64_t hash) { return buckets_[hash & (buckets_.size() - 1)]; }
  static void Append(Bucket* bucket, Item* item) {
    (bucket->last == nullptr ? bucket->first : bucket->last->next) = item;
    bucket->last = item;
  }
  void MakeRoom() {
    if (count_ == buckets_.size()) Grow();
  }
  void Put(Owned<Item> item) {
    MakeRoom();
    ++count_;
    Bucket* const bucket = &BucketOf(item->hash);
    Append(bucket, item.release());
  }
  TENON_DETAIL_COLD void Grow() {
    SlimVector<Bucket> larger(2 * buckets_.size());
    Item* items = TakeAll();
    buckets_.swap(larger);
    while (items != nullptr) {
      Item* const item = items;
      items = std::exchange(item->next, nullptr);
      ++count_;
      Append(&BucketOf(item->hash), item);
    }
  }
  TENON_DETAIL_ALWAYS_INLINE const Item* ErrorOf(std::uint64_t hash) {
    return errors_ == 0 ? nullptr : FindError(hash);
  }
  TENON_DETAIL_COLD const Item* FindError(std::uint64_t hash) {
    for (const Item* item = BucketOf(hash).first; item != nullptr; item = item->next)
      if (item->hash == hash && item->kind == Kind::kError) return item;
    return nullptr;
  }
  // The oldest item of a key if it is of that kind; with an id, the receiver that has it.
  Owned<Item> Take(std::uint64_t hash, Kind kind, std::uint64_t id = 0) {
    Bucket& bucket = BucketOf(hash);
    Item* before = nullptr;
    for (Item* item = bucket.first; item != nullptr; before = item, item = item->next) {
      if (item->hash != hash) continue;
      if (item->kind != kind) return nullptr;
      if (id != 0 && item->id != id) continue;
      (before == nullptr ? bucket.first : before->next) = item->next;
      if (bucket.last == item) bucket.last = before;
      item->next = nullptr;
      --count_;
      return Owned<Item>(item);
    }
    return nullptr;
  }
  // All items as one list; those of one key keep their order.
  Item* TakeAll() {
    Bucket all;
    for (Bucket& bucket : buckets_) {
      if (bucket.first == nullptr) continue;
      (all.last == nullptr ? all.first : all.last->next) = bucket.first;
      all.last = bucket.last;
      bucket = Bucket();
    }
    count_ = 0;
    return all.first;
  }
  static void EndAll(Item* items, const Status& status) {
    while (items != nullptr) {
      const Owned<Item> item(items);
      items = item->next;
      if (item->kind != Kind::kReceiver) continue;
      EndWait(*item);
      detail::CallAndLog("a callback of a receive", [&] { item->done(status, Args(), Args(), Tensor(), false); });
    }
  }

  // False when the run is cancelled already. The callback holds the rendezvous, for it may come after the match.
  bool WatchCancellation(Item* item) {
    CancellationManager* const cancellation = item->args.cancellation;
    if (cancellation == nullptr) return true;
    item->token = cancellation->NewToken();
    item->id = ++last_id_;
    return cancellation->Register(item->token, [self = Ref<LocalRendezvous>::Share(this), hash = item->hash,
                                                id = item->id] { self->Cancel(hash, id); });
  }
  void Cancel(std::uint64_t hash, std::uint64_t id) {
    Owned<Item> item;
    {
      const MutexLock lock(mutex_);
      item = Take(hash, Kind::kReceiver, id);
    }
    if (item != nullptr) item->done(CancelledReceive(), Args(), Args(), Tensor(), false);
  }
  static void EndWait(const Item& item) {
    if (item.args.cancellation != nullptr) item.args.cancellation->TryDeregister(item.token);
  }

  Mutex mutex_;
  SlimVector<Bucket> buckets_;  // a power of two of them
  std::size_t count_ = 0;  // items
  std::size_t errors_ = 0;  // items of kind kError
  std::uint64_t last_id_ = 0;
  Status status_;
};

namespace detail {
// The rendezvous of one run. Aborts waiting receivers when the run is cancelled, and at its end.
class RunLocalRendezvous final : public RunRendezvous {
 public:
  explicit RunLocalRendezvous(CancellationManager* cancellation)
      : cancellation_(cancellation), token_(cancellation->NewToken()) {
    if (!cancellation->Register(token_, [held = rendezvous_] { held->StartAbort(Cancelled()); }))
      rendezvous_->StartAbort(Cancelled());
  }
  ~RunLocalRendezvous() override {
    (void)cancellation_->Deregister(token_);
    rendezvous_->StartAbort(errors::Cancelled("the run has ended"));
  }
  Rendezvous* Get() override { return rendezvous_.get(); }

 private:
  static Status Cancelled() { return errors::Cancelled("Run call was cancelled"); }
  CancellationManager* const cancellation_;
  const CancellationManager::Token token_;
  const Ref<LocalRendezvous> rendezvous_ = Ref<LocalRendezvous>::Adopt(new LocalRendezvous);
};
inline Owned<RunRendezvous> MakeRunLocalRendezvous(CancellationManager* cancellation) {
  return MakeOwned<RunLocalRendezvous>(cancellation);
}
inline const bool rendezvous_linked = LinkPart<MakeRunRendezvous>(&runtime_parts.rendezvous, &MakeRunLocalRendezvous);
}  // namespace detail

TENON_DETAIL_NAMESPACE_END
