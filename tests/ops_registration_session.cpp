// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: tensors that stay in a session.

#include "registration.hpp"
#include <tenon/ops/state/session_tensor.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::DeleteSessionTensor, ops::GetSessionHandle, ops::GetSessionHandleV2, ops::GetSessionTensor);
