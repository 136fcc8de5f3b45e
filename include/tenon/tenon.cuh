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
#include <tenon/engine/core/element_copy.cuh>
#include <tenon/engine/elementwise/elementwise.cuh>
#include <tenon/engine/gemm/gemm.cuh>
#include <tenon/engine/layout/gather.cuh>
#include <tenon/engine/layout/pad.cuh>
#include <tenon/engine/layout/reverse_sequence.cuh>
#include <tenon/engine/layout/roll.cuh>
#include <tenon/engine/layout/transpose.cuh>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/kernel/register.hpp>
