// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/state/mutex.hpp>

#include <thread>

#include "ops/state/state_test.hpp"

namespace state_mutex_test {
using namespace state_test;

TEST_SUITE("mutexes") {
  TEST_CASE("a lock keeps others out until it is consumed, also in the same run") {
    Machine m;
    const Output mutex = m.b.Add("MutexV2", "m", {}, {{"shared_name", "m"}});
    const Output first = m.b.Add("MutexLock", "lock1", {mutex}), second = m.b.Add("MutexLock", "lock2", {mutex});
    m.b.Add("ConsumeMutexLock", "use1", {first});
    m.b.Add("ConsumeMutexLock", "use2", {second});
    m.Start();
    for (int i = 0; i < 20; ++i)
      REQUIRE(m.session
                  .Run(std::vector<NamedTensor>{}, std::vector<std::string>{}, std::vector<std::string>{"use1", "use2"})
                  .ok());
  }
  TEST_CASE("a lock that nobody consumes goes with the run") {
    Machine m;
    const Output mutex = m.b.Add("MutexV2", "m", {}, {{"shared_name", "m"}});
    m.b.Add("MutexLock", "lock", {mutex});
    m.Start();
    REQUIRE(m.Do("lock").ok());
    REQUIRE(m.Do("lock").ok());
  }
  TEST_CASE("runs of many threads add up under the lock") {
    Machine m;
    const Output v = m.Handle("v", Tensor::Scalar(0.0f));
    const Output mutex = m.b.Add("MutexV2", "m", {}, {{"shared_name", "m"}});
    const Output lock = m.b.Add("MutexLock", "lock", {mutex});
    const Output old = m.b.Add("ReadVariableOp", "old", {v}, {{"dtype", DataType::kFloat}});
    m.b.AddControlInput(old, lock);
    const Output sum = m.b.Add("AddV2", "sum", {old, m.b.Const("one", Tensor::Scalar(1.0f))});
    const Output write = m.b.Add("AssignVariableOp", "write", {v, sum});
    m.b.AddControlInput(m.b.Add("ConsumeMutexLock", "use", {lock}), write);
    m.Start();
    REQUIRE(m.Do("v/init").ok());
    constexpr int kThreads = 4, kEach = 100;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&m] {
        for (int i = 0; i < kEach; ++i)
          if (!m.Do("use").ok()) return;
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(m.Floats("v/read") == Floats{kThreads * kEach});
  }
  TEST_CASE("who waits is told when the run fails elsewhere") {
    Machine m;
    const Output mutex = m.b.Add("MutexV2", "m", {}, {{"shared_name", "m"}});
    m.b.Add("MutexLock", "lock1", {mutex});
    m.b.Add("MutexLock", "lock2", {mutex});
    m.Handle("v", MakeTensor<float>({1}, {1}));
    m.Start();
    CHECK(m.Try({"lock1", "lock2", "v/read"}).code() == Code::kFailedPrecondition);
    CHECK(m.Do("lock1").ok());
  }
}
}  // namespace state_mutex_test
