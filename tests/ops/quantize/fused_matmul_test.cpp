// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/fused_matmul.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_fused_matmul_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("QuantizedMatMulWithBias") {
  Tensor Numbers(DataType type, const TensorShape& shape, int step) {
    Tensor t(type, shape);
    for (Index i = 0; i < t.NumElements(); ++i) StoreQuantized(i * step % 100, t.raw_data(), type, i);
    return t;
  }
  const Tensor a = Numbers(DataType::kQuint8, {2, 3}, 37), b = Numbers(DataType::kQint8, {3, 2}, 29);
  const Tensor low = Make<float>({}, {-1}), high = Make<float>({}, {5}), top = Make<float>({}, {2});
  AttrArgs Attrs(DataType bias, DataType out) {
    return {{"T1", DataType::kQuint8}, {"T2", DataType::kQint8}, {"Tbias", bias}, {"Toutput", out}};
  }
  std::int32_t Sum(Index i, Index j) {
    std::int32_t sum = 0;
    for (Index k = 0; k < 3; ++k)
      sum += LoadQuantized(a.raw_data(), a.dtype(), i * 3 + k) * LoadQuantized(b.raw_data(), b.dtype(), k * 2 + j);
    return sum;
  }

  TEST_CASE("a bias of 32 bits is added to the sums; floats are sums by the step") {
    Tensor bias(DataType::kQint32, TensorShape({2}));
    static_cast<std::int32_t*>(bias.raw_data())[0] = -70000;
    static_cast<std::int32_t*>(bias.raw_data())[1] = 500;
    const Result<std::vector<Tensor>> sums = Call<ops::QuantizedMatMulWithBias>(
        Attrs(DataType::kQint32, DataType::kQint32), {a, b, bias, low, high, low, top});
    const Result<std::vector<Tensor>> floats = Call<ops::QuantizedMatMulWithBiasAndDequantize>(
        Attrs(DataType::kQint32, DataType::kFloat), {a, b, bias, low, high, low, top, low, high});
    REQUIRE(sums.ok());
    REQUIRE(floats.ok());
    for (Index i = 0; i < 4; ++i) {
      const std::int32_t want = Sum(i / 2, i % 2) + LoadQuantized(bias.raw_data(), bias.dtype(), i % 2);
      CHECK(LoadQuantized((*sums)[0].raw_data(), DataType::kQint32, i) == want);
      CHECK((*floats)[0].data<float>()[i] == doctest::Approx(want * (6.0 / 255) * (2.0 / 127)));
    }
  }
  TEST_CASE("SCALED floats have the bias as it is") {
    AttrArgs attrs = Attrs(DataType::kFloat, DataType::kFloat);
    attrs.push_back({"input_quant_mode", "SCALED"});
    const Result<std::vector<Tensor>> y = Call<ops::QuantizedMatMulWithBiasAndDequantize>(
        attrs, {a, b, Make<float>({2}, {1.5f, -2}), low, high, low, top, low, high});
    REQUIRE(y.ok());
    for (Index i = 0; i < 4; ++i)
      CHECK((*y)[0].data<float>()[i] ==
            doctest::Approx(Sum(i / 2, i % 2) * (5.0 / 255) * (2.0 / 127) + (i % 2 == 0 ? 1.5 : -2)));
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    AttrArgs attrs = Attrs(DataType::kFloat, DataType::kQuint8);
    std::vector<Tensor> inputs{a, b, Make<float>({3}, {1, 2, 3}), low, high, low, top, low, high};
    CHECK(ErrorOf<ops::QuantizedMatMulWithBiasAndReluAndRequantize>(attrs, inputs).find("bias must have 2 elements") !=
          std::string::npos);
    attrs.push_back({"transpose_a", true});
    CHECK(ErrorOf<ops::QuantizedMatMulWithBiasAndReluAndRequantize>(attrs, inputs).find("transposed") !=
          std::string::npos);
  }
}
}  // namespace quantize_fused_matmul_test
