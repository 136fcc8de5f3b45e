// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attrs: the data members of an op's `struct Attrs` are the attrs that its kernel reads, bound by name in any order.
// The members' names are read by the compiler; one table per op says where each attr goes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/construction.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Converts to anything: stands for a member while members are counted.
struct AnyMember {
  template <class T>
  constexpr operator T() const noexcept;
};
template <class A, std::size_t... I>
constexpr bool TakesMembers(std::index_sequence<I...>) {
  return requires { A{((void)I, AnyMember{})...}; };
}
template <class A, std::size_t N = 0>
constexpr std::size_t MemberCount() {
  if constexpr (TakesMembers<A>(std::make_index_sequence<N + 1>{}))
    return MemberCount<A, N + 1>();
  else
    return N;
}

// An A that is named but never defined: only its members' names are read.
template <class A>
struct Named {
  A value;
};
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif
template <class A>
extern const Named<A> named;

// The last identifier in the name of a pointer to a member, "... named<A>.value.A::transpose_a ..." or "(&
// named<A>.value)->...".
template <auto Member>
constexpr std::string_view MemberName() {
  std::string_view text = TENON_DETAIL_SIGNATURE;
  std::size_t end = text.find(';');
  if (end == std::string_view::npos) end = text.size();
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (end > 0 && !word(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && word(text[begin - 1])) --begin;
  std::string_view name = text.substr(begin, end - begin);
  if (name.size() > 1 && name.back() == '_') name.remove_suffix(1);  // `template_` stands for the attr 'template'
  return name;
}

inline constexpr std::size_t kMaxAttrMembers = 24;

// Converts to the bases of A alone: the first initialiser of an aggregate with a base may be such a one.
template <class A>
struct BaseOf {
  template <class T>
    requires(std::is_base_of_v<T, A> && !std::is_same_v<T, A>)
  constexpr operator T() const noexcept;
};
// Whether the compiler can take A apart: public members only, not too many, no base.
template <class A>
constexpr bool IsPlainStruct() {
  if constexpr (std::is_aggregate_v<A>)
    return !requires { A{BaseOf<A>{}}; } && MemberCount<A>() <= kMaxAttrMembers;
  else
    return false;
}

// Calls visit(a, b, ...) with the data members of a plain struct.
template <class A, class Visit>
constexpr auto WithMembers(A& x, Visit visit) {
  constexpr std::size_t count = MemberCount<std::remove_const_t<A>>();
  (void)x;
  if constexpr (count == 0)
    return visit();
  else if constexpr (count == 1) {
    auto& [a] = x;
    return visit(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = x;
    return visit(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = x;
    return visit(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = x;
    return visit(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = x;
    return visit(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = x;
    return visit(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = x;
    return visit(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = x;
    return visit(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = x;
    return visit(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = x;
    return visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else if constexpr (count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  } else if constexpr (count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y] = x;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y);
  }
}
template <class A>
constexpr auto MemberNames() {
  constexpr std::size_t count = MemberCount<A>();
  if constexpr (count == 0)
    return std::array<std::string_view, 0>{};
  else if constexpr (count == 1) {
    auto& [a] = named<A>.value;
    return std::array{MemberName<&a>()};
  } else if constexpr (count == 2) {
    auto& [a, b] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>()};
  } else if constexpr (count == 3) {
    auto& [a, b, c] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>()};
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>()};
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>()};
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(),
                      MemberName<&d>(), MemberName<&e>(), MemberName<&f>()};
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>()};
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>(), MemberName<&h>()};
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>()};
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>()};
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>(), MemberName<&h>(),
                      MemberName<&i>(), MemberName<&j>(), MemberName<&k>()};
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>(), MemberName<&h>(),
                      MemberName<&i>(), MemberName<&j>(), MemberName<&k>(), MemberName<&l>()};
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>()};
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>()};
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>()};
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(),
                      MemberName<&e>(), MemberName<&f>(), MemberName<&g>(), MemberName<&h>(),
                      MemberName<&i>(), MemberName<&j>(), MemberName<&k>(), MemberName<&l>(),
                      MemberName<&m>(), MemberName<&n>(), MemberName<&o>(), MemberName<&p>()};
  } else if constexpr (count == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>(),
                      MemberName<&p>(), MemberName<&q>()};
  } else if constexpr (count == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>(),
                      MemberName<&p>(), MemberName<&q>(), MemberName<&r>()};
  } else if constexpr (count == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>(),
                      MemberName<&p>(), MemberName<&q>(), MemberName<&r>(), MemberName<&s>()};
  } else if constexpr (count == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>(),
                      MemberName<&p>(), MemberName<&q>(), MemberName<&r>(), MemberName<&s>(), MemberName<&t>()};
  } else if constexpr (count == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>(),
                      MemberName<&p>(), MemberName<&q>(), MemberName<&r>(), MemberName<&s>(), MemberName<&t>(),
                      MemberName<&u>()};
  } else if constexpr (count == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>(),
                      MemberName<&p>(), MemberName<&q>(), MemberName<&r>(), MemberName<&s>(), MemberName<&t>(),
                      MemberName<&u>(), MemberName<&v>()};
  } else if constexpr (count == 23) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>(),
                      MemberName<&p>(), MemberName<&q>(), MemberName<&r>(), MemberName<&s>(), MemberName<&t>(),
                      MemberName<&u>(), MemberName<&v>(), MemberName<&w>()};
  } else if constexpr (count == 24) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y] = named<A>.value;
    return std::array{MemberName<&a>(), MemberName<&b>(), MemberName<&c>(), MemberName<&d>(), MemberName<&e>(),
                      MemberName<&f>(), MemberName<&g>(), MemberName<&h>(), MemberName<&i>(), MemberName<&j>(),
                      MemberName<&k>(), MemberName<&l>(), MemberName<&m>(), MemberName<&n>(), MemberName<&o>(),
                      MemberName<&p>(), MemberName<&q>(), MemberName<&r>(), MemberName<&s>(), MemberName<&t>(),
                      MemberName<&u>(), MemberName<&v>(), MemberName<&w>(), MemberName<&y>()};
  }
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

// AttrMember<M>: the attr kind that a member of type M holds.
template <class M>
struct AttrMember {
  static constexpr bool known = false, list = false;
  static constexpr AttrKind kind = AttrKind::kInt;
};
template <>
struct AttrMember<std::int64_t> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kInt;
};
template <>
struct AttrMember<float> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kFloat;
};
template <>
struct AttrMember<bool> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kBool;
};
template <>
struct AttrMember<std::string_view> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kString;
};
template <>
struct AttrMember<DataType> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kType;
};
template <>
struct AttrMember<PartialTensorShape> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kShape;
};
template <>
struct AttrMember<Tensor> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kTensor;
};
template <>
struct AttrMember<const NameAttrList*> {
  static constexpr bool known = true, list = false;
  static constexpr AttrKind kind = AttrKind::kFunc;
};
template <>
struct AttrMember<std::span<const std::int64_t>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kInt;
};
template <>
struct AttrMember<std::span<const float>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kFloat;
};
template <>
struct AttrMember<std::span<const char>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kBool;
};
template <>
struct AttrMember<std::span<const std::string>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kString;
};
template <>
struct AttrMember<std::span<const DataType>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kType;
};
template <>
struct AttrMember<std::span<const PartialTensorShape>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kShape;
};
template <>
struct AttrMember<std::span<const Tensor>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kTensor;
};
template <>
struct AttrMember<std::span<const NameAttrList>> {
  static constexpr bool known = true, list = true;
  static constexpr AttrKind kind = AttrKind::kFunc;
};

// One member: which kind it holds and where it lies inside Attrs.
struct AttrSlot {
  std::string_view name;
  AttrKind kind;
  bool list;
  void* member;
};
struct SlotsOf {
  template <class... M>
  constexpr auto operator()(M&... members) const {
    return std::array<AttrSlot, sizeof...(M)>{AttrSlot{{}, AttrMember<M>::kind, AttrMember<M>::list, &members}...};
  }
};
// The members' types, without needing a value of them.
template <class... M>
struct MemberTypes {
  static constexpr bool known[sizeof...(M) + 1] = {AttrMember<M>::known..., true};
  static constexpr bool list[sizeof...(M) + 1] = {AttrMember<M>::list..., false};
  static constexpr AttrKind kind[sizeof...(M) + 1] = {AttrMember<M>::kind..., AttrKind::kInt};
};
struct TypesOf {
  template <class... M>
  constexpr auto operator()(M&...) const {
    return MemberTypes<std::remove_const_t<M>...>{};
  }
};
template <class A>
using MemberTypesOf = decltype(WithMembers(std::declval<A&>(), TypesOf{}));

// Writes one slot per member of *attrs and returns how many there are.
template <class Attrs>
std::size_t ListAttrSlots(void* attrs, AttrSlot* slots) {
  constexpr auto names = MemberNames<Attrs>();
  if constexpr (names.size() > 0) {
    const auto members = WithMembers(*static_cast<Attrs*>(attrs), SlotsOf{});
    for (std::size_t i = 0; i < names.size(); ++i) {
      slots[i] = members[i];
      slots[i].name = names[i];
    }
  }
  return names.size();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
