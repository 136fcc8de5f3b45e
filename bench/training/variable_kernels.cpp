// SPDX-License-Identifier: Apache-2.0
// Ops that read and change variables.
#include <tenon/tenon.hpp>
#include <tenon/ops/math/segment.hpp>
#include <tenon/ops/training/dense_handles.hpp>
#include <tenon/ops/training/sparse_handles.hpp>
#include <tenon/ops/variable/variable_gather.hpp>
#include <tenon/ops/variable/variable_scatter.hpp>
#include <tenon/ops/variable/variable_update.hpp>

using namespace tenon;

TENON_REGISTER(Types<float, std::int32_t, std::int64_t>, ops::AssignSubVariableOp, ops::ResourceApplyAdagrad,
               ops::ResourceApplyAdam, ops::ResourceApplyGradientDescent, ops::ResourceApplyMomentum,
               ops::ResourceGather, ops::ResourceScatterSub, ops::ResourceSparseApplyAdagrad, ops::UnsortedSegmentSum);
