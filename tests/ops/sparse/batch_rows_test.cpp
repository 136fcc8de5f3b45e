// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/batch_rows.hpp>

#include "ops/outputs.hpp"

namespace sparse_batch_rows_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops::detail;

namespace {

SparsePart PartOf(std::initializer_list<std::int64_t> indices, Index rank) {
  const Index n = static_cast<Index>(indices.size()) / rank;
  return {MakeTensor<std::int64_t>({n, rank}, indices), Tensor(DataType::kFloat, {n})};
}

}  // namespace

TEST_SUITE("batches of sparse tensors") {
  TEST_CASE("parts grow the shape and must have one rank") {
    SparseBatch parts;
    const std::int64_t a[] = {3, 2}, b[] = {1, 9};
    CHECK(parts.Add("Op", PartOf({0, 1, 2, 0}, 2), a, 2).ok());
    CHECK(parts.Add("Op", PartOf({0, 1}, 2), b, 2).ok());
    CHECK(parts.total == 3);
    CHECK(parts.sizes[0] == 3);
    CHECK(parts.sizes[1] == 9);
    CHECK(
        parts.Add("Op", PartOf({0}, 1), b, 1).ToString() ==
        "INVALID_ARGUMENT: Op: Inconsistent shape across SparseTensors: rank prior to SparseTensor[2] was: 2 but rank "
        "of SparseTensor[2] is: 1");
  }
  TEST_CASE("a part is checked") {
    const SparsePart part = PartOf({0, 1}, 2);
    CHECK(CheckPart("Op", 4, part, Longs({2, 2}), DataType::kFloat).ok());
    CHECK(CheckPart("Op", 4, part, Longs({2}), DataType::kFloat).ToString() ==
          "INVALID_ARGUMENT: Op: Expected column counts of SparseTensor[4].indices to match size of "
          "SparseTensor[4].shape but they do not: 2 vs. 1");
    CHECK(CheckPart("Op", 4, {Longs({1}), part.values}, Longs({2}), DataType::kFloat).code() == Code::kInvalidArgument);
    CHECK(CheckPart("Op", 4, part, Ints({2, 2}), DataType::kFloat).code() == Code::kInvalidArgument);
  }
  TEST_CASE("indices keep their places, and those out of range move on") {
    const SlimVector<std::int64_t> sizes{2, 3};
    std::int64_t to[4] = {};
    const std::int64_t inside[] = {1, 2}, outside[] = {1, 5};
    SpreadIndex(3, inside, sizes, TensorShape({2, 2}), to);
    CHECK(to[0] == 1);
    CHECK(to[1] == 1);
    CHECK(to[2] == 1);
    CHECK(to[3] == 2);
    SpreadIndex(0, outside, sizes, TensorShape({2, 2}), to);
    CHECK(to[0] == 0);
    CHECK(to[1] == 1);
    CHECK(to[2] == 0);
    CHECK(to[3] == 2);
  }
}
}  // namespace sparse_batch_rows_test
