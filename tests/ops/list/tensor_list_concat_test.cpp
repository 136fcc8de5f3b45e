// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_list_concat.hpp>

#include "ops/outputs.hpp"

namespace state_tensor_list_concat_test {
using namespace tenon;
using namespace tenon::testing;
using ops::TensorListConcat;
using ops::TensorListConcatV2;
using ops::TensorListSplit;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// A list of floats; {} is an element that was never set.
Tensor List(const std::vector<Tensor>& elements, const PartialTensorShape& shape = PartialTensorShape()) {
  TensorList list;
  list.element_dtype = DataType::kFloat;
  list.element_shape = shape;
  for (const Tensor& element : elements) list.tensors.push_back(element);
  Tensor handle(DataType::kVariant, TensorShape());
  *handle.data<Variant>() = Variant(std::move(list));
  return handle;
}
const Tensor kUnset(DataType::kInvalid);
Tensor Floats(const TensorShape& shape, double first) {
  Tensor t(DataType::kFloat, shape);
  for (Index i = 0; i < t.NumElements(); ++i) t.data<float>()[i] = static_cast<float>(first + static_cast<double>(i));
  return t;
}
const AttrArgs kFloats{{"element_dtype", DataType::kFloat}};
// TensorListConcatV2 with this element_shape (-1: unknown) and leading_dims.
std::string Joined(const Tensor& list, const Tensor& shape, const Tensor& leading = Longs({})) {
  return OutputsOf<TensorListConcatV2>(kFloats, {list, shape, leading});
}
std::string Split(const Tensor& tensor, const Tensor& shape, const Tensor& lengths) {
  return OutputsOf<TensorListSplit>({}, {tensor, shape, lengths});
}

}  // namespace

TEST_SUITE("lists of pieces") {
  const Tensor any = Int(-1);

  TEST_CASE("elements of different lengths; what is not set is zeros of a length that something says") {
    CHECK(Joined(List({Floats({1, 2}, 1), Floats({2, 2}, 3)}), any) == "[1 2][3 4][5 6] | 1 2");
    CHECK(Joined(List({kUnset, Floats({1, 2}, 1), kUnset}), any, Longs({2, 9, 0})) == "[0 0][0 0][1 2] | 2 1 0");
    CHECK(Joined(List({kUnset, Floats({2, 1}, 1)}), any) == "[0][0][1][2] | 2 2");  // all that are set have 2 rows
    CHECK(Joined(List({kUnset, kUnset}), Ints({3, 1})) == "[0][0][0][0][0][0] | 3 3");
    CHECK(Joined(List({}), Ints({-1, 2})) == " | ");
    CHECK(Joined(List({Floats({0, 2}, 0)}), any) == " | 0");
  }
  TEST_CASE("the older op knows no leading_dims") {
    CHECK(OutputsOf<TensorListConcat>(kFloats, {List({Floats({2}, 1), Floats({1}, 9)})}) == "1 2 9 | 2 1");
    CHECK(OutputsOf<TensorListConcat>(kFloats, {List({Floats({2}, 1), Floats({1}, 9), kUnset})}) ==
          "INVALID_ARGUMENT: Concating lists with uninitialized tensors is not supported in this version of "
          "TensorListConcat. Consider updating your GraphDef to run the newer version.");
    AttrArgs attrs = kFloats;
    attrs.push_back({"element_shape", PartialTensorShape({7})});  // its first size counts nothing
    CHECK(OutputsOf<TensorListConcat>(attrs, {List({Floats({2}, 1)})}) == "1 2 | 2");
  }
  TEST_CASE("elements that cannot be joined") {
    const std::string where = "INVALID_ARGUMENT: ";
    CHECK(Joined(List({Floats({1}, 1), Floats({}, 1)}), any) ==
          where + "Concat saw a scalar shape at index 1 but requires at least vectors.");
    CHECK(Joined(List({Floats({2}, 1), Floats({3}, 1)}), Ints({2})) ==
          where +
              "First entry of element_shape input does not match the first dim of list element at index: 1 "
              "Expected: 2 Actual: 3");
    CHECK(Joined(List({Floats({1, 2}, 1), Floats({1, 3}, 1)}), any).find(where) == 0);
    CHECK(Joined(List({Floats({}, 1)}, PartialTensorShape(TensorShape())), any) ==
          where + "Concat requires elements to be at least vectors, found scalars instead.");
    CHECK(Joined(List({}), Ints({2, -1})) ==
          where +
              "All except the first dimension must be fully defined when concating an empty tensor list. "
              "element_shape: [?]");
    CHECK(
        Joined(List({kUnset}), any, Longs({1}))
            .find(
                "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully "
                "defined: ") != std::string::npos);
  }
  TEST_CASE("lengths of what is not set: too few, negative, too many") {
    const Tensor list = List({Floats({1, 2}, 1), kUnset, Floats({2, 2}, 1), kUnset});
    CHECK(Joined(list, any, Longs({0, 1})) ==
          "INVALID_ARGUMENT: List contains uninitialized tensor at index 3 but leading_dims has only 2 elements.");
    CHECK(Joined(list, any, Longs({0, -1, 0, 0})) ==
          "INVALID_ARGUMENT: TensorListConcatV2: leading_dims[1] = -1 must be non-negative");
    CHECK(
        Joined(list, any, Longs({0, kMost, 0, 0})) ==
        StrCat("INVALID_ARGUMENT: TensorListConcat: the lengths add up to more than 2**63 - 1, at index 1 with length ",
               kMost));
  }
  TEST_CASE("split gives what concat joins, of a tensor that stays as it is") {
    const Tensor whole = Floats({5, 3}, 1);
    const auto list = Call<TensorListSplit>({}, {whole, any, Longs({2, 0, 3})});
    REQUIRE(list.ok());
    CHECK(Joined((*list)[0], any) == "[1 2 3][4 5 6][7 8 9][10 11 12][13 14 15] | 2 0 3");
    const auto none = Call<TensorListSplit>({}, {Floats({0, 3}, 0), any, Longs({})});
    REQUIRE(none.ok());
    CHECK(Joined((*none)[0], Ints({-1, 3})) == " | ");
  }
  TEST_CASE("what split refuses") {
    const Tensor whole = Floats({5, 3}, 1);
    const std::string where = "INVALID_ARGUMENT: ";
    CHECK(Split(whole, any, Longs({2, -1, 4})) == where + "Invalid value in lengths: -1 at index 1");
    CHECK(Split(whole, any, Longs({2, 4})) == where + "Attempting to slice [2, +4] from tensor with length 5");
    CHECK(Split(whole, any, Longs({2, 2})) == where + "Unused values in tensor. Length of tensor: 5 Values used: 4");
    CHECK(Split(whole, Ints({-1, 4}), Longs({5})) ==
          where + "tensor shape [5,3] is not compatible with element_shape [?,4]");
    CHECK(Split(whole, Ints({}), Longs({5})) ==
          where + "TensorListSplit requires element_shape to be at least of rank 1, but saw: []");
    CHECK(Split(whole, any, Tensor::Scalar<std::int64_t>(5)) ==
          where + "Expected lengths to be a vector, received shape: []");
    CHECK(Split(Floats({}, 1), any, Longs({1})) == where + "Tensor must be at least a vector, but saw shape: []");
  }
}
}  // namespace state_tensor_list_concat_test
