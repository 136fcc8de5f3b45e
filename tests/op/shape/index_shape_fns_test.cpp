// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/index_shape_fns.hpp>

#include <initializer_list>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace index_shape_fns_test {
namespace {
using namespace tenon;

struct Pick {
  static constexpr auto signature = Op("Pick")
                                        .Input("params: float")
                                        .Input("indices: int32")
                                        .Output("output: float")
                                        .SetShapeFn(shape_inference::GatherNdShape);
};
static_assert(InferShape<Pick>({{4, 5, 6}, {7, 2}}) == StaticShape{7, 6});
static_assert(InferShape<Pick>({{4, 5, 6}, {7, -1}}) == StaticShape());

struct Put {
  static constexpr auto signature = Op("Put")
                                        .Input("indices: int32")
                                        .Input("updates: float")
                                        .Input("shape: int32")
                                        .Output("output: float")
                                        .SetShapeFn(shape_inference::ScatterNdShape);
};
static_assert(InferShape<Put>({{7, 1}, {7, 6}, StaticInput::Vector({9, 6})}) == StaticShape{9, 6});

// Output i has the shape that the list says, by its default or by the node.
struct Listed {
  static constexpr auto signature =
      Op("Listed")
          .Output("y: N * float")
          .Attr("N: int = 3")
          .Attr("shapes: list(shape) = [{ dim { size: 2 } dim { size: -1 } }, { unknown_rank: true }, {}]")
          .SetShapeFn(shape_inference::ExplicitShapes);
};
static_assert(InferShape<Listed>({}) == StaticShape{2, -1});
static_assert(InferShape<Listed>({}, {}, 1) == StaticShape() && InferShape<Listed>({}, {}, 2).rank == 0);
static_assert(InferShape<Listed>({}, {{"shapes", {StaticShape(), StaticShape{5, 6}}}}, 1) == StaticShape{5, 6});
static_assert(InferShape<Listed>({}, {{"shapes", {StaticShape(), StaticShape{5, 6}}}}) == StaticShape());

struct Segments {
  static constexpr auto signature = Op("Segments")
                                        .Input("data: float")
                                        .Input("ids: int32")
                                        .Input("num_segments: int32")
                                        .Output("output: float")
                                        .SetShapeFn(shape_inference::SegmentReductionWithNumSegmentsShapeFn);
};
static_assert(InferShape<Segments>({{4, 5, 6}, {4, 5}, StaticInput::Scalar(3)}) == StaticShape{3, 6});

constexpr auto kShapes = Op("Shapes").Output("a: float").Output("b: float").Attr("shapes: list(shape)");
constexpr OpView kShapesOp = kShapes.view();
constexpr auto kRead = Op("Read").Input("handle: resource").Output("value: dtype").Attr("dtype: type");
constexpr OpView kReadOp = kRead.view();

TEST_SUITE("shape functions of indices") {
  TEST_CASE("name both shapes when they do not fit") {
    constexpr OpView view = Pick::signature.view();
    InferenceContext c(view, {{4}, {7, 2}});
    CHECK(shape_inference::GatherNdShape(&c).message() ==
          "indices.shape[-1] must be <= params.rank, but saw indices shape: [7,2] and params shape: [4]");
    constexpr OpView put = Put::signature.view();
    InferenceContext p(put, {{7, 1}, {6, 6}, StaticInput::Vector({9, 6})});
    CHECK(shape_inference::ScatterNdShape(&p).message() ==
          "Dimensions [0,1) of indices[shape=[7,1]] = [7] must match dimensions [0,1) of updates[shape=[6,6]] = [6]: "
          "Dimension 0 in both shapes must be equal, but are 7 and 6. Shapes are [7] and [6].");
    InferenceContext q(put, {{7, 1}, {7, 5}, StaticInput::Vector({9, 6})});
    CHECK(shape_inference::ScatterNdShape(&q).message() ==
          "Dimensions [1,2) of input[shape=[9,6]] = [6] must match dimensions [1,2) of updates[shape=[7,5]] = [5]: "
          "Dimension 0 in both shapes must be equal, but are 6 and 5. Shapes are [6] and [5].");
  }
  TEST_CASE("shapes that attrs and handles say") {
    NodeDef node;
    node.attr.Set("shapes",
                  AttrValue(SlimVector<PartialTensorShape>{PartialTensorShape({2, -1}), PartialTensorShape()}));
    InferenceContext c(1, &node, &kShapesOp, {});
    REQUIRE(shape_inference::ExplicitShapes(&c).ok());
    CHECK(c.DebugString(c.output(0)) == "[2,?]");
    CHECK(c.DebugString(c.output(1)) == "?");

    NodeDef read;
    read.attr.Set("dtype", AttrValue(DataType::kFloat));
    const PartialTensorShape scalar({});
    InferenceContext r(1, &read, &kReadOp, {&scalar, 1});
    SlimVector<ShapeAndType> held;
    REQUIRE(shape_inference::ValidateVariableResourceHandle(&r, &held).ok());
    CHECK(r.DebugString(held[0].shape) == "?");
    r.set_input_handle_shapes_and_types(0, {{r.Vector(3), DataType::kInt32}});
    CHECK(shape_inference::ValidateVariableResourceHandle(&r, &held).message() ==
          "Trying to read variable with wrong dtype. Expected int32 got float");
    r.set_input_handle_shapes_and_types(0, {{r.Vector(3), DataType::kFloat}});
    std::vector<ShapeAndType> of_tensorflow;
    REQUIRE(shape_inference::ValidateVariableResourceHandle(&r, &of_tensorflow).ok());
    REQUIRE(of_tensorflow.size() == 1);
    CHECK(r.DebugString(of_tensorflow[0].shape) == "[3]");
  }
  TEST_CASE("a gather from a variable: what its handle holds") {
    static constexpr auto kGather =
        Op("ReadNd").Input("handle: resource").Input("indices: int32").Output("value: dtype").Attr("dtype: type");
    static constexpr OpView kGatherOp = kGather.view();
    NodeDef node;
    node.attr.Set("dtype", AttrValue(DataType::kFloat));
    const PartialTensorShape inputs[] = {PartialTensorShape({}), PartialTensorShape({7, 2})};
    InferenceContext c(1, &node, &kGatherOp, inputs);
    c.set_input_handle_shapes_and_types(0, {{c.MakeShape({4, 5, 6}), DataType::kFloat}});
    REQUIRE(shape_inference::GatherNdShape(&c).ok());
    CHECK(c.DebugString(c.output(0)) == "[7,6]");
    c.set_input_handle_shapes_and_types(0, {{c.MakeShape({4, 5, 6}), DataType::kInt32}});
    CHECK(shape_inference::GatherNdShape(&c).message() ==
          "Trying to read variable with wrong dtype. Expected int32 got float");
  }
  TEST_CASE("a reduction that is scattered: one dimension is divided among the members of a group") {
    constexpr OpView view = Put::signature.view();  // any op with three inputs
    const auto shape = [&](std::initializer_list<StaticInput> inputs) {
      InferenceContext c(view, inputs);
      const Status status = shape_inference::ReduceScatterShape(&c);
      return status.ok() ? c.DebugString(c.output(0)) : status.ToString();
    };
    CHECK(shape({{8, 6}, {1, 2}, StaticInput::Scalar(0)}) == "[4,6]");
    CHECK(shape({{8, 6}, {1, 3}, StaticInput::Scalar(1)}) == "[8,2]");
    CHECK(shape({{8, 6}, {1, -1}, StaticInput::Scalar(1)}) == "[8,?]");
    CHECK(shape({{8, 6}, {1, 2}, StaticShape{}}) == "?");
    CHECK(shape({StaticShape(), {1, 2}, StaticInput::Scalar(0)}) == "?");
    CHECK(shape({{8, 6}, {2}, StaticInput::Scalar(0)}) == "INVALID_ARGUMENT: Shape must be rank 2 but is rank 1");
    CHECK(shape({{8, 6}, {1, 4}, StaticInput::Scalar(1)}) ==
          "INVALID_ARGUMENT: Dimension size must be evenly divisible by 4 but is 6");
  }
  TEST_CASE("the parts of a sparse tensor fit together") {
    constexpr OpView view = Put::signature.view();  // any op with three inputs
    const auto check = [&](std::initializer_list<StaticInput> inputs) {
      InferenceContext c(view, inputs);
      return shape_inference::ValidateSparseTensor(&c, c.input(0), c.input(1), c.input(2)).ToString();
    };
    CHECK(check({{7, 2}, {7}, {2}}) == "OK");
    CHECK(check({{-1, 2}, {7}, StaticShape()}) == "OK");
    CHECK(check({StaticShape(), StaticShape(), StaticShape()}) == "OK");
    CHECK(check({{7}, {7}, {2}}) == "INVALID_ARGUMENT: Shape must be rank 2 but is rank 1");
    CHECK(check({{7, 2}, {7, 1}, {2}}) == "INVALID_ARGUMENT: Shape must be rank 1 but is rank 2");
    CHECK(check({{7, 2}, {6}, {2}}) == "INVALID_ARGUMENT: Dimensions must be equal, but are 7 and 6");
    CHECK(check({{7, 2}, {7}, {3}}) == "INVALID_ARGUMENT: Dimensions must be equal, but are 2 and 3");
  }
}
}  // namespace
}  // namespace index_shape_fns_test
