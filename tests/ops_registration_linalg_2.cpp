// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: linear systems, orthogonal decompositions.

#include "registration.hpp"
#include <tenon/ops/linalg/solve.hpp>
#include <tenon/ops/linalg/spectrum.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::BandedTriangularSolve, ops::MatrixSolve, ops::MatrixSolveLs, ops::MatrixTriangularSolve,
                    ops::TridiagonalSolve);
TENON_TEST_REGISTER(ops::Qr, ops::SelfAdjointEigV2, ops::Svd);
