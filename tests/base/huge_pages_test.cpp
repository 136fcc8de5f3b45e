// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/huge_pages.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <tenon/base/slim_vector.hpp>

namespace huge_pages_test {
using namespace tenon;

namespace {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
// Whether huge pages were asked for where `address` lies ("hg" of the mapping's flags); true where the system has none.
bool Asked(const void* address) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good()) return true;
  std::ifstream maps("/proc/self/smaps");
  bool is_here = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (line.find("kB") == std::string::npos && words >> std::hex >> begin >> dash >> end && dash == '-')
      is_here = reinterpret_cast<std::uintptr_t>(address) >= begin && reinterpret_cast<std::uintptr_t>(address) < end;
    if (is_here && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}
#else
bool Asked(const void*) { return true; }
#endif
}  // namespace

TEST_SUITE("huge pages") {
  TEST_CASE("are asked for where a whole one fits, and the bytes stay as they are") {
    const std::size_t bytes = 3 * detail::kHugePageBytes;
    auto* const block = static_cast<unsigned char*>(std::malloc(bytes));
    REQUIRE(block != nullptr);
    for (std::size_t i = 0; i < bytes; ++i) block[i] = static_cast<unsigned char>(i % 251);
    detail::AskForHugePages(block, bytes);
    CHECK(Asked(block + bytes / 2));
    bool same = true;
    for (std::size_t i = 0; i < bytes; ++i) same = same && block[i] == i % 251;
    CHECK(same);
    std::free(block);
  }
  TEST_CASE("a block without room for one is left alone") {
    alignas(64) unsigned char small[4096] = {7};
    detail::AskForHugePages(small, sizeof small);
    detail::AskForHugePages(nullptr, 0);
    CHECK(small[0] == 7);
  }
  TEST_CASE("large arrays have them, however they came to their size") {
    const std::size_t count = detail::kHugePageThreshold / sizeof(int);
    SlimVector<int> grown;
    for (std::size_t i = 0; i < 2 * count; ++i) grown.push_back(static_cast<int>(i));
    CHECK(Asked(&grown[grown.capacity() / 2]));
    CHECK(grown[count + 1] == static_cast<int>(count + 1));
    SlimVector<SlimVector<int>> reserved;
    reserved.reserve(2 * detail::kHugePageThreshold / sizeof(SlimVector<int>));
    reserved.resize(reserved.capacity());
    CHECK(Asked(&reserved[reserved.size() / 2]));
  }
}
}  // namespace huge_pages_test
