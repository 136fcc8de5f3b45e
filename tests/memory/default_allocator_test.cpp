// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/default_allocator.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <base/self_process.hpp>
#include <tenon/memory/allocator_registry.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/tensor/tensor.hpp>

namespace default_allocator_test {
using namespace tenon;

namespace {

class TrackingFactory final : public AllocatorFactory {
 public:
  Allocator* CreateAllocator() override { return &Made(); }
  Owned<SubAllocator> CreateSubAllocator(int) override { return MakeOwned<BaseSubAllocator>(CpuAllocator()); }
  static TrackingAllocator& Made() {
    static TrackingAllocator* const made = new TrackingAllocator(CpuAllocator());
    return *made;
  }
};
class NullFactory final : public AllocatorFactory {
 public:
  Allocator* CreateAllocator() override { return nullptr; }
  Owned<SubAllocator> CreateSubAllocator(int) override { return nullptr; }
};

// As a program's static object does, but only in the processes that the tests start for it.
const bool registered = [] {
  const char* const what = std::getenv("TENON_TEST_REGISTER");
  if (what == nullptr) return false;
  if (std::string(what) == "null") {
    const AllocatorRegistration none("none", 300, MakeOwned<NullFactory>());
    return true;
  }
  const AllocatorRegistration low("low", 50, MakeOwned<NullFactory>());
  const AllocatorRegistration tracking("tracking", 200, MakeOwned<TrackingFactory>());
  return true;
}();

}  // namespace

TEST_SUITE("DefaultAllocator") {
  TEST_CASE("is the processor's memory where nothing of a higher priority is registered") {
    REQUIRE(!registered);
    CHECK(DefaultAllocator() == CpuAllocator());
    CHECK(AllocatorRegistry::Global().GetAllocator() == CpuAllocator());
  }
  TEST_CASE("is the same for threads that ask at once") {
    std::vector<Allocator*> got(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < got.size(); ++t) threads.emplace_back([&got, t] { got[t] = DefaultAllocator(); });
    for (std::thread& thread : threads) thread.join();
    for (Allocator* a : got) CHECK(a == DefaultAllocator());
  }
  TEST_CASE("a factory of a higher priority serves new tensors") {
    const SelfResult run = RunSelf("in a process with a registered factory", {"TENON_TEST_REGISTER=tracking"});
    CHECK_MESSAGE(run.exit_code == 0, run.output);
  }
  TEST_CASE("in a process with a registered factory" * doctest::skip()) {
    REQUIRE(registered);
    TrackingAllocator& tracking = TrackingFactory::Made();
    CHECK(tracking.num_requests() == 0);
    {
      const Tensor plain(DataType::kFloat, TensorShape{1000});
      CHECK(DefaultAllocator() == &tracking);
      CHECK(tracking.num_requests() == 1);
      CHECK(plain.buffer()->allocator() == &tracking);
      CHECK(tracking.bytes_in_use() == 4000 + 64);
      const Tensor scalar = Tensor::Scalar(1.0f), text = MakeTensor<tstring>({2}, {"a", "b"});
      CHECK(scalar.buffer()->allocator() == &tracking);
      CHECK(text.buffer()->allocator() == &tracking);
      CHECK(plain.DeepCopy().buffer()->allocator() == &tracking);
      CHECK((*Tensor::Make(DataType::kInt32, TensorShape{3})).buffer()->allocator() == &tracking);
      // Who names an allocator gets that one.
      CHECK((*Tensor::Make(DataType::kInt32, TensorShape{3}, CpuAllocator())).buffer()->allocator() == CpuAllocator());
      tracking.FailAllocations(1);
      const Status status = Tensor::Make(DataType::kFloat, TensorShape{5}).status();
      CHECK(status.code() == Code::kResourceExhausted);
      CHECK(status.message().find("by allocator cpu, which was asked for 20 bytes") != std::string::npos);
    }
    CHECK(tracking.blocks_in_use() == 0);
    const Status late = AllocatorRegistry::Global().Register("late", 400, MakeOwned<TrackingFactory>());
    CHECK(late.code() == Code::kFailedPrecondition);
    CHECK(late.message() ==
          "AllocatorRegistry: 'late' must be registered before the first call of GetAllocator() or GetSubAllocator(), "
          "and before the first tensor in ordinary memory");
  }
  TEST_CASE("a factory that has none to give leaves the processor's memory") {
    const SelfResult run = RunSelf("in a process with a factory of nothing", {"TENON_TEST_REGISTER=null"});
    CHECK_MESSAGE(run.exit_code == 0, run.output);
  }
  TEST_CASE("in a process with a factory of nothing" * doctest::skip()) {
    CHECK(DefaultAllocator() == CpuAllocator());
    CHECK(Tensor(DataType::kFloat, TensorShape{3}).IsInitialized());
  }
}
}  // namespace default_allocator_test
