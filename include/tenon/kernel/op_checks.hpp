// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checks an op struct's kernel and members against its signature. The compiler reports each mistake as a sentence
// (kernel/rules.hpp).

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenon/base/fixed_string.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/attrs.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_types.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/rules.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

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
  // Whether a parameter gives elements that lie in the device's memory.
  template <int... I>
  static constexpr bool TakesElements(std::integer_sequence<int, I...>) {
    constexpr auto gives = [](ParamKind kind) {
      if constexpr (requires { requires Kernel::tensors_on_host; }) return false;
      if constexpr (requires { requires Kernel::outputs_on_host; })
        if (IsOutputKind(kind)) return false;
      return kind == ParamKind::kIn || kind == ParamKind::kInList || kind == ParamKind::kOut ||
             kind == ParamKind::kForward || kind == ParamKind::kOutList || kind == ParamKind::kLate;
    };
    return (false || ... ||
            gives(ParamTraits<ParamType<std::tuple_element_t<static_cast<std::size_t>(I) + 1, Args>>>::info.kind));
  }
  static constexpr bool MayRunThere() {
    if constexpr (Device::type != "GPU" || requires { requires Kernel::for_gpu; }) {
      return true;
    } else {
      constexpr bool says_so = !TakesElements(std::make_integer_sequence<int, kArgumentCount<Op>>{});
      if constexpr (!says_so) (void)&Report<rule::KernelForGpuSaysSo<Op, Kernel, says_so>>;
      return says_so;
    }
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
        // A kernel with wrong parameters has one mistake to mend first.
        if constexpr (Parameters(std::make_integer_sequence<int, kArgumentCount<Op>>{}))
          return MayRunThere();
        else
          return false;
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

// Checks that every name in `unused` is an attr.
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

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
