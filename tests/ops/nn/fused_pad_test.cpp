// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/fused_pad.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace nn_fused_pad_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("convolutions of mirrored images") {
  const std::vector<std::int64_t> ones{1, 1, 1, 1};
  // Two images of 2 x 3 pixels; the filter adds a pixel and ten times its right neighbour.
  const Tensor images = Make<float>({2, 2, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor filter = Make<float>({1, 2, 1, 1}, {1, 10});
  AttrArgs Attrs(const char* mode) {
    return {{"mode", mode}, {"strides", std::span<const std::int64_t>(ones)}, {"padding", "VALID"}};
  }
  Tensor Pads(std::initializer_list<double> amounts) { return Make<std::int32_t>({4, 2}, amounts); }

  TEST_CASE("edges are mirrored, with and without the edge itself, in every image") {
    const Tensor pads = Pads({0, 0, 0, 1, 1, 0, 0, 0});
    CHECK(Numbered<float>(Run<ops::FusedPadConv2D>(Attrs("REFLECT"), {images, pads, filter})) ==
          std::vector<double>{12, 21, 32, 45, 54, 65, 12, 21, 32, 78, 87, 98, 111, 120, 131, 78, 87, 98});
    CHECK(Numbered<float>(Run<ops::FusedPadConv2D>(Attrs("SYMMETRIC"), {images, pads, filter})) ==
          std::vector<double>{11, 21, 32, 44, 54, 65, 44, 54, 65, 77, 87, 98, 110, 120, 131, 110, 120, 131});
  }
  TEST_CASE("images are resized first") {
    AttrArgs attrs = Attrs("SYMMETRIC");
    attrs.push_back({"resize_align_corners", true});
    const Tensor out = Run<ops::FusedResizeAndPadConv2D>(
        attrs, {images, Make<std::int32_t>({2}, {3, 2}), Pads({0, 0, 0, 0, 0, 1, 0, 0}), filter});
    CHECK(out.shape() == TensorShape({2, 3, 2, 1}));
    CHECK(Numbered<float>(out) == std::vector<double>{31, 33, 47.5, 49.5, 64, 66, 97, 99, 113.5, 115.5, 130, 132});
  }
  TEST_CASE("refuses paddings of other dimensions and wide ones") {
    const auto refused = [](std::initializer_list<double> pads, const char* text) {
      return ErrorOf<ops::FusedPadConv2D>(Attrs("REFLECT"), {images, Pads(pads), filter}).find(text) !=
             std::string::npos;
    };
    CHECK(refused({1, 0, 0, 0, 0, 0, 0, 0}, "not batches"));
    CHECK(refused({0, 0, 0, 0, 0, 0, 0, 1}, "not channels"));
    CHECK(refused({0, 0, 2, 0, 0, 0, 0, 0}, "must be less than the dimension size"));
    CHECK(refused({0, 0, -1, 0, 0, 0, 0, 0}, "non-negative"));
  }
}
}  // namespace nn_fused_pad_test
