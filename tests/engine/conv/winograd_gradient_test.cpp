// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/winograd_gradient.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/conv/conv_gradient.hpp>

#include "engine/winograd_support.hpp"
#include "engine/support.hpp"

namespace winograd_gradient_test {
using namespace tenon;
using tenon::testing::RandomVector;
using tenon::testing::WinogradCase;
using tenon::testing::WinogradGeometry;

namespace {

struct Operands {
  explicit Operands(const WinogradCase& c)
      : g(WinogradGeometry(c)),
        x(RandomVector<float>(c.batch * c.rows * c.columns * c.in_depth, 1)),
        dy(RandomVector<float>(g.output_shape().num_elements(), 2)) {}
  Conv2DGeometry g;
  std::vector<float> x, dy;
};
std::vector<float> Result(Cpu device, const Operands& o) {
  std::vector<float> out(static_cast<std::size_t>(9 * o.g.in_depth * o.g.out_depth), 77.f);
  CHECK(detail::RunWinogradGradient(device, o.g, o.x.data(), o.dy.data(), out.data()).ok());
  return out;
}

// The largest error over 2^-24 max|x| sum|dy|, where the sum is over the channel's places.
double Error(const Operands& o, const std::vector<float>& got) {
  const Conv2DGeometry& g = o.g;
  const Index in = g.in_depth, out = g.out_depth;
  std::vector<double> want(got.size()), sums(static_cast<std::size_t>(out));
  const float* dy = o.dy.data();
  for (Index at = 0; at < g.batch * g.rows.output * g.columns.output; ++at, dy += out) {
    const Index column = at % g.columns.output, row = at / g.columns.output % g.rows.output;
    for (Index k = 0; k < out; ++k) sums[static_cast<std::size_t>(k)] += std::fabs(static_cast<double>(dy[k]));
    for (Index tap = 0; tap < 9; ++tap) {
      const Index r = row - g.rows.pad_before + tap / 3, c = column - g.columns.pad_before + tap % 3;
      if (r < 0 || r >= g.rows.input || c < 0 || c >= g.columns.input) continue;
      const Index image = at / g.columns.output / g.rows.output;
      const float* const pixel = o.x.data() + ((image * g.rows.input + r) * g.columns.input + c) * in;
      for (Index d = 0; d < in; ++d)
        for (Index k = 0; k < out; ++k)
          want[static_cast<std::size_t>((tap * in + d) * out + k)] +=
              static_cast<double>(pixel[d]) * static_cast<double>(dy[k]);
    }
  }
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double size = sums[i % static_cast<std::size_t>(out)] * 0x1p-24;
    const double error = std::fabs(static_cast<double>(got[i]) - want[i]);
    if (!(error <= worst * size)) worst = error / size;  // NaN stays
  }
  return worst;
}
constexpr double kMostError = 32;  // random numbers have up to 19 in a few tiles, 1 to 10 in others

// Tiles that leave the image, whole vectors and parts of one, several panels, rests of six channels, several chunks.
const std::vector<WinogradCase> kCases = {
    {1, 4, 4, 4, 4},
    {1, 1, 1, 16, 16},
    {1, 2, 3, 5, 7},
    {2, 5, 9, 33, 18},
    {3, 7, 6, 16, 63},
    {2, 13, 13, 32, 64, Padding::kValid},
    {3, 11, 3, 8, 97, Padding::kValid},
    {2, 14, 14, 20, 160},
    {1, 3, 2, 6, 9, Padding::kExplicit, {0, 0, 2, 2, 1, 5, 0, 0}},
    {2, 6, 7, 20, 12, Padding::kExplicit, {0, 0, 7, 0, 0, 9, 0, 0}},
    {5, 2, 2, 17, 4},
    {5, 61, 58, 24, 8},
    {9, 14, 14, 70, 40},
};

}  // namespace

TEST_SUITE("gradients of filters by Winograd's algorithm") {
  TEST_CASE("agree with sums in double; the bits are the same for any number of threads") {
    for (std::size_t i = 0; i < kCases.size(); ++i) {
      CAPTURE(i);
      const Operands operands(kCases[i]);
      const std::vector<float> alone = Result({}, operands);
      const double error = Error(operands, alone);
      CHECK(error <= kMostError);
      for (const int threads : {2, 5}) {
        ThreadPool pool(threads, "test");
        CHECK(Result({.pool = &pool}, operands) == alone);
      }
    }
  }

  TEST_CASE("gradients of one plane take it where sums may be in any order, and many pixels gain") {
    const auto differs = [](Index batch, ConvAlgorithm algorithm) {
      const Operands o({batch, 14, 14, 32, 24});
      Conv3DGeometry g{.batch = batch, .rows = o.g.rows, .columns = o.g.columns, .in_depth = 32, .out_depth = 24};
      Cpu device;
      const std::vector<float> w = RandomVector<float>(9 * 32 * 24, 3);
      std::vector<float> exact_dw(w.size()), dw(w.size()), exact_dx(o.x.size()), dx(o.x.size());
      REQUIRE(ConvBackpropFilter(device, g, o.x.data(), o.dy.data(), exact_dw.data()).ok());
      REQUIRE(ConvBackpropInput(device, g, w.data(), o.dy.data(), exact_dx.data()).ok());
      g.algorithm = algorithm;
      REQUIRE(ConvBackpropFilter(device, g, o.x.data(), o.dy.data(), dw.data()).ok());
      REQUIRE(ConvBackpropInput(device, g, w.data(), o.dy.data(), dx.data()).ok());
      float most = 0;
      for (std::size_t i = 0; i < dx.size(); ++i) most = std::max(most, std::fabs(dx[i] - exact_dx[i]));
      CHECK(most <= 16 * 0x1p-24f * 9 * 24);  // of 9 x 24 numbers of the filter, each below 1
      CHECK(Error(o, dw) <= kMostError);
      CHECK((dw == exact_dw) == (dx == exact_dx));
      return dw != exact_dw;
    };
    CHECK(!differs(4, ConvAlgorithm::kDirect));
    CHECK(!differs(1, ConvAlgorithm::kBySize));
    CHECK(differs(4, ConvAlgorithm::kBySize));
    CHECK(differs(1, ConvAlgorithm::kWinograd));
  }

  TEST_CASE("reads no further than its tensors, and gives scratch memory back") {
    TrackingAllocator allocator(CpuAllocator());
    const Operands o({1, 6, 7, 9, 5});
    std::vector<float> out(9 * 9 * 5 + 1, 77.f);
    Cpu device{.allocator = &allocator};
    CHECK(detail::RunWinogradGradient(device, o.g, o.x.data(), o.dy.data(), out.data()).ok());
    CHECK(out.back() == 77.f);
    CHECK(allocator.bytes_in_use() == 0);
    CHECK(allocator.num_bad_frees() == 0);
    allocator.FailAllocations(1);
    const Status status = detail::RunWinogradGradient(device, o.g, o.x.data(), o.dy.data(), out.data());
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().starts_with("ConvBackpropFilter: OOM when allocating "));
  }
}

}  // namespace winograd_gradient_test
