// SPDX-License-Identifier: Apache-2.0
#pragma once
// tenon::ops::Cnn: the ops of convolutional networks as TensorFlow freezes them, those of tenon::ops::Mlp included.
//
//   TENON_REGISTER(tenon::Types<float, std::int32_t>, tenon::ops::Cnn);

#include <tenon/mlp_ops.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/array/pack.hpp>
#include <tenon/ops/array/pad.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/nn/conv.hpp>
#include <tenon/ops/nn/pool.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

using Cnn = OpList<Mlp, Add, AddV2, ConcatV2, Conv2D, Exp, ExpandDims, Max, MaxPool, Maximum, Mean, Min, Minimum, Mul,
                   Neg, Pack, Pad, Prod, RealDiv, Relu6, Reshape, Rsqrt, Shape, Sigmoid, Sqrt, Square, Squeeze,
                   StridedSlice, Sub, Sum>;

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
