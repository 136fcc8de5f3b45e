// SPDX-License-Identifier: Apache-2.0
#pragma once
// CudaDevice: a GPU as a session has it, "GPU:0". A file that includes this makes the type known to every session of
// the program.

#if !defined(__CUDACC__)
#error "Include <tenon/device/cuda_device.cuh> only from files that nvcc compiles."
#endif

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/device/cuda_runtime.cuh>
#include <tenon/device/device.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Kernels and copies are done in the order of queueing, also those of other sessions on this GPU. The caller may free
// host memory that is copied from at once: the device holds on to it until the next Synchronize. thread-safe.
class CudaDevice final : public Device {
 public:
  // FailedPrecondition: no usable GPU or driver. NotFound: no GPU of this number; the message says which exist.
  static Result<Owned<Device>> Create(const std::string& name, int ordinal) {
    TENON_ASSIGN_OR_RETURN(CudaRuntime * runtime, CudaRuntime::Get(ordinal));
    return Owned<Device>(new CudaDevice(name, runtime));
  }
  ~CudaDevice() override { (void)Stream().Synchronize(); }

  std::string_view type() const override { return Cuda::type; }
  Allocator* allocator() const override { return runtime_->allocator(); }
  void* kernel_device() override { return runtime_->cuda(); }
  bool uses_host_memory() const override { return false; }

  // Queued: ordered before everything that is queued later.
  Status CopyToDevice(const Tensor& host, Tensor* to) override { return CopyToDevice(host, allocator(), to); }
  Status CopyToDevice(const Tensor& host, Allocator* memory, Tensor* to) override {
    if (StaysOnHost(host, to)) return OkStatus();
    TENON_RETURN_IF_ERROR(Allocate(host, memory, to));
    if (to->raw_data() == nullptr) return OkStatus();
    TENON_RETURN_IF_ERROR(Copy(to->raw_data(), host, cudaMemcpyHostToDevice));
    KeepUntilSynchronized(host);
    return OkStatus();
  }
  // Waits until the copy is there.
  Status CopyToHost(const Tensor& from, Allocator* host_allocator, Tensor* to) override {
    if (StaysOnHost(from, to)) return OkStatus();
    TENON_RETURN_IF_ERROR(Allocate(from, host_allocator, to));
    if (to->raw_data() == nullptr) return OkStatus();
    TENON_RETURN_IF_ERROR(Copy(to->raw_data(), from, cudaMemcpyDeviceToHost));
    return Stream().Synchronize();
  }
  // Into page-locked memory.
  Status QueueCopyToHost(const Tensor& from, Allocator*, Tensor* to) override {
    if (StaysOnHost(from, to)) return OkStatus();
    TENON_RETURN_IF_ERROR(Allocate(from, PinnedAllocator(), to));
    if (to->raw_data() == nullptr) return OkStatus();
    TENON_RETURN_IF_ERROR(Copy(to->raw_data(), from, cudaMemcpyDeviceToHost));
    KeepUntilSynchronized(*to);  // the run may let go of it before the GPU has written it
    return OkStatus();
  }
  // Queued.
  Status CopyWithin(const Tensor& from, Tensor* to) override {
    TENON_RETURN_IF_ERROR(Allocate(from, allocator(), to));
    return to->raw_data() == nullptr ? OkStatus() : Copy(to->raw_data(), from, cudaMemcpyDeviceToDevice);
  }
  Status CopyInto(const Tensor& host, Tensor* to) override {
    if (to->raw_data() == nullptr) return OkStatus();
    TENON_RETURN_IF_ERROR(Copy(to->raw_data(), host, cudaMemcpyHostToDevice));
    KeepUntilSynchronized(host);
    return OkStatus();
  }
  Owned<KernelDevice> MakeKernelDevice(Allocator* scratch) override {
    return Owned<KernelDevice>(new WithScratch(*runtime_->cuda(), scratch));
  }
  bool can_record() const override { return true; }
  Status MakeRecorder(Allocator* scratch, Owned<WorkRecorder>* recorder) override {
    return runtime_->recording()->Begin(scratch, recorder);
  }
  Status Synchronize() override {
    SlimVector<Tensor> done;
    {
      MutexLock lock(mutex_);
      done.swap(copied_);
    }
    Status status = Stream().Synchronize();
    done.clear();
    MutexLock lock(mutex_);
    if (copied_.empty()) copied_.swap(done);  // keeps its room: a run that is repeated allocates nothing here
    return status;
  }

 private:
  class WithScratch final : public KernelDevice {
   public:
    WithScratch(const Cuda& cuda, Allocator* scratch) : cuda_(cuda) { cuda_.allocator = scratch; }
    void* get() override { return &cuda_; }

   private:
    Cuda cuda_;
  };

  CudaDevice(std::string name, CudaRuntime* runtime) : Device(std::move(name)), runtime_(runtime) {}
  const CudaStream& Stream() const { return runtime_->stream(); }

  // A variant is an object of the host. What it holds lies where the kernel put it that made the variant.
  static bool StaysOnHost(const Tensor& from, Tensor* to) {
    if (from.dtype() != DataType::kVariant) return false;
    *to = from;
    return true;
  }
  // After the copy is queued: a Synchronize on another thread must not let go of the tensor before.
  void KeepUntilSynchronized(const Tensor& host) {
    MutexLock lock(mutex_);
    copied_.push_back(host);
  }
  Status Allocate(const Tensor& like, Allocator* allocator, Tensor* to) const {
    if (SizeOf(like.dtype()) == 0)
      return errors::InvalidArgument(short_name(), ": a tensor of type ", like.dtype(),
                                     " cannot be copied between host and GPU; it lives in host memory only");
    *to = Tensor(allocator, like.dtype(), like.shape());
    if (to->IsInitialized()) [[likely]]
      return OkStatus();
    TENON_RETURN_IF_ERROR(Stream().Synchronize());  // after a failed kernel there is no memory, either
    return errors::ResourceExhausted("OOM when allocating tensor with shape", like.shape(), " and type ", like.dtype(),
                                     " on ", name(), " by ",
                                     detail::NoMemoryFrom(*allocator, detail::BytesWanted(like.dtype(), like.shape())));
  }
  Status Copy(void* to, const Tensor& from, cudaMemcpyKind kind) const {
    const CudaDeviceScope scope(Stream().ordinal());
    cudaError_t error = scope.error();
    if (error == cudaSuccess) error = cudaMemcpyAsync(to, from.raw_data(), from.TotalBytes(), kind, Stream().get());
    return CudaStatus(error, Stream().ordinal(),
                      kind == cudaMemcpyDeviceToDevice ? "cannot copy on the GPU" : "cannot copy between host and GPU");
  }

  CudaRuntime* const runtime_;
  Mutex mutex_;
  SlimVector<Tensor> copied_;  // host tensors of copies that may still be under way
};

namespace detail {
inline constinit DeviceFactory cuda_device_factory{.type = Cuda::type, .create = &CudaDevice::Create, .priority = 210};
inline const bool cuda_device_is_registered = LinkDeviceFactory(&cuda_device_factory);
}  // namespace detail

TENON_DETAIL_NAMESPACE_END
