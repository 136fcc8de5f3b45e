// SPDX-License-Identifier: Apache-2.0
#pragma once
// SlimVector<T>: std::vector for the inside of Tenon. A std::vector costs the compiler some hundred functions for each
// item type that it is used with, this one a dozen, most of them out of line: a program's compile time is made of such
// things.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <vector>  // std::allocator, std::construct_at: <memory> costs three times as much

#include <tenon/base/config.hpp>
#include <tenon/base/huge_pages.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A std::vector<T>, SlimVector<T> or the like: a container that a list of T may be read into.
template <class List, class T>
concept GrowableListOf = std::same_as<typename List::value_type, T> && requires(List list, const T& item) {
  list.clear();
  list.reserve(std::size_t{1});
  list.push_back(item);
};

namespace detail {

template <class Range, class T>
concept ArrayOf = requires(const Range& range) {
  requires std::same_as<std::remove_cvref_t<decltype(*range.data())>, T>;
  range.size();
};

// So many that the allocation fails where the product does not fit. g++ warns of a call that asks for more.
constexpr std::size_t ArrayBytes(std::size_t count, std::size_t item_bytes) {
  return count > PTRDIFF_MAX / item_bytes ? std::size_t{PTRDIFF_MAX} : count * item_bytes;
}

// The functions below serve all types: calls of them cost the compiler less than copies.

// The capacity after `capacity`, for one item more or for `wanted` of them.
constexpr std::size_t NextCapacity(std::size_t capacity, std::size_t wanted, std::size_t item_bytes) {
  if (capacity == 0 && wanted != 0) return wanted;
  const std::size_t doubled = capacity == 0 ? (item_bytes > 64 ? 1 : 4) : 2 * capacity;
  return wanted > doubled ? wanted : doubled;
}
TENON_DETAIL_NOINLINE inline void* AllocateItems(std::size_t count, std::size_t item_bytes, std::size_t alignment) {
  const std::size_t bytes = ArrayBytes(count, item_bytes);
  void* const made = alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__ ? ::operator new(bytes, std::align_val_t{alignment})
                                                                  : ::operator new(bytes);
  if (bytes >= kHugePageThreshold) [[unlikely]]
    AskForHugePages(made, bytes);
  return made;
}
TENON_DETAIL_NOINLINE inline void FreeItems(void* items, std::size_t alignment) {
  if (alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    ::operator delete(items, std::align_val_t{alignment});
  } else {
    ::operator delete(items);
  }
}
// For items that may be moved as bytes: new memory with the old content; doubles where `wanted` is no more.
TENON_DETAIL_NOINLINE inline void* GrowBytes(void* old, std::size_t item_bytes, std::size_t count, std::size_t wanted,
                                             std::size_t* capacity) {
  const std::size_t larger = NextCapacity(*capacity, wanted, item_bytes);
  void* const made = AllocateItems(larger, item_bytes, 1);
  if (count != 0) std::memcpy(made, old, count * item_bytes);
  ::operator delete(old);
  *capacity = larger;  // not before: where memory is out, the old items and their number stay
  return made;
}
// Appends `count` items, which are copied from `items`, and returns the memory, new where the old was too small.
TENON_DETAIL_NOINLINE inline void* AppendBytes(void* data, std::size_t item_bytes, std::size_t* size,
                                               std::size_t* capacity, const void* items, std::size_t count) {
  const std::size_t needed = *size + count;
  if (needed > *capacity) data = GrowBytes(data, item_bytes, *size, needed, capacity);
  if (count != 0) std::memcpy(static_cast<std::byte*>(data) + *size * item_bytes, items, count * item_bytes);
  *size = needed;
  return data;
}

}  // namespace detail

// As std::vector, with pointers as iterators and without the allocator; moving an item must not throw. T may be
// incomplete where a SlimVector<T> is a member. In constant expressions for trivially copyable types and types that
// say so (IsForConstants). externally synchronised.
template <class T>
class SlimVector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  TENON_DETAIL_ALWAYS_INLINE constexpr SlimVector() noexcept {}
  constexpr explicit SlimVector(size_type count) : SlimVector() { resize(count); }
  constexpr SlimVector(size_type count, const T& value) : SlimVector() { resize(count, value); }
  TENON_DETAIL_ALWAYS_INLINE constexpr SlimVector(std::initializer_list<T> items) : SlimVector() {
    append(items.begin(), items.end());
  }
  template <class Iterator>
    requires requires(Iterator i) { *i; }
  constexpr SlimVector(Iterator first, Iterator last) : SlimVector() {
    append(first, last);
  }
  // From a std::vector, span, array...
  template <class Range>
    requires(!std::same_as<Range, SlimVector>) && detail::ArrayOf<Range, T>
  constexpr SlimVector(const Range& range) : SlimVector() {
    append(range.data(), range.data() + range.size());
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr SlimVector(const SlimVector& other) : SlimVector() {
    append(other.begin(), other.end());
  }
  constexpr SlimVector(SlimVector&& other) noexcept
      : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.Forget();
  }
  constexpr SlimVector& operator=(const SlimVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  constexpr SlimVector& operator=(SlimVector&& other) noexcept {
    if (this != &other) {
      T* const data = other.data_;
      const size_type size = other.size_, capacity = other.capacity_;
      other.Forget();  // before the items go: `other` may be inside one of them
      Discard();
      data_ = data;
      size_ = size;
      capacity_ = capacity;
    }
    return *this;
  }
  constexpr SlimVector& operator=(std::initializer_list<T> items) {
    assign(items.begin(), items.end());
    return *this;
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr ~SlimVector() { Discard(); }

  // Nothing assigned, appended or inserted may be an item of this vector, except by push_back, emplace_back and resize.
  template <class Iterator>
    requires requires(Iterator i) { *i; }
  constexpr void assign(Iterator first, Iterator last) {
    clear();
    append(first, last);
  }
  constexpr void assign(size_type count, const T& value) {
    clear();
    resize(count, value);
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr void clear() noexcept { Truncate(0); }
  TENON_DETAIL_ALWAYS_INLINE constexpr void reserve(size_type capacity) {
    if (capacity > capacity_) Grow(capacity);
  }
  TENON_DETAIL_NOINLINE constexpr void resize(size_type count) {
    if (count > capacity_) Grow(Larger(count));
    for (; size_ < count; ++size_) Construct(data_ + size_);
    Truncate(count);
  }
  TENON_DETAIL_NOINLINE constexpr void resize(size_type count, const T& value) {
    if constexpr (IsBytes()) {
      const T copy(value);  // `value` may be one of the items that move
      if (count > capacity_) Grow(Larger(count));
      for (T *item = data_ + size_, *const end = data_ + count; item < end; ++item) Construct(item, copy);
      size_ = count;
    } else {
      if (count > capacity_) {
        const T copy(value);
        Grow(Larger(count));
        for (; size_ < count; ++size_) Construct(data_ + size_, copy);
      }
      for (; size_ < count; ++size_) Construct(data_ + size_, value);
      Truncate(count);
    }
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr void push_back(const T& item) { emplace_back(item); }
  TENON_DETAIL_ALWAYS_INLINE constexpr void push_back(T&& item) { emplace_back(static_cast<T&&>(item)); }
  template <class... Args>
  TENON_DETAIL_ALWAYS_INLINE constexpr T& emplace_back(Args&&... args) {
    if constexpr (IsBytes()) {
      const T item(static_cast<Args&&>(args)...);  // an argument may be one of the items that move
      return PushBytes(item);
    } else {
      return Emplace(static_cast<Args&&>(args)...);
    }
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr void pop_back() { Truncate(size_ - 1); }

  constexpr iterator insert(const_iterator position, T item) {
    size_type i = size_;
    const size_type index = static_cast<size_type>(position - data_);
    emplace_back(static_cast<T&&>(item));
    if (i == index) return data_ + index;
    T moved(static_cast<T&&>(data_[i]));
    for (; i > index; --i) data_[i] = static_cast<T&&>(data_[i - 1]);
    data_[index] = static_cast<T&&>(moved);
    return data_ + index;
  }
  // Appends the items of [first, last).
  template <class Iterator>
  TENON_DETAIL_ALWAYS_INLINE constexpr void append(Iterator first, Iterator last) {
    if constexpr (std::is_same_v<Iterator, T*> || std::is_same_v<Iterator, const T*>) {
      AppendArray(first, static_cast<size_type>(last - first));
    } else {
      AppendEach(first, last);
    }
  }
  constexpr iterator erase(const_iterator position) { return erase(position, position + 1); }
  constexpr iterator erase(const_iterator first, const_iterator last) {
    const size_type to = static_cast<size_type>(first - data_), count = static_cast<size_type>(last - first);
    if (count != 0) {
      for (size_type i = to; i + count < size_; ++i) data_[i] = static_cast<T&&>(data_[i + count]);
      Truncate(size_ - count);
    }
    return data_ + to;
  }
  constexpr void swap(SlimVector& other) noexcept {
    SlimVector mine(static_cast<SlimVector&&>(*this));
    *this = static_cast<SlimVector&&>(other);
    other = static_cast<SlimVector&&>(mine);
  }

  TENON_DETAIL_ALWAYS_INLINE constexpr T& operator[](size_type i) { return data_[i]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr const T& operator[](size_type i) const { return data_[i]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr T& front() { return data_[0]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr const T& front() const { return data_[0]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr T& back() { return data_[size_ - 1]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr const T& back() const { return data_[size_ - 1]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr T* data() noexcept { return data_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr const T* data() const noexcept { return data_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr iterator begin() noexcept { return data_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr const_iterator begin() const noexcept { return data_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr iterator end() noexcept { return data_ + size_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr const_iterator end() const noexcept { return data_ + size_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr size_type size() const noexcept { return size_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr bool empty() const noexcept { return size_ == 0; }
  TENON_DETAIL_ALWAYS_INLINE constexpr size_type capacity() const noexcept { return capacity_; }

  template <detail::ArrayOf<T> Range>
  constexpr bool operator==(const Range& other) const {
    if (size_ != other.size()) return false;
    for (size_type i = 0; i < size_; ++i) {
      if (!(data_[i] == other.data()[i])) return false;
    }
    return true;
  }

 private:
  // Functions, so that T may be incomplete until they are needed.
  TENON_DETAIL_ALWAYS_INLINE static constexpr bool IsBytes() {
    return TENON_DETAIL_IS_TRIVIALLY_COPYABLE(T) && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  }

  // In constant expressions memory comes from std::allocator and objects from std::construct_at, which cost the
  // compiler time for each type: one that is not trivial has a member type in_constant_expressions where it needs that.
  TENON_DETAIL_ALWAYS_INLINE static constexpr bool IsForConstants() {
    return TENON_DETAIL_IS_TRIVIALLY_COPYABLE(T) || requires { typename T::in_constant_expressions; };
  }

  TENON_DETAIL_ALWAYS_INLINE static constexpr T* Allocate(size_type count) {
    if constexpr (IsForConstants()) {
      if (TENON_DETAIL_IS_CONSTANT_EVALUATED()) return std::allocator<T>().allocate(count);
    }
    return static_cast<T*>(detail::AllocateItems(count, sizeof(T), alignof(T)));
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr size_type Larger(size_type wanted) const {
    return detail::NextCapacity(capacity_, wanted, sizeof(T));
  }
  // A condition that begins with `!` would be compiled with both of its branches, for every type, at -O0.
  template <class... Args>
  TENON_DETAIL_ALWAYS_INLINE static constexpr T* Construct(T* at, Args&&... args) {
    if constexpr (IsForConstants()) {
      if (TENON_DETAIL_IS_CONSTANT_EVALUATED()) {
        return std::construct_at(at, static_cast<Args&&>(args)...);
      } else {
        return ::new (static_cast<void*>(at)) T(static_cast<Args&&>(args)...);
      }
    } else {
      return ::new (static_cast<void*>(at)) T(static_cast<Args&&>(args)...);
    }
  }
  // Room for `capacity` items, or for twice as many as now.
  TENON_DETAIL_ALWAYS_INLINE constexpr void Grow(size_type capacity) {
    if constexpr (IsBytes()) {
      if (TENON_DETAIL_IS_CONSTANT_EVALUATED()) {
        GrowByMoving(capacity);
      } else {
        data_ = static_cast<T*>(detail::GrowBytes(data_, sizeof(T), size_, capacity, &capacity_));
      }
    } else {
      GrowByMoving(capacity);
    }
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr void GrowByMoving(size_type capacity) {
    const size_type larger = capacity == 0 ? Larger(0) : capacity;
    MoveTo(Allocate(larger), larger);
  }
  // `item` is not one of the items that may move.
  constexpr T& PushBytes(const T& item) {
    if (size_ == capacity_) [[unlikely]]
      Grow(0);
    return *Construct(data_ + size_++, item);
  }
  template <class... Args>
  constexpr T& Emplace(Args&&... args) {
    if (size_ == capacity_) [[unlikely]] {
      T item(static_cast<Args&&>(args)...);  // `args` may be of an item that moves
      GrowByMoving(0);
      return *Construct(data_ + size_++, static_cast<T&&>(item));
    }
    T* const item = Construct(data_ + size_, static_cast<Args&&>(args)...);
    ++size_;
    return *item;
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr void AppendArray(const T* items, size_type count) {
    if constexpr (IsBytes()) {
      if (TENON_DETAIL_IS_CONSTANT_EVALUATED()) {
        AppendEach(items, items + count);
      } else {
        data_ = static_cast<T*>(detail::AppendBytes(data_, sizeof(T), &size_, &capacity_, items, count));
      }
    } else {
      AppendEach(items, items + count);
    }
  }
  template <class Iterator>
  TENON_DETAIL_NOINLINE constexpr void AppendEach(Iterator first, Iterator last) {
    if constexpr (requires { static_cast<size_type>(last - first); }) {
      const size_type needed = size_ + static_cast<size_type>(last - first);
      if (needed > capacity_) Grow(Larger(needed));
    }
    for (; first != last; ++first) emplace_back(*first);
  }
  // Moves the items to `data`, which has room for `capacity` of them.
  TENON_DETAIL_NOINLINE constexpr void MoveTo(T* data, size_type capacity) {
    for (size_type i = 0; i < size_; ++i) {
      Construct(data + i, static_cast<T&&>(data_[i]));
      data_[i].~T();
    }
    Free();
    data_ = data;
    capacity_ = capacity;
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr void Free() noexcept {
    if constexpr (IsForConstants()) {
      if (TENON_DETAIL_IS_CONSTANT_EVALUATED()) {
        if (data_ != nullptr) std::allocator<T>().deallocate(data_, capacity_);
        return;
      }
    }
    detail::FreeItems(static_cast<void*>(data_), alignof(T));
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr void Truncate(size_type count) noexcept {
    if constexpr (!TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(T)) {
      if (count < size_) DestroyFrom(count);
    }
    size_ = count;
  }
  TENON_DETAIL_NOINLINE constexpr void DestroyFrom(size_type count) noexcept {
    for (size_type i = count; i < size_; ++i) data_[i].~T();
  }
  // The end of the items and of their memory.
  TENON_DETAIL_ALWAYS_INLINE constexpr void Discard() noexcept {
    if (data_ == nullptr) return;
    if constexpr (TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(T)) {
      Free();
    } else {
      Destroy();
    }
  }
  TENON_DETAIL_NOINLINE constexpr void Destroy() noexcept {
    for (size_type i = 0; i < size_; ++i) data_[i].~T();
    Free();
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr void Forget() noexcept {
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data_ = nullptr;
  size_type size_ = 0, capacity_ = 0;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
