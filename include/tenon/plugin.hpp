// SPDX-License-Identifier: Apache-2.0
#pragma once
// TENON_PLUGIN(ZeroOut, MatMul): makes a shared library of the file, whose ops and kernels a running program loads with
// LoadLibrary (io/load_library.hpp). Once per library, at namespace scope; further files of the library may have
// TENON_REGISTER. The library is built from headers alone and best with -fvisibility=hidden: then nothing of it mixes
// with another library's op of the same name.

#include <tenon/register.hpp>
#include <tenon/kernel/registry/plugin.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class DevicePack, class... Item>
struct PluginOf;
template <class Device, class... Item>
struct PluginOf<Devices<Device>, Item...> {
  static constexpr PluginHeader header = MakePluginHeader(&BatchOf<Devices<Device>, Item...>::template batch<Device>);
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#define TENON_PLUGIN(...)                                                                               \
  extern "C" TENON_DETAIL_EXPORT const ::tenon::PluginHeader* tenon_plugin();                           \
  extern "C" TENON_DETAIL_EXPORT const ::tenon::PluginHeader* tenon_plugin() {                          \
    return &::tenon::detail::PluginOf<::tenon::detail::UnitDevices __VA_OPT__(, ) __VA_ARGS__>::header; \
  }                                                                                                     \
  static_assert(true, "")
