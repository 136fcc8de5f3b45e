// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: parts of arrays by index.

#include "registration.hpp"
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/scatter.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::Gather, ops::GatherNd, ops::GatherV2, ops::ScatterNd);
TENON_TEST_REGISTER(ops::TensorScatterAdd, ops::TensorScatterMax, ops::TensorScatterMin, ops::TensorScatterSub);
TENON_TEST_REGISTER(ops::TensorScatterUpdate);
