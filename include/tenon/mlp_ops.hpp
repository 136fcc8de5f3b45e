// SPDX-License-Identifier: Apache-2.0
#pragma once
// tenon::ops::Mlp: the ops of a multilayer perceptron as TensorFlow freezes one. A program that registers what its
// graphs need compiles in a fraction of the time that tenon::ops::All takes:
//
//   TENON_REGISTER(tenon::Types<float>, tenon::ops::Mlp);

#include <tenon/register.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/relu.hpp>
#include <tenon/ops/nn/softmax.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

using Mlp = OpList<Placeholder, Const, Identity, NoOp, MatMul, BiasAdd, Relu, Softmax>;

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
