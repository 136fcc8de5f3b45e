// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: accumulators of gradients.

#include "registration.hpp"
#include <tenon/ops/queue/accumulator.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::AccumulatorApplyGradient, ops::AccumulatorNumAccumulated, ops::AccumulatorSetGlobalStep,
                    ops::AccumulatorTakeGradient, ops::ConditionalAccumulator);
TENON_TEST_REGISTER(ops::ResourceAccumulatorApplyGradient, ops::ResourceAccumulatorNumAccumulated,
                    ops::ResourceAccumulatorSetGlobalStep, ops::ResourceAccumulatorTakeGradient,
                    ops::ResourceConditionalAccumulator);
TENON_TEST_REGISTER(ops::SparseAccumulatorApplyGradient, ops::SparseAccumulatorTakeGradient,
                    ops::SparseConditionalAccumulator);
