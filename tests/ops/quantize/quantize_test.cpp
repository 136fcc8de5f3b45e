// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/quantize.hpp>

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_quantize_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("QuantizeV2, Dequantize") {
  TEST_CASE("there and back in every mode") {
    const Tensor x = Make<float>({5}, {-2, -0.75, 0, 0.5, 2});
    for (const char* mode : {"MIN_COMBINED", "MIN_FIRST", "SCALED"}) {
      const Result<std::vector<Tensor>> q = Call<ops::QuantizeV2>({{"T", DataType::kQint8}, {"mode", mode}},
                                                                  {x, Make<float>({}, {-2}), Make<float>({}, {2})});
      REQUIRE(q.ok());
      const Tensor back = Run<ops::Dequantize>({{"T", DataType::kQint8}, {"mode", mode}}, {(*q)[0], (*q)[1], (*q)[2]});
      for (Index i = 0; i < 5; ++i) CHECK(std::abs(back.data<float>()[i] - x.data<float>()[i]) < 0.02);
    }
  }
  TEST_CASE("refuses a range from high to low, and rounding that the mode has not") {
    const std::vector<Tensor> inputs{Make<float>({2}, {1}), Make<float>({}, {2}), Make<float>({}, {-2})};
    CHECK(ErrorOf<ops::QuantizeV2>({{"T", DataType::kQint8}}, inputs)
              .find("input_max_range must be larger than input_min_range") != std::string::npos);
    CHECK(ErrorOf<ops::QuantizeV2>({{"T", DataType::kQint8}, {"round_mode", "HALF_TO_EVEN"}}, inputs)
              .find("only supported for mode 'SCALED'") != std::string::npos);
  }
}
}  // namespace quantize_quantize_test
