// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/ordered_code.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace ordered_code_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

std::string Unsigned(std::uint64_t value) {
  std::string code;
  ordered_code::AppendUnsigned(&code, value);
  return code;
}
std::string Signed(std::int64_t value) {
  std::string code;
  ordered_code::AppendSigned(&code, value);
  return code;
}
std::string Text(std::string_view value) {
  std::string code;
  ordered_code::AppendText(&code, value);
  return code;
}

}  // namespace

TEST_SUITE("ordered_code") {
  TEST_CASE("known codes") {
    CHECK(Unsigned(0) == "\0"s);
    CHECK(Unsigned(1) == "\1\1"s);
    CHECK(Unsigned(0x1234) == "\2\x12\x34"s);
    CHECK(Unsigned(~std::uint64_t{0}) == "\x08\xff\xff\xff\xff\xff\xff\xff\xff"s);
    CHECK(Signed(0) == "\x80"s);
    CHECK(Signed(-1) == "\x7f"s);
    CHECK(Signed(63) == "\xbf"s);
    CHECK(Signed(64) == "\xc0\x40"s);
    CHECK(Signed(-64) == "\x40"s);
    CHECK(Signed(-65) == "\x3f\xbf"s);
    CHECK(Signed(8192) == "\xe0\x20\x00"s);
    CHECK(Signed(std::numeric_limits<std::int64_t>::max()) == "\xff\xc0\x7f\xff\xff\xff\xff\xff\xff\xff"s);
    CHECK(Signed(std::numeric_limits<std::int64_t>::min()) == "\x00\x3f\x80\x00\x00\x00\x00\x00\x00\x00"s);
    CHECK(Text("") == "\0\1"s);
    CHECK(Text("a\0b\xff"s) == "a\0\xff"s + "b\xff\0"s + "\0\1"s);
  }

  TEST_CASE("the order of the codes is that of the values") {
    std::string before;
    for (std::int64_t value = std::numeric_limits<std::int64_t>::min();;) {
      const std::string code = Signed(value);
      CHECK(before < code);
      before = code;
      if (value == std::numeric_limits<std::int64_t>::max()) break;
      // Both sides of every power of two, and each of its own.
      const std::int64_t step = value < -2 ? -(value / 3) : value > 2 ? value / 3 + 1 : 1;
      value = value > std::numeric_limits<std::int64_t>::max() - step ? std::numeric_limits<std::int64_t>::max()
                                                                      : value + step;
    }
    for (int bits = 6; bits < 63; ++bits) {
      const std::int64_t power = std::int64_t{1} << bits;
      CHECK(Signed(power - 1) < Signed(power));
      CHECK(Signed(-power - 1) < Signed(-power));
      CHECK(Unsigned(static_cast<std::uint64_t>(power - 1)) < Unsigned(static_cast<std::uint64_t>(power)));
    }
    CHECK(Text("a") < Text("a\0"s));
    CHECK(Text("a\0"s) < Text("aa"));
    CHECK(Text("\xfe") < Text("\xff"));
  }

  TEST_CASE("the key of a slice, as TensorFlow's files have it") {
    TensorSlice slice;
    slice.Add(3, 2);
    slice.Add(0, TensorSlice::kFull);
    CHECK(ordered_code::SliceKey("emb/weights", slice) == "\0emb/weights\0\1\1\2\x83\x82\x80\x7f"s);
    CHECK(ordered_code::SliceKey("s", TensorSlice(0)) == "\0s\0\1\0"s);
  }
}
}  // namespace ordered_code_test
