// SPDX-License-Identifier: Apache-2.0
#pragma once
// Devices of this process by short names: "GPU:0". The CPU is not among them, since every session has one.

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/device.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline constexpr std::string_view kLocalDevicePrefix = "/job:localhost/replica:0/task:0/device:";

// "GPU:0" for ".../device:GPU:0", "/device:GPU:0" and "GPU".
inline std::string ShortDeviceName(std::string_view name) {
  if (StartsWith(name, kLocalDevicePrefix)) name.remove_prefix(kLocalDevicePrefix.size());
  if (StartsWith(name, "/device:")) name.remove_prefix(8);
  return StrCat(name, name.find(':') == std::string_view::npos ? ":0" : "");
}

// Makes the device of that name; null for "CPU:0". InvalidArgument: not a device's name, or no factory for its type.
inline Result<Owned<Device>> MakeLocalDevice(std::string_view given) {
  const std::string name = ShortDeviceName(given);
  const std::size_t colon = name.find(':');
  const std::string_view type = std::string_view(name).substr(0, colon);
  int ordinal = 0;
  if (!ParseInt(std::string_view(name).substr(colon + 1), &ordinal))
    return errors::InvalidArgument("SessionOptions: cannot parse device '", given,
                                   "'; write for example \"GPU:0\" or \"CPU:0\"");
  if (type == Cpu::type && ordinal == 0) return Owned<Device>();
  std::string have = "'CPU:0'";
  for (DeviceFactory* factory = device_factories.load(std::memory_order_acquire); factory != nullptr;
       factory = factory->next) {
    if (factory->type == type) return factory->create(StrCat(kLocalDevicePrefix, type, ":", ordinal), ordinal);
    StrAppend(&have, ", '", factory->type, ":*'");
  }
  return errors::InvalidArgument("SessionOptions: no device '", given, "'; available: ", have);
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
