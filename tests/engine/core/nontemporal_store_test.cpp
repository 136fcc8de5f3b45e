// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/nontemporal_store.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace streaming_test {
using namespace tenon;

namespace {

// to[i] = a[i] + b[i], at so many elements behind a multiple of 64 bytes; whether all of them are written, each by its
// operands, and nothing around them.
template <class A, class R>
bool IsRight(Index n, Index offset, bool two_operands) {
  constexpr Index kGuard = 64;
  std::vector<A> a(static_cast<std::size_t>(n + 1)), b = a;
  for (Index i = 0; i < n; ++i) {
    a[static_cast<std::size_t>(i)] = static_cast<A>(i * 7 % 101);
    b[static_cast<std::size_t>(i)] = static_cast<A>(i * 5 % 13);
  }
  std::vector<R> storage(static_cast<std::size_t>(n + offset + 2 * kGuard), R(77));
  const auto misplaced = static_cast<Index>(reinterpret_cast<std::uintptr_t>(storage.data()) % 64 / sizeof(R));
  R* const out = storage.data() + kGuard - misplaced + offset;
  detail::StreamedRun run{
      reinterpret_cast<char*>(out), sizeof(R), reinterpret_cast<const char*>(a.data()), sizeof(A), nullptr, 0};
  if (two_operands) run.b = reinterpret_cast<const char*>(b.data()), run.b_bytes = sizeof(A);
  detail::RunPastCaches(run, n, [&](const char* x, const char* y, char* to, Index count) {
    for (Index i = 0; i < count; ++i) {
      const A second = two_operands ? reinterpret_cast<const A*>(y)[i] : A(0);
      reinterpret_cast<R*>(to)[i] = static_cast<R>(reinterpret_cast<const A*>(x)[i] + second);
    }
  });
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (out[i] != static_cast<R>(a[at] + (two_operands ? b[at] : A(0)))) return false;
  }
  for (const R* p = storage.data(); p != storage.data() + storage.size(); ++p)
    if ((p < out || p >= out + n) && *p != R(77)) return false;
  return true;
}

}  // namespace

TEST_SUITE("RunPastCaches") {
  TEST_CASE("every length and place, operands wider and narrower than the result") {
    for (const Index n : {0, 1, 3, 15, 16, 17, 1023, 1024, 1025, 4095, 4096, 4097, 10000}) {
      CAPTURE(n);
      for (const Index offset : {0, 1, 3, 15}) {
        CAPTURE(offset);
        CHECK(IsRight<float, float>(n, offset, true));
        CHECK(IsRight<float, float>(n, offset, false));
        CHECK(IsRight<double, float>(n, offset, true));
        CHECK(IsRight<std::int8_t, std::int32_t>(n, offset, true));
        CHECK(IsRight<std::int32_t, std::uint8_t>(n, offset, false));
      }
    }
  }

  TEST_CASE("only for large results that are no operand") {
    char a = 0, b = 0;
    alignas(16) char out[16] = {};
    const Index many = detail::Caches().last;
    const auto worth = [&](char* to, Index bytes, Index n) {
      return detail::WritesPastCaches({to, bytes, &a, bytes, &b, bytes}, n);
    };
    CHECK(worth(out, 4, many) == (TENON_DETAIL_STREAMS != 0));
    CHECK_FALSE(worth(out, 4, many / 64));
    CHECK_FALSE(worth(&a, 1, many));
    CHECK_FALSE(worth(&b, 1, many));
    CHECK_FALSE(worth(out, 24, many));  // no bytes to copy: texts have so many
    CHECK_FALSE(worth(out + 1, 4, many));
  }
}

}  // namespace streaming_test
