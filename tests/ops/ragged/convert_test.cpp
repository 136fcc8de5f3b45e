// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/ragged/convert.hpp>

#include "ops/support.hpp"

namespace ragged_convert_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
AttrArgs By(std::vector<std::string> types) { return {{"row_partition_types", AttrValue(std::move(types))}}; }
}  // namespace

TEST_SUITE("Ragged tensors to dense and sparse ones") {
  const Tensor values = Make<float>({3}, {1, 2, 3}), nine = Tensor::Scalar<float>(9);
  const Tensor any = MakeTensor<std::int64_t>({2}, {-1, -1});

  TEST_CASE("splits beyond the values, and falling ones, are refused") {
    for (const std::int64_t last : {std::int64_t{5}, std::int64_t{1} << 60}) {
      const Tensor splits = MakeTensor<std::int64_t>({3}, {0, 2, last});
      const Tensor one = MakeTensor<std::int64_t>({2}, {-1, 1});
      CHECK(Call<ops::RaggedTensorToTensor>(By({"ROW_SPLITS"}), {one, values, nine, splits}).status().code() ==
            Code::kInvalidArgument);
    }
    CHECK(Call<ops::RaggedTensorToTensor>(By({"ROW_SPLITS"}),
                                          {any, values, nine, MakeTensor<std::int64_t>({3}, {0, 2, 1})})
              .status()
              .code() == Code::kInvalidArgument);
    CHECK(Call<ops::RaggedTensorToSparse>({}, {MakeTensor<std::int64_t>({3}, {0, 2, 4}), values}).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("row ids out of range are refused, a huge first dimension is cut") {
    const AttrArgs by_ids = By({"FIRST_DIM_SIZE", "VALUE_ROWIDS"});
    const Tensor huge = Tensor::Scalar<std::int64_t>(std::int64_t{1} << 50);
    CHECK(Call<ops::RaggedTensorToTensor>(
              by_ids, {any, values, nine, Tensor::Scalar<std::int64_t>(3), MakeTensor<std::int64_t>({3}, {0, -1, 0})})
              .status()
              .code() == Code::kInvalidArgument);
    const Tensor cut = Run<ops::RaggedTensorToTensor>(
        by_ids, {MakeTensor<std::int64_t>({2}, {2, 2}), values, nine, huge, MakeTensor<std::int64_t>({3}, {1, 1, 5})});
    CHECK(Numbered<float>(cut) == std::vector<double>{9, 9, 1, 2});
  }
  TEST_CASE("rows of rows, cut and filled up") {
    const Tensor out = Run<ops::RaggedTensorToTensor>(
        By({"ROW_SPLITS", "ROW_SPLITS"}),
        {MakeTensor<std::int64_t>({3}, {3, -1, 2}), values, nine, MakeTensor<std::int64_t>({3}, {0, 2, 3}),
         MakeTensor<std::int64_t>({4}, {0, 0, 1, 3})});
    CHECK(out.shape() == TensorShape({3, 2, 2}));
    CHECK(Numbered<float>(out) == std::vector<double>{9, 9, 1, 9, 2, 3, 9, 9, 9, 9, 9, 9});
  }
}
}  // namespace ragged_convert_test
