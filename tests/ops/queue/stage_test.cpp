// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/map_stage.hpp>
#include <tenon/ops/queue/stage.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "ops/state/state_test.hpp"

namespace state_stage_test {
using namespace state_test;

namespace {

using Dtypes = SlimVector<DataType>;

// Runs `target` in a thread of its own, which the test joins.
struct InBackground {
  InBackground(const Machine& m, std::string target, std::vector<NamedTensor> feeds)
      : thread([&m, target = std::move(target), feeds = std::move(feeds), this] {
          status = m.Do(target, feeds);
          over = true;
        }) {}
  Status Join() {
    thread.join();
    return status;
  }
  Status status;
  std::atomic<bool> over{false};
  std::thread thread;
};

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

}  // namespace

TEST_SUITE("staging areas") {
  TEST_CASE("Stage waits while the area is full, and goes on when a tuple is taken") {
    Machine m;
    const Dtypes types = {DataType::kFloat};
    m.b.Add("Stage", "put", {{m.b.Placeholder("x", DataType::kFloat)}}, {{"shared_name", "s"}, {"capacity", 1}});
    m.b.Add("Unstage", "get", {}, {{"shared_name", "s"}, {"capacity", 1}, {"dtypes", types}});
    m.b.Add("StageSize", "size", {}, {{"shared_name", "s"}, {"capacity", 1}, {"dtypes", types}});
    m.Start();
    REQUIRE(m.Do("put", {{"x", Tensor::Scalar(1.0f)}}).ok());
    InBackground second(m, "put", {{"x", Tensor::Scalar(2.0f)}});
    Pause();
    CHECK(!second.over);
    CHECK(m.Floats("get") == Floats{1});
    CHECK(second.Join().ok());
    CHECK(m.Get({"size"})[0].data<std::int32_t>()[0] == 1);
    CHECK(m.Floats("get") == Floats{2});
  }
  TEST_CASE("a tuple larger than the memory limit is refused, one that does not fit yet waits") {
    Machine m;
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    m.b.Add("Stage", "put", {{x, x}}, {{"shared_name", "s"}, {"memory_limit", 16}});
    m.b.Add("StageClear", "clear", {}, {{"shared_name", "s"}, {"dtypes", Dtypes{}}});
    m.Start();
    const Status status = m.Do("put", {{"x", MakeTensor<float>({3}, {1, 2, 3})}});
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().find("combined size of '24' bytes") != std::string::npos);
    REQUIRE(m.Do("put", {{"x", MakeTensor<float>({2}, {1, 2})}}).ok());
    InBackground second(m, "put", {{"x", Tensor::Scalar(1.0f)}});
    Pause();
    CHECK(!second.over);
    REQUIRE(m.Do("clear").ok());
    CHECK(second.Join().ok());
  }
  TEST_CASE("who waits is told when the run fails elsewhere, and holds up nobody afterwards") {
    Machine m;
    const Dtypes types = {DataType::kFloat};
    m.b.Add("Stage", "put", {{m.b.Placeholder("x", DataType::kFloat)}}, {{"shared_name", "s"}});
    m.b.Add("Unstage", "get", {}, {{"shared_name", "s"}, {"dtypes", types}});
    m.b.Add("MapUnstage", "key",
            {m.b.Const("k", Tensor::Scalar<std::int64_t>(1)), m.b.Const("i", MakeTensor<std::int32_t>({1}, {0}))},
            {{"shared_name", "m"}, {"dtypes", types}});
    m.Handle("v", MakeTensor<float>({1}, {1}));
    m.Start();
    CHECK(m.Try({"get", "v/read"}).code() == Code::kFailedPrecondition);
    CHECK(m.Try({"key", "v/read"}).code() == Code::kFailedPrecondition);
    REQUIRE(m.Do("put", {{"x", Tensor::Scalar(5.0f)}}).ok());
    CHECK(m.Floats("get") == Floats{5});
  }
  TEST_CASE("producers and consumers in many threads lose nothing") {
    Machine m;
    const Dtypes types = {DataType::kFloat};
    m.b.Add("Stage", "put", {{m.b.Placeholder("x", DataType::kFloat)}}, {{"shared_name", "s"}, {"capacity", 2}});
    m.b.Add("Unstage", "get", {}, {{"shared_name", "s"}, {"dtypes", types}});
    m.Start();
    constexpr int kThreads = 3, kEach = 100;
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&m] {
        for (int i = 1; i <= kEach; ++i)
          if (!m.Do("put", {{"x", Tensor::Scalar(static_cast<float>(i))}}).ok()) return;
      });
      threads.emplace_back([&m, &sum] {
        for (int i = 0; i < kEach; ++i) {
          Result<std::vector<Tensor>> out = m.session.Run(std::vector<NamedTensor>{}, std::vector<std::string>{"get"});
          if (out.ok()) sum += static_cast<int>(*(*out)[0].data<float>());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(sum == kThreads * kEach * (kEach + 1) / 2);
  }
  // Whoever comes first makes the map: all say its capacity.
  TEST_CASE("MapUnstage waits for its key, MapUnstageNoKey for any") {
    Machine m;
    const Dtypes types = {DataType::kFloat};
    const Output k = m.b.Placeholder("k", DataType::kInt64);
    const Output i = m.b.Const("i", MakeTensor<std::int32_t>({1}, {0}));
    m.b.Add("MapStage", "put", {k, i, {m.b.Placeholder("x", DataType::kFloat)}},
            {{"shared_name", "m"}, {"dtypes", types}, {"capacity", 2}});
    m.b.Add("MapUnstage", "get", {k, i}, {{"shared_name", "m"}, {"dtypes", types}, {"capacity", 2}});
    m.b.Add("MapUnstageNoKey", "any", {i}, {{"shared_name", "m"}, {"dtypes", types}, {"capacity", 2}});
    m.b.Add("MapSize", "size", {}, {{"shared_name", "m"}, {"dtypes", types}, {"capacity", 2}});
    m.Start();
    const auto put = [](std::int64_t key, float x) {
      return std::vector<NamedTensor>{{"k", Tensor::Scalar(key)}, {"x", Tensor::Scalar(x)}};
    };
    InBackground seven(m, "get", {{"k", Tensor::Scalar<std::int64_t>(7)}});
    REQUIRE(m.Do("put", put(1, 10)).ok());
    Pause();
    CHECK(!seven.over);
    REQUIRE(m.Do("put", put(7, 70)).ok());
    CHECK(seven.Join().ok());
    REQUIRE(m.Do("put", put(2, 20)).ok());
    InBackground full(m, "put", put(3, 30));
    Pause();
    CHECK(!full.over);
    CHECK(m.Floats("any:1") == Floats{10});
    CHECK(full.Join().ok());
    CHECK(m.Get({"size"})[0].data<std::int32_t>()[0] == 2);
  }
  TEST_CASE("the memory limit of a map counts all tensors of a tuple") {
    Machine m;
    const Output x = m.b.Placeholder("x", DataType::kFloat);
    m.b.Add("OrderedMapStage", "put",
            {m.b.Const("k", Tensor::Scalar<std::int64_t>(1)),
             m.b.Const("i", MakeTensor<std::int32_t>({2}, {0, 1})),
             {x, x}},
            {{"shared_name", "m"}, {"dtypes", Dtypes{DataType::kFloat, DataType::kFloat}}, {"memory_limit", 4}});
    m.Start();
    CHECK(m.Do("put", {{"x", Tensor::Scalar(1.0f)}}).code() == Code::kResourceExhausted);
  }
}
}  // namespace state_stage_test
