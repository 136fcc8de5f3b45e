// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/text/strings.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace texts_test {
using namespace tenon;

TEST_CASE("every code point survives UTF-8, and nothing else is read from it") {
  for (std::int32_t code = 0; code <= kLargestCodePoint; code += code < 0x3000 ? 1 : 97) {
    if (IsSurrogate(code)) continue;
    std::string text;
    AppendUtf8(code, &text);
    const Utf8Character read = ReadUtf8(text);
    REQUIRE(read.code == code);
    REQUIRE(read.bytes == static_cast<int>(text.size()));
    if (text.size() > 1) REQUIRE(ReadUtf8(text.substr(0, text.size() - 1)).code == -1);
  }
}
TEST_CASE("of wrong bytes the longest beginning of a character is one mistake") {
  // Overlong, surrogate, beyond the last, cut short, alone.
  const std::pair<const char*, int> mistakes[] = {{"\xc0\x80", 1},         {"\xe0\x80\x80", 1}, {"\xed\xa0\x80", 1},
                                                  {"\xf4\x90\x80\x80", 1}, {"\xf0\x9f\x98", 3}, {"\xe2\x82", 2},
                                                  {"\xf8\x88", 1},         {"\x80", 1},         {"\xff", 1}};
  for (const auto& [bytes, size] : mistakes) {
    CHECK(ReadUtf8(bytes).code == -1);
    CHECK(ReadUtf8(bytes).bytes == size);
  }
  CHECK(CountUtf8("h\xc3\xa9\xe6\x97\xa5") == 3);
}
TEST_CASE("integers hold to the limits of their type") {
  std::uint64_t value = 0;
  CHECK(ReadInteger(" -2147483648\n", true, 32, &value));
  CHECK(static_cast<std::int64_t>(value) == -2147483648);
  CHECK(!ReadInteger("-2147483649", true, 32, &value));
  CHECK(!ReadInteger("2147483648", true, 32, &value));
  CHECK(ReadInteger("18446744073709551615", false, 64, &value));
  CHECK(value == ~std::uint64_t{0});
  CHECK(!ReadInteger("18446744073709551616", false, 64, &value));
  CHECK(ReadInteger("+0000000000000000000000000007", false, 32, &value));
  CHECK(value == 7);
  for (const char* text : {"", "-", "+", "--1", "+-1", "- 1", "1 2", "0x10", "1.0", "-0"})
    CHECK(!ReadInteger(text, false, 32, &value));
}
TEST_CASE("real numbers as strtod reads them, but to the end") {
  double value = 0;
  CHECK((ReadReal("\t0x1.8p1 ", &value) && value == 3));
  CHECK((ReadReal("-.5", &value) && value == -0.5));
  CHECK((ReadReal("1e400", &value) && std::isinf(value)));
  CHECK((ReadReal("NaN", &value) && std::isnan(value)));
  for (const char* text : {"", " ", "1e", "1f", "1_000", "+-1", "infin", "1 2"}) CHECK(!ReadReal(text, &value));
  CHECK(!ReadReal(std::string_view("1\0", 2), &value));
}
TEST_CASE("short real numbers are those of strtod, to the last bit") {
  std::uint64_t state = 7;
  const auto next = [&state](std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  };
  int read = 0, wrong = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text(next(3) == 0 ? "-" : next(5) == 0 ? "+" : "");
    for (std::uint64_t k = next(9); k > 0; --k) text += static_cast<char>('0' + next(10));
    if (next(2) == 0) {
      text += '.';
      for (std::uint64_t k = next(9); k > 0; --k) text += static_cast<char>('0' + next(10));
    }
    if (next(2) == 0) {
      text += next(2) == 0 ? "e" : "E";
      text += next(2) == 0 ? "-" : next(2) == 0 ? "+" : "";
      text += std::to_string(next(30));
    }
    double value = 0;
    char* end = nullptr;
    const double want = std::strtod(text.c_str(), &end);
    if (!ReadShortReal(text, &value)) continue;
    ++read;
    wrong += end == text.c_str() + text.size() && value == want && std::signbit(value) == std::signbit(want) ? 0 : 1;
  }
  CHECK(read > 30000);
  CHECK(wrong == 0);
  double value = 0;
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1e-", "1e1.", "1 ", "0x1", "inf", "1e23", "1e-23", "1e123",
                           "1234567890123456", "12345678.90123456"})
    CHECK(!ReadShortReal(text, &value));
}
TEST_CASE("base64 of RFC 4648, in the form for addresses") {
  const std::pair<const char*, const char*> pairs[] = {{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
                                                       {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}};
  for (const auto& [plain, coded] : pairs) {
    std::string bytes;
    CHECK(EncodeBase64(plain, true) == coded);
    CHECK(DecodeBase64(coded, &bytes) == nullptr);
    CHECK(bytes == plain);
    CHECK(DecodeBase64(EncodeBase64(plain, false), &bytes) == nullptr);
    CHECK(bytes == plain);
  }
  std::string bytes;
  CHECK(EncodeBase64("\xfb\xff", false) == "-_8");
  for (const char* text : {"Z", "Zg=", "====", "Zm9v=", "Z m9", "+/+/"}) CHECK(DecodeBase64(text, &bytes) != nullptr);
}
TEST_CASE("base64 of every length, and of every letter") {
  const std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string plain, bytes;
  for (int n = 0; n < 70; ++n) {
    for (const bool pad : {false, true}) {
      const std::string coded = EncodeBase64(plain, pad);
      CHECK(coded.size() == static_cast<std::size_t>(pad ? (n + 2) / 3 * 4 : (n * 4 + 2) / 3));
      // Bit by bit.
      for (std::size_t i = 0; i < coded.size() && coded[i] != '='; ++i) {
        std::size_t digit = 0;
        for (std::size_t bit = 6 * i; bit < 6 * i + 6; ++bit)
          digit = digit << 1 | (bit / 8 < plain.size() ? plain[bit / 8] >> (7 - bit % 8) & 1 : 0);
        CHECK(coded[i] == letters[digit]);
      }
      CHECK(DecodeBase64(coded, &bytes) == nullptr);
      CHECK(bytes == plain);
    }
    plain.push_back(static_cast<char>(n * 73 + 41));
  }
  for (int c = 0; c < 256; ++c) {
    for (std::size_t at = 0; at < 6; ++at) {
      std::string text = "AAAAAA";
      text[at] = static_cast<char>(c);
      CHECK((DecodeBase64(text, &bytes) == nullptr) == (letters.find(static_cast<char>(c)) != letters.npos));
      CHECK(bytes.size() == (letters.find(static_cast<char>(c)) != letters.npos ? 4 : 0));
    }
  }
}
TEST_CASE("a loop over texts covers each one once") {
  const tstring in[] = {" a", "b ", " "};
  tstring out[3];
  Cpu device;
  MapTexts(device, in, out, 3, 10, [](std::string_view text, tstring* to) { to->assign(WithoutSpaces(text)); });
  CHECK(out[0] == "a");
  CHECK(out[1] == "b");
  CHECK(out[2] == "");
}
}  // namespace texts_test
