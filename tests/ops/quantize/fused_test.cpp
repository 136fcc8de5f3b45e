// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/fused.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_fused_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("fused quantized convolutions") {
  Tensor Bytes(DataType type, const TensorShape& shape, std::uint64_t seed) {
    Tensor t(type, shape);
    for (Index i = 0; i < t.NumElements(); ++i)
      static_cast<std::uint8_t*>(t.raw_data())[i] = static_cast<std::uint8_t>(seed = seed * 73 + 41);
    return t;
  }
  const std::vector<std::int64_t> ones{1, 1, 1, 1}, pads{0, 0, 1, 0, 0, 0, 0, 0};
  const Tensor x = Bytes(DataType::kQuint8, {1, 4, 3, 2}, 7), w = Bytes(DataType::kQint8, {2, 1, 2, 2}, 8);
  const Tensor bias = Make<float>({2}, {0.5f, -0.25f});
  const Tensor low = Make<float>({}, {0}), high = Make<float>({}, {4});
  const Tensor lows = Make<float>({2}, {-1, -2}), highs = Make<float>({2}, {0.5f, 1});

  AttrArgs Attrs(DataType out) {
    return {{"Tinput", DataType::kQuint8},
            {"Tfilter", DataType::kQint8},
            {"out_type", out},
            {"strides", std::span<const std::int64_t>(ones)},
            {"padding", "VALID"}};
  }
  // A real number of the output with one padded row above.
  double Wanted(Index r, Index c, Index o) {
    double sum = 0;
    for (Index i = 0; i < 2; ++i)
      for (Index d = 0; d < 2 && r + i > 0; ++d)
        sum += LoadQuantized(x.raw_data(), x.dtype(), ((r + i - 1) * 3 + c) * 2 + d) *
               LoadQuantized(w.raw_data(), w.dtype(), (i * 2 + d) * 2 + o);
    return sum * (4.0 / 255) * ((o == 0 ? 1.0 : 2.0) / 127) + bias.data<float>()[o];
  }

  TEST_CASE("bias, sum, Relu, a new range and paddings, with a range for each channel") {
    const Tensor summand = Bytes(DataType::kQint8, {1, 4, 3, 2}, 9);
    AttrArgs attrs = Attrs(DataType::kQuint8);
    attrs.push_back({"Tbias", DataType::kFloat});
    attrs.push_back({"Tsummand", DataType::kQint8});
    attrs.push_back({"padding_list", std::span<const std::int64_t>(pads)});
    const Result<std::vector<Tensor>> y = Call<ops::QuantizedConv2DWithBiasSignedSumAndReluAndRequantize>(
        attrs, {x, w, bias, low, high, lows, highs, low, Make<float>({}, {20}), summand, low, high});
    REQUIRE(y.ok());
    CHECK((*y)[2].data<float>()[0] == 20);
    for (Index i = 0; i < 24; ++i) {
      const double real =
          Wanted(i / 6, i / 2 % 3, i % 2) + LoadQuantized(summand.raw_data(), DataType::kQint8, i) * (4.0 / 127);
      CHECK(std::abs(LoadQuantized((*y)[0].raw_data(), DataType::kQuint8, i) -
                     std::clamp(real * 255 / 20, 0.0, 255.0)) < 0.51);
    }
  }
  TEST_CASE("sums of 32 bits have the step of the widest channel, and tell the range of each") {
    AttrArgs attrs = Attrs(DataType::kQint32);
    attrs.push_back({"padding_list", std::span<const std::int64_t>(pads)});
    const Result<std::vector<Tensor>> y =
        Call<ops::QuantizedConv2DWithBias>(attrs, {x, w, bias, low, high, lows, highs});
    REQUIRE(y.ok());
    for (Index i = 0; i < 24; ++i)
      CHECK(std::abs(LoadQuantized((*y)[0].raw_data(), DataType::kQint32, i) -
                     Wanted(i / 6, i / 2 % 3, i % 2) / (4.0 / 255 * 2 / 127)) < 0.51);
    CHECK((*y)[2].shape() == TensorShape({2}));
    CHECK((*y)[2].data<float>()[1] == doctest::Approx(4.0 / 255 * 3 / 254 * 2147483647));
  }
  TEST_CASE("depthwise: every channel has filters of its own") {
    const Tensor filter = Bytes(DataType::kQint8, {1, 1, 2, 3}, 5);
    const Result<std::vector<Tensor>> y =
        Call<ops::QuantizedDepthwiseConv2D>(Attrs(DataType::kQint32), {x, filter, low, high, low, high});
    REQUIRE(y.ok());
    REQUIRE((*y)[0].shape() == TensorShape({1, 4, 3, 6}));
    for (Index i = 0; i < 72; ++i)
      CHECK(LoadQuantized((*y)[0].raw_data(), DataType::kQint32, i) ==
            LoadQuantized(x.raw_data(), x.dtype(), i / 3) * LoadQuantized(filter.raw_data(), filter.dtype(), i % 6));
  }
  TEST_CASE("refuses biases, summands and ranges of other sizes") {
    const AttrArgs attrs = Attrs(DataType::kQint32);
    const Tensor three = Make<float>({3}, {1, 2, 3});
    CHECK(ErrorOf<ops::QuantizedConv2DWithBias>(attrs, {x, w, three, low, high, low, high})
              .find("bias must have 2 elements") != std::string::npos);
    CHECK(ErrorOf<ops::QuantizedConv2DAndRelu>(attrs, {x, w, low, high, three, three})
              .find("must have 1 or 2 elements") != std::string::npos);
    const Tensor none(DataType::kQint8, TensorShape({Index{1} << 40, 0, 2, 2}));  // a loop over its rows would not end
    CHECK(ErrorOf<ops::QuantizedConv2DPerChannel>(attrs, {x, none, low, high, low, high})
              .find("filter must not be empty") != std::string::npos);
    CHECK(ErrorOf<ops::QuantizedConv2DWithBiasSumAndRelu>(attrs, {x, w, bias, low, high, low, high, three})
              .find("summand must have the shape [1,3,3,2]") != std::string::npos);
  }
}
}  // namespace quantize_fused_test
