// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: exponentials and logarithms, trigonometry.

#include "registration.hpp"
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/trigonometric.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Exp, ops::Expm1, ops::Log, ops::Log1p, ops::Rsqrt, ops::Sigmoid, ops::Sqrt, ops::Xdivy,
                    ops::Xlog1py, ops::Xlogy);
TENON_TEST_REGISTER(ops::Acos, ops::Acosh, ops::Asin, ops::Asinh, ops::Atan, ops::Atan2, ops::Atanh, ops::Cos,
                    ops::Cosh, ops::Sin, ops::Sinh, ops::Tan, ops::Tanh);
