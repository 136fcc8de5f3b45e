// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceSet: the devices that a graph may be placed on, in the order in which they are preferred.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/device/device_name.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// externally synchronised. The devices outlive it.
class DeviceSet {
 public:
  DeviceSet() = default;
  explicit DeviceSet(const SlimVector<Device*>& devices) {
    for (Device* device : devices) AddDevice(device);
  }

  // The first one is the client's, where feeds and fetches are.
  void AddDevice(Device* device) {
    Member member{device, DeviceName(), DeviceTypePriority(device->type())};
    DeviceName::Parse(device->name(), &member.name);
    members_.push_back(member);
    devices_.push_back(device);
    if (client_ == nullptr) client_ = device;
  }
  const SlimVector<Device*>& devices() const { return devices_; }
  Device* client_device() const { return client_; }
  void set_client_device(Device* device) { client_ = device; }

  // By its complete name; null: there is none.
  Device* FindDeviceByName(std::string_view name) const {
    for (Device* device : devices_)
      if (device->name() == name) return device;
    return nullptr;
  }
  // Returns the devices that have every part of `spec`, in the order of preference: by type, then devices of the
  // client's task, then by name as a string (so GPU:10 comes before GPU:2).
  SlimVector<Device*> FindMatchingDevices(const DeviceName& spec) const {
    SlimVector<const Member*> found;
    for (const Member& member : members_) {
      if (!IsSpecification(spec, member.name)) continue;
      found.push_back(&member);
      for (std::size_t k = found.size() - 1; k > 0 && IsPreferred(*found[k], *found[k - 1]); --k)
        std::swap(found[k], found[k - 1]);
    }
    SlimVector<Device*> devices;
    for (const Member* member : found) devices.push_back(member->device);
    return devices;
  }
  // The types of the devices, by priority.
  SlimVector<PrioritizedDeviceType> PrioritizedTypes() const {
    SlimVector<PrioritizedDeviceType> types;
    for (const Member& member : members_) {
      bool known = false;
      for (const PrioritizedDeviceType& type : types) known = known || type.type == member.name.type;
      if (!known) types.push_back({member.name.type, member.priority});
    }
    SortByPriority(&types);
    return types;
  }

 private:
  struct Member {
    Device* device;
    DeviceName name;
    int priority;
  };
  bool IsPreferred(const Member& a, const Member& b) const {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.name.type != b.name.type) return a.name.type < b.name.type;
    const bool a_local = IsLocal(a), b_local = IsLocal(b);
    return a_local != b_local ? a_local : a.device->name() < b.device->name();
  }
  bool IsLocal(const Member& member) const { return IsSameAddressSpace(member.name, members_[0].name); }

  SlimVector<Device*> devices_;
  SlimVector<Member> members_;
  Device* client_ = nullptr;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
