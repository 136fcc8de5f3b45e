// SPDX-License-Identifier: Apache-2.0
// The ops of the network, of its gradients and of the optimizer.

#include <cstdint>

#include <tenon/tenon.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/add.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/gradient.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/variable/resource_variable.hpp>

using namespace tenon;

TENON_REGISTER(Types<float, std::int32_t>, ops::AddN, ops::AddV2, ops::AssignVariableOp, ops::BroadcastTo, ops::Const,
               ops::Fill, ops::MatMul, ops::Mean, ops::Mul, ops::NoOp, ops::Placeholder, ops::ReadVariableOp,
               ops::RealDiv, ops::Reshape, ops::ResourceApplyAdam, ops::Sum, ops::Tanh, ops::TanhGrad, ops::VarHandleOp,
               ops::VariableShape);
