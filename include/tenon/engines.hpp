// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include the headers that it includes.
#pragma message("<tenon/engines.hpp> is deprecated: include the headers that it includes")

#include <tenon/engine/nn/attention.hpp>
#include <tenon/engine/elementwise/fused.hpp>
#include <tenon/engine/nn/gelu.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/nn/layer_norm.hpp>
#include <tenon/engine/reduce/log_sum_exp.hpp>
#include <tenon/engine/random/threefry.hpp>
