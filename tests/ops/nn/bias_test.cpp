// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/bias.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_bias_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const AttrArgs kNCHW = {{"data_format", "NCHW"}};

// Compares with the sum of value and bias as doubles.
template <class T>
std::string Difference(const TensorShape& shape, bool channels_first) {
  const int channel = channels_first ? 1 : shape.dims() - 1;
  const Index channels = shape.dim_size(channel);
  const Tensor value = Random<T>(shape, 1), bias = Random<T>({channels}, 2);
  const Tensor output = Run<ops::BiasAdd>(channels_first ? kNCHW : AttrArgs(), {value, bias});
  if (output.dtype() != dtype_of_v<T> || !(output.shape() == shape)) return output.DebugString();
  Index inner = 1;
  for (int d = channel + 1; d < shape.dims(); ++d) inner *= shape.dim_size(d);
  const std::vector<Wide> x = Widened<T>(value), y = Widened<T>(bias);
  std::vector<Wide> want;
  std::vector<double> allowed;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Wide sum = x[i] + y[static_cast<std::size_t>(static_cast<Index>(i) / inner % channels)];
    want.push_back(kIsComplex<T> ? sum : ToWide(FromDouble<T>(sum.real())));
    allowed.push_back(kIsComplex<T> ? 2 * RoundingUnit<T>() * std::abs(sum) : 0);
  }
  return FirstFar(Widened<T>(output), want, allowed);
}

}  // namespace

#define TENON_TEST_TYPES                                                                                             \
  float, double, half, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, \
      std::uint32_t, std::uint64_t, complex64, complex128

TEST_SUITE("BiasAdd") {
  TEST_CASE_TEMPLATE("adds a number to each channel, which comes last or second", T, TENON_TEST_TYPES) {
    const Tensor value = Make<T>({1, 2, 2}, {1, 2, 3, 4}), bias = Make<T>({2}, {10, 20});
    CHECK(Numbered<T>(Run<ops::BiasAdd>({}, {value, bias})) == std::vector<double>{11, 22, 13, 24});
    CHECK(Numbered<T>(Run<ops::BiasAdd>(kNCHW, {value, bias})) == std::vector<double>{11, 12, 23, 24});
  }

  TEST_CASE_TEMPLATE("agrees with sums of doubles for values of any rank", T, TENON_TEST_TYPES) {
    for (const TensorShape& shape : {TensorShape{2, 3},
                                     {1, 1},
                                     {4, 5, 6},
                                     {2, 7, 5, 3},
                                     {2, 3, 7, 33},
                                     {2, 3, 2, 3, 4},
                                     {1, 2, 2, 2, 2, 2},
                                     {0, 3},
                                     {2, 0},
                                     {0, 0, 4},
                                     {3, 2, 0, 2}}) {
      CAPTURE(shape.DebugString());
      CHECK(Difference<T>(shape, false) == "");
      CHECK(Difference<T>(shape, true) == "");
    }
  }

  TEST_CASE("wraps integers around, lets NaN and infinity through") {
    CHECK(Numbered<std::uint8_t>(
              Run<ops::BiasAdd>({}, {Make<std::uint8_t>({1, 2}, {200}), Make<std::uint8_t>({2}, {100, 1})})) ==
          std::vector<double>{44, 201});
    const std::vector<double> y = Numbered<float>(Run<ops::BiasAdd>(
        {}, {Make<float>({1, 3}, {1, kInfinity, -kInfinity}), Make<float>({3}, {kNaN, 1, kInfinity})}));
    CHECK(std::isnan(y[0]));
    CHECK(y[1] == kInfinity);
    CHECK(std::isnan(y[2]));
  }

  TEST_CASE_TEMPLATE("takes over the buffer of a value that nobody else reads, never that of the bias", T, float, half,
                     std::int16_t, complex64) {
    bool took_over = false;
    const Tensor value = Random<T>({2, 3, 3}, 1), bias = Random<T>({3}, 2);
    CHECK(SameTensor(RunOnOwnInputs<ops::BiasAdd, T>({}, {value, bias}, &took_over),
                     Run<ops::BiasAdd>({}, {value, bias})));
    CHECK(took_over);
    CHECK(SameTensor(RunOnOwnInputs<ops::BiasAdd, T>(kNCHW, {value, bias}, &took_over),
                     Run<ops::BiasAdd>(kNCHW, {value, bias})));
    CHECK(took_over);
  }

  TEST_CASE("large values are worked on by several threads") {
    const Tensor value = Random<float>({4, 30, 50, 64}, 1), bias = Random<float>({64}, 2),
                 second = Random<float>({30}, 3);
    const SessionOptions one{.intra_op_threads = 1}, four{.intra_op_threads = 4};
    CHECK(SameTensor(Run<ops::BiasAdd>({}, {value, bias}, one), Run<ops::BiasAdd>({}, {value, bias}, four)));
    CHECK(SameTensor(Run<ops::BiasAdd>(kNCHW, {value, second}, one), Run<ops::BiasAdd>(kNCHW, {value, second}, four)));
  }

  TEST_CASE("wants a value with channels and one bias for each") {
    const auto error = [](const AttrArgs& attrs, const TensorShape& value, const TensorShape& bias) {
      return ErrorOf<ops::BiasAdd>(attrs, {Make<float>(value, {1}), Make<float>(bias, {1})});
    };
    CHECK(error({}, {2}, {2}) == "INVALID_ARGUMENT: BiasAdd: Input tensor must be at least 2D: [2]");
    CHECK(error({}, {}, {1}) == "INVALID_ARGUMENT: BiasAdd: Input tensor must be at least 2D: []");
    CHECK(error({}, {2, 3}, {}) == "INVALID_ARGUMENT: BiasAdd: Biases must be 1D: []");
    CHECK(error({}, {2, 3}, {1, 3}) == "INVALID_ARGUMENT: BiasAdd: Biases must be 1D: [1,3]");
    CHECK(
        error({}, {2, 3}, {2}) ==
        "INVALID_ARGUMENT: BiasAdd: Must provide as many biases as the channel dimension of the input tensor: [2] vs. 3 in [2,3]");
    CHECK(
        error({}, {2, 3}, {1}) ==
        "INVALID_ARGUMENT: BiasAdd: Must provide as many biases as the channel dimension of the input tensor: [1] vs. 3 in [2,3]");
    CHECK(
        error(kNCHW, {2, 3, 4}, {4}) ==
        "INVALID_ARGUMENT: BiasAdd: Must provide as many biases as the channel dimension of the input tensor: [4] vs. 3 in [2,3,4]");
  }
  TEST_CASE("refuses formats and types that it does not know") {
    const Tensor value = Make<float>({2, 2}, {1}), bias = Make<float>({2}, {1});
    CHECK(
        ErrorOf<ops::BiasAdd>({{"data_format", "NHCW"}}, {value, bias}) ==
        "INVALID_ARGUMENT: Value for attr 'data_format' of \"NHCW\" is not in the list of allowed values: \"NHWC\", \"NCHW\"");
    CHECK(
        ErrorOf<ops::BiasAdd>({}, {Tensor::Zeros<qint8>({2, 2}), Tensor::Zeros<qint8>({2})})
            .find(
                "INVALID_ARGUMENT: no kernel for op 'BiasAdd' on CPU with types {qint8}; registered: CPU{float}, CPU{double}, CPU{int32}, CPU{uint8}, "
                "CPU{int16}, CPU{int8}, CPU{complex64}, CPU{int64}, CPU{bfloat16}, CPU{uint16}, CPU{complex128}, CPU{half}, CPU{uint32}, CPU{uint64}. "
                "No registered 'BiasAdd' OpKernel for CPU devices compatible with node {{node call}} (OpKernel was found, but "
                "attributes didn't match) Requested Attributes: T=DT_QINT8, data_format=\"NHWC\".  Registered:  device='CPU'; "
                "T in [DT_FLOAT]\n") == 0);
    CHECK(ErrorOf<ops::BiasAdd>({}, {value, Make<double>({2}, {1})}) ==
          "INVALID_ARGUMENT: Input 1 of node call was passed double from in1:0 incompatible with expected float.");
    CHECK(FailEveryAllocation<ops::BiasAdd>({}, {value, bias}) == 1);
  }
}

#undef TENON_TEST_TYPES

}  // namespace nn_bias_test
