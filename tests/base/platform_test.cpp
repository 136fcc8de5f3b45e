// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/platform.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <tenon/base/clock.hpp>
#include <tenon/base/mutex.hpp>

namespace platform_test {
namespace {

#define PLATFORM_TEST_TEXT_OF(text) #text
#define PLATFORM_TEST_TEXT(macro) PLATFORM_TEST_TEXT_OF(macro)
constexpr std::string_view kAbiTag = PLATFORM_TEST_TEXT(TENON_DETAIL_ABI_TAG);

}  // namespace

TEST_CASE("TENON_FORCE_STD chooses the standard library, and is in the ABI tag") {
#if defined(TENON_FORCE_STD)
  static_assert(!TENON_DETAIL_PTHREADS && !TENON_DETAIL_PTHREAD_LOCKS && !TENON_DETAIL_SINGLE_THREADED_FLAG);
  static_assert(std::is_same_v<tenon::Mutex, std::mutex>);
  CHECK(kAbiTag.ends_with("_std"));
#else
  CHECK_FALSE(kAbiTag.ends_with("_std"));
#endif
  static_assert(TENON_DETAIL_PTHREADS || !TENON_DETAIL_PTHREAD_LOCKS);
  static_assert(TENON_DETAIL_POSIX || !TENON_DETAIL_PTHREADS);
}

TEST_CASE("a process has one number") {
  CHECK(tenon::detail::ProcessId() > 0);
  CHECK(tenon::detail::ProcessId() == tenon::detail::ProcessId());
#if defined(__linux__)
  CHECK(tenon::detail::ThreadId() > 0);
#endif
}

TEST_CASE("aligned memory can be written to and given back") {
  for (const std::size_t alignment : {std::size_t{64}, std::size_t{4096}}) {
    void* const memory = tenon::detail::AllocateAligned(alignment, 2 * alignment);
    REQUIRE(memory != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
    static_cast<char*>(memory)[2 * alignment - 1] = 1;
    tenon::detail::FreeAligned(memory);
  }
  tenon::detail::FreeAligned(nullptr);
}

TEST_CASE("a nap takes its time") {
  const std::int64_t start = tenon::SteadyNanoseconds();
  tenon::detail::NapThread(2'000'000);
  tenon::detail::YieldThread();
  CHECK(tenon::SteadyNanoseconds() - start >= 1'000'000);
}
}  // namespace platform_test
