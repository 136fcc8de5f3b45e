// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/environment_bfc.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include <memory/needed.hpp>

namespace environment_bfc_test {
using tenon::testing::Needed;
using namespace tenon;

namespace {
constexpr const char* kUse = "TF_CPU_ALLOCATOR_USE_BFC";
constexpr const char* kLimit = "TF_CPU_BFC_MEM_LIMIT_IN_MB";

// Sets both variables as long as it lives.
struct Environment {
  Environment(const char* use, const char* limit) {
    setenv(kUse, use, 1);
    if (limit != nullptr) setenv(kLimit, limit, 1);
  }
  ~Environment() {
    unsetenv(kUse);
    unsetenv(kLimit);
  }
};
}  // namespace

TEST_SUITE("RegisterAllocatorFromEnvironment") {
  TEST_CASE("nothing is registered unless the environment asks") {
    REQUIRE(std::getenv(kUse) == nullptr);
    CHECK(*BFCLimitFromEnvironment() == 0);
    AllocatorRegistry registry;
    CHECK(RegisterAllocatorFromEnvironment(registry).ok());
    CHECK(registry.GetAllocator() == CpuAllocator());
    const Environment no("false", "17");
    CHECK(*BFCLimitFromEnvironment() == 0);
  }
  TEST_CASE("true asks for a BFCAllocator before all others") {
    const Environment environment("true", "4");
    CHECK(*BFCLimitFromEnvironment() == std::size_t{4} << 20);
    AllocatorRegistry registry;
    CHECK(RegisterAllocatorFromEnvironment(registry).ok());
    Allocator* const bfc = registry.GetAllocator();
    CHECK(bfc->Name() == "bfc_cpu_allocator_for_gpu");
    CHECK(*bfc->GetStats()->bytes_limit == std::int64_t{4} << 20);
    void* const block = Needed(bfc->AllocateRaw(64, 100));
    Needed(bfc->GetStats()->bytes_reserved >= std::int64_t{2} << 20 ? bfc : nullptr);  // less where that was refused
    CHECK(bfc->AllocatedSize(block) == 256);
    CHECK(bfc->GetStats()->bytes_reserved == std::int64_t{2} << 20);
    bfc->DeallocateRaw(block, 64, 100);
  }
  TEST_CASE("64 GiB where no limit is given") {
    const Environment environment("1", nullptr);
    CHECK(*BFCLimitFromEnvironment() == std::size_t{65536} << 20);
  }
  TEST_CASE("variables that make no sense are errors") {
    AllocatorRegistry registry;
    {
      const Environment environment("maybe", nullptr);
      const Status s = RegisterAllocatorFromEnvironment(registry);
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(s.message() ==
            "Failed to parse the env-var ${TF_CPU_ALLOCATOR_USE_BFC} into bool: maybe. Use the default value: 0");
    }
    {
      const Environment environment("true", "much");
      const Status s = RegisterAllocatorFromEnvironment(registry);
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(s.message() ==
            "Failed to parse the env-var ${TF_CPU_BFC_MEM_LIMIT_IN_MB} into int64: much. Use the default value: 65536");
    }
    for (const char* const limit : {"0", "-5", "134217729"}) {
      const Environment environment("true", limit);
      const Status s = RegisterAllocatorFromEnvironment(registry);
      CHECK(s.code() == Code::kInvalidArgument);
      CHECK(s.message() == std::string("TF_CPU_BFC_MEM_LIMIT_IN_MB must be between 1 and 134217728, got ") + limit);
    }
    CHECK(registry.GetAllocator() == CpuAllocator());
  }
}
}  // namespace environment_bfc_test
