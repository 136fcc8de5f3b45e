// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/png.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace png_test {
using namespace tenon;

TEST_CASE("what is said of PNG files where libpng is missing") {
  const Status status = tenon::detail::NoImageCodecs();
  CHECK(status.code() == Code::kUnimplemented);
  CHECK(status.message().find("link the CMake component tenon::image") != std::string::npos);
}

#ifdef TENON_WITH_IMAGE

namespace {

using tenon::detail::PngReader;
using tenon::detail::WritePng;
using Samples = std::vector<int>;

std::string FromHex(std::string_view hex) {
  std::string bytes;
  const auto digit = [](char c) { return c < 'a' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return bytes;
}

// All samples of a file, or {} when it is refused.
template <class T>
Samples Read(std::string_view file, int channels, Index* height = nullptr, Index* width = nullptr) {
  PngReader reader;
  if (!reader.Begin(file, channels, sizeof(T) == 2)) return {};
  std::vector<T> pixels(static_cast<std::size_t>(reader.height() * reader.width() * reader.channels()));
  if (!reader.Finish(pixels.data())) return {};
  if (height != nullptr) *height = reader.height();
  if (width != nullptr) *width = reader.width();
  return Samples(pixels.begin(), pixels.end());
}

template <class T>
std::string Written(const std::vector<T>& pixels, Index height, Index width, int channels, int compression = -1) {
  std::string file;
  REQUIRE(WritePng(pixels.data(), height, width, channels, sizeof(T) == 2, compression, &file));
  return file;
}

template <class T>
void CheckRoundTrip() {
  for (int channels = 1; channels <= 4; ++channels)
    for (const int compression : {-1, 0, 9}) {
      const auto pixels = tenon::testing::RandomVector<T>(5 * 7 * channels, static_cast<std::uint64_t>(channels), 0,
                                                          sizeof(T) == 1 ? 256 : 65536);
      Index height = 0, width = 0;
      const std::string file = Written(pixels, 5, 7, channels, compression);
      for (const int wanted : {0, channels})
        CHECK(Read<T>(file, wanted, &height, &width) == Samples(pixels.begin(), pixels.end()));
      CHECK(height == 5);
      CHECK(width == 7);
    }
}

// Files of Python's zlib and struct.
constexpr std::string_view kBits =  // 8 x 1, grey, 1 bit: 10110010
    "89504e470d0a1a0a0000000d4948445200000008000000010100000000cb7bd2ee0000000a4944415478da63d8040000b400b38990cd2f0000"
    "000049454e44ae426082";
constexpr std::string_view kPalette =  // 2 x 1: (1, 2, 3) with alpha 128 and (4, 5, 6)
    "89504e470d0a1a0a0000000d4948445200000002000000010803000000c3fc8fb800000006504c544501020304050695536f48000000017452"
    "4e5380ad5e5b460000000b4944415478da6360600400000400022cde48ad0000000049454e44ae426082";
constexpr std::string_view kWide =  // 2 x 1, grey, 16 bits: 0x1234 and 0xff7e
    "89504e470d0a1a0a0000000d494844520000000200000001100000000081d9fc150000000d4944415478da631032f95f0700036501c40bd392"
    "510000000049454e44ae426082";
constexpr std::string_view kHuge =  // (2^31 - 1) x (2^31 - 1), RGBA
    "89504e470d0a1a0a0000000d494844527fffffff7fffffff080600000014c90b66000000004944415435af061e";

}  // namespace

TEST_SUITE("PNG") {
  TEST_CASE("what is written is read again") {
    CheckRoundTrip<std::uint8_t>();
    CheckRoundTrip<std::uint16_t>();
  }
  TEST_CASE("other channels and depths than the file's") {
    const std::string rgb = Written<std::uint8_t>({255, 0, 0, 10, 20, 30}, 1, 2, 3);
    CHECK(Read<std::uint8_t>(rgb, 4) == Samples{255, 0, 0, 255, 10, 20, 30, 255});
    CHECK(Read<std::uint16_t>(rgb, 3) == Samples{65535, 0, 0, 2570, 5140, 7710});
    // TensorFlow's answers: 0.299 R + 0.587 G + 0.114 B, cut off for 8 bits and rounded for 16.
    const std::vector<std::uint8_t> colors = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 255, 255, 255, 200, 100, 50};
    CHECK(Read<std::uint8_t>(Written(colors, 1, 6, 3), 1) == Samples{76, 149, 29, 18, 255, 124});
    CHECK(Read<std::uint16_t>(Written(colors, 1, 6, 3), 1) == Samples{19532, 38293, 7453, 4626, 65535, 31868});
    std::vector<std::uint16_t> deep;
    for (const std::uint8_t c : colors) deep.push_back(static_cast<std::uint16_t>(c * 257));
    CHECK(Read<std::uint16_t>(Written(deep, 1, 6, 3), 1) == Samples{19594, 38467, 7474, 4665, 65535, 31918});
    CHECK(Read<std::uint8_t>(Written(deep, 1, 6, 3), 1) == Samples{76, 150, 29, 18, 255, 124});
    const std::string gray_alpha = Written<std::uint8_t>({7, 100, 9, 200}, 2, 1, 2);
    CHECK(Read<std::uint8_t>(gray_alpha, 1) == Samples{7, 9});
    CHECK(Read<std::uint8_t>(gray_alpha, 4) == Samples{7, 7, 7, 100, 9, 9, 9, 200});
  }
  TEST_CASE("files of another writer") {
    CHECK(Read<std::uint8_t>(FromHex(kBits), 0) == Samples{255, 0, 255, 255, 0, 0, 255, 0});
    CHECK(Read<std::uint16_t>(FromHex(kBits), 1) == Samples{65535, 0, 65535, 65535, 0, 0, 65535, 0});
    CHECK(Read<std::uint8_t>(FromHex(kPalette), 0) == Samples{1, 2, 3, 128, 4, 5, 6, 255});
    CHECK(Read<std::uint8_t>(FromHex(kPalette), 3) == Samples{1, 2, 3, 4, 5, 6});
    CHECK(Read<std::uint16_t>(FromHex(kWide), 0) == Samples{0x1234, 0xff7e});
    CHECK(Read<std::uint8_t>(FromHex(kWide), 0) == Samples{0x12, 0xff});
  }
  TEST_CASE("refuses what is no whole file") {
    CHECK(Read<std::uint8_t>("", 0).empty());
    CHECK(Read<std::uint8_t>("This is no PNG file, whatever its name says.", 3).empty());
    CHECK(Read<std::uint8_t>(FromHex(kHuge), 0).empty());
    const std::string file = Written<std::uint8_t>({1, 2, 3, 4, 5, 6}, 1, 2, 3);
    for (std::size_t n = 0; n < file.size(); ++n) CHECK(Read<std::uint8_t>(file.substr(0, n), 0).empty());
    // A wrong sum: of the header (bytes 16 to 28) the file is refused.
    std::string damaged = file;
    damaged[19] = static_cast<char>(damaged[19] ^ 1);
    CHECK(Read<std::uint8_t>(damaged, 0).empty());
  }
  TEST_CASE("writes no image without pixels, and none that is too large") {
    const std::uint8_t pixel[4] = {};
    std::string file;
    CHECK_FALSE(WritePng(pixel, 0, 1, 1, false, -1, &file));
    CHECK_FALSE(WritePng(pixel, 1, 0, 1, false, -1, &file));
    CHECK_FALSE(WritePng(pixel, Index{1} << 31, 1, 1, false, -1, &file));
    CHECK_FALSE(WritePng(pixel, 1, Index{1} << 40, 1, false, -1, &file));
  }
}

#endif
}  // namespace png_test
