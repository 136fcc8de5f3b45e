// SPDX-License-Identifier: Apache-2.0
#pragma once
// Engines that no standard op calls, for ops of one's own and for fusing nodes: chains of element-wise steps, Gelu,
// layer normalisation, attention, LogSumExp, products of 8-bit integers, ThreeFry. The engines that ops call
// (engine/gemm/gemm.hpp, conv.hpp, softmax.hpp, ...) come with <tenon/ops.hpp>, or one by one.

#include <tenon/engine/nn/attention.hpp>
#include <tenon/engine/elementwise/fused.hpp>
#include <tenon/engine/nn/gelu.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/nn/layer_norm.hpp>
#include <tenon/engine/reduce/log_sum_exp.hpp>
#include <tenon/engine/random/threefry.hpp>
