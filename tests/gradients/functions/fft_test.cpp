// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/fft.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <cstdint>
#include <string_view>
#include <tenon/gradients/functions/unary.hpp>

#include "gradients/central_differences.hpp"

namespace fft_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of Fourier transforms") {
  // The real part of ops of a real input.
  std::string Error(std::string_view op, const Tensor& x, const Tensor& length) {
    GraphBuilder b;
    const Output in = b.Placeholder("x", DataType::kFloat, PartialTensorShape(x.shape()));
    const Output n = b.Const("n", length);
    Output y;
    if (op == "RFFT") {
      y = b.Add("RFFT", "f", {in, n});
    } else {
      const Output z = b.Add("Complex", "z", {in, in});
      y = op == "IRFFT" ? b.Add("IRFFT", "f", {z, n}) : b.Add(op, "f", {z});
    }
    if (op != "IRFFT") y = b.Add("Real", "re", {y});
    return GradientError(b, y, {{"x", x}});
  }

  TEST_CASE("are those of central differences, also where the length is not the input's") {
    const Tensor x = RandomTensor({2, 4});
    for (const char* op : {"FFT", "IFFT"}) CHECK(Error(op, x, Tensor::From<std::int32_t>({4}, {1})) == "");
    for (const std::int32_t length : {3, 4, 6}) {
      CAPTURE(length);
      if (length <= 4) CHECK(Error("RFFT", x, Tensor::From<std::int32_t>({length}, {1})) == "");
      CHECK(Error("IRFFT", x, Tensor::From<std::int32_t>({length}, {1})) == "");
    }
  }
}

}  // namespace fft_gradient_test
