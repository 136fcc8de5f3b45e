// SPDX-License-Identifier: Apache-2.0
#pragma once
// Cuda: the device that a GPU kernel gets: a stream, an allocator, library handles. Streams, events, errors as
// Status, and ForEach: one body for every index. Only nvcc reads this; it adds overloads and leaves host code
// unchanged.

#if !defined(__CUDACC__)
#error "Include <tenon/device/cuda.cuh> only from files that nvcc compiles (.cu, or LANGUAGE CUDA in CMake)."
#endif

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/view.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Allocator;
class CudaLibraryHandles;
struct CudaEpilogue;

// The GPU as a kernel sees it. Borrowed from the runtime for one call. All work of a kernel on `stream` happens in
// the order of the calls, one after the other, also across kernels: memory may be freed as soon as the last use is
// queued.
struct Cuda {
  static constexpr std::string_view type = "GPU";
  cudaStream_t stream = nullptr;
  int ordinal = 0;                          // CUDA's number of the GPU
  int multiprocessors = 108;                // sizes the grids
  Allocator* allocator = nullptr;           // allocator of device memory, ordered like the stream
  CudaLibraryHandles* libraries = nullptr;  // handles of cuBLAS and the like; null: there are none
  CudaEpilogue* epilogue = nullptr;  // steps for the result of the kernel (engine/core/result_epilogue.cuh); null: none
};
// compat/tensorflow/gpu_device.hpp, which host compilers read, has these members again.
static_assert(offsetof(Cuda, stream) == 0 && offsetof(Cuda, ordinal) == sizeof(cudaStream_t));

// ---- errors

// Returns OK, or the error as a Status ("CUDA: ..." for ordinal -1): "GPU:0: copying failed: an illegal memory access
// was encountered (cudaErrorIllegalAddress)". FailedPrecondition: no GPU or driver, or the binary has no code for
// this GPU. ResourceExhausted: memory. Otherwise Internal.
TENON_DETAIL_COLD inline Status CudaErrorStatus(cudaError_t error, int ordinal, std::string_view what) {
  Code code = Code::kInternal;
  std::string_view hint;
  switch (error) {
    case cudaSuccess: return OkStatus();
    case cudaErrorMemoryAllocation: code = Code::kResourceExhausted; break;
    case cudaErrorInvalidDevice: code = Code::kNotFound; break;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorDevicesUnavailable:
      code = Code::kFailedPrecondition;
      hint = "; a GPU and a driver that knows this CUDA version are needed";
      break;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      code = Code::kFailedPrecondition;
      hint = "; compile for this GPU (CMAKE_CUDA_ARCHITECTURES, nvcc -arch)";
      break;
    default: break;
  }
  const std::string where = ordinal < 0 ? std::string("CUDA") : StrCat("GPU:", ordinal);
  return errors::Make(code, where, ": ", what, ": ", cudaGetErrorString(error), " (", cudaGetErrorName(error), ")",
                      hint);
}
inline Status CudaStatus(cudaError_t error, int ordinal, std::string_view what) {
  if (error == cudaSuccess) [[likely]]
    return OkStatus();
  (void)cudaGetLastError();  // an error that was reported is not met again by the next call
  return CudaErrorStatus(error, ordinal, what);
}

// Makes a GPU the calling thread's current one, as CUDA's calls need, and restores the one before it at the end.
class CudaDeviceScope {
 public:
  explicit CudaDeviceScope(int ordinal) {
    status_ = cudaGetDevice(&before_);
    if (status_ != cudaSuccess || before_ == ordinal) return;
    status_ = cudaSetDevice(ordinal);
    changed_ = status_ == cudaSuccess;
  }
  ~CudaDeviceScope() {
    if (changed_) (void)cudaSetDevice(before_);
  }
  CudaDeviceScope(const CudaDeviceScope&) = delete;
  CudaDeviceScope& operator=(const CudaDeviceScope&) = delete;

  cudaError_t error() const { return status_; }

 private:
  int before_ = 0;
  cudaError_t status_;
  bool changed_ = false;
};

// Returns the number of GPUs, at least 1. FailedPrecondition: no GPU can be used; the message has CUDA's reason.
inline Result<int> CudaDeviceCount() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  TENON_RETURN_IF_ERROR(CudaStatus(error == cudaSuccess && count == 0 ? cudaErrorNoDevice : error, -1,
                                   "cannot use a GPU of this machine"));
  return count;
}

// ---- streams and events

// A point in a stream's work. thread-safe after Create; waits for nothing when it is destroyed.
class CudaEvent {
 public:
  // With `timed`, MillisecondsSince works.
  static Result<CudaEvent> Create(int ordinal, bool timed = false) {
    CudaEvent event(ordinal);
    const CudaDeviceScope scope(ordinal);
    TENON_RETURN_IF_ERROR(CudaStatus(scope.error(), ordinal, "cannot make an event"));
    const cudaError_t error =
        cudaEventCreateWithFlags(&event.event_, timed ? cudaEventDefault : cudaEventDisableTiming);
    TENON_RETURN_IF_ERROR(CudaStatus(error, ordinal, "cannot make an event"));
    return event;
  }
  CudaEvent(CudaEvent&& other) noexcept : ordinal_(other.ordinal_), event_(std::exchange(other.event_, nullptr)) {}
  CudaEvent& operator=(CudaEvent&& other) noexcept {
    std::swap(ordinal_, other.ordinal_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~CudaEvent() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }

  // The event is reached when all work that is in the stream now is done.
  Status Record(cudaStream_t stream) {
    return CudaStatus(cudaEventRecord(event_, stream), ordinal_, "cannot record an event");
  }
  // Waits until it is reached.
  Status Synchronize() const {
    return CudaStatus(cudaEventSynchronize(event_), ordinal_, "the work before an event failed");
  }
  // Both events timed, recorded and reached.
  Result<float> MillisecondsSince(const CudaEvent& start) const {
    float ms = 0;
    TENON_RETURN_IF_ERROR(
        CudaStatus(cudaEventElapsedTime(&ms, start.event_, event_), ordinal_, "cannot read the time of an event"));
    return ms;
  }
  cudaEvent_t get() const { return event_; }

 private:
  explicit CudaEvent(int ordinal) : ordinal_(ordinal) {}
  int ordinal_;
  cudaEvent_t event_ = nullptr;
};

// A queue of work on a GPU, independent of CUDA's default stream. thread-safe after Create.
class CudaStream {
 public:
  static Result<CudaStream> Create(int ordinal) {
    CudaStream stream(ordinal);
    const CudaDeviceScope scope(ordinal);
    TENON_RETURN_IF_ERROR(CudaStatus(scope.error(), ordinal, "cannot make a stream"));
    TENON_RETURN_IF_ERROR(
        CudaStatus(cudaStreamCreateWithFlags(&stream.stream_, cudaStreamNonBlocking), ordinal, "cannot make a stream"));
    return stream;
  }
  CudaStream(CudaStream&& other) noexcept : ordinal_(other.ordinal_), stream_(std::exchange(other.stream_, nullptr)) {}
  CudaStream& operator=(CudaStream&& other) noexcept {
    std::swap(ordinal_, other.ordinal_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  // Returns at once; the work in the stream is still done.
  ~CudaStream() {
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  // Waits until all work in it is done. Returns the error of that work.
  Status Synchronize() const { return CudaStatus(cudaStreamSynchronize(stream_), ordinal_, "a kernel or copy failed"); }
  // Makes work that is queued from now on start after the event.
  Status WaitFor(const CudaEvent& event) const {
    return CudaStatus(cudaStreamWaitEvent(stream_, event.get(), 0), ordinal_, "cannot wait for an event");
  }
  cudaStream_t get() const { return stream_; }
  int ordinal() const { return ordinal_; }

 private:
  explicit CudaStream(int ordinal) : ordinal_(ordinal) {}
  int ordinal_;
  cudaStream_t stream_ = nullptr;
};

// ---- libraries

// Makes the handle of a library for a stream, and ends it. The GPU is current during both calls. immutable.
struct CudaLibrary {
  std::string_view name;
  Status (*create)(cudaStream_t stream, void** handle);
  void (*destroy)(void* handle);
};

// The handles that kernels need for one stream, each made when first asked for. thread-safe.
class CudaLibraryHandles {
 public:
  CudaLibraryHandles(int ordinal, cudaStream_t stream) : ordinal_(ordinal), stream_(stream) {}
  CudaLibraryHandles(const CudaLibraryHandles&) = delete;
  CudaLibraryHandles& operator=(const CudaLibraryHandles&) = delete;
  ~CudaLibraryHandles() {
    const CudaDeviceScope scope(ordinal_);
    for (const Entry& entry : entries_) entry.library.destroy(entry.handle);
  }

  // Makes the handles that `other` has and this has not.
  Status MakeAllOf(CudaLibraryHandles* other) {
    SlimVector<Entry> known;
    {
      MutexLock lock(other->mutex_);
      known = other->entries_;
    }
    for (const Entry& entry : known) TENON_RETURN_IF_ERROR(With(entry.library, [](void*) { return OkStatus(); }));
    return OkStatus();
  }
  // Calls use(handle) -> Status with the GPU current and no other thread using a handle.
  template <class Use>
  Status With(const CudaLibrary& library, const Use& use) {
    const CudaDeviceScope scope(ordinal_);
    TENON_RETURN_IF_ERROR(CudaStatus(scope.error(), ordinal_, "cannot use the GPU"));
    MutexLock lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.library.name == library.name) return use(entry.handle);
    Entry entry{library, nullptr};
    TENON_RETURN_IF_ERROR(library.create(stream_, &entry.handle));
    entries_.push_back(entry);
    return use(entry.handle);
  }

 private:
  struct Entry {
    CudaLibrary library;
    void* handle;
  };
  const int ordinal_;
  const cudaStream_t stream_;
  Mutex mutex_;
  SlimVector<Entry> entries_;
};

// ---- launching

struct CudaGrid {
  unsigned blocks, threads;  // threads of one block
};

// For `units` pieces of work that threads take with strides of the whole grid: as many blocks as the GPU can hold a few
// times over, never more than there is work for, at least one.
constexpr CudaGrid LinearGrid(const Cuda& device, Index units) {
  constexpr Index kThreads = 256, kBlocksPerMultiprocessor = 32;
  const Index wanted = (units + kThreads - 1) / kThreads;
  const Index most = kBlocksPerMultiprocessor * (device.multiprocessors > 0 ? device.multiprocessors : 1);
  const Index blocks = wanted < 1 ? 1 : wanted < most ? wanted : most;
  return {static_cast<unsigned>(blocks), static_cast<unsigned>(kThreads)};
}

namespace detail {
// Whether each launch waits for its kernel, so that the kernel's error is told with its node: TENON_CUDA_SYNC=1 in the
// environment, read at the first launch.
inline bool WaitsForKernels() {
  static const bool waits = [] {
    const char* const text = std::getenv("TENON_CUDA_SYNC");
    return text != nullptr && text[0] == '1';
  }();
  return waits;
}

// The launch of a kernel, without what depends on the kernel's type.
class CudaLaunch {
 public:
  CudaLaunch(const Cuda& device, CudaGrid grid) : scope_(device.ordinal), ordinal_(device.ordinal) {
    config_.gridDim = dim3(grid.blocks);
    config_.blockDim = dim3(grid.threads);
    config_.stream = device.stream;
  }
  cudaError_t error() const { return scope_.error(); }  // where no kernel can be launched
  const cudaLaunchConfig_t* config() const { return &config_; }
  Status End(cudaError_t error) const {
    if (error == cudaSuccess && WaitsForKernels()) error = cudaStreamSynchronize(config_.stream);
    return CudaStatus(error, ordinal_, "cannot start a kernel");
  }

 private:
  const CudaDeviceScope scope_;
  const int ordinal_;
  cudaLaunchConfig_t config_{};
};
}  // namespace detail

// Queues kernel<<<grid>>>(args...) in the device's stream. Returns the error of a launch that failed. A later call,
// at the latest the end of the run, returns an error of the running kernel; with TENON_CUDA_SYNC=1 this one does.
template <class... Params, class... Args>
Status LaunchCuda(Cuda& device, CudaGrid grid, void (*kernel)(Params...), const Args&... args) {
  const detail::CudaLaunch launch(device, grid);
  if (launch.error() != cudaSuccess) [[unlikely]]
    return launch.End(launch.error());
  return launch.End(cudaLaunchKernelEx(launch.config(), kernel, static_cast<Params>(args)...));
}

namespace detail {
template <class Body>
__global__ void ForEachKernel(const __grid_constant__ Body body, Index n) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index i = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) body(i);
}
}  // namespace detail

// Runs body(i) for every i in [0, n), in any order, on as many threads as the GPU has. Returns when it is queued.
// `body` is copied to the GPU: a functor of namespace or class scope (not a lambda), trivially copyable, with a
// TENON_HD const call operator.
template <class Body>
Status ForEach(Cuda& device, Index n, const Body& body) {
  static_assert(std::is_trivially_copyable_v<Body>,
                "tenon: the body of ForEach is copied to the GPU byte by byte: it must be trivially copyable");
  if (n <= 0) return OkStatus();
  return LaunchCuda(device, LinearGrid(device, n), &detail::ForEachKernel<Body>, body, n);
}

TENON_DETAIL_NAMESPACE_END
