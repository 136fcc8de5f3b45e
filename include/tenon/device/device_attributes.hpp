// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceAttributes: the public description of a device. Plain data; TensorFlow's message of the same name.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include <tenon/base/clock.hpp>
#include <tenon/base/config.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/device/device.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// The position of a device in the machine.
struct DeviceLocality {
  struct Link {  // to another device of the machine
    int device_id = 0;
    std::string type;
    int strength = 0;

    friend bool operator==(const Link&, const Link&) = default;
  };
  int bus_id = 0;
  int numa_node = 0;
  SlimVector<Link> links;
  std::string unknown_fields = {};  // fields of a message of a later version

  friend bool operator==(const DeviceLocality&, const DeviceLocality&) = default;
};

struct DeviceAttributes {
  std::string name;  // complete
  std::string device_type;
  std::int64_t memory_limit = 0;  // bytes
  DeviceLocality locality;
  std::uint64_t incarnation = 0;  // another one each time the device starts; never 0
  std::string physical_device_desc;
  std::int64_t xla_global_id = -1;
  std::string unknown_fields = {};  // fields of a message of a later version

  std::string DebugString() const {
    return StrCat("name: \"", name, "\" device_type: \"", device_type, "\" memory_limit: ", memory_limit,
                  " incarnation: ", incarnation, physical_device_desc.empty() ? "" : " physical_device_desc: \"",
                  physical_device_desc, physical_device_desc.empty() ? "" : "\"");
  }

  friend bool operator==(const DeviceAttributes&, const DeviceAttributes&) = default;
};

namespace detail {

// Returns a number that neither this process nor, as good as surely, another process has had.
inline std::uint64_t NewIncarnation() {
  static std::atomic<std::uint64_t> count{0};
  static const std::uint64_t start = [] {
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(&count);  // another one in each process
    return HashCombine(address, static_cast<std::uint64_t>(SystemNanoseconds()));
  }();
  const std::uint64_t number[] = {start, count.fetch_add(1, std::memory_order_relaxed)};
  const std::uint64_t hash = Hash64({reinterpret_cast<const char*>(number), sizeof number});
  return hash != 0 ? hash : 1;
}

}  // namespace detail

// The attributes of a device that starts now. The memory limit is its allocator's, and for a CPU without one the 256
// MiB that TensorFlow always says.
inline DeviceAttributes MakeDeviceAttributes(const Device& device) {
  DeviceAttributes attributes;
  attributes.name = device.name();
  attributes.device_type = device.type();
  attributes.incarnation = detail::NewIncarnation();
  const std::optional<AllocatorStats> stats = device.allocator()->GetStats();
  if (stats && stats->bytes_limit)
    attributes.memory_limit = *stats->bytes_limit;
  else if (device.uses_host_memory())
    attributes.memory_limit = std::int64_t{256} << 20;
  return attributes;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
