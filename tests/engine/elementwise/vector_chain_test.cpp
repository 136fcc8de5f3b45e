// SPDX-License-Identifier: Apache-2.0
// Every chain against its steps one by one, bit by bit, at every level that this processor has.
#include <tenon/engine/elementwise/vector_chain.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/run_at.hpp"
#include "engine/small_ops.hpp"
#include "engine/support.hpp"

namespace lane_chain_test {
using namespace small_ops;
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

struct DivOp {
  template <class T>
  TENON_HD static T map(T x, T y) {
    return x / y;
  }
  template <class L>
  TENON_HD static L chained(const L& x, const L& y) {
    return x / y;
  }
};

#if TENON_DETAIL_LANES

// The chains as compiled for one level; null where the processor has not got it.
template <class T, class... Ops>
LaneChains::Run RunOf(simd::Level level) {
  using Levels = simd::detail::ForLevels<detail::LaneChainBody<T, Ops...>, simd::Compiled, const LaneChainStep*, int,
                                         const void*, void*, Index>;
#if TENON_DETAIL_TARGETS
  if (level > simd::BestLevel()) return nullptr;
  if (level == simd::Level::kAvx512) return &Levels::Avx512;
  if (level == simd::Level::kAvx2) return &Levels::Avx2;
#endif
  return level == simd::Level::kUnit ? &Levels::Unit : nullptr;
}

// (b - exp(max(x * a, 0))) / c + x, where a is one element, by the loops of each op; exp as at `level`.
template <class T>
std::vector<T> StepByStep(simd::Level level, const std::vector<T>& x, T a, const std::vector<T>& b,
                          const std::vector<T>& c) {
  const auto n = static_cast<Index>(x.size());
  std::vector<T> y(x.size());
  kBinaryLoops<MulOp, T>.vs(nullptr, x.data(), &a, y.data(), n);
  kUnaryLoop<ReluOp, T>.v(nullptr, y.data(), y.data(), n);
  tenon::testing::RunAt<ExpOp>(level, y.data(), y.data(), n);
  kBinaryLoops<SubOp, T>.vv(nullptr, b.data(), y.data(), y.data(), n);
  kBinaryLoops<DivOp, T>.vv(nullptr, y.data(), c.data(), y.data(), n);
  kBinaryLoops<AddOp, T>.vv(nullptr, y.data(), x.data(), y.data(), n);
  return y;
}

template <class T>
bool SameBits(const T* a, const std::vector<T>& b) {
  for (std::size_t i = 0; i < b.size(); ++i)  // NaNs of any pattern are the same
    if (std::memcmp(a + i, b.data() + i, sizeof(T)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
}

TEST_SUITE("lane_chain") {
  TEST_CASE_TEMPLATE("a chain is its steps, of any length, in place too", T, float, double) {
    const LaneChains& chains = GetLaneChains<T, MulOp, ReluOp, ExpOp, SubOp, DivOp, AddOp>();
    REQUIRE(chains.count == 6);
    for (const simd::Level level : {simd::Level::kUnit, simd::Level::kAvx2, simd::Level::kAvx512}) {
      const LaneChains::Run run = RunOf<T, MulOp, ReluOp, ExpOp, SubOp, DivOp, AddOp>(level);
      if (run == nullptr) continue;
      for (const Index more : {0, 1, 2, 15, 16, 31, 63, 64, 65, 100, 127, 128, 129, 1000}) {
        const Index n = chains.least + more;
        std::vector<T> x = RandomVector<T>(n, 1), b = RandomVector<T>(n, 2), c = RandomVector<T>(n, 3);
        x[0] = std::numeric_limits<T>::quiet_NaN();
        x[static_cast<std::size_t>(n) - 1] = std::numeric_limits<T>::infinity();
        c[1] = 0;
        const std::vector<T> a(kLaneChainRepeat / sizeof(T), T(1.75)), wanted = StepByStep<T>(level, x, a[0], b, c);
        const LaneChainStep steps[] = {{chains.CodeOf(&kBinaryLoops<MulOp, T>), a.data(), 0},
                                       {chains.CodeOf(&kUnaryLoop<ReluOp, T>), nullptr, 1},
                                       {chains.CodeOf(&kUnaryLoop<ExpOp, T>), nullptr, 1},
                                       {chains.CodeOf(&kBinaryLoops<SubOp, T>) + 1, b.data(), 1},
                                       {chains.CodeOf(&kBinaryLoops<DivOp, T>), c.data(), 1},
                                       {chains.CodeOf(&kBinaryLoops<AddOp, T>), x.data(), 1}};
        std::vector<T> out(x.size() + 2, T(-77));
        run(steps, 6, x.data(), out.data() + 1, n);
        INFO("level ", static_cast<int>(level), ", ", n, " elements");
        CHECK(SameBits(out.data() + 1, wanted));
        CHECK(out.front() == T(-77));
        CHECK(out.back() == T(-77));
        run(steps, 6, x.data(), x.data(), n);
        CHECK(SameBits(x.data(), wanted));
      }
    }
  }
  TEST_CASE("an op that is not of the list has no code") {
    const LaneChains& chains = GetLaneChains<float, MulOp, ReluOp>();
    CHECK(chains.CodeOf(&kBinaryLoops<MulOp, float>) == 0);
    CHECK(chains.CodeOf(&kUnaryLoop<ReluOp, float>) == 2);
    CHECK(chains.CodeOf(&kBinaryLoops<AddOp, float>) == -1);
    CHECK(chains.CodeOf(&kUnaryLoop<ExpOp, float>) == -1);
    CHECK(chains.CodeOf(&kBinaryLoops<MulOp, double>) == -1);
  }
}

#endif

}  // namespace
}  // namespace lane_chain_test
