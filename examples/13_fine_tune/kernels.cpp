// SPDX-License-Identifier: Apache-2.0
// The ops of the loss, of its gradients and of the optimizer. CMake registers those of the model.

#include <cstdint>

#include <tenon/tenon.hpp>
#include <tenon/ops/array/broadcast_gradient.hpp>
#include <tenon/ops/array/dynamic.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/sequence.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/math/add.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/ops/math/division.hpp>
#include <tenon/ops/math/exponential.hpp>
#include <tenon/ops/math/reduction.hpp>
#include <tenon/ops/math/select.hpp>
#include <tenon/ops/nn/bias_gradient.hpp>
#include <tenon/ops/nn/cross_entropy.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/variable/resource_variable.hpp>

using namespace tenon;

TENON_REGISTER(Types<float, std::int32_t, std::int64_t>, ops::AddV2, ops::BiasAddGrad, ops::BroadcastGradientArgs,
               ops::BroadcastTo, ops::DivNoNan, ops::DynamicStitch, ops::ExpandDims, ops::Fill, ops::FloorMod,
               ops::GreaterEqual, ops::LessEqual, ops::Log, ops::Maximum, ops::Minimum, ops::Neg, ops::OnesLike,
               ops::Range, ops::Reciprocal, ops::ResourceApplyAdam, ops::SelectV2, ops::Shape, ops::Size,
               ops::SparseSoftmaxCrossEntropyWithLogits, ops::Sum, ops::VariableShape, ops::ZerosLike);
