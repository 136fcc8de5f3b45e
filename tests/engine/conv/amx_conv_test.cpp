// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/amx_conv.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/conv/conv.hpp>

#include <doctest/doctest.h>

#include "engine/amx_support.hpp"
#include "engine/support.hpp"

namespace conv_amx_test {
using namespace tenon;

#if TENON_DETAIL_AMX
namespace {

struct Case {
  Index input[4], filter[4];
  Index stride[2] = {1, 1}, dilation[2] = {1, 1};
  Padding padding = Padding::kSame;
  Index paddings[4] = {};
};

Conv2DGeometry GeometryOf(const Case& c) {
  const Index strides[] = {1, c.stride[0], c.stride[1], 1}, dilations[] = {1, c.dilation[0], c.dilation[1], 1};
  const Index paddings[] = {0, 0, c.paddings[0], c.paddings[1], c.paddings[2], c.paddings[3], 0, 0};
  const bool is_explicit = c.padding == Padding::kExplicit;
  Conv2DGeometry g;
  REQUIRE(MakeConv2DGeometry(TensorShape(c.input), TensorShape(c.filter), strides, dilations, c.padding,
                             Span<const Index>(paddings, is_explicit ? 8u : 0u), &g)
              .ok());
  return g;
}
detail::AmxImages ImagesOf(const Conv2DGeometry& g) { return {g.batch, g.rows, g.columns, g.in_depth, g.out_depth}; }

// As the convolution in floats, but for the order of sums.
bool IsRight(Cpu device, const Case& c) {
  const Conv2DGeometry g = GeometryOf(c);
  const detail::AmxImages images = ImagesOf(g);
  const std::vector<bfloat16> x = testing::RandomVector<bfloat16>(g.batch * g.rows.input * g.columns.input * g.in_depth,
                                                                  1),
                              w = testing::RandomVector<bfloat16>(images.taps() * g.out_depth, 2);
  std::vector<bfloat16> got(static_cast<std::size_t>(images.pixels() * g.out_depth) + 1, bfloat16(77.f)), want = got;
  if (!detail::RunAmxConv(device, images, x.data(), w.data(), got.data(), nullptr).ok()) return false;
  if (!detail::RunConv2D(device, g, x.data(), w.data(), want.data(), nullptr).ok()) return false;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double a = testing::ToDouble(got[i]), b = testing::ToDouble(want[i]);
    if (!(std::abs(a - b) <= std::abs(b) * 0x1p-7 + 1e-5 * static_cast<double>(images.taps()))) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("AmxConv") {
  TEST_CASE("agrees with sums of float") {
    if (!testing::HasAmxToTest()) return;
    const Case cases[] = {
        {{1, 5, 5, 1}, {3, 3, 1, 1}},
        {{2, 7, 6, 3}, {3, 3, 3, 5}},
        {{1, 28, 28, 1}, {5, 5, 1, 8}},
        {{1, 14, 14, 32}, {3, 3, 32, 40}, {1, 1}, {1, 1}, Padding::kValid},
        {{2, 9, 11, 70}, {2, 3, 70, 17}, {2, 1}},
        {{1, 9, 8, 4}, {3, 3, 4, 7}, {2, 3}},
        {{1, 10, 12, 2}, {3, 2, 2, 9}, {1, 1}, {2, 3}},
        {{1, 10, 12, 40}, {3, 2, 40, 33}, {2, 1}, {2, 1}, Padding::kValid},
        {{1, 6, 7, 3}, {3, 3, 3, 4}, {1, 1}, {1, 1}, Padding::kExplicit, {2, 0, 1, 3}},
        {{1, 1, 1, 2}, {3, 3, 2, 3}, {9, 9}, {1, 1}, Padding::kExplicit, {7, 8, 9, 2}},
        {{1, 2, 2, 5}, {3, 3, 5, 3}, {1, 1}, {1, 1}, Padding::kExplicit, {6, 6, 7, 8}},
        {{1, 2, 2, 5}, {3, 3, 5, 3}, {1, 1}, {1, 2}, Padding::kExplicit, {6, 6, 7, 8}},
        {{3, 4, 5, 33}, {1, 1, 33, 70}},
        {{1, 7, 7, 6}, {1, 1, 6, 5}, {3, 2}},
        {{1, 1, 40, 3}, {1, 9, 3, 66}},
        {{1, 3, 3, 2}, {7, 7, 2, 3}},
        {{1, 7, 7, 256}, {3, 3, 256, 64}},
    };
    ThreadPool pool(3, "test");
    for (const Case& c : cases) {
      CAPTURE(&c - cases);
      CHECK(IsRight({}, c));
      CHECK(IsRight({.pool = &pool}, c));
    }
  }

  TEST_CASE("a padded zero times infinity is NaN, and what fills a tile is not seen") {
    if (!testing::HasAmxToTest()) return;
    const Conv2DGeometry g = GeometryOf({{1, 3, 3, 1}, {3, 3, 1, 2}});
    const std::vector<bfloat16> x(9, bfloat16(1.f));
    std::vector<bfloat16> w(18, bfloat16(1.f)), y(18);
    w[0] = bfloat16(INFINITY);  // the upper left element of the window, for channel 0
    Cpu device;
    REQUIRE(detail::RunAmxConv(device, ImagesOf(g), x.data(), w.data(), y.data(), nullptr).ok());
    CHECK(std::isnan(testing::ToDouble(y[0])));
    CHECK(testing::ToDouble(y[1]) == 4);
    CHECK(testing::ToDouble(y[8]) == INFINITY);
    CHECK(testing::ToDouble(y[9]) == 9);
  }

  TEST_CASE("Conv2D takes tiles where they are worth it, also with packed weights, and says so without memory") {
    if (!testing::HasAmxToTest()) return;
    for (const Index side : {Index{1}, Index{3}}) {
      const Conv2DGeometry g = GeometryOf({{1, 12, 12, 24}, {side, side, 24, 20}});
      const std::vector<bfloat16> x = testing::RandomVector<bfloat16>(12 * 12 * 24, 1);
      Tensor w(CpuAllocator(), DataType::kBfloat16, {side, side, 24, 20});
      testing::Numbers numbers(4);
      for (bfloat16& v : w.flat<bfloat16>()) v = bfloat16(numbers.Real(-1, 1));
      const auto* const filter = static_cast<const bfloat16*>(w.raw_data());
      std::vector<bfloat16> plain(12 * 12 * 20), packed(plain.size());
      PackedWeights weights;
      weights.Offer(w, CpuAllocator());
      TrackingAllocator allocator(CpuAllocator());
      Cpu device{.allocator = &allocator};
      REQUIRE(Conv2D(device, g, x.data(), filter, plain.data()).ok());
      for (int run = 0; run < 2; ++run) {
        REQUIRE(Conv2D(device, g, x.data(), filter, packed.data(), &weights).ok());
        bool same = true;
        for (std::size_t i = 0; i < plain.size(); ++i) same = same && plain[i].bits == packed[i].bits;
        CHECK(same);
      }
      CHECK(weights.bytes() > 0);
      for (const int first : {1, 2}) {
        allocator.FailAllocations(first);
        CHECK(Conv2D(device, g, x.data(), filter, plain.data()).code() == Code::kResourceExhausted);
      }
      CHECK(allocator.bytes_in_use() == 0);
    }
  }
}
#endif
}  // namespace conv_amx_test
