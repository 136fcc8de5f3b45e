// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_list_element.hpp>

#include "ops/support.hpp"

namespace state_tensor_list_element_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
const AttrArgs kInts = {{"element_dtype", AttrValue(DataType::kInt32)}};

Tensor Reserved(Index length) {
  const auto made = Call<ops::TensorListReserve>(
      kInts, {Tensor::Scalar<std::int32_t>(-1), Tensor::Scalar(static_cast<std::int32_t>(length))});
  REQUIRE_MESSAGE(made.ok(), made.status().ToString());
  return (*made)[0];
}
const TensorList& ListOf(const Tensor& tensor) { return *tensor.data<Variant>()[0].get<TensorList>(); }
}  // namespace

TEST_SUITE("TensorList, single elements") {
  const Tensor seven = Tensor::Scalar<std::int32_t>(7), zero = Tensor::Scalar<std::int32_t>(0);

  TEST_CASE("a list that somebody else sees is copied before it changes") {
    const Tensor before = Reserved(2);
    const auto after = Call<ops::TensorListSetItem>({}, {before, zero, seven});
    REQUIRE(after.ok());
    CHECK(ListOf((*after)[0]).at(0).data<std::int32_t>()[0] == 7);
    CHECK(!TensorList::IsSet(ListOf(before).at(0)));
  }
  TEST_CASE("two readers of one list do not see each other's changes") {
    // `once` is the only reader of the list, which it may change in place; `left` and `right` share what it gives.
    GraphBuilder b;
    const Output shape = b.Const("shape", Tensor::Scalar<std::int32_t>(-1));
    const Output length = b.Placeholder("length", DataType::kInt32);
    const Output item = b.Const("item", seven);
    const Output list = b.Add("TensorListReserve", "list", std::vector<Output>{shape, length}, kInts);
    const Output once = b.Add("TensorListPushBack", "once", {list, item});
    b.Add("TensorListPushBack", "left", {once, item});
    b.Add("TensorListPushBack", "right", {once, item});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const auto out = session->Run({{"length:0", Tensor::Scalar<std::int32_t>(3)}}, {"left:0", "right:0"});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK(ListOf((*out)[0]).size() == 5);
    CHECK(ListOf((*out)[1]).size() == 5);
    CHECK(&ListOf((*out)[0]) != &ListOf((*out)[1]));
  }
  TEST_CASE("a serialised list is decoded where it is used") {
    Tensor serialised(DataType::kVariant, TensorShape());
    VariantTensorData data;
    REQUIRE(EncodeVariant(Reserved(3).data<Variant>()[0], &data).ok());
    serialised.data<Variant>()[0] = Variant(std::move(data));
    const auto length = Call<ops::TensorListLength>({}, {serialised});
    REQUIRE_MESSAGE(length.ok(), length.status().ToString());
    CHECK((*length)[0].data<std::int32_t>()[0] == 3);
  }
  TEST_CASE("refusals") {
    const Tensor list = Reserved(2);
    CHECK(ErrorOf<ops::TensorListSetItem>({}, {list, Tensor::Scalar<std::int32_t>(2), seven}) ==
          "INVALID_ARGUMENT: Trying to modify element 2 in a list with 2 elements.");
    const AttrArgs grow = {{"resize_if_index_out_of_bounds", AttrValue(true)}};
    CHECK(Call<ops::TensorListSetItem>(grow, {list, Tensor::Scalar<std::int32_t>(-1), seven}).status().code() ==
          Code::kInvalidArgument);
    CHECK(Call<ops::TensorListSetItem>(grow, {list, Tensor::Scalar<std::int32_t>(0x7fffffff), seven}).status().code() ==
          Code::kResourceExhausted);
    CHECK(Call<ops::TensorListResize>({}, {list, Tensor::Scalar<std::int32_t>(0x7fffffff)}).status().code() ==
          Code::kResourceExhausted);
    Tensor number(DataType::kVariant, TensorShape());
    number.data<Variant>()[0] = Variant(3);
    CHECK(ErrorOf<ops::TensorListLength>({}, {number}) ==
          "INVALID_ARGUMENT: Input handle is not a list. Saw: 'Variant<type: int value: 3>'");
    CHECK(Call<ops::TensorListLength>({}, {Tensor(DataType::kVariant, TensorShape())}).status().code() ==
          Code::kInvalidArgument);
  }
  TEST_CASE("PushBackBatch and ConcatLists work pair by pair") {
    Tensor lists(DataType::kVariant, TensorShape({2}));
    for (Index i = 0; i < 2; ++i) lists.data<Variant>()[i] = Reserved(i).data<Variant>()[0];
    const auto pushed = Call<ops::TensorListPushBackBatch>({}, {lists, MakeTensor<std::int32_t>({2, 2}, {1, 2, 3, 4})});
    REQUIRE_MESSAGE(pushed.ok(), pushed.status().ToString());
    const TensorList* const second = (*pushed)[0].data<Variant>()[1].get<TensorList>();
    REQUIRE(second->size() == 2);
    CHECK(second->at(1).shape() == TensorShape({2}));
    CHECK(second->at(1).data<std::int32_t>()[0] == 3);
    const auto joined = Call<ops::TensorListConcatLists>(kInts, {(*pushed)[0], lists});
    REQUIRE_MESSAGE(joined.ok(), joined.status().ToString());
    CHECK((*joined)[0].data<Variant>()[1].get<TensorList>()->size() == 3);
  }
}
}  // namespace state_tensor_list_element_test
