// SPDX-License-Identifier: Apache-2.0
#pragma once
// The header of .cu files that register GPU kernels: the op language and everything of Tenon that runs on a GPU. The
// runtime stays in a .cpp file (<tenon/tenon.hpp> or <tenon/runtime.hpp>), where the host compiler alone sees it.
// Engine functions that choose a kernel by dtype are templates over the device: a file compiles kernels only of those
// it calls.

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
#include <tenon/engine/core/element_copy.cuh>
#include <tenon/engine/elementwise/add_n.cuh>
#include <tenon/engine/elementwise/cast.cuh>
#include <tenon/engine/elementwise/elementwise.cuh>
#include <tenon/engine/elementwise/select.cuh>
#include <tenon/engine/elementwise/steps.cuh>
#include <tenon/engine/gemm/batched.cuh>
#include <tenon/engine/gemm/gemm.cuh>
#include <tenon/engine/image/resize.cuh>
#include <tenon/engine/layout/gather.cuh>
#include <tenon/engine/layout/pad.cuh>
#include <tenon/engine/layout/reverse_sequence.cuh>
#include <tenon/engine/layout/roll.cuh>
#include <tenon/engine/layout/transpose.cuh>
#include <tenon/engine/nn/attention_tiles.cuh>
#include <tenon/engine/nn/batch_norm.cuh>
#include <tenon/engine/nn/bias.cuh>
#include <tenon/engine/nn/cross_entropy.cuh>
#include <tenon/engine/nn/epilogue.cuh>
#include <tenon/engine/nn/fused_gemm.cuh>
#include <tenon/engine/nn/layer_norm.cuh>
#include <tenon/engine/nn/local_response_norm.cuh>
#include <tenon/engine/nn/optimizers.cuh>
#include <tenon/engine/nn/product_steps.cuh>
#include <tenon/engine/nn/softmax.cuh>
#include <tenon/engine/random/distributions.cuh>
#include <tenon/engine/reduce/arg_reduce.cuh>
#include <tenon/engine/reduce/reduce.cuh>
#include <tenon/engine/reduce/scan.cuh>
#include <tenon/engine/reduce/sum_of_squares.cuh>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/kernel/register.hpp>
