// SPDX-License-Identifier: Apache-2.0
#pragma once
// SignatureCache: the prepared signatures of a session, by their names; the least recently used ones go.

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/hash.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/runtime/session/prepared_signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// thread-safe.
class SignatureCache {
 public:
  // The signature of that key (SignatureKey); null: the cache does not hold it.
  Ref<PreparedSignature> Find(std::string_view key) {
    const MutexLock lock(mutex_);
    const Entry* const known = FindLocked(Hash64(key), key);
    return known == nullptr ? Ref<PreparedSignature>() : known->prepared;
  }
  // Returns the signature of that key that the cache holds, or adds `made` and returns it. Holds `most` at most, and
  // one at least.
  Ref<PreparedSignature> Add(std::string key, Ref<PreparedSignature> made, int most) {
    const std::uint64_t hash = Hash64(key);
    Ref<PreparedSignature> evicted;  // goes after the lock
    const MutexLock lock(mutex_);
    if (const Entry* known = FindLocked(hash, key)) return known->prepared;  // another thread was faster
    if (entries_.size() >= static_cast<std::size_t>(most > 1 ? most : 1)) {
      std::size_t oldest = 0;
      for (std::size_t i = 1; i < entries_.size(); ++i)
        if (entries_[i].last_use < entries_[oldest].last_use) oldest = i;
      evicted = std::move(entries_[oldest].prepared);
      entries_.erase(entries_.begin() + oldest);
      ++num_evicted_;
    }
    entries_.push_back({hash, ++uses_, std::move(key), made});
    return made;
  }

  std::size_t size() const {
    const MutexLock lock(mutex_);
    return entries_.size();
  }
  // Calls visit(prepared) for every signature; returns how many were evicted before.
  template <class Visit>
  std::int64_t ForEach(const Visit& visit) const {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries_) visit(entry.prepared.get());
    return num_evicted_;
  }

  // In the child of a fork(): whether another thread used the cache or one of its signatures. Makes the lock anew.
  bool WasInUseAtFork() {
    bool in_use = !mutex_.try_lock();
    for (std::size_t i = 0; !in_use && i < entries_.size(); ++i) in_use = entries_[i].prepared->IsInUse();
    new (&mutex_) Mutex();
    return in_use;
  }

 private:
  struct Entry {
    std::uint64_t hash, last_use;
    std::string key;
    Ref<PreparedSignature> prepared;
  };
  Entry* FindLocked(std::uint64_t hash, std::string_view key) {
    for (Entry& entry : entries_) {
      if (entry.hash != hash || entry.key != key) continue;
      entry.last_use = ++uses_;
      return &entry;
    }
    return nullptr;
  }

  mutable Mutex mutex_;
  SlimVector<Entry> entries_;
  std::int64_t num_evicted_ = 0;
  std::uint64_t uses_ = 0;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
