// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/max_pool.hpp>

#include <limits>
#include <string>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace pool_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

struct PoolCase {
  std::vector<Index> input, ksize, strides;
  Padding padding = Padding::kValid;
  std::vector<Index> paddings = {};
};

Status Geometry(const PoolCase& c, PoolGeometry* g) {
  return MakePoolGeometry(TensorShape(c.input), c.ksize, c.strides, c.padding, c.paddings, g);
}
std::string GeometryError(const PoolCase& c) {
  PoolGeometry g;
  return Geometry(c, &g).ToString();
}

template <class T>
bool PoolIsRight(Cpu device, const PoolCase& c) {
  PoolGeometry g;
  if (!Geometry(c, &g).ok()) return false;
  const std::vector<T> x =
      RandomVector<T>(TensorShape(c.input).num_elements(), 3, std::is_unsigned_v<T> ? 0 : -100, 100);
  std::vector<T> y(static_cast<std::size_t>(g.output_shape().num_elements()), testing::FromDouble<T>(101));
  if (!MaxPool<T>(device, g, x.data(), y.data()).ok()) return false;
  std::size_t at = 0;
  for (Index n = 0; n < g.batch; ++n) {
    for (Index i = 0; i < g.rows.output; ++i) {
      for (Index j = 0; j < g.columns.output; ++j) {
        for (Index o = 0; o < g.depth / g.depth_window; ++o, ++at) {
          T want = std::numeric_limits<T>::lowest();
          for (Index p = 0; p < g.rows.size; ++p) {
            for (Index q = 0; q < g.columns.size; ++q) {
              const Index row = i * g.rows.stride - g.rows.pad_before + p,
                          column = j * g.columns.stride - g.columns.pad_before + q;
              if (row < 0 || row >= c.input[1] || column < 0 || column >= c.input[2]) continue;
              for (Index d = o * g.depth_window; d < (o + 1) * g.depth_window; ++d) {
                const T value =
                    x[static_cast<std::size_t>(((n * c.input[1] + row) * c.input[2] + column) * c.input[3] + d)];
                if (value > want) want = value;
              }
            }
          }
          if (!(y[at] == want)) return false;
        }
      }
    }
  }
  return true;
}

const std::vector<PoolCase> kCases = {
    {{1, 24, 24, 8}, {1, 2, 2, 1}, {1, 2, 2, 1}},
    {{2, 7, 5, 3}, {1, 2, 2, 1}, {1, 2, 2, 1}, Padding::kSame},
    {{1, 7, 9, 17}, {1, 3, 3, 1}, {1, 1, 1, 1}, Padding::kSame},
    {{1, 8, 9, 1}, {1, 3, 2, 1}, {1, 2, 1, 1}},
    {{1, 5, 5, 4}, {1, 1, 1, 1}, {1, 2, 2, 1}},
    {{1, 3, 3, 2}, {1, 7, 7, 1}, {1, 2, 2, 1}, Padding::kSame},
    {{1, 4, 6, 5}, {1, 3, 3, 1}, {1, 2, 2, 1}, Padding::kExplicit, {0, 0, 2, 1, 0, 2, 0, 0}},
    {{2, 3, 4, 6}, {1, 1, 1, 3}, {1, 1, 1, 3}},
    {{1, 4, 4, 2}, {1, 1, 1, 2}, {1, 2, 2, 2}, Padding::kSame},
};

template <class T>
T PoolOfFour(T a, T b, T c, T d) {
  PoolGeometry g;
  REQUIRE(Geometry({{1, 2, 2, 1}, {1, 2, 2, 1}, {1, 2, 2, 1}}, &g).ok());
  const T x[] = {a, b, c, d};
  T y;
  Cpu device;
  REQUIRE(MaxPool<T>(device, g, x, &y).ok());
  return y;
}

}  // namespace

TEST_SUITE("MaxPool") {
  TEST_CASE_TEMPLATE("agrees with the definition", T, float, double, half, bfloat16, std::int8_t, std::uint8_t,
                     std::int16_t, std::uint16_t, std::int32_t, std::int64_t) {
    for (std::size_t i = 0; i < kCases.size(); ++i) {
      CAPTURE(i);
      CHECK(PoolIsRight<T>(Cpu{}, kCases[i]));
    }
  }

  TEST_CASE("several threads give the same") {
    ThreadPool pool(3, "test");
    Cpu device{.pool = &pool};
    CHECK(PoolIsRight<float>(device, {{2, 60, 60, 16}, {1, 3, 3, 1}, {1, 2, 2, 1}, Padding::kSame}));
    CHECK(PoolIsRight<half>(device, {{2, 40, 40, 16}, {1, 1, 1, 4}, {1, 1, 1, 4}}));
  }

  TEST_CASE("passes over NaNs and begins with the lowest finite number, as TensorFlow does") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    CHECK(PoolOfFour(nan, 1.f, 2.f, 3.f) == 3);
    CHECK(PoolOfFour(1.f, 2.f, nan, 0.f) == 2);
    CHECK(PoolOfFour(-infinity, nan, -infinity, -infinity) == std::numeric_limits<float>::lowest());
    CHECK(PoolOfFour(1.f, infinity, 2.f, 3.f) == infinity);
  }

  TEST_CASE("an image without elements") {
    PoolGeometry g;
    Cpu device;
    REQUIRE(Geometry({{0, 4, 4, 3}, {1, 2, 2, 1}, {1, 2, 2, 1}}, &g).ok());
    CHECK(g.output_shape() == TensorShape({0, 2, 2, 3}));
    CHECK(MaxPool<float>(device, g, nullptr, nullptr).ok());
    REQUIRE(Geometry({{1, 1, 4, 3}, {1, 2, 2, 1}, {1, 1, 2, 1}}, &g).ok());
    CHECK(g.output_shape() == TensorShape({1, 0, 2, 3}));
    CHECK(MaxPool<float>(device, g, nullptr, nullptr).ok());
  }

  TEST_CASE("refuses what TensorFlow refuses, in its words") {
    CHECK(GeometryError({{1, 4, 4}, {1, 2, 2, 1}, {1, 2, 2, 1}}) ==
          "INVALID_ARGUMENT: tensor_in_shape must have 2 spatial dimensions. 3 0");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 2, 2}, {1, 2, 2, 1}}) ==
          "INVALID_ARGUMENT: Sliding window ksize field must specify 4 dimensions");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 2, 2, 1}, {1, 2, 2}}) ==
          "INVALID_ARGUMENT: Sliding window stride field must specify 4 dimensions");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 0, 2, 1}, {1, 2, 2, 1}}) ==
          "INVALID_ARGUMENT: Sliding window ksize must be positive. The specified or inferred ksize is: 1,0,2,1");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 2, 2, 1}, {1, 0, 2, 1}}) ==
          "INVALID_ARGUMENT: Stride must be > 0, but got 0");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 2, 2, 1}, {2, 2, 2, 1}}) ==
          "UNIMPLEMENTED: Pooling is not yet supported on the batch dimension.");
    CHECK(GeometryError({{1, 4, 4, 2}, {1, 2, 2, 2}, {1, 2, 2, 2}}) ==
          "UNIMPLEMENTED: MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
    CHECK(GeometryError({{1, 4, 4, 3}, {1, 1, 1, 2}, {1, 1, 1, 2}}) ==
          "UNIMPLEMENTED: Depthwise max pooling requires the depth window to evenly divide the input depth");
    CHECK(GeometryError({{1, 4, 4, 4}, {1, 1, 1, 2}, {1, 1, 1, 1}}) ==
          "UNIMPLEMENTED: Depthwise max pooling requires the depth window to equal the depth stride");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 2, 2, 1}, {1, 1, 1, 1}, Padding::kExplicit, {0, 0, 1, 1, 1, 2, 0, 0}}) ==
          "INVALID_ARGUMENT: Right padding 2 needs to be smaller than the window size 2");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 2, 2, 1}, {1, 1, 1, 1}, Padding::kExplicit, {0, 0, 2, 1}}) ==
          "INVALID_ARGUMENT: explicit_paddings attribute must contain 8 values, but got: 4");
    CHECK(
        GeometryError({{1, 4, 4, 1}, {1, 7, 7, 1}, {1, 1, 1, 1}}) ==
        "INVALID_ARGUMENT: Computed output size would be negative: -2 [input_size: 4, effective_filter_size: 7, stride: 1]");
  }
}
}  // namespace pool_test
