// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/io/decode_compressed.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tenon/io/compression/deflate_stream.hpp>

#include "ops/support.hpp"

namespace io_decode_compressed_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

std::string Packed(std::string_view text, InflateFormat format) {
  DeflateStream stream(format);
  stream.Add(text);
  stream.Finish();
  return std::string(std::string_view(stream.out()));
}
AttrArgs Kind(std::string_view kind) { return {{"compression_type", kind}}; }

}  // namespace

TEST_SUITE("DecodeCompressed") {
  TEST_CASE("texts come back") {
    std::string text;
    for (int i = 0; i < 100000; ++i) StrAppend(&text, i * 7919 % 1009, " ");
    const Tensor zlib = MakeTensor<tstring>({2}, {tstring(Packed(text, InflateFormat::kZlib)), tstring("")});
    const Tensor got = Run<ops::DecodeCompressed>(Kind("ZLIB"), {zlib});
    REQUIRE(got.shape() == TensorShape({2}));
    CHECK(got.data<tstring>()[0].view() == text);
    CHECK(got.data<tstring>()[1].view() == "");
    const Tensor gzip = Tensor::Scalar(std::string_view(Packed(text, InflateFormat::kGzip)));
    CHECK(Run<ops::DecodeCompressed>(Kind("GZIP"), {gzip}).data<tstring>()->view() == text);
    CHECK(Run<ops::DecodeCompressed>(Kind(""), {gzip}).data<tstring>()->view() == gzip.data<tstring>()->view());
  }
  TEST_CASE("a cut text gives its beginning; a damaged one is refused") {
    const std::string whole = Packed("a text that is not long", InflateFormat::kZlib);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const Tensor part = Tensor::Scalar(std::string_view(whole).substr(0, n));
      const Tensor got = Run<ops::DecodeCompressed>(Kind("ZLIB"), {part});
      CHECK(std::string_view("a text that is not long").starts_with(got.data<tstring>()->view()));
    }
    std::string spoilt = whole;
    spoilt.back() = static_cast<char>(spoilt.back() ^ 1);
    CHECK(ErrorOf<ops::DecodeCompressed>(Kind("ZLIB"), {Tensor::Scalar(std::string_view(spoilt))})
              .find("DATA_LOSS: inflate() failed with error -3") == 0);
    CHECK(ErrorOf<ops::DecodeCompressed>(Kind("GZIP"), {Tensor::Scalar(std::string_view(whole))}).find("DATA_LOSS") ==
          0);
  }
  TEST_CASE("other kinds") {
    const Tensor text = Tensor::Scalar(std::string_view("a"));
    CHECK(ErrorOf<ops::DecodeCompressed>(Kind("RAW"), {text}) ==
          "INVALID_ARGUMENT: Only ZLIB, ZSTD, GZIP or NONE are supported compressions");
    CHECK(ErrorOf<ops::DecodeCompressed>(Kind("ZSTD"), {text}).find("UNIMPLEMENTED: DecodeCompressed: ZSTD") == 0);
  }
}
}  // namespace io_decode_compressed_test
