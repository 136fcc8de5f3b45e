// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/matmul.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/constant_weights.hpp"
#include "ops/support.hpp"

namespace math_matmul_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

AttrArgs Transposes(bool a, bool b) { return {{"transpose_a", a}, {"transpose_b", b}}; }

// Compares with sums of doubles. Allowed are a rounding of the type that is summed in (float for half and bfloat16) for
// every term, and one of the result.
template <class T>
std::string Difference(Index m, Index k, Index n, bool transpose_a, bool transpose_b) {
  const Tensor a = Random<T>(transpose_a ? TensorShape{k, m} : TensorShape{m, k}, 1);
  const Tensor b = Random<T>(transpose_b ? TensorShape{n, k} : TensorShape{k, n}, 2);
  const Tensor c = Run<ops::MatMul>(Transposes(transpose_a, transpose_b), {a, b});
  if (c.dtype() != dtype_of_v<T> || !(c.shape() == TensorShape{m, n})) return c.DebugString();
  const std::vector<Wide> x = Widened<T>(a), y = Widened<T>(b);
  constexpr bool kSmall = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
  const double unit = kSmall ? 0x1p-24 : RoundingUnit<T>();
  std::vector<Wide> want;
  std::vector<double> allowed;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      Wide sum = 0;
      double size = 0;
      for (Index l = 0; l < k; ++l) {
        const Wide p = x[static_cast<std::size_t>(transpose_a ? l * m + i : i * k + l)];
        const Wide q = y[static_cast<std::size_t>(transpose_b ? j * k + l : l * n + j)];
        sum += p * q;
        size += std::abs(p) * std::abs(q);
      }
      want.push_back(sum);
      allowed.push_back(unit * static_cast<double>(k + 2) * size + (kSmall ? RoundingUnit<T>() * std::abs(sum) : 0));
    }
  }
  return FirstFar(Widened<T>(c), want, allowed);
}

}  // namespace

#define TENON_TEST_TYPES float, double, half, bfloat16, std::int32_t, std::int64_t, complex64, complex128

TEST_SUITE("MatMul") {
  TEST_CASE_TEMPLATE("multiplies a 2x3 by a 3x2", T, TENON_TEST_TYPES) {
    const Tensor a = Make<T>({2, 3}, {1, 2, 3, 4, 5, 6}), b = Make<T>({3, 2}, {7, 8, 9, 10, 11, 12});
    const Tensor c = Run<ops::MatMul>({}, {a, b});
    CHECK(c.shape() == TensorShape{2, 2});
    CHECK(Numbered<T>(c) == std::vector<double>{58, 64, 139, 154});
  }

  TEST_CASE_TEMPLATE("agrees with sums of doubles, for any shapes and transposes", T, TENON_TEST_TYPES) {
    struct Sizes {
      Index m, k, n;
    };
    for (const Sizes s :
         {Sizes{1, 1, 1}, {1, 7, 1}, {1, 64, 33}, {5, 1, 4}, {3, 5, 2}, {17, 19, 23}, {40, 70, 30}, {2, 300, 3}})
      for (const bool transpose_a : {false, true})
        for (const bool transpose_b : {false, true}) {
          CAPTURE(s.m);
          CAPTURE(transpose_a);
          CAPTURE(transpose_b);
          CHECK(Difference<T>(s.m, s.k, s.n, transpose_a, transpose_b) == "");
        }
  }

  TEST_CASE_TEMPLATE("constant weights give the same bits as fed ones", T, float, double, half, std::int32_t) {
    for (const Index rows : {1, 3, 40, 300})
      for (const bool transpose : {false, true}) {
        const Tensor a = Random<T>({rows, 70}, 1),
                     b = Random<T>(transpose ? TensorShape{50, 70} : TensorShape{70, 50}, 2);
        CHECK(DifferenceWithConstantWeights("MatMul", Transposes(false, transpose), a, b) == "");
      }
  }
  TEST_CASE("batched products with constant weights, one matrix or several") {
    for (const TensorShape& weights : {TensorShape{70, 50}, TensorShape{1, 70, 50}, TensorShape{4, 70, 50}})
      CHECK(DifferenceWithConstantWeights("BatchMatMulV2", {}, Random<float>({4, 20, 70}, 1),
                                          Random<float>(weights, 2)) == "");
  }

  TEST_CASE_TEMPLATE("of nothing is nothing, and zeros where only the inner dimension is empty", T, TENON_TEST_TYPES) {
    CHECK(Difference<T>(0, 3, 2, false, false) == "");
    CHECK(Difference<T>(2, 3, 0, true, false) == "");
    CHECK(Difference<T>(0, 0, 0, false, true) == "");
    CHECK(Difference<T>(2, 0, 3, false, false) == "");
    CHECK(Difference<T>(2, 0, 3, true, true) == "");
  }

  TEST_CASE("does not conjugate what it transposes") {
    const Tensor a = Tensor::From<complex64>({complex64(1, 2)}, {1, 1}),
                 b = Tensor::From<complex64>({complex64(3, 4)}, {1, 1});
    CHECK(Run<ops::MatMul>(Transposes(true, true), {a, b}).scalar<complex64>()() == complex64(-5, 10));
  }

  TEST_CASE("wraps integers around") {
    const Tensor a = Tensor::From<std::int32_t>({65536, 65537}, {1, 2}),
                 b = Tensor::From<std::int32_t>({65536, 65537}, {2, 1});
    CHECK(Run<ops::MatMul>({}, {a, b}).scalar<std::int32_t>()() == 131073);
    const Tensor c = Tensor::From<std::int64_t>({std::numeric_limits<std::int64_t>::max()}, {1, 1});
    CHECK(Run<ops::MatMul>({}, {c, c}).scalar<std::int64_t>()() == 1);
  }

  TEST_CASE_TEMPLATE("lets NaN and infinity through to every sum that they are part of", T, float, double, half,
                     bfloat16) {
    const Tensor a = Make<T>({3, 2}, {kNaN, 0, kInfinity, 1, 1, 1}), b = Make<T>({2, 2}, {1, 0, 2, 3});
    const std::vector<double> c = Numbered<T>(Run<ops::MatMul>({}, {a, b}));
    CHECK(std::isnan(c[0]));
    CHECK(std::isnan(c[1]));
    CHECK(c[2] == kInfinity);
    CHECK(std::isnan(c[3]));  // infinity times zero
    CHECK(c[4] == 3);
    CHECK(c[5] == 3);
  }

  TEST_CASE("half and bfloat16 are summed in float") {
    const Tensor ones = Make<half>({1, 4096}, {1}), b = Make<half>({4096, 1}, {1});
    CHECK(Numbered<half>(Run<ops::MatMul>({}, {ones, b}))[0] == 4096);  // in half the sum would stop at 2048
    const Tensor c = Make<bfloat16>({1, 1000}, {1}), d = Make<bfloat16>({1000, 1}, {1});
    CHECK(Numbered<bfloat16>(Run<ops::MatMul>({}, {c, d}))[0] == 1000);
  }

  TEST_CASE("large products are worked on by several threads") {
    const Tensor a = Random<float>({200, 300}, 1), b = Random<float>({300, 100}, 2);
    const Tensor one = Run<ops::MatMul>({}, {a, b}, {.intra_op_threads = 1}),
                 four = Run<ops::MatMul>({}, {a, b}, {.intra_op_threads = 4});
    for (Index i = 0; i < one.NumElements(); ++i)
      REQUIRE(std::abs(one.flat<float>()[i] - four.flat<float>()[i]) < 1e-2f);
  }

  TEST_CASE("what gradients say about themselves changes nothing") {
    const Tensor a = Random<float>({3, 4}, 1), b = Random<float>({4, 2}, 2);
    CHECK(SameTensor(Run<ops::MatMul>({{"grad_a", true}, {"grad_b", true}}, {a, b}), Run<ops::MatMul>({}, {a, b})));
  }

  TEST_CASE("never writes into its operands, even when nobody else reads them") {
    bool took_over = false;
    const Tensor a = Random<float>({4, 4}, 1), b = Random<float>({4, 4}, 2);
    CHECK(SameTensor(RunOnOwnInputs<ops::MatMul, float>({}, {a, b}, &took_over), Run<ops::MatMul>({}, {a, b})));
    CHECK_FALSE(took_over);
  }

  TEST_CASE("names the dimensions that disagree") {
    const Tensor a = Make<float>({2, 3}, {1}), b = Make<float>({4, 5}, {1});
    CHECK(ErrorOf<ops::MatMul>({}, {a, b}) == "INVALID_ARGUMENT: MatMul: Dimensions must be equal, but are 3 and 4");
    CHECK(ErrorOf<ops::MatMul>(Transposes(true, false), {a, b}) ==
          "INVALID_ARGUMENT: MatMul: Dimensions must be equal, but are 2 and 4");
    CHECK(ErrorOf<ops::MatMul>(Transposes(false, true), {a, b}) ==
          "INVALID_ARGUMENT: MatMul: Dimensions must be equal, but are 3 and 5");
    CHECK(ErrorOf<ops::MatMul>(Transposes(true, true), {a, b}) ==
          "INVALID_ARGUMENT: MatMul: Dimensions must be equal, but are 2 and 5");
  }
  TEST_CASE("takes matrices only") {
    const Tensor a = Make<float>({2, 2}, {1});
    CHECK(ErrorOf<ops::MatMul>({}, {Make<float>({2}, {1}), a}) ==
          "INVALID_ARGUMENT: MatMul: input 'a' must have rank 2, got shape [2]");
    CHECK(ErrorOf<ops::MatMul>({}, {a, Make<float>({1, 2, 2}, {1})}) ==
          "INVALID_ARGUMENT: MatMul: input 'b' must have rank 2, got shape [1,2,2]");
  }
  TEST_CASE("has types without a kernel, as in TensorFlow, and types that are not allowed") {
    const Tensor bytes = Make<std::uint8_t>({1, 1}, {1}), small = Make<std::int8_t>({1, 1}, {1});
    CHECK(
        ErrorOf<ops::MatMul>({}, {bytes, bytes})
            .find(
                "INVALID_ARGUMENT: no kernel for op 'MatMul' on CPU with types {uint8}; registered: CPU{float}, CPU{double}, CPU{int32}, "
                "CPU{complex64}, CPU{int64}, CPU{bfloat16}, CPU{complex128}, CPU{half}. No registered 'MatMul' OpKernel for CPU "
                "devices compatible with node {{node call}} (OpKernel was found, but attributes didn't match) Requested Attributes: "
                "T=DT_UINT8, grad_a=false, grad_b=false, transpose_a=false, transpose_b=false.  Registered:  device='CPU'; T in "
                "[DT_FLOAT]\n") == 0);
    CHECK(
        ErrorOf<ops::MatMul>({}, {small, small}) ==
        "INVALID_ARGUMENT: Value for attr 'T' of int8 is not in the list of allowed values: bfloat16, half, float, double, int32, int64, "
        "uint8, uint16, uint32, uint64, complex64, complex128");
  }
  TEST_CASE("gives everything back when memory runs out") {
    const Tensor a = Random<half>({20, 30}, 1), b = Random<half>({30, 40}, 2);
    CHECK(FailEveryAllocation<ops::MatMul>({}, {a, b}) >= 2);  // the product, and room for its operands as float
    CHECK(FailEveryAllocation<ops::MatMul>({}, {Random<float>({200, 200}, 1), Random<float>({200, 200}, 2)}) >= 1);
  }
}

#undef TENON_TEST_TYPES

}  // namespace math_matmul_test
