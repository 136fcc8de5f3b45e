// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/fractional_pool.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include "ops/support.hpp"

namespace nn_fractional_pool_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("FractionalMaxPool, FractionalAvgPool") {
  const std::vector<float> ratio{1.0f, 2.0f, 1.5f, 1.0f};
  const AttrArgs attrs{{"T", DataType::kFloat},
                       {"pooling_ratio", std::span<const float>(ratio)},
                       {"deterministic", true},
                       {"seed", std::int64_t{1}},
                       {"seed2", std::int64_t{2}}};

  TEST_CASE("windows cover the rows and columns") {
    const Tensor image = Make<float>({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Result<std::vector<Tensor>> most = Call<ops::FractionalMaxPool>(attrs, {image}),
                                      mean = Call<ops::FractionalAvgPool>(attrs, {image});
    REQUIRE(most.ok());
    REQUIRE(mean.ok());
    CHECK(Numbered<std::int64_t>((*most)[1]) == std::vector<double>{0, 2});
    CHECK(Numbered<std::int64_t>((*most)[2]) == std::vector<double>{0, 2, 4});
    CHECK(Numbered<float>((*most)[0]) == std::vector<double>{6, 8});
    CHECK(Numbered<float>((*mean)[0]) == std::vector<double>{3.5, 5.5});
  }
  TEST_CASE("graphs of TensorFlow say one boundary less than there are") {
    GraphBuilder b;
    const Output image = b.Const("image", Make<float>({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}));
    b.Add(
        "FractionalMaxPool", "pool", {image},
        {{"pooling_ratio", std::span<const float>(ratio)},
         {"deterministic", true},
         {"seed", std::int64_t{1}},
         {"seed2", std::int64_t{2}},
         {"_output_shapes", AttrValue(SlimVector<PartialTensorShape>{
                                PartialTensorShape({1, 1, 2, 1}), PartialTensorShape({1}), PartialTensorShape({2})})}});
    REQUIRE(b.status().message() == "");
    const Result<Session> session = Session::FromGraphDef(b.graph_def());
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    for (int run = 0; run < 3; ++run) {
      const auto got = session->Run({}, {"pool:0", "pool:1", "pool:2"});
      REQUIRE_MESSAGE(got.ok(), got.status().ToString());
      CHECK(Numbered<float>((*got)[0]) == std::vector<double>{6, 8});
      CHECK(Numbered<std::int64_t>((*got)[1]) == std::vector<double>{0, 2});
      CHECK(Numbered<std::int64_t>((*got)[2]) == std::vector<double>{0, 2, 4});
    }
  }
  TEST_CASE("random sizes are the whole part of the ratio or one more, and add up") {
    for (const bool pseudo : {true, false}) {
      for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Philox stream{seed, 0, 0};
        std::int64_t sizes[7], sum = 0;
        ops::detail::DrawPoolSizes(17, pseudo, &stream, sizes, 7);
        for (const std::int64_t s : sizes) {
          CHECK((s == 2 || s == 3));
          sum += s;
        }
        CHECK(sum == 17);
      }
    }
  }
  TEST_CASE("refuses ratios beyond the image") {
    CHECK(ErrorOf<ops::FractionalMaxPool>(attrs, {Make<float>({1, 1, 4, 1}, {1})})
              .find("Pooling ratio is higher than input dimension size for dimension 1") != std::string::npos);
  }
}
}  // namespace nn_fractional_pool_test
