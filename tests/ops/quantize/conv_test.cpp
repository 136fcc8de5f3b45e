// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/conv.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "ops/support.hpp"

namespace quantize_conv_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("quantized windows") {
  Tensor Bytes(DataType type, const TensorShape& shape, std::uint64_t seed) {
    Tensor t(type, shape);
    for (Index i = 0; i < t.NumElements(); ++i)
      static_cast<std::uint8_t*>(t.raw_data())[i] = static_cast<std::uint8_t>(seed = seed * 73 + 41);
    return t;
  }
  const std::vector<std::int64_t> ones{1, 1, 1, 1}, two{1, 2, 2, 1};
  const Tensor low = Make<float>({}, {-1}), high = Make<float>({}, {1});

  TEST_CASE("QuantizedConv2D is the sum over the window, zeros outside, for filters of both signs") {
    for (const DataType type : {DataType::kQuint8, DataType::kQint8}) {
      const Tensor x = Bytes(DataType::kQuint8, {1, 4, 5, 2}, 7), w = Bytes(type, {3, 2, 2, 3}, 8);
      const Result<std::vector<Tensor>> y =
          Call<ops::QuantizedConv2D>({{"Tinput", DataType::kQuint8},
                                      {"Tfilter", type},
                                      {"strides", std::span<const std::int64_t>(ones)},
                                      {"padding", "SAME"}},
                                     {x, w, low, high, low, high});
      REQUIRE(y.ok());
      const std::int32_t zx = ops::detail::ZeroOf(DataType::kQuint8, {-1, 1}), zw = ops::detail::ZeroOf(type, {-1, 1});
      for (Index r = 0; r < 4; ++r)
        for (Index c = 0; c < 5; ++c)
          for (Index o = 0; o < 3; ++o) {
            std::int32_t want = 0;
            for (Index i = 0; i < 3; ++i)
              for (Index j = 0; j < 2; ++j)
                for (Index d = 0; d < 2; ++d) {
                  const Index a = r + i - 1, b = c + j;
                  if (a < 0 || a >= 4 || b >= 5) continue;
                  want += (LoadQuantized(x.raw_data(), x.dtype(), (a * 5 + b) * 2 + d) - zx) *
                          (LoadQuantized(w.raw_data(), type, ((i * 2 + j) * 2 + d) * 3 + o) - zw);
                }
            CHECK(LoadQuantized((*y)[0].raw_data(), DataType::kQint32, (r * 5 + c) * 3 + o) == want);
          }
    }
  }
  TEST_CASE("pools keep the range") {
    const Tensor x = Bytes(DataType::kQint8, {1, 2, 2, 1}, 3);
    const AttrArgs attrs{{"T", DataType::kQint8},
                         {"ksize", std::span<const std::int64_t>(two)},
                         {"strides", std::span<const std::int64_t>(two)},
                         {"padding", "VALID"}};
    const auto* in = static_cast<const std::int8_t*>(x.raw_data());
    const Result<std::vector<Tensor>> most = Call<ops::QuantizedMaxPool>(attrs, {x, low, high}),
                                      mean = Call<ops::QuantizedAvgPool>(attrs, {x, low, high});
    REQUIRE(most.ok());
    REQUIRE(mean.ok());
    CHECK(LoadQuantized((*most)[0].raw_data(), DataType::kQint8, 0) == *std::max_element(in, in + 4));
    CHECK(LoadQuantized((*mean)[0].raw_data(), DataType::kQint8, 0) == (in[0] + in[1] + in[2] + in[3]) / 4);
    CHECK(*(*most)[2].data<float>() == 1);
  }
}
}  // namespace quantize_conv_test
