// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_array_pack.hpp>

#include "kernel/any_node.hpp"
#include "ops/state/state_test.hpp"
#include "ops/support.hpp"

namespace state_tensor_array_pack_test {
using namespace state_test;
using tenon::testing::Ints;
using tenon::testing::Longs;
using tenon::testing::Make;

namespace {

constexpr auto kSignature = Op("StapNode").Output("y: float");
constexpr OpView kOp = kSignature.view();

// An array of two floats' tensors that is filled by "scatter" (at, x) or "split" (x, lengths), then read by nodes of
// the same run: "gather" (from), "all" and "lengths".
struct Arrays : Machine {
  explicit Arrays(const char* fill, bool dynamic = false, Index size = 2,
                  const PartialTensorShape& declared = PartialTensorShape()) {
    array = b.Add("TensorArrayV3", "a", {b.Const("size", Tensor::Scalar(static_cast<std::int32_t>(size)))},
                  {{"dtype", DataType::kFloat}, {"dynamic_size", dynamic}, {"clear_after_read", false}});
    const Output x = b.Placeholder("x", DataType::kFloat);
    const bool splits = fill == std::string_view("split");
    const Output at = b.Placeholder("at", splits ? DataType::kInt64 : DataType::kInt32);
    Output flow = array[1];
    if (splits)
      flow = b.Add("TensorArraySplitV3", "fill", {array, x, at, flow});
    else if (fill == std::string_view("scatter"))
      flow = b.Add("TensorArrayScatterV3", "fill", {array, at, x, flow});
    b.Add("TensorArrayGatherV3", "gather", {array, b.Placeholder("from", DataType::kInt32), flow},
          {{"dtype", DataType::kFloat}, {"element_shape", declared}});
    b.Add("TensorArrayConcatV3", "all", {array, flow},
          {{"dtype", DataType::kFloat}, {"element_shape_except0", declared}});
    Start();
  }
  // The output of a node, or its error without the node.
  std::string Shown(const char* node, const Tensor& at, const Tensor& x, const Tensor& from = Ints({0, 1})) const {
    const std::vector<NamedTensor> feeds{{"at", at}, {"x", x}, {"from", from}};
    const Result<std::vector<Tensor>> out = session.Run(feeds, std::vector<std::string>{node});
    if (out.ok()) return StrCat((*out)[0].shape(), " ", (*out)[0].SummarizeValue(20));
    return std::string(out.status().message().substr(0, out.status().message().find(" [node")));
  }
  Output array;
};

}  // namespace

TEST_SUITE("whole tensor arrays") {
  TEST_CASE("rows are copied, tensors laid behind each other") {
    kernel_test::AnyNode<> node(kOp, {}, {}, {DataType::kFloat});
    const Tensor value = Make<float>({3, 2}, {1, 2, 3, 4, 5, 6});
    Tensor rows;
    REQUIRE(ops::detail::CopyRows(node.context, value, 1, TensorShape({2, 2}), &rows).ok());
    CHECK(rows.SummarizeValue(4) == "[3 4][5 6]");
    CHECK(!rows.SharesBufferWith(value));
    REQUIRE(ops::detail::CopyRows(node.context, value, 3, TensorShape({0, 2}), &rows).ok());
    CHECK(rows.NumElements() == 0);
    Tensor out;
    REQUIRE(ops::detail::LayInARow(node.context, {Make<float>({1}, {7}), Make<float>({0}, {0}), value},
                                   TensorShape({7}), &out)
                .ok());
    CHECK(node.outputs[0].SummarizeValue(7) == "7 1 2 3 4 5 6");
  }
  TEST_CASE("scatter and gather, in any order and more than once") {
    const Arrays m("scatter");
    const Tensor x = Make<float>({2, 2}, {1, 2, 3, 4});
    CHECK(m.Shown("gather", Ints({1, 0}), x) == "[2,2] [3 4][1 2]");
    CHECK(m.Shown("gather", Ints({1, 0}), x, Ints({0, 1, 0})) == "[3,2] [3 4][1 2][3 4]");
    CHECK(m.Shown("all", Ints({1, 0}), x) == "[4] 3 4 1 2");
  }
  TEST_CASE("what scatter refuses") {
    const Arrays m("scatter");
    const Tensor x = Make<float>({2}, {1, 2});
    CHECK(m.Shown("gather", Ints({0, 2}), x) == "Max scatter index must be < array size (2 vs. 2)");
    CHECK(m.Shown("gather", Ints({0}), x) == "Expected len(indices) == values.shape[0], but saw: 1 vs. 2");
    CHECK(m.Shown("gather", MakeTensor<std::int32_t>({1, 2}, {0, 1}), x) ==
          "Expected indices to be a vector, but received shape: [1,2]");
    CHECK(m.Shown("gather", Ints({0}), Tensor::Scalar(1.0f)) ==
          "Input value for unpack must be at least a vector but received shape: []");
    const std::string twice = m.Shown("gather", Ints({0, 0}), x);
    CHECK(twice.find("TensorArray a_") == 0);
    CHECK(twice.find(": Could not write to TensorArray index 0 because it has already been written to.") !=
          std::string::npos);
    CHECK(m.Shown("gather", Ints({0, -1}), x).find("Tried to write to index -1") != std::string::npos);
  }
  TEST_CASE("split makes elements of different lengths; concat joins them again") {
    const Arrays m("split");
    const Tensor x = Make<float>({3, 1}, {1, 2, 3});
    CHECK(m.Shown("all", Longs({1, 2}), x) == "[3,1] [1][2][3]");
    CHECK(m.Shown("all:1", Longs({0, 3}), x) == "[2] 0 3");
    CHECK(m.Shown("gather", Longs({1, 2}), x) ==
          "TensorArray has inconsistent shapes.  Index 0 has shape: [1,1] but index 1 has shape: [2,1]");
    CHECK(m.Shown("all", Longs({4, -1}), x) ==
          "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is more than 3 and value's shape "
          "is: [3,1]");
    CHECK(m.Shown("all", Longs({-1, 4}), x) == "Expected all lengths to be at least 0, but lengths[0] = -1");
    CHECK(
        m.Shown("all", Longs({1, 1}), x) ==
        "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is 2 and value's shape is: [3,1]");
    CHECK(m.Shown("all", Longs({1, 1, 1}), x) ==
          "TensorArray's size is not equal to the size of lengths (2 vs. 3), and the TensorArray is not marked as "
          "dynamically resizeable");
    CHECK(m.Shown("all", Longs({1, std::numeric_limits<std::int64_t>::max()}), x).find("is more than 3") !=
          std::string::npos);
    CHECK(Arrays("split", true).Shown("all:1", Longs({1, 1, 1}), x) == "[3] 1 1 1");
  }
  TEST_CASE("elements that cannot be joined, or are not what the op says") {
    const Arrays scalars("scatter");
    CHECK(scalars.Shown("all", Ints({0, 1}), Make<float>({2}, {1, 2})) ==
          "Concat saw a scalar shape at index 0 but requires at least vectors.  Did you mean to call pack?");
    const Arrays declared("scatter", false, 2, PartialTensorShape({3}));
    CHECK(declared.Shown("all", Ints({0, 1}), Make<float>({2, 1, 2}, {1, 2, 3, 4})) ==
          "TensorArray was passed element_shape_except0 [3] but index 0 has (excepting dimension 0) shape: [2] which "
          "does not match.");
  }
  TEST_CASE("an array of nothing needs a declared shape") {
    const Arrays unknown("none", false, 0), known("none", false, 0, PartialTensorShape({3}));
    const Tensor none = Ints({}), x = Tensor::Scalar(0.0f);
    CHECK(unknown.Shown("gather", none, x, none).find("TensorArray has size zero, but element shape ") == 0);
    CHECK(unknown.Shown("all", none, x, none).find("TensorArray has size zero, but element_shape_except0 ") == 0);
    CHECK(known.Shown("gather", none, x, none) == "[0,3] ");
    CHECK(known.Shown("all", none, x, none) == "[0,3] ");
  }
}
}  // namespace state_tensor_array_pack_test
