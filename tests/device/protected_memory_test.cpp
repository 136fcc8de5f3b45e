// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/protected_memory.hpp>

#include <atomic>
#include <cstring>
#include <thread>

#include <doctest/doctest.h>

#include <tenon/base/slim_vector.hpp>

#include "dies.hpp"

namespace protected_memory_test {
using namespace tenon;
using device_test::Dies;

namespace {
constexpr std::size_t kBytes = std::size_t{1} << 20;
using Protection = ProtectedMemory::Protection;
}  // namespace

TEST_SUITE("ProtectedMemory") {
  TEST_CASE("is a range of addresses") {
    const auto memory = *ProtectedMemory::Create(kBytes);
    CHECK(memory->size() == kBytes);
    CHECK(memory->Contains(memory->data()));
    CHECK(memory->Contains(static_cast<char*>(memory->data()) + kBytes - 1));
    CHECK_FALSE(memory->Contains(static_cast<char*>(memory->data()) + kBytes));
    CHECK_FALSE(memory->Contains(&kBytes));
    CHECK(ProtectedMemory::Create(std::size_t{1} << 62).status().code() == Code::kResourceExhausted);
  }

  TEST_CASE("may be used with an Access, which nests") {
    for (const Protection best : {Protection::kThread, Protection::kProcess, Protection::kNone}) {
      const auto memory = *ProtectedMemory::Create(kBytes, best);
      auto* bytes = static_cast<unsigned char*>(memory->data());
      {
        const ProtectedMemory::Access access(*memory);
        std::memset(bytes, 7, kBytes);
        {
          const ProtectedMemory::Access again(*memory);
          bytes[1] = 8;
        }
        CHECK(bytes[1] == 8);
      }
      const ProtectedMemory::Access access(*memory);
      CHECK(bytes[0] == 7);
    }
  }

  TEST_CASE("whoever touches it without one is ended") {
    for (const Protection best : {Protection::kThread, Protection::kProcess}) {
      const auto memory = *ProtectedMemory::Create(kBytes, best);
      if (memory->protection() == Protection::kNone) continue;
      volatile auto* bytes = static_cast<unsigned char*>(memory->data());
      CHECK(Dies([&] { (void)bytes[0]; }));
      CHECK(Dies([&] { bytes[kBytes - 1] = 1; }));
      {
        const ProtectedMemory::Access access(*memory);
      }
      CHECK(Dies([&] { bytes[0] = 1; }));
      CHECK_FALSE(Dies([&] {
        const ProtectedMemory::Access access(*memory);
        bytes[0] = 1;
      }));
    }
  }

  TEST_CASE("one thread's right is not another's, where the processor can tell them apart") {
    const auto memory = *ProtectedMemory::Create(kBytes);
    if (memory->protection() != Protection::kThread) return;
    volatile auto* bytes = static_cast<unsigned char*>(memory->data());
    CHECK(Dies([&] {
      std::atomic<bool> open{false};
      std::thread other([&] {
        while (!open) std::this_thread::yield();
        bytes[0] = 1;
      });
      const ProtectedMemory::Access access(*memory);
      bytes[0] = 2;
      open = true;
      other.join();
    }));
  }

  TEST_CASE("there may be more of them than the processor has keys") {
    SlimVector<Owned<ProtectedMemory>> all;
    for (int i = 0; i < 20; ++i) all.push_back(*ProtectedMemory::Create(kBytes));
    for (const auto& memory : all) {
      const ProtectedMemory::Access access(*memory);
      *static_cast<int*>(memory->data()) = 5;
    }
    if (all.back()->protection() != Protection::kNone)
      CHECK(Dies([&] { *static_cast<volatile int*>(all.back()->data()) = 6; }));
  }

  TEST_CASE("several threads, each with a right of its own") {
    for (const Protection best : {Protection::kThread, Protection::kProcess}) {
      const auto memory = *ProtectedMemory::Create(kBytes, best);
      std::thread threads[4];
      for (std::size_t t = 0; t < 4; ++t)
        threads[t] = std::thread([&memory, t] {
          for (int i = 0; i < 200; ++i) {
            const ProtectedMemory::Access access(*memory);
            static_cast<std::size_t*>(memory->data())[t] += t;
          }
        });
      for (std::thread& thread : threads) thread.join();
      const ProtectedMemory::Access access(*memory);
      CHECK(static_cast<std::size_t*>(memory->data())[3] == 600);
    }
  }
}
}  // namespace protected_memory_test
