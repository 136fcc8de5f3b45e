// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: pools and their gradients.

#include "registration.hpp"
#include <tenon/ops/nn/pool_average.hpp>
#include <tenon/ops/nn/pool_max.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::AvgPool, ops::AvgPoolGrad, ops::MaxPoolGrad, ops::MaxPoolGradV2, ops::MaxPoolGradWithArgmax,
                    ops::MaxPoolV2, ops::MaxPoolWithArgmax);
