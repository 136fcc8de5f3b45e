// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/requantize.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_requantize_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Requantize") {
  TEST_CASE("32 bits to 8 keep their values") {
    Tensor wide(DataType::kQint32, TensorShape({3}));
    auto* x = static_cast<std::int32_t*>(wide.raw_data());
    x[0] = -(1 << 28);
    x[1] = 0;
    x[2] = 1 << 29;  // a quarter of the range
    const std::vector<Tensor> inputs{wide, Make<float>({}, {-64}), Make<float>({}, {64})};
    const Result<std::vector<Tensor>> small =
        Call<ops::QuantizeDownAndShrinkRange>({{"Tinput", DataType::kQint32}, {"out_type", DataType::kQuint8}}, inputs);
    REQUIRE(small.ok());
    CHECK(*(*small)[1].data<float>() == doctest::Approx(-8).epsilon(1e-6));
    CHECK(*(*small)[2].data<float>() == doctest::Approx(16).epsilon(1e-6));
    const auto* bytes = static_cast<const std::uint8_t*>((*small)[0].raw_data());
    CHECK(bytes[0] == 0);
    CHECK(bytes[1] == 85);
    CHECK(bytes[2] == 255);
    const Result<std::vector<Tensor>> range = Call<ops::RequantizationRange>({{"Tinput", DataType::kQint32}}, inputs);
    REQUIRE(range.ok());
    CHECK(SameTensor((*range)[1], (*small)[2]));
  }
  TEST_CASE("refuses a range without 0") {
    CHECK(ErrorOf<ops::Requantize>({{"Tinput", DataType::kQint32}, {"out_type", DataType::kQint8}},
                                   {Tensor(DataType::kQint32, TensorShape({0})), Make<float>({}, {-1}),
                                    Make<float>({}, {1}), Make<float>({}, {0.5}), Make<float>({}, {1})})
              .find("requested_output_min must be <= 0, but got 0.5") != std::string::npos);
  }
}
}  // namespace quantize_requantize_test
