// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceResources: what lives on devices, for sessions that share it (SessionOptions::device_resources).

#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/kernel/resource_mgr.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Device;

// thread-safe. The resources are in the devices' memory: a device that nothing keeps outlives this.
class DeviceResources {
 public:
  DeviceResources() = default;
  DeviceResources(const DeviceResources&) = delete;
  DeviceResources& operator=(const DeviceResources&) = delete;

  // The device's, made when it is first asked for; as long as this. `keeps`: what keeps the device alive as long
  // (DeviceMgr::Keep), if that is not the caller.
  ResourceMgr* Of(const Device* device, Ref<RefCounted> keeps = {}) {
    const MutexLock lock(mutex_);
    for (Item& item : items_) {
      if (item.device != device) continue;
      if (!item.keeps) item.keeps = std::move(keeps);
      return item.resources.get();
    }
    return items_.emplace_back(Item{device, std::move(keeps), MakeOwned<ResourceMgr>()}).resources.get();
  }

 private:
  struct Item {
    const Device* device;
    Ref<RefCounted> keeps;
    Owned<ResourceMgr> resources;  // goes first: it lies in the device's memory
  };
  Mutex mutex_;
  SlimVector<Item> items_;
};

TENON_DETAIL_NAMESPACE_END
