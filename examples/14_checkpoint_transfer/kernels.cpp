// SPDX-License-Identifier: Apache-2.0
// The ops of the network, of its gradients and of the optimizer.

#include <cstdint>

#include <tenon/tenon.hpp>
#include <tenon/ops/array/broadcast_gradient.hpp>
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
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/nn/activation_gradient.hpp>
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/nn/relu.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/variable/resource_variable.hpp>
#include <tenon/ops/variable/variable_update.hpp>

using namespace tenon;

TENON_REGISTER(Types<bool, float, std::int32_t, std::int64_t>, ops::AddV2, ops::AssignAddVariableOp,
               ops::AssignVariableOp, ops::BroadcastGradientArgs, ops::BroadcastTo, ops::Cast, ops::Const,
               ops::DivNoNan, ops::DynamicStitch, ops::ExpandDims, ops::Fill, ops::FloorMod, ops::MatMul, ops::Mul,
               ops::Neg, ops::NoOp, ops::OnesLike, ops::Placeholder, ops::Pow, ops::Range, ops::ReadVariableOp,
               ops::Relu, ops::ReluGrad, ops::Reshape, ops::ResourceApplyAdam, ops::Shape, ops::Size,
               ops::SparseSoftmaxCrossEntropyWithLogits, ops::Sub, ops::Sum, ops::VarHandleOp, ops::VariableShape);
