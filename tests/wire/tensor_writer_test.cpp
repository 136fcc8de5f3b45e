// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/tensor_writer.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/types/numeric.hpp>
#include "wire/tensor_pieces.hpp"

namespace tensor_writer_test {
using namespace tenon;
using namespace tenon::testing;
using namespace std::string_literals;

TEST_SUITE("TensorToProto") {
  TEST_CASE("a variant whose type cannot be serialised keeps its type's name") {
    struct Stuck {
      std::string text;
      static std::string TypeName() { return "Stuck"; }
    };
    std::string proto;
    TensorToProto(Tensor::Scalar(Variant(Stuck{"x"})), &proto);
    CHECK(proto == Proto(DataType::kVariant, {}, Bytes(15, Bytes(1, "Stuck"))));
  }
  TEST_CASE("one element goes to its typed field, more go to tensor_content") {
    std::string one, two;
    TensorToProto(Tensor::Scalar(1.0f), &one);
    CHECK(one == "\x08\x01\x12\x00\x2a\x04\x00\x00\x80\x3f"s);
    TensorToProto(MakeTensor<float>({2}, {1, 2}), &two);
    CHECK(two == Proto(DataType::kFloat, {2}, Bytes(4, Raw<float>({1, 2}))));
  }
  TEST_CASE("a long repetition at the end is written short, zeros not at all, negative zero is kept") {
    Tensor t(DataType::kFloat, {1000});
    for (Index i = 0; i < 1000; ++i) t.flat<float>()[i] = i == 0 ? 5.0f : 7.0f;
    std::string proto;
    TensorToProto(t, &proto);
    CHECK(proto == Proto(DataType::kFloat, {1000}, Bytes(5, Raw<float>({5, 7}))));
    for (Index i = 0; i < 1000; ++i) t.flat<float>()[i] = 0.0f;
    proto.clear();
    TensorToProto(t, &proto);
    CHECK(proto == Proto(DataType::kFloat, {1000}, ""));
    for (Index i = 0; i < 1000; ++i) t.flat<float>()[i] = -0.0f;
    proto.clear();
    TensorToProto(t, &proto);
    CHECK(proto == Proto(DataType::kFloat, {1000}, Bytes(5, Raw<float>({-0.0f}))));
  }
  TEST_CASE("a tensor without elements is dtype and shape") {
    std::string proto;
    TensorToProto(Tensor(DataType::kInt32, TensorShape({0, 3})), &proto);
    CHECK(proto == Proto(DataType::kInt32, {0, 3}, ""));
  }
  TEST_CASE("variants are written as deep as readers go, and a bounded number of times") {
    struct Twice {
      Tensor held;
      static std::string TypeName() { return "Twice"; }
      void Encode(VariantTensorData* data) const { data->tensors = {held, held}; }
    };
    const auto chain = [](int depth) {
      Tensor tensor = Tensor::Scalar(1.0f);
      for (int i = 0; i < depth; ++i) tensor = Tensor::Scalar(Variant(tensor));
      return tensor;
    };
    CHECK(CheckTensorCanBeWritten(chain(0)).ok());
    CHECK(CheckTensorCanBeWritten(Tensor::Scalar(Variant())).ok());
    std::string proto;
    TensorToProto(chain(wire::kMaxVariantDepth), &proto);
    CHECK(CheckTensorCanBeWritten(chain(wire::kMaxVariantDepth)).ok());
    CHECK(TensorFromProto(wire::AsBytes(proto)).ok());
    const Status deep = CheckTensorCanBeWritten(chain(wire::kMaxVariantDepth + 1));
    CHECK(errors::IsInvalidArgument(deep));
    CHECK(deep.message() == "variants are nested more than 48 deep, which is the most that readers accept");
    Tensor twice = Tensor::Scalar(1.0f);  // 2^40 tensors
    for (int i = 0; i < 40; ++i) twice = Tensor::Scalar(Variant(Twice{twice}));
    CHECK(errors::IsResourceExhausted(CheckTensorCanBeWritten(twice)));
  }
}
}  // namespace tensor_writer_test
