// SPDX-License-Identifier: Apache-2.0
#pragma once
// Span<T>: std::span, for functions that take or give a list. Making a std::span of a container costs the compiler 20
// ms for each item type, in concepts that ask whether a pointer is an iterator; this one costs 2. The two convert into
// each other, and an op's author writes std::span.

#include <cstddef>
#include <span>
#include <type_traits>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// A list of T in one piece. A temporary one may only be read, if the items are its own.
template <class List, class T>
concept SpanSource = requires(List& list) {
  static_cast<T*>(list.data());
  list.size();
  requires std::is_same_v<std::remove_const_t<std::remove_pointer_t<decltype(list.data())>>, std::remove_const_t<T>>;
};

}  // namespace detail

// As std::span with a size known at run time. immutable; the items belong to another object.
template <class T>
class Span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = std::size_t;
  using iterator = T*;

  TENON_DETAIL_ALWAYS_INLINE constexpr Span() = default;
  TENON_DETAIL_ALWAYS_INLINE constexpr Span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <std::size_t N>
  TENON_DETAIL_ALWAYS_INLINE constexpr Span(T (&items)[N]) : data_(items), size_(N) {}
  // A std::vector, array, span, SlimVector...
  template <class List>
    requires(!std::is_same_v<std::remove_cvref_t<List>, Span>) &&
                (std::is_lvalue_reference_v<List> || std::is_const_v<T> || std::ranges::enable_borrowed_range<List>) &&
                detail::SpanSource<List, T>
  TENON_DETAIL_ALWAYS_INLINE constexpr Span(List&& list) : data_(list.data()), size_(list.size()) {}

  TENON_DETAIL_ALWAYS_INLINE constexpr T* begin() const { return data_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr T* end() const { return data_ + size_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr T* data() const { return data_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr std::size_t size() const { return size_; }
  TENON_DETAIL_ALWAYS_INLINE constexpr std::size_t size_bytes() const { return size_ * sizeof(T); }
  TENON_DETAIL_ALWAYS_INLINE constexpr bool empty() const { return size_ == 0; }
  TENON_DETAIL_ALWAYS_INLINE constexpr T& operator[](std::size_t i) const { return data_[i]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr T& front() const { return data_[0]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr T& back() const { return data_[size_ - 1]; }
  TENON_DETAIL_ALWAYS_INLINE constexpr Span first(std::size_t count) const { return Span(data_, count); }
  TENON_DETAIL_ALWAYS_INLINE constexpr Span last(std::size_t count) const {
    return Span(data_ + (size_ - count), count);
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr Span subspan(std::size_t first) const {
    return Span(data_ + first, size_ - first);
  }
  TENON_DETAIL_ALWAYS_INLINE constexpr Span subspan(std::size_t first, std::size_t count) const {
    return Span(data_ + first, count);
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

TENON_DETAIL_NAMESPACE_END

// A std::span may be made of a temporary Span: the items are not its own.
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<tenon::Span<T>> = true;
