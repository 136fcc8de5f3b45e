// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/uniform_quantize.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace quantize_uniform_quantize_test {
using namespace tenon;
using namespace tenon::testing;

const AttrArgs kToBytes{{"Tin", DataType::kFloat},
                        {"Tout", DataType::kQint8},
                        {"quantization_min_val", std::int64_t{-128}},
                        {"quantization_max_val", std::int64_t{127}}};

TEST_SUITE("UniformQuantize") {
  TEST_CASE("numbers become steps, halves round up") {
    const std::vector<Tensor> inputs{Make<float>({5}, {-1.25, -0.75, 0.25, 3, 1e9}), Make<float>({}, {0.5}), Ints({})};
    std::vector<Tensor> whole = inputs;
    whole[2] = Int(3);
    const Tensor bytes = Run<ops::UniformQuantize>(kToBytes, whole);
    const auto* const x = static_cast<const std::int8_t*>(bytes.raw_data());
    CHECK(x[0] == 1);
    CHECK(x[1] == 2);
    CHECK(x[2] == 4);
    CHECK(x[3] == 9);
    CHECK(x[4] == 127);
    const Tensor back = Run<ops::UniformDequantize>({{"Tin", DataType::kQint8},
                                                     {"Tout", DataType::kFloat},
                                                     {"quantization_min_val", std::int64_t{-128}},
                                                     {"quantization_max_val", std::int64_t{127}}},
                                                    {bytes, whole[1], whole[2]});
    CHECK(back.data<float>()[3] == 3.0f);
    CHECK(ErrorOf<ops::UniformQuantize>(kToBytes, inputs).find("scales and zero_points shape must be same") !=
          std::string::npos);
  }
  TEST_CASE("a scale for each index of an axis becomes another") {
    Tensor bytes(DataType::kQint8, TensorShape({2, 2}));
    for (int i = 0; i < 4; ++i) static_cast<std::int8_t*>(bytes.raw_data())[i] = static_cast<std::int8_t>(10 * i);
    const AttrArgs attrs{{"Tin", DataType::kQint8},
                         {"Tout", DataType::kQint8},
                         {"input_quantization_axis", std::int64_t{1}},
                         {"input_quantization_min_val", std::int64_t{-128}},
                         {"input_quantization_max_val", std::int64_t{127}},
                         {"output_quantization_min_val", std::int64_t{-128}},
                         {"output_quantization_max_val", std::int64_t{127}}};
    const Tensor out = Run<ops::UniformRequantize>(
        attrs, {bytes, Make<float>({2}, {1, 2}), Ints({0, 5}), Make<float>({}, {2}), Int(1)});
    const auto* const x = static_cast<const std::int8_t*>(out.raw_data());
    CHECK(x[0] == 1);
    CHECK(x[1] == 6);
    CHECK(x[2] == 11);
    CHECK(x[3] == 26);
  }
}
}  // namespace quantize_uniform_quantize_test
