// SPDX-License-Identifier: Apache-2.0
#pragma once
// Device: runs kernels and owns memory. DeviceFactory: adds a kind of device to the binary.

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

class OpKernel;
class OpKernelConstruction;

// The object that kernels of a device get, for one user. Lives as long as the device.
class KernelDevice {
 public:
  virtual ~KernelDevice() = default;
  virtual void* get() = 0;
};

// Work of kernels that a device starts as a whole. Kernels read and write the addresses with which they were recorded.
// externally synchronised.
class RecordedWork {
 public:
  virtual ~RecordedWork() = default;
  // Queues the work behind all work that was queued before.
  virtual Status Start() = 0;
};

// Records the work of kernels instead of doing it. one thread. One destroyed before End drops what it recorded.
class WorkRecorder {
 public:
  virtual ~WorkRecorder() = default;
  virtual void* kernel_device() = 0;  // for the kernels to record, instead of the device's own
  // Ends the recording. Errors: some kernel did what cannot be recorded, such as waiting for its work.
  virtual Status End(Owned<RecordedWork>* work) = 0;
};

// A device: runs kernels and owns memory. thread-safe. Lives as long as the session or the manager that owns it.
class Device {
 public:
  // Takes a kernel that was made for the device and returns the kernel that runs in its place, or the kernel itself.
  using KernelWrapper = OpKernel* (*)(OpKernel* kernel, OpKernelConstruction* construction, Device* device);

  // the complete name: "/job:localhost/replica:0/task:0/device:GPU:0"
  explicit Device(std::string name) : name_(std::move(name)) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual std::string_view type() const = 0;  // "CPU", "GPU": which kernels it runs
  virtual Allocator* allocator() const = 0;  // for its memory; lives as long as the device
  virtual void* kernel_device() = 0;  // the Cpu or Cuda object that kernels get
  // Returns whether kernels of this device read and write ordinary host memory.
  virtual bool uses_host_memory() const = 0;

  // Copies a host tensor to the device's memory; allocates *to. A copy has ended when the call returns, or it is
  // ordered before the device's next kernel, as the device documents. ResourceExhausted: no memory.
  virtual Status CopyToDevice(const Tensor& host, Tensor* to) = 0;
  // Copies a tensor of the device to host memory; otherwise as CopyToDevice.
  virtual Status CopyToHost(const Tensor& from, Allocator* host_allocator, Tensor* to) = 0;
  // As CopyToHost, but the copy may end with the next Synchronize. *to may lie in memory of the device's choice.
  virtual Status QueueCopyToHost(const Tensor& from, Allocator* host_allocator, Tensor* to) {
    return CopyToHost(from, host_allocator, to);
  }
  // Copies a tensor of the device to other memory of the device; otherwise as CopyToDevice.
  virtual Status CopyWithin(const Tensor& from, Tensor* to) {
    Tensor host;
    TENON_RETURN_IF_ERROR(CopyToHost(from, DefaultAllocator(), &host));
    return CopyToDevice(host, to);
  }
  // Waits for all kernels and copies. Returns their first error.
  virtual Status Synchronize() = 0;
  // Copies a host tensor to the device as CopyToDevice does, into a block of `memory`, an allocator over the device's
  // own.
  virtual Status CopyToDevice(const Tensor& host, Allocator* memory, Tensor* to) {
    (void)memory;
    return CopyToDevice(host, to);
  }

  // Copies a host tensor into `to`, of the same type and shape, at its address; otherwise as CopyToDevice.
  virtual Status CopyInto(const Tensor& host, Tensor* to) { return CopyToDevice(host, to); }
  // Returns the object that kernels get, with scratch memory from `scratch`, an allocator over the device's own. Null:
  // kernel_device() serves.
  virtual Owned<KernelDevice> MakeKernelDevice(Allocator* scratch) {
    (void)scratch;
    return {};
  }
  // Returns whether MakeRecorder works.
  virtual bool can_record() const { return false; }
  // Begins to record the work of kernels, whose scratch memory comes from `scratch`. Unimplemented: not on this device.
  virtual Status MakeRecorder(Allocator* scratch, Owned<WorkRecorder>* recorder) {
    (void)scratch;
    (void)recorder;
    return errors::Unimplemented(short_name(), ": the work of kernels is not recorded");
  }

  // Ends a run on the device: waits for its work. An error of that work goes before `status` where that is only its
  // consequence, as the lack of memory after a kernel that failed.
  TENON_DETAIL_COLD void EndRun(Status* status) {
    const Status work = Synchronize();
    if (!work.ok() && (status->ok() || status->code() == Code::kResourceExhausted)) *status = work;
  }

  // Returns the function that wraps each kernel of the device; null: kernels run as they are.
  KernelWrapper kernel_wrapper() const { return kernel_wrapper_; }

  const std::string& name() const { return name_; }  // "/job:localhost/replica:0/task:0/device:GPU:0"
  std::string short_name() const {  // "GPU:0"
    const std::size_t at = name_.rfind("device:");
    return at == std::string::npos ? name_ : name_.substr(at + 7);
  }

 protected:
  void set_kernel_wrapper(KernelWrapper wrapper) { kernel_wrapper_ = wrapper; }

 private:
  std::string name_;
  KernelWrapper kernel_wrapper_ = nullptr;
};

// Makes devices of one type; linked into a list by a static object of the file that defines the device. immutable.
struct DeviceFactory {
  std::string_view type;
  Result<Owned<Device>> (*create)(const std::string& name, int ordinal);
  DeviceFactory* next = nullptr;
  std::atomic<bool> linked{false};
  int priority = 50;  // TensorFlow's: of two types that can run a node, the one with more is preferred
  std::string_view kernels = {};  // the type whose kernels run here; empty: `type`
};

namespace detail {
inline constinit std::atomic<DeviceFactory*> device_factories{nullptr};

inline bool LinkDeviceFactory(DeviceFactory* factory) {
  if (factory->linked.exchange(true, std::memory_order_relaxed)) return true;
  factory->next = device_factories.load(std::memory_order_relaxed);
  while (!device_factories.compare_exchange_weak(factory->next, factory, std::memory_order_release,
                                                 std::memory_order_relaxed)) {
  }
  return true;
}
}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END
