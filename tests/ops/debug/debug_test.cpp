// SPDX-License-Identifier: Apache-2.0
// TensorFlow's recorded answers are in tests/golden/ops/debug_and_draws.pb.
#include <tenon/ops/debug/debug.hpp>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace debug_debug_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("TensorFlow's debugger") {
  const Tensor odd = Make<float>({4}, {-1, 0, kInfinity, kNaN});

  TEST_CASE("summaries") {
    CHECK(OutputsOf<ops::DebugNanCount>({{"T", DataType::kFloat}, {"tensor_name", "a:0"}}, {odd}) == "1");
    CHECK(OutputsOf<ops::DebugNumericSummary>({{"T", DataType::kFloat}, {"tensor_name", "a"}}, {odd}) ==
          "1 4 1 0 1 1 0 1 -1 0 -0.5 0.25 1 1 4");
    CHECK(OutputsOf<ops::DebugNumericSummaryV2>({{"T", DataType::kFloat}, {"tensor_debug_mode", 4}, {"tensor_id", 7}},
                                                {odd}) == "7 -1 1 1 4 0 1 1 1 1 0");
  }
  TEST_CASE("values pass, URLs do not") {
    CHECK(OutputsOf<ops::DebugIdentity>({{"T", DataType::kFloat}, {"tensor_name", "a:0"}}, {odd}) == "-1 0 inf nan");
    const AttrValue urls(SlimVector<std::string_view>{"file:///tmp/x"});
    CHECK(
        OutputsOf<ops::DebugIdentityV2>({{"T", DataType::kFloat}, {"debug_urls", urls}}, {odd}).find("UNIMPLEMENTED") ==
        0);
    CHECK(OutputsOf<ops::DebugIdentityV3>({{"T", DataType::kFloat}, {"tensor_name", "a"}, {"debug_urls", urls}}, {odd})
              .find("UNIMPLEMENTED") == 0);
    CHECK(OutputsOf<ops::DebugCopy>({{"T", DataType::kFloat}}, {odd}) == "-1 0 inf nan");
  }
  TEST_CASE("shapes are those of the outputs") {
    CHECK(ShapesOf<ops::DebugNanCount>({{2, 4}}, {{"gated_grpc", false}}) == "[1]");
    CHECK(ShapesOf<ops::DebugNanCount>({{2, 4}}, {{"gated_grpc", true}}) == "[0]");
    CHECK(ShapesOf<ops::DebugIdentity>({{2, 4}}, {{"gated_grpc", false}}) == "[2,4]");
  }
}
}  // namespace debug_debug_test
