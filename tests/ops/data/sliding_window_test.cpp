// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/data/sliding_window.hpp>

#include "ops/data/pipeline.hpp"

namespace data_sliding_window_test {
using namespace data_test;

TEST_SUITE("sliding windows") {
  // TensorFlow cannot restore a position of this dataset.
  TEST_CASE("a saved position goes on where it was") {
    for (const int taken : {0, 2, 4, 8}) {
      Pipeline p;
      p.Iterate(p.Of("SlidingWindowDataset", "windows", p.Range("range", 9), {3, 2, 2}));
      p.Start();
      p.Take(taken);
      const Result<std::vector<Tensor>> saved = p.session.Run({}, std::vector<std::string>{"save"});
      REQUIRE(saved.status().message() == "");
      const Numbers rest = p.Take(100);
      CHECK(rest.size() == (taken > 3 ? 0u : 9u - 3u * static_cast<unsigned>(taken)));
      p.Do("restore", {{"saved", (*saved)[0]}});
      CHECK(p.Take(100) == rest);
    }
  }
  TEST_CASE("sizes whose product is too large are refused") {
    Pipeline p;
    const std::int64_t large = std::int64_t{1} << 40;
    p.Iterate(p.Of("SlidingWindowDataset", "windows", p.Range("range", 9), {large, 1, large}));
    REQUIRE(p.b.status().message() == "");
    Result<Session> made = Session::FromGraphDef(p.b.graph_def(), {});
    REQUIRE(made.status().message() == "");
    const Status status = made->Run({}, std::vector<std::string>(), std::vector<std::string>{"init"}).status();
    CHECK(status.code() == Code::kInvalidArgument);
  }
}
}  // namespace data_sliding_window_test
