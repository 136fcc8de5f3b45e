// SPDX-License-Identifier: Apache-2.0
#pragma once
// CpuDevice: the device that every session has. Its kernels run on the threads of a pool that it does not own.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/memory/default_allocator.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/device.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class CpuDevice final : public Device {
 public:
  // `allocator` (null: DefaultAllocator()) and `pool` (which may be null) outlive the device.
  CpuDevice(std::string name, Allocator* allocator, ThreadPoolInterface* pool)
      : Device(std::move(name)), cpu_{pool, allocator != nullptr ? allocator : DefaultAllocator()} {}

  std::string_view type() const override { return Cpu::type; }
  Allocator* allocator() const override { return cpu_.allocator; }
  void* kernel_device() override { return &cpu_; }
  bool uses_host_memory() const override { return true; }
  Status CopyToDevice(const Tensor& host, Tensor* to) override {
    *to = host;
    return OkStatus();
  }
  Status CopyToHost(const Tensor& from, Allocator*, Tensor* to) override {
    *to = from;
    return OkStatus();
  }
  Status Synchronize() override { return OkStatus(); }

 private:
  Cpu cpu_;
};

TENON_DETAIL_NAMESPACE_END
