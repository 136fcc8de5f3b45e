// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/pool.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_pool_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using List = std::vector<std::int64_t>;

struct PoolCase {
  TensorShape input, output;
  List ksize, strides;
  std::string padding = "VALID";
  List paddings = {};

  AttrArgs attrs() const {
    return {{"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"explicit_paddings", paddings}};
  }
  Index PaddingBefore(int d) const {
    if (padding == "EXPLICIT") return paddings[static_cast<std::size_t>(2 * d)];
    if (padding == "VALID") return 0;
    const auto at = static_cast<std::size_t>(d);
    return std::max<Index>(0, (output.dim_size(d) - 1) * strides[at] + ksize[at] - input.dim_size(d)) / 2;
  }
};

const std::vector<PoolCase> kCases = {
    {{1, 4, 4, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}},
    {{2, 7, 5, 3}, {2, 4, 3, 3}, {1, 2, 2, 1}, {1, 2, 2, 1}, "SAME"},
    {{1, 7, 9, 17}, {1, 7, 9, 17}, {1, 3, 3, 1}, {1, 1, 1, 1}, "SAME"},
    {{1, 8, 9, 2}, {1, 3, 8, 2}, {1, 3, 2, 1}, {1, 2, 1, 1}},
    {{1, 5, 5, 4}, {1, 3, 3, 4}, {1, 1, 1, 1}, {1, 2, 2, 1}},
    {{1, 4, 6, 5}, {1, 3, 3, 5}, {1, 3, 3, 1}, {1, 2, 2, 1}, "EXPLICIT", {0, 0, 2, 1, 0, 2, 0, 0}},
    {{2, 3, 4, 6}, {2, 3, 4, 2}, {1, 1, 1, 3}, {1, 1, 1, 3}},  // along the depth
    {{0, 4, 4, 3}, {0, 2, 2, 3}, {1, 2, 2, 1}, {1, 2, 2, 1}},
    {{1, 4, 4, 0}, {1, 2, 2, 0}, {1, 2, 2, 1}, {1, 2, 2, 1}},
    {{1, 1, 4, 3},
     {1, 0, 2, 3},
     {1, 2, 2, 1},
     {1, 1, 2, 1}},  // the shape function refuses this when it knows the shapes
};

template <class T>
std::string Difference(const PoolCase& c, SessionOptions options = {}) {
  const Tensor input = Random<T>(c.input, 1, std::is_unsigned_v<T> ? 0 : -100, 100),
               output = Run<ops::MaxPool>(c.attrs(), {input}, std::move(options));
  if (output.dtype() != dtype_of_v<T> || !(output.shape() == c.output)) return output.DebugString();
  const std::vector<double> x = Numbered<T>(input);
  const Index depth = c.input.dim_size(3), out_depth = c.output.dim_size(3), window = c.ksize[3];
  std::vector<Wide> want;
  for (Index at = 0; at < c.output.num_elements(); ++at) {
    const Index k = at % out_depth, j = at / out_depth % c.output.dim_size(2),
                i = at / out_depth / c.output.dim_size(2) % c.output.dim_size(1);
    const Index n = at / out_depth / c.output.dim_size(2) / c.output.dim_size(1);
    double most = -kInfinity;
    for (Index row = i * c.strides[1] - c.PaddingBefore(1), p = 0; p < c.ksize[1]; ++p, ++row) {
      for (Index column = j * c.strides[2] - c.PaddingBefore(2), q = 0; q < c.ksize[2]; ++q, ++column) {
        if (row < 0 || row >= c.input.dim_size(1) || column < 0 || column >= c.input.dim_size(2)) continue;
        const Index pixel = (n * c.input.dim_size(1) + row) * c.input.dim_size(2) + column;
        for (Index d = k * window; d < (k + 1) * window; ++d)
          most = std::max(most, x[static_cast<std::size_t>(pixel * depth + d)]);
      }
    }
    want.push_back(most);
  }
  return FirstFar(Widened<T>(output), want, std::vector<double>(want.size(), 0));
}

std::string Error(const PoolCase& c, const char* data_format = "NHWC") {
  AttrArgs attrs = c.attrs();
  attrs.emplace_back("data_format", data_format);
  return ErrorOf<ops::MaxPool>(attrs, {Make<float>(c.input, {1})});
}

}  // namespace

TEST_SUITE("MaxPool") {
  TEST_CASE_TEMPLATE("takes the largest of each window", T, float, double, half, bfloat16, std::int8_t, std::uint8_t,
                     std::int16_t, std::uint16_t, std::int32_t, std::int64_t) {
    const Tensor image = Make<T>({1, 2, 4, 1}, {1, 2, 3, 4, 8, 7, 6, 5});
    const Tensor y =
        Run<ops::MaxPool>({{"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 2, 2, 1}}, {"padding", "VALID"}}, {image});
    CHECK(y.shape() == TensorShape{1, 1, 2, 1});
    CHECK(Numbered<T>(y) == std::vector<double>{8, 6});
  }

  TEST_CASE_TEMPLATE("agrees with the definition", T, float, double, half, bfloat16, std::int8_t, std::uint8_t,
                     std::int16_t, std::uint16_t, std::int32_t, std::int64_t) {
    for (std::size_t i = 0; i < kCases.size(); ++i) {
      CAPTURE(i);
      CHECK(Difference<T>(kCases[i]) == "");
    }
  }

  TEST_CASE("several threads give the same") {
    const PoolCase large{{2, 60, 60, 16}, {2, 30, 30, 16}, {1, 3, 3, 1}, {1, 2, 2, 1}, "SAME"};
    CHECK(Difference<float>(large, {.intra_op_threads = 1}) == "");
    CHECK(Difference<float>(large, {.intra_op_threads = 4}) == "");
  }

  TEST_CASE("passes over NaN, as TensorFlow does; padding is smaller than everything") {
    const AttrArgs attrs = {{"ksize", List{1, 1, 2, 1}}, {"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}};
    const std::vector<double> y =
        Numbered<float>(Run<ops::MaxPool>(attrs, {Make<float>({1, 1, 4, 1}, {1, kNaN, -7, kInfinity})}));
    CHECK(y[0] == 1);
    CHECK(y[1] == -7);
    CHECK(y[2] == kInfinity);
    CHECK(y[3] == kInfinity);
  }

  TEST_CASE("never writes into its input, even when nobody else reads it") {
    bool took_over = false;
    const PoolCase& c = kCases[2];
    const Tensor image = Random<float>(c.input, 1);
    CHECK(SameTensor(RunOnOwnInputs<ops::MaxPool, float>(c.attrs(), {image}, &took_over),
                     Run<ops::MaxPool>(c.attrs(), {image})));
    CHECK_FALSE(took_over);
  }

  TEST_CASE("refuses attrs that no image would fit") {
    const TensorShape image{1, 4, 4, 2};
    CHECK(Error({image, {}, {1, 2, 2}, {1, 1, 1, 1}}) ==
          "INVALID_ARGUMENT: Length for attr 'ksize' of 3 must be at least minimum 4");
    CHECK(Error({image, {}, {1, 2, 2, 1, 1}, {1, 1, 1, 1}}) ==
          "INVALID_ARGUMENT: MaxPool requires the ksize attribute to contain 4 values, but got: 5");
    CHECK(Error({image, {}, {1, 2, 2, 1}, {1, 1, 1, 1, 1}}) ==
          "INVALID_ARGUMENT: MaxPool requires the stride attribute to contain 4 values, but got: 5");
    CHECK(Error({image, {}, {1, 2, 2, 1}, {1, 0, 1, 1}}) == "INVALID_ARGUMENT: Stride must be > 0, but got 0");
    CHECK(Error({image, {}, {1, 2, 2, 1}, {1, 1, 1, 1}, "EXPLICIT", {0, 0}}) ==
          "INVALID_ARGUMENT: explicit_paddings attribute must contain 8 values, but got: 2");
    CHECK(
        Error({image, {}, {1, 2, 2, 1}, {1, 1, 1, 1}, "FULL"}) ==
        "INVALID_ARGUMENT: Value for attr 'padding' of \"FULL\" is not in the list of allowed values: \"SAME\", \"VALID\", \"EXPLICIT\"");
    CHECK(Error({image, {}, {1, 0, 2, 1}, {1, 1, 1, 1}}) ==
          "INVALID_ARGUMENT: Sliding window ksize must be positive. The specified or inferred ksize is: 1,0,2,1");
  }
  TEST_CASE("says what a CPU does not do") {
    const TensorShape image{1, 4, 4, 2};
    CHECK(Error({image, {}, {1, 2, 2, 1}, {1, 1, 1, 1}}, "NCHW") ==
          "INVALID_ARGUMENT: Default MaxPoolingOp only supports NHWC on device type CPU, got NCHW");
    CHECK(Error({image, {}, {2, 2, 2, 1}, {1, 1, 1, 1}}) ==
          "UNIMPLEMENTED: Pooling is not yet supported on the batch dimension.");
    CHECK(Error({image, {}, {1, 2, 2, 1}, {2, 1, 1, 1}}) ==
          "UNIMPLEMENTED: Pooling is not yet supported on the batch dimension.");
    CHECK(Error({image, {}, {1, 2, 2, 2}, {1, 2, 2, 2}}) ==
          "UNIMPLEMENTED: MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
    CHECK(Error({{1, 4, 4, 3}, {}, {1, 1, 1, 2}, {1, 1, 1, 2}}) ==
          "UNIMPLEMENTED: Depthwise max pooling requires the depth window to evenly divide the input depth");
    CHECK(Error({{1, 4, 4, 4}, {}, {1, 1, 1, 2}, {1, 1, 1, 1}}) ==
          "UNIMPLEMENTED: Depthwise max pooling requires the depth window to equal the depth stride");
  }
  TEST_CASE("names images and paddings that do not fit") {
    CHECK(Error({{4, 4, 2}, {}, {1, 2, 2, 1}, {1, 1, 1, 1}}) ==
          "INVALID_ARGUMENT: tensor_in_shape must have 2 spatial dimensions. 3 0");
    const auto padded = [](List paddings) {
      return Error({{1, 4, 4, 1}, {}, {1, 2, 2, 1}, {1, 1, 1, 1}, "EXPLICIT", std::move(paddings)});
    };
    CHECK(padded({0, 0, 2, 1, 1, 1, 0, 0}) ==
          "INVALID_ARGUMENT: Top padding 2 needs to be smaller than the window size 2");
    CHECK(padded({0, 0, 1, 3, 1, 1, 0, 0}) ==
          "INVALID_ARGUMENT: Bottom padding 3 needs to be smaller than the window size 2");
    CHECK(padded({0, 0, 1, 1, 2, 1, 0, 0}) ==
          "INVALID_ARGUMENT: Left padding 2 needs to be smaller than the window size 2");
    CHECK(padded({0, 0, 1, 1, 1, 2, 0, 0}) ==
          "INVALID_ARGUMENT: Right padding 2 needs to be smaller than the window size 2");
    CHECK(
        Error({{1, 4, 4, 1}, {}, {1, 7, 7, 1}, {1, 1, 1, 1}}) ==
        "INVALID_ARGUMENT: Computed output size would be negative: -2 [input_size: 4, effective_filter_size: 7, stride: 1]");
  }
  TEST_CASE("has no kernel for qint8, and gives everything back when memory runs out") {
    const PoolCase& c = kCases[0];
    CHECK(
        ErrorOf<ops::MaxPool>(c.attrs(), {Tensor::Zeros<qint8>(c.input)})
            .find(
                "INVALID_ARGUMENT: no kernel for op 'MaxPool' on CPU with types {qint8}; registered: CPU{float}, CPU{double}, CPU{int32}, CPU{uint8}, "
                "CPU{int16}, CPU{int8}, CPU{int64}, CPU{bfloat16}, CPU{uint16}, CPU{half}. "
                "No registered 'MaxPool' OpKernel for CPU devices compatible with node {{node call}} (OpKernel was found, but "
                "attributes didn't match) Requested Attributes: T=DT_QINT8, data_format=\"NHWC\", explicit_paddings=[], "
                "ksize=[1, 2, 2, 1], padding=\"VALID\", strides=[1, 2, 2, 1].  Registered:  device='CPU'; T in [DT_FLOAT]\n") ==
        0);
    CHECK(
        ErrorOf<ops::MaxPool>(c.attrs(), {Make<bool>(c.input, {1})}) ==
        "INVALID_ARGUMENT: Value for attr 'T' of bool is not in the list of allowed values: half, bfloat16, float, double, int32, int64, "
        "uint8, int16, int8, uint16, qint8");
    CHECK(FailEveryAllocation<ops::MaxPool>(c.attrs(), {Make<float>(c.input, {1})}) == 1);
  }
}
}  // namespace nn_pool_test
