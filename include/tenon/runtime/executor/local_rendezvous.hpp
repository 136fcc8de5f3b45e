// SPDX-License-Identifier: Apache-2.0
#pragma once
// LocalRendezvous: the table of one step in one process. Each key has a queue of values that were not received yet,
// or of receivers that wait.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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
TENON_DETAIL_COLD_CODE_BEGIN

// Limits of the values that were sent and not received yet; 0: no limit.
struct RendezvousLimits {
  std::size_t max_values = 0;
  std::size_t max_bytes = 0;  // bytes of their tensors, without the text of strings
};

// thread-safe. Keys are told apart by their 64-bit hash, as in TensorFlow. Callbacks run without the lock.
//
//   auto rendezvous = Ref<LocalRendezvous>::Adopt(new LocalRendezvous);
//   TENON_RETURN_IF_ERROR(rendezvous->Send(key, {}, tensor, false));
//   TENON_RETURN_IF_ERROR(rendezvous->Recv(key, {}, &received, &is_dead));
class LocalRendezvous final : public Rendezvous {
 public:
  // A rendezvous without values. `limits` bound those that wait for a receiver.
  explicit LocalRendezvous(const RendezvousLimits& limits = {}) : buckets_(16), limits_(limits) {}

  // As Rendezvous::Send. ResourceExhausted: the value would wait, and the limits have no room for it.
  Status Send(const RendezvousKey& key, const Args& args, const Tensor& tensor, bool is_dead) override {
    Owned<Item> receiver;
    {
      const MutexLock lock(mutex_);
      if (!status_.ok()) [[unlikely]]
        return status_;
      if (const Status* const lost = LostPeerOf(key)) [[unlikely]]
        return *lost;
      receiver = Take(key.hash, Kind::kReceiver);
      if (receiver == nullptr) {
        if (const Item* const error = ErrorOf(key.hash)) [[unlikely]]
          return error->status;
        if (IsLimited()) [[unlikely]]
          TENON_RETURN_IF_ERROR(CheckRoom(key, tensor));
        Owned<Item> item = NewItem(key);
        item->args = args;
        item->tensor = tensor;
        item->is_dead = is_dead;
        Put(std::move(item));
        ++values_;
        if (IsLimited()) bytes_ += tensor.TotalBytes();
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
      if (const Status* const lost = LostPeerOf(key)) return *lost;
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
      if (status.ok())
        if (const Status* const lost = LostPeerOf(key)) [[unlikely]]
          status = *lost;
      if (status.ok()) sent = Take(key.hash, Kind::kValue);
      if (status.ok() && sent == nullptr)
        if (const Item* const error = ErrorOf(key.hash)) [[unlikely]]
          status = error->status;
      if (status.ok() && sent == nullptr) {
        Owned<Item> item = NewItem(key);
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
      errors_ = values_ = bytes_ = 0;
    }
    EndAll(items, status_);
  }

  // Ends the waits, and all later calls, of keys between `peer` and another task with this error. Drops the values
  // under these keys. `peer` begins the name of the source or the destination: "/job:worker/replica:0/task:1". The
  // first error of a peer counts. Keys within one task are left alone.
  TENON_DETAIL_COLD void AbortPeer(std::string_view peer, const Status& status) {
    Item* items = nullptr;
    Status error = status;
    {
      const MutexLock lock(mutex_);
      if (!status_.ok()) return;
      if (error.ok()) error = errors::Internal("LocalRendezvous: AbortPeer was called without an error");
      lost_peers_.push_back({std::string(peer), error});
      items = TakeOf(peer);
    }
    EndAll(items, error);
  }

  // Whether there are no values, waits and errors, and the caller holds the only reference.
  bool IsUnused() {
    const MutexLock lock(mutex_);
    return status_.ok() && count_ == 0 && lost_peers_.empty() && RefCountIsOne();
  }
  // The values that were sent and not received yet.
  std::size_t num_values() {
    const MutexLock lock(mutex_);
    return values_;
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
    std::string src, dst;  // devices of a key that crosses tasks
    DoneCallback done;
    std::uint64_t id = 0;  // unique, of a receiver that can be cancelled; otherwise 0
    CancellationManager::Token token = 0;
  };
  struct Bucket {
    Item *first = nullptr, *last = nullptr;  // in the order in which they came
  };

  struct LostPeer {
    std::string name;
    Status status;
  };

  ~LocalRendezvous() override { EndAll(TakeAll(), errors::Cancelled("LocalRendezvous deleted")); }

  TENON_DETAIL_COLD static Status CancelledReceive() { return errors::Cancelled("RecvAsync is cancelled."); }

  static Owned<Item> NewItem(const RendezvousKey& key) {
    Owned<Item> item = MakeOwned<Item>();
    item->hash = key.hash;
    if (key.crosses_tasks) [[unlikely]] {
      item->src = key.src_device;
      item->dst = key.dst_device;
    }
    return item;
  }
  bool IsLimited() const { return limits_.max_values != 0 || limits_.max_bytes != 0; }
  TENON_DETAIL_COLD Status CheckRoom(const RendezvousKey& key, const Tensor& tensor) const {
    const std::size_t bytes = tensor.TotalBytes();
    if (limits_.max_values != 0 && values_ >= limits_.max_values)
      return errors::ResourceExhausted("LocalRendezvous: ", values_, " values wait for their receivers, the limit is ",
                                       limits_.max_values, ". Key: ", key.text);
    if (limits_.max_bytes != 0 && (bytes > limits_.max_bytes || bytes_ > limits_.max_bytes - bytes))
      return errors::ResourceExhausted("LocalRendezvous: values of ", bytes_, " bytes wait for their receivers, ",
                                       bytes, " bytes come, the limit is ", limits_.max_bytes, ". Key: ", key.text);
    return OkStatus();
  }
  // Whether the parts of `peer` begin the device's name.
  static bool IsOf(std::string_view device, std::string_view peer) {
    return !device.empty() && device.starts_with(peer) && (device.size() == peer.size() || device[peer.size()] == '/');
  }
  TENON_DETAIL_ALWAYS_INLINE const Status* LostPeerOf(const RendezvousKey& key) const {
    return lost_peers_.empty() ? nullptr : FindLostPeer(key);
  }
  TENON_DETAIL_COLD const Status* FindLostPeer(const RendezvousKey& key) const {
    if (!key.crosses_tasks) return nullptr;
    for (const LostPeer& peer : lost_peers_)
      if (IsOf(key.src_device, peer.name) || IsOf(key.dst_device, peer.name)) return &peer.status;
    return nullptr;
  }

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
      Forget(*item);
      return Owned<Item>(item);
    }
    return nullptr;
  }
  void Forget(const Item& item) {
    --count_;
    if (item.kind != Kind::kValue) return;
    --values_;
    if (IsLimited()) bytes_ -= item.tensor.TotalBytes();
  }
  // All values and receivers of keys between `peer` and another task, as one list.
  TENON_DETAIL_COLD Item* TakeOf(std::string_view peer) {
    Bucket taken;
    for (Bucket& bucket : buckets_) {
      Item* items = std::exchange(bucket, Bucket()).first;
      while (items != nullptr) {
        Item* const item = items;
        items = std::exchange(item->next, nullptr);
        const bool goes = item->kind != Kind::kError && (IsOf(item->src, peer) || IsOf(item->dst, peer));
        if (goes) Forget(*item);
        Append(goes ? &taken : &bucket, item);
      }
    }
    return taken.first;
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
  std::size_t values_ = 0;  // items of kind kValue
  std::size_t bytes_ = 0;  // bytes of the waiting values, if there are limits
  const RendezvousLimits limits_;
  SlimVector<LostPeer> lost_peers_;
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
inline const bool fills_rendezvous = FillExtension(&extensions.rendezvous, &MakeRunLocalRendezvous);
}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
