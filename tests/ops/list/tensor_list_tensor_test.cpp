// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_list_element.hpp>
#include <tenon/ops/list/tensor_list_concat.hpp>
#include <tenon/ops/list/tensor_list_tensor.hpp>

#include "ops/support.hpp"

namespace state_tensor_list_tensor_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("TensorList, whole tensors") {
  const Tensor any = Tensor::Scalar<std::int32_t>(-1);
  const AttrArgs floats = {{"element_dtype", AttrValue(DataType::kFloat)}};

  TEST_CASE("what is taken apart can be put together") {
    const Tensor rows = Random<float>({5, 16}, 1);  // 64 bytes a row: elements share the tensor's buffer
    const auto list = Call<ops::TensorListFromTensor>({}, {rows, any});
    REQUIRE(list.ok());
    CHECK((*list)[0].data<Variant>()[0].get<TensorList>()->at(3).SharesBufferWith(rows));
    const auto stacked = Call<ops::TensorListStack>(floats, {(*list)[0], any});
    REQUIRE_MESSAGE(stacked.ok(), stacked.status().ToString());
    CHECK(SameTensor((*stacked)[0], rows));
    const Tensor lengths = MakeTensor<std::int64_t>({3}, {2, 0, 3});
    const auto parts = Call<ops::TensorListSplit>({}, {rows, any, lengths});
    REQUIRE(parts.ok());
    const auto joined = Call<ops::TensorListConcatV2>(floats, {(*parts)[0], any, MakeTensor<std::int64_t>({0}, {})});
    REQUIRE_MESSAGE(joined.ok(), joined.status().ToString());
    CHECK(SameTensor((*joined)[0], rows));
    CHECK(SameTensor((*joined)[1], lengths));
    const auto joined_v1 = Call<ops::TensorListConcat>(floats, {(*parts)[0]});
    REQUIRE(joined_v1.ok());
    CHECK(SameTensor((*joined_v1)[0], rows));
  }
  TEST_CASE("refusals before memory is touched") {
    const auto list =
        Call<ops::TensorListReserve>(floats, {MakeTensor<std::int32_t>({2}, {-1, 2}), Tensor::Scalar<std::int32_t>(2)});
    REQUIRE(list.ok());
    const Index huge = Index{1} << 61;
    CHECK(Call<ops::TensorListConcatV2>(floats, {(*list)[0], any, MakeTensor<std::int64_t>({2}, {huge, huge})})
              .status()
              .code() == Code::kInvalidArgument);
    CHECK(Call<ops::TensorListConcatV2>(floats, {(*list)[0], any, MakeTensor<std::int64_t>({2}, {-1, 1})})
              .status()
              .code() == Code::kInvalidArgument);
    const Tensor row = MakeTensor<float>({1, 2}, {1, 2});
    CHECK(Call<ops::TensorListScatter>({}, {row, MakeTensor<std::int32_t>({1}, {0x7fffffff}), any}).status().code() ==
          Code::kResourceExhausted);
    CHECK(Call<ops::TensorListScatterIntoExistingList>({}, {(*list)[0], row, MakeTensor<std::int32_t>({1}, {-1})})
              .status()
              .code() == Code::kInvalidArgument);
    CHECK(ErrorOf<ops::TensorListSplit>({}, {row, any, MakeTensor<std::int64_t>({1}, {huge})})
              .find("Attempting to slice") != std::string::npos);
  }
}
}  // namespace state_tensor_list_tensor_test
