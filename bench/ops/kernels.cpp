// SPDX-License-Identifier: Apache-2.0
// The runtime and the kernels that the benchmarks of single ops need.
#include <tenon/tenon.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/matmul.hpp>

TENON_REGISTER(tenon::Types<float>, tenon::ops::Placeholder, tenon::ops::MatMul);
