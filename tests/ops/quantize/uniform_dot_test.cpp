// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/uniform_dot.hpp>

#include <cstdint>
#include <string>

#include "ops/outputs.hpp"

namespace quantize_uniform_dot_test {
using namespace tenon;
using namespace tenon::testing;

Tensor Bytes(const TensorShape& shape, std::initializer_list<int> numbers) {
  Tensor tensor(DataType::kQint8, shape);
  for (Index i = 0; i < shape.num_elements(); ++i)
    static_cast<std::int8_t*>(tensor.raw_data())[i] =
        static_cast<std::int8_t>(numbers.begin()[static_cast<std::size_t>(i) % numbers.size()]);
  return tensor;
}
AttrArgs Attrs(std::int64_t rhs_axis, std::int64_t output_axis) {
  AttrArgs attrs{{"Tin", DataType::kQint8}, {"Tout", DataType::kQint32}};
  for (const char* part : {"lhs", "rhs", "output"}) {
    attrs.push_back({StrCat(part, "_quantization_min_val"), std::int64_t{-100000}});
    attrs.push_back({StrCat(part, "_quantization_max_val"), std::int64_t{100000}});
  }
  attrs.push_back({"rhs_quantization_axis", rhs_axis});
  attrs.push_back({"output_quantization_axis", output_axis});
  return attrs;
}

TEST_SUITE("UniformQuantizedDot") {
  TEST_CASE("scales do not tell the number of columns") {
    CHECK(ShapesOf<ops::UniformQuantizedDot>({{2, 7}, {7, -1}, {}, {}, {3}, {3}, {}, {}}) == "[2,?]");
  }
  TEST_CASE("columns have scales of their own") {
    const Tensor out = Run<ops::UniformQuantizedDot>(
        Attrs(1, 1), {Bytes({2, 2}, {1, 2, 3, 4}), Bytes({2, 2}, {5, 6, 7, 8}), Make<float>({}, {1}), Int(1),
                      Make<float>({2}, {1, 2}), Ints({1, 2}), Make<float>({2}, {1, 1}), Ints({0, 10})});
    const auto* const x = static_cast<const std::int32_t*>(out.raw_data());
    CHECK(x[0] == 6);
    CHECK(x[1] == 22);
    CHECK(x[2] == 26);
    CHECK(x[3] == 62);
  }
  TEST_CASE("sums beyond 2^24 round as floats") {
    const Tensor out = Run<ops::UniformQuantizedDot>(
        Attrs(-1, -1), {Bytes({1, 3}, {1}), Bytes({3, 1}, {0}), Make<float>({}, {1}), Int(0), Make<float>({}, {1}),
                        Int(-16777217), Make<float>({}, {1000}), Int(0)});
    CHECK(static_cast<const std::int32_t*>(out.raw_data())[0] == 50332);
  }
  TEST_CASE("refuses a product of more elements than 64 bits count") {
    constexpr Index kMany = Index{1} << 40;
    CHECK(ErrorOf<ops::UniformQuantizedDot>(
              Attrs(-1, -1), {Tensor(DataType::kQint8, {kMany, 0}), Tensor(DataType::kQint8, {0, kMany}),
                              Make<float>({}, {1}), Int(0), Make<float>({}, {1}), Int(0), Make<float>({}, {1}), Int(0)})
              .find("INVALID_ARGUMENT") == 0);
  }
  TEST_CASE("refuses a scale for each column of the output alone") {
    CHECK(ErrorOf<ops::UniformQuantizedDot>(
              Attrs(-1, 1), {Bytes({2, 2}, {1}), Bytes({2, 2}, {5}), Make<float>({}, {1}), Int(1), Make<float>({}, {1}),
                             Int(0), Make<float>({2}, {1, 1}), Ints({0, 10})})
              .find("If rhs is per-tensor quantized, output must be also per-tensor") != std::string::npos);
  }
}
TEST_SUITE("UniformQuantizedDotHybrid") {
  TEST_CASE("is near the product of numbers") {
    const Tensor out = Run<ops::UniformQuantizedDotHybrid>(
        {{"Tlhs", DataType::kFloat},
         {"Trhs", DataType::kQint8},
         {"Tout", DataType::kFloat},
         {"rhs_quantization_min_val", std::int64_t{-128}},
         {"rhs_quantization_max_val", std::int64_t{127}}},
        {Make<float>({2, 2}, {1, 2, -3, 100}), Bytes({2, 1}, {10, 20}), Make<float>({}, {0.5}), Int(2)});
    CHECK(out.data<float>()[0] == doctest::Approx(22).epsilon(0.01));
    CHECK(out.data<float>()[1] == doctest::Approx(888).epsilon(0.01));
  }
}
}  // namespace quantize_uniform_dot_test
