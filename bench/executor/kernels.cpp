// SPDX-License-Identifier: Apache-2.0
// The runtime and the few kernels that the executor's benchmarks need.
#include <tenon/tenon.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/arithmetic.hpp>

#include "axpy_op.hpp"

TENON_REGISTER(tenon::Types<float>, tenon::ops::Placeholder, tenon::ops::Identity, tenon::ops::AddV2, tenon::ops::NoOp,
               tenon::bench::BenchAxpy);
