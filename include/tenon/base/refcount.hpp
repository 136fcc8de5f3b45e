// SPDX-License-Identifier: Apache-2.0
#pragma once
// Intrusive reference counting: RefCount is the number, RefCounted the base of shared objects, Ref<T> holds one
// reference.

#include <atomic>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/platform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// How many references there are; one at first. thread-safe. While the process has one thread, where the C library says
// so, counting takes no locked instruction (3 ns each): as std::shared_ptr does.
class RefCount {
 public:
  void Add() {
    if (IsSingleThreaded())
      refs_.store(refs_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
      refs_.fetch_add(1, std::memory_order_relaxed);
  }
  // True when that was the last reference.
  bool Drop() {
    const std::uint32_t refs = refs_.load(std::memory_order_acquire);
    if (refs == 1) return true;
    if (!IsSingleThreaded()) return refs_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    refs_.store(refs - 1, std::memory_order_relaxed);
    return false;
  }
  std::uint32_t count() const { return refs_.load(std::memory_order_acquire); }
  bool IsOne() const { return refs_.load(std::memory_order_acquire) == 1; }

 private:
  TENON_DETAIL_ALWAYS_INLINE static bool IsSingleThreaded() {
#if TENON_DETAIL_SINGLE_THREADED_FLAG
    return __libc_single_threaded != 0;
#else
    return false;
#endif
  }

  std::atomic<std::uint32_t> refs_{1};
};

// Starts with one reference, which belongs to the caller of new. thread-safe.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void AddRef() const { refs_.Add(); }
  // Drops a reference; deletes the object with the last one. True when it did.
  bool Unref() const {
    if (!refs_.Drop()) return false;
    delete this;
    return true;
  }
  bool RefCountIsOne() const { return refs_.IsOne(); }
  std::uint32_t num_refs() const { return refs_.count(); }  // another thread may change it at once

 protected:
  virtual ~RefCounted() = default;

 private:
  mutable RefCount refs_;
};

// One reference to a T (derived from RefCounted), or none.
template <class T>
class Ref {
 public:
  Ref() = default;
  // Takes over the reference that the caller holds.
  static Ref Adopt(T* object) {
    Ref r;
    r.object_ = object;
    return r;
  }
  // Adds a reference of its own.
  static Ref Share(T* object) {
    if (object != nullptr) object->AddRef();
    return Adopt(object);
  }
  Ref(const Ref& other) : object_(other.object_) {
    if (object_ != nullptr) object_->AddRef();
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires requires(U* object, T*& to) { to = object; }
  Ref(Ref<U> other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->Unref();
  }

  // Gives the reference to the caller.
  T* release() { return std::exchange(object_, nullptr); }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

TENON_DETAIL_NAMESPACE_END
