// SPDX-License-Identifier: Apache-2.0
#pragma once
// InlinedVector<T, N>: a vector that holds up to N items inside itself and goes to the heap only beyond them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN
namespace detail {
template <class I>
concept InputPosition = requires(I i) {
  *i;
  ++i;
};
}  // namespace detail

// As std::vector, with up to 2^32 - 1 items; growing or moving it moves the items, so pointers to them do not survive
// either. externally synchronised.
template <class T, std::size_t N>
class InlinedVector {
  static_assert(N > 0, "tenon: InlinedVector<T, 0> is a vector: use std::vector");

 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  TENON_DETAIL_ALWAYS_INLINE InlinedVector() noexcept : data_(InlineData()) {}
  explicit InlinedVector(size_type count) : InlinedVector() { resize(count); }
  InlinedVector(size_type count, const T& value) : InlinedVector() { resize(count, value); }
  InlinedVector(std::initializer_list<T> items) : InlinedVector() { Append(items.begin(), items.end()); }
  template <detail::InputPosition Iterator>
  InlinedVector(Iterator first, Iterator last) : InlinedVector() {
    Append(first, last);
  }
  InlinedVector(const InlinedVector& other) : InlinedVector() { Append(other.begin(), other.end()); }
  InlinedVector(InlinedVector&& other) noexcept : InlinedVector() { Take(other); }
  InlinedVector& operator=(const InlinedVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlinedVector& operator=(InlinedVector&& other) noexcept {
    if (this != &other) {
      clear();
      FreeHeap();
      Take(other);
    }
    return *this;
  }
  InlinedVector& operator=(std::initializer_list<T> items) {
    assign(items.begin(), items.end());
    return *this;
  }
  ~InlinedVector() {
    DestroyRange(data_, data_ + size_);
    if (data_ != InlineData()) Free(data_);
  }

  // Nothing assigned or inserted may be an item of this vector, except through push_back, emplace_back and resize.
  template <detail::InputPosition Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    Append(first, last);
  }
  void assign(size_type count, const T& value) {
    clear();
    resize(count, value);
  }
  void clear() noexcept {
    DestroyRange(data_, data_ + size_);
    size_ = 0;
  }
  void reserve(size_type capacity) {
    if (capacity > capacity_) MoveTo(Allocate(capacity), capacity);
  }
  void resize(size_type count) {
    GrowFor(count);
    while (size_ < count) ::new (static_cast<void*>(data_ + size_++)) T();
    Truncate(count);
  }
  void resize(size_type count, const T& value) {
    if (count > capacity_) {
      const T copy(value);  // `value` may be one of the items that move
      GrowFor(count);
      while (size_ < count) ::new (static_cast<void*>(data_ + size_++)) T(copy);
    }
    while (size_ < count) ::new (static_cast<void*>(data_ + size_++)) T(value);
    Truncate(count);
  }
  TENON_DETAIL_ALWAYS_INLINE void push_back(const T& item) { emplace_back(item); }
  TENON_DETAIL_ALWAYS_INLINE void push_back(T&& item) { emplace_back(std::move(item)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) [[unlikely]]
      return EmplaceBackGrowing(std::forward<Args>(args)...);
    T* const item = ::new (static_cast<void*>(data_ + size_)) T(std::forward<Args>(args)...);
    ++size_;
    return *item;
  }
  void pop_back() { data_[--size_].~T(); }

  iterator insert(const_iterator position, T item) {
    const size_type index = static_cast<size_type>(position - data_);
    emplace_back(std::move(item));
    for (size_type i = size_ - 1; i > index; --i) std::swap(data_[i], data_[i - 1]);
    return data_ + index;
  }
  template <detail::InputPosition Iterator>
  iterator insert(const_iterator position, Iterator first, Iterator last) {
    const size_type index = static_cast<size_type>(position - data_);
    const size_type old_size = size_;
    Append(first, last);
    Rotate(index, old_size);
    return data_ + index;
  }
  iterator erase(const_iterator position) { return erase(position, position + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    T* const to = data_ + (first - data_);
    T* hole = to;
    for (T* from = data_ + (last - data_); from != end(); ++from, ++hole) {
      if (hole != from) *hole = std::move(*from);
    }
    Truncate(static_cast<size_type>(hole - data_));
    return to;
  }
  void swap(InlinedVector& other) noexcept {
    InlinedVector mine(std::move(*this));
    *this = std::move(other);
    other = std::move(mine);
  }

  TENON_DETAIL_ALWAYS_INLINE T& operator[](size_type i) { return data_[i]; }
  TENON_DETAIL_ALWAYS_INLINE const T& operator[](size_type i) const { return data_[i]; }
  TENON_DETAIL_ALWAYS_INLINE T& front() { return data_[0]; }
  TENON_DETAIL_ALWAYS_INLINE const T& front() const { return data_[0]; }
  TENON_DETAIL_ALWAYS_INLINE T& back() { return data_[size_ - 1]; }
  TENON_DETAIL_ALWAYS_INLINE const T& back() const { return data_[size_ - 1]; }
  TENON_DETAIL_ALWAYS_INLINE T* data() noexcept { return data_; }
  TENON_DETAIL_ALWAYS_INLINE const T* data() const noexcept { return data_; }
  TENON_DETAIL_ALWAYS_INLINE iterator begin() noexcept { return data_; }
  TENON_DETAIL_ALWAYS_INLINE const_iterator begin() const noexcept { return data_; }
  TENON_DETAIL_ALWAYS_INLINE iterator end() noexcept { return data_ + size_; }
  TENON_DETAIL_ALWAYS_INLINE const_iterator end() const noexcept { return data_ + size_; }
  TENON_DETAIL_ALWAYS_INLINE size_type size() const noexcept { return size_; }
  TENON_DETAIL_ALWAYS_INLINE bool empty() const noexcept { return size_ == 0; }
  TENON_DETAIL_ALWAYS_INLINE size_type capacity() const noexcept { return capacity_; }

  friend bool operator==(const InlinedVector& a, const InlinedVector& b) {
    if (a.size_ != b.size_) return false;
    for (size_type i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 private:
  static constexpr bool kBytes = TENON_DETAIL_IS_TRIVIALLY_COPYABLE(T);  // may be moved with memcpy

  TENON_DETAIL_ALWAYS_INLINE T* InlineData() noexcept { return reinterpret_cast<T*>(inline_); }
  TENON_DETAIL_ALWAYS_INLINE static T* Allocate(size_type count) {
    if constexpr (alignof(T) > alignof(std::max_align_t)) {
      return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{alignof(T)}));
    } else {
      return static_cast<T*>(::operator new(count * sizeof(T)));
    }
  }
  TENON_DETAIL_ALWAYS_INLINE static void Free(T* data) {
    if constexpr (alignof(T) > alignof(std::max_align_t)) {
      ::operator delete(static_cast<void*>(data), std::align_val_t{alignof(T)});
    } else {
      ::operator delete(static_cast<void*>(data));
    }
  }
  TENON_DETAIL_ALWAYS_INLINE static void DestroyRange([[maybe_unused]] T* first, [[maybe_unused]] T* last) noexcept {
    if constexpr (!TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(T)) {
      for (; first != last; ++first) first->~T();
    }
  }
  // Moves `count` items into raw memory and ends their old lives.
  static void Relocate(T* from, size_type count, T* to) noexcept {
    if constexpr (kBytes) {
      if (count != 0) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(T));
    } else {
      for (size_type i = 0; i < count; ++i) {
        ::new (static_cast<void*>(to + i)) T(std::move(from[i]));
        from[i].~T();
      }
    }
  }

  // At least doubles, so that adding one by one stays linear.
  void GrowFor(size_type count) {
    const size_type doubled = size_type{capacity_} * 2;
    if (count > capacity_) reserve(count > doubled ? count : doubled);
  }
  void FreeHeap() noexcept {
    if (data_ != InlineData()) Free(data_);
    data_ = InlineData();
    capacity_ = N;
  }
  void MoveTo(T* data, size_type capacity) noexcept {
    Relocate(data_, size_, data);
    if (data_ != InlineData()) Free(data_);
    data_ = data;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  // This one is empty and on its inline storage.
  void Take(InlinedVector& other) noexcept {
    if (other.data_ == other.InlineData()) {
      Relocate(other.data_, other.size_, data_);
    } else {
      data_ = std::exchange(other.data_, other.InlineData());
      capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(N));
    }
    size_ = std::exchange(other.size_, 0);
  }
  template <class... Args>
  TENON_DETAIL_COLD T& EmplaceBackGrowing(Args&&... args) {
    const size_type capacity = size_type{capacity_} * 2;
    T* const data = Allocate(capacity);
    T* const item = ::new (static_cast<void*>(data + size_)) T(std::forward<Args>(args)...);  // may read an old item
    MoveTo(data, capacity);
    ++size_;
    return *item;
  }
  template <class Iterator>
  void Append(Iterator first, Iterator last) {
    if constexpr (requires { static_cast<size_type>(last - first); }) {
      const size_type needed = size_ + static_cast<size_type>(last - first);
      GrowFor(needed);
    }
    for (; first != last; ++first) emplace_back(*first);
  }
  void Truncate(size_type count) noexcept {
    DestroyRange(data_ + count, data_ + size_);
    size_ = static_cast<std::uint32_t>(count);
  }
  // Brings the items from `middle` on before the items from `first` on: three reversals.
  void Rotate(size_type first, size_type middle) {
    Reverse(data_ + first, data_ + middle);
    Reverse(data_ + middle, data_ + size_);
    Reverse(data_ + first, data_ + size_);
  }
  static void Reverse(T* first, T* last) {
    while (first < last && first < --last) std::swap(*first++, *last);
  }

  T* data_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  alignas(T) unsigned char inline_[N * sizeof(T)];
};

TENON_DETAIL_STEP_NAMESPACE_END
