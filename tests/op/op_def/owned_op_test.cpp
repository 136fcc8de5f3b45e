// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/owned_op.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include "op/spec_ops.hpp"

namespace owned_op_test {
namespace {
using namespace tenon;
using namespace op_test;

TEST_SUITE("OwnedOp") {
  TEST_CASE("is the op that it was made from") {
    const OpDef def = ToOpDef(kZeroOut);
    Result<OwnedOp> owned = OwnedOp::FromOpDef(def);
    REQUIRE_MESSAGE(owned.ok(), owned.status().message());
    const OwnedOp moved = *std::move(owned);
    const OpView& view = moved.view();
    CHECK(view.TypeAttr(view.inputs[0]) == view.FindAttr("T"));
    CHECK(view.NumberAttr(view.inputs[0]) == view.FindAttr("N"));
    CHECK(view.inputs[0].text == "to_zero: N * T");
    CHECK(view.inputs[1].text == "ref: Ref(float)");
    CHECK(view.FindAttr("preserve_index")->text == "preserve_index: int >= 0 = 0");
    OpDef again = ToOpDef(view);
    again.description = def.description;  // documentation of parts is not kept
    again.input_arg[0].description = def.input_arg[0].description;
    again.attr[0].description = def.attr[0].description;
    CHECK(again == def);
  }
  TEST_CASE("refuses an OpDef that is wrong") {
    OpDef def;
    def.name = "lower";
    CHECK(OwnedOp::FromOpDef(def).status().message().starts_with("Invalid name: lower (Did you use CamelCase?)"));
  }
  TEST_CASE("holds every op of TensorFlow without loss, and writes specs that read as the same") {
    const std::string file = Read(TENON_TEST_DATA "/op_list.pb");
    REQUIRE_MESSAGE(!file.empty(), "no " TENON_TEST_DATA "/op_list.pb");
    const Result<SlimVector<OpDef>> ops = ParseOpList(Bytes(file));
    REQUIRE(ops.ok());
    CHECK(ops->size() == 1908);
    for (const OpDef& def : *ops) {
      CAPTURE(def.name);
      const Result<OwnedOp> owned = OwnedOp::FromOpDef(def);
      REQUIRE_MESSAGE(owned.ok(), owned.status().message());
      OpDef want = def;
      for (auto* list : {&want.input_arg, &want.output_arg})
        for (OpDef::ArgDef& arg : *list) arg.full_type.clear();  // not part of a signature
      CHECK(ToOpDef(owned->view()) == want);
      const OpDef built = Rebuilt(owned->view());
      CHECK_MESSAGE(built == want, SummarizeOpDef(built), " instead of ", SummarizeOpDef(want));
    }
  }
}

}  // namespace
}  // namespace owned_op_test
