// SPDX-License-Identifier: Apache-2.0
// The runtime and the ops of convolutional networks, for the types that the models use.
#include <tenon/ops/cnn.hpp>
#include <tenon/runtime.hpp>
#include <tenon/ops/nn/batch_norm.hpp>
#include <tenon/ops/nn/depthwise.hpp>

TENON_REGISTER(tenon::Types<float, std::int32_t, std::int64_t>, tenon::ops::Cnn);
TENON_REGISTER(tenon::Types<float>, tenon::ops::DepthwiseConv2dNative, tenon::ops::FusedBatchNormV3);
