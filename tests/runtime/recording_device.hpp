// SPDX-License-Identifier: Apache-2.0
#pragma once
// A device that claims to record the work of its kernels, which are the CPU's. Its memory is the host's, in name
// another.

#include <cstring>
#include <string_view>

#include <tenon/device/cpu.hpp>
#include <tenon/device/device.hpp>
#include <tenon/memory/cpu_allocator.hpp>

namespace runtime_test {
using namespace tenon;

class RecordingDevice final : public Device {
 public:
  RecordingDevice() : Device("/job:localhost/replica:0/task:0/device:CPU:1") {}
  std::string_view type() const override { return "CPU"; }
  Allocator* allocator() const override { return CpuAllocator(); }
  void* kernel_device() override { return &cpu_; }
  bool uses_host_memory() const override { return false; }
  Status CopyToDevice(const Tensor& host, Tensor* to) override {
    ++copies_in;
    *to = Tensor(CpuAllocator(), host.dtype(), host.shape());
    return CopyInto(host, to);
  }
  Status CopyInto(const Tensor& host, Tensor* to) override {
    if (host.TotalBytes() != 0) std::memcpy(to->raw_data(), host.raw_data(), host.TotalBytes());
    return OkStatus();
  }
  Status CopyToHost(const Tensor& from, Allocator*, Tensor* to) override {
    ++copies_out;
    return *to = from, OkStatus();
  }
  Status Synchronize() override { return OkStatus(); }
  bool can_record() const override { return true; }
  Status MakeRecorder(Allocator* scratch, Owned<WorkRecorder>* recorder) override {
    ++recordings;
    return Device::MakeRecorder(scratch, recorder);  // refuses
  }

  int copies_in = 0, copies_out = 0, recordings = 0;

 private:
  Cpu cpu_{nullptr, CpuAllocator()};
};

}  // namespace runtime_test
