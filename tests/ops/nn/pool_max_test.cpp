// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/pool_max.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_pool_max_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using List = std::vector<std::int64_t>;
}  // namespace

TEST_SUITE("MaxPool with places") {
  const AttrArgs two = {{"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 2, 2, 1}}, {"padding", "VALID"}};

  TEST_CASE_TEMPLATE("says where the largest are; gradients go there", T, float, double, half, bfloat16, std::int8_t,
                     std::uint8_t, std::int32_t, std::uint64_t) {
    const Tensor x = Make<T>({2, 2, 2, 1}, {1, 3, 3, 0, 7, 5, 6, 4}), grad = Make<T>({2, 1, 1, 1}, {2, 9});
    const Result<std::vector<Tensor>> y = Call<ops::MaxPoolWithArgmax>(two, {x});
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    CHECK(Numbered<T>((*y)[0]) == std::vector<double>{3, 7});
    CHECK(Numbered<std::int64_t>((*y)[1]) == std::vector<double>{1, 0});
    const std::vector<double> back = {0, 2, 0, 0, 9, 0, 0, 0};
    CHECK(Numbered<T>(Run<ops::MaxPoolGrad>(two, {x, (*y)[0], grad})) == back);
    CHECK(Numbered<T>(Run<ops::MaxPoolGradWithArgmax>(two, {x, grad, (*y)[1]})) == back);
    CHECK(Numbered<T>(
              Run<ops::MaxPoolGradV2>({{"padding", "VALID"}}, {x, (*y)[0], grad, Make<std::int32_t>({4}, {1, 2, 2, 1}),
                                                               Make<std::int32_t>({4}, {1, 2, 2, 1})})) == back);
  }
  TEST_CASE("sizes as inputs; places in the batch, as int32") {
    const Tensor x = Make<float>({2, 2, 2, 1}, {1, 3, 3, 0, 7, 5, 6, 4}), size = Make<std::int32_t>({4}, {1, 2, 2, 1});
    CHECK(Numbered<float>(Run<ops::MaxPoolV2>({{"padding", "SAME"}}, {x, size, size})) == std::vector<double>{3, 7});
    AttrArgs attrs = two;
    attrs.emplace_back("include_batch_in_index", true);
    attrs.emplace_back("Targmax", DataType::kInt32);
    const Result<std::vector<Tensor>> y = Call<ops::MaxPoolWithArgmax>(attrs, {x});
    REQUIRE(y.ok());
    CHECK(Numbered<std::int32_t>((*y)[1]) == std::vector<double>{1, 4});
  }
  TEST_CASE("refuses what does not fit") {
    const Tensor x = Make<float>({1, 4, 4, 1}, {1}), y = Make<float>({1, 2, 2, 1}, {1});
    CHECK(ErrorOf<ops::MaxPoolGrad>(two, {x, y, Make<float>({1, 3, 2, 1}, {1})}) ==
          "INVALID_ARGUMENT: MaxPoolGrad: Expected grad shape to be [1,2,2,1], but got [1,3,2,1]");
    CHECK(
        ErrorOf<ops::MaxPoolGradWithArgmax>(two, {x, y, Make<std::int64_t>({1, 2, 2, 1}, {0, 1, 2, 16})}) ==
        "INVALID_ARGUMENT: MaxPoolGradWithArgmax: Invalid output gradient index: 16 (argmax[3]), must be in an image of 16 elements");
    CHECK(ErrorOf<ops::MaxPoolGradWithArgmax>(two, {x, y, Make<std::int64_t>({1, 2, 2, 1}, {-1})})
              .find("-1 (argmax[0])") != std::string::npos);
    AttrArgs in_batch = two;
    in_batch.emplace_back("include_batch_in_index", true);
    const std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    CHECK(ErrorOf<ops::MaxPoolGradWithArgmax>(in_batch, {Make<float>({2, 2, 2, 1}, {1}), Make<float>({2, 1, 1, 1}, {1}),
                                                         Make<std::int64_t>({2, 1, 1, 1}, {3, lowest})})
              .find(StrCat(lowest, " (argmax[1])")) != std::string::npos);
    AttrArgs no_window = two;
    no_window[0] = {"ksize", List{1, 0, 2, 1}};
    CHECK(ErrorOf<ops::MaxPoolWithArgmax>(no_window, {x}).find("ksize must be a positive int32 value, got:0") !=
          std::string::npos);
    CHECK(ErrorOf<ops::MaxPoolV2>({{"padding", "SAME"}},
                                  {x, Make<std::int32_t>({3}, {1}), Make<std::int32_t>({4}, {1})}) ==
          "INVALID_ARGUMENT: MaxPoolV2: Sliding window ksize field must specify 4 dimensions, got 3");
    CHECK(ErrorOf<ops::MaxPoolV2>({{"padding", "SAME"}},
                                  {x, Make<std::int32_t>({4}, {1, 2, 2, 1}), Make<std::int32_t>({4}, {1, 0, 1, 1})}) ==
          "INVALID_ARGUMENT: Stride must be > 0, but got 0");
  }
}
}  // namespace nn_pool_max_test
