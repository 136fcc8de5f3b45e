// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/identity.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_identity_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Identity") {
  TEST_CASE_TEMPLATE("gives its input, in the same memory", T, float, double, half, bfloat16, bool, std::int8_t,
                     std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                     std::uint64_t, complex64, complex128, qint8, quint8, qint16, quint16, qint32, float8_e5m2,
                     float8_e4m3fn, int4, uint4) {
    const Tensor x = Tensor::Zeros<T>({2, 3}), y = Run<ops::Identity>({}, {x});
    CHECK(SameTensor(x, y));
    CHECK(y.SharesBufferWith(x));
  }
  TEST_CASE("gives strings and resources too") {
    const Tensor text =
        MakeTensor<tstring>({2}, {tstring("short"), tstring("a text that is too long for the string object itself")});
    CHECK(SameTensor(Run<ops::Identity>({}, {text}), text));
    const Tensor handle(DataType::kResource, {1});
    CHECK(Run<ops::Identity>({}, {handle}).SharesBufferWith(handle));
  }
  TEST_CASE("gives scalars and empty tensors") {
    CHECK(Run<ops::Identity>({}, {Tensor::Scalar(5.0)}).scalar<double>()() == 5);
    const Tensor empty = Run<ops::Identity>({}, {Tensor(DataType::kHalf, {3, 0, 2})});
    CHECK(empty.dtype() == DataType::kHalf);
    CHECK(empty.shape() == TensorShape{3, 0, 2});
  }
  TEST_CASE("nobody overwrites what it shares") {
    GraphBuilder b;
    const Output same = b.Add("Identity", "same", {b.Placeholder("x", DataType::kFloat)});
    b.Add("Neg", "negative", {b.Add("Identity", "again", {same})});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Tensor x = Make<float>({3}, {1, 2, 3});
    const Result<std::vector<Tensor>> outputs = session->Run({{"x", x}}, {"negative"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK(Numbered<float>((*outputs)[0]) == std::vector<double>{-1, -2, -3});
    CHECK(Numbered<float>(x) == std::vector<double>{1, 2, 3});
  }
  TEST_CASE("asks for no memory") { CHECK(FailEveryAllocation<ops::Identity>({}, {Make<float>({2}, {1})}) == 0); }
}

TEST_SUITE("_ListToArray, _ArrayToList") {
  TEST_CASE("give their inputs") {
    const Tensor x = Make<float>({2}, {1, 2}), y = Make<float>({}, {3});
    const AttrValue two(std::int64_t{2}), type(DataType::kFloat);
    AttrValue types;
    types.mutable_list()->type = {DataType::kFloat, DataType::kFloat};
    for (const bool to_array : {false, true}) {
      const char* const op = to_array ? "_ListToArray" : "_ArrayToList";
      const char* const list = to_array ? "Tin" : "out_types";
      const Result<std::vector<Tensor>> out = CallOp(op, {{"N", two}, {"T", type}, {list, types}}, {x, y}, 2);
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK(SameTensor((*out)[0], x));
      CHECK(SameTensor((*out)[1], y));
      AttrValue wrong = types;
      wrong.mutable_list()->type[1] = DataType::kInt32;
      CHECK_FALSE(CallOp(op, {{"N", two}, {"T", type}, {list, wrong}}, {x, y}, 2).ok());
    }
  }
}
}  // namespace array_identity_test
