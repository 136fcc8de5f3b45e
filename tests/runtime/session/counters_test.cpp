// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/session/counters.hpp>

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include <tenon/memory/limited_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "runtime/graphs.hpp"

namespace session_counters_test {
using namespace tenon;
using namespace runtime_test;

namespace {
SessionCounters CountersOf(const Session& session) {
  SessionCounters counters;
  REQUIRE(session.GetCounters(&counters));
  return counters;
}
}  // namespace

TEST_SUITE("SessionCounters") {
  TEST_CASE("an empty session has none") {
    SessionCounters counters;
    CHECK(!Session().GetCounters(&counters));
  }
  TEST_CASE("as text for Prometheus") {
    SessionCounters counters;
    counters.runs = 7;
    counters.async_refused = 2;
    counters.allocators.push_back({"CPU:0", "cpu", 100, 300, 5});
    const std::string plain = CountersText(counters), labelled = CountersText(counters, "model=\"digits\"");
    CHECK(plain.find("# TYPE tenon_runs_total counter\ntenon_runs_total 7\n") != std::string::npos);
    CHECK(plain.find("tenon_allocator_bytes{device=\"CPU:0\"} 100\n") != std::string::npos);
    CHECK(labelled.find("\ntenon_async_refused_total{model=\"digits\"} 2\n") != std::string::npos);
    CHECK(labelled.find("tenon_allocator_peak_bytes{model=\"digits\",device=\"CPU:0\"} 300\n") != std::string::npos);
  }
  TEST_CASE("runs and plans") {
    const auto session = Session::FromGraph(SmallGraph(), {.inter_op_threads = 1, .plan_after_runs = 2});
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    CHECK(CountersOf(*session).runs == 0);
    for (int i = 0; i < 5; ++i) REQUIRE((*callable)({Tensor::Zeros<float>({100})}).ok());
    CHECK(!(*callable)({Tensor::Zeros<double>({1})}).ok());  // refused before it is a run
    const SessionCounters counters = CountersOf(*session);
    CHECK(counters.runs == 5);
    CHECK(counters.planned_runs == 3);
    CHECK(counters.steps == 1);
    PlanReport report;
    REQUIRE(callable->GetPlanReport(&report));
    CHECK(counters.plan_arena_bytes == static_cast<std::int64_t>(report.arena_bytes));
    CHECK(counters.plan_arena_bytes > 0);
    CHECK(counters.step_bytes == 0);  // all values are in the arena
  }
  TEST_CASE("a plan that is not wanted is not used") {
    const auto session = Session::FromGraph(SmallGraph(), {.plan_after_runs = 0});
    for (int i = 0; i < 4; ++i) REQUIRE(session->Run({{"x", Tensor::Zeros<float>({2})}}, {"z"}).ok());
    const SessionCounters counters = CountersOf(*session);
    CHECK(counters.runs == 4);
    CHECK(counters.planned_runs == 0);
    CHECK(counters.plan_arena_bytes == 0);
    CHECK(counters.step_bytes > 0);
  }
  TEST_CASE("programs that are kept and that went") {
    const auto session = Session::FromGraph(SmallGraph(), {.max_cached_signatures = 2});
    const std::vector<NamedTensor> feeds = {{"x", Tensor::Zeros<float>({2})}};
    for (const std::vector<std::string>& fetches :
         {std::vector<std::string>{"y"}, {"z"}, {"y"}, {"y", "z"}, {"z", "y"}})
      REQUIRE(session->Run(feeds, fetches).ok());
    const SessionCounters counters = CountersOf(*session);
    CHECK(counters.programs == 2);
    CHECK(counters.programs_evicted == 2);
    CHECK(counters.runs == 5);
  }
  TEST_CASE("the program that was not used for the longest time goes") {
    const auto session = Session::FromGraph(WideGraph(3, 3), {.max_cached_signatures = 2});
    const auto run = [&](const char* fetch) {
      REQUIRE(session->Run({{"x", Tensor::Scalar(1.0f)}}, {fetch}).ok());
      return CountersOf(*session).programs_evicted;
    };
    CHECK(run("c0_0") == 0);
    CHECK(run("c1_1") == 0);
    CHECK(run("c0_0") == 0);  // used again
    CHECK(run("c2_2") == 1);  // in the place of c1_1
    CHECK(run("c0_0") == 1);
    CHECK(run("c2_2") == 1);
    CHECK(run("c1_1") == 2);  // in the place of c0_0
    CHECK(run("c2_2") == 2);
    CHECK(CountersOf(*session).programs == 2);
    // A callable keeps its program.
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"sum0"}});
    for (const char* fetch : {"c0_0", "c1_1", "c2_2"}) run(fetch);
    CHECK((*(*callable)({Tensor::Scalar(1.0f)}))[0].scalar<float>()() == 5);
  }
  TEST_CASE("memory of an allocator that counts") {
    TrackingAllocator memory(CpuAllocator());
    {
      const auto session = Session::FromGraph(SmallGraph(), {.allocator = &memory});
      REQUIRE(session->Run({{"x", Tensor::Zeros<float>({1000})}}, {"z"}).ok());
      const SessionCounters counters = CountersOf(*session);
      REQUIRE(counters.allocators.size() == 1);
      CHECK(Contains(counters.allocators[0].device, "CPU:0"));
      CHECK(counters.allocators[0].peak_bytes_in_use >= 8000);  // y and z
      CHECK(counters.allocators[0].num_allocs >= 2);
    }
    CHECK(memory.blocks_in_use() == 0);
  }
  TEST_CASE("four threads at once") {
    const auto session = Session::FromGraph(SmallGraph());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          (void)(*callable)({Tensor::Zeros<float>({8})});
          if (i % 10 == 0) (void)CountersOf(*session);
        }
      });
    for (std::thread& thread : threads) thread.join();
    const SessionCounters counters = CountersOf(*session);
    CHECK(counters.runs == 400);
    CHECK(counters.planned_runs > 0);
    CHECK(counters.steps >= 1);
    CHECK(counters.steps <= 5);
  }
  TEST_CASE("wake-ups of the session's own pool") {
    const auto session =
        Session::FromGraph(WideGraph(8, 4), {.inter_op_threads = 3, .executor = ExecutorKind::kDataflow});
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"out"}});
    for (int i = 0; i < 1000 && CountersOf(*session).inter_op_wakeups == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the pool's threads fall asleep, sooner or later
      REQUIRE((*callable)({Tensor::Zeros<float>({8})}).ok());
    }
    CHECK(CountersOf(*session).inter_op_wakeups > 0);
  }
}
}  // namespace session_counters_test
