// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: linear algebra.

#include <tenon/register.hpp>
#include <tenon/ops/linalg/factor.hpp>

using namespace tenon;

TENON_REGISTER(ops::Cholesky, ops::CholeskyGrad, ops::LogMatrixDeterminant, ops::Lu, ops::MatrixDeterminant,
               ops::MatrixInverse);
