// SPDX-License-Identifier: Apache-2.0
#pragma once
// StackLeft, StackIsShort: how much stack the calling thread has left. Code that calls itself as often as a graph or a
// file says asks before it goes deeper.

#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/platform.hpp>

#if defined(__linux__) && !defined(__GLIBC__)
#include <sys/resource.h>
#endif
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#if defined(_WIN32)
// Declared here: <windows.h> defines hundreds of macros.
extern "C" __declspec(dllimport) void __stdcall GetCurrentThreadStackLimits(std::uintptr_t* low, std::uintptr_t* high);
#endif

TENON_DETAIL_NAMESPACE_BEGIN

// StackLeft of a stack that is not the thread's own (of a fiber or a coroutine), and on other systems.
inline constexpr std::size_t kStackUnknown = ~std::size_t{0};

// Stack that stays free for code that does not ask: a kernel, or the import of a function. Small stacks keep half.
inline constexpr std::size_t kStackReserve = 128 * 1024;

// On an unknown stack StackIsShort counts calls instead.
inline constexpr int kMaxUnknownStackDepth = 32;

namespace detail {

// Addresses of one thread's stack: [low, high). low == high: unknown.
struct StackBounds {
  std::uintptr_t low = 0, high = 0;
  bool asked = false;

  std::size_t size() const { return high - low; }
};

TENON_DETAIL_COLD inline StackBounds FindStackBounds() {
  StackBounds bounds;
  bounds.asked = true;
#if defined(__linux__)
  pthread_attr_t attr;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return bounds;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attr, &low, &size) == 0) {
    bounds.low = reinterpret_cast<std::uintptr_t>(low);
    bounds.high = bounds.low + size;
  }
  pthread_attr_destroy(&attr);
#if !defined(__GLIBC__)
  // musl gives the size that the first thread's stack has now; it grows up to the limit.
  rlimit limit;
  if (ThreadId() == getpid() && getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur > bounds.size() &&
      limit.rlim_cur < bounds.high)
    bounds.low = bounds.high - static_cast<std::uintptr_t>(limit.rlim_cur);
#endif
#elif defined(__APPLE__)
  bounds.high = reinterpret_cast<std::uintptr_t>(pthread_get_stackaddr_np(pthread_self()));
  bounds.low = bounds.high - pthread_get_stacksize_np(pthread_self());
#elif defined(_WIN32)
  GetCurrentThreadStackLimits(&bounds.low, &bounds.high);
#endif
  return bounds;
}

inline constinit thread_local StackBounds stack_bounds{};

inline const StackBounds& StackBoundsOfThread() {
  StackBounds& bounds = stack_bounds;
#if defined(_WIN32)
  bounds = FindStackBounds();  // costs nothing, and knows fibers
#else
  if (!bounds.asked) [[unlikely]]
    bounds = FindStackBounds();
#endif
  return bounds;
}

}  // namespace detail

// Bytes of stack below the caller, or kStackUnknown. A thread asks the system once, and then it takes 3 ns.
TENON_DETAIL_NOINLINE inline std::size_t StackLeft() {
  const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(TENON_DETAIL_FRAME_ADDRESS());
  const detail::StackBounds& bounds = detail::StackBoundsOfThread();
  return here >= bounds.low && here < bounds.high ? here - bounds.low : kStackUnknown;
}

// Whether code that is `depth` calls within itself must not go deeper: less than kStackReserve, or than half of the
// stack, is left. Unknown stacks allow kMaxUnknownStackDepth calls.
TENON_DETAIL_NOINLINE inline bool StackIsShort(int depth) {
  const std::uintptr_t here = reinterpret_cast<std::uintptr_t>(TENON_DETAIL_FRAME_ADDRESS());
  const detail::StackBounds& bounds = detail::StackBoundsOfThread();
  if (here < bounds.low || here >= bounds.high) [[unlikely]]
    return depth >= kMaxUnknownStackDepth;
  const std::size_t half = bounds.size() / 2;
  return here - bounds.low < (half < kStackReserve ? half : kStackReserve);
}

TENON_DETAIL_NAMESPACE_END
