// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: sparse tensors, their places and parts.

#include "registration.hpp"
#include <tenon/ops/sparse/fill_empty_rows.hpp>
#include <tenon/ops/sparse/reshape.hpp>
#include <tenon/ops/sparse/slice.hpp>
#include <tenon/ops/sparse/to_dense.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::SparseConcat, ops::SparseReorder, ops::SparseReshape, ops::SparseSlice, ops::SparseSliceGrad,
                    ops::SparseSplit, ops::SparseToDense);
TENON_TEST_REGISTER(ops::SparseFillEmptyRows, ops::SparseFillEmptyRowsGrad);
