// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeviceMgr and StaticDeviceMgr: a list of devices, found by name.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/base/strings.hpp>
#include <tenon/compat/tensorflow/device_base.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/proto/device.hpp>

namespace tensorflow {

// immutable. Devices that it returns are borrowed.
class DeviceMgr {
 public:
  DeviceMgr() = default;
  DeviceMgr(const DeviceMgr&) = delete;
  DeviceMgr& operator=(const DeviceMgr&) = delete;
  virtual ~DeviceMgr() = default;
  virtual void ListDeviceAttributes(std::vector<DeviceAttributes>* devices) const = 0;
  virtual std::vector<Device*> ListDevices() const = 0;
  virtual std::string DebugString() const = 0;
  virtual std::string DeviceMappingString() const = 0;
  // By the full name, or by its end: "/device:CPU:0", "CPU:0" or "/cpu:0". InvalidArgument: there is none.
  virtual Status LookupDevice(StringPiece name, Device** device) const = 0;
  virtual bool ContainsDevice(int64_t device_incarnation) const = 0;
  virtual int NumDeviceType(const std::string& type) const = 0;
  virtual int NumDevices() const = 0;
  // The first processor; null without one.
  virtual Device* HostCPU() const = 0;
};

class StaticDeviceMgr : public DeviceMgr {
 public:
  explicit StaticDeviceMgr(std::vector<std::unique_ptr<Device>> devices) : devices_(std::move(devices)) {}
  explicit StaticDeviceMgr(std::unique_ptr<Device> device) { devices_.push_back(std::move(device)); }

  void ListDeviceAttributes(std::vector<DeviceAttributes>* devices) const override {
    for (const auto& device : devices_) devices->push_back(device->attributes());
  }
  std::vector<Device*> ListDevices() const override {
    std::vector<Device*> all;
    for (const auto& device : devices_) all.push_back(device.get());
    return all;
  }
  std::string DebugString() const override {
    std::string out;
    for (const auto& device : devices_) strings::StrAppend(&out, device->name(), "\n");
    return out;
  }
  std::string DeviceMappingString() const override {
    std::string out;
    for (const auto& device : devices_)
      if (!device->attributes().physical_device_desc().empty())
        strings::StrAppend(&out, device->name(), " -> ", device->attributes().physical_device_desc(), "\n");
    return out;
  }
  Status LookupDevice(StringPiece name, Device** device) const override {
    for (const auto& one : devices_)
      if (IsNamed(one->name(), name)) return *device = one.get(), Status();
    std::string known;
    for (const auto& one : devices_) strings::StrAppend(&known, known.empty() ? "" : ", ", one->name());
    return errors::InvalidArgument(name, " unknown device. Devices: ", known);
  }
  bool ContainsDevice(int64_t device_incarnation) const override {
    for (const auto& device : devices_)
      if (static_cast<int64_t>(device->attributes().incarnation()) == device_incarnation) return true;
    return false;
  }
  int NumDeviceType(const std::string& type) const override {
    int count = 0;
    for (const auto& device : devices_) count += device->device_type() == type ? 1 : 0;
    return count;
  }
  int NumDevices() const override { return static_cast<int>(devices_.size()); }
  Device* HostCPU() const override {
    for (const auto& device : devices_)
      if (device->device_type() == DEVICE_CPU) return device.get();
    return nullptr;
  }

 private:
  // "CPU:0" and "/cpu:0" stand for "/device:CPU:0".
  static bool IsNamed(const std::string& full, StringPiece name) {
    if (full == name) return true;
    const std::string wanted = str_util::Lowercase(name), has = str_util::Lowercase(full);
    const std::size_t at = has.rfind("/device:");
    if (at == std::string::npos) return false;
    const StringPiece end = StringPiece(has).substr(at + 1), local = end.substr(StringPiece("device:").size());
    StringPiece asked = wanted;
    if (asked.starts_with('/')) asked.remove_prefix(1);
    return asked == end || asked == local;
  }
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace tensorflow
