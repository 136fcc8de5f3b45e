// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: neural networks, control flow, inputs and constants.

#include "registration.hpp"
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/conv.hpp>
#include <tenon/ops/nn/pool.hpp>
#include <tenon/ops/nn/softmax.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::NoOp);
TENON_TEST_REGISTER(ops::Const, ops::Placeholder);
TENON_TEST_REGISTER(ops::BiasAdd, ops::Conv2D, ops::LogSoftmax, ops::MaxPool, ops::Relu, ops::Relu6, ops::Softmax);
