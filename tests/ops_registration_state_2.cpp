// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: parts of variables.

#include "registration.hpp"
#include <tenon/ops/variable/strided_slice_assign.hpp>
#include <tenon/ops/variable/variable_gather.hpp>
#include <tenon/ops/variable/variable_scatter.hpp>
#include <tenon/ops/variable/variable_scatter_nd.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::ResourceGather, ops::ResourceGatherNd, ops::ResourceStridedSliceAssign,
                    ops::StridedSliceAssign);
TENON_TEST_REGISTER(ops::ResourceScatterAdd, ops::ResourceScatterDiv, ops::ResourceScatterMax, ops::ResourceScatterMin,
                    ops::ResourceScatterMul, ops::ResourceScatterSub, ops::ResourceScatterUpdate, ops::ScatterAdd,
                    ops::ScatterDiv, ops::ScatterMax, ops::ScatterMin, ops::ScatterMul, ops::ScatterSub,
                    ops::ScatterUpdate);
TENON_TEST_REGISTER(ops::ResourceScatterNdAdd, ops::ResourceScatterNdMax, ops::ResourceScatterNdMin,
                    ops::ResourceScatterNdSub, ops::ResourceScatterNdUpdate, ops::ScatterNdAdd, ops::ScatterNdMax,
                    ops::ScatterNdMin, ops::ScatterNdSub, ops::ScatterNdUpdate);
