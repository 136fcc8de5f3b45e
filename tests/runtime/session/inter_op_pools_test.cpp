// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/inter_op_pools.hpp>

#include <doctest/doctest.h>

namespace inter_op_pools_test {
using namespace tenon;
using tenon::detail::InterOpPools;

TEST_SUITE("InterOpPools") {
  TEST_CASE("own pools are one's own, named ones are shared") {
    auto a = Ref<InterOpPools>::Adopt(new InterOpPools), b = Ref<InterOpPools>::Adopt(new InterOpPools);
    REQUIRE(a->Add({.num_threads = 2}).ok());
    REQUIRE(a->Add({.num_threads = 3, .global_name = "test_shared"}).ok());
    REQUIRE(b->Add({.num_threads = 2}).ok());
    REQUIRE(b->Add({.num_threads = 3, .global_name = "test_shared"}).ok());
    CHECK(a->size() == 2);
    CHECK((*a)[0]->NumThreads() == 2);
    CHECK((*a)[0] != (*b)[0]);
    CHECK((*a)[1] == (*b)[1]);
  }
  TEST_CASE("a shared pool keeps its number of threads") {
    auto pools = Ref<InterOpPools>::Adopt(new InterOpPools);
    REQUIRE(pools->Add({.num_threads = 2, .global_name = "test_fixed"}).ok());
    const Status s = pools->Add({.num_threads = 4, .global_name = "test_fixed"});
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() ==
          "Pool test_fixed configured previously with num_threads=2; cannot re-configure with num_threads=4");
    CHECK(pools->Add({.num_threads = -1}).code() == Code::kInvalidArgument);
  }
  TEST_CASE("the caller's thread as a pool runs at once") {
    int ran = 0;
    tenon::detail::CallersThreadPool()->Schedule([](void* p) { ++*static_cast<int*>(p); }, &ran);
    CHECK(ran == 1);
  }
}
}  // namespace inter_op_pools_test
