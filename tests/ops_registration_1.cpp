// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: arrays, products of matrices, reductions. In several files, so that they compile
// side by side.

#include "registration.hpp"
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/pack.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/reduction.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Identity, ops::Pack, ops::Reshape, ops::Shape, ops::StridedSlice);
TENON_TEST_REGISTER(ops::MatMul);
TENON_TEST_REGISTER(ops::Max, ops::Mean, ops::Min, ops::Prod, ops::Sum);
