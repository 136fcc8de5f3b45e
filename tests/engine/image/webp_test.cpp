// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/webp.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace webp_test {
using namespace tenon;

TEST_CASE("WebP: the error without the library says what to link") {
  CHECK(tenon::detail::NoWebpCodec().message().find("tenon::webp") != std::string::npos);
}

#ifdef TENON_WITH_WEBP

namespace {

using tenon::detail::WebpReader;
using Bytes = std::vector<std::uint8_t>;

// Pictures of 1 row and 2 columns, without loss, by libwebp's encoder.
constexpr std::string_view kRgb(
    "\x52\x49\x46\x46\x2c\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x4c\x20\x00\x00\x00\x2f\x01\x00\x00\x00\x0f"
    "\xa0\x10\x40\x00\x14\x34\x0a\x01\x04\x40\x41\xa3\x10\x40\x00\x14\x34\xf3\x1f\xf9\x1f\x2a\x10\xd1\xff\x00",
    52);
constexpr std::string_view kRgba(
    "\x52\x49\x46\x46\x2e\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x4c\x21\x00\x00\x00\x2f\x01\x00\x00\x10\x0f"
    "\xa0\x10\x40\x00\x14\x34\x0a\x01\x04\x40\x41\xa3\x10\x40\x00\x14\x34\x4f\xb0\x8f\xdc\x1f\x15\x88\xe8\x7f"
    "\x00\x00",
    54);
// Two frames; the second one paints its right pixel over the first one's.
constexpr std::string_view kAnimated(
    "\x52\x49\x46\x46\x98\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x58\x0a\x00\x00\x00\x12\x00\x00\x00\x01\x00"
    "\x00\x00\x00\x00\x41\x4e\x49\x4d\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x41\x4e\x4d\x46\x38\x00\x00\x00"
    "\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x28\x00\x00\x02\x56\x50\x38\x4c\x20\x00\x00\x00\x2f\x01"
    "\x00\x00\x00\x0f\xa0\x10\x40\x00\x14\x34\x0a\x01\x04\x40\x41\xa3\x10\x40\x00\x14\x34\xf3\x1f\xf9\x1f\x2a"
    "\x10\xd1\xff\x00\x41\x4e\x4d\x46\x2c\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x28\x00"
    "\x00\x00\x56\x50\x38\x4c\x13\x00\x00\x00\x2f\x01\x00\x00\x10\x0f\x30\x08\x73\x30\x09\xf3\x1f\xf0\xa8\x40"
    "\x44\xff\x03\x00",
    160);

}  // namespace

TEST_CASE("WebpReader: one picture, with alpha and without") {
  for (const bool alpha : {false, true}) {
    WebpReader reader;
    REQUIRE(reader.Begin(alpha ? kRgba : kRgb));
    CHECK_FALSE(reader.animated());
    CHECK(reader.height() == 1);
    CHECK(reader.width() == 2);
    REQUIRE(reader.channels() == (alpha ? 4 : 3));
    Bytes pixels(2 * static_cast<std::size_t>(reader.channels()));
    REQUIRE(reader.Paint(pixels.data()));
    CHECK(pixels == (alpha ? Bytes{1, 2, 3, 9, 4, 5, 6, 255} : Bytes{1, 2, 3, 4, 5, 6}));
  }
}

TEST_CASE("WebpReader: frames, each painted over the one before") {
  WebpReader reader;
  REQUIRE(reader.Begin(kAnimated));
  REQUIRE(reader.animated());
  CHECK(reader.CountFrames() == 2);
  REQUIRE(reader.channels() == 4);
  Bytes pixels(16);
  REQUIRE(reader.PaintFrames(2, pixels.data()));
  CHECK(pixels == Bytes{1, 2, 3, 255, 4, 5, 6, 255, 1, 2, 3, 255, 7, 8, 9, 255});
}

TEST_CASE("WebpReader: a file that ends early at any byte is refused") {
  for (const std::string_view file : {kRgb, kRgba, kAnimated}) {
    for (std::size_t size = 0; size + 1 < file.size(); ++size) {
      CAPTURE(size);
      const std::string cut(file.substr(0, size));  // its end is the end of an allocation
      WebpReader reader;
      if (!reader.Begin(cut)) continue;
      Bytes pixels(16);
      if (reader.animated())
        CHECK((reader.CountFrames() == 0 || !reader.PaintFrames(2, pixels.data())));
      else
        CHECK_FALSE(reader.Paint(pixels.data()));
    }
  }
}

#endif

}  // namespace webp_test
