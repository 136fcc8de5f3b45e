// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: connectionist temporal classification.

#include <tenon/ops/nn/ctc.hpp>

#include "registration.hpp"

using namespace tenon;

TENON_TEST_REGISTER(ops::CTCGreedyDecoder, ops::CTCLoss);
