// SPDX-License-Identifier: Apache-2.0
// The ops of the network, of its gradients and of the optimizer.

#include <cstdint>

#include <tenon/tenon.hpp>
#include <tenon/ops/array/dynamic.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/sequence.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/add.hpp>
#include <tenon/ops/math/arg_reduction.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/nn/activation_gradient.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/bias_gradient.hpp>
#include <tenon/ops/nn/conv.hpp>
#include <tenon/ops/nn/conv_gradient.hpp>
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/nn/pool.hpp>
#include <tenon/ops/nn/pool_max.hpp>
#include <tenon/ops/nn/relu.hpp>
#include <tenon/ops/random/stateless.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/variable/resource_variable.hpp>

using namespace tenon;

TENON_REGISTER(Types<bool, float, std::uint8_t, std::int32_t, std::int64_t>, ops::AddV2, ops::ArgMax,
               ops::AssignVariableOp, ops::BiasAdd, ops::BiasAddGrad, ops::BroadcastTo, ops::Cast, ops::Const,
               ops::Conv2D, ops::Conv2DBackpropFilter, ops::Conv2DBackpropInput, ops::DivNoNan, ops::DynamicStitch,
               ops::Equal, ops::ExpandDims, ops::Fill, ops::FloorMod, ops::MatMul, ops::MaxPool, ops::MaxPoolGrad,
               ops::Mul, ops::Neg, ops::NoOp, ops::OnesLike, ops::Placeholder, ops::Range, ops::ReadVariableOp,
               ops::Relu, ops::ReluGrad, ops::Reshape, ops::ResourceApplyAdam, ops::Shape, ops::Size,
               ops::SparseSoftmaxCrossEntropyWithLogits, ops::StatelessRandomUniform, ops::Sub, ops::Sum,
               ops::VarHandleOp, ops::VariableShape);
