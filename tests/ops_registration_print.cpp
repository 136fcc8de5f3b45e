// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: what prints.

#include "registration.hpp"
#include <tenon/ops/flow/print.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Print, ops::PrintV2, ops::Timestamp);
