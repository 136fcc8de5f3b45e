// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/decode_image.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/ops/image/encode.hpp>

#include "ops/support.hpp"

namespace image_decode_image_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const StaticInput kScalar(std::initializer_list<std::int64_t>{});
using Levels = std::vector<double>;

Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
// A file of one frame: [1, 2, 3] levels 1, 2, 3, 4, 5, 6; another one swaps its two pixels.
constexpr std::string_view kOne("GIF89a\4\0\4\0\x80\0\0\1\2\3\4\5\6,\0\0\0\0\2\0\1\0\0\2\2\x44\x0a\0;", 34);
constexpr std::string_view kTwo(
    "GIF89a\4\0\4\0\x80\0\0\1\2\3\4\5\6,\0\0\0\0\2\0\1\0\0\2\2\x44\x0a\0,\0\0\0\0\2\0\1\0\0\2\2\x0c\x0a\0;", 49);

}  // namespace

TEST_SUITE("DecodeGif, DecodeImage") {
  TEST_CASE("frames, or the first one") {
    const Tensor two = Run<ops::DecodeGif>({}, {Text(kTwo)});
    CHECK(two.shape() == TensorShape({2, 1, 2, 3}));
    CHECK(Numbered<std::uint8_t>(two) == Levels{1, 2, 3, 4, 5, 6, 4, 5, 6, 1, 2, 3});
    CHECK(Run<ops::DecodeImage>({}, {Text(kTwo)}).shape() == TensorShape({2, 1, 2, 3}));
    CHECK(Run<ops::DecodeImage>({{"expand_animations", false}}, {Text(kTwo)}).shape() == TensorShape({1, 2, 3}));
    CHECK(Run<ops::DecodePng>({}, {Text(kOne)}).shape() == TensorShape({1, 2, 3}));
    CHECK(ErrorOf<ops::DecodePng>({}, {Text(kTwo)}).find("INVALID_ARGUMENT: Got 2 frames, but animated") == 0);
  }
  TEST_CASE("other types") {
    const Tensor wide = Run<ops::DecodeImage>({{"dtype", DataType::kUint16}}, {Text(kOne)});
    CHECK(Numbered<std::uint16_t>(wide) == Levels{256, 512, 768, 1024, 1280, 1536});
    const Tensor share = Run<ops::DecodeImage>({{"dtype", DataType::kFloat}}, {Text(kOne)});
    CHECK(share.data<float>()[5] == doctest::Approx(6.0 / 255));
  }
  TEST_CASE("refused") {
    CHECK(ErrorOf<ops::DecodeGif>({}, {Text("GIF89a")}).find("INVALID_ARGUMENT: Invalid GIF data (size 6)") == 0);
    CHECK(ErrorOf<ops::DecodeGif>({}, {Text("BM1234")}).find("INVALID_ARGUMENT: Trying to decode BMP") == 0);
    CHECK(ErrorOf<ops::DecodeImage>({{"channels", 4}}, {Text(kOne)}) ==
          "INVALID_ARGUMENT: channels must be 0 or 3 for GIF, got 4");
    CHECK(ErrorOf<ops::DecodeImage>({}, {Text("")}) == "INVALID_ARGUMENT: Input is empty.");
    CHECK(ErrorOf<ops::DecodeAndCropJpeg>({}, {Text(kOne), Ints({0, 0, 1, 1})}) ==
          "INVALID_ARGUMENT: DecodeAndCropJpeg operation can run on JPEG only, but detected GIF.");
    CHECK(ErrorOf<ops::ExtractJpegShape>({}, {Text("")}) == "INVALID_ARGUMENT: Invalid JPEG data, size 0");
  }
  TEST_CASE("inferred shapes") {
    CHECK(InferredShape<ops::DecodeGif>({kScalar}) == "[?,?,?,3]");
    CHECK(InferredShape<ops::DecodeImage>({kScalar}) == "?");
    CHECK(InferredShape<ops::DecodeImage>({kScalar}, {{"expand_animations", false}, {"channels", 3}}) == "[?,?,3]");
    CHECK(
        InferredShape<ops::DecodeImage>({kScalar}, {{"channels", -1}}).find("channels must be non-negative, got -1") !=
        std::string::npos);
    CHECK(InferredShape<ops::DecodeAndCropJpeg>({kScalar, {4}}) == "[?,?,?]");
    CHECK(InferredShape<ops::ExtractJpegShape>({kScalar}) == "[3]");
  }
}

#ifdef TENON_WITH_IMAGE
TEST_SUITE("DecodeAndCropJpeg, ExtractJpegShape") {
  TEST_CASE("the window is a part of the picture") {
    Tensor picture(DataType::kUint8, TensorShape({24, 40, 3}));
    for (Index i = 0; i < picture.NumElements(); ++i)
      picture.data<std::uint8_t>()[i] = static_cast<std::uint8_t>(i / 120 * 5 + i % 120);
    const Tensor file = Run<ops::EncodeJpeg>({{"chroma_downsampling", false}}, {picture});
    const Tensor whole = Run<ops::DecodeJpeg>({}, {file});
    const Tensor part = Run<ops::DecodeAndCropJpeg>({}, {file, Ints({3, 17, 9, 11})});
    REQUIRE(part.shape() == TensorShape({9, 11, 3}));
    for (Index y = 0; y < 9; ++y)
      for (Index x = 0; x < 33; ++x)
        CHECK(part.data<std::uint8_t>()[y * 33 + x] == whole.data<std::uint8_t>()[(y + 3) * 120 + 51 + x]);
    CHECK(Numbered<std::int32_t>(Run<ops::ExtractJpegShape>({}, {file})) == Levels{24, 40, 3});
    for (const Tensor& window : {Ints({0, 0, 25, 1}), Ints({-1, 0, 1, 1}), Ints({2147483647, 0, 2147483647, 1})})
      CHECK(ErrorOf<ops::DecodeAndCropJpeg>({}, {file, window}).find("INVALID_ARGUMENT: jpeg::Uncompress failed") == 0);
  }
}
#endif
}  // namespace image_decode_image_test
