// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: control flow of TensorFlow 1.

#include "registration.hpp"
#include <tenon/ops/flow/assert.hpp>
#include <tenon/ops/flow/control.hpp>
#include <tenon/ops/flow/loop.hpp>
#include <tenon/ops/flow/merge.hpp>
#include <tenon/ops/flow/switch.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Abort, ops::Arg, ops::Assert, ops::ControlTrigger, ops::Enter, ops::Exit, ops::LoopCond,
                    ops::Merge, ops::NextIteration, ops::RefEnter, ops::RefExit, ops::RefMerge, ops::RefNextIteration,
                    ops::RefSelect, ops::RefSwitch, ops::Retval, ops::Switch, ops::SwitchN);
