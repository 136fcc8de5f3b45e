// SPDX-License-Identifier: Apache-2.0
// Sessions on a GPU under strain: many steps of several threads, memory that ends, a GPU that is lost in mid-run.
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <in_child.hpp>

#include <cuda/gpu.hpp>

namespace gpu_stress_test {
using namespace tenon;

Tensor Row(float first) { return MakeTensor<float>({3}, {first, first + 1, first + 2}); }

// y = (x + w) + v * reversed on the host, with a second branch, and a variable that each step reads.
GraphBuilder Graph() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat), w = b.Const("w", Row(10));
  const Output v = b.Add("VarHandleOp", "v", {},
                         {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({3})}, {"shared_name", "v"}});
  b.Add("AssignVariableOp", "init", {v, b.Const("start", Row(1))}, {{"dtype", DataType::kFloat}});
  const Output sum = b.Add("Add", "sum", {x, w});
  const Output turned = b.Add("ReverseOnHost", "turned", {sum});
  const Output read = b.Add("ReadVariableOp", "read", {v}, {{"dtype", DataType::kFloat}});
  b.Add("Add", "y", {b.Add("Add", "both", {turned, sum}), read});
  b.Add("StrayOnGpu", "stray", {sum});
  return b;
}
// Elements of y: the row of x + w has 3 elements in steps of 2.
float Wanted(float x, int i) { return 2 * (x + 10) + 4 + static_cast<float>(1 + i); }

Result<Session> Make(bool records) {
  const GraphBuilder b = Graph();
  SessionOptions options{.devices = {"GPU:0"}};
  options.record_steps = records;
  return Session::FromGraphDef(b.graph_def(), options);
}
bool IsRight(const Tensor& y, float x) {
  for (int i = 0; i < 3; ++i)
    if (y.flat<float>()[i] != Wanted(x, i)) return false;
  return true;
}

TEST_SUITE("Sessions on an emulated GPU under strain") {
  TEST_CASE("a thousand steps of four threads, of one session and of several" * doctest::skip(WithoutGpu())) {
    for (const bool records : {false, true}) {
      for (const bool shared : {true, false}) {
        std::vector<Session> sessions;
        for (int t = 0; t < (shared ? 1 : 4); ++t) {
          Result<Session> session = Make(records);
          REQUIRE_MESSAGE(session.ok(), session.status().ToString());
          REQUIRE(session->Run({}, {}, {"init"}).ok());
          sessions.push_back(*std::move(session));
        }
        std::atomic<int> wrong{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
          threads.emplace_back([&, t] {
            const Session& session = sessions[shared ? 0 : static_cast<std::size_t>(t)];
            for (int run = 0; run < 250; ++run) {
              const auto x = static_cast<float>(1000 * t + run);
              const auto y = session.Run({{"x", Row(x)}}, {"y"});
              if (!y.ok() || !IsRight((*y)[0], x)) ++wrong;
            }
          });
        for (std::thread& thread : threads) thread.join();
        CHECK(wrong == 0);
      }
    }
  }
  TEST_CASE("without memory from the kth request on, a run fails cleanly and the next one works" *
            doctest::skip(WithoutGpu())) {
    for (const bool records : {false, true}) {
      bool failed = true;
      for (int k = 0; failed && k < 200; ++k) {
        CAPTURE(k);
        failed = false;
        emulation::FailAllocations(k, 1'000'000);
        Result<Session> session = Make(records);
        Status status = session.status();
        if (session.ok()) status = session->Run({}, {}, {"init"}).status();
        for (int run = 0; status.ok() && run < 4; ++run) {
          const auto y = session->Run({{"x", Row(5)}}, {"y"});
          status = y.status();
          if (y.ok()) CHECK(IsRight((*y)[0], 5));
        }
        emulation::FailAllocations(-1, 0);
        failed = !status.ok();
        if (!failed) continue;
        CHECK(status.code() == Code::kResourceExhausted);
        if (!session.ok()) continue;
        REQUIRE(session->Run({}, {}, {"init"}).ok());
        for (int run = 0; run < 4; ++run) {
          const auto y = session->Run({{"x", Row(7)}}, {"y"});
          REQUIRE_MESSAGE(y.ok(), y.status().ToString());
          CHECK(IsRight((*y)[0], 7));
        }
      }
      CHECK(!failed);
    }
  }
#if TENON_TEST_FORKS
  TEST_CASE("a GPU that is lost in mid-run fails all runs, and the process lives" * doctest::skip(WithoutGpu())) {
    for (const bool records : {false, true}) {
      const int said = test::InChild([&] {
        for (const int number : {SIGSEGV, SIGBUS, SIGABRT}) (void)std::signal(number, SIG_DFL);
        auto* const session = new Session(*Make(records));  // what a lost GPU holds cannot be freed
        if (!session->Run({}, {}, {"init"}).ok()) return 1;
        std::atomic<int> wrong{0}, lost{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
          threads.emplace_back([&, t] {
            for (int run = 0; run < 40; ++run) {
              const bool stray = t == 0 && run == 20;
              const auto x = static_cast<float>(run);
              const auto y = session->Run({{"x", Row(x)}}, {stray ? "stray" : "y"});
              if (y.ok()) {
                wrong += stray || !IsRight((*y)[0], x) ? 1 : 0;
                continue;
              }
              ++lost;
              wrong += y.status().code() != Code::kInternal ? 1 : 0;
            }
          });
        for (std::thread& thread : threads) thread.join();
        if (wrong != 0) return 2;
        if (lost < 20) return 3;
        const Status status = session->Run({{"x", Row(1)}}, {"y"}).status();
        if (status.code() != Code::kInternal) return 4;
        std::_Exit(0);
      });
      CHECK(said == 0);
    }
  }
#endif
}
}  // namespace gpu_stress_test
