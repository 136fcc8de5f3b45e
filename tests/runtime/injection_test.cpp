// SPDX-License-Identifier: Apache-2.0
// Errors, cancellations, closings and deadlines at every node of many graphs, in every engine: the run ends once, with
// the right status, leaks nothing, and the session goes on.
#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tenon/device/device_factory.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graph/function_graphs.hpp"
#include "graphs.hpp"
#include "loops.hpp"
#include "probe.hpp"

namespace injection_test {
using namespace tenon;
using namespace runtime_test;
using function_test::Call;
using function_test::Floats;
using function_test::MakeNode;

namespace {

struct Case {
  std::string name;
  GraphDef graph;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches, targets;
};

std::vector<NamedTensor> FeedX() { return {{"x", Tensor::Scalar(2.0f)}}; }

AttrValue ListOf(std::initializer_list<DataType> types) {
  AttrValue value;
  for (const DataType type : types) value.mutable_list()->type.push_back(type);
  return value;
}
const AttrValue kFloatType(DataType::kFloat);

NodeDef FloatConst(const std::string& name, float value) {
  return MakeNode(name, "Const", {}, {{"dtype", kFloatType}, {"value", AttrValue(Tensor::Scalar(value))}});
}
GraphDef WithFunctions(SlimVector<FunctionDef> functions, SlimVector<NodeDef> nodes) {
  GraphDef graph;
  graph.versions.producer = 1500;
  graph.library.function = std::move(functions);
  graph.node = {MakeNode("x", "Placeholder", {}, {{"dtype", kFloatType}})};
  for (NodeDef& node : nodes) graph.node.push_back(std::move(node));
  return graph;
}

// while (left) { sum += left; left -= 1 }, with probes inside of the body.
GraphDef NativeWhile() {
  const FunctionDef more = Floats("more", {"left", "sum"}, {}, "left");
  FunctionDef body =
      Floats("body", {"left", "sum"},
             {FloatConst("one", 1), MakeNode("less", "Sub", {"left", "one:output:0"}, {{"T", kFloatType}}),
              MakeNode("inside", "TestProbe", {"less:z:0"}, {{"T", kFloatType}}),
              MakeNode("add", "AddV2", {"sum", "left"}, {{"T", kFloatType}})},
             "inside:y:0");
  body.signature.output_arg.push_back(function_test::Arg("total", DataType::kFloat));
  body.ret = {{"out", "inside:y:0"}, {"total", "add:z:0"}};
  return WithFunctions(
      {more, body},
      {FloatConst("zero", 0),
       MakeNode("loop", "StatelessWhile", {"x", "zero"},
                {{"T", ListOf({DataType::kFloat, DataType::kFloat})}, {"cond", Call("more")}, {"body", Call("body")}}),
       MakeNode("y", "Identity", {"loop:1"}, {{"T", kFloatType}})});
}
GraphDef NativeIf() {
  const FunctionDef yes = Floats("yes", {"x"}, {MakeNode("p", "TestProbe", {"x"}, {{"T", kFloatType}})}, "p:y:0");
  const FunctionDef no = Floats("no", {"x"}, {MakeNode("p", "Mul", {"x", "x"}, {{"T", kFloatType}})}, "p:z:0");
  return WithFunctions({yes, no}, {MakeNode("y", "StatelessIf", {"x", "x"},
                                            {{"Tcond", kFloatType},
                                             {"Tin", ListOf({DataType::kFloat})},
                                             {"Tout", ListOf({DataType::kFloat})},
                                             {"then_branch", Call("yes")},
                                             {"else_branch", Call("no")}})});
}
GraphDef NestedCalls() {
  const FunctionDef inner = Floats("inner", {"x"}, {MakeNode("p", "TestProbe", {"x"}, {{"T", kFloatType}})}, "p:y:0");
  const FunctionDef outer =
      Floats("outer", {"x"}, {MakeNode("a", "inner", {"x"}), MakeNode("b", "inner", {"a:out:0"})}, "b:out:0");
  return WithFunctions({inner, outer}, {MakeNode("y", "outer", {"x"})});
}
GraphDef Conditional() {
  FlowGraph g;
  g.Feed("x").Feed("p", DataType::kBool).Switch("s", "x", "p");
  g.Node("yes", "AddV2", {"s:1", "s:1"}).Node("no", "Mul", {"s:0", "s:0"}).Merge("m", {"yes", "no"});
  g.Node("y", "Identity", {"m"});
  return g.def;
}
GraphDef Pipeline() {
  GraphBuilder b;
  const SlimVector<DataType> floats{DataType::kFloat};
  const Output x = b.Placeholder("x", DataType::kFloat);
  const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}, {"capacity", std::int64_t{1}}});
  b.Add("QueueEnqueueV2", "put", {q, {b.Add("Identity", "in", {x})}});
  const Output got = b.Add("QueueDequeueV2", "got", {q}, {{"component_types", floats}});
  b.Add("Mul", "y", {got, got});
  return b.graph_def();
}
// A queue in a graph with frames.
GraphDef PipelineAndBranch() {
  GraphDef graph = Pipeline();
  for (const NodeDef& node : Conditional().node)
    if (node.name != "x" && node.name != "y") graph.node.push_back(node);
  graph.node.push_back(MakeNode("both", "AddV2", {"m", "y"}, {{"T", kFloatType}}));
  return graph;
}
GraphDef Variables() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat);
  const Output v =
      b.Add("VarHandleOp", "v", {},
            {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape(TensorShape())}, {"shared_name", "v"}});
  b.Add("AssignVariableOp", "set", {v, b.Add("Identity", "in", {x})});
  GraphDef graph = b.graph_def();
  graph.node.push_back(MakeNode("read", "ReadVariableOp", {"v", "^set"}, {{"dtype", kFloatType}}));
  graph.node.push_back(MakeNode("y", "Identity", {"read"}, {{"T", kFloatType}}));
  return graph;
}
GraphDef Loops(std::int64_t parallel, bool two) {
  FlowGraph g(DataType::kInt32);
  g.Feed("n").Count("", "n", parallel);
  if (two) g.Count("b/", "exit", parallel);
  g.Node("y", "Identity", {two ? "b/exit" : "exit"});
  return g.def;
}
GraphDef ControlOnly() {
  GraphDef graph = SmallGraph().graph_def();
  graph.node.push_back(MakeNode("barrier", "NoOp", {"^y", "^z"}));
  graph.node.push_back(MakeNode("last", "Identity", {"x", "^barrier"}, {{"T", kFloatType}}));
  return graph;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, GraphDef graph, std::vector<NamedTensor> feeds,
                       std::vector<std::string> fetches, std::vector<std::string> targets = {}) {
    cases.push_back(
        {std::move(name), WithProbes(std::move(graph)), std::move(feeds), std::move(fetches), std::move(targets)});
  };
  const std::vector<NamedTensor> vector{{"x", MakeTensor<float>({2}, {1, 2})}};
  add("small", SmallGraph().graph_def(), vector, {"z"});
  add("small, two fetches", SmallGraph().graph_def(), vector, {"y", "z"});
  add("control edges", ControlOnly(), vector, {"last"});
  for (const auto& [width, depth] :
       {std::pair(1, 1), std::pair(1, 6), std::pair(2, 2), std::pair(3, 2), std::pair(6, 1)})
    add(StrCat("wide ", width, " ", depth), WideGraph(width, depth).graph_def(), FeedX(), {"out"});
  add("taken", Conditional(), {{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(true)}}, {"y"});
  add("not taken", Conditional(), {{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(false)}}, {"y"});
  for (const std::int64_t parallel : {1, 2, 10})
    add(StrCat("loop ", parallel), Loops(parallel, false), {{"n", Tensor::Scalar(3)}}, {"y"});
  add("two loops", Loops(4, true), {{"n", Tensor::Scalar(2)}}, {"y"});
  add("native loop", NativeWhile(), FeedX(), {"y"});
  add("native if", NativeIf(), FeedX(), {"y"});
  add("calls", NestedCalls(), FeedX(), {"y"});
  add("queue", Pipeline(), FeedX(), {"y"}, {"put"});
  add("queue and branch", PipelineAndBranch(), {{"x", Tensor::Scalar(3.0f)}, {"p", Tensor::Scalar(true)}}, {"both"},
      {"put"});
  add("variable", Variables(), FeedX(), {"y"});
  add("target only", WideGraph(2, 2).graph_def(), FeedX(), {}, {"out"});
  return cases;
}

struct Engine {
  std::string name;
  int threads;
  ExecutorKind executor;
};
const Engine kEngines[] = {{"sequential", 1, ExecutorKind::kAuto},
                           {"dataflow, one thread", 1, ExecutorKind::kDataflow},
                           {"dataflow, three threads", 3, ExecutorKind::kDataflow}};

Code Expected(Injection injection) {
  return injection == Injection::kNone    ? Code::kOk
         : injection == Injection::kError ? Code::kDataLoss
         : injection == Injection::kBlock ? Code::kDeadlineExceeded
                                          : Code::kCancelled;
}

// One graph in one engine. What cannot end in time ends the test by its own deadline.
class Injector {
 public:
  Injector(const Case& c, const Engine& engine) : case_(c), engine_(engine) { Start(); }
  ~Injector() {
    session_.reset();
    CHECK_MESSAGE(memory_.blocks_in_use() == 0, Where());
  }

  // The probes that one undisturbed run passes.
  int Count() {
    const Status status = Run(Injection::kNone, -1, 0);
    REQUIRE_MESSAGE(status.ok(), Where(), ": ", status.ToString());
    return Probes::Global().count;
  }
  void Try(Injection injection, int at) {
    const std::int64_t timeout = injection == Injection::kBlock ? 3 : 0;
    const auto begin = std::chrono::steady_clock::now();
    const Status status = Run(injection, at, timeout);
    const auto took = std::chrono::steady_clock::now() - begin;
    CHECK_MESSAGE(status.code() == Expected(injection), Where(), ", probe ", at, ": ", status.ToString());
    CHECK_MESSAGE(took < std::chrono::seconds(5), Where());
    if (injection == Injection::kError) CHECK_MESSAGE(Contains(status.message(), "injected"), status.ToString());
    if (injection == Injection::kClose) {
      CHECK(Run(Injection::kNone, -1, 0).message() == "Session has been closed.");
      Start();
    }
    Recover();
  }

 private:
  void Start() {
    session_.reset();
    auto session = Session::FromGraphDef(case_.graph, {.inter_op_threads = engine_.threads,
                                                       .intra_op_threads = 1,
                                                       .allocator = &memory_,
                                                       .executor = engine_.executor});
    REQUIRE_MESSAGE(session.ok(), Where(), ": ", session.status().message());
    session_.emplace(*session);
  }
  // The session works as ever. A queue may hold what the run before has put into it.
  void Recover() {
    if (case_.name.starts_with("queue")) Start();
    const Status status = Run(Injection::kNone, -1, 0);
    CHECK_MESSAGE(status.ok(), Where(), ": ", status.ToString());
  }
  Status Run(Injection injection, int at, std::int64_t timeout) {
    CancellationManager cancellation;
    Probes& probes = Probes::Global();
    probes.Reset(injection, at);
    probes.cancellation = &cancellation;
    probes.session = &*session_;
    return session_
        ->Run(case_.feeds, case_.fetches, case_.targets, {.timeout_in_ms = timeout, .cancellation = &cancellation})
        .status();
  }
  std::string Where() const { return StrCat("'", case_.name, "', ", engine_.name); }

  const Case& case_;
  const Engine& engine_;
  TrackingAllocator memory_{CpuAllocator()};
  std::optional<Session> session_;
};

void InjectEverywhere(Injection injection) {
  int tried = 0;
  for (const Case& c : Cases())
    for (const Engine& engine : kEngines) {
      Injector injector(c, engine);
      const int count = injector.Count();
      REQUIRE_MESSAGE(count > 0, c.name);
      for (int at = 0; at < count; ++at, ++tried) injector.Try(injection, at);
    }
  CHECK(tried > 300);
}

// One graph on the CPU and simulated devices, whose nodes take turns.
class PlacedInjector {
 public:
  PlacedInjector(const Case& c, int devices, ExecutorKind executor) : case_(c), executor_(executor), graph_(c.graph) {
    for (int i = 0; i < devices; ++i) names_.push_back(StrCat("SIM:", i));
    int turn = 0;
    for (NodeDef& node : graph_.node)
      if (!HasState(node.op)) node.device = StrCat("/device:", names_[static_cast<std::size_t>(turn++ % devices)]);
    names_.push_back("CPU:0");
    Start();
  }
  ~PlacedInjector() {
    session_.reset();
    devices_.reset();
    CHECK_MESSAGE(memory_.blocks_in_use() == 0, Where());
  }

  int Count() {
    const Status status = Run(Injection::kNone, -1, 0);
    REQUIRE_MESSAGE(status.ok(), Where(), ": ", status.ToString());
    return Probes::Global().count;
  }
  void Try(Injection injection, int at) {
    const std::int64_t before = BytesOnDevices();
    const auto begin = std::chrono::steady_clock::now();
    const Status status = Run(injection, at, injection == Injection::kBlock ? 3 : 0);
    const auto took = std::chrono::steady_clock::now() - begin;
    CHECK_MESSAGE(status.code() == Expected(injection), Where(), ", probe ", at, ": ", status.ToString());
    CHECK_MESSAGE(took < std::chrono::seconds(5), Where());
    if (injection == Injection::kError) CHECK_MESSAGE(Contains(status.message(), "injected"), status.ToString());
    // A run keeps blocks for the next one.
    CHECK_MESSAGE(BytesOnDevices() <= before + (64 << 10), Where(), ", probe ", at);
    if (injection == Injection::kClose) CHECK(Run(Injection::kNone, -1, 0).message() == "Session has been closed.");
    if (injection == Injection::kClose || case_.name.starts_with("queue")) Start();
    const Status again = Run(Injection::kNone, -1, 0);
    CHECK_MESSAGE(again.ok(), Where(), ": ", again.ToString());
  }

 private:
  static bool HasState(std::string_view op) {
    return Contains(op, "Queue") || Contains(op, "Variable") || op == "VarHandleOp";
  }
  void Start() {
    session_.reset();
    Result<SlimVector<Owned<Device>>> devices = MakeDevices(names_, {&memory_, nullptr});
    REQUIRE_MESSAGE(devices.ok(), devices.status().ToString());
    devices_.reset(StaticDeviceMgr::Create(*std::move(devices)).value().release());
    auto session = Session::FromGraphDef(graph_, {.device_mgr = devices_.get(),
                                                  .allow_soft_placement = true,
                                                  .inter_op_pool = &pool_,
                                                  .allocator = &memory_,
                                                  .executor = executor_});
    REQUIRE_MESSAGE(session.ok(), Where(), ": ", session.status().message());
    session_.emplace(*session);
  }
  std::int64_t BytesOnDevices() const {
    std::int64_t bytes = 0;
    for (const Device* device : devices_->ListDevices())
      if (device->type() == SimulatedDevice::kType) bytes += device->allocator()->GetStats()->bytes_in_use;
    return bytes;
  }
  Status Run(Injection injection, int at, std::int64_t timeout) {
    CancellationManager cancellation;
    Probes& probes = Probes::Global();
    probes.Reset(injection, at);
    probes.cancellation = &cancellation;
    probes.session = &*session_;
    return session_
        ->Run(case_.feeds, case_.fetches, case_.targets, {.timeout_in_ms = timeout, .cancellation = &cancellation})
        .status();
  }
  std::string Where() const {
    return StrCat("'", case_.name, "', ", names_.size() - 1, " simulated devices, ",
                  executor_ == ExecutorKind::kSequential ? "the caller's thread" : "a pool");
  }

  const Case& case_;
  const ExecutorKind executor_;
  GraphDef graph_;
  SlimVector<std::string> names_;
  TrackingAllocator memory_{CpuAllocator()};
  ThreadPool pool_{4, "injection"};
  Owned<DeviceMgr> devices_;
  std::optional<Session> session_;
};

void InjectOnDevices(Injection injection) {
  int tried = 0;
  for (const Case& c : Cases())
    for (const int devices : {1, 3})
      for (const ExecutorKind executor : {ExecutorKind::kAuto, ExecutorKind::kSequential}) {
        PlacedInjector injector(c, devices, executor);
        const int count = injector.Count();
        REQUIRE_MESSAGE(count > 0, c.name);
        for (int at = 0; at < count; ++at, ++tried) injector.Try(injection, at);
      }
  CHECK(tried > 400);
}

}  // namespace

TEST_SUITE("At every node of twenty graphs, on one and three simulated devices") {
  TEST_CASE("an error there") { InjectOnDevices(Injection::kError); }
  TEST_CASE("a cancellation there") { InjectOnDevices(Injection::kCancel); }
  TEST_CASE("the session's end there") { InjectOnDevices(Injection::kClose); }
  TEST_CASE("a deadline there, while a kernel waits") { InjectOnDevices(Injection::kBlock); }
}

TEST_SUITE("At every node of twenty graphs, in every engine") {
  TEST_CASE("an error") { InjectEverywhere(Injection::kError); }
  TEST_CASE("a cancellation") { InjectEverywhere(Injection::kCancel); }
  TEST_CASE("the session's end") { InjectEverywhere(Injection::kClose); }
  TEST_CASE("a deadline, while a kernel waits") { InjectEverywhere(Injection::kBlock); }
}
}  // namespace injection_test
