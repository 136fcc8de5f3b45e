// SPDX-License-Identifier: Apache-2.0
// Convolutions, pools and batch normalisation.
#include <tenon/tenon.hpp>
#include <tenon/ops/nn/batch_norm.hpp>
#include <tenon/ops/nn/conv.hpp>
#include <tenon/ops/nn/conv_gradient.hpp>
#include <tenon/ops/nn/fused.hpp>
#include <tenon/ops/nn/pool.hpp>
#include <tenon/ops/nn/pool_max.hpp>

using namespace tenon;

TENON_REGISTER(Types<float>, ops::Conv2D, ops::Conv2DBackpropFilter, ops::Conv2DBackpropInput,
               ops::FusedBatchNormGradV3, ops::FusedBatchNormV3, ops::FusedConv2D, ops::MaxPool, ops::MaxPoolGrad);
