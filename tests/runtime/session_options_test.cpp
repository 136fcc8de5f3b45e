// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session_options.hpp>

#include <doctest/doctest.h>

#include "graphs.hpp"

namespace session_options_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("SessionOptions") {
  TEST_CASE("the defaults are TensorFlow's where it has them") {
    const SessionOptions options;
    CHECK(options.flush_denormals);
    CHECK(options.constant_folding);
    CHECK(options.executor == ExecutorKind::kAuto);
  }
  TEST_CASE("denormals are flushed unless asked otherwise, and the caller's mode comes back") {
    volatile float tiny = 1e-40f;
    for (const bool flush : {true, false}) {
      const auto session = Session::FromGraph(SmallGraph(), {.flush_denormals = flush});
      const auto out = session->Run({{"y", MakeTensor<float>({1}, {1e-25f})}},
                                    {"z"});  // 1e-50 underflows, 1e-25 * 1e-15 is denormal
      REQUIRE(out.ok());
      const auto product = session->Run({{"y", MakeTensor<float>({1}, {1e-20f})}}, {"z"});
      REQUIRE(product.ok());
      CHECK(((*product)[0].flat<float>()(0) == 0) == flush);
      CHECK(tiny * 1.0f != 0);
    }
  }
}
}  // namespace session_options_test
