// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: variables.

#include "registration.hpp"
#include <tenon/ops/variable/ref_variable.hpp>
#include <tenon/ops/variable/resource_variable.hpp>
#include <tenon/ops/variable/variable_update.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::AssignVariableOp, ops::DestroyResourceOp, ops::ReadVariableOp, ops::VarHandleOp,
                    ops::VarIsInitializedOp, ops::VariableShape, ops::_ReadVariablesOp);
TENON_TEST_REGISTER(ops::Assign, ops::DestroyTemporaryVariable, ops::IsVariableInitialized, ops::TemporaryVariable,
                    ops::Variable, ops::VariableV2);
TENON_TEST_REGISTER(ops::AssignAdd, ops::AssignAddVariableOp, ops::AssignSub, ops::AssignSubVariableOp, ops::CountUpTo,
                    ops::ResourceCountUpTo);
