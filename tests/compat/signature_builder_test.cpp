// SPDX-License-Identifier: Apache-2.0
#include <tenon/compat/signature_builder.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/op_def/op_def_builder.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include "op/spec_ops.hpp"

namespace signature_builder_test {
namespace {
using namespace tenon;
using namespace op_test;

std::string Mistakes(const SignatureBuilder& builder) { return std::string(builder.Build().status().message()); }

TEST_SUITE("SignatureBuilder") {
  TEST_CASE("reports all mistakes together, with TensorFlow's text") {
    CHECK(Mistakes(SignatureBuilder("X").Input("x: U").Attr("a: integer").Attr("b int").Output("Y: float")) ==
          "Extra 'eger' unparsed at the end from Attr(\"a: integer\") for Op X\n"
          "Trouble parsing '<name>:' from Attr(\"b int\") for Op X\n"
          "Reference to unknown attr 'U' from Input(\"x: U\") for Op X\n"
          "Trouble parsing 'name:' from Output(\"Y: float\") for Op X");
    CHECK(Mistakes(SignatureBuilder("X").ControlOutput("1a")) ==
          "Trouble parsing 'name:' from ControlOutput(\"1a\") for Op X");
    CHECK(Mistakes(SignatureBuilder("X").Doc("a").Doc("b").Deprecated(0, "").Deprecated(2, "")) ==
          "Extra call to Doc() for Op X\nDeprecated called twice for Op X");
    CHECK(Mistakes(SignatureBuilder("X").Input("x: float").Doc("\nSums.\n\nx: It.\nz: Not there.")) ==
          "No matching input/output/attr for name 'z' from Doc() for Op X");
    const ShapeFn fn = [](InferenceContext*) { return OkStatus(); };
    CHECK(Mistakes(SignatureBuilder("X").SetShapeFn(fn).SetShapeFn(fn)) == "SetShapeFn called twice for Op X");
    CHECK(Mistakes(SignatureBuilder("X").Attr("a: int").Attr("a: int")) == "Duplicate name: a; in OpDef: Op<name=X>");
  }
  TEST_CASE("makes the view that the compiler makes of the same strings") {
    const OpView& want = kZeroOut;
    SignatureBuilder builder("ZeroOut");
    for (const AttrSpec& attr : want.attrs) builder.Attr(std::string(attr.text));
    for (const ArgSpec& arg : want.inputs) builder.Input(std::string(arg.text));
    for (const ArgSpec& arg : want.outputs) builder.Output(std::string(arg.text));
    builder.ControlOutput("done").SetIsCommutative().Deprecated(7, "Gone").Doc(std::string(want.doc));
    const auto made = builder.Build();
    REQUIRE(made.ok());
    builder.Attr("more: int");  // the signature does not depend on the builder
    const OpView& got = (*made)->view();
    CHECK(ToOpDef(got) == ToOpDef(want));
    CHECK(got.doc == want.doc);
    CHECK(got.deprecated_since == 7);
    REQUIRE(got.inputs.size() == 2);
    CHECK(got.inputs[0].type_attr_index == want.inputs[0].type_attr_index);
    CHECK(got.inputs[0].number_attr_index == want.inputs[0].number_attr_index);
    CHECK(got.control_outputs[0] == "done");
  }
  TEST_CASE("strings may come in any order") {
    const auto made = SignatureBuilder("X").Output("y: L").Input("x: resource").Attr("L: list(type)").Build();
    REQUIRE(made.ok());
    const OpView& view = (*made)->view();
    CHECK(view.flags.is_stateful);
    CHECK(view.outputs[0].type_list_attr() == "L");
    CHECK(view.attrs[0].minimum == 1);
  }
  TEST_CASE("answers every recorded case as TensorFlow does") {
    const std::string file = Read(TENON_TEST_DATA "/specs.pb");
    REQUIRE_MESSAGE(!file.empty(), "no " TENON_TEST_DATA "/specs.pb");
    int cases = 0, late = 0;
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
      SignatureBuilder builder(op);
      for (const std::string& spec : attrs) builder.Attr(spec);
      for (const std::string& spec : inputs) builder.Input(spec);
      for (const std::string& spec : outputs) builder.Output(spec);
      // TensorFlow's C interface, with which the cases were recorded, sets these four however they are asked for.
      builder.SetIsStateful().SetIsCommutative().SetIsAggregate().SetAllowsUninitializedInput();
      const auto made = builder.Build();
      CAPTURE(name);
      CAPTURE(op);
      ++cases;
      if (name == "attr/default_list_shape [{ dim { size: -2 } }]" || name == "attr/default_list_tensor [{}]") {
        ++late;  // TensorFlow takes them, and so does the builder. ToOpDef cannot read them: a node with the default is
                 // refused.
        continue;
      }
      CHECK(static_cast<std::uint64_t>(made.status().code()) == code);
      if (made.ok() && code == 0) {
        const Result<OpDef> want = ParseOpDef(Bytes(op_def));
        REQUIRE(want.ok());
        const OpDef def = ToOpDef((*made)->view());
        CHECK_MESSAGE(def == *want, SummarizeOpDef(def), " instead of ", SummarizeOpDef(*want));
      } else if (!made.ok() && code != 0) {
        for (const std::string_view end : {", got error: ", "; in OpDef:"})
          message = message.substr(0, message.find(end));
        CHECK(std::string(made.status().message()).substr(0, message.size()) == message);
      }
    }
    CHECK(cases > 700);
    CHECK(late == 2);
  }
}

}  // namespace
}  // namespace signature_builder_test
