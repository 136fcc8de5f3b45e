// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/stack.hpp>

#include <cstddef>
#include <initializer_list>

#include <doctest/doctest.h>

#include "base/sized_thread.hpp"
#include "sanitizers.hpp"

#if defined(__GLIBC__) && !TENON_TEST_TSAN
#include <ucontext.h>
#define TENON_TEST_HAS_FIBERS 1
#else
#define TENON_TEST_HAS_FIBERS 0
#endif

namespace stack_test {
using namespace tenon;
using sized_thread::OnStackOf;

namespace {

// Deeper and deeper until StackIsShort says no; how much is left then.
TENON_DETAIL_NOINLINE std::size_t LeftWhenShort(int depth, int* deepest) {
  volatile char frame[256] = {};
  frame[0] = 1;
  *deepest = depth;
  const std::size_t left = StackIsShort(depth) ? StackLeft() : LeftWhenShort(depth + 1, deepest);
  return left + static_cast<std::size_t>(frame[0] - 1);  // no tail call
}

}  // namespace

TEST_SUITE("StackLeft") {
  TEST_CASE("counts from the thread's own stack") {
    CHECK(StackLeft() > 64 * 1024);
    CHECK(StackLeft() != kStackUnknown);
    for (const std::size_t size : {std::size_t{128} << 10, std::size_t{512} << 10, std::size_t{8} << 20}) {
      std::size_t left = 0;
      OnStackOf(size, [&left] { left = StackLeft(); });
      CHECK(left < size);
      CHECK(left > size - 24 * 1024);  // thread-local variables lie on the stack, too
    }
  }

  TEST_CASE("a recursion ends where the reserve begins") {
    for (const std::size_t size : {std::size_t{64} << 10, std::size_t{128} << 10, std::size_t{8} << 20}) {
      std::size_t left = 0;
      int deepest = 0;
      OnStackOf(size, [&] { left = LeftWhenShort(0, &deepest); });
      const std::size_t reserve = size / 2 < kStackReserve ? size / 2 : kStackReserve;
      CHECK(deepest > 10);
      CHECK(left < reserve);
      CHECK(left > reserve - 16 * 1024);
    }
  }

#if TENON_TEST_HAS_FIBERS
  TEST_CASE("a fiber's stack is unknown: calls are counted") {
    static std::size_t left;
    static int deepest;
    static ucontext_t here, fiber;
    static char stack[256 * 1024];
    left = 0;
    REQUIRE(getcontext(&fiber) == 0);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = sizeof stack;
    fiber.uc_link = &here;
    makecontext(&fiber, +[] { left = LeftWhenShort(0, &deepest); }, 0);
    REQUIRE(swapcontext(&here, &fiber) == 0);
    CHECK(left == kStackUnknown);
    CHECK(deepest == kMaxUnknownStackDepth);
    CHECK(StackLeft() != kStackUnknown);
  }
#endif
}
}  // namespace stack_test

#undef TENON_TEST_HAS_FIBERS
