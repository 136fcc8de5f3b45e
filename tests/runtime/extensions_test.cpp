// SPDX-License-Identifier: Apache-2.0
// Errors of sessions without an extension. That the extensions work is for their own tests.
#include <tenon/runtime/extensions.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/without_extension.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace parts_test {
using namespace tenon;
using namespace runtime_test;

namespace {

FlowGraph Branch() {
  FlowGraph g;
  g.Feed("x").Feed("p", DataType::kBool).Switch("s", "x", "p").Merge("m", {"s:0", "s:1"});
  return g;
}
void CheckMissing(const Status& status, std::string_view header) {
  CHECK(status.code() == Code::kUnimplemented);
  CHECK_MESSAGE(Contains(status.message(), header), status.message());
}

}  // namespace

TEST_SUITE("Extensions of the runtime") {
  TEST_CASE("runtime.hpp fills the entries") {
    const detail::Extensions& all = detail::extensions;
    const bool graphs = all.function_library.load() != nullptr && all.function_import.load() != nullptr &&
                        all.fold_integers.load() != nullptr;
    const bool executors = all.dataflow.load() != nullptr && all.control_flow.load() != nullptr &&
                           all.functions.load() != nullptr && all.plans.load() != nullptr &&
                           all.loops.load() != nullptr;
    const bool sessions = all.session_watch.load() != nullptr && all.environment_trace_sink.load() != nullptr;
    CHECK(graphs);
    CHECK(executors);
    CHECK(sessions);
  }

  TEST_CASE("control flow without its executors is refused with the header's name, and runs once it is there") {
    const auto session = Session::FromGraphDef(Branch().def);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<NamedTensor> feeds = {{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(true)}};
    const std::vector<std::string> fetches = {"m"};
    {
      const WithoutExtension without(&detail::extensions.control_flow);
      const Status status = session->Run(feeds, fetches).status();
      CheckMissing(status, "<tenon/runtime/control_flow/parallel_executor.hpp>");
      CHECK_MESSAGE(Contains(status.message(), "TensorFlow 1 control flow"), status.message());
    }
    const auto outputs = session->Run(feeds, fetches);
    REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
    CHECK((*outputs)[0].scalar<float>()() == 3.0f);
  }

  TEST_CASE("so is the dataflow engine when it is asked for") {
    SessionOptions options;
    options.executor = ExecutorKind::kDataflow;
    const auto session = Session::FromGraph(SmallGraph(), options);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<NamedTensor> feeds = {{"x", Tensor::Zeros<float>({2})}};
    const std::vector<std::string> fetches = {"z"};
    {
      const WithoutExtension without(&detail::extensions.dataflow);
      CheckMissing(session->Run(feeds, fetches).status(), "<tenon/runtime/executor/dataflow.hpp>");
    }
    CHECK(session->Run(feeds, fetches).ok());
  }

  TEST_CASE("a run that asks for another engine than its session's gets it, or the header's name") {
    const auto session = Session::FromGraph(SmallGraph());
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<NamedTensor> feeds = {{"x", Tensor::Zeros<float>({2})}};
    const std::vector<std::string> fetches = {"z"};
    const RunOptions options{.executor = ExecutorKind::kDataflow};
    {
      const WithoutExtension without(&detail::extensions.dataflow);
      const Status status = session->Run(feeds, fetches, {}, options).status();
      CheckMissing(status, "<tenon/runtime/executor/dataflow.hpp>");
      CHECK_MESSAGE(Contains(status.message(), "RunOptions"), status.message());
      CHECK(session->Run(feeds, fetches).ok());
    }
    CHECK(session->Run(feeds, fetches, {}, options).ok());
    CHECK(session->Run(feeds, fetches).ok());
  }

  TEST_CASE("without plans every run goes as the first") {
    const WithoutExtension without(&detail::extensions.plans);
    const auto session = Session::FromGraph(SmallGraph(), {.plan_after_runs = 1});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    REQUIRE_MESSAGE(callable.ok(), callable.status().message());
    PlanReport report;
    for (int run = 0; run < 3; ++run) {
      const auto outputs = (*callable)({MakeTensor<float>({2}, {1, 2})});
      REQUIRE_MESSAGE(outputs.ok(), outputs.status().message());
      CHECK((*outputs)[0].flat<float>()(1) == 9);
      CHECK(!callable->GetPlanReport(&report));
    }
  }
}
}  // namespace parts_test
