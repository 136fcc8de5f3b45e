// SPDX-License-Identifier: Apache-2.0
// Session on several devices, as programs use it. Placement and partition by themselves are in
// multi_device_session_test.cpp.
#include <tenon/runtime/multi_device/session_devices.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/base/log.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/kernel/device_resources.hpp>
#include <tenon/kernel/session_tensors.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/session/run_metadata.hpp>
#include <tenon/runtime/session/counters.hpp>
#include <tenon/runtime/trace/export.hpp>
#include <tenon/runtime/trace/file_sink.hpp>
#include <tenon/runtime/trace/sink.hpp>
#include <tenon/runtime/api/session.hpp>

#include "runtime/four_devices.hpp"
#include "graph/function_graphs.hpp"
#include "growth.hpp"
#include "runtime/graphs.hpp"
#include "runtime/looping_graphs.hpp"
#include "runtime/trace_events.hpp"

namespace session_devices_test {
using namespace tenon;
using namespace runtime_test;
using function_test::Call;
using function_test::Floats;

namespace {

// Adds 1, and notes when another thread than the caller's does.
std::atomic<int> other_threads{0};
std::atomic<std::thread::id> callers_thread;
struct SdThread {
  static constexpr auto signature =
      Op("SdThread").Input("x: float").Output("y: float").SetIsStateful().SetShapeFn(shape_inference::UnchangedShape);
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Device&, In<float> x, Out<float> y) const {
      if (std::this_thread::get_id() != callers_thread.load()) ++other_threads;
      for (Index i = 0; i < x.size(); ++i) y[i] = x[i] + 1;
      return OkStatus();
    }
  };
};
TENON_REGISTER(tenon::Types<float>, SdThread);

using Names = std::vector<std::string>;
const Names kNames{"CPU:0", "CPU:1", "SIM:0", "SIM:1"};

void CheckSays(const Status& status, Code code, std::string_view part) {
  CHECK_MESSAGE(status.code() == code, status.ToString());
  CHECK_MESSAGE(Contains(status.message(), part), status.message());
}
Session Make(const GraphDef& graph, const SessionOptions& options) {
  Result<Session> session = Session::FromGraphDef(graph, options);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  return *std::move(session);
}
Session Make(const GraphBuilder& b, const SessionOptions& options) {
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return Make(b.graph_def(), options);
}
Session OnFour(const GraphBuilder& b) { return Make(b, {.devices = kNames}); }
std::vector<Tensor> Run(const Session& session, std::initializer_list<NamedTensor> feeds,
                        std::initializer_list<std::string> fetches, std::initializer_list<std::string> targets = {}) {
  Result<std::vector<Tensor>> results = session.Run(feeds, fetches, targets);
  REQUIRE_MESSAGE(results.ok(), results.status().ToString());
  return *std::move(results);
}
float FirstOf(const Tensor& t) { return t.flat<float>()(0); }
Tensor Pair(float a, float b) { return MakeTensor<float>({2}, {a, b}); }

std::string DeviceOf(const Session& session, std::string_view node) {
  const PlacementReport* const report = FindPlacementReport(session);
  REQUIRE(report != nullptr);
  for (const PlacementReport::Row& row : report->rows)
    if (row.node == node) return row.device.substr(row.device.size() - 5);
  return "none";
}

// x on CPU:0 -> y = x + 1 on SIM:0 -> z = 2 y on SIM:1 -> w = z - x on CPU:1.
GraphBuilder Chain() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
  const Output one = b.Const("one", Tensor::Scalar(1.0f)), two = b.Const("two", Tensor::Scalar(2.0f));
  const Output y = b.Add("AddV2", "y", {x, one}), z = b.Add("Mul", "z", {y, two}), w = b.Add("Sub", "w", {z, x});
  b.SetDevice(y, On("SIM:0"));
  b.SetDevice(z, On("SIM:1"));
  b.SetDevice(w, On("CPU:1"));
  return b;
}
// A variable on SIM:0: init = x, add += x, read.
GraphBuilder Variable() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({2}));
  const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
  b.SetDevice(v, On("SIM:0"));
  b.Add("AssignVariableOp", "init", {v, x});
  b.Add("AssignAddVariableOp", "add", {v, x});
  b.Add("ReadVariableOp", "read", {v}, {{"dtype", DataType::kFloat}});
  return b;
}
// SIM:0 waits for what a queue on CPU:1 never gives; `more` has work on SIM:1 meanwhile.
GraphBuilder Waiting() {
  GraphBuilder b;
  const SlimVector<DataType> floats{DataType::kFloat};
  const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
  const Output get = b.Add("QueueDequeueV2", "get", {q}, {{"component_types", floats}});
  b.SetDevice(q, On("CPU:1"));
  const Output out = b.Add("Neg", "out", {get});
  b.SetDevice(out, On("SIM:0"));
  const Output more = b.Add("Neg", "more", {b.Const("c", Tensor::Scalar(3.0f))});
  b.SetDevice(more, On("SIM:1"));
  b.Add("QueueEnqueueV2", "put", {q, {b.Placeholder("x", DataType::kFloat)}});
  return b;
}

const Names kThree{"CPU:0", "CPU:1", "CPU:2"};
// A chain of n nodes, by turns on three devices; returns the name of the last one.
std::string LongChain(int n, GraphBuilder* b) {
  Output at = b->Placeholder("x", DataType::kFloat);
  for (int i = 0; i < n; ++i) {
    at = b->Add("Identity", StrCat("n", i), {at});
    b->SetDevice(at, On(kThree[static_cast<std::size_t>(i % 3)]));
  }
  return b->Name(at);
}

struct LogText final : LogSink {
  LogText() : before(SetLogSink(this)) {}
  ~LogText() override { SetLogSink(before); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  LogSink* const before;
  std::string text;
};

// Devices of the test's own.
struct Own {
  explicit Own(const SlimVector<std::string>& names = kFour) : manager(MakeDeviceMgr(names)) {}
  SimulatedDevice& sim(const char* name) const { return static_cast<SimulatedDevice&>(**manager->LookupDevice(name)); }
  Owned<DeviceMgr> manager;
};

}  // namespace

TEST_SUITE("A session on several devices") {
  TEST_CASE("nodes run where they ask to") {
    const Session session = OnFour(Chain());
    CHECK(DeviceOf(session, "x") == "CPU:0");
    CHECK(DeviceOf(session, "y") == "SIM:0");
    CHECK(DeviceOf(session, "z") == "SIM:1");
    CHECK(DeviceOf(session, "two") == "SIM:1");
    CHECK(DeviceOf(session, "w") == "CPU:1");
    for (int round = 0; round < 3; ++round) {
      const auto out = Run(session, {{"x", Pair(1, static_cast<float>(round))}}, {"w", "y:0"});
      CHECK(out[0].vec<float>()(0) == 3);
      CHECK(out[0].vec<float>()(1) == static_cast<float>(round + 2));
      CHECK(out[1].vec<float>()(0) == 2);
    }
    CHECK(Run(session, {{"y", Pair(5, 5)}}, {"z"})[0].vec<float>()(0) == 10);
    CHECK(Run(session, {{"x", Pair(5, 5)}}, {}, {"w"}).empty());
    CHECK(session.num_cached_signatures() == 3);
  }

  TEST_CASE("which lists of devices mean that") {
    GraphBuilder b;
    b.Add("Neg", "y", {b.Placeholder("x", DataType::kFloat)});
    const auto is_placed = [&](const Names& names) {
      const Session session = Make(b, {.devices = names});
      CHECK(Run(session, {{"x", Tensor::Scalar(2.0f)}}, {"y"})[0].scalar<float>()() == -2);
      return FindPlacementReport(session) != nullptr;
    };
    for (const Names& one : {Names{}, Names{"CPU:0"}, Names{"SIM:0"}, Names{"SIM:0", "CPU:0"}, Names{"SIM", "CPU"}})
      CHECK(!is_placed(one));
    for (const Names& several :
         {Names{"CPU:0", "SIM:0"}, Names{"CPU:0", "CPU:1"}, Names{"SIM:0", "SIM:1"}, Names{"SIM:0", "CPU:1"}, kNames})
      CHECK(is_placed(several));
    const Own own({"CPU:0"});
    CHECK(FindPlacementReport(Make(b, {.device_mgr = own.manager.get()})) != nullptr);
    CHECK(FindPlacementReport(Session()) == nullptr);
    CHECK(FindPlacementReport(Session::Create({.devices = kNames}).value()) == nullptr);
  }

  TEST_CASE("devices are listed, the CPUs first") {
    const Session session = Make(Chain(), {.devices = {"SIM:1", "SIM:0", "CPU:1"}});
    const auto devices = session.ListDevices();
    REQUIRE(devices.ok());
    Names names;
    std::set<std::uint64_t> incarnations;
    for (const SessionDevice& device : *devices) {
      names.push_back(device.name);
      incarnations.insert(device.incarnation);
    }
    CHECK(names == Names{FullName("CPU:0"), FullName("CPU:1"), FullName("SIM:1"), FullName("SIM:0")});
    CHECK(incarnations.size() == 4);
    CHECK((*devices)[2].device_type == "SIM");
    CHECK(session.devices() == names);
  }

  TEST_CASE("inputs and outputs are those of the graph") {
    const Session session = OnFour(Chain());
    REQUIRE(session.inputs().size() == 1);
    CHECK(session.inputs()[0].name == "x:0");
    CHECK(session.inputs()[0].shape == "[?]");
    REQUIRE(session.outputs().size() == 1);
    CHECK(session.outputs()[0].name == "w:0");
  }

  TEST_CASE("a caller's devices serve two sessions, each with its own state") {
    const Own own;
    const Session one = Make(Variable(), {.device_mgr = own.manager.get()});
    const Session other = Make(Variable(), {.device_mgr = own.manager.get()});
    Run(one, {{"x", Pair(1, 2)}}, {}, {"init"});
    Run(other, {{"x", Pair(3, 4)}}, {}, {"init"});
    CHECK(FirstOf(Run(one, {}, {"read"})[0]) == 1);
    CHECK(FirstOf(Run(other, {}, {"read"})[0]) == 3);
    CHECK(own.sim("SIM:0").num_enqueued() > 0);
  }

  TEST_CASE("a session goes on with the devices that its manager removes") {
    DynamicDeviceMgr manager;
    constexpr const char* kTask = "/job:localhost/replica:0/task:0/device:";
    const auto add = [&manager](Owned<Device> device) {
      SlimVector<Owned<Device>> devices;
      devices.push_back(std::move(device));
      REQUIRE(manager.AddDevices(std::move(devices)).ok());
    };
    const auto remove = [&manager](const std::string& name) {
      REQUIRE(manager.RemoveDevicesByName(Span<const std::string>(&name, 1)).ok());
    };
    DeviceResources on_others;
    REQUIRE(manager.AddDevices(*MakeDevices(kFour, {CpuAllocator(), nullptr})).ok());
    {
      const Session chain = Make(Chain(), {.device_mgr = &manager});
      const SessionOptions options{.device_mgr = &manager, .device_resources = &on_others};
      const Session variable = Make(Variable(), options);
      Run(variable, {{"x", Pair(1, 2)}}, {}, {"init"});
      std::atomic<bool> over{false};
      std::thread runner([&] {
        while (!over) CHECK(FirstOf(Run(chain, {{"x", Pair(1, 2)}}, {"w"})[0]) == 3);
      });
      for (const char* name : {"SIM:0", "SIM:1", "CPU:1"}) remove(name);
      for (std::size_t i = 0; i < DynamicDeviceMgr::kKeptDevices; ++i) {
        add(Owned<Device>(MakeOwned<CpuDevice>(StrCat(kTask, "CPU:1"), CpuAllocator(), nullptr).release()));
        remove("CPU:1");
      }
      over = true;
      runner.join();
      CHECK(FirstOf(Run(chain, {{"x", Pair(1, 2)}}, {"w"})[0]) == 3);
      CHECK(FirstOf(Run(chain, {{"y", Pair(1, 2)}, {"x", Pair(1, 2)}}, {"w"})[0]) == 1);  // a signature made now
      Run(variable, {{"x", Pair(3, 4)}}, {}, {"add"});
      CHECK(FirstOf(Run(variable, {}, {"read"})[0]) == 4);
      CheckSays(Session::FromGraph(Chain(), {.device_mgr = &manager}).status(), Code::kInvalidArgument, "SIM:0");
    }
    add(Owned<Device>(SimulatedDevice::Create(StrCat(kTask, "SIM:0")).value().release()));  // another device, with
                                                                                            // resources of its own
    CHECK(
        Make(Variable(), {.device_mgr = &manager, .device_resources = &on_others}).Run({}, {"read"}).status().code() ==
        Code::kFailedPrecondition);
  }

  TEST_CASE("a session follows devices that come later, and keeps the state of the others") {
    DynamicDeviceMgr manager;
    REQUIRE(manager.AddDevices(*MakeDevices(kFour, {CpuAllocator(), nullptr})).ok());
    Session session = Make(Variable(), {.device_mgr = &manager});
    Run(session, {{"x", Pair(1, 2)}}, {}, {"init"});
    const auto more = [](std::string name, std::string device) {
      GraphDef graph;
      graph.versions.producer = kGraphDefVersion;
      graph.node.push_back(MakeNode(std::move(name), "Neg", {{"T", DataType::kFloat}}));
      graph.node.back().input.push_back("read");
      graph.node.back().device = "/device:" + device;
      return graph;
    };
    CheckSays(session.Extend(more("early", "CPU:7")), Code::kInvalidArgument, "CPU:7");
    constexpr const char* kTask = "/job:localhost/replica:0/task:0/device:";
    SlimVector<Owned<Device>> devices;
    devices.push_back(MakeOwned<CpuDevice>(StrCat(kTask, "CPU:7"), CpuAllocator(), nullptr));
    devices.push_back(tenon::detail::MakeSimulatedDevice(StrCat(kTask, "SIM:3"), 3).value());
    REQUIRE(manager.AddDevices(std::move(devices)).ok());
    CHECK(session.devices().size() == 4);
    REQUIRE(session.Extend(more("late", "CPU:7")).ok());
    CHECK(session.devices().size() == 6);
    REQUIRE(session.Extend(more("later", "SIM:3")).ok());
    CHECK(FirstOf(Run(session, {}, {"late"})[0]) == -1);
    CHECK(FirstOf(Run(session, {}, {"later"})[0]) == -1);
    const std::string name = "CPU:7";
    REQUIRE(manager.RemoveDevicesByName(Span<const std::string>(&name, 1)).ok());
    REQUIRE(session.Extend(more("last", "CPU:7")).ok());  // the session has it still
    CHECK(FirstOf(Run(session, {}, {"last"})[0]) == -1);
  }

  TEST_CASE("sessions may share what lives on the devices") {
    const Own own;
    ResourceMgr on_host;
    DeviceResources on_others;
    const SessionOptions options{
        .device_mgr = own.manager.get(), .resources = &on_host, .device_resources = &on_others};
    {
      const Session one = Make(Variable(), options), other = Make(Variable(), options);
      Run(one, {{"x", Pair(1, 2)}}, {}, {"init"});
      Run(other, {{"x", Pair(3, 4)}}, {}, {"add"});
      CHECK(Run(one, {}, {"read"})[0].vec<float>()(1) == 6);
    }
    Session last = Make(Variable(), options);
    CHECK(FirstOf(Run(last, {}, {"read"})[0]) == 4);
    REQUIRE(last.Reset({}).ok());
    CHECK(Make(Variable(), options).Run({}, {"read"}).status().code() == Code::kFailedPrecondition);
    CheckSays(Session::FromGraph(Variable(), {.devices = kNames, .device_resources = &on_others}).status(),
              Code::kInvalidArgument, "device_resources are for sessions that share a device_mgr");
  }

  TEST_CASE("a variable on a device keeps its value from run to run, in any order of threads") {
    const Session session = OnFour(Variable());
    CHECK(DeviceOf(session, "read") == "SIM:0");
    CheckSays(session.Run({}, {"read"}).status(), Code::kFailedPrecondition, "SIM:0");
    Run(session, {{"x", Pair(0, 0)}}, {}, {"init"});
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 25; ++i) wrong += !session.Run({{"x", Pair(1, 2)}}, {}, {"add"}).ok();
      });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
    CHECK(Run(session, {}, {"read"})[0].vec<float>()(1) == 200);
  }

  TEST_CASE("a loop over three devices") {
    const Session session = Make(CountingOnFour(20), {.devices = kNames});
    for (const float start : {0.0f, 7.0f, 20.0f, 21.0f})
      CHECK(Run(session, {{"x", Tensor::Scalar(start)}}, {"out"})[0].scalar<float>()() == -std::max(start, 20.0f));
    const Session whole = Make(CountingOnFour(20), {.devices = kNames, .lower_control_flow = &KeepFunctionalOps});
    CHECK(DeviceOf(whole, "loop") == "CPU:0");
    CHECK(Run(whole, {{"x", Tensor::Scalar(0.0f)}}, {"out"})[0].scalar<float>()() == -20);
  }

  TEST_CASE("RemoteCall runs a function on any of them, with what that device holds") {
    const AttrValue type(DataType::kFloat);
    using function_test::MakeNode;
    const NodeDef variable =
        MakeNode("v", "VarHandleOp", {},
                 {{"dtype", type}, {"shape", AttrValue(PartialTensorShape({}))}, {"shared_name", AttrValue("n")}});
    GraphDef graph;
    graph.versions.producer = kGraphDefVersion;
    FunctionDef keep = Floats("keep", {"x"},
                              {variable, MakeNode("set", "AssignVariableOp", {"v:resource:0", "x"}, {{"dtype", type}}),
                               MakeNode("out", "AddV2", {"x", "x", "^set"}, {{"T", type}})},
                              "out:z:0");
    FunctionDef peek = Floats("peek", {"x"},
                              {variable, MakeNode("read", "ReadVariableOp", {"v:resource:0"}, {{"dtype", type}}),
                               MakeNode("out", "AddV2", {"x", "read:value:0"}, {{"T", type}})},
                              "out:z:0");
    keep.signature.is_stateful = peek.signature.is_stateful = true;
    graph.library.function = {keep, peek};
    graph.node.push_back(MakeNode("where", "Placeholder", {}, {{"dtype", AttrValue(DataType::kString)}}));
    graph.node.push_back(MakeNode("x", "Placeholder", {}, {{"dtype", type}}));
    for (const char* name : {"keep", "peek"}) {
      const AttrValue types(SlimVector<DataType>{DataType::kFloat});
      graph.node.push_back(MakeNode(StrCat(name, "_there"), "RemoteCall", {"where", "x"},
                                    {{"Tin", types}, {"Tout", types}, {"f", Call(name)}}));
    }
    graph.node.push_back(MakeNode("elsewhere", "Neg", {"x"}, {{"T", type}}));
    graph.node.back().device = On("SIM:0");
    const Session session = Make(graph, {.devices = kNames});
    const auto run = [&session](std::string_view where, float x, const std::string& fetch) {
      return session.Run({{"where", Tensor::Scalar(tstring(where))}, {"x", Tensor::Scalar(x)}}, {fetch});
    };
    for (const std::string& name : kNames) {  // two of them have no node
      CAPTURE(name);
      const auto out = run(name, 3, "keep_there");
      REQUIRE_MESSAGE(out.ok(), out.status().ToString());
      CHECK(FirstOf((*out)[0]) == 6);
      CHECK(FirstOf((*run(name, 1, "peek_there"))[0]) == 4);
      CHECK(FirstOf((*run(name, 7, "keep_there"))[0]) == 14);
    }
    CHECK(FirstOf((*run("CPU:1", 5, "keep_there"))[0]) == 10);
    CHECK(FirstOf((*run("CPU:0", 0, "peek_there"))[0]) == 7);  // each device has a variable of its own
    CHECK(FirstOf((*run("CPU:1", 0, "peek_there"))[0]) == 5);
    CheckSays(run("CPU:7", 1, "keep_there").status(), Code::kInternal, "device:CPU:7");
  }
  TEST_CASE("a model over three devices gives what it gives on one") {
    for (const char* model : {"mlp_digits", "cnn_digits"}) {
      const std::string path = StrCat(TENON_TEST_DATA "/models/", model, "/graph.pb");
      const Session one = Session::FromGraphFile(path).value();
      GraphDef def = ReadGraphFile(path).value();
      int number = 0;
      for (NodeDef& node : def.node)
        if (node.op != "Placeholder" && node.op != "Const")
          node.device = On(std::initializer_list<const char*>{"CPU:0", "CPU:1", "SIM:0"}.begin()[number++ % 3]);
      const Session three = Make(def, {.devices = {"CPU:0", "CPU:1", "SIM:0"}, .allow_soft_placement = true});
      const Endpoint in = one.inputs()[0], out = one.outputs().back();
      TensorShape shape({4, 784});
      if (std::string_view(model) == "cnn_digits") shape = TensorShape({4, 28, 28, 1});
      Tensor pixels(DataType::kFloat, shape);
      for (Index i = 0; i < pixels.NumElements(); ++i) pixels.flat<float>()(i) = static_cast<float>(i % 251) / 251;
      for (int round = 0; round < 3; ++round) {
        const auto expected = one.Run({{in.name, pixels}}, {out.name});
        REQUIRE_MESSAGE(expected.ok(), expected.status().ToString());
        CHECK(SameBits(Run(three, {{in.name, pixels}}, {out.name})[0], (*expected)[0]));
      }
    }
  }

  TEST_CASE("session tensors are in host memory, where feeds find them") {
    GraphBuilder b;
    const Output y = b.Add("Neg", "y", {b.Placeholder("x", DataType::kFloat)});
    b.SetDevice(y, On("SIM:0"));
    b.Add("GetSessionHandleV2", "keep", {y});
    b.Add("DeleteSessionTensor", "drop", {b.Placeholder("handle", DataType::kString)});
    const Session session = OnFour(b);
    CHECK(DeviceOf(session, "keep") == "CPU:0");
    const Tensor handle = Run(session, {{"x", Tensor::Scalar(3.0f)}}, {"keep"})[0];
    CHECK(Run(session, {{"x", handle}}, {"y"})[0].scalar<float>()() == 3);
    const Callable callable = session.MakeCallable({.feeds = {"x"}, .fetches = {"keep:0"}}).value();
    const Tensor kept = (*callable({Tensor::Scalar(4.0f)}))[0];
    CHECK(Run(session, {{"x", kept}}, {"y"})[0].scalar<float>()() == 4);
  }

  TEST_CASE("threads that bring their own pools, or none, and sessions with inter-op pools") {
    ThreadPool two(2, "two"), alone(1, "alone");
    for (ThreadPoolInterface* pool :
         {static_cast<ThreadPoolInterface*>(nullptr), static_cast<ThreadPoolInterface*>(&two),
          static_cast<ThreadPoolInterface*>(&alone)})
      for (const int threads : {0, 1, 3}) {
        const Session session = Make(Chain(), {.inter_op_threads = threads, .devices = kNames, .inter_op_pool = pool});
        CHECK(FirstOf(Run(session, {{"x", Pair(4, 4)}}, {"w"})[0]) == 6);
        for (const int number : {0, -1})
          CHECK(session.Run({{"x", Pair(4, 4)}}, {"w"}, {}, {.inter_op_thread_pool = number}).ok());
        CHECK(session.Run({{"x", Pair(4, 4)}}, {"w"}, {}, {.inter_op_pool = &alone}).ok());
      }
    const Session pools =
        Make(Chain(), {.devices = kNames, .inter_op_pools = {{.num_threads = 1}, {.num_threads = 3}}});
    for (const int number : {-1, 0, 1})
      CHECK(pools.Run({{"x", Pair(4, 4)}}, {"w"}, {}, {.inter_op_thread_pool = number}).ok());
    CheckSays(pools.Run({{"x", Pair(4, 4)}}, {"w"}, {}, {.inter_op_thread_pool = 2}).status(), Code::kInvalidArgument,
              "Invalid inter_op_thread_pool: 2");
  }
}

TEST_SUITE("Callables on several devices") {
  TEST_CASE("run as sessions do, until they are released") {
    const Session session = OnFour(Chain());
    Callable callable = session.MakeCallable({.feeds = {"x"}, .fetches = {"w", "z"}}).value();
    CHECK(callable.num_feeds() == 1);
    CHECK(callable.num_fetches() == 2);
    const auto out = callable({Pair(1, 2)});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK((*out)[0].vec<float>()(1) == 4);
    CHECK((*out)[1].vec<float>()(1) == 6);
    PlanReport report;
    CHECK(!callable.GetPlanReport(&report));
    std::vector<Tensor> fetches(2);
    CheckSays(callable.Run({}, fetches), Code::kInvalidArgument, "Expected 1 feed tensors, but got 0");
    const Tensor wrong = Tensor::Scalar(1);
    CheckSays(callable.Run({&wrong, 1}, fetches), Code::kInvalidArgument, "Expects arg[0] to be float");
    callable.Release();
    const Tensor x = Pair(1, 2);
    CheckSays(callable.Run({&x, 1}, fetches), Code::kInvalidArgument, "after handle was released");
  }

  TEST_CASE("keep the session alive") {
    Callable callable;
    {
      const Session session = OnFour(Chain());
      callable = session.MakeCallable({.feeds = {"x"}, .fetches = {"w"}}).value();
    }
    CHECK(FirstOf((*callable({Pair(1, 2)}))[0]) == 3);
  }

  TEST_CASE("feeds and fetches in the memory of devices") {
    const Own own;
    const Session session = Make(Chain(), {.device_mgr = own.manager.get()});
    // On the device of the node, on another one, on the host under the name of a CPU.
    for (const char* from : {"SIM:0", "SIM:1", "CPU:0", "CPU:1"}) {
      for (const char* to : {"SIM:0", "SIM:1", "CPU:1"}) {
        CAPTURE(from);
        CAPTURE(to);
        const Result<Callable> callable = session.MakeCallable({.feeds = {"y"},
                                                                .fetches = {"z", "z:0"},
                                                                .feed_devices = {{"y", On(from)}},
                                                                .fetch_devices = {{"z", FullName(to)}}});
        REQUIRE_MESSAGE(callable.ok(), callable.status().ToString());
        Device& source = **own.manager->LookupDevice(from);
        Device& place = **own.manager->LookupDevice(to);
        Tensor y = Pair(3, 4);
        if (!source.uses_host_memory()) REQUIRE(source.CopyToDevice(Pair(3, 4), &y).ok());
        for (int round = 0; round < 2; ++round) {
          std::vector<Tensor> out(2);
          const Status status = callable->Run({&y, 1}, out);
          REQUIRE_MESSAGE(status.ok(), status.ToString());
          CHECK(out[1].vec<float>()(1) == 8);
          Tensor z = out[0];
          if (!place.uses_host_memory()) {
            CHECK(out[0].raw_data() != out[1].raw_data());
            REQUIRE(place.CopyToHost(out[0], CpuAllocator(), &z).ok());
          }
          CHECK(z.vec<float>()(0) == 6);
        }
      }
    }
    CHECK(session.num_cached_signatures() == 0);  // each callable has its own
  }

  TEST_CASE("what stays on a device goes round without a copy to the host") {
    const Own own;
    GraphBuilder b;
    const Output y = b.Add("Neg", "y", {b.Placeholder("x", DataType::kFloat)});
    b.SetDevice(y, On("SIM:0"));
    GraphDef def = b.graph_def();
    def.node[0].device = On("SIM:0");
    const Session session = Make(def, {.device_mgr = own.manager.get()});
    const Callable callable =
        session
            .MakeCallable(
                {.feeds = {"x"}, .fetches = {"y"}, .feed_devices = {{"x", "SIM:0"}}, .fetch_devices = {{"y", "SIM:0"}}})
            .value();
    SimulatedDevice& sim = own.sim("SIM:0");
    Tensor value;
    REQUIRE(sim.CopyToDevice(Tensor::Scalar(2.0f), &value).ok());
    for (int i = 0; i < 3; ++i) {
      Tensor next;
      REQUIRE(callable.Run({&value, 1}, {&next, 1}).ok());
      value = next;
    }
    Tensor host;
    REQUIRE(sim.CopyToHost(value, CpuAllocator(), &host).ok());
    CHECK(host.scalar<float>()() == -2);
  }

  TEST_CASE("so do those of a session on one device") {
    const Own own({"CPU:0", "SIM:0"});
    SimulatedDevice& sim = own.sim("SIM:0");
    const Session session = Make(SmallGraph(), {.device = &sim});
    const Callable callable = session
                                  .MakeCallable({.feeds = {"x"},
                                                 .fetches = {"z", "y"},
                                                 .feed_devices = {{"x", "SIM:0"}},
                                                 .fetch_devices = {{"z", "SIM:0"}}})
                                  .value();
    Tensor x;
    REQUIRE(sim.CopyToDevice(Pair(1, 2), &x).ok());
    for (int round = 0; round < 3; ++round) {
      std::vector<Tensor> out(2);
      REQUIRE(callable.Run({&x, 1}, out).ok());
      Tensor z;
      REQUIRE(sim.CopyToHost(out[0], CpuAllocator(), &z).ok());
      CHECK(z.vec<float>()(1) == 9);
      CHECK(out[1].vec<float>()(1) == 3);
    }
  }

  TEST_CASE("places that are none") {
    const Session session = OnFour(Chain());
    const auto status = [&](const std::vector<TensorDevice>& feeds, const std::vector<TensorDevice>& fetches) {
      return session.MakeCallable({.feeds = {"x"}, .fetches = {"w"}, .feed_devices = feeds, .fetch_devices = fetches})
          .status();
    };
    CheckSays(status({{"x", "nonsense"}}, {}), Code::kInvalidArgument,
              "Invalid device name ('nonsense') provided for the tensor 'x' in CallableOptions");
    CheckSays(status({}, {{"w", "SIM:7"}}), Code::kInvalidArgument,
              "Device 'SIM:7' specified for tensor 'w' in CallableOptions does not exist; the session has '");
    CheckSays(status({{"y", "SIM:0"}}, {}), Code::kInvalidArgument, "feed_devices has 'y', which is none of the feeds");
    CheckSays(status({}, {{"y", "SIM:0"}}), Code::kInvalidArgument,
              "fetch_devices has 'y', which is none of the fetches");
    GraphBuilder b;
    b.Add("Identity", "y", {b.Placeholder("x", DataType::kString)});
    CheckSays(OnFour(b).MakeCallable({.feeds = {"x"}, .fetches = {"y"}, .fetch_devices = {{"y", "SIM:0"}}}).status(),
              Code::kUnimplemented, "Cannot feed or fetch tensor 'y' from device ");
    GraphBuilder references;
    references.Add("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({})}});
    references.Add("Neg", "y", {references.Placeholder("x", DataType::kFloat)});
    CheckSays(
        OnFour(references).MakeCallable({.feeds = {"x"}, .fetches = {"y"}, .fetch_devices = {{"y", "SIM:0"}}}).status(),
        Code::kUnimplemented, "in a graph with variables by reference such as 'v'");
  }
}

TEST_SUITE("Runs on several devices with RunOptions") {
  TEST_CASE("tell of all devices") {
    const Session session = OnFour(Chain());
    RunMetadata metadata;
    const auto out = session.Run({{"x", Pair(1, 2)}}, {"w"}, {},
                                 {.trace_level = TraceLevel::kFull, .output_partition_graphs = true}, &metadata);
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    std::set<std::string> devices, nodes;
    for (const DeviceStepStats& stats : metadata.step_stats.dev_stats) {
      CHECK(devices.insert(stats.device).second);
      for (const NodeExecStats& node : stats.node_stats) {
        if (node.node_name == "y") CHECK(stats.device == FullName("SIM:0"));
        if (node.node_name == "z") CHECK(stats.device == FullName("SIM:1"));
        if (node.node_name == "w") CHECK(stats.device == FullName("CPU:1"));
        if (node.node_name == "w") CHECK(node.timeline_label == "w = Sub(z, _arg_x_0_0)");
        if (node.node_name == "z") {
          REQUIRE(node.memory.size() == 1);
          CHECK(Contains(node.memory[0].allocator_name, "SIM:1"));
        }
        CHECK(node.all_end_rel_nanos >= 0);
        nodes.insert(node.node_name);
      }
    }
    CHECK(devices.size() == 4);
    for (const char* node : {"y", "z", "w"}) CHECK(nodes.count(node) == 1);
    int costs = 0;
    for (const CostGraphDef::Node& node : metadata.cost_graph.node)
      if (node.name == "z" && node.device == FullName("SIM:1")) ++costs;
    CHECK(costs == 1);

    REQUIRE(metadata.partition_graphs.size() == 4);
    std::set<std::string> parts;
    int args = 0, retvals = 0, sends = 0, recvs = 0;
    for (const GraphDef& graph : metadata.partition_graphs) {
      REQUIRE(!graph.node.empty());
      parts.insert(graph.node[0].device);
      std::set<std::string> names;
      for (const NodeDef& node : graph.node) {
        CHECK(node.device == graph.node[0].device);
        names.insert(node.name);
        args += node.op == "_Arg";
        retvals += node.op == "_Retval";
        sends += node.op == "_Send" || node.op == "_HostSend";
        recvs += node.op == "_Recv" || node.op == "_HostRecv";
      }
      for (const NodeDef& node : graph.node)  // each is a graph by itself
        for (const std::string& input : node.input) {
          const std::string name(ParseTensorName(input).node);
          CHECK_MESSAGE(names.count(name) == 1, name);
        }
    }
    CHECK(parts == devices);
    CHECK(args == 1);
    CHECK(retvals == 1);
    CHECK(sends == recvs);
    CHECK(sends >= 4);
    CHECK(!SerializeRunMetadata(metadata).empty());
  }

  TEST_CASE("the number of a feed or fetch is its own, wherever its part is") {
    const Session session = OnFour(Chain());
    RunMetadata metadata;
    const auto out = session.Run({{"y", Pair(1, 2)}, {"x", Pair(3, 4)}}, {"w", "z"}, {},
                                 {.output_partition_graphs = true}, &metadata);
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    std::set<std::string> ends;
    for (const GraphDef& graph : metadata.partition_graphs)
      for (const NodeDef& node : graph.node)
        if (node.op == "_Arg" || node.op == "_Retval")
          ends.insert(StrCat(node.name, " ", node.attr.Find("index")->i(), node.device.substr(node.device.size() - 6)));
    CHECK(ends == std::set<std::string>{"_arg_y_0_0 0:SIM:0", "_arg_x_0_1 1:CPU:0", "_retval_w_0_0 0:CPU:1",
                                        "_retval_z_0_1 1:SIM:1"});
  }

  TEST_CASE("RunTraced has the nodes of all devices, in order, and the edges between them") {
    const Session session = OnFour(Chain());
    const Callable callable = session.MakeCallable({.feeds = {"x"}, .fetches = {"w"}}).value();
    const Tensor x = Pair(1, 2);
    Tensor w;
    RunTrace trace;
    for (int round = 0; round < 2; ++round) REQUIRE(callable.RunTraced({&x, 1}, {&w, 1}, &trace).ok());
    std::set<std::string> devices;
    std::int64_t last = 0;
    for (const NodeTiming& node : trace.nodes) {
      devices.insert(std::string(node.device));
      CHECK(node.end_ns >= last);
      CHECK(node.start_ns <= node.end_ns);
      CHECK(node.end_ns <= trace.total_ns);
      last = node.end_ns;
      if (node.node != nullptr) CHECK(node.node->name() == node.name);
    }
    CHECK(devices.size() == 4);
    std::set<std::string> flows;
    for (const TraceFlow& flow : FlowsOf(trace))
      flows.insert(StrCat(trace.nodes[flow.from].name, "->", trace.nodes[flow.to].name));
    CHECK(flows.count("y->z") == 1);
    CHECK(flows.count("z->w") == 1);
  }

  TEST_CASE("devices share the limit of a trace") {
    const Session session = Make(Chain(), {.devices = kNames, .max_trace_events = 4});
    const Callable callable = session.MakeCallable({.feeds = {"x"}, .fetches = {"w"}}).value();
    const Tensor x = Pair(1, 2);
    Tensor w;
    RunTrace all, trace;
    REQUIRE(OnFour(Chain()).MakeCallable({.feeds = {"x"}, .fetches = {"w"}})->RunTraced({&x, 1}, {&w, 1}, &all).ok());
    REQUIRE(callable.RunTraced({&x, 1}, {&w, 1}, &trace).ok());
    CHECK(trace.nodes.size() <= 4);
    CHECK(trace.num_dropped > 0);
    CHECK(trace.nodes.size() + static_cast<std::size_t>(trace.num_dropped) == all.nodes.size());
    CHECK(all.num_dropped == 0);
  }

  TEST_CASE("deadlines and cancellation stop all parts") {
    const Session session = OnFour(Waiting());
    const auto start = std::chrono::steady_clock::now();
    CheckSays(session.Run({}, {"out", "more"}, {}, {.timeout_in_ms = 20}).status(), Code::kDeadlineExceeded,
              "did not end within 20 ms");
    CancellationManager cancellation;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      cancellation.StartCancel();
    });
    CHECK(session.Run({}, {"out", "more"}, {}, {.cancellation = &cancellation}).status().code() == Code::kCancelled);
    canceller.join();
    CheckSays(session.Run({}, {"out"}, {}, {.timeout_in_ms = -1}).status(), Code::kInvalidArgument, "not be negative");
    const Session limited = Make(Waiting(), {.devices = kNames, .operation_timeout_in_ms = 20});
    CheckSays(limited.Run({}, {"out"}).status(), Code::kDeadlineExceeded, "did not end within 20 ms");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    // The queue still works.
    REQUIRE(session.Run({{"x", Tensor::Scalar(2.0f)}}, {}, {"put"}).ok());
    CHECK(Run(session, {}, {"out"})[0].scalar<float>()() == -2);
  }

  TEST_CASE("a deadline or a cancellation ends what prepares a run, and the next run prepares it again") {
    GraphBuilder b;
    const std::string last = LongChain(50'000, &b);
    const Session session = Make(b, {.devices = kThree});
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(2.0f)}};
    const auto run = [&](const RunOptions& options) { return session.Run(feeds, Names{last}, {}, options); };
    auto start = now();
    CheckSays(run({.timeout_in_ms = 50}).status(), Code::kDeadlineExceeded, "Preparing the run was cancelled");
    const auto given_up = now() - start;
    CancellationManager cancellation;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      cancellation.StartCancel();
    });
    CHECK(run({.cancellation = &cancellation}).status().code() == Code::kCancelled);
    canceller.join();
    CHECK(session.num_cached_signatures() == 0);
    start = now();
    const auto out = run({.timeout_in_ms = 1'000'000});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK((*out)[0].scalar<float>()() == 2);
    CHECK(given_up < now() - start);
    const Session bounded = Make(b, {.devices = kThree, .operation_timeout_in_ms = 1});
    CHECK(bounded.Run({{"x", Tensor::Scalar(2.0f)}}, {last}).status().code() == Code::kDeadlineExceeded);
  }

  TEST_CASE("a graph is placed, cut and prepared in time that grows with its nodes") {
    constexpr int kSize = 700;
    GraphBuilder small, large;
    const std::string of_small = LongChain(kSize, &small), of_large = LongChain(4 * kSize, &large);
    CHECK(growth_test::Growth(kSize, [&](int n) {
            const Session session = Make(n == kSize ? small : large, {.devices = kThree});
            CHECK(session.MakeCallable({.feeds = {"x"}, .fetches = {n == kSize ? of_small : of_large}}).ok());
          }) < growth_test::kLinear);
  }

  TEST_CASE("limits of an import are those of the given graph") {
    GraphBuilder b;
    const std::string last = LongChain(6, &b);
    GraphDef graph = b.graph_def();
    NameAttrList nested{"f", {}};
    for (int i = 0; i < 150; ++i) nested = NameAttrList{"f", AttrMap{{"g", AttrValue(nested)}}};
    graph.node[3].attr.Set("_nested", AttrValue(nested));
    SessionOptions options{.devices = kThree};
    CHECK(Session::FromGraphDef(graph, options).status().code() == Code::kResourceExhausted);
    options.import_limits = {.max_nodes = 7, .max_nesting = 200};  // the partitions have more nodes
    const Session session = Make(graph, options);
    CHECK(FirstOf(session.Run({{"x", Tensor::Scalar(2.0f)}}, {last}).value()[0]) == 2);
    options.import_limits.max_nodes = 6;
    CheckSays(Session::FromGraphDef(graph, options).status(), Code::kResourceExhausted,
              "6 are allowed by ImportLimits::max_nodes");
  }

  TEST_CASE("the first error counts, names its node and device, and harms no later run") {
    const Own own;
    const Session session = Make(Chain(), {.device_mgr = own.manager.get()});
    const Tensor x = Pair(1, 2);
    REQUIRE(session.Run({{"x", x}}, {"w"}).ok());
    own.sim("SIM:1").InjectFailure(2, errors::DataLoss("it broke"));  // 1: what comes from SIM:0; 2: z
    CheckSays(session.Run({{"x", x}}, {"w"}).status(), Code::kDataLoss, "[node 'z', SIM:1]");
    CHECK(Run(session, {{"x", x}}, {"w"})[0].vec<float>()(1) == 4);
    const Session loop = Make(CountingOnFour(20), {.device_mgr = own.manager.get()});
    REQUIRE(loop.Run({{"x", Tensor::Scalar(0.0f)}}, {"out"}).ok());
    own.sim("SIM:0").InjectFailure(25, errors::DataLoss("in the middle"));
    CheckSays(loop.Run({{"x", Tensor::Scalar(0.0f)}}, {"out"}).status(), Code::kDataLoss, "in the middle");
    CHECK(Run(loop, {{"x", Tensor::Scalar(0.0f)}}, {"out"})[0].scalar<float>()() == -20);
  }

  TEST_CASE("what lived when memory ran out, on every device") {
    const auto devices = [] {
      SlimVector<Owned<Device>> made = MakeDevices({"CPU:1", "SIM:0"}, {CpuAllocator(), nullptr}).value();
      return Owned<DeviceMgr>(StaticDeviceMgr::Create(std::move(made)).value().release());
    }();
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat);
    const Output big = b.Add("Fill", "big", {b.Placeholder("dims", DataType::kInt32, PartialTensorShape({1})), x});
    b.SetDevice(big, On("SIM:0"));
    const Session session = Make(b, {.device_mgr = devices.get()});
    const std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(1.0f)},
                                         {"dims", MakeTensor<std::int32_t>({1}, {200'000'000})}};
    const std::vector<std::string> fetches{"big"};
    CheckSays(session.Run(feeds, fetches).status(), Code::kResourceExhausted,
              "add report_tensor_allocations_upon_oom to RunOptions");
    CheckSays(session.Run(feeds, fetches, {}, {.report_tensor_allocations_upon_oom = true}).status(),
              Code::kResourceExhausted, "Current usage from device: ");
  }

  TEST_CASE(
      "the caller's thread runs all parts where the executor is sequential; pool -1 is the first, as in TensorFlow") {
    GraphBuilder b;
    Output value = b.Placeholder("x", DataType::kFloat);
    for (int i = 0; i < 20; ++i) {
      value = b.Add("SdThread", StrCat("n", i), {value});
      b.SetDevice(value, On(kNames[static_cast<std::size_t>(i % 2)]));  // SIM:0 has a thread of its own
    }
    const Output far = b.Add("Neg", "far", {value});
    b.SetDevice(far, On("SIM:0"));
    const auto check = [&](const Session& session, const RunOptions& options, bool on_caller) {
      other_threads = 0;
      callers_thread = std::this_thread::get_id();
      const auto out = session.Run({{"x", Tensor::Scalar(1.0f)}}, {"far"}, {}, options);
      REQUIRE_MESSAGE(out.ok(), out.status().ToString());
      CHECK(FirstOf((*out)[0]) == -21);
      CHECK((other_threads == 0) == on_caller);
    };
    const Session plain = OnFour(b), in_order = Make(b, {.devices = kNames, .executor = ExecutorKind::kSequential});
    for (int i = 0; i < 3; ++i) {
      check(in_order, {}, true);
      check(plain, {.executor = ExecutorKind::kSequential}, true);
      check(plain, {.inter_op_thread_pool = -1}, false);
      check(in_order, {.executor = ExecutorKind::kDataflow}, false);
      check(plain, {}, false);
    }
  }
  TEST_CASE("a run on the caller's thread is bounded, fails and is traced as others are") {
    const Session waiting = Make(Waiting(), {.devices = kNames, .executor = ExecutorKind::kSequential});
    CheckSays(waiting.Run({}, {"out", "more"}, {}, {.timeout_in_ms = 20}).status(), Code::kDeadlineExceeded,
              "did not end within 20 ms");
    std::thread giver([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      CHECK(waiting.Run({{"x", Tensor::Scalar(2.0f)}}, {}, {"put"}).ok());
    });
    CHECK(Run(waiting, {}, {"out"})[0].scalar<float>()() == -2);
    giver.join();
    RunMetadata metadata;
    const Session chain = OnFour(Chain());
    const RunOptions traced{.trace_level = TraceLevel::kFull, .executor = ExecutorKind::kSequential};
    REQUIRE(chain.Run({{"x", Pair(1, 2)}}, {"w"}, {}, traced, &metadata).ok());
    CHECK(metadata.step_stats.dev_stats.size() >= 3);
    CheckSays(chain.Run({}, {"w"}, {}, traced).status(), Code::kInvalidArgument, "You must feed a value");
    REQUIRE(chain.Run({{"x", Pair(1, 2)}}, {"w"}, {}, traced).ok());
  }
}

TEST_SUITE("Who watches a session on several devices") {
  TEST_CASE("hears of every run, with counters") {
    struct Listener final : TraceSink {
      void OnRun(const TracedRun& run) override {
        std::set<std::string> devices;
        for (const NodeTiming& node : run.trace.nodes) devices.insert(std::string(node.device));
        seen.push_back(static_cast<int>(devices.size()));
        runs = run.counters.runs;
        ok += run.status.ok();
      }
      std::vector<int> seen;
      std::int64_t runs = 0;
      int ok = 0;
    } listener;
    const Own own;
    const Session session = Make(Chain(), {.device_mgr = own.manager.get(), .trace_sink = &listener});
    Run(session, {{"x", Pair(1, 2)}}, {"w"});
    Run(session, {{"y", Pair(1, 2)}}, {"z"});
    own.sim("SIM:1").InjectFailure(2, errors::DataLoss("it broke"));
    CHECK(!session.Run({{"x", Pair(1, 2)}}, {"w"}).ok());
    CHECK(listener.seen.size() == 3);
    CHECK(listener.seen[0] == 4);
    CHECK(listener.ok == 2);
    CHECK(listener.runs == 3);
  }

  TEST_CASE("a file of its runs shows every device") {
    const std::string path = StrCat("session_devices_", reinterpret_cast<std::uintptr_t>(&path), ".json");
    {
      TraceFile file(path);
      const Session session = Make(Chain(), {.devices = kNames, .trace_sink = &file});
      Run(session, {{"x", Pair(1, 2)}}, {"w"});
      CHECK(file.status().ok());
    }
    std::string text;
    std::FILE* const in = std::fopen(path.c_str(), "rb");
    REQUIRE(in != nullptr);
    char buffer[4096];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, in)) > 0;) text.append(buffer, n);
    std::fclose(in);
    std::remove(path.c_str());
    std::vector<TraceEvent> events;
    REQUIRE(TraceReader::Read(text, &events));
    std::set<std::string> devices;
    int flows = 0;
    for (const TraceEvent& event : events) {
      if (event.count("args.device") != 0) devices.insert(event.at("args.device"));
      flows += event.at("ph") == "s";
    }
    CHECK(devices.size() == 4);
    CHECK(flows >= 2);
  }

  TEST_CASE("counters have all devices") {
    const Session session = OnFour(Chain());
    for (int i = 0; i < 3; ++i) Run(session, {{"x", Pair(1, 2)}}, {"w"});
    Run(session, {{"y", Pair(1, 2)}}, {"z"});
    SessionCounters counters;
    REQUIRE(session.GetCounters(&counters));
    CHECK(counters.runs == 4);
    CHECK(counters.planned_runs == 0);
    CHECK(counters.programs == 2);
    CHECK(counters.steps == 4 + 2);
    std::set<std::string> devices;
    for (const AllocatorCounters& memory : counters.allocators) devices.insert(memory.device);
    CHECK(devices.count(FullName("SIM:0")) == 1);
    CHECK(devices.count(FullName("SIM:1")) == 1);
  }

  TEST_CASE("the placement is logged where that is wanted") {
    std::string logged;
    {
      LogText log;
      const Session session = Make(Chain(), {.devices = kNames, .log_device_placement = true});
      logged = log.text;
    }
    CHECK(Contains(logged, "Device placement:"));
    CHECK(Contains(logged, StrCat("z: (Mul): ", FullName("SIM:1"))));
  }
}

TEST_SUITE("A session on several devices that changes") {
  TEST_CASE("Extend places again; what has state keeps it, and its device") {
    Session session = OnFour(Variable());
    Run(session, {{"x", Pair(1, 2)}}, {}, {"init"});
    const Callable before = session.MakeCallable({.feeds = {"x"}, .targets = {"add"}}).value();
    GraphDef more;
    more.versions.producer = Variable().graph_def().versions.producer;
    NodeDef twice = function_test::MakeNode("twice", "AddV2", {"read", "read"}, {{"T", DataType::kFloat}});
    twice.device = On("SIM:1");
    NodeDef gone = function_test::MakeNode("gone", "Neg", {"twice"}, {{"T", DataType::kFloat}});
    gone.device = On("CPU:1");
    more.node = {twice, gone};
    REQUIRE_MESSAGE(session.Extend(more).ok(), session.Extend(more).ToString());
    CHECK(DeviceOf(session, "v") == "SIM:0");
    CHECK(DeviceOf(session, "twice") == "SIM:1");
    CHECK(Run(session, {}, {"gone"})[0].vec<float>()(1) == -4);
    const Tensor x = Pair(1, 2);
    REQUIRE(before.Run({&x, 1}, {}).ok());
    CHECK(Run(session, {}, {"gone"})[0].vec<float>()(1) == -8);
    CheckSays(session.Extend(more), Code::kInvalidArgument, "which was created by a previous call");
    // A fault leaves all as it was.
    NodeDef lost = function_test::MakeNode("lost", "Neg", {"twice"}, {{"T", DataType::kFloat}});
    lost.device = On("SIM:9");
    more.node = {lost};
    CheckSays(session.Extend(more), Code::kInvalidArgument, "was explicitly assigned to /device:SIM:9");
    CHECK(Run(session, {}, {"gone"})[0].vec<float>()(1) == -8);
  }

  TEST_CASE("a variable without a device of its own stays when what is added would draw it away") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({2}));
    const Output v = b.Add("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
    b.Add("Assign", "init", {v, x});
    Session session = Make(b, {.devices = {"CPU:0", "CPU:1"}});
    CHECK(DeviceOf(session, "v") == "CPU:0");
    Run(session, {{"x", Pair(1, 2)}}, {}, {"init:0"});
    GraphDef more;
    more.versions.producer = b.graph_def().versions.producer;
    NodeDef add = function_test::MakeNode("add", "AssignAdd", {"v", "x"}, {{"T", DataType::kFloat}});
    NodeDef read = function_test::MakeNode("read", "Identity", {"v"}, {{"T", DataType::kFloat}});
    read.device = On("CPU:1");
    more.node = {add, read};
    REQUIRE(session.Extend(more).ok());
    CHECK(DeviceOf(session, "v") == "CPU:0");
    CHECK(DeviceOf(session, "read") == "CPU:1");
    CHECK(Run(session, {}, {"read"})[0].vec<float>()(1) == 2);
    Run(session, {{"x", Pair(1, 2)}}, {}, {"add"});
    CHECK(Run(session, {}, {"read"})[0].vec<float>()(1) == 4);
  }

  TEST_CASE("a session that begins without a graph") {
    Session session = Session::Create({.devices = kNames}).value();
    CheckSays(session.Run({}, {"w"}).status(), Code::kInvalidArgument, "was not created with a graph before Run()");
    CHECK(session.devices().size() == 4);
    REQUIRE(session.Extend(Chain().graph_def()).ok());
    CHECK(FirstOf(Run(session, {{"x", Pair(1, 2)}}, {"w"})[0]) == 3);
    REQUIRE(session.Finalize().ok());
    CHECK(session.Run({{"x", Pair(1, 2)}}, {"w"}).ok());
    CheckSays(session.Run({{"x", Pair(1, 2)}}, {"z"}).status(), Code::kFailedPrecondition, "finalized");
  }

  TEST_CASE("a loop is extended") {
    Session session = Make(CountingOnFour(5), {.devices = kNames});
    CHECK(Run(session, {{"x", Tensor::Scalar(0.0f)}}, {"out"})[0].scalar<float>()() == -5);
    GraphDef more;
    more.versions.producer = CountingOnFour(5).versions.producer;
    NodeDef next = function_test::MakeNode("next", "Neg", {"loop"}, {{"T", DataType::kFloat}});
    next.device = On("SIM:1");
    more.node = {next};
    const Status status = session.Extend(more);
    REQUIRE_MESSAGE(status.ok(), status.ToString());
    CHECK(Run(session, {{"x", Tensor::Scalar(0.0f)}}, {"out", "next"})[1].scalar<float>()() == -5);
  }

  TEST_CASE("runs and Extend at the same time") {
    Session session = OnFour(Variable());
    Run(session, {{"x", Pair(0, 0)}}, {}, {"init"});
    const int producer = Variable().graph_def().versions.producer;
    std::atomic<int> wrong{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        for (int i = 0; !stop.load() || i < 5; ++i) wrong += !session.Run({{"x", Pair(1, 1)}}, {"read"}, {"add"}).ok();
      });
    std::string last = "read";
    for (int i = 0; i < 8; ++i) {
      GraphDef more;
      more.versions.producer = producer;
      const std::string name = StrCat("n", i);
      NodeDef node = function_test::MakeNode(name, "Neg", {last}, {{"T", DataType::kFloat}});
      node.device = On(kNames[static_cast<std::size_t>(i) % 4]);
      more.node = {node};
      last = name;
      const Status status = session.Extend(more);
      CHECK_MESSAGE(status.ok(), status.ToString());
      CHECK(session.Run({}, {name}).ok());
    }
    stop.store(true);
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }

  TEST_CASE("Close stops what runs, and what comes later fails") {
    Session session = OnFour(Waiting());
    const Callable callable = session.MakeCallable({.fetches = {"out"}}).value();
    std::atomic<int> cancelled{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] { cancelled += session.Run({}, {"out", "more"}).status().code() == Code::kCancelled; });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    REQUIRE(session.Close().ok());
    for (std::thread& thread : threads) thread.join();
    CHECK(cancelled == 3);
    std::vector<Tensor> out(1);
    for (const Status& status : {session.Run({}, {"more"}).status(), callable.Run({}, out),
                                 session.MakeCallable({.fetches = {"more"}}).status(),
                                 session.Extend(Chain().graph_def()), session.PRunSetup({}, {"out"}).status()})
      CheckSays(status, Code::kCancelled, "Session has been closed.");
  }

  TEST_CASE("Reset drops what is in the containers, on every device") {
    const Own own;
    ResourceMgr resources;
    GraphBuilder b;
    for (const char* device : {"CPU:0", "SIM:1"}) {
      const std::string name = StrCat("v", device[0]);
      const Output v = b.Add(
          "VarHandleOp", name, {},
          {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}, {"shared_name", std::string_view(name)}});
      b.SetDevice(v, On(device));
      b.Add("AssignVariableOp", StrCat(name, "_init"), {v, b.Placeholder(StrCat(name, "_x"), DataType::kFloat)});
    }
    Session session = Make(b, {.device_mgr = own.manager.get(), .resources = &resources});
    Run(session, {{"vC_x", Pair(1, 2)}, {"vS_x", Pair(1, 2)}}, {}, {"vC_init", "vS_init"});
    CHECK(Contains(resources.DebugString(), "vC"));
    CHECK(!Contains(resources.DebugString(), "vS"));
    const Tensor x = Pair(1, 2);
    const std::int64_t in_use = own.sim("SIM:1").allocator()->GetStats()->bytes_in_use;
    REQUIRE(session.Reset({}).ok());
    CHECK(!Contains(resources.DebugString(), "vC"));
    CHECK(own.sim("SIM:1").allocator()->GetStats()->bytes_in_use < in_use);
    CheckSays(session.Run({{"vC_x", x}}, {}, {"vC_init"}).status(), Code::kCancelled, "closed");
  }
}

TEST_SUITE("Partial runs on several devices") {
  TEST_CASE("each fetch comes when what it needs is there, from any device") {
    const Session session = OnFour(Chain());
    for (int round = 0; round < 3; ++round) {
      const Result<std::string> handle = session.PRunSetup({"x", "y"}, {"z", "w"});
      REQUIRE_MESSAGE(handle.ok(), handle.status().ToString());
      const auto z = session.PRun(*handle, {{"y", Pair(3, 4)}}, {"z"});
      REQUIRE_MESSAGE(z.ok(), z.status().ToString());
      CHECK((*z)[0].vec<float>()(1) == 8);
      CheckSays(session.PRun(*handle, {}, {"w"}).status(), Code::kInvalidArgument,
                "Fetch x:0 can't be computed from the feeds that have been fed so far.");
      const Result<std::string> again = session.PRunSetup({"x", "y"}, {"z", "w"});
      REQUIRE(again.ok());
      CHECK(session.PRun(*again, {{"x", Pair(1, 1)}}, {}).ok());
      const auto both = session.PRun(*again, {{"y", Pair(3, 4)}}, {"w", "z"});
      REQUIRE_MESSAGE(both.ok(), both.status().ToString());
      CHECK((*both)[0].vec<float>()(0) == 5);
      CheckSays(session.PRun(*again, {}, {"z"}).status(), Code::kInvalidArgument, "Must run 'setup'");
    }
  }

  TEST_CASE("a feed that another device needs only is needed") {
    const Session session = OnFour(Chain());
    const std::string handle = session.PRunSetup({"x"}, {"z", "w"}).value();
    CheckSays(session.PRun(handle, {}, {"z"}).status(), Code::kInvalidArgument, "Fetch x:0 can't be computed");
    const std::string fed = session.PRunSetup({"x"}, {"z", "w"}).value();
    const auto out = session.PRun(fed, {{"x", Pair(1, 2)}}, {"w", "z"});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK(FirstOf((*out)[0]) == 3);
  }

  TEST_CASE("loops, variables, targets") {
    const Session loop = Make(CountingOnFour(20), {.devices = kNames});
    const std::string handle = loop.PRunSetup({"x"}, {"out"}).value();
    const auto out = loop.PRun(handle, {{"x", Tensor::Scalar(7.0f)}}, {"out"});
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK((*out)[0].scalar<float>()() == -20);
    const Session session = OnFour(Variable());
    const std::string init = session.PRunSetup({"x"}, {}, {"init"}).value();
    REQUIRE(session.PRun(init, {{"x", Pair(1, 2)}}, {}).ok());
    CHECK(FirstOf(Run(session, {}, {"read"})[0]) == 1);
  }

  TEST_CASE("errors, deadlines and the session's end") {
    const Own own;
    Session session = Make(Chain(), {.device_mgr = own.manager.get()});
    CheckSays(session.PRunSetup({"x"}, {"nothing"}).status(), Code::kInvalidArgument, "was not found in the Graph");
    const std::string broken = session.PRunSetup({"x"}, {"w"}).value();
    own.sim("SIM:1").InjectFailure(2, errors::DataLoss("it broke"));
    CheckSays(session.PRun(broken, {{"x", Pair(1, 2)}}, {"w"}).status(), Code::kDataLoss, "[node 'z', SIM:1]");
    const std::string late = session.PRunSetup({"x"}, {"w"}, {}, {.timeout_in_ms = 20}).value();
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    CheckSays(session.PRun(late, {{"x", Pair(1, 2)}}, {"w"}).status(), Code::kDeadlineExceeded, "20 ms");
    const std::string wrong = session.PRunSetup({"x"}, {"w"}).value();
    CheckSays(session.PRun(wrong, {{"x", Tensor::Scalar(1)}}, {"w"}).status(), Code::kInvalidArgument,
              "Feed 'x:0' must be float");
    const std::string closed = session.PRunSetup({"x"}, {"w"}).value();
    REQUIRE(session.Close().ok());
    CheckSays(session.PRun(closed, {{"x", Pair(1, 2)}}, {"w"}).status(), Code::kCancelled, "closed");
    // Runs that nobody ends go with their session.
    const Session other = OnFour(Chain());
    REQUIRE(other.PRunSetup({"x", "y"}, {"w"}).ok());
  }
}

TEST_SUITE("Errors of sessions on several devices") {
  TEST_CASE("soft placement: what a device cannot do, or is not there, another one does") {
    GraphBuilder b;
    const Output y = b.Add("Neg", "y", {b.Placeholder("x", DataType::kFloat)});
    b.SetDevice(y, On("SIM:7"));
    const Output list =
        b.Add("TensorListReserve", "list", {b.Const("s", Tensor::Scalar(-1)), b.Const("n", Tensor::Scalar(2))},
              {{"element_dtype", DataType::kFloat}});
    b.Add("TensorListLength", "length", {list});
    b.SetDevice(list, On("SIM:0"));  // variants are in host memory only
    const Session session = Make(b, {.devices = kNames, .allow_soft_placement = true});
    CHECK(DeviceOf(session, "list") == "CPU:0");
    const auto out = Run(session, {{"x", Tensor::Scalar(3.0f)}}, {"y", "length"});
    CHECK(out[0].scalar<float>()() == -3);
    CHECK(out[1].scalar<std::int32_t>()() == 2);
    CheckSays(Session::FromGraph(b, {.devices = kNames}).status(), Code::kInvalidArgument,
              "was explicitly assigned to /device:SIM:7 but available devices are [ ");
  }

  TEST_CASE("devices that cannot be had") {
    const auto status = [](const Names& names) { return Session::FromGraph(Chain(), {.devices = names}).status(); };
    CheckSays(status({"CPU:0", "TPU:0"}), Code::kNotFound, "no device factory for type 'TPU'");
    CheckSays(status({"CPU:0", "SIM:0", "SIM:0"}), Code::kInvalidArgument, "is named twice");
    CheckSays(status({"CPU:0", "/job:other/replica:0/task:0/device:SIM:0"}), Code::kInvalidArgument,
              "is not of this task");
    CheckSays(status({"CPU:0", "what is this"}), Code::kInvalidArgument, "Could not parse what is this");
    const Own own;
    CheckSays(Session::FromGraph(Chain(), {.devices = {"CPU:0"}, .device_mgr = own.manager.get()}).status(),
              Code::kInvalidArgument, "either `devices` or a device_mgr");
    CheckSays(Session::FromGraph(Chain(), {.device = &own.sim("SIM:0"), .device_mgr = own.manager.get()}).status(),
              Code::kInvalidArgument, "`device` is for sessions on one device");
    SlimVector<Owned<Device>> sims;
    sims.push_back(FindDeviceFactory("SIM").value()->create(FullName("SIM:0"), 0).value());
    const auto manager = StaticDeviceMgr::Create(std::move(sims)).value();
    CheckSays(Session::FromGraph(Chain(), {.device_mgr = manager.get()}).status(), Code::kInvalidArgument,
              "there must be a CPU among the devices");
  }

  TEST_CASE("names are checked as on one device") {
    const Session session = OnFour(Chain());
    const Tensor x = Pair(1, 2);
    CheckSays(session.Run({{"x", x}}, {"nothing"}).status(), Code::kInvalidArgument, "was not found in the Graph");
    CheckSays(session.Run({{"x", x}}, {"w:1"}).status(), Code::kOutOfRange, "does not have output 1");
    auto with_no_op = Chain();
    with_no_op.Add("NoOp", "nop", {});
    CheckSays(OnFour(with_no_op).Run({{"x", x}}, {"nop"}).status(), Code::kInvalidArgument,
              "Tried to fetch data for 'nop', which produces no output");
    CheckSays(session.Run({{"x", x}}, {}, {"nothing"}).status(), Code::kNotFound, "Some target nodes not found");
    CheckSays(session.Run({{"x", x}}, {}).status(), Code::kInvalidArgument, "at least one target");
    CheckSays(session.Run({{"x", x}, {"x", x}}, {"w"}).status(), Code::kInvalidArgument, "fed more than once");
    CheckSays(session.Run({{"w", x}}, {"w"}).status(), Code::kInvalidArgument, "both fed and fetched");
    CheckSays(session.Run({}, {"w"}).status(), Code::kInvalidArgument, "You must feed a value for placeholder");
    CheckSays(session.Run({{"x", Tensor::Scalar(1)}}, {"w"}).status(), Code::kInvalidArgument, "to be float");
    CheckSays(session.Run({{"x", Tensor::Scalar(1.0f)}}, {"w"}).status(), Code::kInvalidArgument,
              "Cannot feed value of shape");
    const Session state = OnFour(Variable());
    CheckSays(state.Run({{"x", x}}, {"init"}).status(), Code::kInvalidArgument, "which produces no output");
  }

  TEST_CASE("without the header there is one device") {
    const auto* const several = detail::extensions.several_devices.exchange(nullptr);
    const Status status = Session::FromGraph(Chain(), {.devices = kNames}).status();
    const Session one = Session::FromGraph(SmallGraph(), {.devices = {"SIM:0", "CPU:0"}}).value();
    const Status place =
        one.MakeCallable({.feeds = {"x"}, .fetches = {"z"}, .feed_devices = {{"x", "SIM:0"}}}).status();
    const bool runs = one.Run({{"x", Pair(1, 2)}}, {"z"}).ok();
    detail::extensions.several_devices.store(several);
    CheckSays(status, Code::kFailedPrecondition, "need <tenon/devices.hpp> in one source file of the program");
    CheckSays(place, Code::kFailedPrecondition, "need <tenon/devices.hpp> in one source file of the program");
    CHECK(runs);
  }

  TEST_CASE("a registry without the ops between devices says what to register") {
    Registry registry;
    GraphBuilder b;
    REQUIRE(Register(registry, Ops<ops::Neg, ops::Placeholder>{}, Devices<Cpu>{}).ok());
    const Output x = b.Placeholder("x", DataType::kFloat), y = b.Add("Neg", "y", {x});
    b.SetDevice(x, On("CPU:0"));
    b.SetDevice(y, On("CPU:1"));
    CheckSays(Session::FromGraph(b, {.devices = {"CPU:0", "CPU:1"}, .registry = &registry}).status(), Code::kNotFound,
              "TENON_REGISTER(tenon::ops::Send, tenon::ops::Recv, tenon::ops::HostSend, tenon::ops::HostRecv)");
  }
}
}  // namespace session_devices_test
