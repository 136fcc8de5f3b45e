// SPDX-License-Identifier: Apache-2.0
// Front doors of 0.0: each still leads to what it had.
#include <tenon/cnn_ops.hpp>
#include <tenon/eager_async.hpp>
#include <tenon/engines.hpp>
#include <tenon/env_allocator.hpp>
#include <tenon/extras.hpp>
#include <tenon/full_runtime.hpp>
#include <tenon/fwd.hpp>
#include <tenon/graph_passes.hpp>
#include <tenon/lean_runtime.hpp>
#include <tenon/mlp_ops.hpp>
#include <tenon/register.hpp>
#include <tenon/session.hpp>

#include <doctest/doctest.h>

namespace deprecated_headers_test {
using namespace tenon;

static_assert(sizeof(ops::Cnn) > 0 && sizeof(ops::Mlp) > 0 && sizeof(eager::Async) > 0);
static_assert(sizeof(AttentionShape) > 0 && sizeof(ThreeFry) > 0);
static_assert(sizeof(FunctionLibraryRuntime) > 0 && sizeof(Tensor) > 0 && sizeof(detail::SessionImpl) > 0);

TEST_CASE("deprecated headers have the functions that they had") {
  CHECK(*BFCLimitFromEnvironment() == 0);
  const GraphPass passes[] = {&LowerFunctionalOps, &LowerAllFunctionalOps};
  CHECK((passes[0] != passes[1]));
  CHECK_FALSE(Session().GetCounters(nullptr));
}
}  // namespace deprecated_headers_test
