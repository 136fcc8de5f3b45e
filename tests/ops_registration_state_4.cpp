// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: tensor arrays and stacks.

#include "registration.hpp"
#include <tenon/ops/list/stack.hpp>
#include <tenon/ops/list/tensor_array.hpp>
#include <tenon/ops/list/tensor_array_pack.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::TensorArrayCloseV3, ops::TensorArrayConcatV3, ops::TensorArrayGatherV3, ops::TensorArrayGradV3,
                    ops::TensorArrayReadV3, ops::TensorArrayScatterV3, ops::TensorArraySizeV3, ops::TensorArraySplitV3,
                    ops::TensorArrayV3, ops::TensorArrayWriteV3);
TENON_TEST_REGISTER(ops::StackCloseV2, ops::StackPopV2, ops::StackPushV2, ops::StackV2);
