// SPDX-License-Identifier: Apache-2.0
#pragma once
// Engines that none of the standard ops calls, for ops of one's own and for whoever fuses nodes: chains of element-wise
// steps, Gelu, layer normalisation, attention, LogSumExp, products of 8-bit integers, ThreeFry. Those that ops are made
// of (engine/gemm.hpp, conv.hpp, softmax.hpp, ...) come with <tenon/ops.hpp>, or one by one.

#include <tenon/engine/attention.hpp>
#include <tenon/engine/fused_elementwise.hpp>
#include <tenon/engine/gelu.hpp>
#include <tenon/engine/gemm_int8.hpp>
#include <tenon/engine/layer_norm.hpp>
#include <tenon/engine/log_sum_exp.hpp>
#include <tenon/engine/threefry.hpp>
