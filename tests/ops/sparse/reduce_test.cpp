// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/reduce.hpp>

#include "ops/outputs.hpp"

namespace sparse_reduce_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SparseReduceMax;
using ops::SparseReduceSum;
using ops::detail::GroupRows;
using ops::detail::SparseGroups;

namespace {

Tensor Places(Index rank, std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / rank, rank}, numbers);
}
std::string Groups(const Tensor& places, const SlimVector<Index>& kept) {
  const SparseGroups groups = GroupRows({places.data<std::int64_t>(), places.dim_size(0), places.dim_size(1)}, kept);
  std::string text;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    StrAppend(&text, g == 0 ? "" : " ");
    for (std::size_t i = groups.starts[g]; i < groups.starts[g + 1]; ++i) StrAppend(&text, groups.order[i]);
  }
  return text;
}

}  // namespace

TEST_SUITE("reductions of sparse tensors") {
  TEST_CASE("rows are grouped by the kept dimensions, row-major inside") {
    const Tensor places = Places(2, {1, 0, 0, 2, 1, 2, 0, 0});  // out of order
    CHECK(Groups(places, {0}) == "31 02");
    CHECK(Groups(places, {1}) == "30 12");
    CHECK(Groups(places, {0, 1}) == "3 1 0 2");
    CHECK(Groups(places, {}) == "3102");
    CHECK(Groups(Places(2, {}), {0}) == "");
    CHECK(Groups(Places(2, {}), {}) == "");
  }
  TEST_CASE("the sums of random elements, against a plain loop") {
    Numbers numbers(5);
    constexpr Index kN = 200, kSizes[] = {3, 4, 5};
    Tensor places(DataType::kInt64, {kN, 3}), values = Random<double>({kN}, 6);
    for (Index i = 0; i < 3 * kN; ++i)
      places.data<std::int64_t>()[i] = static_cast<std::int64_t>(numbers.Below(kSizes[i % 3]));
    std::vector<double> want(4, 0);
    for (Index i = 0; i < kN; ++i)
      want[static_cast<std::size_t>(places.data<std::int64_t>()[3 * i + 1])] += values.data<double>()[i];
    const Tensor out = Run<SparseReduceSum>({{"keep_dims", true}}, {places, values, Longs({3, 4, 5}), Ints({0, -1})});
    CHECK(out.shape() == TensorShape({1, 4, 1}));
    for (Index k = 0; k < 4; ++k)
      CHECK(out.data<double>()[k] == doctest::Approx(want[static_cast<std::size_t>(k)]).epsilon(1e-12));
  }
  TEST_CASE("axes: none, a scalar, one twice, all of them") {
    const Tensor places = Places(2, {0, 1, 1, 0, 1, 1}), values = Make<float>({3}, {1, -2, 4}), shape = Longs({2, 2});
    const auto sum = [&](const Tensor& axes) { return OutputsOf<SparseReduceSum>({}, {places, values, shape, axes}); };
    CHECK(sum(Ints({})) == "[0 1][-2 4]");
    CHECK(sum(Int(1)) == "1 2");
    CHECK(sum(Ints({1, -1, 1})) == "1 2");
    CHECK(sum(Ints({0, 1})) == "3");
    CHECK(OutputsOf<ops::SparseReduceSumSparse>({}, {places, values, shape, Ints({0, 1})}) == " | 3 | ");
    CHECK(OutputsOf<SparseReduceMax>({}, {places, values, shape, Int(0)}) == "-2 4");
  }
  TEST_CASE("where nothing is stored there is 0, also for the largest; the last NaN stays") {
    const Tensor shape = Longs({3, 2});
    CHECK(OutputsOf<SparseReduceMax>(
              {}, {Places(2, {0, 0, 1, 0, 1, 1}), Make<float>({3}, {-7, kNaN, -3}), shape, Int(1)}) == "-7 -3 0");
    CHECK(OutputsOf<SparseReduceMax>({}, {Places(2, {0, 0}), Make<float>({1}, {kNaN}), shape, Int(1)}) == "nan 0 0");
    CHECK(OutputsOf<SparseReduceSum>({}, {Places(2, {}), Make<float>({0}, {0}), shape, Int(0)}) == "0 0");
    CHECK(OutputsOf<ops::SparseReduceMaxSparse>({}, {Places(2, {}), Make<float>({0}, {0}), shape, Int(0)}) ==
          " |  | 2");
  }
  TEST_CASE("what does not fit is named with its values") {
    const Tensor places = Places(2, {0, 1}), values = Make<float>({1}, {1}), shape = Longs({2, 2});
    const std::string where = "INVALID_ARGUMENT: SparseReduceSum: ";
    CHECK(ErrorOf<SparseReduceSum>({}, {places, values, shape, Ints({0, 2})}) ==
          where + "Invalid reduction dimension 2, for input with 2 dimensions.");
    CHECK(ErrorOf<SparseReduceSum>({}, {places, values, shape, Int(-3)}) ==
          where + "Invalid reduction dimension -3, for input with 2 dimensions.");
    CHECK(ErrorOf<SparseReduceSum>({}, {places, Make<float>({2}, {1}), shape, Int(0)}) ==
          where + "indices and values rows (indexing dimension) must match. (indices = 1, values = 2)");
    CHECK(ErrorOf<SparseReduceSum>({}, {places, values, Longs({2, 2, 2}), Int(0)}) ==
          where + "Order length must be SparseTensor rank, got indices of shape [1,2] for rank 3");
    CHECK(ErrorOf<SparseReduceSum>({}, {places, values, Longs({2, -2}), Int(0)}) ==
          where + "Expected shape dimensions to be non-negative, got -2 for dimension 1");
    CHECK(ErrorOf<SparseReduceSum>({}, {places, values, shape, MakeTensor<std::int32_t>({1, 1}, {0})}) ==
          where + "Expected reduction_axes to be a scalar or a vector; got shape: [1,1]");
  }
  TEST_CASE("the shape function reads shape and axes") {
    const StaticInput sizes = StaticInput::Vector({7, 8, 9});
    CHECK(ShapesOf<SparseReduceSum>({{4, 3}, {4}, sizes, StaticInput::Vector({0, -1})}) == "[8]");
    CHECK(ShapesOf<SparseReduceSum>({{4, 3}, {4}, sizes, StaticInput::Scalar(1)}, {{"keep_dims", true}}) == "[7,1,9]");
    CHECK(ShapesOf<SparseReduceSum>({{4, 3}, {4}, sizes, {1}}) == "?");
    CHECK(ShapesOf<SparseReduceSum>({{4, 0}, {4}, StaticInput::Vector({}), StaticInput::Scalar(0)}) ==
          "INVALID_ARGUMENT: Number of dims in shape tensor must not be 0");
  }
}
}  // namespace sparse_reduce_test
