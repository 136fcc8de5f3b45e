// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/normalize.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
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

namespace {

// t, m, v, beta and gamma, each a number or two with its range.
struct Ranged {
  std::vector<int> bytes;
  double low, high;
};
std::vector<Tensor> BatchNormInputs(std::initializer_list<Ranged> operands) {
  std::vector<Tensor> inputs;
  for (const Ranged& x : operands) {
    const auto n = static_cast<Index>(x.bytes.size());
    Tensor bytes(DataType::kQuint8, inputs.empty() ? TensorShape({1, 1, 1, n}) : TensorShape({n}));
    std::copy(x.bytes.begin(), x.bytes.end(), static_cast<std::uint8_t*>(bytes.raw_data()));
    inputs.insert(inputs.end(), {bytes, Make<float>({}, {x.low}), Make<float>({}, {x.high})});
  }
  return inputs;
}
const AttrArgs kBatchNorm = {{"Tinput", DataType::kQuint8},
                             {"out_type", DataType::kQint32},
                             {"variance_epsilon", 0.0f},
                             {"scale_after_normalization", true}};

}  // namespace

TEST_SUITE("QuantizedBatchNormWithGlobalNormalization") {
  TEST_CASE("is (t - m) / sqrt(v) * gamma + beta in steps of 2^-11") {
    const Tensor out = Run<ops::QuantizedBatchNormWithGlobalNormalization>(
        kBatchNorm,
        BatchNormInputs({{{10, 10}, 0, 255}, {{4, 4}, 0, 255}, {{9, 9}, 0, 255}, {{3, 3}, 0, 255}, {{5, 5}, 0, 255}}));
    CHECK(static_cast<const std::int32_t*>(out.raw_data())[0] == doctest::Approx(13 * 2048).epsilon(0.001));
  }
  TEST_CASE("numbers of a wide range are TensorFlow's") {
    const Tensor out = Run<ops::QuantizedBatchNormWithGlobalNormalization>(
        kBatchNorm, BatchNormInputs({{{0, 0}, 0, 0},
                                     {{0, 0}, 0, 0},
                                     {{0, 0}, 1, 1},
                                     {{170, 17}, -39162.484375, 18725.2578125},
                                     {{0, 0}, 1, 1}}));
    CHECK(static_cast<const std::int32_t*>(out.raw_data())[0] == -1394752);
    CHECK(static_cast<const std::int32_t*>(out.raw_data())[1] == -72527208);
  }
  TEST_CASE("refuses a single channel") {
    CHECK(ErrorOf<ops::QuantizedBatchNormWithGlobalNormalization>(
              kBatchNorm, BatchNormInputs({{{1}, 0, 1}, {{1}, 0, 1}, {{1}, 0, 1}, {{1}, 0, 1}, {{1}, 0, 1}}))
              .find("INVALID_ARGUMENT") == 0);
  }
}
}  // namespace quantize_normalize_test
