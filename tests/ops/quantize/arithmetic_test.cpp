// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/arithmetic.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_arithmetic_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("quantized arithmetic") {
  // The numbers that bytes of [low, high] stand for, as doubles.
  double Real(const Tensor& t, Index i, double low, double high) {
    const bool wide = t.dtype() == DataType::kQint32;
    const QuantizedKind kind = QuantizedKind::Of(t.dtype());
    const double step = (high - low) / kind.steps;
    const double x = LoadQuantized(t.raw_data(), t.dtype(), i);
    return wide ? x * step : std::round(low / step) * step + x * step;
  }
  Tensor Bytes(const TensorShape& shape, std::uint64_t seed) {
    Tensor t(DataType::kQuint8, shape);
    for (Index i = 0; i < t.NumElements(); ++i)
      static_cast<std::uint8_t*>(t.raw_data())[i] = static_cast<std::uint8_t>(seed = seed * 73 + 41);
    return t;
  }
  const std::vector<Tensor> kRanges{Make<float>({}, {-1}), Make<float>({}, {3}), Make<float>({}, {-2}),
                                    Make<float>({}, {2})};
  std::vector<Tensor> Inputs(const Tensor& x, const Tensor& y) {
    std::vector<Tensor> all{x, y};
    all.insert(all.end(), kRanges.begin(), kRanges.end());
    return all;
  }
  const AttrArgs types{{"T1", DataType::kQuint8}, {"T2", DataType::kQuint8}};

  TEST_CASE("sums and products stand for those of the numbers") {
    const Tensor x = Bytes({4, 3}, 1), y = Bytes({3}, 2);
    const Result<std::vector<Tensor>> sum = Call<ops::QuantizedAdd>(types, Inputs(x, y)),
                                      product = Call<ops::QuantizedMul>(types, Inputs(x, y));
    REQUIRE(sum.ok());
    REQUIRE(product.ok());
    for (Index i = 0; i < 12; ++i) {
      const double a = Real(x, i, -1, 3), b = Real(y, i % 3, -2, 2);
      CHECK(std::abs(Real((*sum)[0], i, *(*sum)[1].data<float>(), *(*sum)[2].data<float>()) - a - b) < 0.05);
      CHECK(std::abs(Real((*product)[0], i, *(*product)[1].data<float>(), *(*product)[2].data<float>()) - a * b) <
            0.05);
    }
  }
  TEST_CASE("QuantizedMatMul") {
    const Tensor a = Bytes({2, 7}, 3), b = Bytes({7, 3}, 4);
    const Result<std::vector<Tensor>> c = Call<ops::QuantizedMatMul>(types, Inputs(a, b));
    REQUIRE(c.ok());
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 3; ++j) {
        double want = 0;
        for (Index k = 0; k < 7; ++k) want += Real(a, i * 7 + k, -1, 3) * Real(b, k * 3 + j, -2, 2);
        CHECK(std::abs(Real((*c)[0], i * 3 + j, *(*c)[1].data<float>(), *(*c)[2].data<float>()) - want) < 0.1);
      }
  }
  TEST_CASE("refuses as many biases as there are not") {
    CHECK(ErrorOf<ops::QuantizedBiasAdd>(
              {{"T1", DataType::kQuint8}, {"T2", DataType::kQuint8}, {"out_type", DataType::kQint32}},
              Inputs(Bytes({2, 3}, 1), Bytes({2}, 1)))
              .find("Must provide as many biases as the last dimension of the input tensor: [2] vs. [2,3]") !=
          std::string::npos);
  }
}
}  // namespace quantize_arithmetic_test
