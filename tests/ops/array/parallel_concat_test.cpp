// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/parallel_concat.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace array_parallel_concat_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ParallelConcat") {
  TEST_CASE("rows joined") {
    GraphBuilder b;
    const Output one = b.Const("one", Make<float>({1, 2}, {1, 2})), two = b.Const("two", Make<float>({1, 2}, {3, 4}));
    b.Add("ParallelConcat", "call", {one, two}, {{"N", std::int64_t{2}}, {"shape", TensorShape({2, 2})}});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<std::string> fetches{"call:0"};
    const Result<std::vector<Tensor>> x = session->Run({}, fetches);
    REQUIRE_MESSAGE(x.ok(), x.status().message());
    CHECK((*x)[0].shape() == TensorShape({2, 2}));
    CHECK(Numbered<float>((*x)[0]) == std::vector<double>{1, 2, 3, 4});
  }
  TEST_CASE("shapes that are not known are refused") {
    CHECK(ErrorOf<ops::ParallelConcat>({{"N", std::int64_t{1}}, {"shape", TensorShape({1})}}, {Make<float>({1}, {1})})
              .find("All input shapes must be fully defined") != std::string::npos);
  }
}
}  // namespace array_parallel_concat_test
