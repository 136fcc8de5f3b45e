// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/allocator_registry.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

#include <base/self_process.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graphs.hpp"

namespace registered_allocator_test {
using namespace tenon;
using namespace runtime_test;

namespace {
class Factory final : public AllocatorFactory {
 public:
  Allocator* CreateAllocator() override { return &Made(); }
  Owned<SubAllocator> CreateSubAllocator(int) override { return MakeOwned<BaseSubAllocator>(CpuAllocator()); }
  static TrackingAllocator& Made() {
    static TrackingAllocator* const made = new TrackingAllocator(CpuAllocator());
    return *made;
  }
};
// As a program's static object does, but only in the process that the test starts for it.
const bool registered = [] {
  if (std::getenv("TENON_TEST_REGISTER") == nullptr) return false;
  const AllocatorRegistration registration("tracking", 200, MakeOwned<Factory>());
  return true;
}();
}  // namespace

TEST_SUITE("a registered allocator") {
  TEST_CASE("is that of a session's CPU") {
    const SelfResult run = RunSelf("in a process with a registered allocator", {"TENON_TEST_REGISTER=1"});
    CHECK_MESSAGE(run.exit_code == 0, run.output);
  }
  TEST_CASE("in a process with a registered allocator" * doctest::skip()) {
    REQUIRE(registered);
    for (const bool named : {false, true}) {
      TrackingAllocator own(CpuAllocator());
      SessionOptions options;
      if (named) options.allocator = &own;
      const auto session = Session::FromGraph(SmallGraph(), options);
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto out = session->Run({{"x:0", MakeTensor<float>({2}, {1, 2})}}, {"z:0"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].flat<float>()(1) == 9);
      CHECK((*out)[0].buffer()->allocator() == (named ? &own : &Factory::Made()));
    }
  }
}
}  // namespace registered_allocator_test
