// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/step_services.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>

#include <tenon/base/log.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/call_frame.hpp>

#include "one_node.hpp"

namespace step_services_test {
using namespace tenon;

TEST_SUITE("Runner") {
  TEST_CASE("runs closures on the pool, or at once") {
    int ran = 0;
    Runner here(nullptr);
    here([&ran] { ++ran; });
    (*here)([&ran] { ++ran; });
    CHECK(ran == 2);
    std::atomic<int> elsewhere{0};
    {
      ThreadPool pool(2, "runner");
      const Runner runner(&pool);
      for (int i = 0; i < 10; ++i)
        runner([&elsewhere, text = std::string(100, 'x')] { elsewhere += text.size() == 100; });
      while (elsewhere != 10) {
      }
    }
    CHECK(elsewhere == 10);
  }
}

TEST_SUITE("Runner's closures") {
  TEST_CASE("that throw on the pool are logged") {
    struct Lines : LogSink {
      Lines() { SetLogSink(this); }
      ~Lines() override { SetLogSink(nullptr); }
      void Send(const LogEntry& entry) override { text += entry.text; }
      std::string text;
    } lines;
    {
      ThreadPool pool(1, "runner");
      std::atomic<bool> after{false};
      const Runner runner(&pool);
      runner([] { throw std::runtime_error("out of luck"); });
      runner([&after] { after = true; });
      while (!after) {
      }
    }
    CHECK(lines.text == "a closure that a kernel gave to its runner threw: out of luck");
  }
}

TEST_SUITE("StepServices") {
  TEST_CASE("a kernel gets what the run has") {
    kernel_test::OneNode node({}, {}, DataType::kFloat);
    FunctionCallFrame frame({}, {});
    StepServices services;
    services.call_frame = &frame;
    RunServices run;
    run.more = &services;
    StepEnvironment env;
    env.services = &run;
    node.frame.env = &env;
    CallFrame* found = nullptr;
    CHECK(RequireService(node.context, "call frame", &StepServices::call_frame, &found).ok());
    CHECK(found == &frame);
    CollectiveExecutor* none = nullptr;
    CHECK(RequireService(node.context, "collective executor", &StepServices::collective_executor, &none).code() ==
          Code::kFailedPrecondition);
  }
}
}  // namespace step_services_test
