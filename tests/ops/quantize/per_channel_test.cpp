// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/per_channel.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_per_channel_test {
using namespace tenon;
using namespace tenon::testing;

Tensor Wide(const TensorShape& shape, std::initializer_list<std::int32_t> numbers) {
  Tensor tensor(DataType::kQint32, shape);
  std::copy(numbers.begin(), numbers.end(), static_cast<std::int32_t*>(tensor.raw_data()));
  return tensor;
}

TEST_SUITE("RequantizePerChannel") {
  TEST_CASE("each channel has its range") {
    const Tensor input = Wide({1, 1, 2, 2}, {1 << 30, 1 << 30, -(1 << 30), 1 << 29});
    const std::vector<Tensor> ranges{input, Make<float>({2}, {-1, -4}), Make<float>({2}, {1, 4})};
    std::vector<Tensor> inputs = ranges;
    inputs.push_back(Make<float>({}, {0}));
    inputs.push_back(Make<float>({}, {2}));
    const Tensor out = Run<ops::RequantizePerChannel>({{"out_type", DataType::kQuint8}}, inputs);
    const auto* const x = static_cast<const std::uint8_t*>(out.raw_data());
    CHECK(x[0] == 64);
    CHECK(x[1] == 255);
    CHECK(x[2] == 0);
    CHECK(x[3] == 128);
    const Result<std::vector<Tensor>> range =
        Call<ops::RequantizationRangePerChannel>({{"clip_value_max", 100.0f}}, ranges);
    REQUIRE(range.ok());
    CHECK(*(*range)[0].data<float>() == -2);
    CHECK(*(*range)[1].data<float>() == 2);
  }
  TEST_CASE("many channels without elements take no time") {
    const TensorShape none({0, 1, 1, Index{1} << 50});
    const Tensor one = Make<float>({1}, {1});
    CHECK(Run<ops::RequantizePerChannel>({{"out_type", DataType::kQuint8}},
                                         {Tensor(DataType::kQint32, none), one, one, one, one})
              .shape() == none);
  }
  TEST_CASE("refuses ranges of another number of channels") {
    CHECK(
        ErrorOf<ops::RequantizationRangePerChannel>(
            {{"clip_value_max", 1.0f}}, {Wide({1, 1, 1, 3}, {1, 2, 3}), Make<float>({2}, {-1}), Make<float>({2}, {1})})
            .find("input must have same number of channels") != std::string::npos);
  }
}
}  // namespace quantize_per_channel_test
