// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: blocks of space.

#include "registration.hpp"
#include <tenon/ops/array/space_batch.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::BatchToSpace, ops::BatchToSpaceND, ops::DepthToSpace);
TENON_TEST_REGISTER(ops::SpaceToBatch, ops::SpaceToBatchND, ops::SpaceToDepth);
