// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/batcher.hpp>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace queue_batcher_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops::detail;

TEST_SUITE("Batcher") {
  TEST_CASE("batches are filled up to an allowed size") {
    BatchLimits limits;
    CHECK(limits.Padded(3) == 3);
    limits.allowed_rows = {2, 4};
    CHECK(limits.Padded(1) == 2);
    CHECK(limits.Padded(2) == 2);
    CHECK(limits.Padded(3) == 4);
    CHECK(limits.Padded(5) == 5);
  }
  TEST_CASE("rows one behind the other, and the first again as padding") {
    Tensor out;
    REQUIRE(ConcatRows({Make<float>({1, 2}, {1, 2}), Make<float>({2, 2}, {3, 4, 5, 6})}, 1, &out).ok());
    CHECK(out.SummarizeValue(20) == "[1 2][3 4][5 6][1 2]");
    CHECK(ConcatRows({Make<float>({1, 2}, {1}), Make<float>({1, 3}, {1})}, 0, &out).code() == Code::kInvalidArgument);
  }
  TEST_CASE("a batcher without work ends at once") {
    const Ref<Batcher> batcher = Ref<Batcher>::Adopt(new Batcher({}));
    CHECK(batcher->DebugString() == "BatchResource");
  }
}
}  // namespace queue_batcher_test
