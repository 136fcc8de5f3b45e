// SPDX-License-Identifier: Apache-2.0
// Values of the layer for TensorFlow's sources: strings, shapes, tensors' views, broadcasts, formats, random numbers.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/compat/tensorflow/bcast.hpp>
#include <tenon/compat/tensorflow/base/containers.hpp>
#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/random.hpp>
#include <tenon/compat/tensorflow/base/status.hpp>
#include <tenon/compat/tensorflow/base/strings.hpp>
#include <tenon/compat/tensorflow/tensor.hpp>
#include <tenon/compat/tensorflow/tensor_format.hpp>
#include <tenon/compat/tensorflow/tensor_shape.hpp>

namespace compat_values_test {
using namespace tensorflow;
namespace {
using Vec = BCast::Vec;
Status Fails() {
  TF_RETURN_WITH_CONTEXT_IF_ERROR(errors::NotFound("no ", 3), "while ", 2.5);
  return OkStatus();
}
}  // namespace

TEST_SUITE("values of the layer for TensorFlow's sources") {
  TEST_CASE("strings") {
    CHECK(strings::StrCat("a", 1, 2.5f, true, std::string("b"), tstring("c"), DT_INT32) == "a12.51bc3");
    CHECK(strings::Printf("%d-%s", 5, "x") == "5-x");
    CHECK(str_util::Split("a,b,,c", ',').size() == 4);
    CHECK(str_util::Split("a,b,,c", ",", str_util::SkipEmpty()).size() == 3);
    CHECK(str_util::Split("", ',').empty());
    CHECK(str_util::Join(std::vector<int>{1, 2}, "+") == "1+2");
    int32 number = 0;
    CHECK(strings::safe_strto32(" 12 ", &number));
    CHECK(number == 12);
    CHECK_FALSE(strings::safe_strto32("12x", &number));
    CHECK_FALSE(strings::safe_strto32("99999999999", &number));
    CHECK(str_util::StringReplace("aXbX", "X", "yy", true) == "ayybyy");
    StringPiece text = "  word rest", word;
    str_util::RemoveLeadingWhitespace(&text);
    CHECK(str_util::ConsumeNonWhitespace(&text, &word));
    CHECK(word == "word");
  }
  TEST_CASE("errors") {
    CHECK(Fails().ToString() == "NOT_FOUND: no 3\n\twhile 2.5");
    CHECK(errors::IsNotFound(Fails()));
    CHECK(absl::IsNotFound(Fails()));
    CHECK(Fails().code() == error::NOT_FOUND);
    CHECK(absl::InternalError("x") == errors::Internal("x"));
  }
  TEST_CASE("shapes") {
    TensorShape shape({2, 3, 4});
    CHECK(shape.AsEigenDSizesWithPadding<4>()[3] == 1);
    int64_t sum = 0;
    for (const TensorShapeDim dim : shape) sum += dim.size;
    CHECK(sum == 9);
    CHECK(SliceDebugString(shape, 17) == "[1,1,1]");
    CHECK(PartialTensorShape({-1, 2}).Concatenate(TensorShape({5})).DebugString() == "[?,2,5]");
    PartialTensorShape more;
    CHECK(PartialTensorShape({2}).ConcatenateWithStatus(-10, &more).ok());
    CHECK(more.DebugString() == "[2,?]");
    CHECK(more.IsValid());
    CHECK_FALSE(PartialTensorShape().IsValid());
    Eigen::DSizes<Eigen::DenseIndex, 2> sizes;
    CHECK(shape.AsEigenDSizesWithPaddingWithStatus<2>(&sizes).message() ==
          "Asking for tensor of at most 2 dimensions from a tensor of 3 dimensions");
    TensorShape made;
    CHECK(TensorShapeUtils::MakeShape(std::vector<int32>{4, 5}, &made).ok());
    CHECK(made == TensorShape({4, 5}));
    CHECK_FALSE(TensorShape::BuildTensorShape({-1}, &made).ok());
    int64_t count = 0;
    CHECK(TensorShapeUtils::NumElements({3, 4}, &count).ok());
    CHECK(count == 12);
  }
  TEST_CASE("views of tensors") {
    Tensor t(DT_FLOAT, {2, 3, 4});
    auto flat = t.flat<float>();
    for (int64_t i = 0; i < 24; ++i) flat(i) = static_cast<float>(i);
    CHECK(t.tensor<float, 3>()(1, 2, 3) == 23);
    CHECK(t.flat_inner_dims<float>().dimension(0) == 6);
    CHECK(t.flat_outer_dims<float>().dimension(1) == 12);
    CHECK(t.flat_inner_dims<float, 4>().dimension(0) == 1);
    CHECK(t.flat_outer_dims<float, 4>().dimension(3) == 1);
    const auto middle = t.flat_inner_outer_dims<float, 2>(1);
    CHECK(middle.dimension(0) == 6);
    CHECK(middle.dimension(1) == 4);
    CHECK(t.shaped<float, 2>({8, 3})(7, 2) == 23);
    CHECK(t.bit_casted_shaped<int32, 1>({24}).dimension(0) == 24);
    CHECK(t.reinterpret_last_dimension<std::complex<double>, 2>().dimension(1) == 3);
    CHECK(t.Slice(1, 2).unaligned_flat<float>()(0) == 12);
    CHECK(Tensor(2.5).scalar<double>()() == 2.5);
    CHECK(Tensor("text").scalar<tstring>()() == "text");
    Tensor h(DT_HALF, {1});
    h.flat<Eigen::half>()(0) = Eigen::half(1.5f);
    CHECK(static_cast<float>(h.flat<Eigen::half>()(0)) == 1.5f);
    Tensor sizes(DT_INT64, {2});
    sizes.vec<int64>()(0) = 3;
    sizes.vec<int64>()(1) = 5;
    TensorShape shape;
    CHECK(tensor::MakeShape(sizes, &shape).ok());
    CHECK(shape == TensorShape({3, 5}));
  }
  TEST_CASE("tensors of strings as TensorFlow 1 has them") {
    Tensor words(DT_STRING, TensorShape({2, 2}));
    auto flat = words.flat<string>();
    flat(0) = "a";
    flat(3) = string(100, 'b');
    const string last = words.matrix<string>()(1, 1);
    CHECK(last == string(100, 'b'));
    CHECK(static_cast<const Tensor&>(words).flat<tstring>()(0) == "a");
    Tensor one(DT_STRING, TensorShape());
    one.scalar<string>()() = flat(3);
    CHECK(one.scalar<string>()().size() == 100);
    CHECK(DataTypeToEnum<string>::v() == DT_STRING);
    static_assert(std::is_same_v<TTypes<string>::Flat, TTypes<tstring>::Flat>);
  }
  TEST_CASE("broadcasts") {
    const BCast plain(Vec{2, 3}, Vec{2, 3});
    CHECK(plain.IsValid());
    CHECK_FALSE(plain.IsBroadcastingRequired());
    CHECK(plain.result_shape() == Vec{6});
    const BCast b(Vec{11, 7, 5, 3, 2}, Vec{3, 1});
    CHECK(b.x_reshape() == Vec{385, 3, 2});
    CHECK(b.x_bcast() == Vec{1, 1, 1});
    CHECK(b.y_bcast() == Vec{385, 1, 2});
    CHECK(b.grad_x_reduce_idx().empty());
    CHECK(b.grad_y_reduce_idx() == Vec{0, 1, 2, 4});
    CHECK(BCast(Vec{1, 2}, Vec{2}).grad_y_reduce_idx() == Vec{0});
    CHECK(b.y_reshape() == Vec{1, 3, 1});
    CHECK_FALSE(BCast(Vec{2}, Vec{3}).IsValid());
    const BCast c(Vec{1, 5}, Vec{4, 1});
    CHECK(c.output_shape() == Vec{4, 5});
    CHECK(c.grad_x_reduce_idx() == Vec{0});
    CHECK(c.grad_y_reduce_idx() == Vec{1});
    const BCast indexed(Vec{1, 3}, Vec{2, 1}, true, true);
    CHECK(indexed.output_batch_size() == 6);
    CHECK(indexed.x_batch_indices() == std::vector<int64_t>{0, 1, 2, 0, 1, 2});
    CHECK(indexed.y_batch_indices() == std::vector<int64_t>{0, 0, 0, 1, 1, 1});
    CHECK(BCast(Vec{2, 1}, Vec{2, 1}, false).grad_x_reduce_idx() == Vec{1});
    CHECK(BCast(Vec{2, 1}, Vec{2, 1}, false).x_reshape() == Vec{2, 1});
  }
  TEST_CASE("broadcasts of three shapes") {
    const BCastList<3> list({Vec{2, 1, 3}, Vec{1, 4, 3}, Vec{3}});
    CHECK(list.IsValid());
    CHECK(list.output_shape() == Vec{2, 4, 3});
    CHECK(list.reshape(0) == Vec{2, 1, 3});
    CHECK(list.bcast(0) == Vec{1, 4, 1});
    CHECK(list.reshape(2) == Vec{1, 1, 3});
    CHECK(list.bcast(2) == Vec{2, 4, 1});
    CHECK(list.grad_reduce_idx(2) == Vec{0, 1});
    CHECK_FALSE(BCastList<3>({Vec{2}, Vec{1}, Vec{3}}).IsValid());
  }
  TEST_CASE("broadcasts of batches of matrices") {
    const MatMulBCast b(Vec{2, 1, 5, 6}, Vec{3, 6, 7});
    CHECK(b.IsValid());
    CHECK(b.IsBroadcastingRequired());
    CHECK(b.x_batch_size() == 2);
    CHECK(b.y_batch_size() == 3);
    CHECK(b.output_batch_shape() == TensorShape({2, 3}));
    CHECK(b.x_batch_indices() == std::vector<int64_t>{0, 0, 0, 1, 1, 1});
    CHECK(b.y_batch_indices() == std::vector<int64_t>{0, 1, 2, 0, 1, 2});
    CHECK(MatMulBCast(Vec{5}, Vec{5, 2}).IsValid());  // without batches
    CHECK_FALSE(MatMulBCast(Vec{5}, Vec{2, 5, 2}).IsValid());
    const MatMulBCast one(Vec{1, 5, 6}, Vec{6, 7});  // a batch of one matrix and none
    CHECK_FALSE(one.IsBroadcastingRequired());
    CHECK(one.x_batch_indices().empty());
    CHECK(one.output_batch_shape() == TensorShape({1}));
    CHECK(BCast(Vec{10, -7, 3}, Vec{10, 1, 1}, false).output_batch_size() == -1);
    CHECK_FALSE(MatMulBCast(Vec{2, 5, 6}, Vec{3, 6, 7}).IsValid());
  }
  TEST_CASE("common shape functions of TensorFlow by name") {
    namespace fns = shape_inference;
    typedef Status (*Function)(tenon::InferenceContext*);
    const Function all[] = {
        fns::AvgPool3DGradShape,
        fns::AvgPoolGradShape,
        fns::AvgPoolShape,
        fns::BatchMatMulShape,
        fns::BatchMatMulV2Shape,
        fns::BiasAddGradShape,
        fns::BiasAddShape,
        fns::BroadcastBinaryOpShapeFn,
        fns::ConcatV2Shape,
        fns::Conv2DBackpropFilterShape,
        fns::Conv2DBackpropFilterWithBiasShape,
        fns::Conv2DBackpropInputShape,
        fns::Conv2DShape,
        fns::Conv2DShapeWithExplicitPadding,
        fns::Conv3DShape,
        fns::ConvShape,
        fns::DepthwiseConv2DNativeShape,
        fns::DepthwiseConv2DNativeShapeWithExplicitPadding,
        fns::EinsumShape,
        fns::ExplicitShape,
        fns::ExplicitShapes,
        fns::FusedBatchNormExShape,
        fns::FusedBatchNormGradExShape,
        fns::FusedBatchNormGradShape,
        fns::FusedBatchNormShape,
        fns::FusedBatchNormV3Shape,
        fns::FusedQuantizedConv2DShape,
        fns::FusedQuantizedDepthwiseConv2D,
        fns::GatherNdShape,
        fns::MatMulShape,
        fns::MatrixDiagPartV2Shape,
        fns::MatrixDiagV2Shape,
        fns::MatrixSetDiagV2Shape,
        fns::MaxPool3DGradShape,
        fns::MaxPoolGradShape,
        fns::MaxPoolShape,
        fns::MaxPoolShapeWithExplicitPadding,
        fns::MergeBothInputsShapeFn,
        fns::NoOutputs,
        fns::Pool3DShape,
        fns::QuantizeV2Shape,
        fns::QuantizedAvgPoolShape,
        fns::QuantizedConv2DShape,
        fns::RandomShape,
        fns::ReduceScatterShape,
        fns::ReductionShape,
        fns::ScalarShape,
        fns::ScatterNdShape,
        fns::SegmentReductionWithNumSegmentsShapeFn,
        fns::SliceShape,
        fns::SparseReduceShapeFn,
        fns::StridedSliceShape,
        fns::TensorScatterShape,
        fns::UnchangedShape,
        fns::UnknownShape,
    };
    for (const Function function : all) CHECK((function != nullptr));
    CHECK(std::size(all) == 55);
    typedef Status (*Counted)(tenon::InferenceContext*, int);
    const Counted counted[] = {fns::BroadcastBinaryOpOutputShapeFn, fns::ConcatShape, fns::MaxPoolV2Shape,
                               fns::QuantizedConcatV2Shape};
    for (const Counted function : counted) CHECK((function != nullptr));
  }
  TEST_CASE("shapes in the order of a format") {
    shape_inference::InferenceContext c;
    shape_inference::ShapeHandle shape;
    CHECK(shape_inference::MakeShapeFromFormat(FORMAT_NCHW, 2, {5, 6}, 3, &shape, &c).ok());
    CHECK(c.DebugString(shape) == "[2,3,5,6]");
    CHECK(shape_inference::InferenceContext::Rank(shape) == 4);
    CHECK(shape_inference::InferenceContext::RankKnown(shape));
    CHECK(shape_inference::MakeShapeFromFormat(FORMAT_NHWC, 2, {4, 5, 6}, 3, &shape, &c).ok());
    CHECK(c.DebugString(shape) == "[2,4,5,6,3]");
    CHECK(shape_inference::MakeShapeFromFormat(FORMAT_NCHW_VECT_C, 2, {5, 6}, 3, &shape, &c).ok());
    CHECK(c.DebugString(shape) == "[2,3,5,6,4]");
  }
  TEST_CASE("formats of images") {
    TensorFormat format;
    CHECK(FormatFromString("NCHW", &format));
    CHECK(GetTensorDim(TensorShape({1, 2, 3, 4}), format, 'C') == 2);
    CHECK(GetTensorDim(TensorShape({1, 2, 3, 4}), FORMAT_NHWC, 'C') == 4);
    CHECK(GetTensorDimIndex(FORMAT_NHWC, '1', 4) == 2);
    CHECK(GetTensorDimIndex(FORMAT_HWCN, 'N', 4) == 3);
    CHECK(ShapeFromFormat(FORMAT_NCHW, 1, 2, 3, 4) == TensorShape({1, 4, 2, 3}));
    CHECK_FALSE(FormatFromString("XYZ", &format));
    int64_t size = 0, before = 0;
    CHECK(GetWindowedOutputSize(10, 3, 2, SAME, &size, &before).ok());
    CHECK(size == 5);
    CHECK(before == 0);
  }
  TEST_CASE("containers") {
    std::unordered_map<std::string, int> map{{"a", 1}};
    CHECK(gtl::FindWithDefault(map, "b", 7) == 7);
    CHECK(*gtl::FindOrNull(map, "a") == 1);
    CHECK(gtl::InsertIfNotPresent(&map, "b", 2));
    CHECK_FALSE(gtl::InsertIfNotPresent(&map, "b", 3));
    int calls = 0;
    {
      const auto cleanup = gtl::MakeCleanup([&calls] { ++calls; });
    }
    CHECK(calls == 1);
  }
  TEST_CASE("random numbers by Philox: the words of the published test") {
    random::PhiloxRandom zero(0);
    const auto words = zero();
    CHECK(words[0] == 0x6627e8d5);
    CHECK(words[1] == 0xe169c58d);
    CHECK(words[2] == 0xbc57ac4c);
    CHECK(words[3] == 0x9b00dbd8);
    random::PhiloxRandom a(1, 2), b(1, 2);
    a.Skip(3);
    for (int i = 0; i < 3; ++i) b();
    CHECK(a()[0] == b()[0]);
  }
  TEST_CASE("files, paths and settings") {
    CHECK(io::JoinPath("a", "b", "/c") == "a/b/c");
    CHECK(io::Basename("a/b.c") == "b.c");
    CHECK(io::Dirname("a/b.c") == "a");
    CHECK(io::CommonPathPrefix({"/a/bc/d", "/a/be"}) == "/a/");
    CHECK(io::CommonPathPrefix({"alpha", "alphabeta"}).empty());
    CHECK(io::CommonPathPrefix({}).empty());
    CHECK(io::Extension("a/b.c") == "c");
    bool value = true;
    CHECK(ReadBoolFromEnvVar("TENON_NO_SUCH_VARIABLE", false, &value).ok());
    CHECK_FALSE(value);
    const std::string path = io::JoinPath(std::filesystem::temp_directory_path().string(), "tenon_compat_values_test");
    REQUIRE(WriteStringToFile(Env::Default(), path, "some text").ok());
    std::string text;
    CHECK(ReadFileToString(Env::Default(), path, &text).ok());
    CHECK(text == "some text");
    CHECK(Env::Default()->DeleteFile(path).ok());
    CHECK(errors::IsNotFound(ReadFileToString(Env::Default(), path, &text)));
  }
}
}  // namespace compat_values_test
