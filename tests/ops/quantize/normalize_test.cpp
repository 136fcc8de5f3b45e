// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/normalize.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_normalize_test {
using namespace tenon;
using namespace tenon::testing;

Tensor Bytes(const TensorShape& shape, std::initializer_list<int> numbers) {
  Tensor tensor(DataType::kQuint8, shape);
  for (Index i = 0; i < shape.num_elements(); ++i)
    static_cast<std::uint8_t*>(tensor.raw_data())[i] =
        static_cast<std::uint8_t>(numbers.begin()[static_cast<std::size_t>(i) % numbers.size()]);
  return tensor;
}

TEST_SUITE("QuantizedInstanceNorm") {
  TEST_CASE("two pixels become -1 and 1") {
    const Result<std::vector<Tensor>> out = Call<ops::QuantizedInstanceNorm>(
        {{"T", DataType::kQuint8}}, {Bytes({1, 1, 2, 1}, {0, 255}), Make<float>({}, {-10}), Make<float>({}, {10})});
    REQUIRE(out.ok());
    CHECK(*(*out)[1].data<float>() == doctest::Approx(-1));
    CHECK(*(*out)[2].data<float>() == doctest::Approx(1));
    CHECK(static_cast<const std::uint8_t*>((*out)[0].raw_data())[1] == 255);
  }
  TEST_CASE("refuses a point as range") {
    CHECK(ErrorOf<ops::QuantizedInstanceNorm>({{"T", DataType::kQuint8}},
                                              {Bytes({1, 1, 2, 1}, {0}), Make<float>({}, {1}), Make<float>({}, {1})})
              .find("max_x must be larger than min_x") != std::string::npos);
  }
}
TEST_SUITE("QuantizedBatchNormWithGlobalNormalization") {
  TEST_CASE("is (t - m) / sqrt(v) * gamma + beta in steps of 2^-11") {
    const Tensor low = Make<float>({}, {0}), high = Make<float>({}, {255});
    std::vector<Tensor> inputs;
    for (const int x : {10, 4, 9, 3, 5}) {
      inputs.push_back(inputs.empty() ? Bytes({1, 1, 1, 1}, {x}) : Bytes({1}, {x}));
      inputs.push_back(low);
      inputs.push_back(high);
    }
    const Tensor out = Run<ops::QuantizedBatchNormWithGlobalNormalization>({{"Tinput", DataType::kQuint8},
                                                                            {"out_type", DataType::kQint32},
                                                                            {"variance_epsilon", 0.0f},
                                                                            {"scale_after_normalization", true}},
                                                                           inputs);
    CHECK(static_cast<const std::int32_t*>(out.raw_data())[0] == doctest::Approx(13 * 2048).epsilon(0.001));
  }
}
}  // namespace quantize_normalize_test
