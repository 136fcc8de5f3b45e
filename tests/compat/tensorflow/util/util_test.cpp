// SPDX-License-Identifier: Apache-2.0
// Rows, slices, features, sparse tensors, names of devices.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/compat/tensorflow/util/batch_util.hpp>
#include <tenon/compat/tensorflow/base/device_names.hpp>
#include <tenon/compat/tensorflow/util/feature_util.hpp>
#include <tenon/compat/tensorflow/util/ops_util.hpp>
#include <tenon/compat/tensorflow/util/sparse_tensor.hpp>
#include <tenon/compat/tensorflow/util/tensor_slice.hpp>

namespace compat_util_test {
using namespace tensorflow;
namespace {
Tensor Iota(std::initializer_list<int64_t> sizes) {
  Tensor out(DT_INT32, sizes);
  for (int64_t i = 0; i < out.NumElements(); ++i) out.flat<int32>()(i) = static_cast<int32>(i);
  return out;
}
}  // namespace

TEST_SUITE("TensorFlow's utilities") {
  TEST_CASE("rows of tensors") {
    Tensor batch = Iota({3, 2}), row(DT_INT32, {2});
    CHECK(batch_util::CopySliceToElement(batch, &row, 1).ok());
    CHECK(row.flat<int32>()(1) == 3);
    CHECK(batch_util::CopyElementToSlice(row, &batch, 2).ok());
    CHECK(batch.flat<int32>()(5) == 3);
    CHECK_FALSE(batch_util::CopyElementToSlice(row, &batch, 3).ok());
    Tensor larger(DT_INT32, {2, 2, 3});
    larger.flat<int32>().setZero();
    CHECK(batch_util::CopyElementToLargerSlice(Iota({2, 2}), &larger, 1).ok());
    CHECK(larger.tensor<int32, 3>()(1, 1, 1) == 3);
    CHECK(larger.tensor<int32, 3>()(1, 1, 2) == 0);
    CHECK_FALSE(batch_util::CopyElementToLargerSlice(Iota({3, 2}), &larger, 1).ok());
    CHECK_FALSE(batch_util::CopyElementToLargerSlice(Iota({2, 2}), &larger, 2).ok());
    Tensor joined;
    CHECK(tensor::Concat({Iota({2, 2}), Iota({1, 2})}, &joined).ok());
    CHECK(joined.shape() == TensorShape({3, 2}));
    std::vector<Tensor> parts;
    CHECK(tensor::Split(joined, {1, 2}, &parts).ok());
    CHECK(parts[1].flat<int32>()(2) == 0);
    CHECK_FALSE(tensor::Split(joined, {1, 1}, &parts).ok());
    CHECK(tensor::CreateTensorProto(std::vector<int32>{1, 2}, {2}).dtype() == DT_INT32);
    CHECK(tensor::CreateTensorProto(std::vector<int32>{1, 2}, {3}).dtype() == DT_INVALID);
  }
  TEST_CASE("elements in the fields of TensorProtos") {
    const TensorProto texts = tensor::CreateTensorProto(std::vector<std::string>{"a", "b"}, {1, 2});
    CHECK(texts.string_val_size() == 2);
    CHECK(texts.string_val(1) == "b");
    using tensor::internal::TensorProtoHelper;
    TensorProto proto;
    TensorProtoHelper<complex64>::AddValue(complex64(1, 2), &proto);
    TensorProtoHelper<Eigen::half>::AddValue(Eigen::half(1.5f), &proto);
    CHECK(TensorProtoHelper<complex64>::NumValues(proto) == 1);
    CHECK(TensorProtoHelper<complex64>::GetValue(0, proto) == complex64(1, 2));
    CHECK(proto.half_val(0) == 0x3e00);
    CHECK(static_cast<float>(TensorProtoHelper<Eigen::half>::GetValue(0, proto)) == 1.5f);
    CHECK(TensorProtoHelper<uint8>::NumValues(proto) == 0);
    CHECK(TensorProtoHelper<uint8>::GetDataType() == DT_UINT8);
  }
  TEST_CASE("slices") {
    const TensorSlice a = TensorSlice::ParseOrDie("-:0,4"), b({{1, 2}, {2, 4}});
    TensorSlice both;
    CHECK(a.Intersect(b, &both));
    CHECK(both.DebugString() == "1,2:2,2");
    CHECK(a.Covers(both));
    CHECK_FALSE(both.Covers(a));
    TensorShape shape;
    CHECK(b.SliceTensorShape(TensorShape({5, 6}), &shape).ok());
    CHECK(shape == TensorShape({2, 4}));
    CHECK_FALSE(b.SliceTensorShape(TensorShape({5, 5}), &shape).ok());
    TensorSliceProto proto;
    a.AsProto(&proto);
    CHECK(TensorSlice(proto) == a);
    TensorSlice parsed;
    CHECK_FALSE(TensorSlice::Parse("x", &parsed).ok());
    TensorSlice relative;
    TensorSlice::ParseOrDie("1,2:-").ComputeRelative(TensorSlice::ParseOrDie("2,1:3,4"), &relative);
    CHECK(relative.DebugString() == "1,1:3,4");
    CHECK(TensorSlice::ParseOrDie("9223372036854775807,9223372036854775807").end(0) == kint64max);
    proto.Clear();
    proto.add_extent()->set_start(1);
    CHECK(TensorSlice(proto).DebugString() == "1,-1");
    CHECK_FALSE(TensorSlice::BuildTensorSlice(proto, &parsed).ok());
  }
  TEST_CASE("features of examples") {
    Example example;
    AppendFeatureValues({1, 2}, "n", &example);
    AppendFeatureValues({3}, "n", &example);
    SetFeatureValues({"x", "y"}, "s", &example);
    CHECK(GetFeatureValues<int64_t>("n", example).size() == 3);
    CHECK(GetFeatureValues<std::string>("s", example).Get(1) == "y");
    CHECK(HasFeature("n", example));
    CHECK(HasFeature<int64_t>("n", example));
    CHECK_FALSE(HasFeature<float>("n", example));
    CHECK_FALSE(HasFeature("none", example));
  }
  TEST_CASE("sparse tensors") {
    Tensor indices(DT_INT64, {2, 2}), values(DT_FLOAT, {2});
    indices.matrix<std::int64_t>()(0, 0) = 1;
    indices.matrix<std::int64_t>()(0, 1) = 0;
    indices.matrix<std::int64_t>()(1, 0) = 0;
    indices.matrix<std::int64_t>()(1, 1) = 2;
    values.vec<float>()(0) = 5;
    values.vec<float>()(1) = 6;
    sparse::SparseTensor sparse;
    REQUIRE(sparse::SparseTensor::Create(indices, values, TensorShape({2, 3}), &sparse).ok());
    CHECK_FALSE(sparse.IndicesValid().ok());
    sparse.Reorder<float>({0, 1});
    CHECK(sparse.IndicesValid().ok());
    CHECK(sparse.values().vec<float>()(0) == 6);
    Tensor dense(DT_FLOAT, {2, 3});
    CHECK(sparse.ToDense<float>(&dense));
    CHECK(dense.matrix<float>()(1, 0) == 5);
    Tensor small(DT_FLOAT, {2, 2});
    CHECK_FALSE(sparse.ToDense<float>(&small));
    CHECK_FALSE(sparse::SparseTensor::Create(indices, values, TensorShape({2}), &sparse).ok());
  }
  TEST_CASE("names and strides") {
    DeviceNameUtils::ParsedName name;
    CHECK(DeviceNameUtils::ParseFullName("/job:a/replica:0/task:1/device:GPU:2", &name));
    CHECK(name.type == "GPU");
    CHECK(name.id == 2);
    CHECK(DeviceNameUtils::ParsedNameToString(name) == "/job:a/replica:0/task:1/device:GPU:2");
    CHECK(DeviceNameUtils::ParseFullName("/cpu:*", &name));
    CHECK_FALSE(name.has_id);
    CHECK_FALSE(DeviceNameUtils::ParseFullName("x", &name));
    CHECK(ComputeStride<int64_t>(TensorShape({2, 3, 4}))[0] == 12);
    MovingAverage average(2);
    for (const double x : {1.0, 2.0, 4.0}) average.AddValue(x);
    CHECK(average.GetAverage() == 3);
  }
  TEST_CASE("groups of sparse tensors") {
    Tensor indices(DT_INT64, {4, 2}), values(DT_FLOAT, {4});
    const int64_t at[] = {0, 1, 0, 3, 2, 0, 2, 2};
    for (int i = 0; i < 8; ++i) indices.flat<int64_t>()(i) = at[i];
    for (int i = 0; i < 4; ++i) values.flat<float>()(i) = static_cast<float>(i);
    sparse::SparseTensor sparse;
    REQUIRE(sparse::SparseTensor::Create(indices, values, TensorShape({3, 4}), &sparse).ok());
    std::vector<std::vector<int64_t>> groups;
    std::vector<float> sums;
    for (const sparse::Group& group : sparse.group({0})) {
      groups.push_back(group.group());
      CHECK(group.group_at(0) == group.group()[0]);
      CHECK(group.indices()(0, 0) == group.group()[0]);
      const auto held = group.values<float>();
      sums.push_back(held(0) + held(held.size() - 1));
    }
    CHECK(groups == std::vector<std::vector<int64_t>>{{0}, {2}});
    CHECK(sums == std::vector<float>{1, 5});
    CHECK(sparse.PickDims({1}) == std::vector<int64_t>{4});
    const sparse::SparseTensor none(Tensor(DT_INT64, {0, 2}), Tensor(DT_FLOAT, {0}), TensorShape({3, 4}));
    const auto no_groups = none.group({0});
    CHECK(no_groups.begin() == no_groups.end());
    const sparse::DimComparator less(indices.matrix<int64_t>(), {1}, {});
    CHECK(less(2, 0));
    CHECK_FALSE(less(1, 3));
  }
}
}  // namespace compat_util_test
