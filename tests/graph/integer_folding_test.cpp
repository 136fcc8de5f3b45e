// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/integer_folding.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "test_ops.hpp"

namespace integer_folding_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Ints(std::vector<std::int32_t> values) {
  return Tensor::From<std::int32_t>(values, TensorShape{static_cast<Index>(values.size())});
}
Tensor Ints(std::vector<std::int32_t> values, TensorShape shape) { return Tensor::From<std::int32_t>(values, shape); }
Tensor Int(std::int32_t value) { return Tensor::Scalar(value); }

// The outputs as text, "" when the node is not folded.
std::string Fold(std::string_view op, std::vector<Tensor> inputs, NodeAttrs attrs = {},
                 std::vector<DataType> outputs = {DataType::kInt32}) {
  Node node;
  node.def = MakeNode("n", op, {}, attrs);
  for (const DataType type : outputs) node.output_types.push_back(type);
  SlimVector<Tensor> values;
  if (!FoldIntegers(node, inputs, &values)) return "";
  return StrJoin(values, "; ",
                 [](std::string* out, const Tensor& t) { StrAppend(out, t.shape(), " ", t.SummarizeValue(100)); });
}
constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min(), kMax = std::numeric_limits<std::int32_t>::max();
}  // namespace

TEST_SUITE("FoldIntegers") {
  TEST_CASE("does arithmetic as the kernels do") {
    CHECK(Fold("AddV2", {Ints({1, 2}), Ints({3, 4})}) == "[2] 4 6");
    CHECK(Fold("Add", {Int(kMax), Int(1)}) == StrCat("[] ", kMin));
    CHECK(Fold("Sub", {Ints({5, 7}), Int(2)}) == "[2] 3 5");
    CHECK(Fold("Mul", {Int(3), Ints({1, 2, 3})}) == "[3] 3 6 9");
    CHECK(Fold("FloorDiv", {Ints({7, -7, 6}), Int(2)}) == "[3] 3 -4 3");
    CHECK(Fold("Div", {Ints({7, -7}), Int(2)}) == "[2] 3 -3");
    CHECK(Fold("FloorMod", {Ints({7, -7}), Int(3)}) == "[2] 1 2");
    CHECK(Fold("TruncateMod", {Ints({7, -7}), Int(3)}) == "[2] 1 -1");
    CHECK(Fold("Maximum", {Int(3), Int(5)}) == "[] 5");
    CHECK(Fold("Minimum", {Int(3), Int(5)}) == "[] 3");
    CHECK(Fold("Neg", {Ints({1, kMin})}) == StrCat("[2] -1 ", kMin));
    CHECK(Fold("Less", {Ints({1, 5}), Int(3)}, {}, {DataType::kBool}) == "[2] 1 0");
    CHECK(Fold("AddV2", {Int(1), Ints({5})}) == "[1] 6");
  }
  TEST_CASE("leaves alone what would fail or is not covered") {
    CHECK(Fold("FloorDiv", {Int(7), Int(0)}) == "");
    CHECK(Fold("AddV2", {Ints({1, 2}), Ints({1, 2, 3})}) == "");
    CHECK(Fold("AddV2", {Int(1)}) == "");
    CHECK(Fold("MatMul", {Int(1), Int(1)}) == "");
    CHECK(Fold("Neg", {Tensor::Scalar(1.5f)}, {}, {DataType::kFloat}) == "");
    CHECK(Fold("Fill", {Ints({100, 100}), Int(1)}) == "");
    CHECK(Fold("Fill", {Ints({-1}), Int(1)}) == "");
    CHECK(Fold("Reshape", {Ints({1, 2, 3}), Ints({2, -1})}) == "");
    CHECK(Fold("GatherV2", {Ints({1, 2}), Int(2), Int(0)}) == "");
    CHECK(Fold("Range", {Int(0), Int(5), Int(0)}) == "");
    CHECK(Fold("StridedSlice", {Ints({1, 2}), Ints({5}), Ints({6}), Ints({1})}, {{"shrink_axis_mask", 1}}) == "");
  }
  TEST_CASE("puts tensors together and takes them apart") {
    CHECK(Fold("Pack", {Int(1), Int(2)}) == "[2] 1 2");
    CHECK(Fold("Pack", {Ints({1, 2}), Ints({3, 4})}) == "[2,2] [1 2][3 4]");
    CHECK(Fold("Pack", {Ints({1, 2}), Ints({3, 4})}, {{"axis", 1}}) == "");
    CHECK(Fold("ConcatV2", {Ints({1}), Ints({2, 3}), Int(0)}) == "[3] 1 2 3");
    CHECK(Fold("ConcatV2", {Ints({1}), Ints({2, 3}), Int(-1)}) == "[3] 1 2 3");
    CHECK(Fold("Concat", {Int(0), Ints({1}), Ints({})}) == "[1] 1");
    CHECK(Fold("Unpack", {Ints({5, 6})}, {{"axis", 0}}, {DataType::kInt32, DataType::kInt32}) == "[] 5; [] 6");
    CHECK(Fold("Split", {Int(0), Ints({1, 2, 3, 4})}, {}, {DataType::kInt32, DataType::kInt32}) == "[2] 1 2; [2] 3 4");
    CHECK(Fold("SplitV", {Ints({1, 2, 3}), Ints({1, 2}), Int(0)}, {}, {DataType::kInt32, DataType::kInt32}) ==
          "[1] 1; [2] 2 3");
    CHECK(Fold("SplitV", {Ints({1, 2, 3}), Ints({1, 5}), Int(0)}, {}, {DataType::kInt32, DataType::kInt32}) == "");
  }
  TEST_CASE("slices vectors") {
    const auto slice = [](int begin, int end, int stride, NodeAttrs attrs = {}) {
      return Fold("StridedSlice", {Ints({10, 11, 12, 13}), Ints({begin}), Ints({end}), Ints({stride})}, attrs);
    };
    CHECK(slice(1, 3, 1) == "[2] 11 12");
    CHECK(slice(-1, 0, 1, {{"shrink_axis_mask", 1}}) == "[] 13");
    CHECK(slice(1, 0, 2, {{"end_mask", 1}}) == "[2] 11 13");
    CHECK(slice(0, 0, -1, {{"begin_mask", 1}, {"end_mask", 1}}) == "[4] 13 12 11 10");
    CHECK(slice(-100, 100, 1) == "[4] 10 11 12 13");
    CHECK(slice(3, 1, 1) == "[0] ");
    CHECK(slice(3, -100, -2) == "[2] 13 11");
    CHECK(slice(0, 4, kMax) == "[1] 10");
    CHECK(slice(1, 3, 1, {{"ellipsis_mask", 1}}) == "");
    CHECK(Fold("Slice", {Ints({1, 2, 3}), Ints({1}), Ints({-1})}) == "[2] 2 3");
    CHECK(Fold("Slice", {Ints({1, 2, 3}), Ints({1}), Ints({3})}) == "");
  }
  TEST_CASE("reshapes, reduces, gathers, fills and casts") {
    CHECK(Fold("Reshape", {Ints({1, 2, 3, 4}), Ints({2, -1})}) == "[2,2] [1 2][3 4]");
    CHECK(Fold("ExpandDims", {Int(3), Int(-1)}) == "[1] 3");
    CHECK(Fold("Squeeze", {Ints({3}, {1, 1})}) == "[] 3");
    CHECK(Fold("Squeeze", {Ints({3}, {1, 1})}, {{"squeeze_dims", AttrValue(std::vector<int>{-1})}}) == "[1] 3");
    CHECK(Fold("Prod", {Ints({2, 3, 4}), Ints({0})}) == "[] 24");
    CHECK(Fold("Prod", {Ints({}), Ints({0})}) == "[] 1");
    CHECK(Fold("Sum", {Ints({2, 3}), Int(-1)}, {{"keep_dims", true}}) == "[1] 5");
    CHECK(Fold("Sum", {Ints({2, 3}), Ints({})}) == "");
    CHECK(Fold("Max", {Ints({2, 9, 3}), Int(0)}) == "[] 9");
    CHECK(Fold("GatherV2", {Ints({5, 6, 7}), Ints({2, 0}), Int(0)}) == "[2] 7 5");
    CHECK(Fold("Range", {Int(0), Int(7), Int(3)}) == "[3] 0 3 6");
    CHECK(Fold("Range", {Int(3), Int(0), Int(-1)}) == "[3] 3 2 1");
    CHECK(Fold("Fill", {Ints({2, 2}), Int(9)}) == "[2,2] [9 9][9 9]");
    CHECK(Fold("Tile", {Ints({1, 2}), Ints({2})}) == "[4] 1 2 1 2");
    CHECK(Fold("ReverseV2", {Ints({1, 2, 3}), Ints({-1})}) == "[3] 3 2 1");
    CHECK(Fold("ReverseV2", {Ints({1, 2}), Ints({})}) == "[2] 1 2");
    CHECK(Fold("ReverseV2", {Int(4), Ints({})}) == "[] 4");
    CHECK(Fold("ReverseV2", {Int(4), Ints({0})}) == "");
    CHECK(Fold("ReverseV2", {Ints({1, 2}), Ints({1})}) == "");
    CHECK(Fold("ReverseV2", {Ints({1, 2}), Ints({0, 0})}) == "");
    CHECK(Fold("ReverseV2", {Ints({1, 2}, {1, 2}), Ints({0})}) == "");
    CHECK(Fold("Cast", {Ints({3, 0})}, {}, {DataType::kBool}) == "[2] 1 0");
    CHECK(Fold("Cast", {Tensor::Scalar(std::int64_t{1} << 32)}) == "[] 0");
    CHECK(Fold("Select", {Tensor::Scalar(true), Ints({1}), Ints({2})}) == "[1] 1");
    CHECK(Fold("BroadcastArgs", {Ints({2, 1}), Ints({5, 1, 7})}) == "[3] 5 2 7");
    CHECK(Fold("InvertPermutation", {Ints({2, 0, 1})}) == "[3] 1 2 0");
    CHECK(Fold("InvertPermutation", {Ints({0, 0})}) == "");
  }
  TEST_CASE("does not grow without end") {
    const std::vector<std::int32_t> half(600, 1);
    CHECK(Fold("ConcatV2", {Ints(half), Ints(half), Int(0)}) == "");
    CHECK(Fold("Pack", {Ints(half), Ints(half)}) == "");
    CHECK(Fold("Tile", {Ints(half), Ints({2})}) == "");
    CHECK(Fold("Range", {Int(0), Int(1025), Int(1)}) == "");
    CHECK(Fold("Pack", std::vector<Tensor>(2000, Int(1))) == "");
  }
}
}  // namespace integer_folding_test
