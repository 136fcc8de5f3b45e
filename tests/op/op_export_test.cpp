// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_export.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#ifndef TENON_TEST_DATA
#define TENON_TEST_DATA "tests/golden"
#endif

namespace {
using namespace tenon;

struct ZeroOut {
  static constexpr auto signature =
      Op("ZeroOut")
          .Attr("preserve_index: int >= 0 = 0")
          .Attr("T: {float, int32} = DT_INT32")
          .Attr("mode: list({'a', \"b\\n\"}) >= 1 = ['a', 'b\\n']")
          .Attr("rate: float = 1e-3")
          .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
          .Attr("value: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [3, 4] }")
          .Attr("f: func = { name: \"F\" attr { key: \"T\" value { type: DT_FLOAT } } }")
          .Attr("N: int")
          .Input("to_zero: N * T")
          .Input("ref: Ref(float)")
          .Output("zeroed: T")
          .ControlOutput("done")
          .SetIsCommutative()
          .Deprecated(7, "Gone")
          .Doc(R"doc(
Zeroes out.

Keeps one
element.

to_zero: The input,
  on several
    lines.
preserve_index: Which one.
)doc");
};
constexpr OpView kZeroOut = ZeroOut::signature.view();

std::string Read(const std::string& path) {
  std::string bytes;
  if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
    char buffer[1 << 16];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) bytes.append(buffer, n);
    std::fclose(file);
  }
  return bytes;
}
std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span<const char>(text.data(), text.size()));
}

// The fields of a protobuf message, just enough for the recorded cases.
struct ProtoField {
  std::uint32_t number;
  std::uint64_t varint;
  std::string_view text;
};
std::vector<ProtoField> ProtoFields(std::string_view message) {
  std::vector<ProtoField> fields;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0; at < message.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(message[at++]);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < message.size()) {
    const std::uint64_t tag = varint();
    ProtoField field{static_cast<std::uint32_t>(tag >> 3), varint(), {}};
    if ((tag & 7) == 2) {
      field.text = message.substr(at, static_cast<std::size_t>(field.varint));
      at += field.text.size();
    }
    fields.push_back(field);
  }
  return fields;
}

std::string Finalize(const OpDefBuilder& builder) {
  OpDef def;
  const std::string text(builder.Finalize(&def).message());
  return text.substr(0, text.find("; in OpDef:"));
}

TEST_SUITE("ToOpDef") {
  TEST_CASE("gives arguments, attrs, defaults and flags") {
    const OpDef def = ToOpDef(kZeroOut);
    CHECK(def.name == "ZeroOut");
    REQUIRE(def.input_arg.size() == 2);
    CHECK(def.input_arg[0].number_attr == "N");
    CHECK(def.input_arg[0].type_attr == "T");
    CHECK(def.input_arg[1].is_ref);
    CHECK(def.input_arg[1].type == DataType::kFloat);
    CHECK(def.output_arg[0].type_attr == "T");
    CHECK(def.control_output == std::vector<std::string>{"done"});
    CHECK(def.is_commutative);
    CHECK_FALSE(def.is_stateful);
    REQUIRE(def.deprecation);
    CHECK(def.deprecation->version == 7);
    REQUIRE(def.attr.size() == 8);
    CHECK(def.attr[0].has_minimum);
    CHECK(*def.attr[0].default_value == AttrValue(0));
    CHECK(def.attr[1].allowed_values.list().type == std::vector<DataType>{DataType::kFloat, DataType::kInt32});
    CHECK(def.attr[2].type == "list(string)");
    CHECK(def.attr[2].default_value->list().s == std::vector<std::string>{"a", "b\n"});
    CHECK(*def.attr[3].default_value == AttrValue(1e-3f));
    CHECK(*def.attr[4].default_value == AttrValue(PartialTensorShape({2, -1})));
    REQUIRE(def.attr[5].default_value->kind() == AttrValue::Kind::kTensor);
    CHECK(SameTensor(def.attr[5].default_value->tensor(), MakeTensor<std::int32_t>({2}, {3, 4})));
    CHECK(def.attr[6].default_value->func().name == "F");
    CHECK(*def.attr[6].default_value->func().attr.Find("T") == AttrValue(DataType::kFloat));
    CHECK(def.attr[7].minimum == 1);  // it counts tensors
    CHECK(ValidateOpDef(def).ok());
  }
  TEST_CASE("splits the documentation") {
    const OpDef def = ToOpDef(kZeroOut);
    CHECK(def.summary == "Zeroes out.");
    CHECK(def.description == "Keeps one\nelement.");
    CHECK(def.input_arg[0].description == "The input,\non several\n  lines.");
    CHECK(def.attr[0].description == "Which one.");
    CHECK(Finalize(OpDefBuilder("X").Doc("Text.\nnobody: here")) ==
          "No matching input/output/attr for name 'nobody' from Doc() for Op X");
  }
  TEST_CASE("an op is summarised as in messages") {
    OpDef def;
    REQUIRE(OpDefBuilder("X")
                .Attr("N: int")
                .Attr("T: {float, int32} = DT_FLOAT")
                .Input("a: Ref(N * int32)")
                .Output("b: T")
                .SetIsStateful()
                .Finalize(&def)
                .ok());
    CHECK(SummarizeOpDef(def) ==
          "Op<name=X; signature=a:Ref(N*int32) -> b:T; attr=N:int,min=1; attr=T:type,default=DT_FLOAT,allowed="
          "[DT_FLOAT, DT_INT32]; is_stateful=true>");
  }
}

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

TEST_SUITE("ValidateOpDef") {
  TEST_CASE("finds what the builder cannot write") {
    const auto text = [](const OpDef& def) {
      const std::string all(ValidateOpDef(def).message());
      return all.substr(0, all.find("; in OpDef:"));
    };
    OpDef def;
    def.name = "X";
    def.attr.push_back({.name = "a",
                        .type = "list(int",
                        .default_value = {},
                        .description = {},
                        .has_minimum = false,
                        .minimum = 0,
                        .allowed_values = {}});
    CHECK(text(def) == "'list(' is missing ')' in attr a's type list(int");
    def.attr[0].type = "int!";
    CHECK(text(def) == "Extra '!' at the end of attr a's type int!");
    def.attr[0].type = "thing";
    CHECK(text(def) == "Unrecognized type 'thing' in attr 'a'");
    def.attr[0].type = "bool";
    def.attr[0].has_minimum = true;
    CHECK(text(def) == "Attr 'a' has minimum for unsupported type bool");
    def.attr[0].has_minimum = false;
    def.attr[0].minimum = 2;
    CHECK(text(def) == "Attr 'a' with has_minimum = false but minimum 2 not equal to default of 0");
    def.attr.clear();
    def.input_arg.emplace_back().name = "x";
    CHECK(text(def) == "Missing type for input 'x'");
    def.input_arg[0].type = DataType::kFloat;
    def.input_arg[0].type_attr = "T";
    CHECK(text(def) == "Exactly one of type, type_attr, type_list_attr must be set for input 'x'");
    def.input_arg[0].type = DataType::kInvalid;
    CHECK(text(def) == "No attr with name 'T' for input 'x'");
  }
}

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
    CHECK(ops->size() > 1300);
    for (const OpDef& def : *ops) {
      CAPTURE(def.name);
      const Result<OwnedOp> owned = OwnedOp::FromOpDef(def);
      REQUIRE_MESSAGE(owned.ok(), owned.status().message());
      OpDef want = def;
      for (auto* list : {&want.input_arg, &want.output_arg})
        for (OpDef::ArgDef& arg : *list) arg.full_type.clear();  // not part of a signature
      CHECK(ToOpDef(owned->view()) == want);
      OpDefBuilder builder(def.name);
      for (const AttrSpec& attr : owned->view().attrs) builder.Attr(std::string(attr.text));
      for (const ArgSpec& arg : owned->view().inputs) builder.Input(std::string(arg.text));
      for (const ArgSpec& arg : owned->view().outputs) builder.Output(std::string(arg.text));
      OpDef built;
      const Status status = builder.Finalize(&built);
      REQUIRE_MESSAGE(status.ok(), status.message());
      CHECK(built.attr == want.attr);
      CHECK(built.input_arg == want.input_arg);
      CHECK(built.output_arg == want.output_arg);
    }
  }
}
}  // namespace
