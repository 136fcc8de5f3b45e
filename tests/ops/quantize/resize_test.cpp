// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/resize.hpp>

#include <cstdint>
#include <string>

#include "ops/support.hpp"

namespace quantize_resize_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("QuantizedResizeBilinear") {
  TEST_CASE("bytes between two bytes") {
    Tensor image(DataType::kQuint8, TensorShape({1, 1, 2, 1}));
    static_cast<std::uint8_t*>(image.raw_data())[0] = 0;
    static_cast<std::uint8_t*>(image.raw_data())[1] = 200;
    const Tensor out = Run<ops::QuantizedResizeBilinear>(
        {{"T", DataType::kQuint8}}, {image, Ints({2, 4}), Make<float>({}, {0}), Make<float>({}, {1})});
    const auto* const x = static_cast<const std::uint8_t*>(out.raw_data());
    CHECK(x[0] == 0);
    CHECK(x[1] == 100);
    CHECK(x[2] == 200);
    CHECK(x[7] == 200);
    CHECK(ErrorOf<ops::QuantizedResizeBilinear>({{"T", DataType::kQuint8}},
                                                {image, Ints({0, 4}), Make<float>({}, {0}), Make<float>({}, {1})})
              .find("output dimensions must be positive") != std::string::npos);
  }
  TEST_CASE("wide integers keep their precision") {
    const std::int64_t x[] = {1 << 24, -(1 << 24), 1 << 24, -(1 << 24)};
    CHECK(ops::detail::BetweenFour<30>(x, 0.5f, 0.25f) == 0);
    CHECK(ops::detail::BetweenFour<30>(x, 0.25f, 0.25f) == 1 << 23);
  }
}
}  // namespace quantize_resize_test
