// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/resize.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace resize_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

ResizeGeometry Geometry(Index rows, Index columns, Index out_rows, Index out_columns, bool align, bool half_pixel) {
  ResizeGeometry g;
  g.batch = g.depth = 1;
  g.rows = ResizeAxis(rows, out_rows, align);
  g.columns = ResizeAxis(columns, out_columns, align);
  g.align_corners = align;
  g.half_pixel_centers = half_pixel;
  return g;
}

using Resize = Status (*)(Cpu&, const ResizeGeometry&, DataType, const void*, float*);
using List = std::vector<double>;
const std::vector<float> kImage = {1, 2, 4, 8, 16, 32};  // [2, 3]

double Error(Resize resize, const ResizeGeometry& g, const List& want) {
  Cpu device;
  std::vector<float> y(want.size());
  if (!resize(device, g, DataType::kFloat, kImage.data(), y.data()).ok()) return 1e300;
  return LargestDifference(y, want);
}
}  // namespace

// The numbers are TensorFlow's.
TEST_SUITE("resizing") {
  TEST_CASE("bilinear") {
    CHECK(Error(&ResizeBilinear, Geometry(2, 3, 3, 2, false, false), {1, 3, 5.66666698, 17, 8, 24}) < 1e-5);
    CHECK(Error(&ResizeBilinear, Geometry(2, 3, 3, 2, true, false), {1, 4, 4.5, 18, 8, 32}) < 1e-5);
    CHECK(Error(&ResizeBilinear, Geometry(2, 3, 3, 2, false, true), {1.25, 3.5, 5.625, 15.75, 10, 28}) < 1e-5);
  }
  TEST_CASE("bicubic") {
    CHECK(Error(&ResizeBicubic, Geometry(2, 3, 3, 2, false, false),
                {1, 3.09375, 5.79876471, 17.9399261, 8.77777767, 27.1562481}) < 1e-5);
    CHECK(Error(&ResizeBicubic, Geometry(2, 3, 3, 2, true, false), {1, 4, 4.5, 18, 8, 32}) < 1e-5);
    CHECK(Error(&ResizeBicubic, Geometry(2, 3, 3, 2, false, true),
                {0.617431879, 1.96241069, 5.15693426, 16.3905106, 9.69643688, 30.8186111}) < 1e-5);
  }
  TEST_CASE("area") {
    CHECK(Error(&ResizeArea, Geometry(2, 3, 3, 2, false, false),
                {1.33333337, 3.33333349, 6.00000048, 15.0000019, 10.666666, 26.6666641}) < 1e-5);
    CHECK(Error(&ResizeArea, Geometry(2, 3, 2, 2, true, false), {1.5, 4, 12, 32}) < 1e-5);
  }
  TEST_CASE("nearest neighbour, of any size of element") {
    Cpu device;
    const auto nearest = [&](bool align, bool half_pixel) {
      std::vector<float> y(6);
      CHECK(ResizeNearest(device, Geometry(2, 3, 3, 2, align, half_pixel), 4, kImage.data(), y.data()).ok());
      return y;
    };
    CHECK(nearest(false, false) == std::vector<float>{1, 2, 1, 2, 8, 16});
    CHECK(nearest(true, false) == std::vector<float>{1, 4, 8, 32, 8, 32});
    CHECK(nearest(false, true) == std::vector<float>{1, 4, 8, 32, 8, 32});
    const std::uint8_t bytes[] = {1, 2, 3, 4};
    std::uint8_t wide[8];
    CHECK(ResizeNearest(device, Geometry(1, 4, 1, 8, false, false), 1, bytes, wide).ok());
    CHECK(std::vector<int>(wide, wide + 8) == std::vector<int>{1, 1, 2, 2, 3, 3, 4, 4});
  }
  TEST_CASE("channels do not meet, however many, in larger and smaller images") {
    Cpu device;
    constexpr Index kRows = 9, kColumns = 7, kPixels = kRows * kColumns;
    for (const Index depth : {1, 2, 3, 4, 5}) {
      const std::vector<float> x = RandomVector<float>(kPixels * depth, 1, -9, 9);
      for (const auto& [rows, columns] : {std::pair<Index, Index>{23, 30}, {4, 3}, {9, 20}}) {
        ResizeGeometry g = Geometry(kRows, kColumns, rows, columns, false, true);
        const std::size_t size = static_cast<std::size_t>(rows * columns);
        for (const Resize resize : {&ResizeBilinear, &ResizeBicubic, &ResizeArea}) {
          std::vector<float> y(size * static_cast<std::size_t>(depth)), want(y.size());
          for (Index d = 0; d < depth; ++d) {
            std::vector<float> channel, out(size);
            for (Index i = 0; i < kPixels; ++i) channel.push_back(x[static_cast<std::size_t>(i * depth + d)]);
            g.depth = 1;
            REQUIRE(resize(device, g, DataType::kFloat, channel.data(), out.data()).ok());
            for (std::size_t i = 0; i < size; ++i)
              want[i * static_cast<std::size_t>(depth) + static_cast<std::size_t>(d)] = out[i];
          }
          g.depth = depth;
          REQUIRE(resize(device, g, DataType::kFloat, x.data(), y.data()).ok());
          CHECK(LargestDifference(y, std::vector<double>(want.begin(), want.end())) < 1e-5);
        }
      }
    }
  }
  TEST_CASE_TEMPLATE("reads every type, on any number of threads", T, half, bfloat16, double, std::int8_t, std::uint8_t,
                     std::int16_t, std::uint16_t, std::int32_t, std::int64_t) {
    ThreadPool pool(3, "test");
    Cpu device{.pool = &pool};
    ResizeGeometry g = Geometry(9, 7, 40, 50, false, true);
    g.depth = 5;
    g.batch = 2;
    const std::vector<T> x = RandomVector<T>(2 * 9 * 7 * 5, 1, std::is_unsigned_v<T> ? 0 : -9, 9);
    std::vector<float> wide, y(2 * 40 * 50 * 5), want(y.size());
    for (const T& v : x) wide.push_back(static_cast<float>(ToDouble(v)));
    Cpu one;
    for (const Resize resize : {&ResizeBilinear, &ResizeBicubic, &ResizeArea}) {
      REQUIRE(resize(device, g, dtype_of_v<T>, x.data(), y.data()).ok());
      REQUIRE(resize(one, g, DataType::kFloat, wide.data(), want.data()).ok());
      CHECK(y == want);
    }
  }
}
}  // namespace resize_test
