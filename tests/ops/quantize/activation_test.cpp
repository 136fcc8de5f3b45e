// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/activation.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_activation_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("QuantizedRelu, QuantizedRelu6") {
  TEST_CASE("clamp at the integers of 0 and 6, and keep the range") {
    Tensor x(DataType::kQuint8, TensorShape({3}));
    static_cast<std::uint8_t*>(x.raw_data())[0] = 0;
    static_cast<std::uint8_t*>(x.raw_data())[1] = 100;
    static_cast<std::uint8_t*>(x.raw_data())[2] = 255;
    const std::vector<Tensor> inputs{x, Make<float>({}, {-2}), Make<float>({}, {8})};
    const Result<std::vector<Tensor>> a = Call<ops::QuantizedRelu>({{"Tinput", DataType::kQuint8}}, inputs),
                                      b = Call<ops::QuantizedRelu6>({{"Tinput", DataType::kQuint8}}, inputs);
    REQUIRE(a.ok());
    REQUIRE(b.ok());
    const auto* relu = static_cast<const std::uint8_t*>((*a)[0].raw_data());
    const auto* relu6 = static_cast<const std::uint8_t*>((*b)[0].raw_data());
    CHECK((relu[0] == 51 && relu[1] == 100 && relu[2] == 255));
    CHECK((relu6[0] == 51 && relu6[1] == 100 && relu6[2] == 204));
    CHECK(*(*a)[2].data<float>() == 8);
  }
}
}  // namespace quantize_activation_test
