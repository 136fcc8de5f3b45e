// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/winograd_transform.hpp>

#include <cmath>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace winograd_transform_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

constexpr Index kSide = detail::kWinogradSide, kPoints = detail::kWinogradPoints, kTile = detail::kWinogradTile;

std::vector<std::pair<const char*, detail::WinogradKernels>> AllKernels() {
  std::vector<std::pair<const char*, detail::WinogradKernels>> all = {
      {"best", detail::WinogradKernelsOf<>()},
      {"16 bytes", {&detail::WinogradInputBody::Run<16>, &detail::WinogradOutputBody::Run<16>}},
      {"64 bytes, taken apart", {&detail::WinogradInputBody::Run<64>, &detail::WinogradOutputBody::Run<64>}}};
#if TENON_DETAIL_TARGETS && TENON_DETAIL_LANES
  using Input =
      simd::detail::ForLevels<detail::WinogradInputBody, simd::Compiled, const float* const*, Index, float*, Index>;
  using Output =
      simd::detail::ForLevels<detail::WinogradOutputBody, simd::Compiled, const float*, Index, Index, float* const*>;
  if (simd::BestLevel() >= simd::Level::kAvx2) all.push_back({"AVX2", {&Input::Avx2, &Output::Avx2}});
#endif
  return all;
}

// One tile of `channels` channels in and one out for each: y[c] = x[c] * w[c], where the products are by channel.
bool TileIsRight(const detail::WinogradKernels& kernels, Index channels) {
  const auto n = static_cast<std::size_t>(channels);
  const Index step = channels + 3;
  const std::vector<float> x = RandomVector<float>(kPoints * channels, 1), w = RandomVector<float>(9 * channels, 2);
  std::vector<float> points(static_cast<std::size_t>(kPoints * step), 55.f), y(16 * n + 1, 66.f);
  float filter[kPoints][detail::kWinogradColumns] = {};
  detail::TransformWinogradFilter(w.data(), channels, channels, filter);
  const float* from[kPoints];
  for (Index p = 0; p < kPoints; ++p) from[p] = x.data() + p * channels;
  kernels.input(from, channels, points.data(), step);
  for (Index p = 0; p < kPoints; ++p)
    for (Index c = 0; c < step; ++c) {
      float& point = points[static_cast<std::size_t>(p * step + c)];
      if (c >= channels && point != 55.f) return false;
      if (c < channels) point *= filter[p][c];
    }
  float* to[kTile * kTile];
  for (Index i = 0; i < kTile * kTile; ++i) to[i] = y.data() + i * channels;
  kernels.output(points.data(), step, channels, to);
  for (Index i = 0; i < kTile * kTile; ++i)
    for (Index c = 0; c < channels; ++c) {
      double want = 0, size = 0;
      for (Index tap = 0; tap < 9; ++tap) {
        const Index pixel = (i / kTile + tap / 3) * kSide + i % kTile + tap % 3;
        want += static_cast<double>(x[static_cast<std::size_t>(pixel * channels + c)]) *
                static_cast<double>(w[static_cast<std::size_t>(tap * channels + c)]);
        size += std::fabs(static_cast<double>(w[static_cast<std::size_t>(tap * channels + c)]));
      }
      if (!(std::fabs(static_cast<double>(to[i][c]) - want) <= 32 * 0x1p-24 * size)) return false;
    }
  return y.back() == 66.f;
}

}  // namespace

TEST_SUITE("Winograd's transforms") {
  TEST_CASE("a tile times a filter is what the filter gives") {
    for (const auto& [name, kernels] : AllKernels())
      for (const Index channels : {4, 5, 7, 8, 15, 16, 17, 31, 33, 48, 64}) {
        CAPTURE(name);
        CAPTURE(channels);
        CHECK(TileIsRight(kernels, channels));
      }
  }

  // <T x, y> = <x, T' y>, where T' is the reverse of T.
  TEST_CASE("gradients go back as the transforms went") {
    using Kernel = decltype(detail::WinogradGradientKernelOf<>());
    std::vector<Kernel> reverse = {detail::WinogradGradientKernelOf<>(), &detail::WinogradGradientBody::Run<16>,
                                   &detail::WinogradGradientBody::Run<64>};
#if TENON_DETAIL_TARGETS && TENON_DETAIL_LANES
    using Gradient = simd::detail::ForLevels<detail::WinogradGradientBody, simd::Compiled, const float* const*, Index,
                                             float*, Index>;
    if (simd::BestLevel() >= simd::Level::kAvx2) reverse.push_back(&Gradient::Avx2);
#endif
    const detail::WinogradKernels kernels = detail::WinogradKernelsOf<>();
    for (const Index channels : {4, 5, 7, 8, 15, 16, 17, 31, 33, 48, 64}) {
      CAPTURE(channels);
      const auto n = static_cast<std::size_t>(channels);
      const std::vector<float> products = RandomVector<float>(kPoints * channels, 1),
                               dy = RandomVector<float>(kTile * kTile * channels, 2),
                               w = RandomVector<float>(9 * channels, 3);
      std::vector<float> y(kTile * kTile * n);
      float* to[kTile * kTile];
      const float* from[kTile * kTile];
      for (Index i = 0; i < kTile * kTile; ++i) {
        to[i] = y.data() + i * channels;
        from[i] = dy.data() + i * channels;
      }
      kernels.output(products.data(), channels, channels, to);
      const auto sum = [](const float* a, const float* b, std::size_t count) {
        double total = 0;
        for (std::size_t i = 0; i < count; ++i) total += static_cast<double>(a[i]) * static_cast<double>(b[i]);
        return total;
      };
      const double pixels = sum(y.data(), dy.data(), y.size()), allowed = 0x1p-24 * 400 * static_cast<double>(channels);
      for (const Kernel kernel : reverse) {
        const Index step = channels + 3;
        std::vector<float> points(static_cast<std::size_t>(kPoints * step), 55.f);
        kernel(from, channels, points.data(), step);
        double total = 0;
        for (Index p = 0; p < kPoints; ++p) {
          total += sum(points.data() + p * step, products.data() + p * channels, n);
          CHECK(points[static_cast<std::size_t>(p * step + channels)] == 55.f);
        }
        CHECK(std::fabs(total - pixels) <= allowed);
      }
      float filter[kPoints][detail::kWinogradColumns] = {};
      detail::TransformWinogradFilter(w.data(), channels, channels, filter);
      double points = 0;
      for (Index p = 0; p < kPoints; ++p) points += sum(filter[p], products.data() + p * channels, n);
      std::vector<float> dw(9 * (n + 1), 55.f);
      detail::WinogradFilterGradient(products.data(), channels, channels, dw.data(), channels + 1);
      double taps = 0;
      for (Index tap = 0; tap < 9; ++tap) {
        taps += sum(dw.data() + tap * (channels + 1), w.data() + tap * channels, n);
        CHECK(dw[static_cast<std::size_t>(tap * (channels + 1) + channels)] == 55.f);
      }
      CHECK(std::fabs(taps - points) <= allowed);
    }
  }

  TEST_CASE("the filter's transform is rounded once") {
    const std::vector<float> w = RandomVector<float>(9 * 7, 3);
    float filter[kPoints][detail::kWinogradColumns] = {};
    detail::TransformWinogradFilter(w.data(), 7, 5, filter);
    for (Index p = 0; p < kPoints; ++p)
      for (Index c = 0; c < 7; ++c) {
        double want = 0;
        for (Index tap = 0; tap < 9; ++tap)
          want += detail::kWinogradFilterRows[p / kSide][tap / 3] * detail::kWinogradFilterRows[p % kSide][tap % 3] *
                  static_cast<double>(w[static_cast<std::size_t>(tap * 7 + c)]);
        if (c >= 5) want = 0;  // untouched
        CHECK(std::fabs(static_cast<double>(filter[p][c]) - want) <= 0x1p-24 * std::fabs(want) + 1e-14);
      }
  }
}

}  // namespace winograd_transform_test
