// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/result_epilogue.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/conv/depthwise.hpp>
#include <tenon/engine/gemm/gemm.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace result_epilogue_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

std::size_t Size(Index n) { return static_cast<std::size_t>(n); }

template <class T>
struct Steps {
  std::vector<T> offset, added;
  float low, high;

  T operator()(T x, std::size_t column, std::size_t at) const {
    if (!offset.empty()) x += offset[column];
    if (!added.empty()) x += added[at];
    return x < static_cast<T>(low) ? static_cast<T>(low) : x > static_cast<T>(high) ? static_cast<T>(high) : x;
  }
  CpuEpilogue epilogue() const {
    CpuEpilogue e;
    if (!offset.empty()) e.offset = offset.data();
    if (!added.empty()) e.added = added.data();
    e.low = low;
    e.high = high;
    e.run = &CpuEpilogue::Clamp<T>;
    return e;
  }
};
template <class T>
std::vector<Steps<T>> AllSteps(Index rows, Index columns) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<T> offset = RandomVector<T>(columns, 7), added = RandomVector<T>(rows * columns, 8);
  return {{offset, {}, -kInfinity, kInfinity}, {offset, {}, 0, 6}, {offset, added, 0, kInfinity}, {{}, added, 0, 0.5f}};
}

// The same steps by a function that takes whole rows.
template <class T>
struct InRows {
  const Steps<T>* steps;
  Index columns;

  static void Run(const CpuEpilogue& e, const CpuEpilogue::Block& b) {
    const InRows& self = *static_cast<const InRows*>(e.steps);
    REQUIRE(b.column == 0);
    REQUIRE(b.columns == self.columns);
    REQUIRE(b.width == self.columns);
    T* const x = static_cast<T*>(b.result);
    for (Index i = b.row * b.width; i < (b.row + b.rows) * b.width; ++i)
      x[i] = (*self.steps)(x[i], Size(i % b.width), Size(i));
  }
};

// compute(device, out): [rows, columns]. Each element must have the steps once. Returns how often the engine took them.
template <class T, class Compute>
int CheckEngine(const std::string& name, Index rows, Index columns, const Compute& compute) {
  CAPTURE(name);
  CAPTURE(rows);
  CAPTURE(columns);
  ThreadPool pool(3, "test");
  std::vector<T> plain(Size(rows * columns)), got(plain.size());
  REQUIRE(compute(Cpu{}, plain.data()).ok());
  int taken = 0;
  for (const Steps<T>& steps : AllSteps<T>(rows, columns)) {
    for (const bool threads : {false, true}) {
      for (const bool whole : {false, true}) {
        CpuEpilogue epilogue = steps.epilogue();
        const InRows<T> in_rows{&steps, columns};
        if (whole) epilogue = {.whole_rows = true, .run = &InRows<T>::Run, .steps = &in_rows};
        Cpu device;
        if (threads) device.pool = &pool;
        device.epilogue = &epilogue;
        REQUIRE(compute(device, got.data()).ok());
        taken += epilogue.done ? 1 : 0;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
          const T want = epilogue.done ? steps(plain[i], i % Size(columns), i) : plain[i];
          wrong += std::memcmp(&want, &got[i], sizeof(T)) == 0 ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
    }
  }
  return taken;
}

}  // namespace

TEST_SUITE("CpuEpilogue") {
  TEST_CASE_TEMPLATE("Clamp changes its block alone", T, float, double) {
    constexpr Index kRows = 5, kWidth = 171;
    std::vector<T> before = RandomVector<T>(kRows * kWidth, 3);
    before[Size(kWidth + 4)] = std::numeric_limits<T>::quiet_NaN();
    before[Size(kWidth + 5)] = -T(0);
    before[Size(kWidth + 6)] = std::numeric_limits<T>::infinity();
    for (const Steps<T>& steps : AllSteps<T>(kRows, kWidth)) {
      for (const Index column : {Index{0}, Index{4}}) {
        for (Index columns = 0; column + columns <= kWidth; ++columns) {
          std::vector<T> got = before;
          const CpuEpilogue epilogue = steps.epilogue();
          epilogue.run(epilogue, {got.data(), kWidth, 1, 3, column, columns});
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < got.size(); ++i) {
            const Index row = static_cast<Index>(i) / kWidth, at = static_cast<Index>(i) % kWidth;
            const bool inside = row >= 1 && row < 4 && at >= column && at < column + columns;
            const T want = inside ? steps(before[i], Size(at), i) : before[i];
            const bool both_nan = want != want && got[i] != got[i];
            wrong += both_nan || std::memcmp(&want, &got[i], sizeof(T)) == 0 ? 0 : 1;
          }
          CHECK(wrong == 0);
        }
      }
    }
  }
  TEST_CASE_TEMPLATE("Gate changes its block alone, as the steps alone do", T, float, double) {
    constexpr Index kRows = 4, kWidth = 171;
    std::vector<T> before = RandomVector<T>(kRows * kWidth, 3);
    for (std::size_t i = 0; i < before.size(); i += 3) before[i] *= T(5);
    before[Size(kWidth + 4)] = std::numeric_limits<T>::quiet_NaN();
    before[Size(kWidth + 6)] = std::numeric_limits<T>::infinity();
    const T three = 3, six = 6, sixth = T(1) / 6;
    for (const Steps<T>& steps : AllSteps<T>(kRows, kWidth)) {
      for (const bool divides : {false, true}) {
        for (const Index columns : {1, 4, 17, 63, 67, 167}) {
          CpuEpilogue epilogue = steps.epilogue();
          epilogue.low = 0;
          epilogue.high = 6;
          epilogue.shift = &three;
          (divides ? epilogue.divisor : epilogue.factor) = divides ? &six : &sixth;
          std::vector<T> got = before;
          CpuEpilogue::Gate<T>(epilogue, {got.data(), kWidth, 1, 2, 4, columns});
          std::size_t wrong = 0;
          for (std::size_t i = 0; i < got.size(); ++i) {
            const Index row = static_cast<Index>(i) / kWidth, at = static_cast<Index>(i) % kWidth;
            T want = before[i];
            if (row >= 1 && row < 3 && at >= 4 && at < 4 + columns) {
              if (!steps.offset.empty()) want += steps.offset[Size(at)];
              if (!steps.added.empty()) want += steps.added[i];
              const T moved = want + three, gate = moved < T(0) ? T(0) : moved > six ? six : moved;
              want *= divides ? gate / six : gate * sixth;
            }
            const bool both_nan = want != want && got[i] != got[i];
            wrong += both_nan || std::memcmp(&want, &got[i], sizeof(T)) == 0 ? 0 : 1;
          }
          CHECK(wrong == 0);
        }
      }
    }
  }
  TEST_CASE("without bounds it keeps -0 and infinity") {
    float x[] = {-0.0f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    const float before[] = {x[0], x[1], x[2]};
    CpuEpilogue::Clamp<float>({}, {x, 3, 0, 1, 0, 3});
    CHECK(std::memcmp(x, before, sizeof x) == 0);
  }
  TEST_CASE_TEMPLATE("products give each element its steps once", T, float, double) {
    struct Case {
      Index m, n, k;
    };
    int taken = 0;
    for (const auto& [m, n, k] : std::vector<Case>{{1, 40, 30},
                                                   {3, 129, 70},
                                                   {4, 4, 4},
                                                   {5, 16, 9},
                                                   {17, 1, 12},
                                                   {33, 65, 40},
                                                   {131, 70, 1500},
                                                   {500, 200, 20},
                                                   {700, 17, 3}}) {
      const std::vector<T> a = RandomVector<T>(m * k, 1), b = RandomVector<T>(k * n, 2);
      const Index a_sizes[] = {m, k}, b_sizes[] = {k, n}, c_sizes[] = {m, n};
      taken += CheckEngine<T>("Gemm", m, n, [&](Cpu device, T* out) {
        return Gemm<T>(device, In<T, 2>(a.data(), a_sizes), false, In<T, 2>(b.data(), b_sizes), false,
                       Out<T, 2>(out, c_sizes));
      });
    }
    CHECK(taken >= 9 * 8);
  }
  TEST_CASE_TEMPLATE("convolutions give each element its steps once", T, float, double) {
    struct Case {
      std::vector<Index> input, filter;
      Index stride;
    };
    int taken = 0;
    for (const Case& c : std::vector<Case>{{{1, 11, 11, 5}, {3, 3, 5, 70}, 1},
                                           {{2, 40, 30, 3}, {3, 3, 3, 20}, 1},
                                           {{1, 30, 31, 8}, {3, 3, 4, 12}, 2},
                                           {{1, 40, 40, 16}, {1, 1, 16, 96}, 1},
                                           {{1, 60, 60, 6}, {5, 5, 6, 33}, 1}}) {
      Conv2DGeometry g;
      const std::vector<Index> strides = {1, c.stride, c.stride, 1}, ones = {1, 1, 1, 1};
      REQUIRE(
          MakeConv2DGeometry(TensorShape(c.input), TensorShape(c.filter), strides, ones, Padding::kSame, {}, &g).ok());
      const std::vector<T> x = RandomVector<T>(TensorShape(c.input).num_elements(), 1),
                           w = RandomVector<T>(TensorShape(c.filter).num_elements(), 2);
      taken += CheckEngine<T>("Conv2D", g.batch * g.rows.output * g.columns.output, g.out_depth,
                              [&](Cpu device, T* out) { return Conv2D<T>(device, g, x.data(), w.data(), out); });
    }
    CHECK(taken >= 5 * 8);
  }
  TEST_CASE_TEMPLATE("depthwise convolutions give each element its steps once", T, float, double) {
    for (const Index multiplier : {Index{1}, Index{2}}) {
      for (const Index stride : {Index{1}, Index{2}}) {
        const DepthwiseGeometry g{.batch = 2,
                                  .rows = {20, 3, stride, 1, 1, 1, 20 / stride},
                                  .columns = {30, 3, stride, 1, 1, 1, 30 / stride},
                                  .depth = 21,
                                  .multiplier = multiplier};
        const std::vector<T> x = RandomVector<T>(g.input_elements(), 1), w = RandomVector<T>(9 * g.out_depth(), 2);
        const int taken =
            CheckEngine<T>("DepthwiseConv2D", g.batch * g.rows.output * g.columns.output, g.out_depth(),
                           [&](Cpu device, T* out) { return DepthwiseConv2D<T>(device, g, x.data(), w.data(), out); });
        CHECK(taken == 16);
      }
    }
  }
}

}  // namespace result_epilogue_test
