// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: products, softmax and crosses of sparse tensors.

#include "registration.hpp"
#include <tenon/ops/sparse/cross.hpp>
#include <tenon/ops/sparse/matmul.hpp>
#include <tenon/ops/sparse/softmax.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::SparseCross, ops::SparseCrossHashed, ops::SparseCrossV2);
TENON_TEST_REGISTER(ops::SparseSoftmax, ops::SparseTensorDenseMatMul);
