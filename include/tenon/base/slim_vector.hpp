// SPDX-License-Identifier: Apache-2.0
#pragma once
// SlimVector<T>: std::vector for the inside of Tenon. A std::vector costs the compiler some hundred functions for each
// item type that it is used with, this one a dozen; a program's compile time is made of such things.

#include <concepts>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include <tenon/base/config.hpp>

TENON_NAMESPACE_BEGIN

// A std::vector<T>, SlimVector<T> or the like: what a list of T may be read into.
template <class List, class T>
concept GrowableListOf = std::same_as<typename List::value_type, T> && requires(List list, const T& item) {
  list.clear();
  list.reserve(std::size_t{1});
  list.push_back(item);
};

// As std::vector, with pointers as iterators and without the allocator; moving an item must not throw. T may be
// incomplete where a SlimVector<T> is a member. externally synchronised.
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

  constexpr SlimVector() noexcept = default;
  constexpr explicit SlimVector(size_type count) { resize(count); }
  constexpr SlimVector(size_type count, const T& value) { resize(count, value); }
  constexpr SlimVector(std::initializer_list<T> items) { append(items.begin(), items.end()); }
  template <class Iterator>
    requires requires(Iterator i) { *i; }
  constexpr SlimVector(Iterator first, Iterator last) {
    append(first, last);
  }
  // From a std::vector, span, array...
  template <class Range>
    requires(!std::same_as<Range, SlimVector>) && requires(const Range& range) {
      { range.data() } -> std::same_as<const T*>;
      range.size();
    }
  constexpr SlimVector(const Range& range) {
    append(range.data(), range.data() + range.size());
  }
  constexpr SlimVector(const SlimVector& other) { append(other.data_, other.data_ + other.size_); }
  constexpr SlimVector(SlimVector&& other) noexcept
      : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
    other.Forget();
  }
  constexpr SlimVector& operator=(const SlimVector& other) {
    if (this != &other) assign(other.data_, other.data_ + other.size_);
    return *this;
  }
  constexpr SlimVector& operator=(SlimVector&& other) noexcept {
    if (this != &other) {
      Destroy();
      data_ = other.data_;
      size_ = other.size_;
      capacity_ = other.capacity_;
      other.Forget();
    }
    return *this;
  }
  constexpr SlimVector& operator=(std::initializer_list<T> items) {
    assign(items.begin(), items.end());
    return *this;
  }
  constexpr ~SlimVector() { Destroy(); }

  // Nothing assigned or inserted may be an item of this vector, except through push_back, emplace_back and resize.
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
  constexpr void clear() noexcept { Truncate(0); }
  constexpr void reserve(size_type capacity) {
    if (capacity > capacity_) MoveTo(capacity);
  }
  constexpr void shrink_to_fit() {
    if (size_ == 0) {
      Destroy();
      Forget();
    } else if (size_ < capacity_) {
      MoveTo(size_);
    }
  }
  constexpr void resize(size_type count) {
    reserve(count);
    while (size_ < count) std::construct_at(data_ + size_++);
    Truncate(count);
  }
  constexpr void resize(size_type count, const T& value) {
    if (count > capacity_) {
      const T copy(value);  // `value` may be one of the items that move
      reserve(count);
      while (size_ < count) std::construct_at(data_ + size_++, copy);
    }
    while (size_ < count) std::construct_at(data_ + size_++, value);
    Truncate(count);
  }
  constexpr void push_back(const T& item) {
    if (size_ == capacity_) [[unlikely]] {
      T copy(item);  // `item` may be one of those that move
      MoveTo(Larger());
      std::construct_at(data_ + size_, static_cast<T&&>(copy));
    } else {
      std::construct_at(data_ + size_, item);
    }
    ++size_;
  }
  constexpr void push_back(T&& item) { emplace_back(static_cast<T&&>(item)); }
  template <class... Args>
  constexpr T& emplace_back(Args&&... args) {
    if (size_ == capacity_) [[unlikely]] {
      T made(static_cast<Args&&>(args)...);
      MoveTo(Larger());
      std::construct_at(data_ + size_, static_cast<T&&>(made));
    } else {
      std::construct_at(data_ + size_, static_cast<Args&&>(args)...);
    }
    return data_[size_++];
  }
  constexpr void pop_back() { Truncate(size_ - 1); }

  constexpr iterator insert(const_iterator position, T item) {
    const size_type index = static_cast<size_type>(position - data_);
    emplace_back(static_cast<T&&>(item));
    BringBack(index, size_ - 1);
    return data_ + index;
  }
  // Adds the items of [first, last) behind the others.
  template <class Iterator>
  constexpr void append(Iterator first, Iterator last) {
    if constexpr (requires { static_cast<size_type>(last - first); }) {
      const size_type needed = size_ + static_cast<size_type>(last - first);
      if (needed > capacity_) MoveTo(needed > 2 * capacity_ ? needed : 2 * capacity_);
    }
    for (; first != last; ++first) emplace_back(*first);
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

  constexpr T& operator[](size_type i) { return data_[i]; }
  constexpr const T& operator[](size_type i) const { return data_[i]; }
  constexpr T& front() { return data_[0]; }
  constexpr const T& front() const { return data_[0]; }
  constexpr T& back() { return data_[size_ - 1]; }
  constexpr const T& back() const { return data_[size_ - 1]; }
  constexpr T* data() noexcept { return data_; }
  constexpr const T* data() const noexcept { return data_; }
  constexpr iterator begin() noexcept { return data_; }
  constexpr const_iterator begin() const noexcept { return data_; }
  constexpr iterator end() noexcept { return data_ + size_; }
  constexpr const_iterator end() const noexcept { return data_ + size_; }
  constexpr size_type size() const noexcept { return size_; }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr size_type capacity() const noexcept { return capacity_; }

  template <class Range>
    requires requires(const Range& range) {
      { range.data() } -> std::same_as<const T*>;
      range.size();
    }
  constexpr bool operator==(const Range& other) const {
    if (size_ != other.size()) return false;
    for (size_type i = 0; i < size_; ++i) {
      if (!(data_[i] == other.data()[i])) return false;
    }
    return true;
  }

 private:
  static constexpr T* Allocate(size_type count) {
    if (TENON_IS_CONSTANT_EVALUATED()) return std::allocator<T>().allocate(count);
    if constexpr (alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
      return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{alignof(T)}));
    } else {
      return static_cast<T*>(::operator new(count * sizeof(T)));
    }
  }
  constexpr void Free() noexcept {
    if (TENON_IS_CONSTANT_EVALUATED()) {
      if (data_ != nullptr) std::allocator<T>().deallocate(data_, capacity_);
    } else if constexpr (alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
      ::operator delete(static_cast<void*>(data_), std::align_val_t{alignof(T)});
    } else {
      ::operator delete(static_cast<void*>(data_));
    }
  }
  constexpr size_type Larger() const { return capacity_ == 0 ? (sizeof(T) > 64 ? 1 : 4) : 2 * capacity_; }
  // Moves the items to new memory for `capacity` of them.
  TENON_COLD constexpr void MoveTo(size_type capacity) {
    T* const data = Allocate(capacity);
    if (std::is_trivially_copyable_v<T> && !TENON_IS_CONSTANT_EVALUATED()) {
      if (size_ != 0) std::memcpy(static_cast<void*>(data), static_cast<const void*>(data_), size_ * sizeof(T));
    } else {
      for (size_type i = 0; i < size_; ++i) {
        std::construct_at(data + i, static_cast<T&&>(data_[i]));
        data_[i].~T();
      }
    }
    Free();
    data_ = data;
    capacity_ = capacity;
  }
  // Moves the item at `from` to `to`, which is not behind it, and those between by one.
  constexpr void BringBack(size_type to, size_type from) {
    if (to == from) return;
    T moved(static_cast<T&&>(data_[from]));
    for (size_type i = from; i > to; --i) data_[i] = static_cast<T&&>(data_[i - 1]);
    data_[to] = static_cast<T&&>(moved);
  }
  constexpr void Truncate(size_type count) noexcept {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      for (size_type i = count; i < size_; ++i) data_[i].~T();
    }
    size_ = count;
  }
  constexpr void Destroy() noexcept {
    Truncate(0);
    Free();
  }
  constexpr void Forget() noexcept {
    data_ = nullptr;
    size_ = capacity_ = 0;
  }

  T* data_ = nullptr;
  size_type size_ = 0, capacity_ = 0;
};

TENON_NAMESPACE_END
