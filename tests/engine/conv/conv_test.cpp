// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/conv.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace conv_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

struct ConvCase {
  std::vector<Index> input, filter;
  std::vector<Index> strides = {1, 1, 1, 1}, dilations = {1, 1, 1, 1};
  Padding padding = Padding::kSame;
  std::vector<Index> paddings = {};
};

Status Geometry(const ConvCase& c, Conv2DGeometry* g) {
  return MakeConv2DGeometry(TensorShape(c.input), TensorShape(c.filter), c.strides, c.dilations, c.padding, c.paddings,
                            g);
}

template <class T>
bool ConvIsRight(Cpu device, const ConvCase& c) {
  Conv2DGeometry g;
  if (!Geometry(c, &g).ok()) return false;
  const TensorShape out_shape = g.output_shape();
  const std::vector<T> x = RandomVector<T>(TensorShape(c.input).num_elements(), 1),
                       w = RandomVector<T>(TensorShape(c.filter).num_elements(), 2);
  std::vector<T> y(static_cast<std::size_t>(out_shape.num_elements()), testing::FromDouble<T>(55));
  if (!Conv2D<T>(device, g, x.data(), w.data(), y.data()).ok()) return false;
  const Index filter_depth = c.filter[2], group_channels = g.out_depth / g.groups;
  using Accumulator = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;
  std::size_t at = 0;
  for (Index n = 0; n < g.batch; ++n) {
    for (Index i = 0; i < g.rows.output; ++i) {
      for (Index j = 0; j < g.columns.output; ++j) {
        for (Index o = 0; o < g.out_depth; ++o, ++at) {
          double want = 0, size = 0;
          for (Index p = 0; p < c.filter[0]; ++p) {
            for (Index q = 0; q < c.filter[1]; ++q) {
              const Index row = i * g.rows.stride - g.rows.pad_before + p * g.rows.dilation;
              const Index column = j * g.columns.stride - g.columns.pad_before + q * g.columns.dilation;
              if (row < 0 || row >= c.input[1] || column < 0 || column >= c.input[2]) continue;
              for (Index d = 0; d < filter_depth; ++d) {
                const Index depth = o / group_channels * filter_depth + d;
                const double product =
                    testing::ToDouble(x[static_cast<std::size_t>(
                        ((n * c.input[1] + row) * c.input[2] + column) * c.input[3] + depth)]) *
                    testing::ToDouble(
                        w[static_cast<std::size_t>(((p * c.filter[1] + q) * filter_depth + d) * g.out_depth + o)]);
                want += product;
                size += std::abs(product);
              }
            }
          }
          const double taps = static_cast<double>(c.filter[0] * c.filter[1] * filter_depth);
          const double allowed = (taps + 2) * testing::RoundingUnit<Accumulator>() * size +
                                 testing::RoundingUnit<T>() * std::abs(want) * 1.001;
          if (!(std::abs(testing::ToDouble(y[at]) - want) <= allowed)) return false;
        }
      }
    }
  }
  return true;
}

const std::vector<ConvCase> kCases = {
    {{1, 5, 5, 1}, {3, 3, 1, 1}},
    {{2, 7, 6, 3}, {3, 3, 3, 5}},
    {{1, 28, 28, 1}, {5, 5, 1, 8}},
    {{1, 14, 14, 8}, {3, 3, 8, 16}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kValid},
    {{2, 9, 11, 4}, {2, 3, 4, 17}, {1, 2, 1, 1}, {1, 1, 1, 1}, Padding::kValid},
    {{1, 9, 8, 4}, {3, 3, 4, 7}, {1, 2, 3, 1}},
    {{1, 10, 12, 2}, {3, 2, 2, 9}, {1, 1, 1, 1}, {1, 2, 3, 1}},
    {{1, 10, 12, 2}, {3, 2, 2, 9}, {1, 2, 1, 1}, {1, 2, 1, 1}, Padding::kValid},
    {{1, 6, 7, 3}, {3, 3, 3, 4}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kExplicit, {0, 0, 2, 0, 1, 3, 0, 0}},
    {{1, 1, 1, 2}, {3, 3, 2, 3}, {1, 9, 9, 1}, {1, 1, 1, 1}, Padding::kExplicit, {0, 0, 7, 8, 9, 2, 0, 0}},
    {{3, 4, 5, 33}, {1, 1, 33, 70}},
    {{1, 7, 7, 6}, {1, 1, 6, 5}, {1, 3, 2, 1}},
    {{1, 6, 6, 8}, {3, 3, 2, 12}},
    {{2, 5, 6, 6}, {3, 3, 1, 6}, {1, 2, 2, 1}},
    {{1, 5, 5, 6}, {2, 2, 3, 4}, {1, 1, 1, 1}, {1, 2, 2, 1}, Padding::kValid},
    {{1, 1, 40, 3}, {1, 9, 3, 66}},
    {{1, 3, 3, 2}, {7, 7, 2, 3}},
    // Batches of small images: products of their windows.
    {.input = {5, 4, 3, 7}, .filter = {3, 3, 7, 9}},
    {.input = {3, 7, 8, 5}, .filter = {3, 2, 5, 33}, .strides = {1, 2, 2, 1}, .dilations = {1, 1, 2, 1}},
};

}  // namespace

TEST_SUITE("Conv2D") {
  TEST_CASE_TEMPLATE("agrees with the definition", T, float, double, std::int32_t, half, bfloat16) {
    for (std::size_t i = 0; i < kCases.size(); ++i) {
      CAPTURE(i);
      CHECK(ConvIsRight<T>(Cpu{}, kCases[i]));
    }
  }

  TEST_CASE("images larger than a band are done band by band") {
    CHECK(ConvIsRight<float>(Cpu{}, {{1, 60, 40, 64}, {3, 3, 64, 3}}));
    CHECK(ConvIsRight<half>(Cpu{}, {{1, 61, 40, 64}, {3, 3, 64, 2}, {1, 2, 1, 1}, {1, 1, 1, 1}, Padding::kValid}));
  }

  TEST_CASE("several threads give the same") {
    ThreadPool pool(3, "test");
    Cpu device{.pool = &pool};
    CHECK(ConvIsRight<float>(device, {{1, 40, 40, 16}, {3, 3, 16, 20}}));
    CHECK(ConvIsRight<float>(device, {{4, 20, 20, 16}, {3, 3, 16, 20}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kValid}));
    CHECK(ConvIsRight<bfloat16>(device, {{2, 30, 31, 8}, {5, 5, 8, 8}, {1, 2, 2, 1}}));
    // Few pixels: fewer panels of channels than threads, and more.
    CHECK(ConvIsRight<float>(device, {{1, 13, 13, 32}, {3, 3, 32, 64}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kValid}));
    CHECK(ConvIsRight<float>(device, {{1, 7, 9, 32}, {3, 3, 32, 8}}));
    CHECK(ConvIsRight<float>(device, {{1, 7, 7, 32}, {3, 3, 32, 300}}));
  }

  TEST_CASE("a padded zero times infinity is NaN, as in TensorFlow") {
    Conv2DGeometry g;
    REQUIRE(Geometry({{1, 1, 1, 1}, {3, 3, 1, 1}}, &g).ok());
    std::vector<float> w(9, 1.f);
    w[0] = std::numeric_limits<float>::infinity();
    const float x = 2;
    float y = 0;
    Cpu device;
    REQUIRE(Conv2D<float>(device, g, &x, w.data(), &y).ok());
    CHECK(std::isnan(y));
  }

  TEST_CASE("nothing in, nothing out") {
    Conv2DGeometry g;
    Cpu device;
    REQUIRE(Geometry({{0, 4, 4, 2}, {3, 3, 2, 5}}, &g).ok());
    CHECK(g.output_shape() == TensorShape({0, 4, 4, 5}));
    CHECK(Conv2D<float>(device, g, nullptr, nullptr, nullptr).ok());
    REQUIRE(Geometry({{1, 2, 2, 2}, {3, 3, 2, 5}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kValid}, &g).ok());
    CHECK(g.output_shape() == TensorShape({1, 0, 0, 5}));
    CHECK(Conv2D<float>(device, g, nullptr, nullptr, nullptr).ok());
    REQUIRE(Geometry({{1, 2, 2, 0}, {1, 1, 1, 3}}, &g).ok());
    std::vector<float> y(12, 7.f);
    CHECK(Conv2D<float>(device, g, nullptr, nullptr, y.data()).ok());
    CHECK(y == std::vector<float>(12, 0.f));
    REQUIRE(Geometry({{1, 2, 2, 2}, {1, 1, 2, 0}}, &g).ok());
    CHECK(Conv2D<float>(device, g, nullptr, nullptr, nullptr).ok());
  }

  TEST_CASE("gives scratch memory back, and says so when there is none") {
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    CHECK(ConvIsRight<half>(device, kCases[1]));
    CHECK(allocator.bytes_in_use() == 0);
    CHECK(allocator.num_bad_frees() == 0);
    allocator.FailAllocations(1);
    Conv2DGeometry g;
    REQUIRE(Geometry(kCases[0], &g).ok());
    std::vector<float> x(25), w(9), y(25);
    const Status status = Conv2D<float>(device, g, x.data(), w.data(), y.data());
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().starts_with("Conv2D: OOM when allocating "));
  }
}
}  // namespace conv_test
