// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: casts and choices.

#include "registration.hpp"
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/select.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Bitcast, ops::Cast);
TENON_TEST_REGISTER(ops::Select, ops::SelectV2);
