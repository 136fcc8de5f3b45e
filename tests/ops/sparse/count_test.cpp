// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/count.hpp>

#include <limits>

#include "ops/outputs.hpp"

namespace sparse_count_test {
using namespace tenon;
using namespace tenon::testing;
using ops::DenseCountSparseOutput;
using ops::RaggedCountSparseOutput;
using ops::SparseCountSparseOutput;

namespace {

AttrArgs Attrs(std::int64_t minlength, std::int64_t maxlength, bool binary = false) {
  return {{"minlength", minlength}, {"maxlength", maxlength}, {"binary_output", binary}};
}
Tensor Floats(std::initializer_list<double> numbers) {
  return Make<float>({static_cast<Index>(numbers.size())}, numbers);
}
const Tensor& NoWeights() {
  static const Tensor none(DataType::kFloat, {0});
  return none;
}

}  // namespace

TEST_SUITE("sparse counts") {
  TEST_CASE("values are counted once, weighted or looked for") {
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(-1, -1), {Ints({3, 1, 3}), NoWeights()}) == "[1][3] | 1 2 | 4");
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(-1, -1), {Ints({3, 1, 3}), Floats({1, 2, 0.5})}) ==
          "[1][3] | 2 1.5 | 4");
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(-1, -1, true), {Ints({3, 1, 3}), Floats({1, 2, 0.5})}) ==
          "[1][3] | 1 1 | 4");
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(7, -1), {Ints({3, 1, 3}), NoWeights()}) == "[1][3] | 1 2 | 7");
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(7, 2), {Ints({3, 1, 3}), NoWeights()}) == "[1] | 1 | 2");
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(-1, 0), {Ints({3, 1, 3}), NoWeights()}) == " |  | 0");
  }
  TEST_CASE("row by row: dense, sparse, ragged") {
    const std::string want = "[0 1][0 3][2 1] | 1 2 1 | 3 4";
    CHECK(OutputsOf<SparseCountSparseOutput>(Attrs(-1, -1), {MakeTensor<std::int64_t>({4, 2}, {0, 0, 0, 1, 0, 2, 2, 0}),
                                                             Ints({3, 1, 3, 1}), Longs({3, 3}), NoWeights()}) == want);
    CHECK(OutputsOf<RaggedCountSparseOutput>(Attrs(-1, -1), {Longs({0, 3, 3, 4}), Ints({3, 1, 3, 1}), NoWeights()}) ==
          want);
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(-1, -1), {MakeTensor<std::int64_t>({2, 2}, {3, 3, 0, 3}),
                                                            NoWeights()}) == "[0 3][1 0][1 3] | 2 1 1 | 2 4");
  }
  TEST_CASE("values far apart are counted as near ones are") {
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(-1, -1), {Ints({1000000, 1, 1000000}), Floats({1, 2, 0.5})}) ==
          "[1][1000000] | 2 1.5 | 1000001");
    CHECK(OutputsOf<RaggedCountSparseOutput>(Attrs(-1, -1),
                                             {Longs({0, 3, 3, 4}), Ints({900000, 1, 900000, 1}), NoWeights()}) ==
          "[0 1][0 900000][2 1] | 1 2 1 | 3 900001");
  }
  TEST_CASE("integer weights wrap around") {
    CHECK(OutputsOf<DenseCountSparseOutput>(Attrs(-1, -1),
                                            {Ints({1, 1}), Ints({std::numeric_limits<std::int32_t>::max(), 5})}) ==
          "[1] | -2147483644 | 2");
  }
  TEST_CASE("refuses negative values, indices outside and splits that do not fit") {
    CHECK(ErrorOf<DenseCountSparseOutput>(Attrs(-1, -1), {Ints({3, -1}), NoWeights()}) ==
          "INVALID_ARGUMENT: DenseCountSparseOutput: Input values must all be non-negative, got -1");
    CHECK(ErrorOf<DenseCountSparseOutput>(Attrs(-1, -1),
                                          {Longs({std::numeric_limits<std::int64_t>::max()}), NoWeights()}) ==
          "INVALID_ARGUMENT: DenseCountSparseOutput: value 9223372036854775807 is too large to be counted");
    CHECK(ErrorOf<SparseCountSparseOutput>(
              Attrs(-1, -1), {MakeTensor<std::int64_t>({1, 2}, {3, 0}), Ints({3}), Longs({3, 3}), NoWeights()}) ==
          "INVALID_ARGUMENT: SparseCountSparseOutput: Invalid index value at 0: [3,0] does not lie in the dense shape "
          "[3,3]");
    CHECK(ErrorOf<RaggedCountSparseOutput>(Attrs(-1, -1), {Longs({0, 3}), Ints({3}), NoWeights()}) ==
          "INVALID_ARGUMENT: RaggedCountSparseOutput: Splits must end with the number of values, got 3 instead of 1");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<DenseCountSparseOutput>({{3, 4}, {0}}) == "[?,2] [?] [2]");
    CHECK(ShapesOf<DenseCountSparseOutput>({{}, {5}}) ==
          "INVALID_ARGUMENT: Shapes must be equal rank, but are 1 and 0");
    CHECK(ShapesOf<SparseCountSparseOutput>({{3, 2}, {3}, {2}, {0}}) == "[?,2] [?] [2]");
    CHECK(ShapesOf<RaggedCountSparseOutput>({{3}, {4}, {0}}) == "[?,2] [?] [2]");
  }
}
}  // namespace sparse_count_test
