// SPDX-License-Identifier: Apache-2.0
#include <tenon/base/extensions.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>

#include "without_extension.hpp"

namespace extensions_test {
namespace {
using tenon::detail::Extensions;
using tenon::detail::FillExtension;

int One() { return 1; }
int Two() { return 2; }

std::atomic<int (*)()> filled_before_main{nullptr};
const bool fills_first = FillExtension(&filled_before_main, &One);
const bool fills_second = FillExtension(&filled_before_main, &Two);
}  // namespace

TEST_SUITE("extensions") {
  TEST_CASE("the table is there before any constant of a header is made") {
    static_assert(std::is_trivially_destructible_v<Extensions>, "it is there as long as the process");
    static constinit Extensions empty;
    CHECK((empty.dataflow.load() == nullptr));
    CHECK((empty.environment_trace_sink.load() == nullptr));
  }

  TEST_CASE("the first value of an entry stays") {
    CHECK(fills_first);
    CHECK_FALSE(fills_second);
    REQUIRE((filled_before_main.load() != nullptr));
    CHECK(filled_before_main.load()() == 1);
  }

  TEST_CASE("filling an entry again with its value is harmless") {
    std::atomic<int (*)()> entry{nullptr};
    CHECK(FillExtension(&entry, &Two));
    CHECK_FALSE(FillExtension(&entry, &Two));
    CHECK(entry.load()() == 2);
  }

  TEST_CASE("one of several threads fills an entry") {
    std::atomic<int (*)()> entry{nullptr};
    std::atomic<int> fills{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        if (FillExtension(&entry, i % 2 == 0 ? &One : &Two)) ++fills;
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(fills.load() == 1);
    CHECK((entry.load() != nullptr));
  }

  TEST_CASE("a test empties an entry for a while") {
    std::atomic<int (*)()> entry{&One};
    {
      const WithoutExtension without(&entry);
      CHECK((entry.load() == nullptr));
      CHECK(without.value()() == 1);
    }
    CHECK(entry.load()() == 1);
  }
}
}  // namespace extensions_test
