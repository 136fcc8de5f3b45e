// SPDX-License-Identifier: Apache-2.0
// The CPU kernels, and the ops that feed a graph.
#include <tenon/tenon.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>

#include "my_ops.hpp"

TENON_REGISTER(my_ops::ZeroOut, my_ops::Add, my_ops::MatMul, tenon::ops::Const, tenon::ops::Placeholder);
