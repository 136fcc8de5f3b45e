// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/math/quantized_range.hpp>

#include <cstdint>
#include <initializer_list>

#include <doctest/doctest.h>

namespace quantized_range_test {
using namespace tenon;

TEST_SUITE("quantized numbers") {
  TEST_CASE("there and back, for every byte") {
    for (const DataType type : {DataType::kQint8, DataType::kQuint8}) {
      const QuantizedKind kind = QuantizedKind::Of(type);
      for (std::int64_t x = kind.lowest; x <= kind.highest; ++x) {
        const float real = QuantizedToFloat(kind, x, -1.5f, 2.25f);
        CHECK(FloatToQuantized(kind, real, -1.5f, 2.25f) == x);
        CHECK((real >= -1.52f && real <= 2.27f));
      }
    }
  }
  TEST_CASE("numbers beyond the range saturate, and a range of one number has one") {
    const QuantizedKind kind = QuantizedKind::Of(DataType::kQint32);
    CHECK(FloatToQuantized(kind, 9, -1, 1) == kind.highest);
    CHECK(FloatToQuantized(kind, -9, -1, 1) == kind.lowest);
    CHECK(QuantizedToFloat(kind, 17, 3, 3) == 3);
    CHECK(QuantizedToFloat(QuantizedKind::Of(DataType::kQuint8), 170, -39162.484375f, 18725.2578125f) == -681.03125f);
    CHECK(ToInt64(1e300) > 0);
  }
  TEST_CASE("the scales of whole tensors agree with the numbers one by one") {
    const QuantizedKind kind = QuantizedKind::Of(DataType::kQuint8);
    const QuantizedToFloatScale back(kind, -1, 3);
    const FloatToQuantizedScale there(kind, -1, 3);
    for (std::int32_t x = 0; x < 256; ++x) {
      CHECK(back(x) == doctest::Approx(QuantizedToFloat(kind, x, -1, 3)).epsilon(1e-5));
      CHECK(there(back(x)) == x);
    }
  }
}
}  // namespace quantized_range_test
