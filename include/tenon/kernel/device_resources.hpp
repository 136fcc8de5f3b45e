// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceResources: what lives on devices, for sessions that share it (SessionOptions::device_resources).

#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/resource_mgr.hpp>

TENON_NAMESPACE_BEGIN

class Device;

// thread-safe. Goes before the devices, whose memory the resources are in.
class DeviceResources {
 public:
  DeviceResources() = default;
  DeviceResources(const DeviceResources&) = delete;
  DeviceResources& operator=(const DeviceResources&) = delete;

  // The device's, made when it is first asked for; as long as this.
  ResourceMgr* Of(const Device* device) {
    const MutexLock lock(mutex_);
    for (const Item& item : items_)
      if (item.device == device) return item.resources.get();
    return items_.emplace_back(Item{device, MakeOwned<ResourceMgr>()}).resources.get();
  }

 private:
  struct Item {
    const Device* device;
    Owned<ResourceMgr> resources;
  };
  Mutex mutex_;
  SlimVector<Item> items_;
};

TENON_NAMESPACE_END
