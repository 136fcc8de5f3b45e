// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: the ends of edges between devices.

#include "registration.hpp"
#include <tenon/ops/flow/send_recv.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::HostRecv, ops::HostSend, ops::Recv, ops::Send);
