// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/encode.hpp>

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <tenon/ops/image/decode.hpp>

#include "ops/support.hpp"

namespace image_encode_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Picture(const TensorShape& shape) { return AnyBits(DataType::kUint8, shape); }
template <class Op>
bool Refuses(const AttrArgs& attrs, const TensorShape& shape, std::string_view with) {
  return ErrorOf<Op>(attrs, {Picture(shape)}).find(with) == 0;
}
}  // namespace

TEST_SUITE("EncodePng and EncodeJpeg") {
  TEST_CASE("a file for each picture of a batch, or a hint where the codecs are missing") {
    const Tensor pictures = Picture({2, 1, 3, 4, 3});
    const auto files = Call<ops::EncodePng>({{"compression", 9}}, {pictures});
#ifdef TENON_WITH_IMAGE
    REQUIRE_MESSAGE(files.ok(), files.status().message());
    REQUIRE((*files)[0].shape() == TensorShape({2, 1}));
    for (int i = 0; i < 2; ++i) {
      const Tensor back = Run<ops::DecodePng>({}, {Tensor::Scalar((*files)[0].data<tstring>()[i].view())});
      REQUIRE(back.shape() == TensorShape({3, 4, 3}));
      for (int k = 0; k < 36; ++k) CHECK(back.data<std::uint8_t>()[k] == pictures.data<std::uint8_t>()[36 * i + k]);
    }
    const Tensor wide = AnyBits(DataType::kUint16, {3, 4, 2});
    const Tensor wide_file = Run<ops::EncodePng>({}, {wide});
    CHECK(wide_file.data<tstring>()->view()[24] == 16);  // bits of a sample, in the header
#else
    CHECK(files.status().code() == Code::kUnimplemented);
    CHECK(files.status().message().find("tenon::image") != std::string::npos);
#endif
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    CHECK(Refuses<ops::EncodePng>({}, {2, 2, 5}, "INVALID_ARGUMENT: image must have 1, 2, 3, or 4 channels, got 5"));
    CHECK(Refuses<ops::EncodePng>({{"compression", 10}}, {2, 2, 3},
                                  "INVALID_ARGUMENT: compression should be in [-1,9], got 10"));
    CHECK(Refuses<ops::EncodeJpeg>({}, {2, 2, 2}, "INVALID_ARGUMENT: image must have 1 or 3 channels, got [2,2,2]"));
    CHECK(Refuses<ops::EncodeJpeg>({{"format", "rgb"}}, {2, 2, 1},
                                   "INVALID_ARGUMENT: format rgb expects 3 channels, got [2,2,1]"));
    CHECK(Refuses<ops::EncodeJpeg>({}, {2, 2}, "INVALID_ARGUMENT: image must be 3-dimensional"));
    CHECK(Refuses<ops::EncodeJpeg>({{"quality", 101}}, {2, 2, 3},
                                   "INVALID_ARGUMENT: quality must be in [0,100], got 101"));
    const Tensor quality = Tensor::Scalar<std::int32_t>(-1);
    CHECK(ErrorOf<ops::EncodeJpegVariableQuality>({}, {Picture({2, 2, 3}), quality})
              .find("INVALID_ARGUMENT: quality must be in [0,100], got -1") == 0);
  }
#ifdef TENON_WITH_IMAGE
  TEST_CASE("a quality that is an input gives the file of the attr") {
    const Tensor picture = Picture({5, 4, 3});
    CHECK(SameTensor(Run<ops::EncodeJpeg>({{"quality", 30}}, {picture}),
                     Run<ops::EncodeJpegVariableQuality>({}, {picture, Tensor::Scalar<std::int32_t>(30)})));
  }
  TEST_CASE("pictures without pixels are no files") {
    CHECK(Refuses<ops::EncodePng>({}, {0, 2, 3}, "INTERNAL: PNG encoding failed"));
    CHECK(Refuses<ops::EncodeJpeg>({}, {0, 2, 3}, "INTERNAL: JPEG encoding failed"));
    CHECK(Run<ops::EncodePng>({}, {Picture({0, 2, 2, 3})}).shape() == TensorShape({0}));
  }
  TEST_CASE("JPEG: the attrs are in the file") {
    const std::string file(Run<ops::EncodeJpeg>({{"density_unit", "cm"}, {"x_density", 7}, {"xmp_metadata", "words"}},
                                                {Picture({8, 8, 3})})
                               .data<tstring>()
                               ->view());
    CHECK(file.find(std::string_view("JFIF\0\1\1\2\0\7\1\x2c", 12)) != std::string::npos);
    CHECK(file.find("words") != std::string::npos);
    const Tensor small = Run<ops::EncodeJpeg>({{"quality", 1}}, {Picture({32, 32, 3})});
    CHECK(small.data<tstring>()->size() < Run<ops::EncodeJpeg>({}, {Picture({32, 32, 3})}).data<tstring>()->size());
  }
#endif
}
}  // namespace image_encode_test
