// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/uniform_conv.hpp>

#include <cstdint>
#include <string>

#include "ops/support.hpp"

namespace quantize_uniform_conv_test {
using namespace tenon;
using namespace tenon::testing;

Tensor Bytes(const TensorShape& shape, std::initializer_list<int> numbers) {
  Tensor tensor(DataType::kQint8, shape);
  for (Index i = 0; i < shape.num_elements(); ++i)
    static_cast<std::int8_t*>(tensor.raw_data())[i] =
        static_cast<std::int8_t>(numbers.begin()[static_cast<std::size_t>(i) % numbers.size()]);
  return tensor;
}
AttrArgs Attrs(const char* padding) {
  AttrArgs attrs{{"Tin", DataType::kQint8}, {"Tout", DataType::kQint32}, {"padding", padding}};
  for (const char* part : {"lhs", "rhs", "output"}) {
    attrs.push_back({StrCat(part, "_quantization_min_val"), std::int64_t{-100000}});
    attrs.push_back({StrCat(part, "_quantization_max_val"), std::int64_t{100000}});
  }
  return attrs;
}

TEST_SUITE("UniformQuantizedConvolution") {
  TEST_CASE("padding counts as 0") {
    const Tensor one = Make<float>({}, {1});
    for (const int zero : {1, 1000}) {  // beyond a byte too
      const Tensor out = Run<ops::UniformQuantizedConvolution>(
          Attrs("SAME"),
          {Bytes({1, 1, 3}, {2, 3, 4}), Bytes({1, 1, 3}, {1}), one, Int(zero), one, Int(0), one, Int(0)});
      const auto* const x = static_cast<const std::int32_t*>(out.raw_data());
      CHECK(x[0] == 5 - 2 * zero);
      CHECK(x[1] == 9 - 3 * zero);
      CHECK(x[2] == 7 - 2 * zero);
    }
  }
  TEST_CASE("refuses no features") {
    const Tensor one = Make<float>({}, {1});
    CHECK(ErrorOf<ops::UniformQuantizedConvolution>(
              Attrs("SAME"), {Bytes({1, 0, 3}, {2}), Bytes({1, 0, 3}, {1}), one, Int(1), one, Int(0), one, Int(0)})
              .find("rhs input feature dimension must divide") != std::string::npos);
  }
}
TEST_SUITE("UniformQuantizedConvolutionHybrid") {
  TEST_CASE("is near the convolution of numbers, each batch with its scale") {
    const Tensor out = Run<ops::UniformQuantizedConvolutionHybrid>(
        {{"Tlhs", DataType::kFloat},
         {"Trhs", DataType::kQint8},
         {"Tout", DataType::kFloat},
         {"padding", "VALID"},
         {"rhs_quantization_min_val", std::int64_t{-128}},
         {"rhs_quantization_max_val", std::int64_t{127}}},
        {Make<float>({2, 1, 2}, {1, 2, 1000, 5000}), Bytes({1, 1, 2}, {3, 4}), Make<float>({}, {0.5}), Int(0)});
    CHECK(out.data<float>()[0] == doctest::Approx(5.5).epsilon(0.01));
    CHECK(out.data<float>()[1] == doctest::Approx(11500).epsilon(0.01));
  }
}
}  // namespace quantize_uniform_conv_test
