// SPDX-License-Identifier: Apache-2.0
#pragma once
// From an op struct to table rows: checks the struct's kernel against its signature and makes one KernelRow for every
// combination of device and types that the kernel accepts.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenon/base/fixed_string.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/attrs.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/row.hpp>
#include <tenon/kernel/rules.hpp>

TENON_NAMESPACE_BEGIN

struct Cpu;
struct Cuda;
class OpKernel;

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

namespace detail {

// ---- the signature's view, once per op
template <class Op>
concept HasSignature = requires {
  { Op::signature.view() } -> std::same_as<OpView>;
  typename std::bool_constant<(Op::signature.view(), true)>;  // a constant
};
template <class Op>
inline constexpr OpView kOpView = Op::signature.view();

template <class Op>
constexpr int FindAttrIndex(std::string_view name) {
  return kOpView<Op>.AttrIndex(name);
}

// The numbers of the attrs that the kernel is a template over; `found` counts those beyond the most there may be, too.
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
  constexpr std::uint64_t allowed = MaskOf<std::int16_t>() | MaskOf<std::int32_t>() | MaskOf<std::int64_t>();
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

// ---- operator()
template <class F>
struct CallTraits {
  static constexpr bool ok = false;
  using Args = std::tuple<>;
  using Result = void;
};
template <class K, class R, class... A>
struct CallTraits<R (K::*)(A...) const> {
  static constexpr bool ok = true;
  using Args = std::tuple<A...>;
  using Result = R;
};
template <class Kernel>
constexpr auto CallOf() {
  if constexpr (requires { &Kernel::operator(); })
    return CallTraits<decltype(&Kernel::operator())>{};
  else
    return CallTraits<void>{};
}

template <class Op, int I>
constexpr auto ArgumentName() {
  return FixedString<Argument<Op, I>().name().size()>(Argument<Op, I>().name());
}
template <class Op, int I, class P, class... T>
constexpr bool CheckParameter() {
  constexpr bool fits = ParameterFits<Op, I, P, T...>();
  if constexpr (!fits) {
    using Element = typename decltype(ArgumentElement<Op, I, T...>())::type;
    if constexpr (I < static_cast<int>(kOpView<Op>.inputs.size()))
      (void)&Report<rule::KernelParameterForInput<ArgumentName<Op, I>(), Element, P, fits>>;
    else
      (void)&Report<rule::KernelParameterForOutput<ArgumentName<Op, I>(), Element, P, fits>>;
  } else if constexpr (ParamTraits<ParamType<P>>::info.forward_mask >> kOpView<Op>.inputs.size() != 0) {
    (void)&Report<rule::ForwardNamesInputsOfTheSignature<Op, ArgumentName<Op, I>(), false>>;
    return false;
  }
  return fits;
}

template <class Op>
inline constexpr int kArgumentCount = static_cast<int>(kOpView<Op>.inputs.size() + kOpView<Op>.outputs.size());

template <class Args>
constexpr bool EndsInDone() {
  if constexpr (std::tuple_size_v<Args> > 0)
    return std::is_same_v<std::remove_cvref_t<std::tuple_element_t<std::tuple_size_v<Args> - 1, Args>>, Done>;
  else
    return false;
}

template <class Device, class Args>
constexpr bool TakesContext() {
  if constexpr (std::tuple_size_v<Args> > 0)
    return std::is_same_v<std::remove_cvref_t<std::tuple_element_t<0, Args>>, Context<Device>>;
  else
    return false;
}

// The whole check of one kernel; true when it may be built.
template <class Op, class Device, class Kernel, class... T>
struct KernelCheck {
  using Call = decltype(CallOf<Kernel>());
  using Args = typename Call::Args;
  static constexpr bool is_async = EndsInDone<Args>();
  static constexpr bool takes_context = TakesContext<Device, Args>();
  static constexpr std::size_t arity = std::tuple_size_v<Args> - (is_async ? 1 : 0);

  template <int... I>
  static constexpr bool Parameters(std::integer_sequence<int, I...>) {
    return (true && ... && CheckParameter<Op, I, std::tuple_element_t<static_cast<std::size_t>(I) + 1, Args>, T...>());
  }
  static constexpr bool Run() {
    constexpr bool callable =
        Call::ok && (is_async ? std::is_void_v<typename Call::Result> : std::is_same_v<typename Call::Result, Status>);
    if constexpr (!callable) {
      (void)&Report<rule::KernelCallIsOneConstFunction<Op, Kernel, callable>>;
      return false;
    } else if constexpr (arity != 1 + static_cast<std::size_t>(kArgumentCount<Op>)) {
      (void)&Report<rule::KernelCallTakesDeviceInputsOutputs<Op, Kernel, arity,
                                                             1 + static_cast<std::size_t>(kArgumentCount<Op>)>>;
      return false;
    } else {
      using First = std::tuple_element_t<0, Args>;
      constexpr bool device = std::is_same_v<First, Device&> || takes_context;
      if constexpr (!device) {
        (void)&Report<rule::KernelTakesItsDeviceFirst<Op, Device, First, device>>;
        return false;
      } else {
        return Parameters(std::make_integer_sequence<int, kArgumentCount<Op>>{});
      }
    }
  }
};

// ---- the attrs, once per op
template <class Op>
constexpr bool IsUnused(std::string_view attr) {
  if constexpr (requires { Op::unused; })
    for (const std::string_view name : Op::unused)
      if (name == attr) return true;
  return false;
}
constexpr bool SomeArgumentReads(Span<const ArgSpec> arguments, int attr) {
  for (const ArgSpec& a : arguments)
    if (a.type_attr_index == attr || a.number_attr_index == attr) return true;
  return false;
}
template <class Op>
constexpr bool IsStructural(
    std::size_t attr) {  // a type, a length or a type list of some argument: the framework reads it
  if (kOpView<Op>.attrs[attr].is_type()) return true;
  return SomeArgumentReads(kOpView<Op>.inputs, static_cast<int>(attr)) ||
         SomeArgumentReads(kOpView<Op>.outputs, static_cast<int>(attr));
}
template <class Op, std::size_t I>
constexpr auto AttrText() {
  return FixedString<kOpView<Op>.attrs[I].name().size()>(kOpView<Op>.attrs[I].name());
}

template <class Op>
struct AttrsOf {
  struct type {};
};
template <class Op>
  requires requires { typename Op::Attrs; }
struct AttrsOf<Op> {
  using type = typename Op::Attrs;
};

template <class Op>
struct AttrCheck {
  using Attrs = typename AttrsOf<Op>::type;
  static constexpr auto names = MemberNames<Attrs>();
  using Members = MemberTypesOf<Attrs>;

  template <std::size_t M>
  static constexpr bool Member() {
    constexpr int attr = FindAttrIndex<Op>(names[M]);
    if constexpr (attr < 0) {
      (void)&Report<rule::AttrsMembersAreAttrs<Op, FixedString<names[M].size()>(names[M]), (attr >= 0)>>;
      return false;
    } else {
      constexpr const AttrSpec& a = kOpView<Op>.attrs[static_cast<std::size_t>(attr)];
      constexpr bool typed = Members::known[M] && Members::kind[M] == a.kind && Members::list[M] == a.is_list;
      if constexpr (!typed)
        (void)&Report<rule::AttrsMembersHaveTheirTypes<Op, FixedString<names[M].size()>(names[M]), typed>>;
      return typed;
    }
  }
  static constexpr bool IsMember(std::string_view attr) {
    for (const std::string_view name : names)
      if (name == attr) return true;
    return false;
  }
  template <std::size_t I>
  static constexpr bool Covered() {
    constexpr std::string_view attr = kOpView<Op>.attrs[I].name();
    constexpr bool covered = IsStructural<Op>(I) || IsUnused<Op>(attr) || IsMember(attr);
    if constexpr (!covered) (void)&Report<rule::EveryAttrIsReadOrNamedInUnused<Op, AttrText<Op, I>(), covered>>;
    return covered;
  }
  template <std::size_t... M, std::size_t... I>
  static constexpr bool Run(std::index_sequence<M...>, std::index_sequence<I...>) {
    const bool members = (true && ... && Member<M>());
    return members && (true && ... && Covered<I>());
  }
  static constexpr bool ok =
      Run(std::make_index_sequence<names.size()>{}, std::make_index_sequence<kOpView<Op>.attrs.size()>{});
};
template <class Op>
constexpr bool CheckAttrs() {
  using Attrs = typename AttrsOf<Op>::type;
  constexpr bool plain = IsPlainStruct<Attrs>();
  if constexpr (plain)
    return AttrCheck<Op>::ok;
  else
    (void)&Report<rule::AttrsIsAPlainStruct<Op, Attrs, plain>>;
  return plain;
}

// Names in kernel_types must be type attrs with a list of types.
template <class Op, std::size_t... K>
constexpr bool CheckKernelTypes(std::index_sequence<K...>) {
  return (true && ... && [] {
    constexpr std::string_view name = Op::kernel_types.names[K];
    constexpr const AttrSpec* attr = kOpView<Op>.FindAttr(name);
    constexpr bool ok = attr != nullptr && attr->is_type() && !attr->allowed_types.empty();
    if constexpr (!ok) (void)&Report<rule::KernelTypesNameTypeAttrs<Op, FixedString<name.size()>(name), ok>>;
    return ok;
  }());
}
template <class Op>
constexpr bool CheckTypes() {
  if constexpr (requires { Op::kernel_types; }) {
    constexpr bool made = requires { Op::kernel_types.size; };
    if constexpr (!made) {
      (void)&Report<rule::KernelTypesIsTypeAttrs<Op, decltype(Op::kernel_types), made>>;
      return false;
    } else if constexpr (!CheckKernelTypes<Op>(std::make_index_sequence<Op::kernel_types.size>{})) {
      return false;
    }
  }
  return true;
}

// Constraints are on attrs of the signature, of the kind of their values; names with '_' are attrs of any node.
template <class Op, std::size_t I>
constexpr bool CheckConstraint() {
  constexpr auto& constraint = Op::kernel_match.constraints[I];
  constexpr std::string_view name = constraint.attr;
  constexpr const AttrSpec* attr = kOpView<Op>.FindAttr(name);
  if constexpr (name.substr(0, 1) == "_") {
    return true;
  } else if constexpr (attr == nullptr) {
    (void)&Report<rule::KernelMatchNamesAttrs<Op, FixedString<name.size()>(name), false>>;
    return false;
  } else {
    constexpr bool fits = constraint.Takes(attr->kind, attr->is_list);
    if constexpr (!fits) (void)&Report<rule::KernelMatchValuesFitTheirAttrs<Op, FixedString<name.size()>(name), fits>>;
    return fits;
  }
}
template <class Op, std::size_t I>
constexpr bool CheckHostArgument() {
  constexpr std::string_view name = Op::kernel_match.host_arguments[I];
  constexpr bool ok = kOpView<Op>.FindArg(name) != nullptr;
  if constexpr (!ok) (void)&Report<rule::KernelMatchNamesArguments<Op, FixedString<name.size()>(name), ok>>;
  return ok;
}
template <class Op, std::size_t... I, std::size_t... H>
constexpr bool CheckKernelMatch(std::index_sequence<I...>, std::index_sequence<H...>) {
  return (true && ... && CheckConstraint<Op, I>()) && (true && ... && CheckHostArgument<Op, H>());
}
template <class Op>
constexpr bool CheckMatchMember() {
  if constexpr (requires { Op::kernel_match; }) {
    using Found = std::remove_cvref_t<decltype(Op::kernel_match)>;
    constexpr bool match = std::is_same_v<Found, KernelMatch>;
    if constexpr (match)
      return CheckKernelMatch<Op>(std::make_index_sequence<Op::kernel_match.count>{},
                                  std::make_index_sequence<Op::kernel_match.host_count>{});
    else
      (void)&Report<rule::KernelMatchIsAKernelMatch<Op, Found, match>>;
    return match;
  }
  return true;
}

// What `unused` lists are attrs.
template <class Op, std::size_t... I>
constexpr bool CheckUnusedNames(std::index_sequence<I...>) {
  return (true && ... && [] {
    constexpr std::string_view name = Op::unused[I];
    constexpr bool ok = kOpView<Op>.FindAttr(name) != nullptr;
    if constexpr (!ok) (void)&Report<rule::UnusedNamesAttrs<Op, FixedString<name.size()>(name), ok>>;
    return ok;
  }());
}
template <class Op>
constexpr bool CheckUnused() {
  if constexpr (requires { Op::unused; }) {
    using Found = std::remove_cvref_t<decltype(Op::unused)>;
    constexpr bool list = requires { std::string_view(*std::begin(Op::unused)); };
    if constexpr (list)
      return CheckUnusedNames<Op>(std::make_index_sequence<std::size(Op::unused)>{});
    else
      (void)&Report<rule::UnusedIsAListOfNames<Op, Found, list>>;
    return list;
  }
  return true;
}

template <class Op>
constexpr bool CheckSignature() {
  constexpr bool complete = kOpView<Op>.outputs.size() == 0 || kOpView<Op>.shape_fn != nullptr;
  if constexpr (!complete) (void)&Report<rule::SignatureIsComplete<Op, complete>>;
  constexpr bool complex = ComplexIsKnownWhereAllowed<Op>();
  if constexpr (!complex) (void)&Report<rule::ComplexTypesNeedTheirHeader<Op, complex>>;
  const bool members = CheckTypes<Op>() && CheckMatchMember<Op>() && CheckUnused<Op>();
  return complete && members && complex && Op::signature.Validate();
}

// ---- the code of one kernel
template <class P>
decltype(auto) MakeParam(CallFrame& frame, int argument) {
  constexpr ParamKind kind = ParamTraits<ParamType<P>>::info.kind;
  const int first = frame.first[argument];
  if constexpr (kind == ParamKind::kTensorIn)
    return *static_cast<const Tensor*>(frame.inputs[first]);
  else if constexpr (kind == ParamKind::kTensorsIn)
    return frame.input_span(frame, argument);
  else if constexpr (kind == ParamKind::kTensorOut)
    return (frame.outputs[first - frame.num_inputs]);
  else if constexpr (kind == ParamKind::kTensorsOut)
    return Span<Tensor>(frame.outputs + (first - frame.num_inputs),
                        static_cast<std::size_t>(frame.first[argument + 1] - first));
  else if constexpr (kind == ParamKind::kHostIndices)
    return HostIndices(frame.views[first], frame.inputs[first]->dtype());
  else if constexpr (kind == ParamKind::kInList || kind == ParamKind::kOutList)
    return ParamType<P>(frame.views + first, frame.first[argument + 1] - first);
  else if constexpr (kind == ParamKind::kLate)
    return *::new (static_cast<void*>(frame.late[argument].bytes))
        std::remove_reference_t<P>(frame.context, first - frame.num_inputs);
  else
    return ParamType<P>(frame.views[first]);
}

template <class Kernel, class Device, class Args, class Result>
struct KernelCode {
  template <std::size_t... I>
  static Status Call(const void* kernel, CallFrame& frame, std::index_sequence<I...>) {
    using First = std::tuple_element_t<0, Args>;
    const Kernel& call = *static_cast<const Kernel*>(kernel);
    Device& device = *static_cast<Device*>(frame.device);
    if constexpr (std::is_same_v<First, Device&>) {
      if constexpr (std::is_void_v<Result>)
        return call(device, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...,
                    MakeDone(frame.done, frame.done_state)),
               OkStatus();
      else
        return call(device, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...);
    } else {
      Context<Device> context(frame.context, &device);
      if constexpr (std::is_void_v<Result>)
        return call(context, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...,
                    MakeDone(frame.done, frame.done_state)),
               OkStatus();
      else
        return call(context, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...);
    }
  }
  static constexpr std::size_t kCount = std::tuple_size_v<Args> - 1 - (std::is_void_v<Result> ? 1 : 0);
  static Status Thunk(const void* kernel, CallFrame& frame) {
    return Call(kernel, frame, std::make_index_sequence<kCount>{});
  }
};
template <class Kernel, class Attrs>
void* ConstructKernel(void* memory) {
  Kernel* kernel = ::new (memory) Kernel();
  if constexpr (std::is_base_of_v<Attrs, Kernel>)
    return static_cast<Attrs*>(kernel);
  else
    return nullptr;
}
template <class Kernel>
void DestroyKernel(void* kernel) {
  static_cast<Kernel*>(kernel)->~Kernel();
}
template <class Kernel>
Status InitKernel(void* kernel, OpKernelConstruction& construction) {
  return static_cast<Kernel*>(kernel)->Init(construction);
}
template <class Kernel>
OpKernel* CreateRawKernel(OpKernelConstruction* construction) {
  return new Kernel(construction);
}

template <class Op>
constexpr std::string_view StructName() {
  return TENON_SIGNATURE;
}
template <class Op>
constexpr OpRow MakeOpRow() {
  OpRow row{&kOpView<Op>, StructName<Op>(), static_cast<std::int8_t>(kTyped<Op>.count), {}, false, nullptr};
  for (int k = 0; k < kTyped<Op>.count; ++k) row.typed_attr[k] = static_cast<std::int8_t>(kTyped<Op>.attr[k]);
  if constexpr (requires { typename Op::Attrs; })
    if constexpr (IsPlainStruct<typename Op::Attrs>()) row.list_slots = &ListAttrSlots<typename Op::Attrs>;
  if constexpr (requires { Op::kernel_match.constraints; }) row.match = &Op::kernel_match;
  return row;
}
template <class Op>
inline constexpr OpRow kOpRow = MakeOpRow<Op>();

template <class Args, std::size_t... I>
constexpr auto MakeParamInfos(std::index_sequence<I...>) {
  return std::array<ParamInfo, sizeof...(I) + 1>{ParamTraits<ParamType<std::tuple_element_t<I + 1, Args>>>::info...,
                                                 ParamInfo{}};
}
template <class Args, std::size_t Count>
inline constexpr auto kParamInfos = MakeParamInfos<Args>(std::make_index_sequence<Count>{});

// Op::kernel<Device, T...> as `type`, where the kernel takes these types. Written out: nvcc 13 rejects the arguments of
// a member template when they end in an empty pack.
template <class Op, class Device, class... T>
struct KernelOf {};
template <class Op, class Device>
  requires requires { typename Op::template kernel<Device>; }
struct KernelOf<Op, Device> {
  using type = typename Op::template kernel<Device>;
};
template <class Op, class Device, class A>
  requires requires { typename Op::template kernel<Device, A>; }
struct KernelOf<Op, Device, A> {
  using type = typename Op::template kernel<Device, A>;
};
template <class Op, class Device, class A, class B>
  requires requires { typename Op::template kernel<Device, A, B>; }
struct KernelOf<Op, Device, A, B> {
  using type = typename Op::template kernel<Device, A, B>;
};
template <class Op, class Device, class A, class B, class C>
  requires requires { typename Op::template kernel<Device, A, B, C>; }
struct KernelOf<Op, Device, A, B, C> {
  using type = typename Op::template kernel<Device, A, B, C>;
};
template <class Op, class Device, class A, class B, class C, class D>
  requires requires { typename Op::template kernel<Device, A, B, C, D>; }
struct KernelOf<Op, Device, A, B, C, D> {
  using type = typename Op::template kernel<Device, A, B, C, D>;
};
static_assert(kMaxTypedAttrs == 4);

// A member function of that name, whatever it takes. An overloaded one is found by its first right form only.
template <class Kernel>
concept HasInit = requires { &Kernel::Init; };

template <class Op, class Device, class... T>
constexpr KernelRow MakeRow() {
  KernelRow row;
  if constexpr (requires { typename KernelOf<Op, Device, T...>::type; }) {
    using Kernel = typename KernelOf<Op, Device, T...>::type;
    row.device = Device::type;
    int k = 0;
    ((row.types[k++] = static_cast<std::uint8_t>(dtype_of_v<T>)), ...);
    if constexpr (std::is_base_of_v<OpKernel, Kernel>) {
      row.op = &kOpRow<Op>;
      row.create = &CreateRawKernel<Kernel>;
    } else {
      using Check = KernelCheck<Op, Device, Kernel, T...>;
      constexpr bool ok = CheckAttrs<Op>() && Check::Run();
      constexpr bool attrs = !requires { typename Op::Attrs; } || std::is_base_of_v<typename AttrsOf<Op>::type, Kernel>;
      if constexpr (!attrs) (void)&Report<rule::KernelDerivesFromAttrs<Op, Kernel, attrs>>;
      constexpr bool made = TENON_IS_CONSTRUCTIBLE(Kernel);
      if constexpr (!made) (void)&Report<rule::KernelIsDefaultConstructible<Op, Kernel, made>>;
      constexpr bool init = requires(Kernel& kernel, OpKernelConstruction& c) {
        { kernel.Init(c) } -> std::same_as<Status>;
      };
      constexpr bool no_init = init || !HasInit<Kernel>;  // nothing that looks like one and is none
      if constexpr (!no_init) (void)&Report<rule::KernelInitTakesConstruction<Op, Kernel, no_init>>;
      if constexpr (ok && attrs && made && no_init) {
        using Code = KernelCode<Kernel, Device, typename Check::Args, typename Check::Call::Result>;
        row.op = &kOpRow<Op>;
        row.is_async = Check::is_async;
        row.takes_context = Check::takes_context;
        if constexpr (requires { Kernel::int32_on_host; }) row.int32_on_host = Kernel::int32_on_host;
        row.params = kParamInfos<typename Check::Args, Code::kCount>.data();
        row.size = static_cast<std::uint32_t>(sizeof(Kernel));
        row.align = static_cast<std::uint32_t>(alignof(Kernel));
        row.construct = &ConstructKernel<Kernel, typename AttrsOf<Op>::type>;
        if constexpr (!TENON_IS_TRIVIALLY_DESTRUCTIBLE(Kernel)) row.destroy = &DestroyKernel<Kernel>;
        if constexpr (init) row.init = &InitKernel<Kernel>;
        row.call = &Code::Thunk;
      }
    }
  }
  return row;
}
template <class Op, class Device, class Narrow, std::size_t Flat, int... K>
constexpr KernelRow MakeCombination(std::integer_sequence<int, K...>) {
  return MakeRow<Op, Device, typename type_of<CombinationType<Op, Narrow>(Flat, K)>::type...>();
}
template <class Op, class Device, class Narrow, std::size_t... Flat>
constexpr auto MakeTable(std::index_sequence<Flat...>) {
  return std::array<KernelRow, sizeof...(Flat) + 1>{
      MakeCombination<Op, Device, Narrow, Flat>(std::make_integer_sequence<int, kTyped<Op>.count>{})..., KernelRow{}};
}
// All rows of one op on one device; rows that the kernel rejects stay empty.
template <class Op, class Device, class Narrow>
inline constexpr auto kTable =
    MakeTable<Op, Device, Narrow>(std::make_index_sequence<CombinationCount<Op, Narrow>()>{});

// Whether an op struct has a member called kernel at all: naming it becomes ambiguous.
struct KernelDecoy {
  struct kernel {};
};
template <class Op>
struct KernelAmbiguity : Op, KernelDecoy {};
template <class Op>
concept HasKernel = !requires { typename KernelAmbiguity<Op>::kernel; };

template <class Op, class Device, class Narrow, std::size_t Flat, int... K>
constexpr bool Accepts(std::integer_sequence<int, K...>) {
  return requires {
    typename KernelOf<Op, Device, typename type_of<CombinationType<Op, Narrow>(Flat, K)>::type...>::type;
  };
}
template <class Op, class Device, class Narrow, std::size_t... Flat>
constexpr bool AcceptsSome(std::index_sequence<Flat...>) {
  return (false || ... || Accepts<Op, Device, Narrow, Flat>(std::make_integer_sequence<int, kTyped<Op>.count>{}));
}

// A struct that describes an op has none of the members that only kernels use.
template <class Op>
concept HasKernelsMembers = requires { typename Op::Attrs; } || requires { Op::unused; } ||
                            requires { Op::kernel_types; } || requires { Op::kernel_match; };
struct MisspeltDecoy {
  struct Kernel {};
};
template <class Op>
struct MisspeltAmbiguity : Op, MisspeltDecoy {};
template <class Op>
concept HasMisspeltKernel = !requires { typename MisspeltAmbiguity<Op>::Kernel; };

// Everything about an op that does not depend on the kernel's types: checked once per op and device.
template <class Op, class Device, class Narrow>
constexpr bool CheckDescribed() {
  constexpr bool signature = CheckSignature<Op>();
  constexpr bool few = !HasKernel<Op> || kTyped<Op>.found <= kMaxTypedAttrs;
  if constexpr (!few) (void)&Report<rule::KernelHasAtMostFourTypes<Op, kTyped<Op>.found, few>>;
  if constexpr (signature && few && HasKernel<Op>) {
    constexpr std::size_t n = CombinationCount<Op, Narrow>();
    if constexpr (n > 0) {
      constexpr bool some = AcceptsSome<Op, Device, Narrow>(std::make_index_sequence<n>{}) ||
                            AcceptsSome<Op, Cpu, Narrow>(std::make_index_sequence<n>{}) ||
                            AcceptsSome<Op, Cuda, Narrow>(std::make_index_sequence<n>{});
      if constexpr (!some) (void)&Report<rule::KernelHasOneTypeParameterPerTypeAttr<Op, Device, some>>;
    }
  }
  if constexpr (!HasKernel<Op>) {
    constexpr bool named = !HasKernelsMembers<Op> && !HasMisspeltKernel<Op>;
    if constexpr (!named) (void)&Report<rule::KernelIsNamedKernel<Op, named>>;
    return named && signature;
  }
  return signature && few;
}
template <class Op, class Device, class Narrow>
constexpr bool CheckOp() {
  constexpr bool described = HasSignature<Op>;
  if constexpr (described)
    return CheckDescribed<Op, Device, Narrow>();
  else
    (void)&Report<rule::OpHasASignature<Op, described>>;
  return described;
}

}  // namespace detail

TENON_NAMESPACE_END
