// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: products of many matrices.

#include "registration.hpp"
#include <tenon/ops/math/batch_matmul.hpp>
#include <tenon/ops/math/einsum.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::BatchMatMul, ops::BatchMatMulV2, ops::BatchMatMulV3, ops::Einsum);
