// SPDX-License-Identifier: Apache-2.0
#pragma once
// OnShortStack(function): calls the function where StackIsShort is true.
// OnStackOf(bytes, function): calls the function on a thread with a stack of exactly that size, and waits for it.

#include <cstddef>

#if defined(_WIN32)
#include <process.h>
#else
#include <pthread.h>
#include <sys/mman.h>
#endif

#include <doctest/doctest.h>

#include <tenon/base/stack.hpp>

#if defined(_WIN32)
extern "C" __declspec(dllimport) unsigned long __stdcall WaitForSingleObject(void* handle, unsigned long milliseconds);
extern "C" __declspec(dllimport) int __stdcall CloseHandle(void* handle);
#endif

namespace sized_thread {

#if defined(_WIN32)
template <class F>
void OnStackOf(std::size_t bytes, F function) {
  const auto run = [](void* argument) -> unsigned {
    (*static_cast<F*>(argument))();
    return 0;
  };
  constexpr unsigned kBytesAreReserved = 0x10000, kForEver = 0xffffffff;
  void* const thread = reinterpret_cast<void*>(
      _beginthreadex(nullptr, static_cast<unsigned>(bytes), run, &function, kBytesAreReserved, nullptr));
  REQUIRE(thread != nullptr);
  CHECK(WaitForSingleObject(thread, kForEver) == 0);
  CloseHandle(thread);
}
#else
template <class F>
void OnStackOf(std::size_t bytes, F function) {
  // Not pthread_attr_setstacksize: the C library would give the thread a larger stack that a thread has left behind.
  constexpr std::size_t kGuard = 64 * 1024;
  void* const memory =
      mmap(nullptr, kGuard + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  REQUIRE(mprotect(memory, kGuard, PROT_NONE) == 0);
  pthread_attr_t attr;
  REQUIRE(pthread_attr_init(&attr) == 0);
  REQUIRE(pthread_attr_setstack(&attr, static_cast<char*>(memory) + kGuard, bytes) == 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<F*>(argument))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attr, run, &function) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attr);
  munmap(memory, kGuard + bytes);
}
#endif

// On a thread of its own: AddressSanitizer's marks of the frames below stay there.
template <class F>
TENON_DETAIL_NOINLINE int GoDown(const F& function) {
  volatile char frame[256] = {};
  frame[0] = 1;
  if (tenon::StackIsShort(0)) return function(), frame[0];
  return GoDown(function) + frame[0];  // no tail call
}
template <class F>
void OnShortStack(const F& function) {
  OnStackOf(std::size_t{512} << 10, [&function] { GoDown(function); });
}

}  // namespace sized_thread
