// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: divisions, powers, bits.

#include "registration.hpp"
#include <tenon/ops/math/bitwise.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/rounding.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::BitwiseAnd, ops::BitwiseOr, ops::BitwiseXor, ops::Invert, ops::LeftShift, ops::PopulationCount,
                    ops::RightShift);
TENON_TEST_REGISTER(ops::Div, ops::FloorDiv, ops::FloorMod, ops::Mod, ops::Pow, ops::TruncateDiv, ops::TruncateMod);
TENON_TEST_REGISTER(ops::Ceil, ops::Floor, ops::IsFinite, ops::IsInf, ops::IsNan, ops::NextAfter, ops::Rint,
                    ops::Round);
