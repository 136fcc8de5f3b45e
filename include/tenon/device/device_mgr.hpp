// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceMgr: owns the devices of a process or a session and finds them by name. StaticDeviceMgr's never change, a
// DynamicDeviceMgr's come and go.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_attributes.hpp>
#include <tenon/device/device_name.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

class StaticDeviceMgr;

// Owns devices and finds them by name. thread-safe. Devices live as long as their manager, or longer: Keep and Share.
class DeviceMgr {
 public:
  // Empties these resource containers of a device; what the manager's owner keeps resources in knows how.
  using ClearContainersHook = Function<Status(Device* device, Span<const std::string> containers)>;

  DeviceMgr(const DeviceMgr&) = delete;
  DeviceMgr& operator=(const DeviceMgr&) = delete;
  virtual ~DeviceMgr() = default;

  // Finds a device by a complete name, "/device:GPU:0", "GPU:0", or the old complete form ".../gpu:0". InvalidArgument:
  // no such device; the message names all devices.
  Result<Device*> LookupDevice(std::string_view name) const {
    const MutexLock lock(mutex_);
    if (Device* const* device = names_.FindValue(name)) return *device;
    return errors::InvalidArgument(name, " unknown device. All devices: ", Names());
  }
  // Returns whether a device has this incarnation.
  bool ContainsDevice(std::uint64_t incarnation) const {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.held->attributes.incarnation == incarnation) return true;
    return false;
  }
  // Lists the devices in the order in which they were added.
  SlimVector<Device*> ListDevices() const {
    const MutexLock lock(mutex_);
    SlimVector<Device*> devices;
    for (const Entry& entry : entries_) devices.push_back(entry.device());
    return devices;
  }
  // Describes the devices, in the order of ListDevices.
  SlimVector<DeviceAttributes> ListDeviceAttributes() const {
    const MutexLock lock(mutex_);
    SlimVector<DeviceAttributes> all;
    for (const Entry& entry : entries_) all.push_back(entry.held->attributes);
    return all;
  }
  // Returns the incarnation of a device; 0: not a device of this manager.
  std::uint64_t IncarnationOf(const Device* device) const {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.device() == device) return entry.held->attributes.incarnation;
    return 0;
  }
  // Keeps a device alive after its removal and after this manager. Null: not a device of this manager.
  Ref<RefCounted> Keep(const Device* device) const {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.device() == device) return entry.held;
    return {};
  }
  // A manager of the present devices, which keeps them alive. Devices that come or go later change nothing in it.
  Owned<StaticDeviceMgr> Share() const;
  // As Share, with the present devices of `more` whose names are new. Null: there is no such device.
  Owned<StaticDeviceMgr> ShareWith(const DeviceMgr& more) const;
  // Counts the devices of a type.
  int NumDeviceType(std::string_view type) const {
    const MutexLock lock(mutex_);
    int count = 0;
    for (const Entry& entry : entries_) count += entry.device()->type() == type;
    return count;
  }
  // Returns the first CPU, or null.
  Device* HostCPU() const {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.device()->type() == Cpu::type) return entry.device();
    return nullptr;
  }
  // Returns the names, one a line.
  std::string DebugString() const {
    const MutexLock lock(mutex_);
    std::string text;
    for (const Entry& entry : entries_) StrAppend(&text, entry.device()->name(), "\n");
    return text;
  }

  // Sets the function that ClearContainers calls. Comes before the first ClearContainers.
  void set_clear_containers(ClearContainersHook hook) { clear_containers_ = std::move(hook); }
  // Clears containers of all devices; no names: the default one. The first error counts, but no device is left out.
  Status ClearContainers(Span<const std::string> containers) const {
    static const std::string kDefault[] = {"localhost"};
    Status status;
    if (clear_containers_ == nullptr) return status;
    for (Device* device : ListDevices())
      status.Update(clear_containers_(device, containers.empty() ? Span<const std::string>(kDefault) : containers));
    return status;
  }

 protected:
  DeviceMgr() = default;

  struct Held final : RefCounted {
    Owned<Device> device;
    DeviceAttributes attributes;
  };
  struct Entry {
    Ref<Held> held;
    Device* device() const { return held->device.get(); }
  };

  // InvalidArgument, with nothing added, when a name is there already or is not complete.
  Status Add(SlimVector<Owned<Device>> devices) {
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      DeviceName name;
      if (!DeviceName::Parse(devices[i]->name(), &name) || !name.IsComplete())
        return errors::InvalidArgument("device name '", devices[i]->name(),
                                       "' should be complete: /job:j/replica:r/task:t/device:TYPE:id");
      bool twice = names_.contains(std::string_view(devices[i]->name()));
      for (std::size_t k = 0; k < i; ++k) twice = twice || devices[k]->name() == devices[i]->name();
      if (twice)
        return errors::InvalidArgument("Trying to add device ", devices[i]->name(),
                                       " to manager but its name conflicts with an existing device.");
    }
    for (Owned<Device>& device : devices) {
      auto held = Ref<Held>::Adopt(new Held);
      held->attributes = MakeDeviceAttributes(*device);
      held->device = std::move(device);
      entries_.push_back({std::move(held)});
      AddNames(entries_.back().device());
    }
    return OkStatus();
  }

  // The names that a device is found by; of several devices of one local name the first counts.
  void AddNames(Device* device) {
    DeviceName name;
    DeviceName::Parse(device->name(), &name);
    names_.insert({device->name(), device});
    for (const std::string& alias : {LegacyFullDeviceName(name), LocalDeviceName(name), LegacyLocalDeviceName(name)})
      names_.insert({alias, device});
  }
  std::string Names() const {
    return entries_.empty() ? std::string("none") : StrJoin(entries_, ", ", [](std::string* text, const Entry& entry) {
      StrAppend(text, entry.device()->name());
    });
  }

  mutable Mutex mutex_;
  SlimVector<Entry> entries_;
  FlatMap<std::string, Device*> names_;

 private:
  ClearContainersHook clear_containers_;
};

//   TENON_ASSIGN_OR_RETURN(auto manager, StaticDeviceMgr::Create(std::move(devices)));
//   TENON_ASSIGN_OR_RETURN(Device* gpu, manager->LookupDevice("GPU:0"));
class StaticDeviceMgr final : public DeviceMgr {
 public:
  static Result<Owned<StaticDeviceMgr>> Create(SlimVector<Owned<Device>> devices) {
    auto manager = Owned<StaticDeviceMgr>(new StaticDeviceMgr);
    TENON_RETURN_IF_ERROR(manager->Add(std::move(devices)));
    return manager;
  }

 private:
  friend class DeviceMgr;
  StaticDeviceMgr() = default;
};

inline Owned<StaticDeviceMgr> DeviceMgr::Share() const {
  auto shared = Owned<StaticDeviceMgr>(new StaticDeviceMgr);
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_) {
    shared->entries_.push_back(entry);
    shared->AddNames(entry.device());
  }
  return shared;
}

inline Owned<StaticDeviceMgr> DeviceMgr::ShareWith(const DeviceMgr& more) const {
  Owned<StaticDeviceMgr> shared = Share();
  const std::size_t before = shared->entries_.size();
  const MutexLock lock(more.mutex_);
  for (const Entry& entry : more.entries_) {
    if (shared->names_.contains(std::string_view(entry.device()->name()))) continue;
    shared->entries_.push_back(entry);
    shared->AddNames(entry.device());
  }
  return shared->entries_.size() == before ? nullptr : std::move(shared);
}

// Does not find removed devices any more. A removed device lives as long as a session, or the caller (Keep), uses it,
// and until 64 others were removed after it.
class DynamicDeviceMgr final : public DeviceMgr {
 public:
  static constexpr std::size_t kKeptDevices = 64;

  // InvalidArgument, with nothing added, when one of the names is there already.
  Status AddDevices(SlimVector<Owned<Device>> devices) { return Add(std::move(devices)); }

  // InvalidArgument, with nothing removed, when one of them is not there or is the first CPU.
  Status RemoveDevices(Span<Device* const> devices) {
    const Device* const host = HostCPU();
    const MutexLock lock(mutex_);
    for (const Device* device : devices) {
      if (Find(device) == entries_.size())
        return errors::InvalidArgument("Unknown device ", device == nullptr ? "null" : device->name());
      if (device == host) return errors::InvalidArgument("Can not remove HostCPU device ", device->name(), ".");
    }
    for (const Device* device : devices) {
      const std::size_t i = Find(device);
      if (i == entries_.size()) continue;  // named twice
      removed_.push_back(std::move(entries_[i]));
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
      if (removed_.size() > kKeptDevices) removed_.erase(removed_.begin());
    }
    names_.clear();
    for (const Entry& entry : entries_) AddNames(entry.device());
    return OkStatus();
  }
  Status RemoveDevicesByName(Span<const std::string> names) {
    SlimVector<Device*> devices;
    for (const std::string& name : names) {
      TENON_ASSIGN_OR_RETURN(Device * device, LookupDevice(name));
      devices.push_back(device);
    }
    return RemoveDevices(devices);
  }

 private:
  std::size_t Find(const Device* device) const {
    std::size_t i = 0;
    while (i < entries_.size() && entries_[i].device() != device) ++i;
    return i;
  }
  SlimVector<Entry> removed_;  // the oldest first
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
