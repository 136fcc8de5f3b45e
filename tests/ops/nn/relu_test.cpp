// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/relu.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_relu_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class Op, class T>
std::string Difference(double most) {
  for (const TensorShape& shape : {TensorShape{}, {1}, {7}, {2, 3, 4}, {33, 65}, {0}, {3, 0, 2}}) {
    const Tensor x = Random<T>(shape, 5, std::is_unsigned_v<T> ? 0 : -9, 9), y = Run<Op>({}, {x});
    if (y.dtype() != dtype_of_v<T> || !(y.shape() == shape)) return StrCat(shape, " gives ", y);
    std::vector<Wide> want;
    for (const Wide number : Widened<T>(x)) want.push_back(std::fmin(std::fmax(number.real(), 0), most));
    if (std::string far = FirstFar(Widened<T>(y), want, std::vector<double>(want.size(), 0)); !far.empty())
      return StrCat(shape, ": ", far);
  }
  return "";
}

template <class Op, class T>
void CheckOwnInput() {
  bool took_over = false;
  const Tensor x = Random<T>({4, 6}, 1);
  CHECK(SameTensor(RunOnOwnInputs<Op, T>({}, {x}, &took_over), Run<Op>({}, {x})));
  CHECK(took_over);
}

}  // namespace

#define TENON_TEST_FLOATS float, double, half, bfloat16
#define TENON_TEST_INTEGERS \
  std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t

TEST_SUITE("Relu") {
  TEST_CASE_TEMPLATE("puts zero where there is less", T, TENON_TEST_FLOATS, std::int8_t, std::int16_t, std::int32_t,
                     std::int64_t) {
    CHECK(Numbered<T>(Run<ops::Relu>({}, {Make<T>({2, 2}, {-2, 0, 1, 100})})) == std::vector<double>{0, 0, 1, 100});
  }
  TEST_CASE_TEMPLATE("agrees with the definition for tensors of any shape", T, TENON_TEST_FLOATS, TENON_TEST_INTEGERS) {
    CHECK(Difference<ops::Relu, T>(kInfinity) == "");
  }
  TEST_CASE_TEMPLATE("keeps NaN and infinity", T, TENON_TEST_FLOATS) {
    const std::vector<double> y = Numbered<T>(Run<ops::Relu>({}, {Make<T>({3}, {kNaN, kInfinity, -kInfinity})}));
    CHECK(std::isnan(y[0]));
    CHECK(y[1] == kInfinity);
    CHECK(y[2] == 0);
  }
  TEST_CASE_TEMPLATE("takes over the buffer of an input that nobody else reads", T, float, half, std::int32_t) {
    CheckOwnInput<ops::Relu, T>();
  }
  TEST_CASE("large tensors are worked on by several threads") {
    const Tensor x = Random<float>({300, 1000}, 1);
    CHECK(
        SameTensor(Run<ops::Relu>({}, {x}, {.intra_op_threads = 1}), Run<ops::Relu>({}, {x}, {.intra_op_threads = 4})));
  }
  TEST_CASE("allows qint8 without having a kernel for it, as TensorFlow on a CPU") {
    CHECK(
        ErrorOf<ops::Relu>({}, {Tensor::Zeros<qint8>({4})})
            .find(
                "INVALID_ARGUMENT: no kernel for op 'Relu' on CPU with types {qint8}; registered: CPU{float}, CPU{double}, CPU{int32}, CPU{uint8}, "
                "CPU{int16}, CPU{int8}, CPU{int64}, CPU{bfloat16}, CPU{uint16}, CPU{half}, CPU{uint32}, CPU{uint64}. "
                "No registered 'Relu' OpKernel for CPU devices compatible with node {{node call}} (OpKernel was found, but "
                "attributes didn't match) Requested Attributes: T=DT_QINT8.  Registered:  device='CPU'; T in [DT_FLOAT]\n") ==
        0);
  }
  TEST_CASE("takes real numbers only") {
    const Tensor complex = Tensor::Scalar(complex64(1, 2));
    CHECK(
        ErrorOf<ops::Relu>({}, {complex}) ==
        "INVALID_ARGUMENT: Value for attr 'T' of complex64 is not in the list of allowed values: float, double, int32, uint8, int16, int8, "
        "int64, bfloat16, uint16, half, uint32, uint64, qint8");
    CHECK(FailEveryAllocation<ops::Relu>({}, {Make<float>({2}, {1})}) == 1);
  }
}

TEST_SUITE("Relu6") {
  TEST_CASE_TEMPLATE("cuts at zero and at six", T, TENON_TEST_FLOATS, std::int8_t, std::int16_t, std::int32_t,
                     std::int64_t) {
    CHECK(Numbered<T>(Run<ops::Relu6>({}, {Make<T>({2, 3}, {-2, 0, 1, 6, 7, 100})})) ==
          std::vector<double>{0, 0, 1, 6, 6, 6});
  }
  TEST_CASE_TEMPLATE("agrees with the definition for tensors of any shape", T, TENON_TEST_FLOATS, TENON_TEST_INTEGERS) {
    CHECK(Difference<ops::Relu6, T>(6) == "");
  }
  TEST_CASE_TEMPLATE("keeps NaN, cuts infinity", T, TENON_TEST_FLOATS) {
    const std::vector<double> y = Numbered<T>(Run<ops::Relu6>({}, {Make<T>({3}, {kNaN, kInfinity, -kInfinity})}));
    CHECK(std::isnan(y[0]));
    CHECK(y[1] == 6);
    CHECK(y[2] == 0);
  }
  TEST_CASE_TEMPLATE("takes over the buffer of an input that nobody else reads", T, double, bfloat16, std::uint8_t) {
    CheckOwnInput<ops::Relu6, T>();
  }
  TEST_CASE("takes real numbers only") {
    CHECK(
        ErrorOf<ops::Relu6>({}, {Tensor::Zeros<qint8>({4})}) ==
        "INVALID_ARGUMENT: Value for attr 'T' of qint8 is not in the list of allowed values: float, double, int32, uint8, int16, int8, "
        "int64, bfloat16, uint16, half, uint32, uint64");
  }
}

#undef TENON_TEST_FLOATS
#undef TENON_TEST_INTEGERS

}  // namespace nn_relu_test
