// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: fused ones, recurrent cells.

#include "registration.hpp"
#include <tenon/ops/nn/fused.hpp>
#include <tenon/ops/nn/recurrent.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::BlockLSTM, ops::BlockLSTMV2, ops::FusedConv2D, ops::FusedMatMul, ops::GRUBlockCell,
                    ops::LSTMBlockCell);
