// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: sums, products, signs, comparisons.

#include "registration.hpp"
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/logical.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Abs, ops::Add, ops::AddV2, ops::DivNoNan, ops::Inv, ops::Maximum, ops::Minimum, ops::Mul,
                    ops::MulNoNan);
TENON_TEST_REGISTER(ops::Neg, ops::RealDiv, ops::Reciprocal, ops::Sign, ops::Square, ops::SquaredDifference, ops::Sub);
TENON_TEST_REGISTER(ops::ApproximateEqual, ops::Equal, ops::Greater, ops::GreaterEqual, ops::Less, ops::LessEqual,
                    ops::NotEqual);
TENON_TEST_REGISTER(ops::LogicalAnd, ops::LogicalNot, ops::LogicalOr);
