// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/int8_conv.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace int8_conv_test {
using namespace tenon;

namespace {

struct Case {
  Index batch, rows, columns, depth, out_depth, filter_rows, filter_columns;
  Index stride_rows = 1, stride_columns = 1, dilation_rows = 1, dilation_columns = 1;
  Padding padding = Padding::kSame;
  std::vector<Index> paddings = {};
};

std::size_t Size(Index n) { return static_cast<std::size_t>(n); }

// Sums of images less `zero` by the filter; depthwise: [rows, columns, depth].
bool ConvolutionIsRight(Cpu device, const Case& c, bool depthwise) {
  const Index strides[] = {1, c.stride_rows, c.stride_columns, 1},
              dilations[] = {1, c.dilation_rows, c.dilation_columns, 1};
  Conv2DGeometry g;
  const Index out_depth = depthwise ? c.depth : c.out_depth;
  if (!MakeConv2DGeometry({c.batch, c.rows, c.columns, c.depth}, {c.filter_rows, c.filter_columns, c.depth, out_depth},
                          strides, dilations, c.padding, {c.paddings.data(), c.paddings.size()}, &g)
           .ok())
    return false;
  constexpr std::int32_t kZero = 17;
  testing::Numbers numbers(static_cast<std::uint64_t>(c.rows * 100 + c.depth));
  std::vector<unsigned char> x(Size(c.batch * c.rows * c.columns * c.depth));
  std::vector<std::int8_t> w(Size(c.filter_rows * c.filter_columns * c.depth * (depthwise ? 1 : out_depth)));
  for (unsigned char& byte : x) byte = static_cast<unsigned char>(numbers.Below(256));
  for (std::int8_t& weight : w) weight = static_cast<std::int8_t>(numbers.Below(256) - 128);
  std::vector<float> factor(Size(out_depth)), offset(Size(out_depth));
  for (float& f : factor) f = static_cast<float>(numbers.Real(0.001, 0.002));
  for (float& f : offset) f = static_cast<float>(numbers.Real(-5, 5));
  constexpr float kLow = -20, kHigh = 20, kPerUnit = 255 / 40.0f;
  Int8Steps steps{factor.data(), offset.data(), kLow, kHigh};
  const Index pixels = g.batch * g.rows.output * g.columns.output;
  std::vector<float> y(Size(pixels * out_depth));
  std::vector<unsigned char> bytes(y.size());
  const DepthwiseGeometry d{g.batch, g.rows, g.columns, g.in_depth};
  const auto run = [&](void* out) {
    return depthwise ? Int8DepthwiseConv2D(device, d, x.data(), kZero, w.data(), steps, out)
                     : Int8Conv2D(device, g, x.data(), kZero, w.data(), steps, out, nullptr);
  };
  if (!run(y.data()).ok()) return false;
  steps.to_bytes = true;
  steps.origin = kLow;
  steps.per_unit = kPerUnit;
  if (!run(bytes.data()).ok()) return false;
  for (Index i = 0; i < pixels * out_depth; ++i) {
    const Index pixel = i / out_depth, o = i % out_depth, column = pixel % g.columns.output,
                row = pixel / g.columns.output % g.rows.output, image = pixel / g.columns.output / g.rows.output;
    std::int64_t sum = 0;
    for (Index r = 0; r < c.filter_rows; ++r) {
      for (Index t = 0; t < c.filter_columns; ++t) {
        const Index y_in = row * c.stride_rows - g.rows.pad_before + r * c.dilation_rows,
                    x_in = column * c.stride_columns - g.columns.pad_before + t * c.dilation_columns;
        if (y_in < 0 || y_in >= c.rows || x_in < 0 || x_in >= c.columns) continue;
        const Index at = ((image * c.rows + y_in) * c.columns + x_in) * c.depth, tap = r * c.filter_columns + t;
        if (depthwise) {
          sum += (x[Size(at + o)] - kZero) * w[Size(tap * c.depth + o)];
          continue;
        }
        for (Index k = 0; k < c.depth; ++k)
          sum += (x[Size(at + k)] - kZero) * w[Size((tap * c.depth + k) * out_depth + o)];
      }
    }
    const double number =
        static_cast<double>(sum) * static_cast<double>(factor[Size(o)]) + static_cast<double>(offset[Size(o)]);
    const double wanted = std::clamp(number, double{kLow}, double{kHigh});
    if (std::fabs(static_cast<double>(y[Size(i)]) - wanted) > 1e-4) return false;
    if (std::fabs(bytes[Size(i)] - (wanted - double{kLow}) * double{kPerUnit}) > 0.5 + 1e-3) return false;
  }
  return true;
}

std::vector<Case> Cases() {
  std::vector<Case> cases{
      {1, 5, 7, 3, 4, 1, 1},
      {2, 5, 7, 8, 65, 1, 1},
      {2, 5, 7, 8, 5, 1, 1, 2, 2},
      {1, 1, 1, 4, 4, 1, 1, 1, 1, 1, 1, Padding::kExplicit, {0, 0, 1, 0, 1, 0, 0, 0}},
      {2, 9, 8, 3, 6, 3, 3},
      {1, 9, 8, 20, 6, 3, 3, 2, 2},
      {1, 9, 8, 33, 6, 3, 3, 1, 2, 1, 1, Padding::kValid},
      {1, 9, 8, 70, 3, 5, 2, 2, 1},
      {1, 3, 2, 5, 3, 5, 5},
      {1, 6, 6, 16, 3, 3, 3, 2, 2, 1, 1, Padding::kExplicit, {0, 0, 0, 1, 2, 3, 0, 0}},
      {3, 40, 30, 130, 2, 3, 3},
      {0, 4, 4, 2, 2, 3, 3},
  };
  return cases;
}

}  // namespace

TEST_SUITE("Int8Conv2D") {
  TEST_CASE("windows of all kinds, on one thread and on several") {
    ThreadPool pool(3, "test");
    for (Case c : Cases()) {
      CAPTURE(c.depth);
      CAPTURE(c.filter_rows);
      CHECK(ConvolutionIsRight({}, c, false));
      CHECK(ConvolutionIsRight({.pool = &pool}, c, false));
      c.dilation_rows = 2;
      c.dilation_columns = 3;
      if (c.padding == Padding::kSame && c.stride_rows == 1 && c.stride_columns == 1)
        CHECK(ConvolutionIsRight({}, c, false));
    }
  }

  TEST_CASE("channel by channel, on one thread and on several") {
    ThreadPool pool(3, "test");
    for (const Case& c : Cases()) {
      CAPTURE(c.depth);
      CAPTURE(c.filter_rows);
      CHECK(ConvolutionIsRight({}, c, true));
      CHECK(ConvolutionIsRight({.pool = &pool}, c, true));
    }
  }

  TEST_CASE("says so when there is no memory") {
    Conv2DGeometry g;
    const Index ones[] = {1, 1, 1, 1};
    REQUIRE(MakeConv2DGeometry({1, 4, 4, 4}, {3, 3, 4, 4}, ones, ones, Padding::kSame, {}, &g).ok());
    const std::vector<unsigned char> x(64);
    const std::vector<std::int8_t> w(144);
    const std::vector<float> one(4, 1);
    std::vector<float> y(64);
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    const Int8Steps steps{one.data(), one.data(), 0, 1};
    for (const int k : {1, 2}) {
      allocator.FailAllocations(k);
      CHECK(Int8Conv2D(device, g, x.data(), 0, w.data(), steps, y.data(), nullptr).code() == Code::kResourceExhausted);
      allocator.FailAllocations(k);
      CHECK(Int8DepthwiseConv2D(device, {1, g.rows, g.columns, 4}, x.data(), 0, w.data(), steps, y.data()).code() ==
            Code::kResourceExhausted);
      CHECK(allocator.bytes_in_use() == 0);
    }
  }
}
}  // namespace int8_conv_test
