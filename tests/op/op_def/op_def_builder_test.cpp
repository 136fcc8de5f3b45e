// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/op_def_builder.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include "op/spec_ops.hpp"

namespace op_def_builder_test {
namespace {
using namespace tenon;
using namespace op_test;

TEST_SUITE("OpDefBuilder") {
  TEST_CASE("reports all mistakes together, with TensorFlow's text") {
    CHECK(Finalize(OpDefBuilder("X").Input("x: U").Attr("a: integer").Attr("b int").Output("Y: float")) ==
          "Extra 'eger' unparsed at the end from Attr(\"a: integer\") for Op X\n"
          "Trouble parsing '<name>:' from Attr(\"b int\") for Op X\n"
          "Reference to unknown attr 'U' from Input(\"x: U\") for Op X\n"
          "Trouble parsing 'name:' from Output(\"Y: float\") for Op X");
    CHECK(Finalize(OpDefBuilder("X").ControlOutput("1a")) ==
          "Trouble parsing 'name:' from ControlOutput(\"1a\") for Op X");
    CHECK(Finalize(OpDefBuilder("X").Doc("a").Doc("b").Deprecated(1, "").Deprecated(2, "")) ==
          "Extra call to Doc() for Op X\nDeprecated called twice for Op X");
    CHECK(Finalize(OpDefBuilder("X").Attr("s: shape = { dim { size: x } }")) ==
          "Could not parse default value '{ dim { size: x } }' from Attr(\"s: shape = { dim { size: x } }\") for Op X");
  }
  TEST_CASE("strings may come in any order") {
    OpDef def;
    REQUIRE(OpDefBuilder("X").Output("y: L").Input("x: resource").Attr("L: list(type)").Finalize(&def).ok());
    CHECK(def.is_stateful);
    CHECK(def.output_arg[0].type_list_attr == "L");
    CHECK(def.attr[0].minimum == 1);
  }
  TEST_CASE("answers every recorded case as TensorFlow does") {
    const std::string file = Read(TENON_TEST_DATA "/specs.pb");
    REQUIRE_MESSAGE(!file.empty(), "no " TENON_TEST_DATA "/specs.pb");
    int cases = 0;
    for (const ProtoField& entry : ProtoFields(file)) {
      std::string name, op, message, op_def;
      std::uint64_t code = 0;
      std::vector<std::string> attrs, inputs, outputs;
      for (const ProtoField& f : ProtoFields(entry.text)) {
        if (f.number == 1) name = f.text;
        if (f.number == 2) op = f.text;
        if (f.number == 3) attrs.emplace_back(f.text);
        if (f.number == 4) inputs.emplace_back(f.text);
        if (f.number == 5) outputs.emplace_back(f.text);
        if (f.number == 10) code = f.varint;
        if (f.number == 11) message = f.text;
        if (f.number == 12) op_def = f.text;
      }
      OpDefBuilder builder(op);
      for (const std::string& spec : attrs) builder.Attr(spec);
      for (const std::string& spec : inputs) builder.Input(spec);
      for (const std::string& spec : outputs) builder.Output(spec);
      // TensorFlow's C interface, with which the cases were recorded, sets these four however they are asked for.
      builder.SetIsStateful().SetIsCommutative().SetIsAggregate().SetAllowsUninitializedInput();
      OpDef def;
      const Status status = builder.Finalize(&def);
      CAPTURE(name);
      CAPTURE(op);
      ++cases;
      if (name == "attr/default_list_shape [{ dim { size: -2 } }]" || name == "attr/default_list_tensor [{}]") {
        CHECK_FALSE(status.ok());  // an AttrList holds no shape and no tensor that cannot exist
        continue;
      }
      CHECK(static_cast<std::uint64_t>(status.code()) == code);
      if (status.ok() && code == 0) {
        const Result<OpDef> want = ParseOpDef(Bytes(op_def));
        REQUIRE(want.ok());
        CHECK_MESSAGE(def == *want, SummarizeOpDef(def), " instead of ", SummarizeOpDef(*want));
      } else if (!status.ok() && code != 0) {
        // Behind "got error:" stand other words, behind "in OpDef:" another form of the same.
        for (const std::string_view end : {", got error: ", "; in OpDef:"})
          message = message.substr(0, message.find(end));
        CHECK(std::string(status.message()).substr(0, message.size()) == message);
      }
    }
    CHECK(cases > 700);
  }
}

}  // namespace
}  // namespace op_def_builder_test
