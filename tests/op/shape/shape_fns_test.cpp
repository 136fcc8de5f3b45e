// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/shape_fns.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/tensor/tensor.hpp>

namespace shape_fns_test {
namespace {
using namespace tenon;
using namespace tenon::shape_inference;

constexpr Status AtLeastVector(InferenceContext* c) { return UnchangedShapeWithRankAtLeast(c, 1); }
constexpr Status JustMatrix(InferenceContext* c) { return UnchangedShapeWithRank(c, 2); }
constexpr Status AtMostMatrix(InferenceContext* c) { return UnchangedShapeWithRankAtMost(c, 2); }

// A signature for every function that is tested, with TensorFlow's attrs.
template <ShapeFn Fn>
struct Unary {
  static constexpr auto signature = Op("Unary").Input("x: T").Output("y: T").Attr("T: type").SetShapeFn(Fn);
};
template <ShapeFn Fn>
struct Binary {
  static constexpr auto signature =
      Op("Binary").Input("x: T").Input("y: T").Output("z: T").Attr("T: type").SetShapeFn(Fn);
};
struct MatMul {
  static constexpr auto signature = Op("MatMul")
                                        .Input("a: T")
                                        .Input("b: T")
                                        .Output("product: T")
                                        .Attr("transpose_a: bool = false")
                                        .Attr("transpose_b: bool = false")
                                        .Attr("T: type")
                                        .SetShapeFn(MatMulShape);
};
template <ShapeFn Fn>
struct Batch {
  static constexpr auto signature = Op("BatchMatMul")
                                        .Input("x: T")
                                        .Input("y: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("adj_x: bool = false")
                                        .Attr("adj_y: bool = false")
                                        .SetShapeFn(Fn);
};
template <ShapeFn Fn>
struct Bias {
  static constexpr auto signature = Op("BiasAdd")
                                        .Input("value: T")
                                        .Input("bias: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("data_format: { 'NHWC', 'NCHW' } = 'NHWC'")
                                        .SetShapeFn(Fn);
};
struct BiasAddV1 {
  static constexpr auto signature =
      Op("BiasAddV1").Input("value: T").Input("bias: T").Output("output: T").Attr("T: type").SetShapeFn(BiasAddShape);
};
struct Conv2D {
  static constexpr auto signature = Op("Conv2D")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: { 'NHWC', 'NCHW', 'NCHW_VECT_C' } = 'NHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(Conv2DShape);
};
struct Depthwise {
  static constexpr auto signature = Op("DepthwiseConv2dNative")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: { 'NHWC', 'NCHW' } = 'NHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(DepthwiseConv2DNativeShape);
};
template <ShapeFn Fn>
struct Pool {
  static constexpr auto signature = Op("Pool")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("ksize: list(int) >= 4")
                                        .Attr("strides: list(int) >= 4")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: { 'NHWC', 'NCHW', 'NCHW_VECT_C' } = 'NHWC'")
                                        .SetShapeFn(Fn);
};
struct BatchNorm {
  static constexpr auto signature = Op("FusedBatchNormV3")
                                        .Input("x: T")
                                        .Input("scale: U")
                                        .Input("offset: U")
                                        .Input("mean: U")
                                        .Input("variance: U")
                                        .Output("y: T")
                                        .Output("batch_mean: U")
                                        .Output("batch_variance: U")
                                        .Output("reserve_space_1: U")
                                        .Output("reserve_space_2: U")
                                        .Output("reserve_space_3: U")
                                        .Attr("T: type")
                                        .Attr("U: type")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("exponential_avg_factor: float = 1.0")
                                        .Attr("data_format: { 'NHWC', 'NCHW', 'NDHWC', 'NCDHW' } = 'NHWC'")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(FusedBatchNormV3Shape);
};
struct Sum {
  static constexpr auto signature = Op("Sum")
                                        .Input("input: T")
                                        .Input("reduction_indices: Tidx")
                                        .Output("output: T")
                                        .Attr("keep_dims: bool = false")
                                        .Attr("T: type")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(ReductionShape);
};
struct ConcatV2 {
  static constexpr auto signature = Op("ConcatV2")
                                        .Input("values: N * T")
                                        .Input("axis: Tidx")
                                        .Output("output: T")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .Attr("Tidx: {int32, int64} = DT_INT32")
                                        .SetShapeFn(ConcatV2Shape);
};
struct Concat {
  static constexpr auto signature = Op("Concat")
                                        .Input("concat_dim: int32")
                                        .Input("values: N * T")
                                        .Output("output: T")
                                        .Attr("N: int >= 2")
                                        .Attr("T: type")
                                        .SetShapeFn(ConcatShape);
};
struct Reshape {
  static constexpr auto signature = Op("Reshape")
                                        .Input("tensor: T")
                                        .Input("shape: Tshape")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Tshape: {int32, int64} = DT_INT32")
                                        .SetShapeFn(ReshapeShape);
};
struct Pack {
  static constexpr auto signature = Op("Pack")
                                        .Input("values: N * T")
                                        .Output("output: T")
                                        .Attr("N: int >= 1")
                                        .Attr("T: type")
                                        .Attr("axis: int = 0")
                                        .SetShapeFn(PackShape);
};
struct Slice {
  static constexpr auto signature = Op("Slice")
                                        .Input("input: T")
                                        .Input("begin: Index")
                                        .Input("size: Index")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int32, int64}")
                                        .SetShapeFn(SliceShape);
};
struct StridedSlice {
  static constexpr auto signature = Op("StridedSlice")
                                        .Input("input: T")
                                        .Input("begin: Index")
                                        .Input("end: Index")
                                        .Input("strides: Index")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int16, int32, int64}")
                                        .Attr("begin_mask: int = 0")
                                        .Attr("end_mask: int = 0")
                                        .Attr("ellipsis_mask: int = 0")
                                        .Attr("new_axis_mask: int = 0")
                                        .Attr("shrink_axis_mask: int = 0")
                                        .SetShapeFn(StridedSliceShape);
};
struct Placeholder {
  static constexpr auto signature = Op("Placeholder")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("shape: shape = { unknown_rank: true }")
                                        .SetShapeFn(ExplicitShape);
};
using Relu = Unary<UnchangedShape>;
using Add = Binary<BroadcastBinaryOpShapeFn>;

// What a function says at run time: a shape, or its message.
template <class Op>
std::string Shape(std::initializer_list<StaticInput> inputs, std::initializer_list<StaticAttr> attrs = {},
                  int output = 0) {
  InferenceContext c(Op::signature.view(), inputs, attrs);
  const Status built = c.construction_status();
  const Status status = built.ok() ? Op::signature.shape_fn(&c) : built;
  return status.ok() ? c.DebugString(c.output(output)) : std::string(status.message());
}
constexpr StaticInput Unknown() { return StaticShape(); }
StaticInput Vec(std::initializer_list<std::int64_t> v) { return StaticInput::Vector(v); }
StaticInput Sca(std::int64_t v) { return StaticInput::Scalar(v); }

// A network as a constant: the shapes of every layer are known when this file is compiled.
struct Cnn {
  StaticShape conv1, pool1, conv2, flat, dense, logits;
};
constexpr Cnn PlanCnn(std::int64_t batch) {
  Cnn n;
  n.conv1 = InferShape<Conv2D>({{batch, 28, 28, 1}, {3, 3, 1, 16}}, {{"strides", {1, 1, 1, 1}}, {"padding", "SAME"}});
  n.conv1 = InferShape<Relu>({InferShape<Bias<BiasAddShape>>({n.conv1, {16}})});
  n.pool1 = InferShape<Pool<MaxPoolShape>>({n.conv1},
                                           {{"ksize", {1, 2, 2, 1}}, {"strides", {1, 2, 2, 1}}, {"padding", "VALID"}});
  n.conv2 = InferShape<Conv2D>({n.pool1, {5, 5, 16, 32}}, {{"strides", {1, 2, 2, 1}}, {"padding", "VALID"}});
  n.flat = InferShape<Reshape>({n.conv2, StaticInput::Vector({-1, 5 * 5 * 32})});
  n.dense = InferShape<MatMul>({n.flat, {10, 5 * 5 * 32}}, {{"transpose_b", true}});
  n.logits = InferShape<Unary<AtLeastVector>>({InferShape<Add>({n.dense, {10}})});
  return n;
}
static_assert(PlanCnn(32).conv1 == StaticShape{32, 28, 28, 16});
static_assert(PlanCnn(32).pool1 == StaticShape{32, 14, 14, 16});
static_assert(PlanCnn(32).conv2 == StaticShape{32, 5, 5, 32});
static_assert(PlanCnn(32).flat == StaticShape{32, 800});
static_assert(PlanCnn(32).logits == StaticShape{32, 10});
static_assert(PlanCnn(-1).logits == StaticShape{-1, 10});
static_assert(InferShape<Placeholder>({}, {{"dtype", DataType::kFloat}, {"shape", {-1, 28}}}) == StaticShape{-1, 28});
static_assert(
    InferShape<StridedSlice>({{8, 9}, StaticInput::Vector({2}), StaticInput::Vector({8}), StaticInput::Vector({3})}) ==
    StaticShape{2, 9});
static_assert(InferShape<Sum>({{8, 9, 10}, StaticInput::Vector({0, -1})}, {{"keep_dims", true}}) ==
              StaticShape{1, 9, 1});

TEST_SUITE("shape_fns") {
  TEST_CASE("the simple ones") {
    CHECK(Shape<Relu>({{2, -1}}) == "[2,?]");
    CHECK(Shape<Relu>({Unknown()}) == "?");
    CHECK(Shape<Unary<ScalarShape>>({{2}}) == "[]");
    CHECK(Shape<Unary<UnknownShape>>({{2}}) == "?");
    CHECK(Shape<Unary<JustMatrix>>({{2}}) == "Shape must be rank 2 but is rank 1");
    CHECK(Shape<Unary<AtMostMatrix>>({{2}}) == "[2]");
    CHECK(Shape<Binary<MergeBothInputsShapeFn>>({{2, -1}, {-1, 3}}) == "[2,3]");
    CHECK(Shape<Unary<RandomShape>>({Vec({4, 5})}) == "[4,5]");
    CHECK(Shape<Placeholder>({}, {{"shape", {2, 3}}}) == "[2,3]");
    InferenceContext none(Relu::signature.view(), {{2}});
    CHECK(NoOutputs(&none).ok());
  }
  TEST_CASE("UnchangedShape hands on what a handle holds") {
    InferenceContext c(Relu::signature.view(), {StaticShape{}});
    c.set_input_handle_shapes_and_types(0, {{c.Scalar(), DataType::kFloat}});
    CHECK(UnchangedShape(&c).ok());
    REQUIRE(c.output_handle_shapes_and_types(0) != nullptr);
    CHECK(c.output_handle_shapes_and_types(0)->front().dtype == DataType::kFloat);
  }
  TEST_CASE("broadcasting") {
    CHECK(Shape<Add>({{2, 3}, {3}}) == "[2,3]");
    CHECK(Shape<Add>({{2, 1}, {1, 3}}) == "[2,3]");
    CHECK(Shape<Add>({{}, {4}}) == "[4]");
    CHECK(Shape<Add>({{2, -1}, {3}}) == "[2,3]");      // the unknown one must be 1 or 3
    CHECK(Shape<Add>({{-1}, {1}}) == "[?]");
    CHECK(Shape<Add>({{-1}, {0}}) == "[?]");
    CHECK(Shape<Add>({{-1}, {-1}}) == "[?]");
    CHECK(Shape<Add>({{0}, {1}}) == "[0]");
    CHECK(Shape<Add>({Unknown(), {2}}) == "?");
    CHECK(Shape<Add>({{2, 3}, {2}}) == "Dimensions must be equal, but are 3 and 2");
    InferenceContext c(Add::signature.view(), {{2}, {3}});
    ShapeHandle out;
    CHECK(BroadcastBinaryOpOutputShapeFnHelper(&c, c.input(0), c.input(1), false, &out).ok());
    CHECK(c.DebugString(out) == "[]");
    CHECK(BroadcastBinaryOpOutputShapeFnHelper(&c, c.input(0), c.Vector(-1), false, &out).ok());
    CHECK(c.DebugString(out) == "?");
    const ShapeHandle unknown = c.Vector(-1);
    CHECK(BroadcastBinaryOpOutputShapeFnHelper(&c, unknown, unknown, true, &out).ok());
    CHECK(c.Dim(out, 0).SameHandle(c.Dim(unknown, 0)));
  }
  TEST_CASE("matrix products") {
    CHECK(Shape<MatMul>({{2, 3}, {3, 4}}) == "[2,4]");
    CHECK(Shape<MatMul>({{3, 2}, {4, 3}}, {{"transpose_a", true}, {"transpose_b", true}}) == "[2,4]");
    CHECK(Shape<MatMul>({Unknown(), {3, 4}}) == "[?,4]");
    CHECK(Shape<MatMul>({{2, 3}, {4, 3}}) == "Dimensions must be equal, but are 3 and 4");
    CHECK(Shape<MatMul>({{2, 3, 4}, {4, 3}}) == "Shape must be rank 2 but is rank 3");
    CHECK(Shape<Batch<BatchMatMulShape>>({{7, 2, 3}, {7, 3, 4}}) == "[7,2,4]");
    CHECK(
        Shape<Batch<BatchMatMulShape>>({{7, 2, 3}, {1, 3, 4}}).starts_with("Dimension 0 in both shapes must be equal"));
    CHECK(Shape<Batch<BatchMatMulV2Shape>>({{7, 2, 3}, {1, 3, 4}}) == "[7,2,4]");
    CHECK(Shape<Batch<BatchMatMulV2Shape>>({{5, 1, 3, 2}, {6, 4, 3}}, {{"adj_x", true}, {"adj_y", true}}) ==
          "[5,6,2,4]");
  }
  TEST_CASE("biases") {
    CHECK(Shape<Bias<BiasAddShape>>({{2, 3, 4}, {4}}) == "[2,3,4]");
    CHECK(Shape<Bias<BiasAddShape>>({{2, -1}, {4}}) == "[2,4]");
    CHECK(Shape<Bias<BiasAddShape>>({{2, -1, 4}, {7}}, {{"data_format", "NCHW"}}) == "[2,7,4]");
    CHECK(Shape<Bias<BiasAddShape>>({Unknown(), {7}}) == "?");
    CHECK(Shape<Bias<BiasAddShape>>({{2, 3}, {4}}) == "Dimensions must be equal, but are 3 and 4");
    CHECK(Shape<Bias<BiasAddShape>>({{2, 3}, {3}}, {{"data_format", "NCHW"}}) ==
          "Shape must be at least rank 3 but is rank 2");
    CHECK(Shape<Bias<BiasAddShape>>({{2, 3}, {3, 1}}) == "Shape must be rank 1 but is rank 2");
    CHECK(Shape<BiasAddV1>({{2, 3}, {3}}) == "[2,3]");
    CHECK(Shape<Bias<BiasAddGradShape>>({{2, 3, 4}, {}}) == "[4]");
    CHECK(Shape<Bias<BiasAddGradShape>>({{2, 3, 4}, {}}, {{"data_format", "NCHW"}}) == "[3]");
  }
  TEST_CASE("convolutions") {
    const std::initializer_list<StaticAttr> same{{"strides", {1, 2, 3, 1}}, {"padding", "SAME"}};
    const std::initializer_list<StaticAttr> valid{
        {"strides", {1, 1, 1, 1}}, {"padding", "VALID"}, {"dilations", {1, 2, 1, 1}}};
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 4, 6}}, same) == "[8,5,4,6]");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 4, 6}}, valid) == "[8,5,8,6]");
    CHECK(Shape<Conv2D>({{8, -1, 10, 4}, {3, -1, 4, 6}}, valid) == "[8,?,?,6]");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 2, 6}}, same) == "[8,5,4,6]");  // two groups
    CHECK(Shape<Conv2D>({{8, 4, 9, 10}, {3, 3, 4, 6}},
                        {{"strides", {1, 1, 2, 3}}, {"padding", "SAME"}, {"data_format", "NCHW"}}) == "[8,6,5,4]");
    CHECK(Shape<Conv2D>({{8, 2, 9, 10, 4}, {16, 2, 3, 3, 4}},
                        {{"strides", {1, 1, 1, 1}}, {"padding", "SAME"}, {"data_format", "NCHW_VECT_C"}}) ==
          "[8,4,9,10,4]");
    CHECK(Shape<Conv2D>(
              {{8, 9, 10, 4}, {3, 3, 4, 6}},
              {{"strides", {1, 1, 1, 1}}, {"padding", "EXPLICIT"}, {"explicit_paddings", {0, 0, 1, 2, 0, 3, 0, 0}}}) ==
          "[8,10,11,6]");
    CHECK(Shape<Conv2D>({{8, 2, 10, 4}, {3, 3, 4, 6}}, valid) ==
          "Negative dimension size caused by subtracting 5 from 2");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 3, 6}}, same) ==
          "Depth of input (4) is not a multiple of input depth of filter (3)");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 2, 5}}, same) ==
          "Depth of output (5) is not a multiple of the number of groups (2)");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 0, 5}}, same) == "Depth of filter must not be 0");
    CHECK(Shape<Conv2D>({{8, 9, 10}, {3, 3, 0, 5}}, same) == "Shape must be rank 4 but is rank 3");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 4, 6}}, {{"strides", {1, 1}}, {"padding", "SAME"}}) ==
          "Conv2D on data format NHWC requires the stride attribute to contain 4 values, but got: 2");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 4, 6}},
                        {{"strides", {1, 1, 1, 1}}, {"padding", "SAME"}, {"dilations", {1}}}) ==
          "Conv2D requires the dilation attribute to contain 4 values, but got: 1");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 4, 6}}, {{"strides", {1, 0, 1, 1}}, {"padding", "SAME"}}) ==
          "Stride must be > 0, but got 0");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 4, 6}},
                        {{"strides", {1, 1, 1, 1}}, {"padding", "SAME"}, {"dilations", {1, 0, 1, 1}}}) ==
          "Dilation rate must be >= 1, but got 0");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 4, 6}}, {{"strides", {1, 1, 1, 1}}, {"padding", "WRAP"}}) ==
          "WRAP is not an allowed padding type");
    CHECK(Shape<Conv2D>({{8, 9, 10, 4}, {3, 3, 4, 6}},
                        {{"strides", {1, 1, 1, 1}}, {"padding", "SAME"}, {"data_format", "NWHC"}}) ==
          "Invalid data format string: NWHC");
    CHECK(Shape<Depthwise>({{8, 9, 10, 4}, {3, 3, 4, 2}}, {{"strides", {1, 1, 1, 1}}, {"padding", "VALID"}}) ==
          "[8,7,8,8]");
    CHECK(Shape<Depthwise>({{8, 9, 10, 4}, {3, 3, 5, 2}}, {{"strides", {1, 1, 1, 1}}, {"padding", "VALID"}}) ==
          "Dimensions must be equal, but are 4 and 5");
  }
  TEST_CASE("explicit paddings are checked") {
    const auto check = [](Padding padding, std::vector<std::int64_t> p) {
      return std::string(CheckValidPadding(padding, p, 4, TensorFormat::kNHWC).message());
    };
    CHECK(check(Padding::kExplicit, {0, 0, 1, 2, 3, 4, 0, 0}).empty());
    CHECK(check(Padding::kSame, {}).empty());
    CHECK(check(Padding::kSame, {1}) ==
          "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
    CHECK(check(Padding::kExplicit, {1}) == "explicit_paddings attribute must contain 8 values, but got: 1");
    CHECK(check(Padding::kExplicit, {0, 0, -1, 0, 0, 0, 0, 0}) ==
          "All elements of explicit_paddings must be nonnegative");
    CHECK(check(Padding::kExplicit, {0, 0, 0, 0, 0, 0, 0, 1}) ==
          "Nonzero explicit padding in the batch or depth dimensions is not supported");
    CHECK(
        CheckValidPadding(Padding::kExplicit, std::vector<std::int64_t>{0, 0, 0, 0, 0, 0, 0, 1}, 4, TensorFormat::kNCHW)
            .ok());
  }
  TEST_CASE("windows for kernels") {
    std::int64_t out = 0, before = 0, after = 0;
    CHECK(GetWindowedOutputSize(10, 3, 1, 2, Padding::kSame, &out, &before, &after).ok());
    CHECK(std::vector<std::int64_t>{out, before, after} == std::vector<std::int64_t>{5, 0, 1});
    CHECK(GetWindowedOutputSize(10, 3, 2, 2, Padding::kValid, &out, &before, &after).ok());
    CHECK(std::vector<std::int64_t>{out, before, after} == std::vector<std::int64_t>{3, 0, 0});
    before = 1;
    after = 2;
    CHECK(GetWindowedOutputSize(10, 3, 1, 1, Padding::kExplicit, &out, &before, &after).ok());
    CHECK(out == 11);
    CHECK(GetWindowedOutputSize(1, 5, 1, 1, Padding::kValid, &out, &before, &after).message() ==
          "Computed output size would be negative: -3 [input_size: 1, effective_filter_size: 5, stride: 1]");
  }
  TEST_CASE("pools") {
    const std::initializer_list<StaticAttr> attrs{
        {"ksize", {1, 2, 3, 1}}, {"strides", {1, 2, 2, 1}}, {"padding", "VALID"}};
    CHECK(Shape<Pool<MaxPoolShape>>({{8, 9, 10, 4}}, attrs) == "[8,4,4,4]");
    CHECK(Shape<Pool<AvgPoolShape>>({{8, -1, 10, 4}}, attrs) == "[8,?,4,4]");
    CHECK(Shape<Pool<MaxPoolShape>>({{8, 9, 10, 4}},
                                    {{"ksize", {1, 1, 1, 2}}, {"strides", {1, 1, 1, 2}}, {"padding", "VALID"}}) ==
          "[8,9,10,2]");
    CHECK(Shape<Pool<MaxPoolShape>>({{8, 1, 10, 4}}, attrs) ==
          "Negative dimension size caused by subtracting 2 from 1");
    CHECK(
        Shape<Pool<MaxPoolShape>>({{8, 9, 10, 4}}, {{"ksize", {1}}, {"strides", {1, 1, 1, 2}}, {"padding", "VALID"}}) ==
        "MaxPool requires the ksize attribute to contain 4 values, but got: 1");
    CHECK(Shape<Pool<AvgPoolShape>>({{8, 9, 10, 4}}, {{"ksize", {1}}, {"strides", {1}}, {"padding", "VALID"}}) ==
          "AvgPool requires the stride attribute to contain 4 values, but got: 1");
  }
  TEST_CASE("batch normalisation") {
    const std::initializer_list<StaticInput> inputs{{2, 3, 4, -1}, {7}, {7}, {7}, {7}};
    CHECK(Shape<BatchNorm>(inputs) == "[2,3,4,7]");
    CHECK(Shape<BatchNorm>(inputs, {}, 4) == "[7]");
    CHECK(Shape<BatchNorm>(inputs, {}, 5) == "?");
    CHECK(Shape<BatchNorm>({{2, 7, 4, 4}, {7}, {7}, {7}, {7}}, {{"data_format", "NCHW"}}) == "[2,7,4,4]");
    CHECK(Shape<BatchNorm>({{2, 3, 4, 7}, {7}, {7}, {0}, {0}}) == "[2,3,4,7]");  // not looked at while training
    CHECK(Shape<BatchNorm>({{2, 3, 4, 7}, {7}, {7}, {0}, {0}}, {{"is_training", false}}) ==
          "Dimensions must be equal, but are 7 and 0");
    CHECK(Shape<BatchNorm>({{2, 3, 4, 7}, {7}, {7}, {0}, {0}}, {{"exponential_avg_factor", 0.5f}}) ==
          "Dimensions must be equal, but are 7 and 0");
  }
  TEST_CASE("reductions") {
    CHECK(Shape<Sum>({{2, 3, 4}, Vec({0, 2})}) == "[3]");
    CHECK(Shape<Sum>({{2, 3, 4}, Sca(-1)}, {{"keep_dims", true}}) == "[2,3,1]");
    CHECK(Shape<Sum>({{2, 3, 4}, Vec({1, 1, -2})}) == "[2,4]");
    CHECK(Shape<Sum>({{2, 3, 4}, Vec({})}) == "[2,3,4]");
    CHECK(Shape<Sum>({{2, 3, 4}, {2}}, {{"keep_dims", true}}) == "[?,?,?]");
    CHECK(Shape<Sum>({{2, 3, 4}, {2}}) == "?");
    CHECK(Shape<Sum>({Unknown(), Vec({0})}, {{"keep_dims", true}}) == "?");
    CHECK(Shape<Sum>({{2, 3, 4}, Sca(3)}) == "Invalid reduction dimension 3 for input with 3 dimensions.");
    CHECK(Shape<Sum>({{2, 3, 4}, {2, 2}}) == "Shape must be at most rank 1 but is rank 2");
  }
  TEST_CASE("old graphs may give reduction indices of any rank") {
    NodeDef node;
    node.attr.Set("keep_dims", AttrValue(true));
    static constexpr OpView view = Sum::signature.view();
    const std::vector<PartialTensorShape> inputs{PartialTensorShape({2, 3}), PartialTensorShape({1, 1})};
    const Tensor indices = MakeTensor<std::int32_t>({1, 1}, {1});
    const std::vector<const Tensor*> tensors{nullptr, &indices};
    InferenceContext old(20, &node, &view, inputs, tensors), today(21, &node, &view, inputs, tensors);
    CHECK(ReductionShape(&old).ok());
    CHECK(old.DebugString(old.output(0)) == "[2,1]");
    CHECK_FALSE(ReductionShape(&today).ok());
  }
  TEST_CASE("joining") {
    const std::initializer_list<StaticAttr> two{{"N", 2}};
    CHECK(Shape<ConcatV2>({{2, 3}, {2, 5}, Sca(1)}, two) == "[2,8]");
    CHECK(Shape<ConcatV2>({{2, 3}, {-1, 3}, Sca(-2)}, two) == "[?,3]");
    CHECK(Shape<ConcatV2>({{-1, 3}, {2, -1}, Sca(-1)}, two) == "[2,?]");
    CHECK(Shape<ConcatV2>({{2, 3}, Unknown(), {}}, two) == "[?,?]");
    CHECK(Shape<ConcatV2>({Unknown(), Unknown(), {}}, two) == "?");
    CHECK(Shape<ConcatV2>({{}, {}, {}}, two) == "Can't concatenate scalars (use tf.stack instead)");
    CHECK(Shape<ConcatV2>({{2, 3}, {3, 5}, Sca(1)}, two) ==
          "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].");
    CHECK(Shape<ConcatV2>({{2, 3}, {2, 5}, Sca(2)}, two) == "Shape must be at least rank 3 but is rank 2");
    CHECK(Shape<ConcatV2>({{2, 3}, {2, 5}, Vec({1})}, two) == "Shape must be rank 0 but is rank 1");
    CHECK(Shape<Concat>({Sca(0), {2, 3}, {4, 3}}, two) == "[6,3]");
    CHECK(Shape<Pack>({{2, 3}, {2, -1}}, two) == "[2,2,3]");
    CHECK(Shape<Pack>({{2, 3}, {2, -1}}, {{"N", 2}, {"axis", -1}}) == "[2,3,2]");
    CHECK(Shape<Pack>({{2, 3}, {2, -1}}, {{"N", 2}, {"axis", 3}}) == "Invalid axis: 3; must be in [-3,3)");
    CHECK(Shape<Pack>({{2, 3}, {4, 3}}, two).ends_with("\n\tFrom merging shape 0 with other shapes."));
    CHECK(Shape<Pack>({Unknown(), Unknown()}, two) == "?");
  }
  TEST_CASE("reshaping") {
    CHECK(Shape<Reshape>({{2, 6}, Vec({3, -1})}) == "[3,4]");
    CHECK(Shape<Reshape>({{2, 6}, Vec({12})}) == "[12]");
    CHECK(Shape<Reshape>({{2, -1}, Vec({3, -1})}) == "[3,?]");
    CHECK(Shape<Reshape>({{2, -1}, Vec({3, 4})}) == "[3,4]");
    CHECK(Shape<Reshape>({{2, 6}, {2}}) == "[?,?]");
    CHECK(Shape<Reshape>({{2, 6}, {-1}}) == "?");
    CHECK(Shape<Reshape>({Unknown(), Vec({3, -1})}) == "[3,?]");
    CHECK(Shape<Reshape>({{0, 6}, Vec({0, -1})}) == "[0,?]");
    CHECK(Shape<Reshape>({{2, 3}, Vec({4})}) == "Cannot reshape a tensor with 6 elements to shape [4] (4 elements)");
    CHECK(Shape<Reshape>({{2, 3}, Vec({-1, 4})}) == "Dimension size must be evenly divisible by 4 but is 6");
    CHECK(Shape<Reshape>({{2, -1}, Vec({3})}) == "Dimension size must be evenly divisible by 2 but is 3");
    // One unknown on each side, and the rest equal: it is the same unknown.
    InferenceContext c(Reshape::signature.view(), {{-1, 6}, StaticInput::Vector({-1, 2, 3})});
    CHECK(ReshapeShape(&c).ok());
    CHECK(c.Dim(c.output(0), 0).SameHandle(c.Dim(c.input(0), 0)));
  }
  TEST_CASE("slices") {
    CHECK(Shape<Slice>({{5, 6}, Vec({1, 2}), Vec({3, -1})}) == "[3,4]");
    CHECK(Shape<Slice>({{5, 6}, {2}, Vec({3, -1})}) == "[3,?]");
    CHECK(Shape<Slice>({{5, 6}, {2}, {2}}) == "[?,?]");
    CHECK(Shape<Slice>({StaticShape(), {2}, {2}}) == "[?,?]");
    CHECK(Shape<Slice>({{5, 6}, Vec({1, 2}), Vec({3, -2})}) ==
          "Out of bounds slicing on dimension 1 of length 6: sizes vector cannot be < -1, but was -2");
    CHECK(Shape<Slice>({{5, 6}, Vec({1}), Vec({3})}) == "Shape must be rank 1 but is rank 2");
  }
}

TEST_SUITE("StridedSlice") {
  std::string Slice(std::initializer_list<std::int64_t> shape, std::initializer_list<std::int64_t> begin,
                    std::initializer_list<std::int64_t> end, std::initializer_list<std::int64_t> strides,
                    std::initializer_list<StaticAttr> masks = {}) {
    return Shape<StridedSlice>({StaticInput(shape), Vec(begin), Vec(end), Vec(strides)}, masks);
  }
  TEST_CASE("ranges are clamped, in both directions") {
    CHECK(Slice({10}, {2}, {8}, {3}) == "[2]");
    CHECK(Slice({10}, {-3}, {100}, {1}) == "[3]");
    CHECK(Slice({10}, {-100}, {-8}, {1}) == "[2]");
    CHECK(Slice({10}, {8}, {2}, {1}) == "[0]");
    CHECK(Slice({10}, {8}, {2}, {-2}) == "[3]");
    CHECK(Slice({10}, {100}, {-100}, {-1}) == "[10]");
    CHECK(Slice({10}, {0}, {0}, {-1}, {{"begin_mask", 1}, {"end_mask", 1}}) == "[10]");
    CHECK(Slice({10, 7}, {5}, {0}, {1}, {{"end_mask", 1}}) == "[5,7]");
    CHECK(Slice({-1, 7}, {5, 1}, {6, 3}, {1, 1}) == "[?,2]");
  }
  TEST_CASE("single indices, new axes and the ellipsis") {
    CHECK(Slice({4, 5, 6}, {1}, {2}, {1}, {{"shrink_axis_mask", 1}}) == "[5,6]");
    CHECK(Slice({4, 5, 6}, {-1}, {0}, {1}, {{"shrink_axis_mask", 1}}) == "[5,6]");
    CHECK(Slice({4, 5, 6}, {0, 0, 1}, {0, 0, 3}, {1, 1, 1}, {{"ellipsis_mask", 1}, {"new_axis_mask", 2}}) ==
          "[4,5,1,2]");
    CHECK(Slice({4, 5, 6}, {0, 0, 2}, {0, 0, 3}, {1, 1, 1},
                {{"new_axis_mask", 1}, {"ellipsis_mask", 2}, {"shrink_axis_mask", 4}}) == "[1,4,5]");
    CHECK(Slice({4, 5, 6}, {1, 0, 2}, {2, 0, 3}, {1, 1, 1}, {{"shrink_axis_mask", 5}, {"ellipsis_mask", 2}}) == "[5]");
    CHECK(Slice({}, {0}, {0}, {1}, {{"new_axis_mask", 1}}) == "[1]");
    CHECK(Slice({-1}, {3}, {4}, {1}, {{"shrink_axis_mask", 1}}) == "[]");
  }
  TEST_CASE("what is wrong with a slice") {
    CHECK(Slice({4}, {4}, {5}, {1}, {{"shrink_axis_mask", 1}}) == "slice index 4 of dimension 0 out of bounds.");
    CHECK(Slice({4}, {-5}, {0}, {1}, {{"shrink_axis_mask", 1}}) == "slice index -1 of dimension 0 out of bounds.");
    CHECK(Slice({4}, {1}, {2}, {0}) == "strides[0] must be non-zero");
    CHECK(Slice({4}, {1}, {2}, {-1}, {{"shrink_axis_mask", 1}}) == "only stride 1 allowed on non-range indexing.");
    CHECK(Slice({4}, {1, 1}, {2, 2}, {1, 1}) == "Index out of range using input dim 1; input has only 1 dims");
    CHECK(Slice({}, {1}, {2}, {1}) == "Attempting to slice scalar input.");
    CHECK(Slice({4}, {1, 1}, {2, 2}, {1, 1}, {{"ellipsis_mask", 3}}) == "Multiple ellipses in slice spec not allowed");
    CHECK(Slice({4}, {1, 1}, {2}, {1}) ==
          "Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] and [1].");
  }
  TEST_CASE("unknown values and shapes") {
    CHECK(Shape<StridedSlice>({{4, 5}, {1}, {1}, Vec({1})}) == "[?,5]");
    CHECK(Shape<StridedSlice>({{4, 5}, {1}, {1}, Vec({2})}, {{"begin_mask", 1}, {"end_mask", 1}}) == "[2,5]");
    CHECK(Shape<StridedSlice>({{4, 5}, {1}, {1}, Vec({1})}, {{"shrink_axis_mask", 1}}) == "[5]");
    CHECK(Shape<StridedSlice>({{4, 5}, {1}, {1}, {1}}) == "?");
    CHECK(Shape<StridedSlice>({Unknown(), Vec({1}), Vec({2}), Vec({1})}) == "?");
  }
  TEST_CASE("the plan for kernels has full bounds") {
    StridedSlicePlan plan;
    const SlimVector<std::int64_t> shape{4, 5, 6}, begin{-3, 0, 1}, end{100, 0, 2}, strides{2, 1, 1};
    REQUIRE(PlanStridedSlice(shape, &begin, &end, strides, 0, 0, 2, 0, 4, &plan).ok());
    CHECK(plan.begin == std::vector<std::int64_t>{1, 0, 1});
    CHECK(plan.end == std::vector<std::int64_t>{4, 5, 2});
    CHECK(plan.strides == std::vector<std::int64_t>{2, 1, 1});
    CHECK(plan.processing_shape == std::vector<std::int64_t>{2, 5, 1});
    CHECK(plan.final_shape == std::vector<std::int64_t>{2, 5});
    CHECK_FALSE(plan.is_identity);
    CHECK_FALSE(plan.is_simple_slice);
    const SlimVector<std::int64_t> zero{0}, three{3}, one{1};
    REQUIRE(PlanStridedSlice(shape, &zero, &three, one, 0, 0, 0, 0, 0, &plan).ok());
    CHECK(plan.slice_dim0);
    CHECK(plan.is_simple_slice);
    CHECK_FALSE(plan.is_identity);
    REQUIRE(PlanStridedSlice(shape, &zero, &zero, one, 1, 1, 0, 0, 0, &plan).ok());
    CHECK(plan.is_identity);
    const SlimVector<std::int64_t> many(32, 0);
    CHECK(PlanStridedSlice(shape, &many, &many, many, 0, 0, 0, 0, 0, &plan).message() ==
          "Expected begin, end, and strides to be 1D equal size tensors, but got shapes [32], [32], and [32] instead.");
  }
}
}  // namespace
}  // namespace shape_fns_test
