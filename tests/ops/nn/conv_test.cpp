// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/conv.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/constant_weights.hpp"
#include "ops/support.hpp"

namespace nn_conv_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using List = std::vector<std::int64_t>;

struct ConvCase {
  TensorShape input, filter, output;
  std::string padding = "VALID";
  List strides = {1, 1, 1, 1};
  List dilations = {1, 1, 1, 1};
  List paddings = {};

  AttrArgs attrs() const {
    return {{"strides", strides}, {"padding", padding}, {"dilations", dilations}, {"explicit_paddings", paddings}};
  }
  // Rows or columns of padding before the image.
  Index PaddingBefore(int d) const {
    if (padding == "EXPLICIT") return paddings[static_cast<std::size_t>(2 * d)];
    if (padding == "VALID") return 0;
    const auto at = static_cast<std::size_t>(d);
    const Index extent = (filter.dim_size(d - 1) - 1) * dilations[at] + 1;
    return std::max<Index>(0, (output.dim_size(d) - 1) * strides[at] + extent - input.dim_size(d)) / 2;
  }
};

const std::vector<ConvCase> kCases = {
    {{1, 3, 3, 1}, {2, 2, 1, 1}, {1, 2, 2, 1}},
    {{2, 7, 6, 3}, {3, 3, 3, 5}, {2, 5, 4, 5}},
    {{2, 7, 6, 3}, {3, 3, 3, 5}, {2, 7, 6, 5}, "SAME"},
    {{1, 9, 9, 4}, {3, 3, 4, 17}, {1, 5, 5, 17}, "SAME", {1, 2, 2, 1}},
    {{1, 8, 9, 2}, {4, 2, 2, 3}, {1, 3, 3, 3}, "SAME", {1, 3, 3, 1}},  // the last column is in no window
    {{1, 5, 5, 6}, {1, 1, 6, 9}, {1, 5, 5, 9}},
    {{1, 6, 6, 2}, {1, 1, 2, 2}, {1, 3, 3, 2}, "SAME", {1, 2, 2, 1}},
    {{1, 9, 10, 2}, {3, 2, 2, 3}, {1, 5, 7, 3}, "VALID", {1, 1, 1, 1}, {1, 2, 3, 1}},
    {{1, 9, 10, 2}, {3, 3, 2, 3}, {1, 9, 10, 3}, "SAME", {1, 1, 1, 1}, {1, 2, 2, 1}},
    {{2, 4, 5, 3}, {3, 2, 3, 2}, {2, 5, 8, 2}, "EXPLICIT", {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 1, 2, 4, 0, 0, 0}},
    {{1, 6, 6, 4}, {3, 3, 2, 6}, {1, 4, 4, 6}},                  // two groups
    {{1, 5, 5, 6}, {3, 3, 1, 12}, {1, 5, 5, 12}, "SAME"},        // six groups
    {{1, 1, 20, 3}, {1, 5, 3, 4}, {1, 1, 16, 4}},
    {{1, 2, 2, 1}, {5, 5, 1, 2}, {1, 2, 2, 2}, "SAME"},
    {{0, 4, 4, 2}, {2, 2, 2, 3}, {0, 3, 3, 3}},
    {{1, 4, 4, 2}, {2, 2, 2, 0}, {1, 3, 3, 0}},
    {{1, 0, 4, 2}, {1, 1, 2, 3}, {1, 0, 4, 3}},
    {{1, 2, 4, 2}, {3, 1, 2, 3}, {1, 0, 4, 3}},  // the shape function refuses this when it knows the shapes
};

// Compares with sums of doubles. Allowed are a rounding of the type that is summed in (float for half and bfloat16) for
// every term, and one of the result.
template <class T>
std::string Difference(const ConvCase& c, SessionOptions options = {}) {
  const Tensor input = Random<T>(c.input, 1), filter = Random<T>(c.filter, 2);
  const Tensor output = Run<ops::Conv2D>(c.attrs(), {input, filter}, std::move(options));
  if (output.dtype() != dtype_of_v<T> || !(output.shape() == c.output)) return output.DebugString();
  const std::vector<double> x = Numbered<T>(input), f = Numbered<T>(filter);
  constexpr bool kSmall = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
  const double unit = kSmall ? 0x1p-24 : RoundingUnit<T>();
  const Index depth = c.filter.dim_size(2), groups = c.input.dim_size(3) / depth, out_depth = c.output.dim_size(3);
  std::vector<Wide> want;
  std::vector<double> allowed;
  for (Index at = 0; at < c.output.num_elements(); ++at) {
    const Index k = at % out_depth, j = at / out_depth % c.output.dim_size(2),
                i = at / out_depth / c.output.dim_size(2) % c.output.dim_size(1);
    const Index n = at / out_depth / c.output.dim_size(2) / c.output.dim_size(1), group = k / (out_depth / groups);
    double sum = 0, size = 0;
    for (Index p = 0; p < c.filter.dim_size(0); ++p) {
      for (Index q = 0; q < c.filter.dim_size(1); ++q) {
        const Index row = i * c.strides[1] + p * c.dilations[1] - c.PaddingBefore(1);
        const Index column = j * c.strides[2] + q * c.dilations[2] - c.PaddingBefore(2);
        if (row < 0 || row >= c.input.dim_size(1) || column < 0 || column >= c.input.dim_size(2)) continue;
        for (Index d = 0; d < depth; ++d) {
          const Index pixel = (n * c.input.dim_size(1) + row) * c.input.dim_size(2) + column;
          const double a = x[static_cast<std::size_t>(pixel * c.input.dim_size(3) + group * depth + d)];
          const double b = f[static_cast<std::size_t>(((p * c.filter.dim_size(1) + q) * depth + d) * out_depth + k)];
          sum += a * b;
          size += std::abs(a * b);
        }
      }
    }
    want.push_back(sum);
    allowed.push_back(unit * static_cast<double>(c.filter.dim_size(0) * c.filter.dim_size(1) * depth + 2) * size +
                      (kSmall ? RoundingUnit<T>() * std::abs(sum) : 0));
  }
  return FirstFar(Widened<T>(output), want, allowed);
}

std::string Error(const ConvCase& c, const char* data_format = "NHWC") {
  AttrArgs attrs = c.attrs();
  attrs.emplace_back("data_format", data_format);
  return ErrorOf<ops::Conv2D>(attrs, {Make<float>(c.input, {1}), Make<float>(c.filter, {1})});
}

}  // namespace

TEST_SUITE("Conv2D") {
  TEST_CASE_TEMPLATE("constant filters give the same bits as fed ones", T, float, double, half, std::int32_t) {
    for (const Index side : {5, 15, 20})
      for (const Index window : {1, 3})
        CHECK(DifferenceWithConstantWeights("Conv2D", {{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}},
                                            Random<T>({1, side, side, 9}, 1),
                                            Random<T>({window, window, 9, 33}, 2)) == "");
  }
  TEST_CASE_TEMPLATE("slides a filter over an image", T, float, double, half, bfloat16, std::int32_t) {
    const Tensor image = Make<T>({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                 filter = Make<T>({2, 2, 1, 1}, {1, 0, 0, 2});
    const Tensor valid = Run<ops::Conv2D>({{"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}}, {image, filter});
    CHECK(valid.shape() == TensorShape{1, 2, 2, 1});
    CHECK(Numbered<T>(valid) == std::vector<double>{11, 14, 20, 23});
    const Tensor same = Run<ops::Conv2D>({{"strides", List{1, 2, 2, 1}}, {"padding", "SAME"}}, {image, filter});
    CHECK(Numbered<T>(same) == std::vector<double>{11, 3, 7, 9});
  }

  TEST_CASE_TEMPLATE("agrees with sums of doubles", T, float, double, half, bfloat16, std::int32_t) {
    for (std::size_t i = 0; i < kCases.size(); ++i) {
      CAPTURE(i);
      CHECK(Difference<T>(kCases[i]) == "");
    }
  }

  TEST_CASE("several threads give the same") {
    const ConvCase large{{2, 40, 40, 16}, {3, 3, 16, 32}, {2, 40, 40, 32}, "SAME"};
    CHECK(Difference<float>(large, {.intra_op_threads = 1}) == "");
    CHECK(Difference<float>(large, {.intra_op_threads = 4}) == "");
  }

  TEST_CASE("padding adds nothing to the sums, not even to NaN or infinity") {
    const Tensor image = Make<float>({1, 1, 3, 1}, {kInfinity, 1, kNaN}), filter = Make<float>({1, 3, 1, 1}, {1, 1, 1});
    const std::vector<double> y =
        Numbered<float>(Run<ops::Conv2D>({{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}}, {image, filter}));
    CHECK(y[0] == kInfinity);
    CHECK(std::isnan(y[1]));
    CHECK(std::isnan(y[2]));
  }

  TEST_CASE("wraps integers around") {
    const Tensor image = Tensor::From<std::int32_t>({65536, 65537}, {1, 1, 2, 1});
    const Tensor filter = Tensor::From<std::int32_t>({65536, 65537}, {1, 2, 1, 1});
    const Tensor y = Run<ops::Conv2D>({{"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}}, {image, filter});
    CHECK(y.scalar<std::int32_t>()() == 131073);
  }

  TEST_CASE("never writes into its inputs, even when nobody else reads them") {
    bool took_over = false;
    const ConvCase c{{1, 4, 4, 2}, {1, 1, 2, 2}, {1, 4, 4, 2}};
    const std::vector<Tensor> inputs = {Random<float>(c.input, 1), Random<float>(c.filter, 2)};
    CHECK(SameTensor(RunOnOwnInputs<ops::Conv2D, float>(c.attrs(), inputs, &took_over),
                     Run<ops::Conv2D>(c.attrs(), inputs)));
    CHECK_FALSE(took_over);
  }

  TEST_CASE("refuses attrs that no image would fit") {
    const TensorShape image{1, 4, 4, 2}, filter{2, 2, 2, 3};
    CHECK(Error({image, filter, {}, "VALID", {1, 1, 1}}) ==
          "INVALID_ARGUMENT: Conv2D on data format NHWC requires the stride attribute to contain 4 values, but got: 3");
    CHECK(Error({image, filter, {}, "VALID", {1, 1, 1, 1}, {1, 1}}) ==
          "INVALID_ARGUMENT: Conv2D requires the dilation attribute to contain 4 values, but got: 2");
    CHECK(Error({image, filter, {}, "VALID", {1, 0, 1, 1}}) == "INVALID_ARGUMENT: Stride must be > 0, but got 0");
    CHECK(Error({image, filter, {}, "VALID", {1, 1, 1, 1}, {1, 1, 0, 1}}) ==
          "INVALID_ARGUMENT: Dilation rate must be >= 1, but got 0");
    CHECK(
        Error({image, filter, {}, "FULL"}) ==
        "INVALID_ARGUMENT: Value for attr 'padding' of \"FULL\" is not in the list of allowed values: \"SAME\", \"VALID\", \"EXPLICIT\"");
    CHECK(Error({image, filter, {}, "SAME", {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 1, 1, 1, 1, 0, 0}}) ==
          "INVALID_ARGUMENT: explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
    CHECK(Error({image, filter, {}, "EXPLICIT", {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}}) ==
          "INVALID_ARGUMENT: explicit_paddings attribute must contain 8 values, but got: 2");
    CHECK(Error({image, filter, {}, "EXPLICIT", {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, -1, 1, 1, 1, 0, 0}}) ==
          "INVALID_ARGUMENT: All elements of explicit_paddings must be nonnegative");
    CHECK(Error({image, filter, {}, "EXPLICIT", {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0, 1, 1, 1, 1, 0, 1}}) ==
          "INVALID_ARGUMENT: Nonzero explicit padding in the batch or depth dimensions is not supported");
    CHECK(
        Error({image, filter, {}}, "NHCW") ==
        "INVALID_ARGUMENT: Value for attr 'data_format' of \"NHCW\" is not in the list of allowed values: \"NHWC\", \"NCHW\"");
  }
  TEST_CASE("says what a CPU does not do") {
    const TensorShape image{1, 4, 4, 2}, filter{2, 2, 2, 3};
    CHECK(
        Error({image, filter, {}}, "NCHW") ==
        "UNIMPLEMENTED: The Conv2D op currently only supports the NHWC tensor format on the CPU. The op was given the format: NCHW");
    CHECK(Error({image, filter, {}, "VALID", {2, 1, 1, 1}}) ==
          "UNIMPLEMENTED: Current implementation does not yet support strides in the batch and depth dimensions.");
    CHECK(Error({image, filter, {}, "VALID", {1, 1, 1, 2}}) ==
          "UNIMPLEMENTED: Current implementation does not yet support strides in the batch and depth dimensions.");
    CHECK(Error({image, filter, {}, "VALID", {1, 1, 1, 1}, {2, 1, 1, 1}}) ==
          "UNIMPLEMENTED: Current implementation does not yet support dilations in the batch and depth dimensions.");
  }
  TEST_CASE("names the shapes that do not go together") {
    CHECK(Error({{4, 4, 2}, {2, 2, 2, 3}, {}}) == "INVALID_ARGUMENT: convolution input must be 4-dimensional: [4,4,2]");
    CHECK(Error({{1, 4, 4, 2}, {2, 2, 2}, {}}) ==
          "INVALID_ARGUMENT: convolution filter must be 4-dimensional: [2,2,2]");
    CHECK(Error({{1, 4, 4, 3}, {2, 2, 2, 3}, {}}) ==
          "INVALID_ARGUMENT: input depth must be evenly divisible by filter depth: 3 vs 2");
    CHECK(Error({{1, 4, 4, 4}, {2, 2, 2, 3}, {}}) ==
          "INVALID_ARGUMENT: output depth must be evenly divisible by number of groups: 3 vs 2");
    CHECK(Error({{1, 4, 4, 4}, {2, 2, 0, 3}, {}}) == "INVALID_ARGUMENT: filter depth must be strictly positive, got 0");
    CHECK(Error({{1, 4, 4, 4}, {0, 2, 4, 3}, {}}) ==
          "INVALID_ARGUMENT: filter must not have zero elements (i.e. all dimensions must be non-zero)");
    CHECK(
        Error({{1, 4, 4, 2}, {7, 1, 2, 3}, {}}) ==
        "INVALID_ARGUMENT: Computed output size would be negative: -2 [input_size: 4, effective_filter_size: 7, stride: 1]");
  }
  TEST_CASE("has few types, and gives everything back when memory runs out") {
    const Tensor image = Make<std::int64_t>({1, 1, 1, 1}, {1});
    CHECK(
        ErrorOf<ops::Conv2D>({{"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}}, {image, image}) ==
        "INVALID_ARGUMENT: Value for attr 'T' of int64 is not in the list of allowed values: half, bfloat16, float, double, int32");
    const ConvCase c = kCases[2];
    CHECK(FailEveryAllocation<ops::Conv2D>(c.attrs(), {Random<float>(c.input, 1), Random<float>(c.filter, 2)}) >= 2);
  }
}

TEST_SUITE("Conv2D, sizes near the end of int64") {
  TEST_CASE("windows and paddings that no memory holds are refused before any is touched") {
    using Numbers = std::vector<std::int64_t>;
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const Tensor x = Make<float>({1, 4, 4, 1}, {1}), filter = Make<float>({2, 2, 1, 1}, {1});
    const auto code = [&](std::int64_t dilation, const char* padding, std::int64_t pad) {
      AttrArgs attrs{{"strides", Numbers{1, 1, 1, 1}}, {"dilations", Numbers{1, dilation, 1, 1}}, {"padding", padding}};
      if (pad > 0) attrs.push_back({"explicit_paddings", Numbers{0, 0, pad, pad, 0, 0, 0, 0}});
      return CallOp("Conv2D", attrs, {x, filter}, 1).status().code();
    };
    for (const std::int64_t large : {kMost, kMost / 2, kMost / 4}) {
      CHECK(code(large, "VALID", 0) == Code::kInvalidArgument);
      CHECK(code(large, "SAME", 0) == Code::kInvalidArgument);
      CHECK(code(1, "EXPLICIT", large) == Code::kInvalidArgument);
    }
  }
}
}  // namespace nn_conv_test
