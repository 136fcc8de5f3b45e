// SPDX-License-Identifier: Apache-2.0
// The front door itself; tests/runtime/session_impl_test.cpp has what a session does with graphs, good and bad.
#include <tenon/runtime/api/session.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenon/io/graph_file.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

#include "io/temp_file.hpp"
#include "runtime/graphs.hpp"
#include "runtime/api/session_user.hpp"

namespace session_test {
using namespace tenon;
using namespace runtime_test;

namespace {

constexpr const char* kNoGraph =
    "Session was not created with a graph before Run()! Give it one with Session::FromGraphFile or its sisters, or "
    "Extend()";
constexpr const char* kNoCallable = "No such callable handle: this Callable was not made by Session::MakeCallable";

Tensor Vector(float x) { return MakeTensor<float>({1}, {x}); }

}  // namespace

TEST_SUITE("Session's front door") {
  TEST_CASE("a file that sees only session.hpp loads and runs a graph") {
    const std::string bytes = SerializeGraphDef(SmallGraph().graph_def());
    const Result<float> y = top_test::RunGraph(Bytes(bytes), 4);
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    CHECK(*y == 5);
    const Status none = top_test::RunGraph(Bytes("no graph"), 4).status();
    CHECK(none.code() == Code::kInvalidArgument);
    CHECK(Contains(none.message(), "Invalid GraphDef"));
    const auto session = Session::FromGraph(SmallGraph());
    CHECK(*top_test::CallSession(*session, 6) == 7);
    CHECK(top_test::CallSession(Session(), 6).status().message() == kNoGraph);
  }

  TEST_CASE("the bytes of a graph may go once it is loaded") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    b.Add("AddV2", "y", {x, b.Const("many", Tensor::From<float>(std::vector<float>(1000, 2.0f), {1000}))});
    std::string bytes = SerializeGraphDef(b.graph_def());
    const auto session = Session::FromGraphDef(Bytes(bytes));
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    bytes.assign(bytes.size(), '\xff');
    bytes.clear();
    bytes.shrink_to_fit();
    const auto out = session->Run({{"x", Tensor::Scalar(1.0f)}}, {"y"});
    REQUIRE_MESSAGE(out.ok(), out.status().message());
    CHECK((*out)[0].flat<float>()(999) == 3);
  }

  TEST_CASE("a graph file that is not mapped may be overwritten and cut short") {
    constexpr Index kSize = 256;  // weights of 256 KiB, of which a mapped file would give the pages back
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output w = b.Const("w", Tensor::From<float>(std::vector<float>(kSize * kSize, 2.0f), {kSize, kSize}));
    b.Add("MatMul", "y", {x, w});
    const TempFile temp("session.pb");
    REQUIRE(WriteGraphFile(temp.path(), b.graph_def()).ok());
    const auto session = Session::FromGraphFile(temp.path(), {.map_graph_file = false});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const Tensor ones = Tensor::From<float>(std::vector<float>(kSize, 1.0f), {1, kSize});
    const auto run = [&] {
      const auto out = session->Run({{"x", ones}}, {"y"});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      for (const float y : (*out)[0].flat<float>()) REQUIRE(y == 2.0f * kSize);
    };
    temp.Write(std::string(temp.Read().size(), '\x7f'));
    run();
    temp.Write("");
    for (int i = 0; i < 4; ++i) run();
  }
  TEST_CASE("a mapped graph file may be replaced by another") {
    const TempFile temp("mapped.pb");
    REQUIRE(WriteGraphFile(temp.path(), SmallGraph().graph_def()).ok());
    const auto session = Session::FromGraphFile(temp.path());
    REQUIRE(session.ok());
    REQUIRE(WriteFile(temp.path(), "another").ok());
    CHECK((*session->Run({{"x", Vector(2)}}, {"z"}))[0].flat<float>()(0) == 9);
  }

  TEST_CASE("copies share the graph, and each keeps it alive") {
    Session copy;
    {
      const auto session = Session::FromGraph(SmallGraph());
      copy = *session;
    }
    Session moved = std::move(copy);
    CHECK((*moved.Run({{"x", Vector(2)}}, {"z"}))[0].flat<float>()(0) == 9);
    CHECK(copy.Run({{"x", Vector(2)}}, {"z"}).status().message() == kNoGraph);
    copy = moved;
    CHECK(copy.inputs().size() == 1);
  }

  TEST_CASE("a callable keeps its session alive; copies of it do the same") {
    Callable call;
    {
      const auto session = Session::FromGraph(SmallGraph());
      const auto made = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}, .targets = {"y"}});
      REQUIRE(made.ok());
      call = *made;
    }
    const Callable copy = call;
    CHECK(copy.num_feeds() == 1);
    CHECK(copy.num_fetches() == 1);
    CHECK((*call({Vector(2)}))[0].flat<float>()(0) == 9);
    CHECK((*copy({Vector(3)}))[0].flat<float>()(0) == 16);
    CHECK(copy({}).status().message() == "Expected 1 feed tensors, but got 0");
  }

  TEST_CASE("names come as lists in braces or as spans") {
    const auto session = Session::FromGraph(SmallGraph());
    const std::vector<NamedTensor> feeds{{"x:0", Vector(1)}};
    const std::vector<std::string> fetches{"z", "y"}, targets{"one"};
    const auto spans = session->Run(feeds, fetches, targets);
    const auto braces = session->Run({{"x:0", Vector(1)}}, {"z", "y"}, {"one"});
    REQUIRE(spans.ok());
    REQUIRE(braces.ok());
    REQUIRE(spans->size() == 2);
    CHECK((*spans)[0].flat<float>()(0) == 4);
    CHECK((*spans)[1].flat<float>()(0) == 2);
    CHECK((*braces)[0].flat<float>()(0) == 4);
    CHECK((*braces)[1].flat<float>()(0) == 2);
  }

  TEST_CASE("a session without a graph lists nothing, a callable without one says so") {
    const Session session;
    CHECK(session.inputs().empty());
    CHECK(session.outputs().empty());
    CHECK(session.devices().empty());
    const Callable call;
    CHECK(call.num_feeds() == 0);
    CHECK(call.num_fetches() == 0);
    CHECK(call({}).status().code() == Code::kInvalidArgument);
    CHECK(call.Run({}, {}).message() == kNoCallable);
    RunTrace trace;
    CHECK(call.RunTraced({}, {}, &trace).message() == kNoCallable);
    CHECK(trace.nodes.empty());
  }
}

}  // namespace session_test
