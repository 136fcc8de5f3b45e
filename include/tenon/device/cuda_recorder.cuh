// SPDX-License-Identifier: Apache-2.0
#pragma once
// CudaRecording: kernels recorded on a stream of their own, as a CUDA graph that the GPU starts as a whole.

#if !defined(__CUDACC__)
#error "Include <tenon/device/cuda_recorder.cuh> only from files that nvcc compiles."
#endif

#include <cuda_runtime.h>

#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/device/device.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Records for one GPU, one recording at a time. The stream that records does no work: graphs start on the stream of all
// kernels. So do the library handles, whose workspaces only graphs use. thread-safe.
class CudaRecording {
 public:
  // `work` and `kernels` outlive this: the stream that does the work, and the GPU as its kernels get it.
  CudaRecording(CudaStream stream, const CudaStream* work, const Cuda* kernels)
      : stream_(std::move(stream)), work_(work), kernels_(kernels), libraries_(stream_.ordinal(), stream_.get()) {}
  CudaRecording(const CudaRecording&) = delete;
  CudaRecording& operator=(const CudaRecording&) = delete;

  // As Device::MakeRecorder. Waits for the end of another recording.
  Status Begin(Allocator* scratch, Owned<WorkRecorder>* recorder) {
    mutex_.lock();
    Owned<Recorder> made(new Recorder(this));
    // Library handles take memory, which a recording stream may not.
    TENON_RETURN_IF_ERROR(libraries_.MakeAllOf(kernels_->libraries));
    cuda_ = *kernels_;
    cuda_.stream = stream_.get();
    cuda_.allocator = scratch;
    cuda_.libraries = &libraries_;
    TENON_RETURN_IF_ERROR(made->Begin());
    *recorder = std::move(made);
    return OkStatus();
  }

 private:
  class Work final : public RecordedWork {
   public:
    Work(const CudaStream* stream, cudaGraphExec_t graph) : stream_(stream), graph_(graph) {}
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work() override {
      const CudaDeviceScope scope(stream_->ordinal());
      (void)cudaGraphExecDestroy(graph_);
    }
    Status Start() override {
      const CudaDeviceScope scope(stream_->ordinal());
      cudaError_t error = scope.error();
      if (error == cudaSuccess) error = cudaGraphLaunch(graph_, stream_->get());
      if (error == cudaSuccess && detail::WaitsForKernels()) error = cudaStreamSynchronize(stream_->get());
      return CudaStatus(error, stream_->ordinal(), "cannot start recorded kernels");
    }

   private:
    const CudaStream* const stream_;
    const cudaGraphExec_t graph_;
  };

  // Holds the lock of the recording.
  class Recorder final : public WorkRecorder {
   public:
    explicit Recorder(CudaRecording* recording) : recording_(*recording) {}
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    ~Recorder() override {
      cudaGraph_t graph = nullptr;
      if (records_) (void)EndCapture(&graph);
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
      recording_.mutex_.unlock();
    }
    void* kernel_device() override { return &recording_.cuda_; }
    Status Begin() {
      const CudaDeviceScope scope(recording_.stream_.ordinal());
      cudaError_t error = scope.error();
      // Relaxed: other threads may take memory meanwhile.
      if (error == cudaSuccess) error = cudaStreamBeginCapture(recording_.stream_.get(), cudaStreamCaptureModeRelaxed);
      records_ = error == cudaSuccess;
      return CudaStatus(error, recording_.stream_.ordinal(), "cannot record kernels");
    }
    Status End(Owned<RecordedWork>* work) override {
      const CudaDeviceScope scope(recording_.stream_.ordinal());
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t runnable = nullptr;
      cudaError_t error = EndCapture(&graph);
      if (error == cudaSuccess) error = cudaGraphInstantiate(&runnable, graph, 0);
      if (graph != nullptr) (void)cudaGraphDestroy(graph);
      TENON_RETURN_IF_ERROR(CudaStatus(error, recording_.stream_.ordinal(), "cannot record kernels"));
      work->reset(new Work(recording_.work_, runnable));
      return OkStatus();
    }

   private:
    cudaError_t EndCapture(cudaGraph_t* graph) {
      const CudaDeviceScope scope(recording_.stream_.ordinal());
      records_ = false;
      const cudaError_t error = cudaStreamEndCapture(recording_.stream_.get(), graph);
      if (error != cudaSuccess) (void)cudaGetLastError();
      return error;
    }

    CudaRecording& recording_;
    bool records_ = false;
  };

  Mutex mutex_;  // held by the recording that is under way
  CudaStream stream_;
  const CudaStream* const work_;
  const Cuda* const kernels_;
  CudaLibraryHandles libraries_;
  Cuda cuda_;  // the GPU as kernels get it that are recorded
};

TENON_DETAIL_NAMESPACE_END
