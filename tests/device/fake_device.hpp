// SPDX-License-Identifier: Apache-2.0
#pragma once
// A device of any type and name, in host memory.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/device/device.hpp>
#include <tenon/memory/cpu_allocator.hpp>

namespace device_test {

using namespace tenon;

class FakeDevice final : public Device {
 public:
  FakeDevice(std::string type, std::string name, int* alive = nullptr)
      : Device(std::move(name)), type_(std::move(type)), alive_(alive) {
    if (alive_ != nullptr) ++*alive_;
  }
  ~FakeDevice() override {
    if (alive_ != nullptr) --*alive_;
  }
  std::string_view type() const override { return type_; }
  Allocator* allocator() const override { return CpuAllocator(); }
  void* kernel_device() override { return this; }
  bool uses_host_memory() const override { return true; }
  Status CopyToDevice(const Tensor& host, Tensor* to) override { return *to = host, OkStatus(); }
  Status CopyToHost(const Tensor& from, Allocator*, Tensor* to) override { return *to = from, OkStatus(); }
  Status Synchronize() override { return OkStatus(); }

 private:
  std::string type_;
  int* alive_;
};

inline Owned<Device> Fake(std::string_view type, int id, int* alive = nullptr,
                          std::string_view task = "/job:localhost/replica:0/task:0") {
  return MakeOwned<FakeDevice>(std::string(type), StrCat(task, "/device:", type, ":", id), alive);
}

}  // namespace device_test
