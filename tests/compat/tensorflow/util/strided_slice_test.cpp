// SPDX-License-Identifier: Apache-2.0
// Strided slices, their masks, and values broadcast to them. Formats of images, windows, output lists of shape
// functions.
#include <doctest/doctest.h>

#include <vector>

#include <tenon/compat/tensorflow/util/strided_slice.hpp>
#include <tenon/compat/tensorflow/graph/full_type.hpp>
#include <tenon/compat/tensorflow/graph/op_registry.hpp>
#include <tenon/compat/tensorflow/tensor_format.hpp>
#include <tenon/compat/tensorflow/util/ops_util.hpp>
#include <tenon/compat/tensorflow/util/sparse_tensor.hpp>

namespace compat_strided_slice_test {
using namespace tensorflow;
namespace {
using Sizes = gtl::InlinedVector<int64_t, 4>;
Tensor Vector(std::initializer_list<int32> values) {
  Tensor out(DT_INT32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), out.flat<int32>().data());
  return out;
}
template <class Shape>
struct Slice {
  Shape processing, final;
  bool is_identity = false, is_simple_slice = false, slice_dim0 = false;
  Sizes begin, end, strides;
  StridedSliceShapeSpec spec;
};
struct Masks {
  int32 begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
};
template <class Shape>
Status Validate(const Tensor* begin, const Tensor* end, const Tensor& strides, const PartialTensorShape& input,
                const Masks& masks, Slice<Shape>* out) {
  return ValidateStridedSliceOp(begin, end, strides, input, masks.begin, masks.end, masks.ellipsis, masks.new_axis,
                                masks.shrink_axis, &out->processing, &out->final, &out->is_identity,
                                &out->is_simple_slice, &out->slice_dim0, &out->begin, &out->end, &out->strides,
                                &out->spec);
}
}  // namespace

TEST_SUITE("TensorFlow's strided slices") {
  TEST_CASE("x[1, ..., newaxis, 1:3] of [2, 3, 4]") {
    const Tensor begin = Vector({1, 0, 0, 1}), end = Vector({2, 0, 0, 3}), strides = Vector({1, 1, 1, 1});
    Slice<TensorShape> slice;
    CHECK(Validate(&begin, &end, strides, PartialTensorShape({2, 3, 4}),
                   {.ellipsis = 2, .new_axis = 4, .shrink_axis = 1}, &slice)
              .ok());
    CHECK(slice.final == TensorShape({3, 1, 2}));
    CHECK(slice.processing == TensorShape({1, 3, 2}));
    CHECK(slice.begin == Sizes{1, 0, 1});
    CHECK(slice.end == Sizes{2, 3, 3});
    CHECK(slice.is_simple_slice);
    CHECK_FALSE(slice.is_identity);
    CHECK(slice.spec.begin_dense_mask == 2);
    CHECK(slice.spec.end_dense_mask == 2);
    CHECK(slice.spec.shrink_axis_dense_mask == 1);
    CHECK(slice.spec.output_to_sparse_mapping == Sizes{-1, -1, 3});
    CHECK(slice.spec.output_to_processing_mapping == Sizes{1, -1, 2});
    CHECK(slice.spec.processing_to_sparse_mapping == Sizes{0, -1, 3});
  }
  TEST_CASE("x[::-1, :, 3] of [2, 3, 4]") {
    const Tensor begin = Vector({0, 0, 3}), end = Vector({0, 0, 4}), strides = Vector({-1, 1, 1});
    Slice<TensorShape> slice;
    CHECK(
        Validate(&begin, &end, strides, PartialTensorShape({2, 3, 4}), {.begin = 3, .end = 3, .shrink_axis = 4}, &slice)
            .ok());
    CHECK(slice.final == TensorShape({2, 3}));
    CHECK(slice.strides == Sizes{-1, 1, 1});
    CHECK_FALSE(slice.is_simple_slice);
  }
  TEST_CASE("bounds or sizes that are not known") {
    const Tensor strides = Vector({1, 1});
    Slice<PartialTensorShape> slice;
    CHECK(Validate(nullptr, nullptr, strides, PartialTensorShape({-1, 4}), {.begin = 2, .end = 2}, &slice).ok());
    CHECK(slice.final.IsIdenticalTo(PartialTensorShape({-1, 4})));
    Slice<TensorShape> whole;
    CHECK(Validate(nullptr, nullptr, strides, PartialTensorShape({-1, 4}), {}, &whole).code() == error::INTERNAL);
  }
  TEST_CASE("slices that do not fit") {
    const Tensor one = Vector({1}), two = Vector({5, 5}), zero = Vector({0}), matrix(DT_INT32, {1, 1}), real(1.0f);
    const PartialTensorShape input({3});
    Slice<TensorShape> slice;
    const auto code = [&](const Tensor& begin, const Tensor& end, const Tensor& strides, const Masks& masks) {
      return Validate(&begin, &end, strides, input, masks, &slice).code();
    };
    CHECK(code(one, two, one, {}) == error::INVALID_ARGUMENT);
    CHECK(code(one, one, zero, {}) == error::INVALID_ARGUMENT);
    CHECK(code(two, two, two, {}) == error::INVALID_ARGUMENT);
    CHECK(code(matrix, matrix, matrix, {}) == error::INVALID_ARGUMENT);
    CHECK(code(one, one, real, {}) == error::INVALID_ARGUMENT);
    CHECK(code(Vector({7}), one, one, {.shrink_axis = 1}) == error::INVALID_ARGUMENT);
    CHECK(Validate(&one, &one, one, PartialTensorShape(), {}, &slice).code() == error::INVALID_ARGUMENT);
  }
  TEST_CASE("values are broadcast to slices") {
    StridedSliceAssignBCast equal({2, 3}, {2, 3}), smaller({1, 3}, {4, 2, 3}), longer({1, 1, 3}, {2, 3}),
        wrong({2}, {3}), too_long({2, 3}, {3});
    CHECK(equal.IsValid());
    CHECK_FALSE(equal.IsBroadcastingRequired());
    CHECK(smaller.IsBroadcastingRequired());
    CHECK(smaller.reshape() == Sizes{1, 1, 3});
    CHECK(smaller.bcast() == Sizes{4, 2, 1});
    CHECK(smaller.result_shape() == Sizes{4, 2, 3});
    CHECK(longer.IsValid());
    CHECK(longer.reshape() == Sizes{1, 3});
    CHECK_FALSE(wrong.IsValid());
    CHECK_FALSE(too_long.IsValid());
    CHECK(smaller.RemapDimensions(3, {-1, 2, 0}));
    CHECK(smaller.reshape() == Sizes{3, 1, 1});
    CHECK(smaller.bcast() == Sizes{1, 1, 2});
    CHECK(smaller.result_shape() == Sizes{3, 1, 2});
    CHECK_FALSE(equal.RemapDimensions(3, {0}));
    CHECK_FALSE(equal.RemapDimensions(2, {0, 2}));
  }
}

TEST_SUITE("TensorFlow's formats and windows") {
  TEST_CASE("shapes by format") {
    TensorShape shape;
    CHECK(ShapeFromFormatWithStatus(FORMAT_NCHW, 2, 5, 6, 3, &shape).ok());
    CHECK(shape == TensorShape({2, 3, 5, 6}));
    CHECK(ShapeFromFormatWithStatus(FORMAT_NHWC, 2, {4, 5, 6}, 3, &shape).ok());
    CHECK(shape == TensorShape({2, 4, 5, 6, 3}));
    CHECK(ShapeFromFormatWithStatus(FORMAT_NHWC, shape, FORMAT_NCHW, &shape).ok());
    CHECK(shape == TensorShape({2, 5, 6, 3, 4}));
    CHECK(ShapeFromFormat(FORMAT_NCHW_VECT_C, 1, 5, 6, 8) == TensorShape({1, 2, 5, 6, 4}));
    CHECK(ShapeFromFormat(FORMAT_NHWC, TensorShape({1, 2, 5, 6, 4}), FORMAT_NCHW_VECT_C) == TensorShape({1, 5, 6, 8}));
    CHECK(ShapeFromFormatWithStatus(FORMAT_NCHW_VECT_C, 1, 5, 6, 7, &shape).code() == error::INVALID_ARGUMENT);
    CHECK(ShapeFromFormatWithStatus(FORMAT_NHWC, -2, 5, 6, 7, &shape).code() == error::INVALID_ARGUMENT);
  }
  TEST_CASE("dimensions of formats with blocks, by the number of spatial ones") {
    CHECK(GetTensorDimIndex<2>(FORMAT_NHWC_VECT_W, 'C') == 3);
    CHECK(GetTensorDimIndex<2>(FORMAT_NHWC_VECT_W, '1') == 2);
    CHECK(GetTensorDimIndex<2>(FORMAT_NCHW_VECT_C, '1') == 3);
    CHECK(GetTensorDimIndex<1>(FORMAT_NCHW_VECT_C, 'W') == 2);
    CHECK(GetTensorDimIndex<3>(FORMAT_NCHW, '2') == 4);
  }
  TEST_CASE("explicit paddings by dimension") {
    const std::vector<int64_t> paddings = {0, 0, 1, 2, 3, 4, 0, 0};
    int64_t before = 0, after = 0;
    GetExplicitPaddingForDim(paddings, FORMAT_NHWC, 'W', &before, &after);
    CHECK(before == 3);
    CHECK(after == 4);
    GetExplicitPaddingForDim({0, 0, 0, 0, 5, 6, 7, 8}, FORMAT_NCHW, 'H', &before, &after);
    CHECK(before == 5);
    CHECK(after == 6);
  }
  TEST_CASE("windows") {
    int begin = 0, size = 0;
    CHECK(GetBroadcastSize(0, 5, 3, 2, 1, &begin, &size).ok());  // two elements behind the padding
    CHECK(begin == 0);
    CHECK(size == 2);
    CHECK(GetBroadcastSize(1, 5, 3, 2, 1, &begin, &size).ok());
    CHECK(begin == 1);
    CHECK(size == 3);
    CHECK(GetBroadcastSize(2, 5, 3, 2, 1, &begin, &size).ok());
    CHECK(begin == 3);
    CHECK(size == 2);
    CHECK_FALSE(GetBroadcastSize(3, 5, 3, 2, 1, &begin, &size).ok());
    CHECK(BrainPadding2EigenPadding(SAME) == Eigen::PADDING_SAME);
    CHECK(BrainPadding2EigenPadding(VALID) == Eigen::PADDING_VALID);
    std::array<int64_t, 3> sizes{}, paddings{};
    CHECK(Get3dOutputSizeV2({9, 8, 7}, {3, 3, 3}, {2, 1, 1}, {1, 2, 1}, VALID, &sizes, &paddings).ok());
    CHECK(sizes == std::array<int64_t, 3>{5, 3, 5});
  }
  TEST_CASE("orders of a fixed number of dimensions") {
    Tensor places(DT_INT64, {2, 2});
    auto at = places.matrix<std::int64_t>();
    at(0, 0) = 1, at(0, 1) = 0, at(1, 0) = 0, at(1, 1) = 5;
    const std::vector<int64_t> order = {1, 0}, shape = {2, 6};
    const sparse::FixedDimComparator<2> before(at, order, shape);
    CHECK(before(0, 1));
    CHECK_FALSE(before(1, 0));
  }
}

namespace {
Status Outputs(shape_inference::InferenceContext* c) {
  TF_RETURN_IF_ERROR(c->set_output("pair", {c->Scalar(), c->Vector(3)}));
  return c->set_output("none", {});
}
}  // namespace
REGISTER_OP("CompatOutputsByName")
    .Output("pair: N * int32")
    .Output("none: M * int32")
    .Attr("N: int >= 1 = 2")
    .Attr("M: int >= 0 = 0")
    .SetTypeConstructor(full_type::UnaryGeneric(TFT_TENSOR))
    .SetForwardTypeFn(full_type::MultiaryUnstack(TFT_DATASET, full_type::UnstackTensor))
    .SetReverseTypeFn(0, full_type::ReplicateInput())
    .SetShapeFn(Outputs);

TEST_SUITE("TensorFlow's shape functions") {
  TEST_CASE("lists of outputs in braces") {
    const OpRegistrationData* op = nullptr;
    REQUIRE(OpRegistry::Global()->LookUp("CompatOutputsByName", &op).ok());
    NodeDef node;
    node.set_op("CompatOutputsByName");
    (*node.mutable_attr())["N"].set_i(2);
    (*node.mutable_attr())["M"].set_i(0);
    shape_inference::InferenceContext context(TF_GRAPH_DEF_VERSION, AttrSlice(node), op->op_def,
                                              std::vector<PartialTensorShape>());
    REQUIRE(context.construction_status().ok());
    CHECK(Outputs(&context).ok());
    CHECK(context.DebugString(context.output(0)) == "[]");
    CHECK(context.DebugString(context.output(1)) == "[3]");
  }
  TEST_CASE("full types have arguments") {
    FullTypeDef type;
    type.set_type_id(TFT_TENSOR);
    type.add_args()->set_type_id(TFT_FLOAT);
    type.mutable_args(0)->set_s("T");
    type.mutable_args(0)->set_i(3);
    const FullTypeDef copy = full_type::BatchTensor(full_type::ShardTensor(type));
    CHECK(copy.type_id() == TFT_TENSOR);
    CHECK(copy.args_size() == 1);
    CHECK(copy.args(0).s() == "T");
    CHECK(copy.args(0).i() == 3);
  }
}
}  // namespace compat_strided_slice_test
