// SPDX-License-Identifier: Apache-2.0
// The standard ops that the tests run: more reductions, scans, the greatest elements.

#include "registration.hpp"
#include <tenon/ops/math/arg_reduction.hpp>
#include <tenon/ops/math/cumulative.hpp>
#include <tenon/ops/math/euclidean_norm.hpp>
#include <tenon/ops/math/reduction_logical.hpp>
#include <tenon/ops/math/top_k.hpp>

using namespace tenon;

TENON_TEST_REGISTER(ops::ArgMax, ops::ArgMin, ops::EuclideanNorm, ops::ReduceAll, ops::ReduceAny);
TENON_TEST_REGISTER(ops::Cumprod, ops::Cumsum, ops::CumulativeLogsumexp);
TENON_TEST_REGISTER(ops::InTopK, ops::InTopKV2, ops::NthElement, ops::TopK, ops::TopKV2);
