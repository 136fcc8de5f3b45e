// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/gif.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace gif_test {
using namespace tenon;

namespace {

using tenon::detail::GifReader;
using Pixels = std::vector<int>;

constexpr std::string_view kHead("GIF89a\4\0\4\0\x80\0\0\1\2\3\4\5\6", 19);  // colors (1, 2, 3) and (4, 5, 6)
constexpr std::string_view kClear(";");

// A frame at (left, top) whose levels are 0 or 1. Codes have 3 bits: a level, 4 to begin anew after each one.
std::string Frame(int left, int top, int width, int height, std::string_view levels, int flags = 0) {
  std::string out = ",";
  for (const int word : {left, top, width, height}) {
    out.push_back(static_cast<char>(word & 255));
    out.push_back(static_cast<char>(word >> 8));
  }
  out.push_back(static_cast<char>(flags));
  out.push_back('\2');
  std::string data;
  unsigned bits = 0, count = 0;
  const auto put = [&](unsigned code) {
    bits |= code << count;
    for (count += 3; count >= 8; count -= 8, bits >>= 8) data.push_back(static_cast<char>(bits & 255));
  };
  for (const char level : levels) {
    put(4);
    put(static_cast<unsigned>(level - '0'));
  }
  put(5);
  data.push_back(static_cast<char>(bits));
  out.push_back(static_cast<char>(data.size()));
  return out + data + std::string(1, '\0');
}
std::string File(std::string_view frames) { return std::string(kHead) + std::string(frames) + std::string(kClear); }

Pixels Painted(std::string_view file) {
  GifReader reader;
  if (!reader.Begin(file)) return {};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(reader.frames() * reader.height() * reader.width() * 3), 9);
  if (!reader.Paint(reader.frames(), pixels.data())) return {-1};
  return Pixels(pixels.begin(), pixels.end());
}

}  // namespace

TEST_SUITE("GIF") {
  TEST_CASE("frames are painted over the frame before them") {
    const std::string file = File(Frame(0, 0, 2, 1, "01") + Frame(1, 0, 1, 1, "0"));
    GifReader reader;
    REQUIRE(reader.Begin(file));
    CHECK(reader.frames() == 2);
    CHECK(reader.height() == 1);
    CHECK(reader.width() == 2);
    CHECK(Painted(file) == Pixels{1, 2, 3, 4, 5, 6, 1, 2, 3, 1, 2, 3});
  }
  TEST_CASE("a level that is transparent shows the frame before, and black in the first one") {
    const std::string control("!\xf9\4\1\0\0\1\0", 8);
    CHECK(Painted(File(control + Frame(0, 0, 2, 1, "01"))) == Pixels{1, 2, 3, 0, 0, 0});
  }
  TEST_CASE("interlaced rows") {
    const Pixels got = Painted(File(Frame(0, 0, 1, 4, "0111", 0x40)));
    CHECK(got == Pixels{1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6});
    CHECK(Painted(File(Frame(0, 0, 1, 4, "0100", 0x40))) == Pixels{1, 2, 3, 1, 2, 3, 4, 5, 6, 1, 2, 3});
  }
  TEST_CASE("a file that is cut gives its whole frames, or none") {
    const std::string first = Frame(0, 0, 2, 1, "01"), file = File(first + Frame(0, 0, 2, 1, "11"));
    for (std::size_t n = 0; n < file.size(); ++n) {
      // In memory of its own, so that a read behind the end is seen.
      const std::vector<char> part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n));
      GifReader reader;
      const bool good = reader.Begin({part.data(), part.size()});
      CHECK(good == (n >= kHead.size() + first.size()));
      if (!good) CHECK_FALSE(reader.error().empty());
      if (good) CHECK(reader.frames() == (n + 1 >= file.size() ? 2 : 1));
    }
  }
  TEST_CASE("every changed byte ends well") {
    const std::string file = File(Frame(0, 0, 2, 2, "0110") + Frame(1, 1, 2, 1, "01"));
    for (std::size_t n = 0; n < file.size(); ++n)
      for (const int value : {0, 1, 7, 8, 127, 255}) {
        std::string changed = file;
        changed[n] = static_cast<char>(value);
        GifReader reader;
        if (!reader.Begin(changed) || reader.height() * reader.width() > 1 << 20) continue;
        std::vector<std::uint8_t> pixels(static_cast<std::size_t>(reader.height() * reader.width() * 3));
        static_cast<void>(reader.Paint(1, pixels.data()));
      }
  }
  TEST_CASE("refused files") {
    CHECK(Painted("GIF").empty());
    CHECK(Painted("PNG89a").empty());
    CHECK(Painted(File("")).empty());
    CHECK(Painted(File(Frame(0, 0, 0, 0, ""))).empty());
    CHECK(Painted(File(Frame(0, 0, 2, 1, "0"))).empty());
    CHECK(Painted(File(Frame(0, 0, 2, 1, "03"))) == Pixels{-1});
  }
}
}  // namespace gif_test
