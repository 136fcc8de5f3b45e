// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: random numbers from a variable's stream.

#include <tenon/ops/random/stateful.hpp>

#include "registration.hpp"

using namespace tenon;

TENON_TEST_REGISTER(ops::RngReadAndSkip, ops::RngSkip, ops::StatefulStandardNormalV2, ops::StatefulTruncatedNormal,
                    ops::StatefulUniform, ops::StatefulUniformFullInt, ops::StatefulUniformInt);
