// SPDX-License-Identifier: Apache-2.0
#pragma once
// Helpers of TensorFlow's GPU kernels: launch configurations, loops over a grid, atomics. For CUDA's compiler; host
// code may include it, and then it has the headers of kernels alone.

#include <tenon/compat/tensorflow/kernel_def_builder.hpp>
#if defined(EIGEN_USE_GPU)
#include <tenon/compat/tensorflow/gpu_device.hpp>
#endif

#if defined(__CUDACC__)
#include <cuda_runtime.h>

namespace tensorflow {

using gpuStream_t = cudaStream_t;
using gpuError_t = cudaError_t;

struct GpuLaunchConfig {
  int virtual_thread_count = -1;
  int thread_per_block = -1;
  int block_count = -1;
};
using CudaLaunchConfig = GpuLaunchConfig;
// Threads for `work` items: as many as run at once, or one an item.
inline GpuLaunchConfig GetGpuLaunchConfig(int work, const Eigen::GpuDevice& device) {
  GpuLaunchConfig config;
  config.virtual_thread_count = work;
  config.thread_per_block = device.maxGpuThreadsPerBlock() < 1024 ? device.maxGpuThreadsPerBlock() : 1024;
  const int needed = (work + config.thread_per_block - 1) / config.thread_per_block;
  const int most =
      device.getNumGpuMultiProcessors() * (device.maxGpuThreadsPerMultiProcessor() / config.thread_per_block);
  config.block_count = needed < most ? needed : most;
  if (config.block_count < 1) config.block_count = 1;
  return config;
}
inline GpuLaunchConfig GetCudaLaunchConfig(int work, const Eigen::GpuDevice& device) {
  return GetGpuLaunchConfig(work, device);
}
template <class Kernel>
GpuLaunchConfig GetGpuLaunchConfig(int work, const Eigen::GpuDevice& device, Kernel, size_t, int) {
  return GetGpuLaunchConfig(work, device);
}

template <class... Parameters, class... Arguments>
Status GpuLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes, gpuStream_t stream,
                       Arguments... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0) return Status();
  kernel<<<grid, block, shared_bytes, stream>>>(static_cast<Parameters>(arguments)...);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? Status() : errors::Internal(cudaGetErrorString(error));
}

// for (int i : GpuGridRangeX(n)): the items of this thread.
template <class T>
class GpuGridRange {
 public:
  struct Iterator {
    T at, step;
    __device__ T operator*() const { return at; }
    __device__ Iterator& operator++() {
      at += step;
      return *this;
    }
    __device__ bool operator!=(const Iterator& end) const { return at < end.at; }
  };
  __device__ GpuGridRange(T begin, T step, T end) : begin_(begin), step_(step), end_(end) {}
  __device__ Iterator begin() const { return {begin_, step_}; }
  __device__ Iterator end() const { return {end_, step_}; }

 private:
  T begin_, step_, end_;
};
template <class T>
__device__ GpuGridRange<T> GpuGridRangeX(T count) {
  return GpuGridRange<T>(static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x), static_cast<T>(gridDim.x * blockDim.x),
                         count);
}
template <class T>
__device__ GpuGridRange<T> CudaGridRangeX(T count) {
  return GpuGridRangeX(count);
}
template <class T, class U>
__device__ T GpuAtomicAdd(T* to, U value) {
  return atomicAdd(to, static_cast<T>(value));
}
template <class T, class U>
__device__ T CudaAtomicAdd(T* to, U value) {
  return atomicAdd(to, static_cast<T>(value));
}
template <class T, class U>
__device__ T GpuAtomicMax(T* to, U value) {
  return atomicMax(to, static_cast<T>(value));
}
template <class T>
__device__ T ldg(const T* from) {
  return __ldg(from);
}
template <class T>
__global__ void SetZero(const int count, T* to) {
  for (int i : GpuGridRangeX(count)) to[i] = T(0);
}
template <class T>
__global__ void SetToValue(const int count, T* to, T value) {
  for (int i : GpuGridRangeX(count)) to[i] = value;
}

}  // namespace tensorflow

#define GPU_1D_KERNEL_LOOP(i, n) for (int i : ::tensorflow::GpuGridRangeX<int>(n))
#define CUDA_1D_KERNEL_LOOP(i, n) GPU_1D_KERNEL_LOOP(i, n)
#endif
