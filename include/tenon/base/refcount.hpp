// SPDX-License-Identifier: Apache-2.0
#pragma once
// Intrusive reference counting: RefCounted is the base of shared objects, Ref<T> holds one reference.

#include <atomic>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>

TENON_NAMESPACE_BEGIN

// Starts with one reference, which belongs to whoever called new. thread-safe.
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void AddRef() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  // Drops a reference; deletes the object with the last one. True when it did.
  bool Unref() const {
    if (refs_.load(std::memory_order_acquire) != 1 && refs_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    delete this;
    return true;
  }
  bool RefCountIsOne() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  virtual ~RefCounted() = default;

 private:
  mutable std::atomic<std::uint32_t> refs_{1};
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

TENON_NAMESPACE_END
