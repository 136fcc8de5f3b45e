// SPDX-License-Identifier: Apache-2.0
// Matrix products, losses and what the optimizer makes of them.
#include <tenon/tenon.hpp>
#include <tenon/ops/math/batch_matmul.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/nn/attention.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/bias_gradient.hpp>
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/nn/fused.hpp>
#include <tenon/ops/nn/fused_elementwise.hpp>
#include <tenon/ops/nn/layer_norm.hpp>
#include <tenon/ops/nn/softmax.hpp>

using namespace tenon;

TENON_REGISTER(Types<float, std::int32_t>, ops::SparseSoftmaxCrossEntropyWithLogits);
TENON_REGISTER(Types<float>, ops::BatchMatMulV2, ops::BatchMatMulV3, ops::BiasAdd, ops::BiasAddGrad,
               ops::FusedAttention, ops::FusedMatMul, ops::FusedProducer, ops::LayerNorm, ops::MatMul, ops::Softmax);
