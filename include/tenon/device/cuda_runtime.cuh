// SPDX-License-Identifier: Apache-2.0
#pragma once
// CudaRuntime: one GPU of the process. All sessions share its stream, its memory and its library handles.

#if !defined(__CUDACC__)
#error "Include <tenon/device/cuda_runtime.cuh> only from files that nvcc compiles."
#endif

#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/device/cuda_allocator.cuh>
#include <tenon/device/cuda_recorder.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

// One GPU of the process. One stream takes the kernels and copies of all sessions in the order of their calls, so that
// one memory pool serves them all and a tensor may outlive its session. thread-safe.
class CudaRuntime {
 public:
  // Returns the runtime of a GPU, made by the first call and never destroyed. FailedPrecondition: no usable GPU or
  // driver. NotFound: no GPU of this number; the message says which exist.
  static Result<CudaRuntime*> Get(int ordinal) {
    static Mutex* const mutex = new Mutex();
    static SlimVector<CudaRuntime*>* const made = new SlimVector<CudaRuntime*>();
    const MutexLock lock(*mutex);
    for (CudaRuntime* const runtime : *made)
      if (runtime->cuda_.ordinal == ordinal) return runtime;
    TENON_ASSIGN_OR_RETURN(const int count, CudaDeviceCount());
    if (ordinal < 0 || ordinal >= count)
      return errors::NotFound("CudaDevice: there is no 'GPU:", ordinal, "'; this machine has ",
                              count == 1 ? std::string("'GPU:0' only") : StrCat("'GPU:0' to 'GPU:", count - 1, "'"));
    TENON_ASSIGN_OR_RETURN(CudaStream stream, CudaStream::Create(ordinal));
    TENON_ASSIGN_OR_RETURN(Owned<CudaAllocator> allocator, CudaAllocator::Create(ordinal, stream.get()));
    TENON_ASSIGN_OR_RETURN(CudaStream recording, CudaStream::Create(ordinal));
    int multiprocessors = 0;
    TENON_RETURN_IF_ERROR(CudaStatus(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, ordinal),
                                     ordinal, "cannot ask for the number of multiprocessors"));
    made->push_back(new CudaRuntime(std::move(stream), std::move(recording), std::move(allocator), multiprocessors));
    return made->back();
  }
  CudaRuntime(const CudaRuntime&) = delete;
  CudaRuntime& operator=(const CudaRuntime&) = delete;

  const CudaStream& stream() const { return stream_; }
  CudaAllocator* allocator() const { return allocator_.get(); }
  Cuda* cuda() { return &cuda_; }  // the GPU as its kernels get it
  CudaRecording* recording() { return &recording_; }

 private:
  CudaRuntime(CudaStream stream, CudaStream recording, Owned<CudaAllocator> allocator, int multiprocessors)
      : stream_(std::move(stream)),
        allocator_(std::move(allocator)),
        libraries_(stream_.ordinal(), stream_.get()),
        cuda_{stream_.get(), stream_.ordinal(), multiprocessors, allocator_.get(), &libraries_},
        recording_(std::move(recording), &stream_, &cuda_) {}

  CudaStream stream_;
  Owned<CudaAllocator> allocator_;
  CudaLibraryHandles libraries_;
  Cuda cuda_;
  CudaRecording recording_;
};

TENON_DETAIL_NAMESPACE_END
