// SPDX-License-Identifier: Apache-2.0
// The runtime, the optimizer of graphs, and the ops that hold and move tensors.
#include <tenon/optimizer.hpp>
#include <tenon/runtime.hpp>
#include <tenon/ops/array/broadcast_gradient.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/array/dynamic.hpp>
#include <tenon/ops/array/fill.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/array/reshape.hpp>
#include <tenon/ops/array/sequence.hpp>
#include <tenon/ops/array/shape.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/array/slice_update.hpp>
#include <tenon/ops/array/tile.hpp>
#include <tenon/ops/array/transpose.hpp>
#include <tenon/ops/array/unique.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/random/stateless.hpp>
#include <tenon/ops/variable/resource_variable.hpp>

using namespace tenon;

TENON_REGISTER(Types<float, std::int32_t, std::int64_t>, ops::BroadcastGradientArgs, ops::BroadcastTo, ops::ConcatV2,
               ops::Const, ops::DynamicStitch, ops::ExpandDims, ops::Fill, ops::Identity, ops::IdentityN,
               ops::InvertPermutation, ops::NoOp, ops::OnesLike, ops::Placeholder, ops::Range, ops::Reshape, ops::Shape,
               ops::Size, ops::Squeeze, ops::StatelessRandomUniform, ops::StridedSlice, ops::StridedSliceGrad,
               ops::Tile, ops::Transpose, ops::Unique, ops::ZerosLike, ops::AssignVariableOp, ops::ReadVariableOp,
               ops::VarHandleOp, ops::VariableShape);
