// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eigen's GpuDevice of a context. Sources that define EIGEN_USE_GPU include it. Needs CUDA's headers and runtime.

#if !defined(EIGEN_USE_GPU)
#define EIGEN_USE_GPU
#endif

#include <cuda_runtime.h>

#include <iostream>
#include <map>
#include <utility>

#include <tenon/compat/tensorflow/op_kernel_context.hpp>
// Eigen leaves it out of files that include the tensors before they define the macro.
#include <unsupported/Eigen/CXX11/src/Tensor/TensorDeviceGpu.h>

namespace tensorflow {
namespace internal {

// The first members of tenon::Cuda, which host compilers do not read.
struct CudaDevice {
  cudaStream_t stream;
  int ordinal;
};
// Eigen's device for a stream. It points at its own members.
struct EigenGpu {
  explicit EigenGpu(const CudaDevice& cuda) : stream(cuda.stream), of_stream(&stream, cuda.ordinal) {}
  EigenGpu(const EigenGpu&) = delete;
  EigenGpu& operator=(const EigenGpu&) = delete;
  const cudaStream_t stream;
  const Eigen::GpuStreamDevice of_stream;
  const Eigen::GpuDevice device{&of_stream};
};

}  // namespace internal

// Lives as long as the process: CUDA's driver may end before the last thread.
inline const Eigen::GpuDevice& OpKernelContext::eigen_gpu_device() const {
  static mutex lock;
  static auto* const made = new std::map<std::pair<int, cudaStream_t>, const internal::EigenGpu*>();
  const auto& device = *static_cast<const internal::CudaDevice*>(environment().device);
  const mutex_lock guard(lock);
  const internal::EigenGpu*& found = (*made)[{device.ordinal, device.stream}];
  if (found == nullptr) found = new internal::EigenGpu(device);
  return found->device;
}

}  // namespace tensorflow
