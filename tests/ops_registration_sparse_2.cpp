// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: arithmetic of sparse tensors.

#include "registration.hpp"
#include <tenon/ops/sparse/add.hpp>
#include <tenon/ops/sparse/dense.hpp>
#include <tenon/ops/sparse/reduce.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::SparseAdd, ops::SparseAddGrad, ops::SparseSparseMaximum, ops::SparseSparseMinimum);
TENON_TEST_REGISTER(ops::SparseDenseCwiseAdd, ops::SparseDenseCwiseDiv, ops::SparseDenseCwiseMul,
                    ops::SparseTensorDenseAdd);
TENON_TEST_REGISTER(ops::SparseReduceMax, ops::SparseReduceMaxSparse, ops::SparseReduceSum, ops::SparseReduceSumSparse);
