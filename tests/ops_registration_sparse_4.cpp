// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: sets in the last dimension.

#include <tenon/register.hpp>
#include <tenon/ops/sparse/set.hpp>

using namespace tenon;

TENON_REGISTER(ops::DenseToDenseSetOperation, ops::DenseToSparseSetOperation, ops::SetSize,
               ops::SparseToSparseSetOperation);
