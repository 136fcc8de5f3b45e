// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/copies.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include <tenon/types/complex.hpp>
#include <tenon/tensor/variant.hpp>

#include "memory/device_memory.hpp"
#include "tensor/filled.hpp"

namespace copies_test {
using namespace tenon;
using namespace filled_tensors;
using tenon::testing::DeviceMemory;
using tensor::Equality;

TEST_SUITE("DeepCopy") {
  TEST_CASE("copies every dtype, aligned or not, into memory of its own") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      const Tensor a = Filled(type, {3, 5});
      for (const Tensor& from : {a, Misaligned(a), a.Slice(0, 3)}) {
        const Result<Tensor> copy = tensor::DeepCopy(from);
        REQUIRE(copy.ok());
        CHECK(tensor::CheckEqual(*copy, a, Equality::kBits).ok());
        CHECK_FALSE(copy->SharesBufferWith(from));
        CHECK(copy->RefCountIsOne());
      }
    }
  }
  TEST_CASE("copies tensors without elements") {
    for (const DataType type : kAllTypes) {
      const Result<Tensor> copy = tensor::DeepCopy(Tensor(type, {0, 3}, nullptr));
      REQUIRE(copy.ok());
      CHECK(copy->dtype() == type);
      CHECK(copy->shape() == TensorShape{0, 3});
    }
  }
  TEST_CASE("says why there is no copy") {
    const Tensor none(DataType::kFloat, {2}, nullptr);
    CHECK(tensor::DeepCopy(none).status().code() == Code::kFailedPrecondition);
    CHECK(tensor::DeepCopy(none).status().message() ==
          "DeepCopy: the tensor of type float and shape [2] is not initialised; its elements must have memory");
    DeviceMemory device;
    CHECK(tensor::DeepCopy(Tensor(&device, DataType::kFloat, {2})).status().message() ==
          "DeepCopy: the tensor of type float and shape [2] is in device memory; copy it to the host before");
    CHECK(errors::IsInternal(tensor::DeepCopy(Tensor(static_cast<DataType>(101), {2}, nullptr)).status()));
    Tensor to(DataType::kFloat, {3});
    Tensor strings = Filled(DataType::kString, {3}), rest = strings.Slice(1, 3);
    CHECK(tensor::DeepCopy(strings.Slice(0, 2), &rest).ok());  // overlapping
    CHECK(tensor::Equal(rest, Filled(DataType::kString, {2})));
    CHECK(tensor::DeepCopy(Tensor(DataType::kInt32, {3}), &to).message() ==
          "DeepCopy: both tensors must have the same type and shape, got int32 [3] and float [3]");
  }
}

TEST_SUITE("Concat and Split") {
  TEST_CASE("are the reverse of each other for every dtype") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      const Tensor a = Filled(type, {2, 3}), b = Filled(type, {0, 3}), c = Filled(type, {3, 3}, 6);
      const Tensor parts[] = {a, b, Misaligned(c)};
      const Result<Tensor> whole = tensor::Concat(parts);
      REQUIRE(whole.ok());
      CHECK(tensor::CheckEqual(*whole, Filled(type, {5, 3}), Equality::kBits).ok());
      std::vector<Tensor> again;
      const Index sizes[] = {2, 0, 3};
      for (const Tensor& from : {*whole, Misaligned(*whole)}) {
        REQUIRE(tensor::Split(from, sizes, &again).ok());
        REQUIRE(again.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
          CHECK(tensor::CheckEqual(again[i], parts[i], Equality::kBits).ok());
          CHECK_FALSE(again[i].SharesBufferWith(from));
        }
      }
    }
  }
  TEST_CASE("of vectors, and of nothing but empty tensors") {
    const Tensor parts[] = {MakeTensor<float>({1}, {1}), MakeTensor<float>({2}, {2, 3})};
    CHECK(tensor::Equal(tensor::Concat(parts).value(), MakeTensor<float>({3}, {1, 2, 3})));
    const Tensor empty[] = {Tensor(DataType::kVariant, {0, 7}, nullptr), Tensor(DataType::kVariant, {0, 7}, nullptr)};
    CHECK(tensor::Concat(empty).value().shape() == TensorShape{0, 7});
    SlimVector<Tensor> split;
    CHECK(tensor::Split(Tensor(DataType::kFloat, {0}), {}, &split).ok());
    CHECK(split.empty());
    const Index sizes[] = {3, 2};
    REQUIRE(tensor::Split(Tensor(DataType::kString, {5, 0}), sizes, &split).ok());
    CHECK(split[1].shape() == TensorShape{2, 0});
  }
  TEST_CASE("Concat refuses with TensorFlow's texts") {
    CHECK(tensor::Concat({}).status().message() == "Cannot concatenate zero tensors");
    const Tensor scalar[] = {Tensor::Scalar(1.0f)};
    CHECK(tensor::Concat(scalar).status().message() == "Cannot concatenate a zero-dimensional tensor");
    const Tensor types[] = {Tensor(DataType::kFloat, {1}), Tensor(DataType::kInt32, {1})};
    CHECK(tensor::Concat(types).status().message() ==
          "Cannot concatenate tensors that have different data types. Got float and int32.");
    CHECK(errors::IsInvalidArgument(tensor::Concat(types).status()));
    const Tensor shapes[] = {Tensor(DataType::kFloat, {1, 2}), Tensor(DataType::kFloat, {1, 3})};
    CHECK(tensor::Concat(shapes).status().message() ==
          "Concat: all dimensions but the first must agree, got [1,2] and [1,3]");
    const Tensor references[] = {Tensor(static_cast<DataType>(101), {1}, nullptr)};
    CHECK(tensor::Concat(references).status().code() == Code::kInternal);
    CHECK(tensor::Concat(references).status().message() == "Concat: Unexpected data type float_ref");
    const Index huge = std::numeric_limits<Index>::max();
    const Tensor many[] = {Tensor(DataType::kFloat, {huge, 0}), Tensor(DataType::kFloat, {huge, 0})};
    CHECK(errors::IsInvalidArgument(tensor::Concat(many).status()));
  }
  TEST_CASE("Split refuses with TensorFlow's texts") {
    SlimVector<Tensor> parts(2);
    const Index two[] = {2};
    CHECK(tensor::Split(Tensor::Scalar(1.0f), two, &parts).message() == "Cannot split a zero-dimensional tensor");
    const Tensor t(DataType::kFloat, {3});
    for (const auto& sizes : {std::vector<Index>{2}, {2, 2}, {}, {std::numeric_limits<Index>::max(), 3}}) {
      const Status s = tensor::Split(t, sizes, &parts);
      CHECK(errors::IsInvalidArgument(s));
      CHECK(s.message() == "The values in 'sizes' do not sum to the zeroth-dimension size of 'tensor'");
    }
    const Index negative[] = {4, -1};
    CHECK(tensor::Split(t, negative, &parts).code() == Code::kInvalidArgument);
    CHECK(parts.size() == 2);  // as before
  }
}
}  // namespace copies_test
