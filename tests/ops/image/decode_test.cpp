// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/decode.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/ops/image/encode.hpp>

#include "ops/support.hpp"

namespace image_decode_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using Levels = std::vector<double>;

Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
template <class Op>
std::string Refusal(const Tensor& file, const AttrArgs& attrs = {}) {
  return ErrorOf<Op>(attrs, {file});
}

// A BMP file with a header of 54 bytes.
Tensor Bmp(std::int32_t width, std::int32_t height, int bits, std::string_view pixels) {
  std::string file(54, '\0');
  const auto put = [&](std::size_t at, std::int32_t value) {
    for (std::size_t i = 0; i < 4; ++i) file[at + i] = static_cast<char>(static_cast<std::uint32_t>(value) >> 8 * i);
  };
  file[0] = 'B';
  file[1] = 'M';
  put(10, 54);
  put(18, width);
  put(22, height);
  put(28, bits);
  return Text(file.append(pixels));
}
Levels Decoded(const Tensor& bmp, int channels = 0) {
  return Numbered<std::uint8_t>(Run<ops::DecodeBmp>({{"channels", channels}}, {bmp}));
}

}  // namespace

TEST_SUITE("DecodeBmp, with TensorFlow's answers") {
  TEST_CASE("rows from the bottom up, blue first, four bytes together") {
    const std::string_view pixels("\0\1\2\3\4\5\6\7", 8);
    const Tensor up = Run<ops::DecodeBmp>({}, {Bmp(1, 2, 24, pixels)});
    CHECK(up.shape() == TensorShape({2, 1, 3}));
    CHECK(Numbered<std::uint8_t>(up) == Levels{6, 5, 4, 2, 1, 0});
    CHECK(Decoded(Bmp(1, -2, 24, pixels)) == Levels{2, 1, 0, 6, 5, 4});
  }
  TEST_CASE("the channels of the file, or those wanted") {
    CHECK(Decoded(Bmp(1, 1, 8, "1234")) == Levels{49});
    CHECK(Decoded(Bmp(1, 1, 8, "1234"), 3) == Levels{49, 49, 49});
    CHECK(Decoded(Bmp(1, 1, 8, "1234"), 4) == Levels{49, 49, 49, 255});
    CHECK(Decoded(Bmp(1, 1, 24, "1234"), 4) == Levels{51, 50, 49, 255});
    CHECK(Decoded(Bmp(1, 1, 32, "1234")) == Levels{51, 50, 49, 52});
    CHECK(Decoded(Bmp(1, 1, 32, "1234"), 3) == Levels{51, 50, 49});
    CHECK(
        Refusal<ops::DecodeBmp>(Bmp(1, 1, 8, "1234"), {{"channels", 1}}).find("must be 0, 3 or 4 for BMP, but got 1") !=
        std::string::npos);
  }
  TEST_CASE("no file of another size than the header says") {
    const auto refused = [](const Tensor& file, std::string_view with) {
      const std::string text = Refusal<ops::DecodeBmp>(file);
      return text.starts_with("INVALID_ARGUMENT: ") && text.find(with) != std::string::npos;
    };
    CHECK(refused(Bmp(1, 1, 24, "123"), "(header_size + row_size * abs_height) but they differ by -1"));
    CHECK(refused(Bmp(1, 1, 24, "12345"), "but they differ by 1"));
    constexpr std::int32_t kMost = 2147483647;
    CHECK(refused(Bmp(kMost, -kMost - 1, 32, "1234"), "Total possible pixel bytes must be less than 2^30"));
    CHECK(refused(Bmp(65536, 65536, 8, "1234"), "Total possible pixel bytes must be less than 2^30"));
    CHECK(refused(Bmp(1, 0, 24, "1234"), "Height must be nonzero"));
    CHECK(refused(Bmp(0, 1, 24, "1234"), "Width must be positive"));
    CHECK(refused(Bmp(1, 1, 16, "1234"), "Number of channels inherent in the image must be 1, 3 or 4, was 2"));
    CHECK(refused(Text("BM1234"), "Incomplete bmp content"));
    CHECK(refused(Text("\xff\xd8\xff"), "Trying to decode JPEG format using DecodeBmp op. Use `decode_jpeg`"));
    CHECK(refused(Text("abc"), "Unknown image file format"));
    CHECK(refused(Text(""), "Input is empty"));
  }
}

TEST_SUITE("DecodePng and DecodeJpeg") {
  TEST_CASE("refuse what TensorFlow refuses") {
    CHECK(Refusal<ops::DecodePng>(Text("")) == "INVALID_ARGUMENT: Input is empty.");
    CHECK(Refusal<ops::DecodePng>(Text("abcdefg")).find("INVALID_ARGUMENT: Unknown image file format") == 0);
    CHECK(Refusal<ops::DecodePng>(MakeTensor<tstring>({1}, {tstring("a")}))
              .find("`contents` must be scalar but got shape[1]") != std::string::npos);
    CHECK(Refusal<ops::DecodePng>(Text("a"), {{"channels", 2}}).find("`channels` must be 0, 1, 3 or 4 but got 2") !=
          std::string::npos);
    CHECK(Refusal<ops::DecodeJpeg>(Text("a"), {{"ratio", 3}}).find("ratio must be 1, 2, 4, or 8, got 3") !=
          std::string::npos);
    CHECK(Refusal<ops::DecodePng>(Bmp(1, 1, 24, "1234")).find("Trying to decode BMP format using a wrong op") !=
          std::string::npos);
  }
  TEST_SUITE("DecodeWebP") {
    TEST_CASE("what it is, and what it refuses") {
      const std::string_view file("RIFF\x24\0\0\0WEBPVP8 abcdefghijkl", 28);
      CHECK(ErrorOf<ops::DecodeWebP>({}, {Text("RIFFxxxxWEBP")}).find("INVALID_ARGUMENT: Unknown image file format") ==
            0);
      CHECK(ErrorOf<ops::DecodeWebP>({{"channels", 1}}, {Text(file)}) ==
            "INVALID_ARGUMENT: WebP only supports 3 or 4 channels");
      CHECK(ErrorOf<ops::DecodePng>({}, {Text(file)}).find("INVALID_ARGUMENT: Trying to decode WebP format") == 0);
      CHECK(ErrorOf<ops::DecodeBmp>({}, {Text(file)}).find("INVALID_ARGUMENT: Trying to decode WebP format") == 0);
      CHECK(ErrorOf<ops::DecodeWebP>({}, {Text("GIF89a")}).find("INVALID_ARGUMENT: Trying to decode GIF format") == 0);
#ifdef TENON_WITH_WEBP
      CHECK(ErrorOf<ops::DecodeWebP>({}, {Text(file)}) == "INVALID_ARGUMENT: Failed to decode WebP header.");
#else
      CHECK(ErrorOf<ops::DecodeWebP>({}, {Text(file)}).find("UNIMPLEMENTED: WebP files need libwebp") == 0);
#endif
    }
    TEST_CASE("inferred shapes") {
      const StaticInput scalar(std::initializer_list<std::int64_t>{});
      CHECK(InferredShape<ops::DecodeWebP>({scalar}) == "[?,?,?,?]");
      CHECK(InferredShape<ops::DecodeWebP>({scalar}, {{"channels", 3}}) == "[?,?,?,3]");
    }
  }

#ifdef TENON_WITH_IMAGE
  TEST_CASE("damaged files") {
    CHECK(Refusal<ops::DecodeJpeg>(Text("\xff\xd8\xff"
                                        "abc"))
              .find("INVALID_ARGUMENT: jpeg::Uncompress failed") == 0);
    CHECK(Refusal<ops::DecodePng>(Text("\x89PNG\r\n\x1a\nabc")).find("INVALID_ARGUMENT: Invalid PNG") == 0);
  }
  TEST_CASE("either op reads both kinds; a JPEG's v is v * 256 of 16 bits, a PNG's v * 257") {
    const Tensor white = Make<std::uint8_t>({8, 8, 3}, {255});
    const Tensor jpeg = Run<ops::EncodeJpeg>({{"quality", 100}}, {white}), png = Run<ops::EncodePng>({}, {white});
    CHECK(Run<ops::DecodeJpeg>({}, {png}).shape() == TensorShape({8, 8, 3}));
    CHECK(Run<ops::DecodeJpeg>({{"channels", 4}}, {png}).data<std::uint8_t>()[3] == 255);
    CHECK(Run<ops::DecodeJpeg>({{"ratio", 4}}, {jpeg}).shape() == TensorShape({2, 2, 3}));
    const AttrArgs sixteen = {{"channels", 1}, {"dtype", DataType::kUint16}};
    CHECK(Run<ops::DecodePng>(sixteen, {jpeg}).data<std::uint16_t>()[0] == 65280);
    CHECK(Run<ops::DecodePng>(sixteen, {png}).data<std::uint16_t>()[0] == 65535);
    CHECK(Refusal<ops::DecodePng>(jpeg, {{"channels", 4}}) == "INVALID_ARGUMENT: JPEG does not support 4 channels");
  }
#endif
}
}  // namespace image_decode_test
