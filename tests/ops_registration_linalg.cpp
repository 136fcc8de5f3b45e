// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: linear algebra.

#include "registration.hpp"
#include <tenon/ops/linalg/factor.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Cholesky, ops::CholeskyGrad, ops::LogMatrixDeterminant, ops::Lu, ops::MatrixDeterminant,
                    ops::MatrixInverse);
