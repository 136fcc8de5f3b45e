// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/tensor_writer.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/types/numeric.hpp>
#include "wire/tensor_pieces.hpp"

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
}
