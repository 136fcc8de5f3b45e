// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: sets in the last dimension.

#include "registration.hpp"
#include <tenon/ops/sparse/set.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::DenseToDenseSetOperation, ops::DenseToSparseSetOperation, ops::SetSize,
                    ops::SparseToSparseSetOperation);
