// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reader/reader_resource.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "ops/reader/readers.hpp"

namespace reader_resource_test {
using namespace reader_test;

TEST_SUITE("FileReader") {
  TEST_CASE("reads of many threads get each name once") {
    Readers r("IdentityReader", {});
    constexpr int kThreads = 4, kEach = 50;
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) good += r.Read() == "x=x" ? 1 : 0;
      });
    r.Fill(std::vector<std::string>(kThreads * kEach, "x"));
    for (std::thread& thread : threads) thread.join();
    CHECK(good == kThreads * kEach);
    CHECK(r.Counts() == StrCat(kThreads * kEach, "/", kThreads * kEach));
  }
}
}  // namespace reader_resource_test
