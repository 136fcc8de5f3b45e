// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: diagonals.

#include "registration.hpp"
#include <tenon/ops/array/matrix_diag.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Diag, ops::DiagPart, ops::MatrixBandPart, ops::MatrixDiag, ops::MatrixDiagPart,
                    ops::MatrixSetDiag);
TENON_TEST_REGISTER(ops::MatrixDiagPartV3, ops::MatrixDiagV3, ops::MatrixSetDiagV3);
