// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/microkernel.hpp>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace conv_tile_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

// In every form that this machine can run; wide vectors also where the compiler takes them apart.
template <class C>
std::vector<std::pair<const char*, const detail::ConvKernels<C>*>> AllConvKernels() {
  std::vector<std::pair<const char*, const detail::ConvKernels<C>*>> all = {
      {"16 bytes, 16 registers", &detail::kConvKernels<C, simd::isa::Scalar>},
      {"16 bytes, 32 registers", &detail::kConvKernels<C, simd::isa::Neon64>},
      {"64 bytes, 32 registers", &detail::kConvKernels<C, simd::isa::Avx512>}};
#if TENON_DETAIL_TARGETS
  if constexpr (std::is_floating_point_v<C>) {
    if (simd::BestLevel() >= simd::Level::kAvx2)
      all.emplace_back("AVX2", &detail::kConvKernels<C, simd::Targeted<simd::isa::Avx2>>);
    if (simd::BestLevel() >= simd::Level::kAvx512)
      all.emplace_back("AVX-512", &detail::kConvKernels<C, simd::Targeted<simd::isa::Avx512>>);
  }
#endif
  return all;
}

// Six pixels at uneven places, windows of 2 rows x 3 pieces x `length`, compared with sums in double.
template <class C>
bool TileIsRight(const detail::ConvKernels<C>& kernels, Index width, Index length, bool add) {
  const Index columns = width * kernels.lanes, out_step = columns + 3, taps = 6 * length;
  const detail::ConvWindow window{2, 40, 3, length + 1, length};
  const std::vector<C> image = RandomVector<C>(400, 1), panel = RandomVector<C>(taps * columns + 1, 2),
                       before = RandomVector<C>(6 * out_step, 3);
  const C* pixels[detail::kConvPixels];
  for (int i = 0; i < detail::kConvPixels; ++i) pixels[i] = image.data() + i * i;
  std::vector<C> out = before;
  kernels.tile[width - 1](
      {window, pixels, 5, panel.data(), out.data(), out_step, add, reinterpret_cast<const char*>(panel.data()), 64});
  for (Index i = 0; i < detail::kConvPixels; ++i) {
    for (Index j = 0; j < out_step; ++j) {
      const auto at = static_cast<std::size_t>(i * out_step + j);
      double want = add || j >= columns ? static_cast<double>(before[at]) : 0;
      for (Index t = 0; t < taps && j < columns; ++t) {
        const Index row = t / (3 * length), piece = t / length % 3;
        want += static_cast<double>(pixels[i][5 + row * 40 + piece * (length + 1) + t % length]) *
                static_cast<double>(panel[static_cast<std::size_t>(t * columns + j)]);
      }
      const double allowed =
          std::is_integral_v<C> ? 0 : 10 * static_cast<double>(taps + 2) * testing::RoundingUnit<C>();
      if (!(std::abs(static_cast<double>(out[at]) - want) <= allowed)) return false;
    }
  }
  return true;
}

// Twelve pixels at even places have the bits of two tiles of six.
template <class C>
bool RowIsRight(const detail::ConvKernels<C>& kernels, Index length, Index step) {
  const Index out_step = kernels.lanes + 3, taps = 6 * length;
  const detail::ConvWindow window{2, 40, 3, length + 1, length};
  const std::vector<C> image = RandomVector<C>(400, 1), panel = RandomVector<C>(taps * kernels.lanes + 1, 2);
  std::vector<C> want = RandomVector<C>(detail::kConvRowPixels * out_step, 3), got = want;
  const C* pixels[detail::kConvRowPixels];
  for (int i = 0; i < detail::kConvRowPixels; ++i) pixels[i] = image.data() + i * step;
  const char* const ahead = reinterpret_cast<const char*>(panel.data());
  for (int i = 0; i < detail::kConvRowPixels; i += detail::kConvPixels)
    kernels.tile[0]({window, pixels + i, 5, panel.data(), want.data() + i * out_step, out_step, false, ahead, 0});
  kernels.row({window, pixels, 5, panel.data(), got.data(), out_step, false, ahead, 0, step});
  return got == want;
}

// Six elements of windows at 2 x 3 rows of `length` places, which are `step` elements apart, compared with sums in
// double. Rows of the panel are wider than the tile.
template <class C>
bool PlacesAreRight(const detail::ConvKernels<C>& kernels, Index width, Index length, Index step, bool add) {
  const Index columns = width * kernels.lanes, out_step = columns + 3, panel_step = columns + 5, places = 6 * length;
  const detail::ConvWindow window{2, 200, 3, 61, length};
  const std::vector<C> image = RandomVector<C>(500, 1), panel = RandomVector<C>(places * panel_step + 1, 2),
                       before = RandomVector<C>(6 * out_step, 3);
  const C* pixels[detail::kConvPixels];
  for (int i = 0; i < detail::kConvPixels; ++i) pixels[i] = image.data() + i * i;
  std::vector<C> out = before;
  kernels.places[width - 1]({window, pixels, 5, panel.data(), out.data(), out_step, add, nullptr, 0, step, panel_step});
  for (Index i = 0; i < detail::kConvPixels; ++i) {
    for (Index j = 0; j < out_step; ++j) {
      const auto at = static_cast<std::size_t>(i * out_step + j);
      double want = add || j >= columns ? static_cast<double>(before[at]) : 0;
      for (Index p = 0; p < places && j < columns; ++p)
        want += static_cast<double>(pixels[i][5 + p / (3 * length) * 200 + p / length % 3 * 61 + p % length * step]) *
                static_cast<double>(panel[static_cast<std::size_t>(p * panel_step + j)]);
      const double allowed = 10 * static_cast<double>(places + 2) * testing::RoundingUnit<C>();
      if (!(std::abs(static_cast<double>(out[at]) - want) <= allowed)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_SUITE("ConvKernels") {
  TEST_CASE_TEMPLATE("multiply places by rows of a panel and touch nothing beside them", C, float, double) {
    for (const auto& [name, kernels] : AllConvKernels<C>()) {
      CAPTURE(name);
      for (Index width = 1; width <= kernels->width; ++width)
        for (const Index length : {0, 1, 2, 7})
          for (const Index step : {1, 3, 8})
            for (const bool add : {false, true}) CHECK(PlacesAreRight<C>(*kernels, width, length, step, add));
    }
  }
  TEST_CASE_TEMPLATE("rows of pixels have the bits of tiles", C, float, double) {
    for (const auto& [name, kernels] : AllConvKernels<C>()) {
      CAPTURE(name);
      for (const Index length : {0, 1, 2, 5, 11})
        for (const Index step : {1, 2, 7, 20}) CHECK(RowIsRight<C>(*kernels, length, step));
    }
  }
  TEST_CASE_TEMPLATE("multiply windows by panels and touch nothing beside them", C, float, double) {
    for (const auto& [name, kernels] : AllConvKernels<C>()) {
      CAPTURE(name);
      for (Index width = 1; width <= kernels->width; ++width) {
        for (const Index length : {0, 1, 2, 5, 11}) {
          CHECK(TileIsRight<C>(*kernels, width, length, false));
          CHECK(TileIsRight<C>(*kernels, width, length, true));
        }
      }
    }
  }

  TEST_CASE("integers wrap around") {
    const auto& kernels = detail::ConvKernelsOf<std::uint32_t>();
    CHECK(kernels.lanes == 1);
    const std::uint32_t image[] = {0x80000001u, 3}, panel[] = {2, 0xffffffffu};
    const std::uint32_t* const pixels[] = {image, image, image, image, image, image};
    std::uint32_t out[6] = {};
    kernels.tile[0]({{1, 0, 1, 0, 2}, pixels, 0, panel, out, 1, false, reinterpret_cast<const char*>(panel), 0});
    CHECK(out[5] == 0xffffffffu);  // 2 - 3
  }
}
}  // namespace conv_tile_test
