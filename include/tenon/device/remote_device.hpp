// SPDX-License-Identifier: Apache-2.0
#pragma once
// RemoteDevice: a device of another task, of which this process knows only the attributes. Graphs are placed on it.

#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_attributes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// A member of a DeviceSet, for the placement of graphs. It runs no kernels: no DeviceMgr has it. Copies are
// Unimplemented. immutable.
class RemoteDevice final : public Device {
 public:
  // `attributes` as the other task lists them; their name is complete.
  explicit RemoteDevice(DeviceAttributes attributes) : Device(attributes.name), attributes_(std::move(attributes)) {}

  std::string_view type() const override { return attributes_.device_type; }
  // Not the memory of the device: no code allocates it from here.
  Allocator* allocator() const override { return DefaultAllocator(); }
  void* kernel_device() override { return nullptr; }
  bool uses_host_memory() const override { return false; }

  Status CopyToDevice(const Tensor&, Tensor*) override { return IsElsewhere(); }
  Status CopyToHost(const Tensor&, Allocator*, Tensor*) override { return IsElsewhere(); }
  Status Synchronize() override { return OkStatus(); }

  // The attributes as the other task lists them.
  const DeviceAttributes& attributes() const { return attributes_; }

 private:
  Status IsElsewhere() const {
    return errors::Unimplemented(name(), " is a device of another task; its tensors travel through a rendezvous");
  }
  const DeviceAttributes attributes_;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
