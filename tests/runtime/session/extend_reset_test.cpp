// SPDX-License-Identifier: Apache-2.0
// Session::Create, Extend, Finalize, Reset, ListDevices, Close and the count of signatures.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graph/function_graphs.hpp"
#include "growth.hpp"
#include "runtime/graphs.hpp"

namespace session_admin_test {
using namespace tenon;
using namespace runtime_test;
using function_test::MakeNode;

namespace {

const AttrValue kFloatType(DataType::kFloat);

GraphDef Nodes(SlimVector<NodeDef> nodes, int producer) {
  GraphDef graph;
  graph.versions.producer = producer;
  graph.node = std::move(nodes);
  return graph;
}
NodeDef Binary(const std::string& name, const std::string& op, const std::string& a, const std::string& b) {
  return MakeNode(name, op, {a, b}, {{"T", kFloatType}});
}
GraphBuilder Variable() {
  GraphBuilder b;
  const Output v =
      b.Add("VarHandleOp", "v", {},
            {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape(TensorShape())}, {"shared_name", "v"}});
  b.Add("AssignVariableOp", "set", {v, b.Placeholder("x", DataType::kFloat)});
  b.Add("ReadVariableOp", "read", {v}, {{"dtype", DataType::kFloat}});
  return b;
}

}  // namespace

TEST_SUITE("Session::Create and Extend") {
  TEST_CASE("an empty session gets its graph bit by bit") {
    auto session = Session::Create();
    REQUIRE(session.ok());
    const Status early = session->Run({}, {"z"}).status();
    CHECK(early.code() == Code::kInvalidArgument);
    CHECK(Contains(early.message(), "Session was not created with a graph before Run()!"));
    CHECK(Contains(session->MakeCallable({.fetches = {"z"}}).status().message(), "before MakeCallable()!"));
    CHECK(session->inputs().empty());
    CHECK(session->Extend(GraphDef()).ok());
    CHECK_FALSE(session->Run({}, {"z"}).ok());
    const GraphDef first = SmallGraph().graph_def();
    REQUIRE(session->Extend(first).ok());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    REQUIRE(callable.ok());
    REQUIRE(session->Extend(Nodes({Binary("w", "AddV2", "z", "one")}, first.versions.producer)).ok());
    const Tensor x = MakeTensor<float>({1}, {2});
    CHECK((*session->Run({{"x", x}}, {"w"}))[0].flat<float>()(0) == 10);
    CHECK((*(*callable)({x}))[0].flat<float>()(0) == 9);
    CHECK(session->outputs()[0].name == "w:0");
  }
  TEST_CASE("what is there already, other versions and broken graphs are refused, and nothing changes") {
    auto session = Session::FromGraph(SmallGraph(), {.check_ops = true});
    REQUIRE(session.ok());
    const int producer = SmallGraph().graph_def().versions.producer;
    const Status twice = session->Extend(Nodes({Binary("z", "AddV2", "y", "one")}, producer));
    CHECK(twice.code() == Code::kInvalidArgument);
    CHECK(twice.message() ==
          "GraphDef argument to Extend includes node 'z', which was created by a previous call to Create or Extend in "
          "this session.");
    const Status version = session->Extend(Nodes({Binary("w", "AddV2", "y", "one")}, producer + 1));
    CHECK(version.code() == Code::kInvalidArgument);
    CHECK(version.message() ==
          StrCat("Can't extend GraphDef at version ", producer, " with graph at version ", producer + 1));
    CHECK_FALSE(session->Extend(Nodes({Binary("w", "AddV2", "nowhere", "one")}, producer)).ok());
    CHECK_FALSE(session->Extend(Nodes({Binary("w", "NoSuchOp", "y", "one")}, producer)).ok());
    REQUIRE(session->Extend(Nodes({Binary("w", "AddV2", "y", "one")}, producer)).ok());
    CHECK((*session->Run({{"x", MakeTensor<float>({1}, {2})}}, {"w"}))[0].flat<float>()(0) == 4);
  }
  TEST_CASE("functions join the library; one of another body is refused") {
    auto session = Session::FromGraph(SmallGraph());
    GraphDef more =
        Nodes({MakeNode("w", "double", {"y"}, {{"T", kFloatType}})}, SmallGraph().graph_def().versions.producer);
    more.library.function = {function_test::Double()};
    const Status s = session->Extend(more);
    REQUIRE_MESSAGE(s.ok(), s.message());
    CHECK((*session->Run({{"x", MakeTensor<float>({1}, {2})}}, {"w"}))[0].flat<float>()(0) == 6);
    more.node[0].name = "w2";
    CHECK(session->Extend(more).ok());
    more.node[0].name = "w3";
    more.library.function[0].node_def[0].op = "Mul";
    CHECK(Contains(session->Extend(more).message(),
                   "Cannot add function 'double' because a different function with the same name already exists."));
  }
  TEST_CASE("state stays: a variable, and kernels with memory of their own") {
    auto session = Session::FromGraph(Variable());
    REQUIRE(session->Run({{"x", Tensor::Scalar(7.0f)}}, {}, {"set"}).ok());
    REQUIRE(session->Extend(Nodes({Binary("twice", "AddV2", "read", "read")}, Variable().graph_def().versions.producer))
                .ok());
    CHECK((*session->Run({}, {"twice"}))[0].scalar<float>()() == 14);
  }
  TEST_CASE("threads may run while others extend") {
    auto session = Session::FromGraph(SmallGraph());
    const int producer = SmallGraph().graph_def().versions.producer;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) {
          const auto out = session->Run({{"x", MakeTensor<float>({1}, {1})}}, {"z"});
          wrong += !out.ok() || (*out)[0].flat<float>()(0) != 4;
        }
      });
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          const std::string name = StrCat("n", t, "_", i);
          Session mine = *session;
          wrong += !mine.Extend(Nodes({Binary(name, "Mul", "z", "one")}, producer)).ok();
          const auto out =
              mine.Run(std::vector<NamedTensor>{{"x", MakeTensor<float>({1}, {1})}}, std::vector<std::string>{name});
          wrong += !out.ok() || (*out)[0].flat<float>()(0) != 4;
        }
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
  TEST_CASE("a finalised session runs what it knows") {
    auto session = Session::FromGraph(SmallGraph());
    const Tensor x = MakeTensor<float>({1}, {2});
    REQUIRE(session->Run({{"x", x}}, {"z"}).ok());
    REQUIRE(session->Finalize().ok());
    CHECK(session->Run({{"x", x}}, {"z"}).ok());
    const Status fresh = session->Run({{"x", x}}, {"y"}).status();
    CHECK(fresh.code() == Code::kFailedPrecondition);
    CHECK(fresh.message() == "Session has been finalized.");
    CHECK(session->Extend(GraphDef()).code() == Code::kFailedPrecondition);
    CHECK(session->Finalize().code() == Code::kFailedPrecondition);
  }
}

TEST_SUITE("Session::Close and Reset") {
  TEST_CASE("after Close everything says so") {
    auto session = Session::FromGraph(SmallGraph());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    REQUIRE(session->Close().ok());
    CHECK(session->Close().ok());
    const Tensor x = MakeTensor<float>({1}, {2});
    std::vector<Tensor> out(1);
    for (const Status& s :
         {session->Run({{"x", x}}, {"z"}).status(), session->MakeCallable({.fetches = {"z"}}).status(),
          callable->Run({&x, 1}, out), callable->Run({&x, 1}, out, RunOptions{}), session->Extend(GraphDef()),
          session->PRunSetup({"x"}, {"z"}).status(),
          session->Run({{"x", x}}, {"z"}, {}, {.timeout_in_ms = 1}).status()}) {
      CHECK(s.code() == Code::kCancelled);
      CHECK(s.message() == "Session has been closed.");
    }
  }
  TEST_CASE("Close stops what waits") {
    GraphBuilder b;
    const SlimVector<DataType> floats{DataType::kFloat};
    const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
    b.Add("QueueDequeueV2", "get", {q}, {{"component_types", floats}});
    auto session = Session::FromGraph(b);
    std::vector<std::thread> threads;
    std::atomic<int> cancelled{0};
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] { cancelled += session->Run({}, {"get"}).status().code() == Code::kCancelled; });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    REQUIRE(session->Close().ok());
    for (std::thread& thread : threads) thread.join();
    CHECK(cancelled == 3);
  }
  TEST_CASE("Reset drops what the containers hold and closes") {
    auto session = Session::FromGraph(Variable());
    REQUIRE(session->Run({{"x", Tensor::Scalar(7.0f)}}, {}, {"set"}).ok());
    REQUIRE(session->Reset({}).ok());
    CHECK(session->Run({}, {"read"}).status().message() == "Session has been closed.");
  }
  TEST_CASE("Reset of containers by name leaves the others, and stops what runs") {
    const SlimVector<DataType> floats{DataType::kFloat};
    GraphBuilder b;
    for (const std::string container : {"", "mine", "theirs"}) {
      const std::string name = StrCat("v_", container);
      const Output v = b.Add("VarHandleOp", name, {},
                             {{"dtype", DataType::kFloat},
                              {"shape", PartialTensorShape(TensorShape())},
                              {"container", std::string_view(container)},
                              {"shared_name", "v"}});
      b.Add("AssignVariableOp", StrCat("set_", container),
            {v, b.Const(StrCat("one_", container), Tensor::Scalar(1.0f))});
      b.Add("ReadVariableOp", StrCat("read_", container), {v}, {{"dtype", DataType::kFloat}});
    }
    const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
    b.Add("QueueDequeueV2", "get", {q}, {{"component_types", floats}});
    ResourceMgr resources;
    const SessionOptions options{.resources = &resources};
    auto session = Session::FromGraph(b, options);
    const auto other = Session::FromGraph(b, options);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    REQUIRE(session->Run({}, {}, {"set_", "set_mine", "set_theirs"}).ok());
    const auto has = [&](const std::string& container) {
      const Status status =
          other->Run(std::vector<NamedTensor>(), std::vector<std::string>{StrCat("read_", container)}).status();
      CHECK((status.ok() || status.code() == Code::kFailedPrecondition));
      return status.ok();
    };
    CHECK((has("") && has("mine") && has("theirs")));
    Status waited;
    std::thread waiter([&] { waited = session->Run({}, {"get"}).status(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const std::vector<std::string> names{"mine", "nobody"};
    REQUIRE(session->Reset(names).ok());
    waiter.join();
    CHECK(waited.code() == Code::kCancelled);
    CHECK(session->Run({}, {"read_"}).status().message() == "Session has been closed.");
    CHECK((has("") && !has("mine") && has("theirs")));
    auto another = Session::FromGraph(b, options);
    REQUIRE(another->Reset({}).ok());  // the default container
    CHECK((!has("") && !has("mine") && has("theirs")));
  }
}

TEST_SUITE("Sessions and callables") {
  TEST_CASE("a released callable runs no more, nor do its copies") {
    const auto session = Session::FromGraph(SmallGraph());
    auto callable = *session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    const Callable copy = callable;
    const auto other = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    callable.Release();
    const Tensor x = MakeTensor<float>({1}, {2});
    std::vector<Tensor> out(1);
    CHECK(copy.Run({&x, 1}, out).code() == Code::kInvalidArgument);
    CHECK(copy.Run({&x, 1}, out).message() == "Attempted to run callable after handle was released: 0");
    CHECK(copy.Run({&x, 1}, out, RunOptions{}).code() == Code::kInvalidArgument);
    CHECK(other->Run({&x, 1}, out).ok());
    CHECK(Contains(Callable().Run({}, {}).message(), "No such callable handle"));
  }
  TEST_CASE("devices are listed") {
    const auto session = Session::FromGraph(SmallGraph());
    const auto devices = session->ListDevices();
    REQUIRE(devices.ok());
    REQUIRE(devices->size() == 1);
    CHECK((*devices)[0].name == "/job:localhost/replica:0/task:0/device:CPU:0");
    CHECK((*devices)[0].device_type == "CPU");
    CHECK((*devices)[0].incarnation != 0);
    const auto other = Session::FromGraph(SmallGraph());
    CHECK((*other->ListDevices())[0].incarnation != (*devices)[0].incarnation);
  }
  TEST_CASE("signatures are counted, and never more than asked for") {
    const auto session = Session::FromGraph(WideGraph(3, 3), {.max_cached_signatures = 2});
    CHECK(session->num_cached_signatures() == 0);
    for (const char* fetch : {"c0_0", "c1_1", "c2_2", "sum1"}) {
      REQUIRE(session->Run({{"x", Tensor::Scalar(1.0f)}}, {fetch}).ok());
      CHECK(session->num_cached_signatures() <= 2);
    }
    CHECK(session->num_cached_signatures() == 2);
  }
  TEST_CASE("an empty Session does nothing") {
    Session session;
    CHECK(session.Close().code() == Code::kInvalidArgument);
    CHECK(session.Extend(GraphDef()).code() == Code::kInvalidArgument);
    CHECK(session.Finalize().code() == Code::kInvalidArgument);
    CHECK(session.Reset({}).code() == Code::kInvalidArgument);
    CHECK(session.ListDevices().status().code() == Code::kInvalidArgument);
    CHECK(session.PRunSetup({}, {"z"}).status().code() == Code::kInvalidArgument);
    CHECK(session.num_cached_signatures() == 0);
  }

  TEST_CASE("Extends of one node take the time of one node") {
    const auto one = [](int i) {
      return Nodes({MakeNode(StrCat("n", i), "Identity", {i == 0 ? "z" : StrCat("n", i - 1)}, {{"T", kFloatType}})},
                   SmallGraph().graph_def().versions.producer);
    };
    const double growth = growth_test::Growth(250, [&one](int n) {
      auto session = Session::FromGraph(SmallGraph());
      for (int i = 0; i < n; ++i) REQUIRE(session->Extend(one(i)).ok());
      const auto out = session->Run({{"x", MakeTensor<float>({1}, {2})}}, {StrCat("n", n - 1)});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
    });
    CHECK(growth < growth_test::kLinear);
  }
  TEST_CASE("Extends between runs keep what runs, and its state") {
    auto session = Session::FromGraph(Variable(), {.max_cached_signatures = 2});
    REQUIRE(session->Run({{"x", Tensor::Scalar(3.0f)}}, {}, {"set"}).ok());
    const auto callable = session->MakeCallable({.fetches = {"read"}});
    const int producer = Variable().graph_def().versions.producer;
    for (int i = 0; i < 20; ++i) {
      const std::string name = StrCat("n", i), before = i == 0 ? "read" : StrCat("n", i - 1);
      REQUIRE(session->Extend(Nodes({MakeNode(name, "Identity", {before}, {{"T", kFloatType}})}, producer)).ok());
      CHECK_FALSE(session->Extend(Nodes({MakeNode(name, "Identity", {"read"}, {{"T", kFloatType}})}, producer)).ok());
      if (i % 3 == 0) continue;
      const auto out = session->Run({}, {name});
      REQUIRE_MESSAGE(out.ok(), out.status().message());
      CHECK((*out)[0].scalar<float>()() == 3);
    }
    CHECK((*(*callable)({}))[0].scalar<float>()() == 3);
  }
}
}  // namespace session_admin_test
