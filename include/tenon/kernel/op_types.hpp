// SPDX-License-Identifier: Apache-2.0
#pragma once
// The demands of an op struct's signature on its kernel: the type attrs that the kernel is a template over, the
// combinations of types, and the parameter that fits each argument.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenon/types/dtype.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// static constexpr auto kernel_types = tenon::TypeAttrs("Tidx"): the type attrs that an op's kernel is a template over.
// TypeAttrs() is the erased form: one kernel for every type.
template <std::size_t N>
struct TypeAttrNames {
  std::string_view names[N == 0 ? 1 : N];
  static constexpr std::size_t size = N;
};
template <class... Name>
constexpr TypeAttrNames<sizeof...(Name)> TypeAttrs(Name... names) {
  return {{std::string_view(names)...}};
}

// Types<float, double>: in a list of ops to register, narrows all of them to these element types.
template <class... T>
struct Types {};

// Whether maps over elements of T have kernels on Device. A GPU cannot call the arithmetic of std::complex, and its
// memory holds no strings.
template <class Device, class T>
concept MapsOn = Device::type == "CPU" ||
                 (Trivial<T> && dtype_of_v<T> != DataType::kComplex64 && dtype_of_v<T> != DataType::kComplex128);

namespace detail {

// ---- the signature's view, once per op. It points at a copy of the specs: programs hold no other part of a signature.
template <class Op>
concept HasSignature = requires {
  { Op::signature.view() } -> std::same_as<OpView>;
  typename std::bool_constant<(Op::signature.view(), true)>;  // a constant
};
template <class Op>
inline constexpr auto kOpSpecs = typename std::remove_cvref_t<decltype(Op::signature)>::Specs(Op::signature);
template <class Op>
inline constexpr OpView kOpView = Op::signature.view(kOpSpecs<Op>);

template <class Op>
constexpr int FindAttrIndex(std::string_view name) {
  return kOpView<Op>.AttrIndex(name);
}

// The numbers of the attrs that the kernel is a template over; `found` also counts attrs beyond the limit.
struct TypedAttrs {
  int count = 0;
  int found = 0;
  int attr[kMaxTypedAttrs]{};

  constexpr void Add(int number) {
    if (found++ < kMaxTypedAttrs) attr[count++] = number;
  }
};
template <class Op>
constexpr TypedAttrs FindTypedAttrs() {
  TypedAttrs typed;
  if constexpr (requires { Op::kernel_types.size; }) {
    for (int k = 0; k < static_cast<int>(Op::kernel_types.size); ++k)
      typed.Add(FindAttrIndex<Op>(Op::kernel_types.names[k]));
  } else {
    int i = 0;
    for (const AttrSpec& attr : kOpView<Op>.attrs) {
      if (attr.is_type() && !attr.allowed_types.empty()) typed.Add(i);
      ++i;
    }
  }
  return typed;
}
template <class Op>
inline constexpr TypedAttrs kTyped = FindTypedAttrs<Op>();

template <class Op>
constexpr int TypedPosition(int attr) {
  for (int k = 0; k < kTyped<Op>.count; ++k)
    if (kTyped<Op>.attr[k] == attr) return k;
  return -1;
}

// ---- masks of types
template <class T>
constexpr std::uint64_t MaskOf() {
  return std::uint64_t{1} << static_cast<int>(dtype_of_v<T>);
}
template <class Narrow>
inline constexpr std::uint64_t kNarrowMask = ~std::uint64_t{0};
template <class... T>
inline constexpr std::uint64_t kNarrowMask<Types<T...>> = (std::uint64_t{0} | ... | MaskOf<T>());

// Types that have a C++ type here; complex numbers need <tenon/types/complex.hpp>. (Op only delays the question until
// the op is registered, when every header has been read.)
template <int Dt, class Op>
concept HasElementType = requires { typename type_of<static_cast<DataType>(Dt)>::type; };
template <class Op, int... Dt>
constexpr std::uint64_t ElementTypeMask(std::integer_sequence<int, Dt...>) {
  return (std::uint64_t{0} | ... | (HasElementType<Dt, Op> ? std::uint64_t{1} << Dt : 0));
}
template <class Op>
inline constexpr std::uint64_t kElementTypes = ElementTypeMask<Op>(std::make_integer_sequence<int, 34>{});

template <class Op>
constexpr std::uint64_t AllowedMask(int k) {
  return kOpView<Op>.attrs[static_cast<std::size_t>(kTyped<Op>.attr[k])].allowed_types.mask;
}
template <class Op>
constexpr bool ComplexIsKnownWhereAllowed() {
  constexpr std::uint64_t complex = std::uint64_t{1} << static_cast<int>(DataType::kComplex64) |
                                    std::uint64_t{1} << static_cast<int>(DataType::kComplex128);
  for (int k = 0; k < kTyped<Op>.count; ++k)
    if ((AllowedMask<Op>(k) & complex & ~kElementTypes<Op>) != 0) return false;
  return true;
}
template <class Op, class Narrow>
constexpr std::uint64_t TypedMask(int k) {
  return AllowedMask<Op>(k) & kElementTypes<Op> & kNarrowMask<Narrow>;
}
constexpr int BitCount(std::uint64_t mask) {
  int n = 0;
  for (; mask != 0; mask &= mask - 1) ++n;
  return n;
}
constexpr DataType NthType(std::uint64_t mask, int n) {
  for (int dt = 0; dt < 64; ++dt)
    if ((mask >> dt & 1) != 0 && n-- == 0) return static_cast<DataType>(dt);
  return DataType::kInvalid;
}
template <class Op, class Narrow>
constexpr std::size_t CombinationCount() {
  std::size_t n = 1;
  for (int k = 0; k < kTyped<Op>.count; ++k) n *= static_cast<std::size_t>(BitCount(TypedMask<Op, Narrow>(k)));
  return n;
}
// Type number k of combination `flat`; the last attr's type runs fastest.
template <class Op, class Narrow>
constexpr DataType CombinationType(std::size_t flat, int k) {
  for (int j = kTyped<Op>.count - 1; j > k; --j) flat /= static_cast<std::size_t>(BitCount(TypedMask<Op, Narrow>(j)));
  const std::uint64_t mask = TypedMask<Op, Narrow>(k);
  return NthType(mask, static_cast<int>(flat % static_cast<std::size_t>(BitCount(mask))));
}

// ---- the element type of one declared argument, given the kernel's types; void: known only while running
template <class Op, int I>
constexpr const ArgSpec& Argument() {
  constexpr int inputs = static_cast<int>(kOpView<Op>.inputs.size());
  if constexpr (I < inputs)
    return kOpView<Op>.inputs[I];
  else
    return kOpView<Op>.outputs[I - inputs];
}
template <class Op, int I, class... T>
constexpr auto ArgumentElement() {
  constexpr const ArgSpec& a = Argument<Op, I>();
  if constexpr (a.type != DataType::kInvalid) {
    if constexpr (HasElementType<static_cast<int>(a.type), Op>)
      return type_of<a.type>{};
    else
      return std::type_identity<void>{};
  } else {
    constexpr int position = TypedPosition<Op>(a.type_attr_index);
    if constexpr (position >= 0)
      return std::type_identity<std::tuple_element_t<static_cast<std::size_t>(position), std::tuple<T...>>>{};
    else
      return std::type_identity<void>{};
  }
}
template <class Op, int I>
constexpr bool MayBeIndices() {
  constexpr std::uint64_t allowed =
      MaskOf<std::int8_t>() | MaskOf<std::int16_t>() | MaskOf<std::int32_t>() | MaskOf<std::int64_t>();
  constexpr const ArgSpec& a = Argument<Op, I>();
  if constexpr (a.type != DataType::kInvalid) return (std::uint64_t{1} << static_cast<int>(a.type) & allowed) != 0;
  const AttrSpec* attr = kOpView<Op>.TypeAttr(a);
  return attr != nullptr && !attr->allowed_types.empty() && (attr->allowed_types.mask & ~allowed) == 0;
}

// A parameter as written: In<T> and the like by value (or const&), Tensor& and Late<T>& as references.
template <class P>
using ParamType = std::conditional_t<
    std::is_same_v<std::remove_cvref_t<P>, Tensor>, P,
    std::conditional_t<std::is_lvalue_reference_v<P> && ParamTraits<P>::info.kind == ParamKind::kLate, P,
                       std::remove_cvref_t<P>>>;

template <class Op, int I, class P, class... T>
constexpr bool ParameterFits() {
  using Traits = ParamTraits<ParamType<P>>;
  using Element = typename decltype(ArgumentElement<Op, I, T...>())::type;
  constexpr bool input = I < static_cast<int>(kOpView<Op>.inputs.size());
  constexpr ParamKind kind = Traits::info.kind;
  constexpr bool type_list = Argument<Op, I>().is_type_list;
  constexpr bool list = Argument<Op, I>().is_list();
  constexpr bool same = std::is_same_v<typename Traits::value, Element> && !std::is_void_v<Element>;
  if constexpr (input && list)
    return kind == ParamKind::kTensorsIn || (kind == ParamKind::kInList && !type_list && same);
  else if constexpr (input)
    return kind == ParamKind::kTensorIn || (kind == ParamKind::kHostIndices && MayBeIndices<Op, I>()) ||
           ((kind == ParamKind::kIn || kind == ParamKind::kHostIn) && same);
  else if constexpr (list)
    return kind == ParamKind::kTensorsOut || (kind == ParamKind::kOutList && !type_list && same);
  else
    return kind == ParamKind::kTensorOut ||
           ((kind == ParamKind::kOut || kind == ParamKind::kForward || kind == ParamKind::kLate) && same);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
