// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/window_dim.hpp>

#include <doctest/doctest.h>

namespace window_test {
using namespace tenon;

namespace {

Window Placed(Padding padding, Index input, Index size, Index stride, Index dilation) {
  Window w{.input = input, .size = size, .stride = stride, .dilation = dilation};
  REQUIRE(PlaceWindow(padding, &w).ok());
  return w;
}

}  // namespace

TEST_SUITE("Window") {
  TEST_CASE("VALID windows are all that lie inside; SAME ones begin at every stride, with the padding shared out") {
    for (Index input = 1; input <= 20; ++input)
      for (Index size = 1; size <= 4; ++size)
        for (Index stride = 1; stride <= 4; ++stride)
          for (Index dilation = 1; dilation <= 3; ++dilation) {
            const Index extent = (size - 1) * dilation + 1;
            Index inside = 0;
            for (Index at = 0; at + extent <= input; at += stride) ++inside;
            if (extent <= input + stride) {
              const Window valid = Placed(Padding::kValid, input, size, stride, dilation);
              CHECK(valid.output == inside);
              CHECK(valid.extent() == extent);
              CHECK(valid.pad_before + valid.pad_after == 0);
            }
            const Window same = Placed(Padding::kSame, input, size, stride, dilation);
            CHECK(same.output == (input + stride - 1) / stride);
            CHECK((same.pad_after == same.pad_before || same.pad_after == same.pad_before + 1));
            const Index covered = (same.output - 1) * stride + extent;
            CHECK(same.pad_before + same.pad_after == (covered > input ? covered - input : 0));
          }
  }
  TEST_CASE("centred windows lie as far from the first element as from the last one") {
    for (Index input = 0; input <= 20; ++input)
      for (Index size = 1; size <= 3; ++size)
        for (Index stride = 1; stride <= 7; ++stride) {
          const Window same = Placed(Padding::kSame, input, size, stride, 1);
          Window w = same;
          CentreWindow(Padding::kSame, &w);
          CHECK(w.output == same.output);
          const Index left_out = input - (w.output - 1) * stride - size;
          if (input == 0 || left_out <= 1) {
            CHECK(w.pad_before == same.pad_before);
            CHECK(w.pad_after == same.pad_after);
          } else {
            CHECK(w.pad_before == -(left_out / 2));
            CHECK(w.pad_before + w.pad_after == -left_out);
          }
          if (size > input) continue;
          Window valid = Placed(Padding::kValid, input, size, stride, 1);
          CentreWindow(Padding::kValid, &valid);
          CHECK(valid.pad_before == 0);
        }
  }
  TEST_CASE("explicit padding is left as it is given") {
    Window w{.input = 5, .size = 3, .stride = 2, .pad_before = 2, .pad_after = 1};
    REQUIRE(PlaceWindow(Padding::kExplicit, &w).ok());
    CHECK(w.output == 3);
    CHECK(w.pad_before == 2);
    CHECK(w.pad_after == 1);
  }
  TEST_CASE("a window too large for the input") {
    Window w{.input = 2, .size = 5};
    CHECK(
        PlaceWindow(Padding::kValid, &w).ToString() ==
        "INVALID_ARGUMENT: Computed output size would be negative: -2 [input_size: 2, effective_filter_size: 5, stride: 1]");
  }
}
}  // namespace window_test
