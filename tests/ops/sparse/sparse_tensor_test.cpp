// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/sparse_tensor.hpp>

#include <tenon/ops/sparse/add.hpp>
#include <tenon/ops/sparse/dense.hpp>
#include <tenon/ops/sparse/fill_empty_rows.hpp>
#include <tenon/ops/sparse/reduce.hpp>
#include <tenon/ops/sparse/reshape.hpp>
#include <tenon/ops/sparse/slice.hpp>
#include <tenon/ops/sparse/to_dense.hpp>

#include "ops/support.hpp"

namespace sparse_sparse_tensor_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                       kLeast = std::numeric_limits<std::int64_t>::min();

Tensor Places(Index rank, std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / rank, rank}, numbers);
}
Tensor Sizes(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size())}, numbers);
}
Tensor Floats(std::initializer_list<float> numbers) {
  return MakeTensor<float>({static_cast<Index>(numbers.size())}, numbers);
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

TEST_SUITE("sparse tensors") {
  const Tensor places = Places(2, {0, 1, 2, 0, 2, 1}), values = Floats({1, 2, 3}), shape = Sizes({4, 2});

  TEST_CASE("parts, and numbers at the ends of int64") {
    CHECK(Shown<ops::SparseSlice>({}, {places, values, shape, Sizes({1, 0}), Sizes({9, 1})}) == "[1 0] | 2 | 3 1");
    CHECK(Shown<ops::SparseSlice>({}, {places, values, shape, Sizes({-1, 0}), Sizes({4, 2})}) ==
          "[1 1][3 0][3 1] | 1 2 3 | 4 2");
    const auto outside = [&](std::int64_t start, std::int64_t size) {  // nothing but a shape
      return Shown<ops::SparseSlice>({}, {places, values, shape, Sizes({start, start}), Sizes({size, size})});
    };
    CHECK(outside(kLeast, kMost) == StrCat(kMost, " ", kMost));
    CHECK(outside(kMost, 2) == "0 0");
    CHECK(Shown<ops::SparseReorder>({}, {Places(1, {kMost, 3, kLeast, 3}), Floats({1, 2, 3, 4}), Sizes({5})}) ==
          StrCat("[", kLeast, "][3][3][", kMost, "] | 3 2 4 1"));
  }
  TEST_CASE("new shapes") {
    CHECK(Shown<ops::SparseReshape>({}, {places, shape, Sizes({2, -1})}) == "[0 1][1 0][1 1] | 2 4");
    CHECK(ErrorOf<ops::SparseReshape>({}, {places, shape, Sizes({3, -1})}).find("requires a multiple of 3") !=
          std::string::npos);
    CHECK(Call<ops::SparseReshape>({}, {places, Sizes({kMost, kMost}), Sizes({5})}).status().code() ==
          Code::kInvalidArgument);
    CHECK(Call<ops::SparseReshape>({}, {places, shape, Sizes({kMost, kMost})}).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("rows without elements get one") {
    CHECK(Shown<ops::SparseFillEmptyRows>({}, {places, values, shape, Tensor::Scalar<float>(9)}) ==
          "[0 1][1 0][2 0][2 1][3 0] | 1 9 2 3 9 | 0 1 0 1 | 0 2 3");
    const Result<std::vector<Tensor>> huge =
        Call<ops::SparseFillEmptyRows>({}, {places, values, Sizes({kMost, 2}), Tensor::Scalar<float>(9)});
    CHECK_UNARY((huge.status().code() == Code::kInvalidArgument || huge.status().code() == Code::kResourceExhausted));
  }
  TEST_CASE("dense tensors, with an index outside refused by name") {
    const Tensor nine = Tensor::Scalar<float>(9);
    CHECK(Shown<ops::SparseToDense>({}, {places, shape, values, nine}) == "[9 1][9 9][2 3][9 9]");
    CHECK(ErrorOf<ops::SparseToDense>({{"validate_indices", false}}, {Places(2, {0, 2}), shape, Floats({1}), nine}) ==
          "INVALID_ARGUMENT: SparseToDense: Indices are not valid (out of bounds).  Shape: [4,2], indices[0] = [0,2]");
    const Tensor dense = MakeTensor<float>({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(Shown<ops::SparseTensorDenseAdd>({}, {places, values, shape, dense}) == "[1 3][3 4][7 9][7 8]");
    CHECK(Shown<ops::SparseDenseCwiseMul>({}, {places, values, shape, MakeTensor<float>({2}, {10, 20})}) == "20 20 60");
    CHECK(Shown<ops::SparseDenseCwiseDiv>({}, {places, values, shape, MakeTensor<float>({2}, {0, 2})})
              .find("cannot divide by zero") != std::string::npos);
    CHECK(Call<ops::SparseToDense>({}, {places, Sizes({kMost, kMost}), values, nine}).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("sums of two and along axes") {
    const Tensor other = Places(2, {0, 0, 2, 1});
    CHECK(Shown<ops::SparseAdd>({}, {places, values, shape, other, Floats({5, -3}), shape, Tensor::Scalar<float>(1)}) ==
          "[0 0][0 1][2 0] | 5 1 2 | 4 2");
    CHECK(Shown<ops::SparseSparseMaximum>({}, {places, values, shape, other, Floats({-5, 7}), shape}) ==
          "[0 0][0 1][2 0][2 1] | 0 1 2 7");
    const Tensor axis = MakeTensor<std::int32_t>({1}, {-1});
    CHECK(Shown<ops::SparseReduceSum>({}, {places, values, shape, axis}) == "1 0 5 0");
    CHECK(Shown<ops::SparseReduceMaxSparse>({{"keep_dims", true}}, {places, values, shape, axis}) ==
          "[0 0][2 0] | 1 3 | 4 1");
    CHECK(ErrorOf<ops::SparseReduceSum>({}, {Places(2, {4, 0}), Floats({1}), shape, axis}) ==
          "INTERNAL: SparseReduceSum: Obtained a write index of 4 which is outside of bounds of [0, 4)");
  }
}
}  // namespace sparse_sparse_tensor_test
