// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/signature/signature.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <tenon/base/status.hpp>

namespace signature_test {
namespace {
using namespace tenon;

Status NamedShapeFn(InferenceContext*) { return OkStatus(); }

struct MatMul {
  static constexpr auto signature =
      tenon::Op("MatMul")
          .Input("a: T")
          .Input("b: T")
          .Output("product: T")
          .Attr("transpose_a: bool = false")
          .Attr("transpose_b: bool = false")
          .Attr("T: {float, double, int32}")
          .SetShapeFn([](tenon::InferenceContext*) -> tenon::Status { return tenon::OkStatus(); });
};
struct MatMulAttrsFirst {
  static constexpr auto signature = tenon::Op("MatMul")
                                        .Attr("T: {float, double, int32}")
                                        .Attr("transpose_a: bool = false")
                                        .Output("product: T")
                                        .Attr("transpose_b: bool = false")
                                        .Input("a: T")
                                        .Input("b: T")
                                        .SetShapeFn(NamedShapeFn);
};
struct ParseExample {
  static constexpr auto signature = tenon::Op("Some>Parse_2")
                                        .Input("serialized: string")
                                        .Input("sparse_keys: Nsparse * string")
                                        .Input("dense_defaults: Tdense")
                                        .Input("ref: Ref(T)")
                                        .Output("sparse: Nsparse * T")
                                        .Output("dense: Tdense")
                                        .Attr("Nsparse: int")
                                        .Attr("Tdense: list({float, int64, string})")
                                        .Attr("T: type = DT_FLOAT")
                                        .Attr("limit: int >= 3 = 4")
                                        .ControlOutput("done and so on")
                                        .SetIsStateful()
                                        .SetIsCommutative()
                                        .SetIsAggregate()
                                        .SetAllowsUninitializedInput()
                                        .SetIsDistributedCommunication()
                                        .Deprecated(20, "use another")
                                        .Doc("Parses.");
};
struct ReadHandle {
  static constexpr auto signature =
      tenon::Op("ReadHandle").Input("resource: resource").Output("value: dtype").Attr("dtype: type");
};
struct Nothing {
  static constexpr auto signature = tenon::Op("Nothing");
};

// A mistake would stop the compiler here.
static_assert(MatMul::signature.Validate() && MatMulAttrsFirst::signature.Validate() &&
              ParseExample::signature.Validate() && ReadHandle::signature.Validate() && Nothing::signature.Validate());
// The first line that is not blank may look like an explanation, and so may indented ones.
static_assert(
    MatMul::signature
        .Doc("\n  \nNote: the summary.\n  hint: indented.\nMore text\nover lines.\na: the left side\n\n  of it.\n"
             "product : the result.\ntranspose_a: first.")
        .Validate());
constexpr OpView kMatMul = MatMul::signature.view();
constexpr OpView kParse = ParseExample::signature.view();

std::vector<DataType> Types(const OpView& op, const ArgSpec& arg, std::int64_t n, const std::vector<DataType>& list,
                            bool* ok) {
  std::vector<DataType> types;
  *ok = op.ForEachType(
      arg,
      [&](const AttrSpec& attr, ArgAttrValue* value) {
        value->number = n;
        value->type = DataType::kHalf;
        value->types = list;
        return attr.name() != "missing";
      },
      [&](DataType type) { types.push_back(type); });
  return types;
}

TEST_SUITE("Signature") {
  TEST_CASE("is as large as its arguments and attrs need") {
    CHECK(sizeof(MatMul::signature) <= 400);
    CHECK(sizeof(Nothing::signature) <= 80);
    // What an argument and an attr cost beside their texts; the rest of a signature is 88 bytes at most.
    constexpr auto kNone = tenon::Op("A");
    constexpr auto kOneOfEach = tenon::Op("A").Input("x: T").Output("y: T").Attr("T: {float, int32} = DT_FLOAT");
    constexpr std::size_t kFixed = 88, kArg = 32, kAttr = 64;
    static_assert(sizeof(kNone) <= kFixed);
    static_assert(sizeof(kNone.Input("x: float")) <= kFixed + kArg);
    static_assert(sizeof(kNone.Output("y: float")) <= kFixed + kArg);
    static_assert(sizeof(kNone.Attr("N: int >= 1 = 2")) <= kFixed + kAttr);
    static_assert(sizeof(kNone.ControlOutput("c")) <= kFixed + kArg);
    static_assert(sizeof(kOneOfEach) <= kFixed + 2 * kArg + kAttr);
    static_assert(sizeof(kOneOfEach.Input("z: N * T")) - sizeof(kOneOfEach) <= kArg);
    static_assert(sizeof(kOneOfEach.Output("z: Ref(T)")) - sizeof(kOneOfEach) <= kArg);
    static_assert(sizeof(kOneOfEach.Attr("s: list({'a', 'b'}) >= 1 = ['a']")) - sizeof(kOneOfEach) <= kAttr);
  }
  TEST_CASE("knows its parts in the order of declaration") {
    CHECK(kMatMul.name == "MatMul");
    REQUIRE(kMatMul.inputs.size() == 2);
    CHECK(kMatMul.inputs[1].name() == "b");
    CHECK(kMatMul.outputs[0].type_attr() == "T");
    REQUIRE(kMatMul.attrs.size() == 3);
    CHECK(kMatMul.AttrIndex("T") == 2);
    CHECK(kMatMul.AttrIndex("U") == -1);
    CHECK(kMatMul.FindAttr("transpose_b")->default_text() == "false");
    CHECK(kMatMul.FindAttr("transpose") == nullptr);
    CHECK((kMatMul.shape_fn != nullptr));
    CHECK(MatMul::signature.FindAttr("T")->allowed_types.size() == 3);
  }
  TEST_CASE("does not care about the order of strings") {
    constexpr OpView other = MatMulAttrsFirst::signature.view();
    CHECK(other.TypeAttr(other.inputs[0])->name() == "T");
    CHECK(other.TypeAttr(other.outputs[0]) == other.FindAttr("T"));
    CHECK(kMatMul.TypeAttr(kMatMul.inputs[1]) == kMatMul.FindAttr("T"));
    CHECK((other.shape_fn == &NamedShapeFn));
  }
  TEST_CASE("an attr that counts tensors has a minimum of 1 unless it has another") {
    CHECK(kParse.FindAttr("Nsparse")->has_minimum);
    CHECK(kParse.FindAttr("Nsparse")->minimum == 1);
    CHECK(kParse.FindAttr("Tdense")->minimum == 1);
    CHECK_FALSE(kParse.FindAttr("T")->has_minimum);
    CHECK(kParse.FindAttr("limit")->minimum == 3);
    constexpr auto explicit_minimum = Op("A").Input("x: N * T").Attr("N: int >= 0").Attr("T: type");
    CHECK(explicit_minimum.FindAttr("N")->minimum == 0);
  }
  TEST_CASE("carries flags, deprecation, control outputs and documentation") {
    CHECK(kParse.flags == OpFlags{true, true, true, true, true});
    CHECK(kMatMul.flags == OpFlags{});
    CHECK(kParse.deprecated_since == 20);
    CHECK(kParse.deprecation_text == "use another");
    REQUIRE(kParse.control_outputs.size() == 1);
    CHECK(kParse.control_outputs[0] == "done");
    CHECK(kParse.doc == "Parses.");
  }
  TEST_CASE("a resource argument makes the op stateful") { CHECK(ReadHandle::signature.flags.is_stateful); }
  TEST_CASE("says the types behind an argument") {
    bool ok = false;
    const std::vector<DataType> list{DataType::kFloat, DataType::kString};
    CHECK(Types(kParse, kParse.inputs[0], 3, list, &ok) == std::vector<DataType>{DataType::kString});
    CHECK(Types(kParse, kParse.inputs[1], 3, list, &ok) == std::vector<DataType>(3, DataType::kString));
    CHECK(Types(kParse, kParse.inputs[2], 3, list, &ok) == list);
    CHECK(Types(kParse, kParse.inputs[3], 3, list, &ok) == std::vector<DataType>{MakeRefType(DataType::kHalf)});
    CHECK(Types(kParse, kParse.outputs[0], 2, list, &ok) == std::vector<DataType>(2, DataType::kHalf));
    CHECK(ok);
    CHECK(Types(kParse, kParse.outputs[0], -1, list, &ok).empty());
    CHECK_FALSE(ok);
    const auto none = [](const AttrSpec&, ArgAttrValue*) { return false; };
    CHECK(kParse.ArgCount(kParse.inputs[1], none) == -1);
    CHECK(kParse.ArgCount(kParse.inputs[3], none) == 1);
    CHECK_FALSE(kParse.ForEachType(kParse.inputs[3], none, [](DataType) {}));
  }
  TEST_CASE("op names are CamelCase, with namespaces") {
    CHECK(detail::IsOpName("A"));
    CHECK(detail::IsOpName("Ab_c2>De"));
    CHECK(detail::IsOpName("_whatever it is"));
    for (const std::string_view bad : {"", "lower", "A>", ">A", "1A", "A B", "A>b", "\xc3\x89"})
      CHECK_FALSE(detail::IsOpName(bad));
  }
}
}  // namespace
}  // namespace signature_test
