// SPDX-License-Identifier: Apache-2.0
#pragma once
// TypeList<float, double>: types as a value. No recursion, so that names in compiler messages stay short.

#include <cstddef>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A type as a value; `type` gives it back.
template <class T>
struct Type {
  using type = T;
};

template <class... T>
struct TypeList {
  static constexpr std::size_t size = sizeof...(T);

  template <class U>
  static constexpr bool contains = (std::is_same_v<T, U> || ...);
  // Position of U, or `size` if it is not in the list.
  template <class U>
  static constexpr std::size_t index_of = [] {
    constexpr bool same[] = {std::is_same_v<T, U>..., true};
    std::size_t i = 0;
    while (!same[i]) ++i;
    return i;
  }();
};

namespace detail {
template <std::size_t I, class T>
struct IndexedType : Type<T> {};
template <class Indices, class... T>
struct IndexedTypes;
template <std::size_t... I, class... T>
struct IndexedTypes<std::index_sequence<I...>, T...> : IndexedType<I, T>... {};
template <std::size_t I, class T>
Type<T> TypeAt(const IndexedType<I, T>*);

template <std::size_t I, class List>
struct Nth;
template <std::size_t I, class... T>
struct Nth<I, TypeList<T...>> {
  static_assert(I < sizeof...(T), "tenon: the type list has fewer types than that");
  using type = typename decltype(TypeAt<I>(
      static_cast<const IndexedTypes<std::index_sequence_for<T...>, T...>*>(nullptr)))::type;
};

template <class... Lists>
struct Concatenated;
template <>
struct Concatenated<> {
  using type = TypeList<>;
};
template <class... T>
struct Concatenated<TypeList<T...>> {
  using type = TypeList<T...>;
};
template <class... T, class... U, class... Rest>
struct Concatenated<TypeList<T...>, TypeList<U...>, Rest...> : Concatenated<TypeList<T..., U...>, Rest...> {};
}  // namespace detail

// The type at position I (from 0).
template <class List, std::size_t I>
using nth = typename detail::Nth<I, List>::type;

// One list with the types of all lists, in order.
template <class... Lists>
using concat = typename detail::Concatenated<Lists...>::type;

// Calls visitor.template operator()<T>() for every type, in order.
template <class... T, class Visitor>
constexpr void ForEachType(TypeList<T...>, Visitor&& visitor) {
  (static_cast<void>(visitor.template operator()<T>()), ...);
}

TENON_DETAIL_NAMESPACE_END
