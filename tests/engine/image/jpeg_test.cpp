// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/jpeg.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace jpeg_test {
using namespace tenon;

TEST_CASE("JPEG: what TensorFlow's ops write and read unless told otherwise") {
  CHECK(JpegWriteOptions().quality == 95);
  CHECK(JpegWriteOptions().chroma_downsampling);
  CHECK(JpegWriteOptions().x_density == 300);
  CHECK(JpegReadOptions().ratio == 1);
  CHECK(JpegReadOptions().fancy_upscaling);
  CHECK_FALSE(JpegReadOptions().try_recover_truncated);
  CHECK(JpegReadOptions().fast_dct);
}

#ifdef TENON_WITH_IMAGE

namespace {

using tenon::detail::JpegReader;
using tenon::detail::JpegWriter;
using Pixels = std::vector<std::uint8_t>;

constexpr Index kHeight = 24, kWidth = 40;

// A plane that rises by 3 a row and 2 a column, other in every channel.
Pixels Ramp(int channels) {
  Pixels pixels;
  for (Index y = 0; y < kHeight; ++y)
    for (Index x = 0; x < kWidth; ++x)
      for (Index c = 0; c < channels; ++c) pixels.push_back(static_cast<std::uint8_t>(20 + 3 * y + 2 * x + 15 * c));
  return pixels;
}
std::string Written(const Pixels& pixels, int channels, const JpegWriteOptions& options) {
  JpegWriter writer;
  REQUIRE(writer.Write(pixels.data(), kHeight, kWidth, channels, options));
  return std::string(writer.file());
}

struct Image {
  bool begun = false, read = false;
  Index height = 0, width = 0, channels = 0;
  Pixels pixels;
};
Image Read(std::string_view file, const JpegReadOptions& options = {}) {
  Image image;
  JpegReader reader;
  image.begun = reader.Begin(file, options);
  if (!image.begun) return image;
  image.height = reader.height();
  image.width = reader.width();
  image.channels = reader.channels();
  image.pixels.resize(static_cast<std::size_t>(image.height * image.width * image.channels));
  image.read = reader.Finish(image.pixels.data());
  return image;
}
int Farthest(const Pixels& a, const Pixels& b) {
  REQUIRE(a.size() == b.size());
  int most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(int{a[i]} - int{b[i]}));
  return most;
}

}  // namespace

TEST_SUITE("JPEG") {
  TEST_CASE("what is written is read again, but for a few levels") {
    for (const int channels : {1, 3})
      for (const bool progressive : {false, true}) {
        JpegWriteOptions options;
        options.quality = 100;
        options.progressive = progressive;
        options.optimize_size = progressive;
        options.chroma_downsampling = false;
        const Pixels pixels = Ramp(channels);
        const Image image = Read(Written(pixels, channels, options));
        CHECK(image.read);
        CHECK(image.height == kHeight);
        CHECK(image.width == kWidth);
        CHECK(image.channels == channels);
        CHECK(Farthest(image.pixels, pixels) <= 3);
      }
  }
  TEST_CASE("channels and sizes as wanted") {
    JpegWriteOptions best;
    best.quality = 100;
    const std::string color = Written(Ramp(3), 3, best);
    const Image gray = Read(color, {.channels = 1});
    REQUIRE(gray.read);
    // 0.299 R + 0.587 G + 0.114 B of 20, 35 and 50
    CHECK(std::abs(gray.pixels[0] - 32) <= 2);
    const Image rgb = Read(Written(Ramp(1), 1, best), {.channels = 3});
    REQUIRE(rgb.read);
    CHECK((rgb.pixels[0] == rgb.pixels[1] && rgb.pixels[1] == rgb.pixels[2]));
    for (const int ratio : {1, 2, 4, 8}) {
      const Image small = Read(color, {.ratio = ratio});
      CHECK(small.read);
      CHECK(small.height == kHeight / ratio);
      CHECK(small.width == kWidth / ratio);
    }
    for (const int channels : {2, 4}) CHECK_FALSE(Read(color, {.channels = channels}).begun);
  }
  TEST_CASE("quality, density and metadata are in the file") {
    JpegWriteOptions options;
    options.quality = 5;
    options.density_in_cm = true;
    options.x_density = 0x123;
    options.y_density = 0x45;
    options.xmp_metadata = "some words";
    const std::string file = Written(Ramp(3), 3, options);
    CHECK(file.size() < Written(Ramp(3), 3, {}).size());
    CHECK(file.find(std::string_view("JFIF\0\1\1\2\1\x23\0\x45", 12)) != std::string::npos);
    CHECK(file.find(std::string("http://ns.adobe.com/xap/1.0/") + '\0' + "some words") != std::string::npos);
    CHECK(Read(file).read);
  }
  TEST_CASE("refuses what is no whole file; half of one is read if wanted") {
    CHECK_FALSE(Read("").begun);
    CHECK_FALSE(Read("This is no JPEG file, whatever its name says.").begun);
    CHECK_FALSE(Read("\xff\xd8\xff").begun);
    CHECK_FALSE(Read("\xff\xd8\xff", {.try_recover_truncated = true}).read);
    const std::string file = Written(Ramp(3), 3, {});
    for (std::size_t n = 0; n < file.size() - 2; n += 7) CHECK_FALSE(Read(file.substr(0, n)).read);
    const std::size_t scan = file.find("\xff\xda");  // the pixels' beginning
    const Image half = Read(file.substr(0, (scan + file.size()) / 2), {.try_recover_truncated = true});
    REQUIRE(half.read);
    CHECK(std::abs(half.pixels[0] - 20) <= 6);
    // 65535 x 65535 in the header (SOF0: length, precision, height, width) is more than the file and libjpeg hold.
    std::string huge = file;
    const std::size_t at = huge.find("\xff\xc0");
    REQUIRE(at != std::string::npos);
    std::fill_n(huge.begin() + static_cast<std::ptrdiff_t>(at) + 5, 4, '\xff');
    CHECK_FALSE(Read(huge).begun);
  }
  TEST_CASE("writes no image without pixels, and none that is too large") {
    const std::uint8_t pixel[3] = {};
    CHECK_FALSE(JpegWriter().Write(pixel, 0, 1, 1, {}));
    CHECK_FALSE(JpegWriter().Write(pixel, 1, 0, 3, {}));
    CHECK_FALSE(JpegWriter().Write(pixel, 65501, 1, 1, {}));
    CHECK_FALSE(JpegWriter().Write(pixel, 1, Index{1} << 40, 1, {}));
  }
}

#endif
}  // namespace jpeg_test
