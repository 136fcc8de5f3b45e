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
#include <tenon/device/cuda_allocator.cuh>
#include <tenon/device/device.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// One stream for all kernels and copies, so that work is done in the order of queueing. The caller may free host
// memory that is copied from at once: the device holds on to it until the next Synchronize. thread-safe.
class CudaDevice final : public Device {
 public:
  // FailedPrecondition: no usable GPU or driver. NotFound: no GPU of this number; the message says which exist.
  static Result<Owned<Device>> Create(const std::string& name, int ordinal) {
    TENON_ASSIGN_OR_RETURN(const int count, CudaDeviceCount());
    if (ordinal < 0 || ordinal >= count)
      return errors::NotFound("CudaDevice: there is no 'GPU:", ordinal, "'; this machine has ",
                              count == 1 ? std::string("'GPU:0' only") : StrCat("'GPU:0' to 'GPU:", count - 1, "'"));
    TENON_ASSIGN_OR_RETURN(CudaStream stream, CudaStream::Create(ordinal));
    TENON_ASSIGN_OR_RETURN(Owned<CudaAllocator> allocator, CudaAllocator::Create(ordinal, stream.get()));
    int multiprocessors = 0;
    TENON_RETURN_IF_ERROR(CudaStatus(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, ordinal),
                                     ordinal, "cannot ask for the number of multiprocessors"));
    return Owned<Device>(new CudaDevice(name, std::move(stream), std::move(allocator), multiprocessors));
  }
  ~CudaDevice() override { (void)stream_.Synchronize(); }

  std::string_view type() const override { return Cuda::type; }
  Allocator* allocator() const override { return allocator_.get(); }
  void* kernel_device() override { return &cuda_; }
  bool uses_host_memory() const override { return false; }

  // Queued: ordered before everything that is queued later.
  Status CopyToDevice(const Tensor& host, Tensor* to) override {
    TENON_RETURN_IF_ERROR(Allocate(host, allocator_.get(), to));
    if (to->raw_data() == nullptr) return OkStatus();
    TENON_RETURN_IF_ERROR(Copy(to->raw_data(), host, cudaMemcpyHostToDevice));
    MutexLock lock(mutex_);  // after the copy is queued: a Synchronize on another thread must not let go of it before
    sources_.push_back(host);
    return OkStatus();
  }
  // Waits until the copy is there.
  Status CopyToHost(const Tensor& from, Allocator* host_allocator, Tensor* to) override {
    TENON_RETURN_IF_ERROR(Allocate(from, host_allocator, to));
    if (to->raw_data() == nullptr) return OkStatus();
    TENON_RETURN_IF_ERROR(Copy(to->raw_data(), from, cudaMemcpyDeviceToHost));
    return stream_.Synchronize();
  }
  Status Synchronize() override {
    SlimVector<Tensor> done;
    {
      MutexLock lock(mutex_);
      done.swap(sources_);
    }
    Status status = stream_.Synchronize();
    done.clear();
    MutexLock lock(mutex_);
    if (sources_.empty()) sources_.swap(done);  // keeps its room: a run that is repeated allocates nothing here
    return status;
  }

 private:
  CudaDevice(std::string name, CudaStream stream, Owned<CudaAllocator> allocator, int multiprocessors)
      : Device(std::move(name)),
        stream_(std::move(stream)),
        allocator_(std::move(allocator)),
        libraries_(stream_.ordinal(), stream_.get()),
        cuda_{stream_.get(), stream_.ordinal(), multiprocessors, allocator_.get(), &libraries_} {}

  Status Allocate(const Tensor& like, Allocator* allocator, Tensor* to) const {
    if (SizeOf(like.dtype()) == 0)
      return errors::InvalidArgument(short_name(), ": a tensor of type ", like.dtype(),
                                     " cannot be copied between host and GPU; it lives in host memory only");
    *to = Tensor(allocator, like.dtype(), like.shape());
    if (to->IsInitialized()) [[likely]]
      return OkStatus();
    return errors::ResourceExhausted("OOM when allocating tensor with shape", like.shape(), " and type ", like.dtype(),
                                     " on ", name(), " by ",
                                     detail::NoMemoryFrom(*allocator, detail::BytesWanted(like.dtype(), like.shape())));
  }
  Status Copy(void* to, const Tensor& from, cudaMemcpyKind kind) const {
    const CudaDeviceScope scope(stream_.ordinal());
    cudaError_t error = scope.error();
    if (error == cudaSuccess) error = cudaMemcpyAsync(to, from.raw_data(), from.TotalBytes(), kind, stream_.get());
    return CudaStatus(error, stream_.ordinal(), "cannot copy between host and GPU");
  }

  CudaStream stream_;
  Owned<CudaAllocator> allocator_;
  CudaLibraryHandles libraries_;
  Cuda cuda_;
  Mutex mutex_;
  SlimVector<Tensor> sources_;  // sources of copies that may still be under way
};

namespace detail {
inline constinit DeviceFactory cuda_device_factory{.type = Cuda::type, .create = &CudaDevice::Create, .priority = 210};
inline const bool cuda_device_factory_linked = LinkDeviceFactory(&cuda_device_factory);
}  // namespace detail

TENON_DETAIL_NAMESPACE_END
