// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/construction.hpp>

#include <doctest/doctest.h>

#include "run_op.hpp"

namespace construction_test {
using namespace tenon;

TEST_SUITE("OpKernelConstruction") {
  TEST_CASE("reads attrs and keeps the first error") {
    NodeDef node;
    node.op = "KtCount";
    node.attr.Set("bad", AttrValue(true));
    const OpView op{};
    OpKernelConstruction construction(&node, &op, "CPU", {}, {}, nullptr);
    bool bad = false;
    REQUIRE(construction.GetAttr("bad", &bad).ok());
    CHECK(bad);
    CHECK(construction.HasAttr("bad"));
    CHECK(!construction.HasAttr("good"));
    construction.SetStatus(Status(Code::kAborted, "first"));
    construction.SetStatus(Status(Code::kInternal, "second"));
    CHECK(construction.status().message() == "first");
  }
  TEST_CASE("an attr that the node has not, or of another type, is refused with the node") {
    NodeDef node;
    node.name = "n";
    node.op = "CtOp";
    node.attr.Set("size", AttrValue(std::int64_t{1} << 40));
    const OpView op{};
    OpKernelConstruction construction(&node, &op, "CPU", {}, {}, nullptr);
    std::int32_t size = 0;
    const Status missing = construction.GetAttr("length", &size);
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message() == "No attr named 'length' in NodeDef: {{node n}} = CtOp[size=1099511627776]()");
    const Status range = construction.GetAttr("size", &size);
    CHECK(range.code() == Code::kInvalidArgument);
    CHECK(range.message().find("Attr size has value 1099511627776 out of range for an int32") == 0);
    CHECK(range.message().find("[[{{node n}}]]") != std::string_view::npos);
    std::string text;
    const Status kind = construction.GetAttr("size", &text);
    CHECK(kind.code() == Code::kInvalidArgument);
    CHECK(kind.message().find("AttrValue had value with type 'int' when 'string' expected") == 0);
  }
  TEST_CASE("the node's types are compared, and tensors can be had") {
    NodeDef node;
    const OpView op{};
    const DataType in[] = {DataType::kFloat, MakeRefType(DataType::kInt32)}, out[] = {DataType::kBool};
    OpKernelConstruction construction(&node, &op, "CPU", in, out, nullptr);
    CHECK(construction.MatchSignature(in, out).ok());
    const DataType value[] = {DataType::kFloat, DataType::kInt32};
    CHECK(construction.MatchSignature(value, out).ok());  // a reference where a value is expected
    const Status other = construction.MatchSignature(out, value);
    CHECK(other.code() == Code::kInvalidArgument);
    CHECK(other.message() == "Signature mismatch, have: float, int32_ref->bool expected: bool->float, int32");
    Tensor t;
    REQUIRE(construction.allocate_temp(DataType::kFloat, TensorShape{2, 3}, &t).ok());
    CHECK(t.NumElements() == 6);
    AllocatorAttributes scoped;
    scoped.scope_id = 1;
    const Status refused = construction.allocate_temp(DataType::kFloat, TensorShape{2}, &t, scoped);
    CHECK(refused.code() == Code::kInvalidArgument);
    CHECK(refused.message() == "ScopedAllocator cannot be used via OpKernelConstruction.");
    const Status none = construction.allocate_temp(DataType::kInvalid, TensorShape{2}, &t);
    CHECK(none.code() == Code::kInvalidArgument);
    const Status large = construction.allocate_temp(DataType::kFloat, TensorShape{Index{1} << 50}, &t);
    CHECK(large.code() == Code::kResourceExhausted);
    CHECK(large.message().find("OOM when allocating temporary tensor with shape[1125899906842624]") == 0);
  }
}
}  // namespace construction_test
