// SPDX-License-Identifier: Apache-2.0
#pragma once
// All standard ops, and tenon::ops::All to register them:
//
//   TENON_REGISTER(tenon::ops::All);                                          every type
//   TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::All);       these types only: smaller and faster to
//   compile

#include <tenon/register.hpp>
#include <tenon/engine/simd.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/pack.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/binary.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/unary.hpp>
#include <tenon/ops/nn/activation.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/conv.hpp>
#include <tenon/ops/nn/pool.hpp>
#include <tenon/ops/nn/softmax.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

using All = OpList<
    // array
    Identity, Pack, Reshape, Shape, StridedSlice,
    // control flow
    NoOp,
    // inputs and constants
    Const, Placeholder,
    // math
    Add, AddV2, Exp, MatMul, Max, Maximum, Mean, Min, Minimum, Mul, Neg, Prod, Rsqrt, Sqrt, Square, Sub, Sum,
    // neural networks
    BiasAdd, Conv2D, MaxPool, Relu, Relu6, Softmax>;

}  // namespace ops

TENON_NAMESPACE_END
