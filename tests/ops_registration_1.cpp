// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: arrays and mathematics. In two files, so that they compile side by side.

#include <tenon/register.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/pack.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/math/binary.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/unary.hpp>

using namespace tenon;

TENON_REGISTER(ops::Identity, ops::Pack, ops::Reshape, ops::Shape, ops::StridedSlice);
TENON_REGISTER(ops::Add, ops::AddV2, ops::Maximum, ops::Minimum, ops::Mul, ops::Sub);
TENON_REGISTER(ops::Exp, ops::Neg, ops::Rsqrt, ops::Sqrt, ops::Square);
TENON_REGISTER(ops::MatMul);
TENON_REGISTER(ops::Max, ops::Mean, ops::Min, ops::Prod, ops::Sum);
