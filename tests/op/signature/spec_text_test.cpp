// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/signature/spec_text.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace spec_text_test {
namespace {
using namespace tenon;

TEST_SUITE("spec_text") {
  TEST_CASE("escapes give the bytes they stand for") {
    const auto bytes = [](std::string_view raw) {
      std::string out;
      detail::EscapeReader reader(raw);
      for (char c = 0; reader.Next(&c);) out += c;
      return reader.failed() ? "failed" : out;
    };
    CHECK(bytes(R"(a\t\\\'\"\?)") == "a\t\\'\"?");
    CHECK(bytes(R"(\0\377)") == std::string("\0\377", 2));
    CHECK(bytes(R"(\u00e9\u20ac\U0001F600)") == "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    CHECK(bytes(R"(\400)") == "failed");
    CHECK(bytes(R"(\x100)") == "failed");
    CHECK(bytes(R"(\xg)") == "failed");
    CHECK(bytes(R"(\ud800)") == "failed");
    CHECK(bytes(R"(\U00110000)") == "failed");
    CHECK(bytes(R"(\q)") == "failed");
    CHECK(bytes("\\") == "failed");
  }
  TEST_CASE("names of dtypes are found small, and in capitals as in DT_FLOAT") {
    const auto find = [](std::string_view word, bool upper) {
      return detail::FindType(word.data(), word.size(), upper);
    };
    for (int i = 1; i < kDataTypeCount; ++i) {
      const auto type = static_cast<DataType>(i);
      if (!IsKnownType(type)) continue;
      CHECK(find(Name(type), false) == type);
      CHECK(find(Name(MakeRefType(type)), false) == MakeRefType(type));
      CHECK(find(EnumName(type).substr(3), true) == type);
    }
    CHECK(find("float32", false) == DataType::kFloat);
    CHECK(find("FLOAT32", true) == DataType::kInvalid);
    CHECK(find("Float", false) == DataType::kInvalid);
    CHECK(find("", false) == DataType::kInvalid);
    CHECK(find("_ref", false) == DataType::kInvalid);
  }
  TEST_CASE("whole numbers are decimal and fit 64 bits") {
    std::int64_t value = 0;
    CHECK((detail::ReadDecimal("-9223372036854775808", &value) && value == INT64_MIN));
    CHECK((detail::ReadDecimal("+7", &value) && value == 7));
    for (const std::string_view wrong : {"9223372036854775808", "-9223372036854775809", "", "-", "1x", "0x1", "1 "})
      CHECK_FALSE(detail::ReadDecimal(wrong, &value));
  }
  TEST_CASE("floats are decimal, hexadecimal or words") {
    for (const std::string_view right : {"1", "-1.5e-3", ".5", "5.", "0x1p3", "inf", "-Infinity", "NaN", "+0"})
      CHECK(detail::LooksLikeFloat(right));
    for (const std::string_view wrong : {"", ".", "1e", "1f", "0x", "0x1p", "infinite", "1.2.3", "--1"})
      CHECK_FALSE(detail::LooksLikeFloat(wrong));
  }
  TEST_CASE("a cursor moves on only where it finds what it looks for") {
    detail::TextCursor in("  a# note\n\tb");
    in.SkipSpace();
    CHECK_FALSE(in.Eat('b'));
    CHECK(in.Eat('a'));
    in.SkipSpaceAndComments();
    CHECK(in.peek() == 'b');
    CHECK_FALSE(in.Eat("bc"));
    CHECK(in.rest() == "b");
    CHECK(in.EatWhile(detail::kWordChars) == "b");
    CHECK(in.done());
    CHECK(in.peek() == '\0');
  }
}
}  // namespace
}  // namespace spec_text_test
