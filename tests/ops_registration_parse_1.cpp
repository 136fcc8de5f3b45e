// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: Examples.

#include <tenon/ops/io/parse_example.hpp>

#include "registration.hpp"

using namespace tenon;

TENON_TEST_REGISTER(ops::ParseExample, ops::ParseExampleV2, ops::ParseSingleExample);
