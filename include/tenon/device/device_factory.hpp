// SPDX-License-Identifier: Apache-2.0
#pragma once
// The registered kinds of devices (DeviceFactory): lists and finds them, orders them by preference, makes devices
// from a list of names.

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_name.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

inline constexpr std::string_view kLocalTask = "/job:localhost/replica:0/task:0";
inline constexpr int kCpuPriority = 60;

namespace detail {

// Returns the factory of a type with the highest priority. *twice: another factory has the same priority.
inline const DeviceFactory* FindFactory(std::string_view type, bool* twice) {
  const DeviceFactory* found = nullptr;
  *twice = false;
  for (const DeviceFactory* f = device_factories.load(std::memory_order_acquire); f != nullptr; f = f->next) {
    if (f->type != type || (found != nullptr && f->priority < found->priority)) continue;
    *twice = found != nullptr && f->priority == found->priority;
    found = f;
  }
  return found;
}

}  // namespace detail

// Returns the priority of a type; -1: the type is not known.
inline int DeviceTypePriority(std::string_view type) {
  if (type == Cpu::type) return kCpuPriority;
  bool twice = false;
  const DeviceFactory* factory = detail::FindFactory(type, &twice);
  return factory == nullptr ? -1 : factory->priority;
}

// NotFound: no such type; the message has the known ones. AlreadyExists: two factories of the type have one priority.
inline Result<const DeviceFactory*> FindDeviceFactory(std::string_view type) {
  bool twice = false;
  const DeviceFactory* factory = detail::FindFactory(type, &twice);
  if (twice)
    return errors::AlreadyExists("two device factories of type '", type, "' have the priority ", factory->priority,
                                 "; give one of them more");
  if (factory != nullptr) return factory;
  std::string have = "'CPU'";
  for (const DeviceFactory* f = detail::device_factories.load(std::memory_order_acquire); f != nullptr; f = f->next)
    StrAppend(&have, ", '", f->type, "'");
  return errors::NotFound("no device factory for type '", type, "'; there are ", have);
}

// A type with its priority, and their order: higher first, equal ones by name.
struct PrioritizedDeviceType {
  std::string type;
  int priority = 0;
};
inline bool IsPreferred(const PrioritizedDeviceType& a, const PrioritizedDeviceType& b) {
  return a.priority != b.priority ? a.priority > b.priority : a.type < b.type;
}
inline void SortByPriority(SlimVector<PrioritizedDeviceType>* types) {
  for (std::size_t i = 1; i < types->size(); ++i)  // a handful
    for (std::size_t k = i; k > 0 && IsPreferred((*types)[k], (*types)[k - 1]); --k)
      std::swap((*types)[k], (*types)[k - 1]);
}

// All types that this process can make devices of, by priority.
inline SlimVector<PrioritizedDeviceType> DeviceTypes() {
  SlimVector<PrioritizedDeviceType> types{{std::string(Cpu::type), kCpuPriority}};
  for (const DeviceFactory* f = detail::device_factories.load(std::memory_order_acquire); f != nullptr; f = f->next) {
    bool known = false;
    for (const PrioritizedDeviceType& type : types) known = known || type.type == f->type;
    if (!known) types.push_back({std::string(f->type), DeviceTypePriority(f->type)});
  }
  SortByPriority(&types);
  return types;
}

// The allocator and the thread pool of CpuDevices; both outlive the devices.
struct CpuDeviceParts {
  Allocator* allocator = nullptr;  // null: DefaultAllocator()
  ThreadPoolInterface* pool = nullptr;  // may be null
};

// Makes devices for names such as "CPU:1", "/device:GPU:0" or complete ones of this task, as listed, but CPUs first;
// "CPU:0" is always among them. InvalidArgument: no such name, or a name twice. Also returns the factory's errors.
inline Result<SlimVector<Owned<Device>>> MakeDevices(const SlimVector<std::string>& names, const CpuDeviceParts& cpu,
                                                     std::string_view task = kLocalTask) {
  const std::string base = StrCat(task, "/device:CPU:0");
  SlimVector<DeviceName> wanted{DeviceName()};
  DeviceName::Parse(base, &wanted[0]);
  for (const bool cpus : {true, false}) {
    for (const std::string& text : names) {
      DeviceName name;
      TENON_ASSIGN_OR_RETURN(const std::string full, CanonicalizeDeviceName(text, base));
      DeviceName::Parse(full, &name);
      if (!IsSameAddressSpace(name, wanted[0]))
        return errors::InvalidArgument("device '", text, "' is not of this task, which is ", task);
      if ((name.type == Cpu::type) != cpus || (cpus && name.id == 0)) continue;
      for (const DeviceName& other : wanted)
        if (other == name) return errors::InvalidArgument("device '", text, "' is named twice");
      wanted.push_back(std::move(name));
    }
  }
  SlimVector<Owned<Device>> devices;
  for (const DeviceName& name : wanted) {
    if (name.type == Cpu::type) {
      devices.push_back(MakeOwned<CpuDevice>(name.ToString(), cpu.allocator, cpu.pool));
      continue;
    }
    TENON_ASSIGN_OR_RETURN(const DeviceFactory* factory, FindDeviceFactory(name.type));
    TENON_ASSIGN_OR_RETURN(Owned<Device> device, factory->create(name.ToString(), name.id));
    devices.push_back(std::move(device));
  }
  return devices;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
