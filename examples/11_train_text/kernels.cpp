// SPDX-License-Identifier: Apache-2.0
// The ops of the network, of its gradients and of the optimizer.

#include <cstdint>

#include <tenon/tenon.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/pack.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/array/split.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/array/unique.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/add.hpp>
#include <tenon/ops/math/arg_reduction.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/cast.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/gradient.hpp>
#include <tenon/ops/math/matmul.hpp>
#include <tenon/ops/math/n_ary.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/rounding.hpp>
#include <tenon/ops/math/segment.hpp>
#include <tenon/ops/math/select.hpp>
#include <tenon/ops/math/trigonometric.hpp>
#include <tenon/ops/nn/bias.hpp>
#include <tenon/ops/nn/bias_gradient.hpp>
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/random/stateless.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/variable/resource_variable.hpp>
#include <tenon/ops/variable/variable_update.hpp>

using namespace tenon;

TENON_REGISTER(Types<bool, float, std::int32_t, std::int64_t>, ops::AddN, ops::AddV2, ops::ArgMax,
               ops::AssignAddVariableOp, ops::AssignVariableOp, ops::BiasAdd, ops::BiasAddGrad, ops::BroadcastTo,
               ops::Cast, ops::ConcatOffset, ops::ConcatV2, ops::Const, ops::Cos, ops::DivNoNan, ops::Equal,
               ops::ExpandDims, ops::Fill, ops::FloorMod, ops::GatherV2, ops::IsFinite, ops::L2Loss, ops::MatMul,
               ops::Minimum, ops::Mul, ops::Neg, ops::NoOp, ops::Pack, ops::Placeholder, ops::Pow, ops::ReadVariableOp,
               ops::RealDiv, ops::Reshape, ops::ResourceApplyAdam, ops::SelectV2, ops::Shape, ops::Sigmoid,
               ops::SigmoidGrad, ops::Size, ops::Slice, ops::SparseSoftmaxCrossEntropyWithLogits, ops::Split, ops::Sqrt,
               ops::StatelessRandomNormal, ops::StatelessRandomUniform, ops::StridedSlice, ops::Sub, ops::Sum,
               ops::Tanh, ops::TanhGrad, ops::Unique, ops::Unpack, ops::UnsortedSegmentSum, ops::VarHandleOp,
               ops::VariableShape);
