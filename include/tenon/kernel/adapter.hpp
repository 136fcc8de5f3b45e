// SPDX-License-Identifier: Apache-2.0
#pragma once
// From an op struct to table rows: one KernelRow for every combination of device and types that its kernel accepts,
// after the checks of kernel/op_checks.hpp.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/attrs.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_checks.hpp>
#include <tenon/kernel/op_types.hpp>
#include <tenon/kernel/params.hpp>
#include <tenon/kernel/row.hpp>
#include <tenon/kernel/rules.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct Cpu;
struct Cuda;
class OpKernel;

namespace detail {

// ---- the code of one kernel
template <class P>
decltype(auto) MakeParam(KernelCall& frame, int argument) {
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
  static Status Call(const void* kernel, KernelCall& frame, std::index_sequence<I...>) {
    using First = std::tuple_element_t<0, Args>;
    const Kernel& call = *static_cast<const Kernel*>(kernel);
    Device& device = *static_cast<Device*>(frame.device);
    if constexpr (std::is_same_v<First, Device&>) {
      if constexpr (std::is_void_v<Result>)
        return call(device, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...,
                    Done(frame.done, frame.done_state)),
               OkStatus();
      else
        return call(device, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...);
    } else {
      Context<Device> context(frame.context, &device);
      if constexpr (std::is_void_v<Result>)
        return call(context, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...,
                    Done(frame.done, frame.done_state)),
               OkStatus();
      else
        return call(context, MakeParam<std::tuple_element_t<I + 1, Args>>(frame, static_cast<int>(I))...);
    }
  }
  static constexpr std::size_t kCount = std::tuple_size_v<Args> - 1 - (std::is_void_v<Result> ? 1 : 0);
  static Status Thunk(const void* kernel, KernelCall& frame) {
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
  return TENON_DETAIL_SIGNATURE;
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
      constexpr bool made = TENON_DETAIL_IS_CONSTRUCTIBLE(Kernel);
      if constexpr (!made) (void)&Report<rule::KernelIsDefaultConstructible<Op, Kernel, made>>;
      constexpr bool init = requires(Kernel& kernel, OpKernelConstruction& c) {
        { kernel.Init(c) } -> std::same_as<Status>;
      };
      constexpr bool no_init = init || !HasInit<Kernel>;  // no Init of another form
      if constexpr (!no_init) (void)&Report<rule::KernelInitTakesConstruction<Op, Kernel, no_init>>;
      if constexpr (ok && attrs && made && no_init) {
        using Code = KernelCode<Kernel, Device, typename Check::Args, typename Check::Call::Result>;
        row.op = &kOpRow<Op>;
        row.is_async = Check::is_async;
        row.takes_context = Check::takes_context;
        if constexpr (requires { Kernel::int32_on_host; }) row.int32_on_host = Kernel::int32_on_host;
        if constexpr (requires { Kernel::outputs_on_host; }) row.outputs_on_host = Kernel::outputs_on_host;
        if constexpr (requires { Kernel::tensors_on_host; }) row.tensors_on_host = Kernel::tensors_on_host;
        if constexpr (requires { Kernel::list_step; }) row.list_step = &Kernel::list_step;
        row.params = kParamInfos<typename Check::Args, Code::kCount>.data();
        row.size = static_cast<std::uint32_t>(sizeof(Kernel));
        row.align = static_cast<std::uint32_t>(alignof(Kernel));
        row.construct = &ConstructKernel<Kernel, typename AttrsOf<Op>::type>;
        if constexpr (!TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(Kernel)) row.destroy = &DestroyKernel<Kernel>;
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
  return std::array<KernelRow, sizeof...(Flat)>{
      MakeCombination<Op, Device, Narrow, Flat>(std::make_integer_sequence<int, kTyped<Op>.count>{})...};
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

TENON_DETAIL_NAMESPACE_END
