// SPDX-License-Identifier: Apache-2.0
#include <tenon/wire/text_reader.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace text_reader_test {
struct Inner {
  std::int32_t number = 0;
  tenon::SlimVector<Inner> inner;
};
struct Everything {
  std::int32_t i32 = 0;
  std::int64_t i64 = 0;
  std::uint32_t u32 = 0;
  std::uint64_t u64 = 0;
  bool flag = false;
  tenon::DataType type = tenon::DataType::kInvalid;
  float f = 0;
  double d = 0;
  std::string text;
  std::optional<Inner> one;
  tenon::SlimVector<Inner> many;
  tenon::SlimVector<std::int32_t> numbers;
  tenon::SlimVector<float> floats;
  tenon::SlimVector<std::string> texts;
  std::optional<std::int32_t> a;
  std::optional<std::string> b;
  std::string full_type;
};
}  // namespace text_reader_test

TENON_DETAIL_NAMESPACE_BEGIN
namespace wire {
template <>
struct Schema<text_reader_test::Inner> {
  static const Message message;
};
template <>
struct Schema<text_reader_test::Everything> {
  static const Message message;
};
}  // namespace wire
TENON_DETAIL_NAMESPACE_END

namespace text_reader_test {
using namespace tenon;

void ClearOneof(Everything& message) {
  message.a.reset();
  message.b.reset();
}
constexpr wire::Field kInnerFields[] = {wire::MakeField<&Inner::number>(1, "number"),
                                        wire::MakeField<&Inner::inner>(2, "inner")};
constexpr wire::Field kEverythingFields[] = {
    wire::MakeField<&Everything::i32>(1, "i32"),
    wire::MakeField<&Everything::i64>(2, "i64"),
    wire::MakeField<&Everything::u32>(3, "u32"),
    wire::MakeField<&Everything::u64>(4, "u64"),
    wire::MakeField<&Everything::flag>(5, "flag"),
    wire::MakeField<&Everything::type>(6, "type"),
    wire::MakeField<&Everything::f>(7, "f"),
    wire::MakeField<&Everything::d>(8, "d"),
    wire::MakeField<&Everything::text>(9, "text"),
    wire::MakeField<&Everything::one>(10, "one"),
    wire::MakeField<&Everything::many>(11, "many"),
    wire::MakeField<&Everything::numbers>(12, "numbers"),
    wire::MakeField<&Everything::floats>(13, "floats"),
    wire::MakeField<&Everything::texts>(14, "texts"),
    wire::MakeFieldInOneof<&Everything::a, &ClearOneof>(15, "a"),
    wire::MakeFieldInOneof<&Everything::b, &ClearOneof>(16, "b"),
    wire::MakeFieldDropped(17, "old", wire::Kind::kInt32),
    wire::MakeFieldKept<&Everything::full_type>(18, "full_type", wire::Role::kFullType),
};
}  // namespace text_reader_test

TENON_DETAIL_NAMESPACE_BEGIN
namespace wire {
inline constexpr Message Schema<text_reader_test::Inner>::message("Inner", text_reader_test::kInnerFields);
inline constexpr Message Schema<text_reader_test::Everything>::message("Everything",
                                                                       text_reader_test::kEverythingFields);
}  // namespace wire
TENON_DETAIL_NAMESPACE_END

namespace text_reader_test {
namespace {
Everything Read(std::string_view text) {
  std::string bytes;
  const Status s = wire::TextToWire(wire::Schema<Everything>::message, text, &bytes);
  CHECK_MESSAGE(s.ok(), s.message());
  Everything read;
  const Status parsed = wire::Parse(wire::AsBytes(bytes), &read);
  CHECK_MESSAGE(parsed.ok(), parsed.message());
  return read;
}
std::string Error(std::string_view text) {
  std::string bytes;
  const Status s = wire::TextToWire(wire::Schema<Everything>::message, text, &bytes);
  CHECK(s.code() == Code::kInvalidArgument);
  return std::string(s.message());
}
}  // namespace

TEST_CASE("every kind of field") {
  const Everything got = Read(
      "# all\ni32: -5 i64: -0x7fffffffffffffff, u32: 4294967295; u64: 18446744073709551615 flag: True\n"
      "type: DT_FLOAT_REF f: 1e3f d: -inf text: 'a' \"b\" # joined\n 'c' one { number: 1 } many: < number: 2 >\n"
      "many [{}, <number: 3; inner { number: 4 },>] numbers: 7 numbers: [010, -0x10] floats: [1, .5] texts: ['x' 'y', "
      "\"z\"]\n texts: '' old: 12 b: ''");
  CHECK(got.i32 == -5);
  CHECK(got.i64 == -std::numeric_limits<std::int64_t>::max());
  CHECK(got.u32 == UINT32_MAX);
  CHECK(got.u64 == UINT64_MAX);
  CHECK(got.flag);
  CHECK(static_cast<int>(got.type) == 101);
  CHECK(got.f == 1000);
  CHECK(got.d == -std::numeric_limits<double>::infinity());
  CHECK(got.text == "abc");
  REQUIRE(got.one.has_value());
  CHECK(got.one->number == 1);
  REQUIRE(got.many.size() == 3);
  CHECK(got.many[0].number == 2);
  CHECK(got.many[1].number == 0);
  REQUIRE(got.many[2].inner.size() == 1);
  CHECK(got.many[2].inner[0].number == 4);
  CHECK(got.numbers == SlimVector<std::int32_t>{7, 8, -16});
  CHECK(got.floats == SlimVector<float>{1, 0.5f});
  CHECK(got.texts == SlimVector<std::string>{"xy", "z", ""});
  CHECK_FALSE(got.a.has_value());
  CHECK(got.b == "");
}
TEST_CASE("all spellings of bools, enums by name and number, empty lists, nothing at all") {
  for (const char* yes : {"true", "True", "t", "1"}) CHECK(Read(std::string("flag: ") + yes).flag);
  for (const char* no : {"false", "False", "f", "0"}) CHECK_FALSE(Read(std::string("flag:") + no).flag);
  CHECK(Read("type: DT_INVALID").type == DataType::kInvalid);
  CHECK(Read("type: DT_HALF").type == DataType::kHalf);
  CHECK(static_cast<int>(Read("type: 19").type) == 19);
  CHECK(static_cast<int>(Read("type: -3").type) == -3);
  CHECK(Read("numbers: [] many [ ] texts:[]").numbers.empty());
  CHECK(Read(" # nothing").text.empty());
  CHECK(Read("").text.empty());
}
TEST_CASE("texts are UTF-8") {
  CHECK(Read("text: '\xc3\xa9' texts: '\\303' '\\251'").texts[0] == "\xc3\xa9");
  CHECK(Read("text: '12345678\xf0\x9f\x98\x80'").text.size() == 12);
  CHECK(Error("i32: 1 text: '\\377'") == "1:14: the text of 'text' is not UTF-8");
  CHECK(Error("texts: ['a', '12345678' '\xed\xa0\x80']") == "1:14: the text of 'texts' is not UTF-8");
  std::string bytes;
  CHECK(wire::TextToWire(wire::Schema<Tensor>::message, "string_val: '\\377' tensor_content: '\xff'", &bytes).ok());
}
TEST_CASE("messages that are kept as bytes") {
  CHECK(
      Read("full_type { type_id: TFT_PRODUCT args { type_id: TFT_TENSOR args { s: 'T' } } args { i: 2 } }").full_type ==
      std::string("\x08\x03\x12\x08\x08\xe8\x07\x12\x03\x1a\x01T\x12\x02 \x02", 16));
  CHECK(Error("full_type { type_id: TFT_TENSER }") ==
        "1:22: 'type_id' has no value 'TFT_TENSER'; did you mean 'TFT_TENSOR', 'TFT_UNSET'?");
  CHECK(Error("full_type { s: 'x' i: 3 }") == "1:20: FullTypeDef has both 's' and 'i'; one of them alone is right");
}
TEST_CASE("lengths of all sizes") {
  for (const std::size_t size : {0u, 1u, 127u, 128u, 16383u, 16384u, 2097151u, 2097152u}) {
    const std::string text(size, 'x');
    CHECK(Read("text: \"" + text + "\"").text == text);
    const Everything got = Read("texts: '" + text + "' one { inner { number: 3 } } texts: 'y'");
    CHECK(got.texts == SlimVector<std::string>{text, "y"});
    CHECK(got.one->inner[0].number == 3);
  }
  std::string numbers;
  for (int i = 0; i < 1000; ++i) numbers += i == 0 ? "1000" : ",1000";
  CHECK(Read("numbers: [" + numbers + "]").numbers.size() == 1000);
}
TEST_CASE("mistakes have a line, a column, and what would be right") {
  CHECK(Error("\n  i33: 1") == "2:3: Everything has no field 'i33'; did you mean 'i32'?");
  CHECK(Error("one { colour: 1 }") == "1:7: Inner has no field 'colour'; it has 'number', 'inner'");
  CHECK(Error("i32: 1\ni32: 2") == "2:1: Everything has 'i32' a second time; it has one value");
  CHECK(Error("one {} one {}") == "1:8: Everything has 'one' a second time; it has one value");
  CHECK(Error("a: 1 b: 'x'") == "1:6: Everything has both 'a' and 'b'; one of them alone is right");
  CHECK(Error("i32 1") == "1:5: found '1', expected ':' behind 'i32' of Everything");
  CHECK(Error("i32: 2147483648") == "1:6: '2147483648' is out of range; at most 2147483647");
  CHECK(Error("u64: -1") == "1:6: found '-', expected an integer");
  CHECK(Error("flag: 2") == "1:7: found '2', expected true or false");
  CHECK(Error("flag: TRUE") == "1:7: found 'TRUE', expected true or false");
  CHECK(Error("type: DT_FLOTA") == "1:7: 'type' has no value 'DT_FLOTA'; did you mean 'DT_FLOAT'?");
  CHECK(Error("text: 5") == "1:7: found '5', expected a text in quotes for 'text'");
  CHECK(Error("one: 5") == "1:6: found '5', expected '{' for 'one', a Inner");
  CHECK(Error("one") == "1:4: found the end of the text, expected '{' for 'one', a Inner");
  CHECK(Error("one {") == "1:6: found the end of the text, expected the name of a field of Inner or '}'");
  CHECK(Error("one { >") == "1:7: found '>', expected the name of a field of Inner or '}'");
  CHECK(Error("one < }") == "1:7: found '}', expected the name of a field of Inner or '>'");
  CHECK(Error("}") == "1:1: found '}', expected the name of a field of Everything");
  CHECK(Error(std::string_view("\0", 1)) == "1:1: found '\\000', expected the name of a field of Everything");
  CHECK(Error("i32: 1;;") == "1:8: found ';', expected the name of a field of Everything");
  CHECK(Error("5: 1") == "1:1: found '5', expected the name of a field of Everything");
  CHECK(Error("numbers: [1, ]") == "1:14: found ']', expected an integer");
  CHECK(Error("numbers: [1 2]") == "1:13: found '2', expected ',' or ']' in the list of 'numbers'");
  CHECK(Error("numbers: [1") == "1:12: found the end of the text, expected ',' or ']' in the list of 'numbers'");
  CHECK(Error("i32: [1]") == "1:6: found '[', expected an integer");
  CHECK(Error("texts: ['a', }") == "1:14: found '}', expected a text in quotes for 'texts'");
  CHECK(Error("one { [type.googleapis.com/x] { } }") ==
        "1:7: '[' begins an extension or an Any, which Inner does not have; expected the name of a field");
  CHECK(Error("[x.y]: 3").starts_with("1:1: '[' begins an extension"));
}
TEST_CASE("messages nest a hundred deep, and a million braces are an error") {
  const auto nested = [](std::size_t depth) {
    std::string text = "many ";
    for (std::size_t i = 1; i < depth; ++i) text += "{ inner ";
    text += "{ number: 7 ";
    return text + std::string(depth, '}');
  };
  CHECK(Read(nested(100)).many.size() == 1);
  CHECK(Error(nested(101)) == "1:806: messages are nested more than 100 deep");
  CHECK(Error(nested(1000000)) == "1:806: messages are nested more than 100 deep");
  CHECK(Error(std::string(1000000, '{')).starts_with("1:1: found '{'"));
}
TEST_CASE("a message without a table is Unimplemented") {
  std::string bytes;
  CHECK(wire::TextToWire(wire::Schema<Tensor>::message, "", &bytes, {}).code() == Code::kUnimplemented);
}
TEST_CASE("a tensor by its fields") {
  std::string bytes;
  REQUIRE(wire::TextToWire(wire::Schema<Tensor>::message,
                           "dtype: DT_INT64 tensor_shape { dim { size: 2 name: 'rows' } } int64_val: [1, 2]", &bytes)
              .ok());
  Tensor tensor;
  REQUIRE(wire::Parse(wire::AsBytes(bytes), &tensor).ok());
  CHECK(tensor.data<std::int64_t>()[1] == 2);
}
}  // namespace text_reader_test
