// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/reshape.hpp>

#include "ops/outputs.hpp"

namespace sparse_reshape_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SparseReorder;
using ops::SparseReshape;
using ops::detail::FindNewSizes;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Tensor Places(Index rank, std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / rank, rank}, numbers);
}
std::string Found(const TensorShape& from, std::initializer_list<std::int64_t> wanted) {
  SlimVector<std::int64_t> sizes;
  const Status status = FindNewSizes(from, Longs(wanted), &sizes);
  return status.ok() ? ops::detail::SizesText(sizes.data(), static_cast<Index>(sizes.size())) : status.ToString();
}

}  // namespace

TEST_SUITE("SparseReshape and SparseReorder") {
  TEST_CASE("what is left over becomes the size that is -1") {
    CHECK(Found({4, 6}, {3, -1}) == "[3,8]");
    CHECK(Found({4, 6}, {-1}) == "[24]");
    CHECK(Found({4, 6}, {24}) == "[24]");
    CHECK(Found({}, {}) == "[]");
    CHECK(Found({}, {-1, 1}) == "[1,1]");
    CHECK(Found({0, 5}, {3, -1}) == "[3,0]");
    CHECK(Found({kMost}, {-1, 7}) == StrCat("[", kMost / 7, ",7]"));
  }
  TEST_CASE("sizes that cannot be are refused with what they give") {
    const std::string where = "INVALID_ARGUMENT: SparseReshape: ";
    CHECK(Found({4, 6}, {-1, 2, -1}) == where + "only one output dimension may be -1, not both 0 and 2");
    CHECK(Found({4, 6}, {4, -2}) == where + "size 1 must be non-negative, not -2");
    CHECK(Found({4, 6}, {kMost, 2}) ==
          StrCat(where, "the product of the sizes in [", kMost, ",2] is too large; it must fit in 63 bits"));
    CHECK(Found({4, 6}, {0, -1}) ==
          where +
              "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes "
              "are non-zero");
    CHECK(Found({4, 6}, {5, -1}) ==
          where +
              "Input to reshape is a SparseTensor with 24 dense values, but the requested shape requires a "
              "multiple of 5. input_shape=[4,6] output_shape=[5,-1]");
    CHECK(Found({4, 6}, {5, 5}) ==
          where +
              "Input to reshape is a tensor with 24 dense values, but the requested shape has 25. "
              "input_shape=[4,6] output_shape=[5,5]");
  }
  TEST_CASE("every place of a shape, against counting") {
    Tensor places(DataType::kInt64, {24, 3});
    std::string want;
    for (std::int64_t i = 0; i < 24; ++i) {
      std::int64_t* const at = places.data<std::int64_t>() + 3 * i;
      at[0] = i / 12, at[1] = i / 4 % 3, at[2] = i % 4;
      StrAppend(&want, "[", i / 6, " ", i % 6, "]");
    }
    const Result<std::vector<Tensor>> out = Call<SparseReshape>({}, {places, Longs({2, 3, 4}), Longs({4, -1})});
    REQUIRE(out.ok());
    CHECK((*out)[0].SummarizeValue(100) == want);
    CHECK((*out)[1].SummarizeValue(2) == "4 6");
  }
  TEST_CASE("the same shape hands the indices on; nothing has no place") {
    const Tensor places = Places(2, {0, 5, 9, 9});  // not looked at
    const Result<std::vector<Tensor>> same = Call<SparseReshape>({}, {places, Longs({4, 6}), Longs({4, -1})});
    REQUIRE(same.ok());
    CHECK((*same)[0].SharesBufferWith(places));
    CHECK(OutputsOf<SparseReshape>({}, {Places(2, {}), Longs({0, 6}), Longs({3, 0})}) == " | 3 0");
    CHECK(ErrorOf<SparseReshape>({}, {places, Longs({0, 6}), Longs({3, 0})}) ==
          "INVALID_ARGUMENT: SparseReshape: Input tensor has 2 non zero elements but input shape ([0,6]) or output "
          "shape ([3,0]) is empty");
    CHECK(ErrorOf<SparseReshape>({}, {places, Longs({24}), Longs({24})}) ==
          "INVALID_ARGUMENT: SparseReshape: Input tensor rank must match input shape length, got 2 and 1");
    CHECK(ErrorOf<SparseReshape>({}, {places, Longs({4, 6}), Tensor::Scalar<std::int64_t>(24)}) ==
          "INVALID_ARGUMENT: SparseReshape: Target shape should be a vector but received shape []");
  }
  TEST_CASE("an index outside lands beyond the first dimension, as in TensorFlow") {
    CHECK(OutputsOf<SparseReshape>({}, {Places(2, {7, 1, -1, 0}), Longs({4, 6}), Longs({2, 12})}) ==
          "[3 7][0 -6] | 2 12");
  }
  TEST_CASE("SparseReorder leaves elements at one place in their order") {
    CHECK(OutputsOf<SparseReorder>({}, {Places(2, {1, 1, 0, 2, 1, 1, 0, 0}), Make<float>({4}, {1, 2, 3, 4}),
                                        Longs({2, 3})}) == "[0 0][0 2][1 1][1 1] | 4 2 1 3");
    CHECK(OutputsOf<SparseReorder>({}, {Places(2, {0, 2, 1, 1, 1, 1}), Make<float>({3}, {1, 2, 3}), Longs({2, 3})}) ==
          "[0 2][1 1][1 1] | 1 2 3");  // in order already
    CHECK(OutputsOf<SparseReorder>({}, {Places(2, {}), Make<float>({0}, {0}), Longs({2, 3})}) == " | ");
    CHECK(ErrorOf<SparseReorder>({}, {Places(2, {0, 0}), Make<float>({2}, {1}), Longs({2, 3})}) ==
          "INVALID_ARGUMENT: SparseReorder: Number of elements in indices (1) and values (2) do not match");
  }
}
}  // namespace sparse_reshape_test
