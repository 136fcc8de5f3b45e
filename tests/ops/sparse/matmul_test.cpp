// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/cross.hpp>
#include <tenon/ops/sparse/matmul.hpp>
#include <tenon/ops/sparse/set.hpp>
#include <tenon/ops/sparse/softmax.hpp>

#include <cmath>

#include "ops/support.hpp"

namespace sparse_matmul_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}
Tensor Sizes(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size())}, numbers);
}
template <class Op>
std::string Shown(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  const Result<std::vector<Tensor>> out = Call<Op>(attrs, inputs);
  if (!out.ok()) return out.status().ToString();
  std::string text;
  for (const Tensor& t : *out) StrAppend(&text, text.empty() ? "" : " | ", t.SummarizeValue(30));
  return text;
}

}  // namespace

TEST_SUITE("sparse products, softmax and sets") {
  TEST_CASE_TEMPLATE("a product with 0, 1 or 2 adjoints is that of the dense matrices", T, float, double, std::int32_t,
                     complex64, complex128) {
    const Tensor places = Places({0, 2, 1, 0, 1, 0, 2, 1}), shape = Sizes({3, 3});
    const Tensor values = Random<T>({4}, 1), b = Random<T>({3, 3}, 2);
    for (const bool adjoint_a : {false, true})
      for (const bool adjoint_b : {false, true}) {
        std::vector<Wide> want(9), allowed_of;
        for (Index i = 0; i < 4; ++i) {
          const Index row = places.data<std::int64_t>()[2 * i + (adjoint_a ? 1 : 0)];
          const Index column = places.data<std::int64_t>()[2 * i + (adjoint_a ? 0 : 1)];
          const Wide a = ToWide(values.data<T>()[i]);
          for (Index n = 0; n < 3; ++n) {
            const Wide x = ToWide(b.data<T>()[adjoint_b ? 3 * n + column : 3 * column + n]);
            want[static_cast<std::size_t>(3 * row + n)] +=
                (adjoint_a ? std::conj(a) : a) * (adjoint_b ? std::conj(x) : x);
          }
        }
        const Tensor got = Run<ops::SparseTensorDenseMatMul>({{"adjoint_a", adjoint_a}, {"adjoint_b", adjoint_b}},
                                                             {places, values, shape, b});
        CHECK(FirstFar(Widened<T>(got), want, std::vector<double>(9, 1e-4)) == "");
      }
  }
  TEST_CASE("a product's indices are checked; threads change nothing") {
    const Tensor one = MakeTensor<float>({1}, {1}), b = MakeTensor<float>({2, 2}, {1, 2, 3, 4});
    CHECK(ErrorOf<ops::SparseTensorDenseMatMul>({}, {Places({5, 0}), one, Sizes({2, 2}), b}) ==
          "INVALID_ARGUMENT: SparseTensorDenseMatMul: m (5) from index[0,0] out of bounds (>=2)");
    CHECK(ErrorOf<ops::SparseTensorDenseMatMul>({}, {Places({0, -1}), one, Sizes({2, 2}), b}) ==
          "INVALID_ARGUMENT: SparseTensorDenseMatMul: k (-1) from index[0,1] out of bounds (>=2)");
    Tensor places(DataType::kInt64, TensorShape({5000, 2}));
    for (Index i = 0; i < 10000; ++i) places.data<std::int64_t>()[i] = i * 7919 % 100;
    const std::vector<Tensor> inputs{places, Random<float>({5000}, 1), Sizes({100, 100}), Random<float>({100, 333}, 2)};
    CHECK_UNARY(SameTensor(Run<ops::SparseTensorDenseMatMul>({}, inputs, {.intra_op_threads = 1}),
                           Run<ops::SparseTensorDenseMatMul>({}, inputs, {.intra_op_threads = 4})));
  }
  TEST_CASE("softmax of rows, in order of their places") {
    const Tensor out =
        Run<ops::SparseSoftmax>({}, {Places({1, 1, 0, 1, 0, 0}), MakeTensor<double>({3}, {5, 3, 1}), Sizes({2, 2})});
    const double low = 1 / (1 + std::exp(2.0));
    CHECK(std::abs(out.data<double>()[0] - low) < 1e-15);
    CHECK(std::abs(out.data<double>()[1] - (1 - low)) < 1e-15);
    CHECK(out.data<double>()[2] == 1);
  }
  TEST_CASE("sets are TensorFlow's") {
    const Tensor a = MakeTensor<std::int32_t>({2, 3}, {1, 2, 2, 9, 8, 7}),
                 b = MakeTensor<std::int32_t>({2, 3}, {2, 3, 4, 7, 7, 1});
    const auto shown = [&](const char* operation) {
      return Shown<ops::DenseToDenseSetOperation>({{"set_operation", operation}}, {a, b});
    };
    CHECK(shown("a-b") == "[0 0][1 0][1 1] | 1 8 9 | 2 2");
    CHECK(shown("b-a") == "[0 0][0 1][1 0] | 3 4 1 | 2 2");
    CHECK(shown("intersection") == "[0 0][1 0] | 2 7 | 2 1");
    CHECK(shown("UNION") == "[0 0][0 1][0 2][0 3][1 0][1 1][1 2][1 3] | 1 2 3 4 1 7 8 9 | 2 4");
    CHECK(shown("both").find("Invalid set_operation both") != std::string::npos);
    const Tensor places = Places({0, 0, 0, 1, 2, 0}), numbers = MakeTensor<std::int32_t>({3}, {1, 1, 9});
    CHECK(Shown<ops::SetSize>({}, {places, numbers, Sizes({4, 2})}) == "1 0 1 0");
    CHECK(Shown<ops::SetSize>({{"validate_indices", false}}, {Places({7, 0}), Sizes({1}), Sizes({4, 2})})
              .find("is outside of the groups [4]") != std::string::npos);
    CHECK(Shown<ops::SparseToSparseSetOperation>({{"set_operation", "union"}},
                                                 {places, numbers, Sizes({4, 2}), Places({0, 0, 1, 1}),
                                                  MakeTensor<std::int32_t>({2}, {3, 5}), Sizes({4, 3})}) ==
          "[0 0][0 1][1 0][2 0] | 1 3 5 9 | 4 2");
  }
}
}  // namespace sparse_matmul_test
