// SPDX-License-Identifier: Apache-2.0
// The LSTM.
#include <tenon/tenon.hpp>
#include <tenon/ops/nn/recurrent.hpp>
#include <tenon/ops/nn/recurrent_gradient.hpp>

using namespace tenon;

TENON_REGISTER(Types<float>, ops::BlockLSTM, ops::BlockLSTMGrad);
