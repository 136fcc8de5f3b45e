// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/constant.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace io_constant_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

AttrArgs Value(const Tensor& value) { return {{"dtype", value.dtype()}, {"value", value}}; }

}  // namespace

TEST_SUITE("Const") {
  TEST_CASE_TEMPLATE("gives its value, in the same memory every time", T, float, double, half, bfloat16, std::int8_t,
                     std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                     std::uint64_t, complex64, complex128) {
    const Tensor value = Random<T>({2, 3}, 1);
    CHECK(SameTensor(Run<ops::Const>(Value(value), {}), value));
    GraphBuilder b;
    b.Const("c", value);
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto first = session->Run({}, {"c"}), second = session->Run({}, {"c"});
    REQUIRE(first.ok());
    REQUIRE(second.ok());
    CHECK((*first)[0].SharesBufferWith((*second)[0]));
  }
  TEST_CASE("may be a text, a scalar, a truth, empty") {
    const Tensor text =
        MakeTensor<tstring>({2}, {tstring(""), tstring("a text that is too long for the string object itself")});
    CHECK(SameTensor(Run<ops::Const>(Value(text), {}), text));
    CHECK(Run<ops::Const>(Value(Tensor::Scalar(true)), {}).scalar<bool>()());
    const Tensor empty = Run<ops::Const>(Value(Tensor(DataType::kQint8, {2, 0})), {});
    CHECK(empty.dtype() == DataType::kQint8);
    CHECK(empty.shape() == TensorShape{2, 0});
  }
  TEST_CASE("no op ever writes into it") {
    GraphBuilder b;
    const Output c = b.Const("c", Make<float>({3}, {1, 2, 3}));
    b.Add("Neg", "negative", {c});
    b.Add("AddV2", "sum", {b.Add("Identity", "same", {c}), b.Placeholder("x", DataType::kFloat)});
    const Result<Session> session = Session::FromGraph(b, {.constant_folding = false});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    for (int run = 0; run < 2; ++run) {
      const auto outputs = session->Run({{"x", Tensor::Scalar(10.0f)}}, {"negative", "sum", "c"});
      REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
      CHECK(Numbered<float>((*outputs)[0]) == std::vector<double>{-1, -2, -3});
      CHECK(Numbered<float>((*outputs)[1]) == std::vector<double>{11, 12, 13});
      CHECK(Numbered<float>((*outputs)[2]) == std::vector<double>{1, 2, 3});
    }
  }
  TEST_CASE("can be fed like anything else") {
    GraphBuilder b;
    b.Add("Neg", "negative", {b.Const("c", Make<float>({3}, {1, 2, 3}))});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto outputs = session->Run({{"c", Tensor::Scalar(5.0f)}}, {"negative"});
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK((*outputs)[0].scalar<float>()() == -5);
  }
  TEST_CASE("refuses a value of another type than it declares, when it runs") {
    CHECK(ErrorOf<ops::Const>({{"dtype", DataType::kInt32}, {"value", Tensor::Scalar(1.0f)}}, {}) ==
          "INVALID_ARGUMENT: Type mismatch between value (float) and dtype (int32)");
  }
  TEST_CASE("refuses contents that do not fit their shape, when it runs") {
    const Status why = errors::InvalidArgument("Cannot parse tensor from tensor_proto.");
    CHECK(ErrorOf<ops::Const>({{"dtype", DataType::kInt32}, {"value", AttrValue::UndecodedTensor("", why)}}, {})
              .find("can't be converted to a Tensor: Cannot parse tensor from tensor_proto.") != std::string::npos);
  }
  TEST_CASE("refuses a value without memory") {
    CHECK(ErrorOf<ops::Const>(Value(Tensor(DataType::kFloat, TensorShape({2}), nullptr)), {}) ==
          "RESOURCE_EXHAUSTED: Const: the value has no memory; type float, shape [2]");
  }
  TEST_CASE("has the shape that it names, whatever its contents are") {
    NodeDef node;
    node.attr = {
        {"dtype", DataType::kInt32},
        {"value", AttrValue::UndecodedTensor("", errors::InvalidArgument("too short"), PartialTensorShape({2, 3}))}};
    constexpr OpView op = ops::Const::signature.view();
    InferenceContext context(kGraphDefVersion, &node, &op, {});
    REQUIRE(op.shape_fn(&context).ok());
    CHECK(context.DebugString(context.output(0)) == "[2,3]");
  }
  TEST_CASE("wants both attrs") {
    CHECK(ErrorOf<ops::Const>({{"dtype", DataType::kInt32}}, {})
              .find("INVALID_ARGUMENT: NodeDef missing attr 'value' from Op<name=Const; ") == 0);
    CHECK(ErrorOf<ops::Const>({{"value", Tensor::Scalar(1.0f)}}, {})
              .find("INVALID_ARGUMENT: NodeDef missing attr 'dtype' from Op<name=Const; ") == 0);
    CHECK(ErrorOf<ops::Const>({{"dtype", DataType::kInt32}, {"value", 7}}, {})
              .find("INVALID_ARGUMENT: AttrValue had value with type 'int' when 'tensor' expected") == 0);
  }
  TEST_CASE("asks for no memory") { CHECK(FailEveryAllocation<ops::Const>(Value(Make<float>({2}, {1})), {}) == 0); }
}
}  // namespace io_constant_test
