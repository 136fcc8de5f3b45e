// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: higher special functions.

#include "registration.hpp"
#include <tenon/ops/math/special_higher.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::BesselI0, ops::BesselI0e, ops::BesselI1, ops::BesselI1e, ops::Betainc, ops::Dawsn, ops::Expint,
                    ops::Igamma, ops::Igammac, ops::Polygamma, ops::Zeta);
