// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/function_lease.hpp>

#include <atomic>
#include <thread>

#include <doctest/doctest.h>

namespace function_lease_test {
using namespace tenon;

TEST_SUITE("leases of functions") {
  TEST_CASE("the runtime can be entered until the lease is closed") {
    int place = 0;
    auto* const runtime = reinterpret_cast<FunctionRuntime*>(&place);  // never called
    const Ref<FunctionLease> lease = Ref<FunctionLease>::Adopt(new FunctionLease(runtime));
    {
      const LeasedFunctions functions(lease.get());
      CHECK(functions.get() == runtime);
    }
    CHECK(!lease->cancellation()->IsCancelled());
    lease->Close();
    CHECK(lease->cancellation()->IsCancelled());
    const LeasedFunctions late(lease.get());
    CHECK(late.get() == nullptr);
  }
  TEST_CASE("closing cancels the calls under way and waits for their end") {
    int place = 0;
    const Ref<FunctionLease> lease =
        Ref<FunctionLease>::Adopt(new FunctionLease(reinterpret_cast<FunctionRuntime*>(&place)));
    std::atomic<bool> entered{false}, left{false};
    std::thread caller([&] {
      const LeasedFunctions functions(lease.get());
      entered = true;
      while (!lease->cancellation()->IsCancelled()) std::this_thread::yield();
      left = true;
    });
    while (!entered) std::this_thread::yield();
    lease->Close();
    CHECK(left);
    caller.join();
  }
}

}  // namespace function_lease_test
