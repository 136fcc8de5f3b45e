// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/signature/message_text.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace message_text_test {
using namespace tenon;

namespace {
static_assert(detail::IsMessageText(AttrKind::kShape, "{ dim { size: 2 } dim { size: -1 } }") &&
              !detail::IsMessageText(AttrKind::kShape, "{ dim { size: x } }"));
static_assert(detail::IsMessageText(AttrKind::kTensor, "{ dtype: DT_INT32 tensor_shape {} int_val: [1, 2] }") &&
              !detail::IsMessageText(AttrKind::kTensor, "{ dtype: DT_INT33 tensor_shape {} }"));
static_assert(detail::IsMessageText(AttrKind::kFunc, "{ name: 'F' attr { key: 'T' value { type: DT_INT32 } } }") &&
              !detail::IsMessageText(AttrKind::kFunc, "{ name: F }"));

// The fields in the order of the text: "dim(size=2)unknown_rank=1".
struct Trace {
  std::string text;

  Trace Inner() const { return {}; }
  void Message(const detail::TextField& field, const Trace& inner) { text += Name(field) + "(" + inner.text + ")"; }
  void Text(const detail::TextField& field, std::string_view raw) {
    text += Name(field) + "='" + std::string(raw) + "'";
  }
  void Number(const detail::TextField& field, std::int64_t number) {
    text += Name(field) + "=" + std::to_string(number) + ";";
  }
  void Real(const detail::TextField& field, std::string_view digits) {
    text += Name(field) + "=" + std::string(digits) + ";";
  }
  static std::string Name(const detail::TextField& field) { return std::string(field.name); }
};
std::string Read(AttrKind kind, std::string_view text) {
  Trace trace;
  const bool ok = detail::MessageReader(text).Block(*detail::TextSchema::Of(kind), &trace);
  return ok ? trace.text : "bad";
}
}  // namespace

TEST_SUITE("MessageReader") {
  TEST_CASE("shapes") {
    const auto shape = [](std::string_view text) { return Read(AttrKind::kShape, text); };
    CHECK(shape("{}") == "");
    CHECK(shape("{ dim { size: 2 } dim { size: -1 } }") == "dim(size=2;)dim(size=-1;)");
    CHECK(shape("<dim <size: 2> dim: {size: 3 name: 'rows'}>") == "dim(size=2;)dim(size=3;name='rows')");
    CHECK(shape("{ dim: [ { size: 4 }, <> ] dim { } # the last\n }") == "dim(size=4;)dim()dim()");
    CHECK(shape("{ unknown_rank: true }") == "unknown_rank=1;");
    CHECK(shape("{ dim { size: 9223372036854775807 } }") == "dim(size=9223372036854775807;)");
  }
  TEST_CASE("tensors and functions") {
    CHECK(Read(AttrKind::kTensor,
               "{ dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1.5 float_val: -2e3 }") ==
          "dtype=1;tensor_shape(dim(size=2;))float_val(float_val=1.5;)float_val(float_val=-2e3;)");
    CHECK(Read(AttrKind::kTensor, "{ dtype: DT_INT32 int_val: [1, 2] }") == "dtype=3;int_val(int_val=1;int_val=2;)");
    CHECK(Read(AttrKind::kTensor, "{ dtype: DT_STRING string_val: 'a\\n' }") == "dtype=7;string_val='a\\n'");
    CHECK(Read(AttrKind::kFunc, "{ name: 'F' attr { key: 'n' value { list { i: [1] } } } }") ==
          "name='F'attr(key='n'value(list(i(i=1;))))");
  }
  TEST_CASE("names that are not known are skipped, with what looks like a name behind them") {
    CHECK(Read(AttrKind::kShape, "{ foo bar: 3 unknown_rank: false }") == "unknown_rank=0;");
    CHECK(Read(AttrKind::kShape, "{ foo: -3 }") == "bad");
    CHECK(Read(AttrKind::kShape, "{ foo { x: 1 } }") == "bad");
  }
  TEST_CASE("anything else is refused") {
    for (const std::string_view text :
         {"", "dim { size: 2 }", "{ dim { size: x } }", "{ dim { size: } }", "{ dim { size: 2 }", "{ dim { size: 2 > }",
          "{ dim: 2 }", "{ unknown_rank: maybe }", "{ unknown_rank }", "{ dim: [ { size: 2 }", "{ dim: [] }",
          "{ dim { size: 9223372036854775808 } }", "{ dim { size: 0x10 } }", "{ dim { size: 010 } dim { size: 00 } }",
          "{ dim { name: x } }", "{ dim { name: 'x } }", "{ dim { size: 1 size: 2 } }", "{} {}"})
      CHECK_MESSAGE(Read(AttrKind::kShape, text) == "bad", text);
    for (const std::string_view text :
         {"{ dtype DT_INT32 }", "{ dtype: DT_INT33 }", "{ dtype: DT_INT32 int_val: 3000000000 }",
          "{ dtype: DT_UINT32 uint32_val: -1 }", "{ dtype: DT_INT32 dtype: DT_INT32 }", "{ tensor_shape: 3 }",
          "{ string_val: '\\q' }", "{ bool_val: 2 }"})
      CHECK_MESSAGE(Read(AttrKind::kTensor, text) == "bad", text);
    for (const std::string_view text : {"{ name: F }", "{ attr { value { i: 1 f: 2.0 } } }", "{ attr { key: 3 } }"})
      CHECK_MESSAGE(Read(AttrKind::kFunc, text) == "bad", text);
    std::string deep;
    for (int i = 0; i < 40; ++i) deep += "{ name: 'F' attr { key: 'k' value { func ";
    CHECK(Read(AttrKind::kFunc, deep) == "bad");
  }
}
}  // namespace message_text_test
