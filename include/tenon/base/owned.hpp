// SPDX-License-Identifier: Apache-2.0
#pragma once
// Owned<T>: std::unique_ptr for the inside of Tenon. In C++20 <memory> brings <ostream> and a tuple with every pointer,
// and these cost the compiler more than the files that would use it.

#include <cstddef>

#include <tenon/base/config.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

struct DefaultDelete {
  template <class T>
  void operator()(T* object) const {
    static_assert(sizeof(T) > 0, "tenon: Owned<T> needs the whole T where it is destroyed");
    delete object;
  }
};

// The only owner of a T, or of nothing. Delete is a type without members. externally synchronised.
template <class T, class Delete = DefaultDelete>
class Owned {
 public:
  Owned() = default;
  TENON_DETAIL_ALWAYS_INLINE Owned(std::nullptr_t) {}
  TENON_DETAIL_ALWAYS_INLINE explicit Owned(T* object) : object_(object) {}
  TENON_DETAIL_ALWAYS_INLINE Owned(Owned&& other) noexcept : object_(other.release()) {}
  template <class U>
    requires requires(U* object, T*& to) { to = object; }
  Owned(Owned<U, Delete>&& other) noexcept : object_(other.release()) {}
  Owned& operator=(Owned&& other) noexcept {
    reset(other.release());
    return *this;
  }
  TENON_DETAIL_ALWAYS_INLINE ~Owned() {
    if (object_ != nullptr) Delete()(object_);
  }

  void reset(T* object = nullptr) {
    T* const old = object_;
    object_ = object;
    if (old != nullptr) Delete()(old);
  }
  // Gives the object to the caller.
  TENON_DETAIL_ALWAYS_INLINE T* release() {
    T* const object = object_;
    object_ = nullptr;
    return object;
  }

  TENON_DETAIL_ALWAYS_INLINE T* get() const { return object_; }
  TENON_DETAIL_ALWAYS_INLINE T* operator->() const { return object_; }
  TENON_DETAIL_ALWAYS_INLINE T& operator*() const { return *object_; }
  TENON_DETAIL_ALWAYS_INLINE explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Owned& a, std::nullptr_t) { return a.object_ == nullptr; }

 private:
  T* object_ = nullptr;
};

// The only owner of an array.
template <class T>
class Owned<T[], DefaultDelete> {
 public:
  explicit Owned(std::size_t count) : items_(new T[count]()) {}
  Owned(Owned&&) = delete;
  ~Owned() { delete[] items_; }

  T& operator[](std::size_t i) const { return items_[i]; }

 private:
  T* items_;
};

template <class T, class... Args>
Owned<T> MakeOwned(Args&&... args) {
  return Owned<T>(new T(static_cast<Args&&>(args)...));
}

TENON_DETAIL_STEP_NAMESPACE_END
