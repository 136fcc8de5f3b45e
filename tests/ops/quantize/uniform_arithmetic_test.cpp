// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/uniform_arithmetic.hpp>

#include <cstdint>
#include <string>

#include "ops/support.hpp"

namespace quantize_uniform_arithmetic_test {
using namespace tenon;
using namespace tenon::testing;

Tensor Wide(const TensorShape& shape, std::initializer_list<std::int32_t> numbers) {
  Tensor tensor(DataType::kQint32, shape);
  std::copy(numbers.begin(), numbers.end(), static_cast<std::int32_t*>(tensor.raw_data()));
  return tensor;
}

TEST_SUITE("UniformQuantizedAdd") {
  TEST_CASE("operands of other scales add up, broadcast") {
    AttrArgs attrs{{"T", DataType::kQint32}};
    for (const char* part : {"lhs", "rhs", "output"}) {
      attrs.push_back({StrCat(part, "_quantization_min_val"), std::int64_t{-1000}});
      attrs.push_back({StrCat(part, "_quantization_max_val"), std::int64_t{1000}});
    }
    const Tensor scale = Make<float>({}, {1});
    const Tensor sum = Run<ops::UniformQuantizedAdd>(attrs, {Wide({2, 2}, {1, 2, 3, 4}), Wide({2}, {10, 5000}), scale,
                                                             Int(1), Make<float>({}, {2}), Int(0), scale, Int(7)});
    const auto* const x = static_cast<const std::int32_t*>(sum.raw_data());
    CHECK(x[0] == 27);
    CHECK(x[1] == 1000);
    CHECK(x[2] == 29);
    CHECK(ErrorOf<ops::UniformQuantizedAdd>(attrs, {Wide({2}, {1, 2}), Wide({2}, {1, 2}), scale, Int(1),
                                                    Make<float>({}, {-2}), Int(0), scale, Int(7)})
              .find("rhs scales elements must be all positive") != std::string::npos);
  }
}
TEST_SUITE("UniformQuantizedClipByValue") {
  TEST_CASE("each index of the axis has its limits") {
    const AttrArgs attrs{{"T", DataType::kQint32},
                         {"quantization_axis", std::int64_t{0}},
                         {"quantization_min_val", std::int64_t{-1000}},
                         {"quantization_max_val", std::int64_t{1000}}};
    const Tensor out = Run<ops::UniformQuantizedClipByValue>(
        attrs,
        {Wide({2, 2}, {-9, 9, -9, 9}), Wide({2}, {-1, 0}), Wide({2}, {5, 20}), Make<float>({2}, {1, 1}), Ints({0, 0})});
    const auto* const x = static_cast<const std::int32_t*>(out.raw_data());
    CHECK(x[0] == -1);
    CHECK(x[1] == 5);
    CHECK(x[2] == 0);
    CHECK(x[3] == 9);
  }
}
}  // namespace quantize_uniform_arithmetic_test
