// SPDX-License-Identifier: Apache-2.0
#pragma once
// The device as a kernel asks for it: its name, its threads, its memory.

#include <functional>
#include <memory>
#include <string>

#include <tenon/memory/default_allocator.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/compat/tensorflow/proto/device.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>
#include <tenon/compat/tensorflow/threadpool.hpp>
#include <tenon/compat/tensorflow/base/types.hpp>

namespace Eigen {
struct GpuDevice;
}  // namespace Eigen
namespace stream_executor {
class Stream;
}  // namespace stream_executor

namespace tensorflow {

class DeviceBase;
// Copies between a device and the host. Contexts have none: op_device_context() is null.
class DeviceContext : public core::RefCounted {
 public:
  using Done = std::function<void(const Status&)>;
  virtual stream_executor::Stream* stream() const { return nullptr; }
  virtual void MaintainLifetimeOnStream(const Tensor*, std::shared_ptr<stream_executor::Stream>) const {}
  virtual void CopyCPUTensorToDevice(const Tensor*, DeviceBase*, Tensor*, Done done, bool = true) const {
    done(errors::Internal("Unrecognized device type in CPU-to-device Copy"));
  }
  virtual void CopyTensorInSameDevice(const Tensor*, DeviceBase*, Tensor*, Done done) const {
    done(errors::Unimplemented("Copy in same device not implemented."));
  }
  virtual void CopyDeviceTensorToCPU(const Tensor*, StringPiece, DeviceBase*, Tensor*, Done done) {
    done(errors::Internal("Unrecognized device type in device-to-CPU Copy"));
  }
  Status CopyCPUTensorToDeviceSync(const Tensor* from, DeviceBase* device, Tensor* to) const {
    Status status;
    Notification copied;
    CopyCPUTensorToDevice(from, device, to, [&](const Status& s) {
      status = s;
      copied.Notify();
    });
    copied.WaitForNotification();
    return status;
  }
  Status CopyDeviceTensorToCPUSync(const Tensor* from, StringPiece name, DeviceBase* device, Tensor* to) {
    Status status;
    Notification copied;
    CopyDeviceTensorToCPU(from, name, device, to, [&](const Status& s) {
      status = s;
      copied.Notify();
    });
    copied.WaitForNotification();
    return status;
  }
  virtual bool IsPluggableDevice() { return false; }
  virtual Allocator* host_memory_allocator() const { return nullptr; }
};

// Made for a context by its thread: valid until the context's call ends.
class DeviceBase {
 public:
  struct CpuWorkerThreads {
    int num_threads = 0;
    thread::ThreadPool* workers = nullptr;
  };
  struct AcceleratorDeviceInfo {
    stream_executor::Stream* stream = nullptr;
    DeviceContext* default_context = nullptr;
    void* event_mgr = nullptr;
    int gpu_id = 0;
  };
  using GpuDeviceInfo = AcceleratorDeviceInfo;

  DeviceBase() = default;
  DeviceBase(const DeviceBase&) = delete;
  DeviceBase& operator=(const DeviceBase&) = delete;
  virtual ~DeviceBase() = default;

  // Becomes the device of a context.
  void Reset(const tenon::OpKernelContext& context) {
    const tenon::StepEnvironment& environment = context.environment();
    const bool is_cpu = environment.constants->host_memory && environment.device != nullptr;
    pool_ = thread::ThreadPool(is_cpu ? static_cast<tenon::Cpu*>(environment.device)->pool : nullptr);
    threads_ = {pool_.NumThreads(), &pool_};
    allocator_ = context.get_allocator({});
    raw_ = environment.device;
    if (name_ != context.device_name()) {
      name_ = std::string(context.device_name());
      attributes_.set_name(name_);
      attributes_.set_device_type(environment.constants->host_memory ? "CPU" : "GPU");
      attributes_.set_incarnation(1);
    }
  }

  explicit DeviceBase(Env*) : has_eigen_device_(false) {}
  // For tests.
  void set_name(const std::string& name) {
    name_ = name;
    attributes_.set_name(name);
    attributes_.set_device_type("CPU");
  }
  void set_tensorflow_cpu_worker_threads(const CpuWorkerThreads* threads) { threads_ = *threads; }
  Env* env() const { return internal::DefaultEnv(); }
  virtual bool RequiresRecordingAccessedTensors() const { return false; }
  virtual Status Sync() { return Status(); }
  DataType dtype_of_device_memory() const { return DT_INVALID; }

  virtual const CpuWorkerThreads* tensorflow_cpu_worker_threads() const { return &threads_; }
  virtual const std::string& name() const { return name_; }
  virtual const DeviceAttributes& attributes() const { return attributes_; }
  const std::string& device_type() const { return attributes_.device_type(); }
  virtual Allocator* GetAllocator(AllocatorAttributes) { return AllocatorView::Of(allocator_); }
  virtual Allocator* GetStepAllocator(AllocatorAttributes attributes, void*) { return GetAllocator(attributes); }
  virtual Allocator* GetScopedAllocator(AllocatorAttributes, int64_t) { return nullptr; }
  virtual void CopyTensorInSameDevice(const Tensor*, Tensor*, const DeviceContext*, StatusCallback done) {
    done(errors::Internal("Device ", name(), " does not implement CopyTensorInSameDevice"));
  }
  // InvalidArgument: the message is not a tensor.
  virtual Status MakeTensorFromProto(const TensorProto& proto, const AllocatorAttributes, Tensor* tensor) {
    if (tensor->FromProto(proto)) return Status();
    return errors::InvalidArgument("Cannot parse tensor from proto: ", proto.ShortDebugString());
  }
  virtual const AcceleratorDeviceInfo* tensorflow_gpu_device_info() const { return nullptr; }
  virtual const AcceleratorDeviceInfo* tensorflow_accelerator_device_info() const { return nullptr; }
  thread::ThreadPool* tensorflow_device_thread_pool() { return &pool_; }
  bool has_eigen_cpu_device() const { return has_eigen_device_; }
  virtual int NumaNode() const { return 0; }
  void* raw_device() const { return raw_; }
#if TENON_COMPAT_EIGEN_THREADS
  void set_eigen_cpu_device(Eigen::ThreadPoolDevice* device) {
    eigen_device_ = device;
    has_eigen_device_ = true;
  }
  // Has at most as many threads as ScopedPerThreadMaxParallelism allows.
  const Eigen::ThreadPoolDevice* eigen_cpu_device() {
    return &EigenDeviceAtMost(eigen_device_ != nullptr ? *eigen_device_ : EigenDeviceOf(pool_.pool()));
  }
#endif

 private:
  thread::ThreadPool pool_;
  CpuWorkerThreads threads_;
  tenon::Allocator* allocator_ = nullptr;
  void* raw_ = nullptr;
  bool has_eigen_device_ = true;
#if TENON_COMPAT_EIGEN_THREADS
  const Eigen::ThreadPoolDevice* eigen_device_ = nullptr;
#endif
  std::string name_;
  DeviceAttributes attributes_;
};
using Device = DeviceBase;

}  // namespace tensorflow
