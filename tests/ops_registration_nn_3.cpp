// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: batch normalisation, biases.

#include "registration.hpp"
#include <tenon/ops/nn/batch_norm.hpp>
#include <tenon/ops/nn/bias_gradient.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::BatchNormWithGlobalNormalization, ops::BiasAddGrad, ops::BiasAddV1, ops::FusedBatchNorm,
                    ops::FusedBatchNormGrad, ops::FusedBatchNormGradV2, ops::FusedBatchNormGradV3,
                    ops::FusedBatchNormV2, ops::FusedBatchNormV3);
