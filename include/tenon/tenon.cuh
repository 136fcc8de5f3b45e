// SPDX-License-Identifier: Apache-2.0
#pragma once
// The header of .cu files that register GPU kernels: the op language and everything of Tenon that runs on a GPU. The
// runtime stays in a .cpp file (<tenon/tenon.hpp> or <tenon/runtime.hpp>), where the host compiler alone sees it.

#if !defined(__CUDACC__)
#error "Include <tenon/tenon.cuh> only from files that nvcc compiles (.cu, or LANGUAGE CUDA in CMake)."
#endif

#include <tenon/device/cuda.cuh>
#include <tenon/device/cuda_allocator.cuh>
#include <tenon/device/cuda_device.cuh>
#include <tenon/device/cuda_runtime.cuh>
#include <tenon/engine/conv/avg_pool.cuh>
#include <tenon/engine/conv/conv.cuh>
#include <tenon/engine/conv/conv_gradient.cuh>
#include <tenon/engine/conv/depthwise.cuh>
#include <tenon/engine/conv/dilation.cuh>
#include <tenon/engine/conv/max_pool.cuh>
#include <tenon/engine/elementwise/elementwise.cuh>
#include <tenon/engine/gemm/gemm.cuh>
#include <tenon/engine/image/resize.cuh>
#include <tenon/engine/nn/epilogue.cuh>
#include <tenon/engine/nn/local_response_norm.cuh>
#include <tenon/engine/random/distributions.cuh>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/kernel/register.hpp>
