// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/list/tensor_list_shapes.hpp>

#include <string>

#include <doctest/doctest.h>

namespace state_tensor_list_shapes_test {
using namespace tenon;
namespace shapes = ops::detail;

namespace {

constexpr auto kSignature = Op("StlsOp")
                                .Input("list: variant")
                                .Input("a: int32")
                                .Input("b: int64")
                                .Output("x: variant")
                                .Output("y: float")
                                .Attr("element_dtype: type")
                                .Attr("num_elements: int = -1")
                                .Attr("element_shape: shape = { unknown_rank: true }");
constexpr OpView kOp = kSignature.view();

// A node whose input 0 is a list of floats of shape [?,2], if `known`.
struct Node {
  Node(std::initializer_list<StaticInput> inputs, std::initializer_list<StaticAttr> attrs, bool known = true)
      : c(kOp, inputs, attrs) {
    if (known) Hold(0, {-1, 2}, DataType::kFloat);
  }
  void Hold(int input, std::initializer_list<std::int64_t> sizes, DataType dtype) {
    SlimVector<ShapeAndType> held;
    held.push_back({c.MakeShape(std::span<const std::int64_t>(sizes.begin(), sizes.size())), dtype});
    c.set_input_handle_shapes_and_types(input, held);
  }
  // "output shapes; what output 0 holds", or the error without the node.
  std::string Run(ShapeFn fn) {
    if (const Status status = RunShapeFn(&c, fn); !status.ok())
      return std::string(status.message().substr(0, status.message().find(" for '")));
    std::string text = StrCat(Shown(0), " ", Shown(1), ";");
    const SlimVector<ShapeAndType>* const held = c.output_handle_shapes_and_types(0);
    if (held == nullptr) return text + " nothing";
    for (const ShapeAndType& one : *held) StrAppend(&text, " ", c.DebugString(one.shape), " ", one.dtype);
    return text;
  }
  std::string Shown(int i) const { return c.output(i).IsSet() ? c.DebugString(c.output(i)) : "-"; }
  InferenceContext c;
};
const StaticAttr kFloats("element_dtype", DataType::kFloat), kInts("element_dtype", DataType::kInt32);

}  // namespace

TEST_SUITE("shapes of TensorList ops") {
  TEST_CASE("a new list holds what its shape input says; the scalar -1 says nothing") {
    CHECK(Node({{}, StaticInput::Vector({3, -1}), {}}, {kFloats}).Run(shapes::NewListShape<1>) == "[] -; [3,?] float");
    CHECK(Node({{}, StaticInput::Scalar(-1), {}}, {kFloats}).Run(shapes::NewListShape<1>) == "[] -; ? float");
    CHECK(Node({{}, StaticInput::Scalar(3), {}}, {kFloats}).Run(shapes::NewListShape<1>) != "[] -; ? float");
  }
  TEST_CASE("an element has the shape that list and op agree on") {
    CHECK(Node({{}, {}, StaticInput::Vector({5, -1})}, {kFloats}).Run(shapes::GetItemShape) == "[5,2] -; nothing");
    CHECK(Node({{}, {}, StaticInput::Scalar(-1)}, {kFloats}).Run(shapes::GetItemShape) == "[?,2] -; nothing");
    CHECK(Node({{}, {}, StaticInput::Vector({5, 3})}, {kFloats}).Run(shapes::GetItemShape).find("Dimension 1") == 0);
    CHECK(Node({{}, {}, StaticInput::Scalar(-1)}, {kFloats}, false).Run(shapes::GetItemShape) == "? -; nothing");
    CHECK(Node({{}, {4}, StaticInput::Scalar(-1)}, {kFloats}).Run(shapes::ListGatherShape) == "[4,?,2] -; nothing");
  }
  TEST_CASE("a list of another type is refused, each op in its words") {
    const StaticInput any = StaticInput::Scalar(-1);
    CHECK(Node({{}, {}, any}, {kInts}).Run(shapes::GetItemShape) ==
          "Expected list with element dtype int32 but got list with element dtype float");
    CHECK(Node({{}, any, {}}, {kInts}).Run(shapes::StackShape) ==
          "Trying to read from list with wrong element dtype. List has type float but expected type int32");
    CHECK(Node({{}, {}, {}}, {kInts}).Run(shapes::PushBackShape) ==
          "Trying to push to list with wrong element dtype. List has type float but expected type int32");
    CHECK(Node({{}, {}, {}}, {kInts}).Run(shapes::ConcatListsShape) ==
          "input_a.type != element_dtype: float but expected type int32");
    Node two({{}, {}, {}}, {kFloats});
    SlimVector<ShapeAndType> both(2, ShapeAndType{two.c.UnknownShape(), DataType::kFloat});
    two.c.set_input_handle_shapes_and_types(0, both);
    CHECK(two.Run(shapes::PushBackShape) == "Trying to read from list with invalid variant data.");
  }
  TEST_CASE("stack and concat") {
    const StaticInput any = StaticInput::Scalar(-1);
    CHECK(Node({{}, any, {}}, {kFloats}).Run(shapes::StackShape) == "[?,?,2] -; nothing");
    CHECK(Node({{}, any, {}}, {kFloats, {"num_elements", 7}}).Run(shapes::StackShape) == "[7,?,2] -; nothing");
    CHECK(Node({{}, any, {}}, {kFloats}).Run(shapes::ConcatByInputShape) == "[?,2] [?]; nothing");
    CHECK(Node({{}, any, {}}, {kFloats}, false).Run(shapes::ConcatByInputShape) == "? [?]; nothing");
    CHECK(Node({{}, {}, {}}, {kFloats, {"element_shape", StaticShape{4, -1}}}).Run(shapes::ConcatByAttrShape) ==
          "[?,2] [?]; nothing");
    Node scalars({{}, any, {}}, {kFloats}, false);
    scalars.Hold(0, {}, DataType::kFloat);
    CHECK(scalars.Run(shapes::ConcatByInputShape) == "[?] [?]; nothing");
  }
  TEST_CASE("a list that goes through keeps what it holds") {
    CHECK(Node({{}, {}, {}}, {kFloats}).Run(shapes::PushBackShape) == "[] -; [?,2] float");
    CHECK(Node({{}, {}, {}}, {kFloats}).Run(shapes::PopBackShape) == "[] [?,2]; [?,2] float");
    CHECK(Node({{}, {}, {}}, {kFloats}).Run(shapes::ListResizeShape) == "[] -; [?,2] float");
    CHECK(Node({{}, {}, {7, 2}}, {kFloats}).Run(shapes::SetItemShape) == "[] -; [?,2] float");
    CHECK(Node({{}, {}, {7, 3}}, {kFloats}).Run(shapes::SetItemShape).find("Dimension 1") == 0);
    CHECK(Node({{}, {}, {7, 3}}, {kFloats}, false).Run(shapes::SetItemShape) == "[] -; ? float");
    CHECK(Node({{}, {3, 4}, {3}}, {kFloats}).Run(shapes::ScatterIntoExistingShape) == "[] -; [?,2] float");
    CHECK(Node({{4}, {4, 9}, {}}, {kFloats}).Run(shapes::PushBackBatchShape) == "[4] -; [?,2] float");
    CHECK(Node({{4}, {5, 9}, {}}, {kFloats}).Run(shapes::PushBackBatchShape) != "[4] -; [?,2] float");
    Node lists({{}, {}, {}}, {kFloats});
    lists.Hold(1, {6, -1}, DataType::kFloat);
    CHECK(lists.Run(shapes::ConcatListsShape) == "[] -; [6,2] float");
  }
  TEST_CASE("split, and the elements' shape as a tensor") {
    CHECK(Node({{9, 5}, StaticInput::Vector({-1, 5}), {3}}, {kFloats}).Run(shapes::ListSplitShape) ==
          "[] -; [?,5] float");
    CHECK(
        Node({{9, 5}, StaticInput::Vector({-1, 4}), {3}}, {kFloats}).Run(shapes::ListSplitShape).find("Dimension 1") ==
        0);
    CHECK(Node({{}, StaticInput::Scalar(-1), {3}}, {kFloats}).Run(shapes::ListSplitShape) ==
          "Shape must be at least rank 1 but is rank 0");
    CHECK(Node({{9, 5}, StaticInput::Vector({5}), {}}, {kFloats}).Run(shapes::FromTensorShape) == "[] -; [5] float");
    CHECK(Node({{}, {}, {}}, {kFloats}).Run(shapes::ListElementShapeShape) == "[2] -; nothing");
    CHECK(Node({{}, {}, {}}, {kFloats}, false).Run(shapes::ListElementShapeShape) == "? -; nothing");
  }
}
}  // namespace state_tensor_list_shapes_test
