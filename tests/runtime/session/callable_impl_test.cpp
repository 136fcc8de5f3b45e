// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "runtime/graphs.hpp"

namespace callable_impl_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("Callable") {
  TEST_CASE("a callable takes and gives tensors by position") {
    const auto session = Session::FromGraph(SmallGraph());
    REQUIRE(session.ok());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"y", "z"}});
    REQUIRE(callable.ok());
    CHECK(callable->num_feeds() == 1);
    CHECK(callable->num_fetches() == 2);
    const auto out = (*callable)({MakeTensor<float>({1}, {4})});
    REQUIRE(out.ok());
    CHECK((*out)[0].flat<float>()(0) == 5);
    CHECK((*out)[1].flat<float>()(0) == 25);
    std::vector<Tensor> room(1);
    const Tensor x = MakeTensor<float>({1}, {4});
    CHECK(callable->Run({&x, 1}, room).message() == "Expected room for 2 fetched tensors, but got 1");
    CHECK(callable->Run({}, room).message() == "Expected 1 feed tensors, but got 0");
  }
  TEST_CASE("a callable run with other numbers of tensors") {
    const auto session = Session::FromGraph(SmallGraph());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"y"}});
    std::vector<Tensor> x = {MakeTensor<float>({1}, {2})}, one(1), two(2);
    CHECK(callable->Run({}, one).message() == "Expected 1 feed tensors, but got 0");
    CHECK(callable->Run(x, two).message() == "Expected room for 1 fetched tensors, but got 2");
    CHECK(callable->Run(x, one).ok());
    CHECK(one[0].flat<float>()(0) == 3);
  }
}
}  // namespace callable_impl_test
