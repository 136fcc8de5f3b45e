// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: parts of arrays by index.

#include <tenon/register.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/scatter.hpp>

using namespace tenon;

TENON_REGISTER(ops::Gather, ops::GatherNd, ops::GatherV2, ops::ScatterNd);
TENON_REGISTER(ops::TensorScatterAdd, ops::TensorScatterMax, ops::TensorScatterMin, ops::TensorScatterSub);
TENON_REGISTER(ops::TensorScatterUpdate);
