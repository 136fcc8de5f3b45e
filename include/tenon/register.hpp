// SPDX-License-Identifier: Apache-2.0
#pragma once
// TENON_REGISTER(ZeroOut, MatMul): makes ops known to every session of the program, with all their kernels. Once per
// program, at namespace scope of a .cpp (CPU kernels) or a .cu (GPU kernels). Among the ops may stand Types<float,
// half> (or a TypeList): kernels for these element types only, and Devices<AnyDevice>: kernels for these devices.

#include <array>
#include <cstddef>

#include <tenon/types/type_list.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A list of ops that counts as its members: TENON_REGISTER(tenon::ops::All).
template <class... Op>
struct OpList {};
template <class... Op>
struct Ops {};
template <class... Device>
struct Devices {};

namespace detail {

// The ops of packs one behind the other, eight packs at a time: lists of hundreds stay far from the limit of depth.
template <class... Pack>
struct Joined {
  using type = Ops<>;
};
template <class... A>
struct Joined<Ops<A...>> {
  using type = Ops<A...>;
};
template <class... A, class... B, class... Rest>
struct Joined<Ops<A...>, Ops<B...>, Rest...> : Joined<Ops<A..., B...>, Rest...> {};
template <class... A, class... B, class... C, class... D, class... E, class... F, class... G, class... H, class... Rest>
struct Joined<Ops<A...>, Ops<B...>, Ops<C...>, Ops<D...>, Ops<E...>, Ops<F...>, Ops<G...>, Ops<H...>, Rest...>
    : Joined<Ops<A..., B..., C..., D..., E..., F..., G..., H...>, Rest...> {};

template <class Item>
inline constexpr bool kIsOp = true;
template <class... Op>
inline constexpr bool kIsOp<tenon::OpList<Op...>> = false;
template <class... T>
inline constexpr bool kIsOp<Types<T...>> = false;
template <class... T>
inline constexpr bool kIsOp<TypeList<T...>> = false;
template <class... Device>
inline constexpr bool kIsOp<tenon::Devices<Device...>> = false;

// OpsIn<...>: the ops of a TENON_REGISTER list, with lists opened and all items that are not ops taken out.
template <class Item>
struct OpsInItem {
  using type = Ops<Item>;
};
template <class Item>
  requires(!kIsOp<Item>)
struct OpsInItem<Item> {
  using type = Ops<>;
};
template <bool flat, class... Item>
struct OpsIn {
  using type = Ops<Item...>;
};
template <class... Item>
struct OpsIn<false, Item...> : Joined<typename OpsInItem<Item>::type...> {};
template <class... Item>
struct OpsInItem<tenon::OpList<Item...>> : OpsIn<(kIsOp<Item> && ...), Item...> {};

// NarrowIn<Found, flat, ...>: the last Types<...> among the items and in their lists, or Found. `flat`: there are only
// ops.
template <class Found, bool flat, class... Item>
struct NarrowIn {
  using type = Found;
};
template <class Found, class Item, class... Rest>
struct NarrowIn<Found, false, Item, Rest...> : NarrowIn<Found, (kIsOp<Rest> && ...), Rest...> {};
template <class Found, class... T, class... Rest>
struct NarrowIn<Found, false, Types<T...>, Rest...> : NarrowIn<Types<T...>, (kIsOp<Rest> && ...), Rest...> {};
template <class Found, class... T, class... Rest>
struct NarrowIn<Found, false, TypeList<T...>, Rest...> : NarrowIn<Types<T...>, (kIsOp<Rest> && ...), Rest...> {};
template <class Found, class... Item, class... Rest>
struct NarrowIn<Found, false, tenon::OpList<Item...>, Rest...>
    : NarrowIn<typename NarrowIn<Found, (kIsOp<Item> && ...), Item...>::type, (kIsOp<Rest> && ...), Rest...> {};

// The last Devices<...> of the list itself, or Found.
template <class Found, bool flat, class... Item>
struct DevicesIn {
  using type = Found;
};
template <class Found, class Item, class... Rest>
struct DevicesIn<Found, false, Item, Rest...> : DevicesIn<Found, (kIsOp<Rest> && ...), Rest...> {};
template <class Found, class... Device, class... Rest>
struct DevicesIn<Found, false, tenon::Devices<Device...>, Rest...>
    : DevicesIn<tenon::Devices<Device...>, (kIsOp<Rest> && ...), Rest...> {};

template <class Narrow, class OpPack, class DevicePack>
struct Batch;
template <class Narrow, class... Op, class... Device>
struct Batch<Narrow, Ops<Op...>, Devices<Device...>> {
  template <class O, class D>
  static constexpr const KernelRow* Table() {
    if constexpr (CheckOp<O, D, Narrow>())
      if constexpr (HasKernel<O>) return kTable<O, D, Narrow>.data();
    return nullptr;
  }
  template <class O, class D>
  static constexpr std::size_t TableSize() {
    if constexpr (HasSignature<O>)
      if constexpr (HasKernel<O>) return CombinationCount<O, Narrow>();
    return 0;
  }
  template <class O>
  static constexpr const OpRow* RowOf() {
    if constexpr (HasSignature<O>)
      return &kOpRow<O>;
    else
      return nullptr;
  }
  template <class D>
  struct On {
    static constexpr std::array<const KernelRow*, sizeof...(Op) + 1> tables{Table<Op, D>()..., nullptr};
    static constexpr std::array<std::size_t, sizeof...(Op) + 1> sizes{TableSize<Op, D>()..., 0};
  };
  static constexpr std::array<const OpRow*, sizeof...(Op) + 1> ops{RowOf<Op>()..., nullptr};

  // Whether an op that is listed for these types has a kernel for one of them. Without a kernel of its own it need not.
  template <class O, class D>
  static constexpr bool IsServed() {
    if constexpr (CheckOp<O, D, Narrow>()) {
      if constexpr (HasKernel<O>) {
        for (const KernelRow& row : kTable<O, D, Narrow>)
          if (row.op != nullptr) return true;
        return false;
      }
    }
    return true;
  }
  // Counts the ops, after the law of lists with Types<...>.
  template <class D>
  static constexpr std::size_t CountOps() {
    if constexpr (sizeof...(Op) > 0 && !std::is_same_v<Narrow, Types<>*>) {
      constexpr bool served = (false || ... || IsServed<Op, D>());
      if constexpr (!served) (void)&Report<rule::TypesLeaveAKernel<Narrow, D, served>>;
    }
    return sizeof...(Op);
  }
  template <class D>
  static inline constinit RegistrationBatch batch{ops.data(),          CountOps<D>(), On<D>::tables.data(),
                                                  On<D>::sizes.data(), sizeof...(Op), nullptr};

  static bool Link() { return (true && ... && LinkBatch(&batch<Device>)); }
};

template <class DevicePack, class... Item>
using BatchOf = Batch<typename NarrowIn<Types<>*, (kIsOp<Item> && ...), Item...>::type,
                      typename OpsIn<(kIsOp<Item> && ...), Item...>::type,
                      typename DevicesIn<DevicePack, (kIsOp<Item> && ...), Item...>::type>;

// A .cu registers GPU kernels only: the same source is compiled a second time as C++ for the CPU kernels.
#if defined(__CUDACC__)
using UnitDevices = Devices<Cuda>;
#else
using UnitDevices = Devices<Cpu>;
#endif

}  // namespace detail

class Registry;  // kernel/registry/registry.hpp

// Registers ops in a registry of one's own, or in a program without static initialisers: Register(registry,
// Ops<ZeroOut, MatMul>{}, Devices<Cpu>{}). Returns the first error of the registry.
template <class R, class... Item, class... Device>
Status Register(R& registry, Ops<Item...>, Devices<Device...>) {
  Status status;
  (status.Update(registry.Add(detail::BatchOf<Devices<Device...>, Item...>::template batch<Device>)), ...);
  return status;
}

TENON_DETAIL_NAMESPACE_END

// The variable is named by a counter, not by its line, so that files can be compiled as one (unity builds).
#define TENON_REGISTER(...)                                                                  \
  [[maybe_unused]] static const bool TENON_DETAIL_CONCAT(tenon_registration_, __COUNTER__) = \
      ::tenon::detail::BatchOf<::tenon::detail::UnitDevices, __VA_ARGS__>::Link()
