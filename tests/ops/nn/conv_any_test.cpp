// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/conv_any.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace nn_conv_any_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Conv") {
  const std::vector<std::int64_t> four{1, 1, 1, 1}, five{1, 1, 1, 1, 1}, apart{1, 1, 2, 1};
  AttrArgs Attrs(const std::vector<std::int64_t>& strides) {
    return {{"strides", std::span<const std::int64_t>(strides)}, {"padding", "VALID"}};
  }
  const Tensor filter = Make<float>({1, 2, 1, 1}, {1, 10});

  TEST_CASE("images, with two batch dimensions, and with space between what the filter looks at") {
    const Tensor x = Make<float>({2, 1, 1, 3, 1}, {1, 2, 3, 4, 5, 6});
    AttrArgs attrs = Attrs(four);
    attrs.push_back({"batch_dims", 2});
    const Tensor y = Run<ops::Conv>(attrs, {x, filter});
    CHECK(y.shape() == TensorShape({2, 1, 1, 2, 1}));
    CHECK(Numbered<float>(y) == std::vector<double>{21, 32, 54, 65});
    attrs.push_back({"dilations", std::span<const std::int64_t>(apart)});
    CHECK(Numbered<float>(Run<ops::Conv>(attrs, {x, filter})) == std::vector<double>{31, 64});
  }
  TEST_CASE("volumes") {
    const Tensor x = Make<double>({1, 2, 1, 2, 1}, {1, 2, 3, 4}), w = Make<double>({2, 1, 1, 1, 1}, {1, 10});
    CHECK(Numbered<double>(Run<ops::Conv>(Attrs(five), {x, w})) == std::vector<double>{31, 42});
    const Tensor n = Make<std::int32_t>({1, 2, 1, 2, 1}, {1, 2, 3, 2147483647}),
                 m = Make<std::int32_t>({2, 1, 1, 1, 1}, {1, 2});
    CHECK(Numbered<std::int32_t>(Run<ops::Conv>(Attrs(five), {n, m})) == std::vector<double>{7, 0});
  }
  TEST_CASE("refuses groups, other ranks and channels first") {
    const Tensor x = Make<float>({1, 1, 3, 1}, {1, 2, 3});
    const auto error = [&](const char* attr, const AttrValue& value) {
      AttrArgs attrs = Attrs(four);
      attrs.push_back({attr, value});
      return CallOp("Conv", attrs, {x, filter}, 1).status();
    };
    CHECK(error("groups", 2).code() == Code::kUnimplemented);
    CHECK(error("batch_dims", 2).code() == Code::kInvalidArgument);
    CHECK(error("batch_dims", -1).code() == Code::kInvalidArgument);
    CHECK(error("data_format", "CHANNELS_FIRST").code() == Code::kUnimplemented);
    CHECK(ErrorOf<ops::Conv>(Attrs(five), {x, filter}).find("strides field must specify 4") != std::string::npos);
  }
}
}  // namespace nn_conv_any_test
