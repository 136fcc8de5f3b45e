// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/partitioned_graph.hpp>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>
#include "runtime/four_devices.hpp"
#include "runtime/split_graph.hpp"

namespace multi_device_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("PartitionedGraph") {
  TEST_CASE("four devices compute what one does") {
    const auto graph = Load(SplitChain());
    REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
    const auto callable = (*graph)->MakeCallable({.feeds = {"x"}, .fetches = {"w", "y:0"}});
    REQUIRE_MESSAGE(callable.ok(), callable.status().ToString());
    CHECK(callable->num_running_parts() == 4);
    for (int round = 0; round < 3; ++round) {
      const Tensor feeds[] = {MakeTensor<float>({3}, {1, 2, static_cast<float>(round)})};
      Tensor fetches[2];
      const Status status = callable->Run(feeds, fetches);
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(fetches[0].vec<float>()(1) == 4);
      CHECK(fetches[0].vec<float>()(2) == static_cast<float>(2 * (round + 1) - round));
      CHECK(fetches[1].vec<float>()(0) == 2);
    }
    CHECK(SimOf(*graph, "SIM:0").num_enqueued() > 0);
  }

  TEST_CASE("only the parts that are needed run") {
    const auto graph = *Load(SplitChain());
    const auto callable = *graph->MakeCallable({.feeds = {"y"}, .fetches = {"z"}});
    CHECK(callable.num_running_parts() == 2);
    const Tensor feeds[] = {MakeTensor<float>({1}, {5})};
    Tensor fetches[1];
    REQUIRE(callable.Run(feeds, fetches).ok());
    CHECK(fetches[0].vec<float>()(0) == 10);
  }

  TEST_CASE("random graphs over four devices give one device's results, bit for bit") {
    for (unsigned seed = 0; seed < 12; ++seed) {
      SlimVector<std::string> sinks;
      const GraphDef def = RandomGraph(seed, 10 + static_cast<int>(seed) * 8, &sinks);
      const CallableOptions options{.feeds = {"x"}, .fetches = {sinks.begin(), sinks.end()}};
      const Session session = Session::FromGraphDef(WithoutDevices(def)).value();
      const Tensor feeds[] = {MakeTensor<float>({5}, {1e-38f, -2.5f, 3.14159f, 1e30f, 0})};
      std::vector<Tensor> expected(sinks.size()), got(sinks.size());
      REQUIRE(session.MakeCallable(options)->Run(feeds, expected).ok());
      const auto graph = Load(def);
      REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
      const auto callable = (*graph)->MakeCallable(options);
      REQUIRE_MESSAGE(callable.ok(), callable.status().ToString());
      for (int round = 0; round < 2; ++round) {
        const Status status = callable->Run(feeds, got);
        REQUIRE_MESSAGE(status.ok(), status.ToString());
        for (std::size_t i = 0; i < sinks.size(); ++i) CHECK_MESSAGE(SameBits(got[i], expected[i]), "seed ", seed);
      }
    }
  }

  TEST_CASE("names, devices and edges that are not there") {
    const auto graph = *Load(SplitChain());
    const auto code = [&](const CallableOptions& options) { return graph->MakeCallable(options).status().code(); };
    CHECK(code({.fetches = {"nothing"}}) == Code::kInvalidArgument);
    CHECK(code({.fetches = {"w:1"}}) == Code::kOutOfRange);
    CHECK(code({.targets = {"nothing"}}) == Code::kNotFound);
    CHECK(code({}) == Code::kInvalidArgument);
    CHECK(code({.feeds = {"x", "x"}, .fetches = {"w"}}) == Code::kInvalidArgument);
    CHECK(code({.feeds = {"x", "x:0"}, .fetches = {"w"}}) == Code::kOk);  // as in a session
    CHECK(code({.feeds = {"w"}, .fetches = {"w"}}) == Code::kInvalidArgument);
    const Status missing = Load(SplitChain(), {"CPU:0", "CPU:1", "SIM:0"}).status();
    CHECK(missing.code() == Code::kInvalidArgument);
    CHECK(missing.message().find("Creating a partition for /job:localhost/replica:0/task:0/device:SIM:1 which doesn't "
                                 "exist in the list of available devices. Available devices: ") == 0);
    PartitionedGraphOptions limited;
    limited.import_limits.max_nodes = 1;
    CHECK(PartitionedGraph::Create(GraphSplitter::Split(SplitChain()), MakeDeviceMgr(kFour), limited).status().code() ==
          Code::kResourceExhausted);
    SlimVector<DeviceGraph> parts = GraphSplitter::Split(SplitChain());
    for (DeviceGraph& part : parts)
      for (NodeDef& node : part.graph.node)
        if (node.op == "_Send") node.attr.Set("tensor_name", std::string("another"));
    const auto unpaired = *PartitionedGraph::Create(std::move(parts), MakeDeviceMgr(kFour));
    const Status status = unpaired->MakeCallable({.fetches = {"w"}}).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("waits for a tensor that no part of the graph sends") != std::string::npos);
  }
}

TEST_SUITE("PartitionedGraph with control flow") {
  TEST_CASE("a branch that is not taken is dead on every device") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), p = b.Placeholder("p", DataType::kBool);
    const Output s = b.Add("Switch", "s", {x, p});
    const Output no = b.Add("Neg", "no", {s[0]}), yes = b.Add("AddV2", "yes", {s[1], s[1]});
    const Output m = b.Add("Merge", "m", {{no, yes}});
    b.Add("Mul", "out", {m, x});
    const Output after = b.Add("Identity", "after", {x});
    b.AddControlInput(after, no);
    b.SetDevice(no, "SIM:0");
    b.SetDevice(yes, "SIM:1");
    b.SetDevice(m, "CPU:1");
    b.SetDevice(after, "CPU:1");
    const auto graph = Load(b.graph_def());
    REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
    const auto out_of = *(*graph)->MakeCallable({.feeds = {"x", "p"}, .fetches = {"out", "m:1"}});
    const auto after_of = *(*graph)->MakeCallable({.feeds = {"x", "p"}, .fetches = {"after"}});
    for (int round = 0; round < 4; ++round) {
      const bool taken = round % 2 != 0;
      const Tensor feeds[] = {Tensor::Scalar(3.0f), Tensor::Scalar(taken)};
      Tensor fetches[2];
      const Status status = out_of.Run(feeds, fetches);
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(fetches[0].scalar<float>()() == (taken ? 18 : -9));
      CHECK(fetches[1].scalar<std::int32_t>()() == (taken ? 1 : 0));
      const Status dead = after_of.Run(feeds, {fetches, 1});
      CHECK(dead.ok() == !taken);
      if (taken) CHECK(dead.message().find("Retval[0] does not have value") == 0);
    }
  }

  TEST_CASE("a loop whose body is on another device") {
    const std::string here = FullName("CPU:0"), there = FullName("SIM:0");
    const auto node = [](const char* name, const char* op,
                         std::initializer_list<std::pair<const char*, AttrValue>> attrs,
                         std::initializer_list<const char*> inputs) {
      NodeDef def = MakeNode(name, op, attrs);
      for (const char* input : inputs) def.input.push_back(input);
      return def;
    };
    const auto with = [](NodeDef def, const char* input) {
      def.input.push_back(input);
      return def;
    };
    const AttrValue f = DataType::kFloat;
    const std::pair<const char*, AttrValue> t{"T", f}, frame{"frame_name", std::string("loop")},
        constant{"is_constant", true};
    DeviceGraph main{here, {}}, body{there, {}};
    main.graph.node = {node("start", "Placeholder", {{"dtype", f}}, {}),
                       node("limit", "Placeholder", {{"dtype", f}}, {}),
                       node("enter", "Enter", {t, frame}, {"start"}),
                       node("enter_limit", "Enter", {t, frame, constant}, {"limit"}),
                       node("merge", "Merge", {t, {"N", std::int64_t{2}}}, {"enter", "next"}),
                       node("less", "Less", {t}, {"merge", "enter_limit"}),
                       node("cond", "LoopCond", {}, {"less"}),
                       node("switch", "Switch", {t}, {"merge", "cond"}),
                       node("exit", "Exit", {t}, {"switch"}),
                       with(MakeSend("send_i", DataType::kFloat, "i", here, there), "switch:1"),
                       with(MakeSend("send_cond", DataType::kBool, "cond", here, there), "cond"),
                       with(MakeRecv("recv_i", DataType::kFloat, "i_back", there, here), "^merge"),
                       node("next", "NextIteration", {t}, {"recv_i"})};
    body.graph.node = {node("token", "Const", {{"dtype", f}, {"value", Tensor(DataType::kFloat, {0})}}, {}),
                       node("token_enter", "Enter", {t, frame}, {"token"}),
                       node("token_merge", "Merge", {t, {"N", std::int64_t{2}}}, {"token_enter", "token_next"}),
                       with(MakeRecv("recv_cond", DataType::kBool, "cond", here, there), "^token_merge"),
                       node("token_switch", "Switch", {t}, {"token_merge", "recv_cond"}),
                       node("token_next", "NextIteration", {t}, {"token_switch:1"}),
                       with(MakeRecv("recv_i2", DataType::kFloat, "i", here, there), "^token_merge"),
                       node("one", "Const", {{"dtype", f}, {"value", Tensor::Scalar(1.0f)}}, {}),
                       node("enter_one", "Enter", {t, frame, constant}, {"one"}),
                       node("plus", "AddV2", {t}, {"recv_i2", "enter_one"}),
                       with(MakeSend("send_back", DataType::kFloat, "i_back", there, here), "plus")};
    SlimVector<DeviceGraph> parts;
    parts.push_back(std::move(main));
    parts.push_back(std::move(body));
    const auto graph = PartitionedGraph::Create(std::move(parts), MakeDeviceMgr(kFour));
    REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
    const auto callable = (*graph)->MakeCallable({.feeds = {"start", "limit"}, .fetches = {"exit"}});
    REQUIRE_MESSAGE(callable.ok(), callable.status().ToString());
    for (const float limit : {0.0f, 1.0f, 20.0f}) {
      const Tensor feeds[] = {Tensor::Scalar(0.0f), Tensor::Scalar(limit)};
      Tensor fetches[1];
      const Status status = callable->Run(feeds, fetches);
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      CHECK(fetches[0].scalar<float>()() == limit);
    }
    const Tensor feeds[] = {Tensor::Scalar(0.0f), Tensor::Scalar(50.0f)};
    Tensor fetches[1];
    SimOf(*graph, "SIM:0").InjectFailure(20, errors::DataLoss("in the middle"));
    CHECK(callable->Run(feeds, fetches).message().find("in the middle") == 0);
    REQUIRE(callable->Run(feeds, fetches).ok());
    CHECK(fetches[0].scalar<float>()() == 50);
  }
}

TEST_SUITE("a session on a simulated device") {
  TEST_CASE("computes what the CPU does, where it has the CPU's kernels") {
    for (unsigned seed = 100; seed < 104; ++seed) {
      SlimVector<std::string> sinks;
      const GraphDef def = WithoutDevices(RandomGraph(seed, 30, &sinks));
      const CallableOptions options{.feeds = {"x"}, .fetches = {sinks.begin(), sinks.end()}};
      const Tensor feeds[] = {MakeTensor<float>({4}, {1e-38f, -2.5f, 3.14159f, 1e30f})};
      std::vector<Tensor> expected(sinks.size()), got(sinks.size());
      const Session cpu = Session::FromGraphDef(def).value();
      const Session sim = Session::FromGraphDef(def, {.devices = {"SIM:0"}}).value();
      REQUIRE(cpu.MakeCallable(options)->Run(feeds, expected).ok());
      const Status status = sim.MakeCallable(options)->Run(feeds, got);
      REQUIRE_MESSAGE(status.ok(), status.ToString());
      for (std::size_t i = 0; i < sinks.size(); ++i) CHECK(SameBits(got[i], expected[i]));
    }
  }
}
}  // namespace multi_device_test
