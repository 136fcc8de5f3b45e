// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/add.hpp>

#include <cmath>
#include <map>

#include "ops/outputs.hpp"

namespace sparse_add_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SparseAdd;
using ops::SparseAddGrad;
using ops::detail::MergeRows;
using ops::detail::RealNumber;
using ops::detail::SparsePair;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}
std::string Pairs(const Tensor& a, const Tensor& b) {
  const auto rows = [](const Tensor& t) { return SparseRows{t.data<std::int64_t>(), t.dim_size(0), t.dim_size(1)}; };
  std::string text;
  for (const SparsePair& pair : MergeRows(rows(a), rows(b))) StrAppend(&text, "(", pair.a, ",", pair.b, ")");
  return text;
}
// The error of SparseAdd with b = {[1 0]: 1} of shape [2,2].
std::string Refused(const Tensor& indices, const Tensor& values, const Tensor& shape,
                    const Tensor& thresh = Tensor::Scalar<float>(0)) {
  return ErrorOf<SparseAdd>({}, {indices, values, shape, Places({1, 0}), Make<float>({1}, {1}), Longs({2, 2}), thresh});
}

}  // namespace

TEST_SUITE("SparseAdd") {
  TEST_CASE("rows of both are merged in order, equal ones once") {
    CHECK(Pairs(Places({0, 1, 2, 0}), Places({0, 1, 1, 5, 3, 0})) == "(0,0)(-1,1)(1,-1)(-1,2)");
    CHECK(Pairs(Places({}), Places({4, 4})) == "(-1,0)");
    CHECK(Pairs(Places({4, 4}), Places({})) == "(0,-1)");
    CHECK(Pairs(Places({}), Places({})) == "");
    CHECK(Pairs(Places({1, 1, 1, 1}), Places({1, 1})) == "(0,0)(1,-1)");  // one place twice: no third row
  }
  TEST_CASE("magnitudes of every type, as doubles") {
    CHECK(RealNumber(Tensor::Scalar(complex64(3, -4)), 0) == 5);
    CHECK(RealNumber(Tensor::Scalar(complex128(1e200, 1e200)), 0) == doctest::Approx(std::sqrt(2.0) * 1e200));
    CHECK(RealNumber(Tensor::Scalar(std::numeric_limits<std::uint64_t>::max()), 0) == 18446744073709551616.0);
    CHECK(RealNumber(Tensor::Scalar<std::int8_t>(-128), 0) == -128);
    CHECK(RealNumber(Make<half>({2}, {1, 65504}), 1) == 65504);
    CHECK(RealNumber(Make<bfloat16>({1}, {-1.5}), 0) == -1.5);
  }
  TEST_CASE("the sum against a map, thresholds for sums only") {
    const std::vector<std::pair<Index, float>> a{{0, 0.25f}, {1, 2}, {3, -1}}, b{{1, -1.75f}, {2, 0.125f}, {3, 4}};
    std::map<Index, double> sums;
    std::map<Index, int> times;
    for (const auto& part : {a, b})
      for (const auto& [at, x] : part) sums[at] += static_cast<double>(x), ++times[at];
    std::string places, numbers;
    for (const auto& [at, x] : sums) {
      if (times[at] == 2 && std::abs(x) < 0.5) continue;
      StrAppend(&places, "[", at, " 0]");
      StrAppend(&numbers, numbers.empty() ? "" : " ", x);
    }
    CHECK(OutputsOf<SparseAdd>({}, {Places({0, 0, 1, 0, 3, 0}), Make<float>({3}, {0.25, 2, -1}), Longs({4, 1}),
                                    Places({1, 0, 2, 0, 3, 0}), Make<float>({3}, {-1.75, 0.125, 4}), Longs({4, 1}),
                                    Tensor::Scalar<float>(0.5f)}) == StrCat(places, " | ", numbers, " | 4 1"));
  }
  TEST_CASE("a sum that is no number is left out, and gets no gradient") {
    const Tensor at = Places({0, 0}), nan = Make<float>({1}, {kNaN}), shape = Longs({1, 1});
    CHECK(OutputsOf<SparseAdd>({}, {at, nan, shape, at, nan, shape, Tensor::Scalar<float>(0)}) == " |  | 1 1");
    CHECK(OutputsOf<SparseAddGrad>({}, {Make<float>({0}, {0}), at, at, Places({})}) == "0 | 0");
    CHECK(OutputsOf<SparseAddGrad>({}, {Make<float>({2}, {7, 8}), Places({0, 0, 0, 1}), Places({0, 1, 5, 5}),
                                        Places({0, 1, 5, 5})}) == "0 7 | 7 8");
  }
  TEST_CASE("operands that do not fit are refused with their shapes") {
    const Tensor at = Places({0, 0}), one = Make<float>({1}, {1}), shape = Longs({2, 2});
    CHECK(Refused(Longs({0}), one, shape) ==
          "INVALID_ARGUMENT: SparseAdd: Input indices should be matrices but received shapes: [1] and [1,2]");
    CHECK(Refused(at, Make<float>({2}, {1}), shape) ==
          "INVALID_ARGUMENT: SparseAdd: Expected 1 and 1 non-empty input values, got 2 and 1");
    CHECK(Refused(at, one, Longs({2, 2, 2})) ==
          "INVALID_ARGUMENT: SparseAdd: Operands do not have the same ranks; got shapes: [2,2,2] and [2,2]");
    CHECK(Refused(at, one, Longs({2, 3})) ==
          "INVALID_ARGUMENT: SparseAdd: Operands' shapes do not match: got 3 and 2 for dimension 1");
    CHECK(Refused(at, one, shape, Make<float>({2}, {1})) ==
          "INVALID_ARGUMENT: SparseAdd: The magnitude threshold must be a scalar: got shape [2]");
    CHECK(Refused(MakeTensor<std::int64_t>({1, 1}, {0}), one, shape) ==
          "INVALID_ARGUMENT: SparseAdd: Input indices must have the same dimension, got 1 and 2 for shapes of rank 2");
    CHECK(ErrorOf<SparseAddGrad>({}, {Make<float>({1}, {1}), at, at, Places({})}) ==
          "INVALID_ARGUMENT: SparseAddGrad: # elements of backprop_val_grad and # rows of sum_indices should match "
          "(#nnz of sum): got 1 and 0");
    CHECK(ErrorOf<ops::SparseSparseMinimum>({}, {Places({0, 2}), one, shape, at, one, shape}) ==
          "INVALID_ARGUMENT: SparseSparseMinimum: Sparse index tuple indices[0, :] = [0,2] is out of bounds of [2,2]");
  }
  TEST_CASE("the smaller and the larger treat what is not stored as 0") {
    const Tensor a = Places({0, 0, 0, 1}), b = Places({0, 1, 1, 0}), shape = Longs({2, 2});
    const std::vector<Tensor> both{a, Make<float>({2}, {-3, 5}), shape, b, Make<float>({2}, {4, -6}), shape};
    CHECK(OutputsOf<ops::SparseSparseMaximum>({}, both) == "[0 0][0 1][1 0] | 0 5 0");
    CHECK(OutputsOf<ops::SparseSparseMinimum>({}, both) == "[0 0][0 1][1 0] | -3 4 -6");
  }
}
}  // namespace sparse_add_test
