// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: what prints, and functions that are found by device or as gradients.

#include "registration.hpp"
#include <tenon/ops/flow/print.hpp>
#include <tenon/ops/flow/remote_call.hpp>
#include <tenon/ops/flow/symbolic_gradient.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Print, ops::PrintV2, ops::RemoteCall, ops::SymbolicGradient, ops::Timestamp);
