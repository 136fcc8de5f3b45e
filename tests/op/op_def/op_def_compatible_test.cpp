// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/op_def_compatible.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <tenon/op/op_def/op_def_builder.hpp>

namespace op_def_compatible_test {
using namespace tenon;

namespace {

OpDef Built(const OpDefBuilder& builder) {
  OpDef def;
  const Status status = builder.Finalize(&def);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return def;
}
OpDefBuilder X() { return OpDefBuilder("X"); }

// What is wrong, without the summaries; "" if nothing is.
std::string Why(const OpDefBuilder& old_op, const OpDefBuilder& new_op) {
  const OpDef before = Built(old_op), after = Built(new_op);
  const Status status = OpDefCompatible(before, after);
  if (status.ok()) return "";
  CHECK(status.code() == Code::kInvalidArgument);
  const std::string text(status.message());
  constexpr std::string_view kStart = "Incompatible Op change: ";
  CHECK(text.starts_with(kStart));
  CHECK(text.ends_with(StrCat("; old: ", SummarizeOpDef(before), "; new: ", SummarizeOpDef(after))));
  return text.substr(kStart.size(), text.find("; old: ") - kStart.size());
}

}  // namespace

TEST_SUITE("OpDefCompatible") {
  TEST_CASE("an op may stay, widen its attrs and get new ones with defaults") {
    CHECK(Why(X().Attr("T: {float, int32}").Input("x: T"), X().Attr("T: {float, int32}").Input("x: T")) == "");
    CHECK(Why(X().Attr("T: {float, int32}").Input("x: T"), X().Attr("T: {int32, half, float}").Input("x: T")) == "");
    CHECK(Why(X().Attr("T: {float}").Input("x: T"), X().Attr("T: type").Input("x: T")) == "");
    CHECK(Why(X().Attr("n: int >= 3"), X().Attr("n: int >= 2")) == "");
    CHECK(Why(X().Attr("n: int >= 3"), X().Attr("n: int")) == "");
    CHECK(Why(X(), X().Attr("n: int = 3")) == "");
    CHECK(Why(X().Attr("n: int"), X().Attr("n: int = 3")) == "");
    CHECK(Why(X().Input("x: float"), X().Input("renamed: float")) == "");
    CHECK(Why(X().Attr("s: {'a'}"), X().Attr("s: {'b', 'a'}")) == "");
  }
  TEST_CASE("attrs may not go, change their type or be narrowed") {
    CHECK(Why(X(), OpDefBuilder("Y")) == "Name mismatch");
    CHECK(Why(X().Attr("n: int"), X()) == "Attr 'n' removed");
    CHECK(Why(X().Attr("n: int"), X().Attr("n: float")) == "Attr 'n' changed type 'int' -> 'float'");
    CHECK(Why(X().Attr("T: type"), X().Attr("T: {float}")) ==
          "Attr 'T' has a stricter set of allowed values; from no restriction to [DT_FLOAT]");
    CHECK(Why(X().Attr("s: {'a', 'b'}"), X().Attr("s: {'a'}")) ==
          "Attr 's' has a stricter set of allowed values; from [\"a\", \"b\"] to [\"a\"]");
    CHECK(Why(X().Attr("n: int >= 1"), X().Attr("n: int >= 2")) == "Attr 'n' has a higher minimum; from 1 to 2");
    CHECK(Why(X().Attr("n: int"), X().Attr("n: int >= -1")) == "Attr 'n' has a higher minimum; from no minimum to -1");
    CHECK(Why(X(), X().Attr("n: int")) == "Attr 'n' added without default");
  }
  TEST_CASE("arguments stay, as far as the old attrs can say it") {
    CHECK(Why(X().Input("x: float"), X().Input("x: int32")) == "Input signature mismatch 'float' vs. 'int32'");
    CHECK(Why(X().Output("x: float"), X().Output("y: float")) == "Output signature mismatch 'x:float' vs. 'y:float'");
    CHECK(Why(X().Input("x: float"), X().Attr("T: type = DT_FLOAT").Input("x: T")) == "");
    CHECK(Why(X().Input("x: float"), X().Attr("T: type = DT_HALF").Input("x: T")) ==
          "Input signature mismatch 'float' vs. 'half'");
    CHECK(Why(X().Input("x: float").Input("y: float"), X().Attr("N: int = 2").Input("x: N * float")) == "");
    CHECK(Why(X().Input("x: float").Input("y: int32"),
              X().Attr("L: list(type) = [DT_FLOAT, DT_INT32]").Input("x: L")) == "");
    CHECK(Why(X().Attr("N: int").Attr("T: type").Input("x: N * T"), X().Attr("N: int").Attr("T: type").Input("x: T")) ==
          "Input signature mismatch 'N * T' vs. 'T'");
  }
  TEST_CASE("an input may lose Ref, an output may gain it") {
    CHECK(Why(X().Input("x: Ref(float)"), X().Input("x: float")) == "");
    CHECK(Why(X().Input("x: float"), X().Input("x: Ref(float)")) == "Input 0 changed from non-ref to ref");
    CHECK(Why(X().Output("x: float"), X().Output("x: Ref(float)")) == "");
    CHECK(Why(X().Output("x: Ref(float)"), X().Output("x: float")) == "Output 0 changed from ref to non-ref");
  }
  TEST_CASE("a default cannot ask for memory without end") {
    const OpDef before = Built(X().Input("x: float"));
    const OpDef after = Built(X().Attr("N: int = 1099511627776").Input("x: N * float"));
    CHECK(OpDefCompatible(before, after).code() == Code::kInvalidArgument);
  }
}

TEST_SUITE("Defaults between versions") {
  TEST_CASE("a default that was added stays") {
    const OpDef first = Built(X()), second = Built(X().Attr("n: int = 1"));
    CHECK(OpDefAddedDefaultsUnchanged(first, second, second).ok());
    const Status changed = OpDefAddedDefaultsUnchanged(first, second, Built(X().Attr("n: int = 2")));
    CHECK(changed.code() == Code::kInvalidArgument);
    CHECK(changed.message().starts_with("Can't change default value for attr 'n' from 1 in Op: Op<name=X;"));
    CHECK_FALSE(OpDefAddedDefaultsUnchanged(first, second, first).ok());
    CHECK(OpDefAddedDefaultsUnchanged(second, second, Built(X().Attr("n: int = 2"))).ok());  // it was there before
  }
  TEST_CASE("a default may come, not go or change") {
    const OpDef none = Built(X().Attr("n: int")), one = Built(X().Attr("n: int = 1")),
                two = Built(X().Attr("n: int = 2"));
    CHECK(OpDefAttrDefaultsUnchanged(none, one).ok());
    CHECK(OpDefAttrDefaultsUnchanged(one, one).ok());
    CHECK(OpDefAttrDefaultsUnchanged(one, none).message() == "Attr 'n' has removed it's default; from 1 to no default");
    CHECK(OpDefAttrDefaultsUnchanged(one, two).message() == "Attr 'n' has changed it's default value; from 1 to 2");
    CHECK(OpDefAttrDefaultsUnchanged(one, Built(X())).ok());
  }
}

TEST_SUITE("OpDefEqual") {
  TEST_CASE("attrs and control outputs are sets, arguments are lists") {
    const OpDef ab = Built(X().Attr("a: int").Attr("b: float").ControlOutput("c").ControlOutput("d").Input("x: half"));
    CHECK(OpDefEqual(
        ab, Built(X().Attr("b: float").Attr("a: int").ControlOutput("d").ControlOutput("c").Input("x: half"))));
    CHECK_FALSE(OpDefEqual(ab, Built(X().Attr("a: int").ControlOutput("c").ControlOutput("d").Input("x: half"))));
    CHECK_FALSE(OpDefEqual(Built(X().Input("x: half").Input("y: half")), Built(X().Input("y: half").Input("x: half"))));
  }
  TEST_CASE("defaults count by what they mean, and equal ops have equal hashes") {
    const OpDef ab = Built(X().Attr("a: int").Attr("b: float").ControlOutput("c").ControlOutput("d").Input("x: half"));
    const OpDef ba = Built(X().Attr("b: float").Attr("a: int").ControlOutput("d").ControlOutput("c").Input("x: half"));
    const OpDef other = Built(X().Attr("a: int = 1").Attr("b: float").Input("x: half"));
    CHECK(OpDefHash(ab) == OpDefHash(ba));
    CHECK(OpDefHash(ab) != OpDefHash(other));
    CHECK(AttrDefEqual(ab.attr[0], ba.attr[1]));
    CHECK(AttrDefHash(ab.attr[0]) == AttrDefHash(ba.attr[1]));
    CHECK_FALSE(AttrDefEqual(ab.attr[0], other.attr[0]));
    CHECK(AttrDefHash(ab.attr[0]) != AttrDefHash(other.attr[0]));
    OpDef::AttrDef broken = ab.attr[0];
    broken.default_value = AttrValue::UndecodedTensor("bytes", errors::InvalidArgument("too short"));
    CHECK(AttrDefEqual(broken, broken));
    OpDef with_broken = ab;
    with_broken.attr[0] = broken;
    CHECK(OpDefEqual(with_broken, with_broken));
    CHECK_FALSE(OpDefEqual(with_broken, ab));
  }
}
}  // namespace op_def_compatible_test
