// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/quantize_dequantize.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_quantize_dequantize_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::QuantizedChannels;
using ops::detail::QuantizeScale;
using ops::detail::QuantizeSettings;

namespace {

std::string Layout(const TensorShape& shape, Index axis) {
  QuantizedChannels layout;
  const Status status = QuantizedChannels::Of("Op", shape, axis, &layout);
  if (!status.ok()) return std::string(status.message());
  return StrCat(layout.outer, " ", layout.depth, " ", layout.inner);
}
std::string Range(const QuantizeSettings& s, const TensorShape& min, const TensorShape& max, bool vectors = true) {
  return std::string(ops::detail::CheckQuantizeRange("Op", s, {2, 3, 4}, vectors, min, max).message());
}
QuantizeSettings Given(Index bits, Index axis, bool is_signed = true) {
  QuantizeSettings s;
  s.range_given = true;
  s.num_bits = bits;
  s.axis = axis;
  s.signed_input = is_signed;
  return s;
}

}  // namespace

TEST_SUITE("QuantizeAndDequantize") {
  TEST_CASE("a tensor is its channels with what lies before and behind") {
    CHECK(Layout({2, 3, 4, 5}, -1) == "1 1 120");
    CHECK(Layout({2, 3, 4, 5}, 1) == "2 3 20");
    CHECK(Layout({2, 3, 4, 5}, 3) == "24 5 1");
    CHECK(Layout({}, -1) == "1 1 1");
    CHECK(Layout({2, 0, 4}, 2) == "0 4 0");
    CHECK(Layout({2, 3}, 2) == "Op: Shape must be at least rank 3 but is rank 2");
    CHECK(Layout({2, 3}, -2) == "Op: axis should be at least -1, got -2");
  }
  TEST_CASE("steps are as wide as the end that needs the wider ones says") {
    // Signed 8 bits: -128 * step and 127 * step contain [-1, 2].
    const QuantizeScale<double> wide(Given(8, -1), -1, 2);
    CHECK(wide.inverse == 2.0 / 127);
    CHECK(wide.low == -128 * (2.0 / 127));
    CHECK(wide.high == 2);
    const QuantizeScale<double> low(Given(8, -1), -4, 2);
    CHECK(low.inverse == 4.0 / 128);
    CHECK(low.low == -4);
    CHECK(low.high == 127 * (4.0 / 128));
    const QuantizeScale<double> positive(Given(2, -1, false), 0, 6);
    CHECK(positive.scale == .5);
    QuantizeSettings narrow = Given(2, -1);
    narrow.narrow_range = true;
    CHECK(QuantizeScale<double>(narrow, -3, 3).inverse == 3);  // -1, 0, 1
  }
  TEST_CASE("halves go to even numbers or up, what is outside to the ends") {
    QuantizeSettings s = Given(8, -1);
    const QuantizeScale<float> q(s, -128, 127);
    const float x[] = {.5f, 1.5f, -.5f, -2.5f, 500, -500};
    float y[6];
    ops::detail::QuantizeRun(s, q, x, y, 6);
    CHECK(std::vector<float>(y, y + 6) == std::vector<float>{0, 2, 0, -2, 127, -128});
    s.half_up = true;
    ops::detail::QuantizeRun(s, q, x, y, 6);
    CHECK(std::vector<float>(y, y + 6) == std::vector<float>{1, 2, 0, -2, 127, -128});
  }
  TEST_CASE("each channel has the range of its own numbers, and keeps them to half a step") {
    const Tensor x = Random<float>({4, 3, 5}, 6);
    const Tensor y = Run<ops::QuantizeAndDequantizeV4>({{"axis", std::int64_t{1}}},
                                                       {x, Make<float>({3}, {0}), Make<float>({3}, {0})});
    for (Index c = 0; c < 3; ++c) {
      double low = 0, high = 0;
      const auto each = [&](const auto& body) {
        for (Index i = 0; i < 20; ++i) body(i / 5 * 15 + c * 5 + i % 5);
      };
      each([&](Index i) {
        low = std::min(low, static_cast<double>(x.data<float>()[i]));
        high = std::max(high, static_cast<double>(x.data<float>()[i]));
      });
      const double step = std::max(-low / 128, high / 127);
      each([&](Index i) {
        CHECK(std::abs(static_cast<double>(x.data<float>()[i] - y.data<float>()[i])) <= step * .501);
      });
    }
  }
  TEST_CASE("gradients pass where the input is within the range; the range has none") {
    const Result<std::vector<Tensor>> out =
        Call<ops::QuantizeAndDequantizeV4Grad>({}, {Make<float>({4}, {1, 2, 4, 8}), Make<float>({4}, {-2, -1, 1, kNaN}),
                                                    Tensor::Scalar(-1.0f), Tensor::Scalar(1.0f)});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK(Numbered<float>((*out)[0]) == std::vector<double>{0, 2, 4, 0});
    CHECK(Numbered<float>((*out)[1]) == std::vector<double>{0});
  }
  TEST_CASE("says how many bits there may be, and which range does not fit") {
    CHECK(Range(Given(61, -1), {}, {}) == "");
    CHECK(Range(Given(62, -1), {}, {}) ==
          "Op: num_bits is out of range: 62 with signed_input_ 1; 1 to 61 would be right");
    CHECK(Range(Given(62, -1, false), {}, {}) == "");
    CHECK(Range(Given(0, -1, false), {}, {}) ==
          "Op: num_bits is out of range: 0 with signed_input_ 0; 1 to 62 would be right");
    CHECK(Range(Given(8, -1), {2}, {}) == "Op: input_min must be a scalar, got shape [2]");
    CHECK(Range(Given(8, -1), {1}, {1, 1}) == "");
    CHECK(Range(Given(8, -1), {}, {1}, false) == "Op: input_max must be a scalar, got shape [1]");
    CHECK(Range(Given(8, 1), {3}, {2}) == "Op: input_min and input_max must have 3 elements, got shapes [3] and [2]");
    CHECK(Range(Given(8, 1), {}, {3}) ==
          "Op: Shape must be rank 1 for input_min_tensor when the axis is specified, got [] and [3]");
    const Tensor x = Make<float>({2}, {1}), one = Tensor::Scalar(1.f), two = Tensor::Scalar(2.f);
    CHECK(ErrorOf<ops::QuantizeAndDequantizeV2>({{"range_given", true}}, {x, two, one}) ==
          "INVALID_ARGUMENT: QuantizeAndDequantizeV2: Invalid range: input_min 2 > input_max 1");
    CHECK(ErrorOf<ops::QuantizeAndDequantize>({}, {x}).starts_with("UNIMPLEMENTED: Op QuantizeAndDequantize is not "));
    CHECK(ErrorOf<ops::QuantizeAndDequantizeV3>({}, {x, one, two, Ints({8})}) ==
          "INVALID_ARGUMENT: QuantizeAndDequantizeV3: Invalid shape. The `num_bits` tensor should be a scalar. Got "
          "dimensions: 1");
    CHECK(ErrorOf<ops::QuantizeAndDequantizeV4Grad>({}, {x, one, one, two}) ==
          "INVALID_ARGUMENT: QuantizeAndDequantizeV4Grad: gradient and input must be the same size, got [2] and []");
  }
  TEST_CASE("the shape function: ranges are scalars, or as many as the axis is long") {
    using ops::QuantizeAndDequantizeV2;
    CHECK(InferredShape<QuantizeAndDequantizeV2>({{2, 3}, {}, {}}) == "[2,3]");
    CHECK(InferredShape<QuantizeAndDequantizeV2>({{2, 3}, {3}, {3}}, {{"axis", 1}}) == "[2,3]");
    CHECK(InferredShape<QuantizeAndDequantizeV2>({{2, 3}, {2}, {2}}, {{"axis", 1}}) ==
          "Dimensions must be equal, but are 2 and 3");
    CHECK(InferredShape<QuantizeAndDequantizeV2>({{2, 3}, {2}, {2}}, {{"axis", -2}}) ==
          "axis should be at least -1, got -2");
  }
}
}  // namespace math_quantize_dequantize_test
