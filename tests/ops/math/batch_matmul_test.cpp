// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/batch_matmul.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/support.hpp"

namespace math_batch_matmul_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::string Planned(const TensorShape& x, const TensorShape& y, bool adj_x, bool adj_y, bool broadcasts) {
  BatchMatMulPlan plan;
  TensorShape out;
  const Status status = ops::detail::PlanBatchMatMul(x, y, {adj_x, adj_y}, broadcasts, &plan, &out);
  if (!status.ok()) return std::string(status.message());
  return StrCat(out, " k=", plan.k, " batches=", plan.batches);
}
// The product of [2,3,4] and [4,5] as loops make it, in the widest numbers.
template <class T>
std::vector<Wide> Looped(const Tensor& x, const Tensor& y) {
  const std::vector<Wide> a = Widened<T>(x), b = Widened<T>(y);
  std::vector<Wide> out(30);
  for (std::size_t n = 0; n < 2; ++n)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 5; ++j)
        for (std::size_t k = 0; k < 4; ++k) out[(n * 3 + i) * 5 + j] += a[(n * 3 + i) * 4 + k] * b[k * 5 + j];
  return out;
}
// The last two dimensions exchanged, and conjugated.
template <class T>
Tensor Adjoint(const Tensor& x) {
  const Index rank = x.dims(), m = x.dim_size(x.dims() - 2), n = x.dim_size(x.dims() - 1);
  TensorShape shape = x.shape();
  shape.set_dim(static_cast<int>(rank - 2), n);
  shape.set_dim(static_cast<int>(rank - 1), m);
  Tensor out(dtype_of_v<T>, shape);
  for (Index b = 0; b < x.NumElements() / (m * n); ++b)
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        T v = x.data<T>()[(b * m + i) * n + j];
        if constexpr (kIsComplex<T>) v = std::conj(v);
        out.data<T>()[(b * n + j) * m + i] = v;
      }
  return out;
}

}  // namespace

TEST_SUITE("BatchMatMul") {
  TEST_CASE("what two shapes make") {
    CHECK(Planned({2, 3, 4}, {2, 4, 5}, false, false, false) == "[2,3,5] k=4 batches=2");
    CHECK(Planned({2, 4, 3}, {2, 5, 4}, true, true, false) == "[2,3,5] k=4 batches=2");
    CHECK(Planned({7, 1, 3, 4}, {6, 4, 5}, false, false, true) == "[7,6,3,5] k=4 batches=42");
    CHECK(Planned({3, 0}, {0, 5}, false, false, true) == "[3,5] k=0 batches=1");
    CHECK(Planned({0, 3, 4}, {1, 4, 5}, false, false, true) == "[0,3,5] k=4 batches=0");
  }
  TEST_CASE("says which shapes do not fit") {
    CHECK(Planned({3, 4}, {1, 4, 5}, false, false, false) ==
          "BatchMatMul: In[0] and In[1] has different ndims: [3,4] vs. [1,4,5]");
    CHECK(Planned({4}, {4, 5}, false, false, true) == "BatchMatMul: In[0] ndims must be >= 2: 1");
    CHECK(Planned({3, 4}, {4}, false, false, true) == "BatchMatMul: In[1] ndims must be >= 2: 1");
    CHECK(Planned({2, 3, 4}, {1, 4, 5}, false, false, false) ==
          "BatchMatMul: In[0].dim(0) and In[1].dim(0) must be the same: [2,3,4] vs [1,4,5]");
    CHECK(Planned({2, 3, 4}, {3, 4, 5}, false, false, true) ==
          "BatchMatMul: In[0] and In[1] must have compatible batch dimensions: [2,3,4] vs. [3,4,5]");
    CHECK(Planned({3, 4}, {5, 4}, false, false, true) ==
          "BatchMatMul: Matrix size-incompatible: In[0]: [3,4], In[1]: [5,4]");
    const Index huge = Index{1} << 32;
    CHECK(Planned({huge, 0}, {0, huge}, false, false, true) ==
          "Encountered overflow when multiplying 4294967296 with 4294967296, result: -1");
  }
  TEST_CASE_TEMPLATE("is the sum of products, whichever way the operands are stored", T, float, double, std::int32_t,
                     complex64) {
    const Tensor x = Random<T>({2, 3, 4}, 1), y = Random<T>({4, 5}, 2);
    const std::vector<Wide> want = Looped<T>(x, y);
    const std::vector<double> allowed(30, std::is_integral_v<T> ? 0 : 4 * 9 * 4 * RoundingUnit<T>());
    const Tensor x_adj = Adjoint<T>(x), y_adj = Adjoint<T>(y);
    for (const bool adj_x : {false, true})
      for (const bool adj_y : {false, true})
        CHECK(FirstFar(Widened<T>(Run<ops::BatchMatMulV2>({{"adj_x", adj_x}, {"adj_y", adj_y}},
                                                          {adj_x ? x_adj : x, adj_y ? y_adj : y})),
                       want, allowed) == "");
  }
  TEST_CASE("small integers make int32 without wrapping, or bfloat16 with bfloat16") {
    const Tensor a = MakeTensor<std::int8_t>({1, 2}, {-128, 127}), b = MakeTensor<std::uint8_t>({2, 1}, {255, 255});
    CHECK(Numbered<std::int32_t>(Run<ops::BatchMatMulV3>({{"Tout", DataType::kInt32}}, {a, b})) ==
          std::vector<double>{-255});
    const Tensor c = Make<bfloat16>({2, 1}, {1, 2});
    CHECK(Numbered<bfloat16>(Run<ops::BatchMatMulV3>({{"Tout", DataType::kBfloat16}}, {a, c})) ==
          std::vector<double>{126});
    const std::string text = ErrorOf<ops::BatchMatMulV3>({{"Tout", DataType::kFloat}}, {a, b});
    CHECK(text ==
          "INVALID_ARGUMENT: no kernel for op 'BatchMatMulV3' on CPU with types {int8, uint8, float}; equal types but "
          "half, int8 and uint8 to int32, or one of these with bfloat16");
  }
  TEST_CASE("sums of nothing are 0; integers wrap; a matrix times itself leaves it as it was") {
    CHECK(Numbered<float>(Run<ops::BatchMatMulV2>(
              {}, {Tensor(DataType::kFloat, {2, 0}), Tensor(DataType::kFloat, {0, 1})})) == std::vector<double>{0, 0});
    const std::int32_t most = std::numeric_limits<std::int32_t>::max();
    CHECK(Numbered<std::int32_t>(Run<ops::BatchMatMul>(
              {}, {MakeTensor<std::int32_t>({1, 1}, {most}), MakeTensor<std::int32_t>({1, 1}, {2})})) ==
          std::vector<double>{-2});
    const Tensor x = Make<float>({2, 2}, {1, 2, 3, 4});
    CHECK(Numbered<float>(Run<ops::BatchMatMulV2>({}, {x, x})) == std::vector<double>{7, 10, 15, 22});
  }
}
}  // namespace math_batch_matmul_test
