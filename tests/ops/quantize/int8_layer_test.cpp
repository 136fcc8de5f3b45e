// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/int8_layer.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenon/ops/math/fake_quant.hpp>

#include "ops/support.hpp"

namespace quantize_int8_layer_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr float kMost = std::numeric_limits<float>::infinity();

// x [2, 3] of bytes less 10, w [3, 2].
const Tensor kX = Make<std::uint8_t>({2, 3}, {10, 11, 12, 0, 255, 10}),
             kW = Make<std::int8_t>({3, 2}, {1, -1, 2, 0, 3, -128});
const Tensor kFactor = Make<float>({2}, {0.5, 2}), kOffset = Make<float>({2}, {1, -1});
// Sums: {0 + 2 + 6, 0 + 0 - 256}, {-10 + 490 + 0, 10 + 0 + 0}.

AttrArgs Numbers(float low, float high) {
  return {{"out_type", DataType::kFloat}, {"zero", std::int64_t{10}}, {"low", low}, {"high", high}};
}
AttrArgs ToBytes(float low, float high, float origin, float per_unit) {
  return {{"out_type", DataType::kUint8}, {"zero", std::int64_t{10}}, {"low", low}, {"high", high}, {"origin", origin},
          {"per_unit", per_unit}};
}
AttrArgs Windows(AttrArgs attrs, const std::vector<std::int64_t>& strides) {
  attrs.push_back({"strides", std::span<const std::int64_t>(strides)});
  attrs.push_back({"padding", "SAME"});
  return attrs;
}
const std::vector<std::int64_t> kOnes{1, 1, 1, 1};

std::string ErrorOf(const Result<std::vector<Tensor>>& result) {
  REQUIRE(!result.ok());
  CHECK(result.status().code() == Code::kInvalidArgument);
  return std::string(result.status().message());
}

}  // namespace

TEST_SUITE("layers of bytes") {
  TEST_CASE("steps and back have the bits of FakeQuant, for every range") {
    struct Range {
      float min, max;
      std::int64_t bits;
      bool narrow;
    };
    const Tensor x = Random<float>({5000}, 3, -9, 9);
    for (const Range& r : {Range{-6, 6, 8, false}, Range{0, 6, 8, false}, Range{-1, 2, 4, true},
                           Range{-0.3f, 7.9f, 7, false}, Range{-8, 0, 8, true}, Range{1, 5, 2, false}}) {
      const AttrArgs range{{"num_bits", r.bits}, {"narrow_range", r.narrow}};
      AttrArgs whole = range;
      whole.push_back({"min", r.min});
      whole.push_back({"max", r.max});
      for (const bool divides : {false, true}) {
        AttrArgs attrs = whole;
        attrs.push_back({"divides", divides});
        const Tensor bytes = Run<ops::QuantizeUint8>(attrs, {x});
        const Tensor want =
            divides ? Run<ops::FakeQuantWithMinMaxVars>(range, {x, Tensor::Scalar(r.min), Tensor::Scalar(r.max)})
                    : Run<ops::FakeQuantWithMinMaxArgs>(whole, {x});
        CHECK(Numbered<float>(Run<ops::DequantizeUint8>(attrs, {bytes})) == Numbered<float>(want));
      }
    }
  }
  TEST_CASE("infinities are the ends of the range, NaN is its 0") {
    const Tensor x = Make<float>({4}, {kInfinity, -kInfinity, kNaN, 1});
    const Tensor y = Run<ops::QuantizeUint8>({{"min", -1.f}, {"max", 1.55f}}, {x});
    CHECK(Numbered<std::uint8_t>(y) == std::vector<double>{255, 0, 100, 200});
  }
  TEST_CASE("products are numbers with a factor and an offset, or bytes") {
    const std::vector<Tensor> in{kX, kW, kFactor, kOffset};
    CHECK(Numbered<float>(Run<ops::Int8MatMul>(Numbers(-kMost, kMost), in)) == std::vector<double>{5, -513, 241, 19});
    CHECK(Numbered<float>(Run<ops::Int8MatMul>(Numbers(0, 6), in)) == std::vector<double>{5, 0, 6, 6});
    CHECK(Numbered<std::uint8_t>(Run<ops::Int8MatMul>(ToBytes(-10, 19.6f, -10, 2), in)) ==
          std::vector<double>{30, 0, 59, 58});
  }
  TEST_CASE("a convolution by one pixel is a product") {
    const Tensor x = Make<std::uint8_t>({1, 1, 2, 3}, {10, 11, 12, 0, 255, 10}),
                 w = Make<std::int8_t>({1, 1, 3, 2}, {1, -1, 2, 0, 3, -128});
    const Tensor y = Run<ops::Int8Conv2D>(Windows(Numbers(-kMost, kMost), kOnes), {x, w, kFactor, kOffset});
    CHECK(y.shape() == TensorShape{1, 1, 2, 2});
    CHECK(Numbered<float>(y) == std::vector<double>{5, -513, 241, 19});
  }
  TEST_CASE("a depthwise convolution sums each channel, with zeros around") {
    const Tensor x = Make<std::uint8_t>({1, 1, 3, 2}, {11, 12, 13, 14, 15, 16}),
                 w = Make<std::int8_t>({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6});
    const Tensor y = Run<ops::Int8DepthwiseConv2D>(Windows(Numbers(-kMost, kMost), kOnes), {x, w, kFactor, kOffset});
    // Channel 0: 1, 3, 5 by 1, 3, 5; channel 1: 2, 4, 6 by 2, 4, 6.
    CHECK(Numbered<float>(y) ==
          std::vector<double>{0.5 * 18 + 1, 2 * 32.0 - 1, 0.5 * 35 + 1, 2 * 56.0 - 1, 0.5 * 18 + 1, 2 * 32.0 - 1});
  }
  TEST_CASE("what does not fit is refused") {
    const std::vector<Tensor> in{kX, kW, kFactor, kOffset};
    CHECK(ErrorOf(Call<ops::Int8MatMul>(Numbers(0, 1), {kX, kX, kFactor, kOffset})) != "");
    CHECK(ErrorOf(Call<ops::Int8MatMul>(Numbers(0, 1), {kX, Make<std::int8_t>({2, 2}, {1}), kFactor, kOffset})) != "");
    const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
    CHECK(has(ErrorOf(Call<ops::Int8MatMul>(Numbers(0, 1), {kX, kW, Make<float>({3}, {1}), kOffset})),
              "factor and offset must have one number for each of 2 channels, got [3] and [2]"));
    CHECK(has(ErrorOf(Call<ops::Int8MatMul>(Numbers(2, 1), in)), "low 2 and high 1 must be in order"));
    CHECK(has(ErrorOf(Call<ops::Int8MatMul>(ToBytes(0, 300, 0, 1), in)), "must be in order, and bytes"));
    AttrArgs far = Numbers(0, 1);
    far[1].second = AttrValue(std::int64_t{256});
    CHECK(has(ErrorOf(Call<ops::Int8MatMul>(far, in)), "zero must be a byte, got 256"));
    CHECK(has(ErrorOf(Call<ops::QuantizeUint8>({{"min", 0.f}, {"max", 1.f}, {"num_bits", std::int64_t{9}}},
                                               {Make<float>({1}, {0})})),
              "num_bits must be between 2 and 8, inclusive, got 9"));
    CHECK(has(ErrorOf(Call<ops::DequantizeUint8>({{"min", 1.f}, {"max", 1.f}}, {Make<std::uint8_t>({1}, {0})})),
              "min has to be smaller than max, was: 1 >= 1"));
    const Tensor x = Make<std::uint8_t>({1, 2, 2, 2}, {1});
    const Result<std::vector<Tensor>> several = Call<ops::Int8DepthwiseConv2D>(
        Windows(Numbers(0, 1), kOnes), {x, Make<std::int8_t>({1, 1, 2, 2}, {1}), kFactor, kOffset});
    CHECK(several.status().code() == Code::kUnimplemented);
    const Result<std::vector<Tensor>> groups = Call<ops::Int8Conv2D>(
        Windows(Numbers(0, 1), kOnes), {x, Make<std::int8_t>({1, 1, 1, 2}, {1}), kFactor, kOffset});
    CHECK(groups.status().code() == Code::kUnimplemented);
  }
}
}  // namespace quantize_int8_layer_test
