// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/window.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace window_test {
using namespace tenon;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// "output before after", or the error.
std::string SizeOf(std::int64_t input, std::int64_t filter, std::int64_t dilation, std::int64_t stride, Padding padding,
                   std::int64_t before = 0, std::int64_t after = 0) {
  std::int64_t output = 0;
  const Status status = GetWindowedOutputSize(input, filter, dilation, stride, padding, &output, &before, &after);
  return status.ok() ? StrCat(output, " ", before, " ", after) : status.ToString();
}
std::string Check(Padding padding, std::vector<std::int64_t> paddings, TensorFormat format = TensorFormat::kNHWC) {
  return CheckValidPadding(padding, paddings, 4, format).ToString();
}

}  // namespace

TEST_SUITE("window attrs") {
  TEST_CASE("paddings and formats are read as they are written") {
    for (const Padding want : {Padding::kValid, Padding::kSame, Padding::kExplicit}) {
      Padding padding{};
      CHECK(ParsePadding(Name(want), &padding).ok());
      CHECK((padding == want));
    }
    Padding padding{};
    CHECK(ParsePadding("same", &padding).ToString() == "NOT_FOUND: same is not an allowed padding type");
    TensorFormat format{};
    for (const char* name : {"NHWC", "NCHW", "NCHW_VECT_C", "NHWC_VECT_W", "HWNC", "HWCN", "NDHWC", "NCDHW"}) {
      CHECK(ParseTensorFormat(name, &format).ok());
      CHECK(Name(format) == name);
    }
    CHECK((format == TensorFormat::kNCDHW));
    CHECK(ParseTensorFormat("NWHC", &format).ToString() == "INVALID_ARGUMENT: Invalid data format string: NWHC");
    FilterTensorFormat filter{};
    for (const char* name : {"HWIO", "OIHW", "OHWI", "OIHW_VECT_I"}) {
      CHECK(ParseFilterTensorFormat(name, &filter).ok());
      CHECK(Name(filter) == name);
    }
    CHECK((filter == FilterTensorFormat::kOIHW_VECT_I));
    CHECK(ParseFilterTensorFormat("HWOI", &filter).ToString() ==
          "INVALID_ARGUMENT: Invalid filter format string: HWOI");
  }
  TEST_CASE("where channels and space are") {
    CHECK(ChannelIndex(TensorFormat::kNHWC, 4) == 3);
    CHECK(ChannelIndex(TensorFormat::kNCHW, 4) == 1);
    CHECK(ChannelIndex(TensorFormat::kNDHWC, 5) == 4);
    CHECK(SpatialIndex(TensorFormat::kNHWC) == 1);
    CHECK(SpatialIndex(TensorFormat::kNCHW_VECT_C) == 2);
    CHECK(SpatialIndex(TensorFormat::kNHWC_VECT_W) == 1);
    CHECK(ChannelIndex(TensorFormat::kNHWC_VECT_W, 5) == 3);
    CHECK(BatchIndex(TensorFormat::kNHWC_VECT_W, 5) == 0);
    CHECK(BatchIndex(TensorFormat::kHWNC, 4) == 2);
    CHECK(BatchIndex(TensorFormat::kHWCN, 4) == 3);
    CHECK(ChannelIndex(TensorFormat::kHWNC, 4) == 3);
    CHECK(ChannelIndex(TensorFormat::kHWCN, 4) == 2);
    CHECK(SpatialIndex(TensorFormat::kHWNC) == 0);
    CHECK(SpatialIndex(TensorFormat::kHWCN) == 0);
  }
  TEST_CASE("explicit paddings are eight numbers, none below zero, none for batch and channels") {
    CHECK(Check(Padding::kSame, {}) == "OK");
    CHECK(Check(Padding::kExplicit, {0, 0, 1, 2, 3, 4, 0, 0}) == "OK");
    CHECK(Check(Padding::kExplicit, {0, 0, 0, 0, 1, 2, 3, 4}, TensorFormat::kNCHW) == "OK");
    CHECK(Check(Padding::kExplicit, {1, 2, 3, 4, 0, 0, 0, 0}, TensorFormat::kHWNC) == "OK");
    CHECK(Check(Padding::kSame, {0, 0}).find("must be empty if the padding attribute is not EXPLICIT") !=
          std::string::npos);
    CHECK(Check(Padding::kExplicit, {0, 0, 1}) ==
          "INVALID_ARGUMENT: explicit_paddings attribute must contain 8 values, but got: 3");
    CHECK(Check(Padding::kExplicit, {0, 0, -1, 0, 0, 0, 0, 0}).find("must be nonnegative") != std::string::npos);
    CHECK(Check(Padding::kExplicit, {0, 0, 0, 0, 0, 0, 1, 0}).find("batch or depth dimensions is not supported") !=
          std::string::npos);
  }
}

TEST_SUITE("GetWindowedOutputSize") {
  TEST_CASE("TensorFlow's sizes and paddings") {
    CHECK(SizeOf(10, 3, 1, 1, Padding::kSame) == "10 1 1");
    CHECK(SizeOf(10, 3, 1, 2, Padding::kSame) == "5 0 1");
    CHECK(SizeOf(10, 3, 2, 3, Padding::kValid) == "2 0 0");
    CHECK(SizeOf(10, 3, 1, 1, Padding::kExplicit, 4, 5) == "17 4 5");
    CHECK(SizeOf(0, 3, 1, 2, Padding::kSame) == "0 0 1");
    CHECK(SizeOf(2, 3, 1, 1, Padding::kValid) == "0 0 0");
    CHECK(SizeOf(2, 4, 1, 1, Padding::kValid).find("INVALID_ARGUMENT: Computed output size would be negative: -1") ==
          0);
    CHECK(SizeOf(2, 3, 1, 0, Padding::kValid) == "INVALID_ARGUMENT: Stride must be > 0, but got 0");
    CHECK(SizeOf(2, 3, 0, 1, Padding::kValid) == "INVALID_ARGUMENT: Dilation rate must be >= 1, but got 0");
  }
  TEST_CASE("numbers near the end of int64 are computed or refused, and do not run over") {
    CHECK(SizeOf(10, 3, 1, kMost, Padding::kValid) == "1 0 0");
    CHECK(SizeOf(10, 1, 1, kMost, Padding::kSame) == "1 0 0");
    CHECK(SizeOf(kMost, 1, 1, 2, Padding::kSame).find("4611686018427387904 ") == 0);
    CHECK(SizeOf(10, 3, kMost, 1, Padding::kValid).find("INVALID_ARGUMENT") == 0);
    CHECK(SizeOf(10, kMost, 2, 1, Padding::kSame).find("INVALID_ARGUMENT") == 0);
    CHECK(SizeOf(10, 3, 1, 1, Padding::kExplicit, kMost, kMost).find("INVALID_ARGUMENT") == 0);
    for (const std::int64_t filter : {-kMost - 1, -kMost, -kMost + 1, -kMost + 3, -kMost / 2})
      for (const std::int64_t input : {std::int64_t{0}, std::int64_t{3}, kMost / 2}) {
        SizeOf(input, filter, 1, 1, Padding::kSame);
        SizeOf(input, filter, 1, 1, Padding::kValid);
      }
    CHECK(SizeOf(3, -kMost, 1, 1, Padding::kValid).find("INVALID_ARGUMENT") == 0);
    CHECK(SizeOf(3, 0, kMost, 1, Padding::kValid).find("INVALID_ARGUMENT") == 0);
  }
}
}  // namespace window_test
