// SPDX-License-Identifier: Apache-2.0
// Import and first run of graphs of N and of 2N parts, family by family: the time of the processor and most memory,
// their ratios, and both per node. Wanted: at most 2.3 times the time and 2.1 times the memory.
//
// With --stop: how long first runs with a deadline of 50 ms take, whose preparation alone takes longer in large graphs.
// Wanted: at most 60 ms.
//
//   tenon_bench_scaling [--stop] [N] [family...]
#include <malloc.h>

#include <ctime>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <tenon/runtime.hpp>
#include <tenon/devices.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/flow/functional.hpp>
#include <tenon/ops/flow/loop.hpp>
#include <tenon/ops/flow/merge.hpp>
#include <tenon/ops/flow/no_op.hpp>
#include <tenon/ops/flow/switch.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/comparison.hpp>
#include <tenon/runtime/session/extend_reset.hpp>

#include "executor/graph_node.hpp"

TENON_REGISTER(tenon::Types<float, std::int32_t, bool>, tenon::ops::Placeholder, tenon::ops::Identity,
               tenon::ops::IdentityN, tenon::ops::Less, tenon::ops::NoOp, tenon::ops::Const, tenon::ops::Enter,
               tenon::ops::Merge, tenon::ops::LoopCond, tenon::ops::Switch, tenon::ops::NextIteration, tenon::ops::Exit,
               tenon::ops::StatelessIf, tenon::ops::PartitionedCall);

namespace {
std::atomic<std::int64_t> live{0}, most{0};
void* Take(void* p) {
  const std::int64_t now = live += static_cast<std::int64_t>(malloc_usable_size(p));
  for (std::int64_t old = most; now > old && !most.compare_exchange_weak(old, now);) {
  }
  return p;
}
void Give(void* p) {
  live -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}
}  // namespace
void* operator new(std::size_t n) { return Take(std::malloc(n)); }
void* operator new(std::size_t n, std::align_val_t a) {
  const auto align = static_cast<std::size_t>(a);
  return Take(std::aligned_alloc(align, (n + align - 1) / align * align));
}
void operator delete(void* p) noexcept { Give(p); }
void operator delete(void* p, std::size_t) noexcept { Give(p); }
void operator delete(void* p, std::align_val_t) noexcept { Give(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { Give(p); }

namespace tenon::bench {
namespace {

using Attrs = NodeAttrs;
using Names = SlimVector<std::string>;
const AttrValue kFloat(DataType::kFloat);

// What one measurement imports and runs.
struct Case {
  GraphDef graph;
  Names feeds, fetches, targets;
  SessionOptions options;
  bool extends = false;  // the nodes come one by one
};

template <class... Args>
void Add(Case* c, Args&&... args) {
  c->graph.node.push_back(Node(std::forward<Args>(args)...));
}
NodeDef Const(std::string name) {
  return Node(std::move(name), "Const", {}, {{"dtype", kFloat}, {"value", AttrValue(Tensor::Scalar(1.0f))}});
}
NodeDef Identity(std::string name, std::string input) {
  return Node(std::move(name), "Identity", {std::move(input)}, {{"T", kFloat}});
}
NodeDef Call(std::string name, std::string function, Names inputs, std::int64_t results = 1) {
  NameAttrList f;
  f.name = std::move(function);
  const AttrValue in(SlimVector<DataType>(inputs.size(), DataType::kFloat));
  const AttrValue out(SlimVector<DataType>(static_cast<std::size_t>(results), DataType::kFloat));
  return Node(std::move(name), "PartitionedCall", std::move(inputs),
              {{"Tin", in}, {"Tout", out}, {"f", AttrValue(std::move(f))}});
}
OpDef::ArgDef Arg(std::string name) {
  OpDef::ArgDef arg;
  arg.name = std::move(name);
  arg.type = DataType::kFloat;
  return arg;
}
FunctionDef Function(std::string name, NodeDef body, std::string result) {
  FunctionDef f;
  f.signature.name = std::move(name);
  f.signature.input_arg.push_back(Arg("x"));
  f.signature.output_arg.push_back(Arg("y"));
  f.node_def.push_back(std::move(body));
  f.ret.push_back({"y", std::move(result)});
  return f;
}
std::string N(const char* prefix, int i) { return StrCat(prefix, i); }
void WaitForAll(Case* c) {
  NodeDef all = Node("all", "NoOp");
  for (const NodeDef& node : c->graph.node) all.input.push_back(StrCat("^", node.name));
  c->graph.node.push_back(std::move(all));
  c->targets = {"all"};
}

Case Nodes(int n) {
  Case c;
  Add(&c, "n0", "Placeholder", Names{}, Attrs{{"dtype", kFloat}});
  for (int i = 1; i < n; ++i) c.graph.node.push_back(Identity(N("n", i), N("n", i - 1)));
  c.feeds = {"n0"};
  c.fetches = {N("n", n - 1)};
  return c;
}
Case Feeds(int n) {
  Case c;
  for (int i = 0; i < n; ++i) {
    Add(&c, N("x", i), "Placeholder", Names{}, Attrs{{"dtype", kFloat}});
    c.graph.node.push_back(Identity(N("y", i), N("x", i)));
    c.feeds.push_back(N("x", i));
  }
  WaitForAll(&c);
  return c;
}
Case Fetches(int n) {
  Case c;
  Add(&c, "x", "Placeholder", Names{}, Attrs{{"dtype", kFloat}});
  c.feeds = {"x"};
  for (int i = 0; i < n; ++i) {
    c.graph.node.push_back(Identity(N("y", i), "x"));
    c.fetches.push_back(N("y", i));
  }
  return c;
}
Case Targets(int n) {
  Case c = Fetches(n);
  c.targets.swap(c.fetches);
  return c;
}
// Of one node; each is named twice.
Case ControlInputs(int n) {
  Case c;
  for (int i = 0; i < n; ++i) c.graph.node.push_back(Const(N("c", i)));
  WaitForAll(&c);
  Names& inputs = c.graph.node.back().input;
  for (int i = 0; i < n; ++i) inputs.push_back(inputs[static_cast<std::size_t>(i)]);
  return c;
}
Case ControlOutputs(int n) {
  Case c;
  Add(&c, "first", "NoOp");
  for (int i = 0; i < n; ++i) Add(&c, N("n", i), "NoOp", Names{"^first"});
  WaitForAll(&c);
  return c;
}
// Functions that nothing calls.
Case Functions(int n) {
  Case c;
  c.graph.node.push_back(Const("x"));
  c.fetches = {"x"};
  for (int i = 0; i < n; ++i) c.graph.library.function.push_back(Function(N("f", i), Identity("y", "x"), "y:output:0"));
  return c;
}
// Functions that are called once each, from the graph.
Case Called(int n) {
  Case c = Functions(n);
  for (int i = 0; i < n; ++i) c.graph.node.push_back(Call(N("call", i), N("f", i), {"x"}));
  c.fetches.clear();
  WaitForAll(&c);
  return c;
}
// The same, nodes whose op is the function.
Case Ops(int n) {
  Case c = Called(n);
  for (int i = 0; i < n; ++i) {
    NodeDef& node = c.graph.node[static_cast<std::size_t>(i) + 1];
    node = Node(node.name, N("f", i), {"x"});
  }
  return c;
}
// One function, called often.
Case Calls(int n) {
  Case c = Functions(1);
  for (int i = 0; i < n; ++i) c.graph.node.push_back(Call(N("call", i), "f0", {"x"}));
  c.fetches.clear();
  WaitForAll(&c);
  return c;
}
// Each function calls the next; run only as deep as calls may be.
Case CallChain(int n) {
  Case c = Functions(0);
  for (int i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    c.graph.library.function.push_back(
        Function(N("f", i), last ? Identity("y", "x") : Call("y", N("f", i + 1), {"x"}), "y:output:0"));
  }
  return c;
}
Case LoweredChain(int n) {
  Case c = CallChain(n);
  c.graph.node.push_back(Call("call", "f0", {"x"}));
  c.fetches = {"call"};
  c.options.lower_control_flow = &LowerAllFunctionalOps;
  return c;
}
Case LoweredCalls(int n) {
  Case c = Called(n);
  c.options.lower_control_flow = &LowerAllFunctionalOps;
  return c;
}
// One call reads the result of another.
Case LoweredRow(int n) {
  Case c = Functions(1);
  for (int i = 0; i < n; ++i) c.graph.node.push_back(Call(N("call", i), "f0", {i == 0 ? "x" : N("call", i - 1)}));
  c.fetches = {N("call", n - 1)};
  c.options.lower_control_flow = &LowerAllFunctionalOps;
  return c;
}
// A body of N nodes, each of which waits for the one before and reads the argument.
Case Body(int n) {
  Case c = Functions(1);
  FunctionDef& f = c.graph.library.function[0];
  for (int i = 0; i < n; ++i) {
    f.node_def.push_back(Identity(N("b", i), "x"));
    if (i > 0) f.node_def.back().input.push_back(StrCat("^b", i - 1));
  }
  f.ret[0].second = StrCat("b", n - 1, ":output:0");
  c.graph.node.push_back(Call("call", "f0", {"x"}));
  c.fetches = {"call"};
  return c;
}
Case Arguments(int n) {
  Case c = Functions(1);
  FunctionDef& f = c.graph.library.function[0];
  f.signature.input_arg.clear();
  f.signature.output_arg.clear();
  f.ret.clear();
  f.node_def.clear();
  Names inputs(static_cast<std::size_t>(n), std::string("x"));
  for (int i = 0; i < n; ++i) {
    const std::string number = StrCat(1000000 + i);
    f.signature.input_arg.push_back(Arg("x" + number));
    f.signature.output_arg.push_back(Arg("y" + number));
    f.node_def.push_back(Identity("b" + number, "x" + number));
    f.ret.push_back({"y" + number, StrCat("b", number, ":output:0")});
    f.arg_attr.push_back({static_cast<std::uint32_t>(i), AttrMap{{"_a", AttrValue(true)}}});
    f.control_ret.push_back({"c" + number, "b" + number});
    f.signature.control_output.push_back("c" + number);
  }
  c.graph.node.push_back(Call("call", "f0", std::move(inputs), n));
  c.fetches = {"call"};
  return c;
}
void AddLoop(Case* c, int i, int variables) {
  const AttrValue boolean(DataType::kBool);
  const std::string p = StrCat("l", i, "/");
  for (int v = 0; v < variables; ++v) {
    const std::string q = StrCat(p, "v", v, "/");
    Add(c, q + "enter", "Enter", Names{"x"},
        Attrs{{"T", kFloat},
              {"frame_name", AttrValue(p)},
              {"is_constant", AttrValue(false)},
              {"parallel_iterations", AttrValue(std::int64_t{1})}});
    Add(c, q + "merge", "Merge", Names{q + "enter", q + "next"},
        Attrs{{"T", kFloat}, {"N", AttrValue(std::int64_t{2})}});
    if (v == 0) {
      Add(c, p + "less", "Less", Names{q + "merge", q + "merge"}, Attrs{{"T", kFloat}});
      Add(c, p + "cond", "LoopCond", Names{p + "less"});
    }
    Add(c, q + "switch", "Switch", Names{q + "merge", p + "cond"}, Attrs{{"T", kFloat}});
    Add(c, q + "next", "NextIteration", Names{q + "switch:1"}, Attrs{{"T", kFloat}});
    Add(c, q + "exit", "Exit", Names{q + "switch"}, Attrs{{"T", kFloat}});
  }
}
// TensorFlow 1 loops side by side.
Case Loops(int n) {
  Case c = Functions(0);
  for (int i = 0; i < n; ++i) {
    AddLoop(&c, i, 1);
    c.fetches.push_back(StrCat("l", i, "/v0/exit"));
  }
  c.fetches = {c.fetches.back()};
  NodeDef all = Node("all", "NoOp");
  for (int i = 0; i < n; ++i) all.input.push_back(StrCat("^l", i, "/v0/exit"));
  c.graph.node.push_back(std::move(all));
  c.targets = {"all"};
  return c;
}
// One after the other.
Case LoopRow(int n) {
  Case c = Functions(0);
  for (int i = 0; i < n; ++i) {
    const std::size_t enter = c.graph.node.size();
    AddLoop(&c, i, 1);
    if (i > 0) c.graph.node[enter].input[0] = StrCat("l", i - 1, "/v0/exit");
  }
  c.fetches = {StrCat("l", n - 1, "/v0/exit")};
  return c;
}
Case Variables(int n) {
  Case c = Functions(0);
  AddLoop(&c, 0, n);
  c.fetches.clear();
  for (int v = 0; v < n; ++v) c.fetches.push_back(StrCat("l0/v", v, "/exit"));
  return c;
}
// Loops within loops: each lies in the frame of the one before.
Case Nested(int n) {
  Case c = Functions(0);
  std::string from = "x";
  for (int i = 0; i < n; ++i) {
    Add(&c, N("enter", i), "Enter", Names{from},
        Attrs{{"T", kFloat},
              {"frame_name", AttrValue(N("frame", i))},
              {"is_constant", AttrValue(false)},
              {"parallel_iterations", AttrValue(std::int64_t{1})}});
    from = N("enter", i);
  }
  for (int i = 0; i < n; ++i) {
    Add(&c, N("exit", i), "Exit", Names{from}, Attrs{{"T", kFloat}});
    from = N("exit", i);
  }
  c.fetches = {from};
  return c;
}
Case AttrsOfOne(int n) {
  Case c = Functions(0);
  NodeDef& node = c.graph.node.back();
  for (int i = 0; i < n; ++i) {
    AttrMap::value_type* const item = node.attr.AppendUnsorted();
    item->first = N("_a", i);
    item->second = AttrValue(std::int64_t{i});
  }
  node.attr.SortAppended();
  return c;
}
Case Colocation(int n) {
  Case c = Targets(n);
  for (int i = 1; i <= n; ++i)
    c.graph.node[static_cast<std::size_t>(i)].attr.Set("_class",
                                                       AttrValue(Names{i == 1 ? "loc:@x" : StrCat("loc:@y", i - 2)}));
  return c;
}
Case Groups(int n) {
  Case c = Targets(n);
  Names groups;
  for (int i = 0; i < n; ++i) groups.push_back(StrCat("loc:@y", i));
  c.graph.node[0].attr.Set("_class", AttrValue(groups));
  return c;
}
Case OnTwoDevices(Case c) {
  c.options.devices = {"CPU:0", "CPU:1"};
  return c;
}
// Nodes go to the devices by turns: nearly every edge is a transfer.
Case DealtOut(Case c) {
  c.options.devices = {"CPU:0", "CPU:1", "CPU:2"};
  std::size_t turn = 0;
  for (NodeDef& node : c.graph.node) node.device = StrCat("/device:", c.options.devices[turn++ % 3]);
  return c;
}
Case TwoDevices(int n) {
  Case c = Nodes(n);
  for (std::size_t i = 0; i < c.graph.node.size(); ++i)
    c.graph.node[i].device = i % 2 == 0 ? "/device:CPU:0" : "/device:CPU:1";
  return OnTwoDevices(std::move(c));
}
// One node's outputs, which nodes of another device read.
Case OutputsSent(int n) {
  Case c = Functions(0);
  AttrValue types;
  types.mutable_list()->type.assign(static_cast<std::size_t>(n), DataType::kFloat);
  Add(&c, "all", "IdentityN", Names(static_cast<std::size_t>(n), std::string("x")), Attrs{{"T", types}});
  c.fetches.clear();
  for (int i = 0; i < n; ++i) {
    c.graph.node.push_back(Identity(N("y", i), StrCat("all:", i)));
    c.graph.node.back().device = "/device:CPU:1";
    c.targets.push_back(N("y", i));
  }
  return OnTwoDevices(std::move(c));
}
Case Extends(int n) {
  Case c = Nodes(n);
  c.extends = true;
  return c;
}

struct Family {
  const char* name;
  Case (*make)(int n);
  int divisor = 1;  // of N: its parts are larger
};
constexpr Family kFamilies[] = {
    {"nodes", &Nodes},
    {"feeds", &Feeds},
    {"fetches", &Fetches},
    {"targets", &Targets},
    {"control_inputs", &ControlInputs},
    {"control_outputs", &ControlOutputs},
    {"functions", &Functions},
    {"called", &Called},
    {"ops", &Ops},
    {"calls", &Calls},
    {"call_chain", &CallChain},
    {"lowered_chain", &LoweredChain},
    {"lowered_calls", &LoweredCalls},
    {"lowered_row", &LoweredRow},
    {"body", &Body},
    {"arguments", &Arguments},
    {"loops", &Loops},
    {"loop_row", &LoopRow},
    {"variables", &Variables},
    {"nested", &Nested, 4},
    {"attrs", &AttrsOfOne},
    {"colocation", &Colocation},
    {"groups", &Groups},
    {"two_devices", &TwoDevices},
    {"outputs_sent", &OutputsSent},
    {"nodes_3", [](int n) { return DealtOut(Nodes(n)); }},
    {"feeds_3", [](int n) { return DealtOut(Feeds(n)); }},
    {"fetches_3", [](int n) { return DealtOut(Fetches(n)); }},
    {"controls_3", [](int n) { return DealtOut(ControlInputs(n)); }},
    {"waiters_3", [](int n) { return DealtOut(ControlOutputs(n)); }},
    {"called_3", [](int n) { return DealtOut(Called(n)); }},
    {"loops_3", [](int n) { return DealtOut(Loops(n)); }},
    {"loop_row_3", [](int n) { return DealtOut(LoopRow(n)); }},
    {"variables_3", [](int n) { return DealtOut(Variables(n)); }},
    {"colocation_2", [](int n) { return OnTwoDevices(Colocation(n)); }},
    {"groups_2", [](int n) { return OnTwoDevices(Groups(n)); }},
    {"feeds_2", [](int n) { return OnTwoDevices(Feeds(n)); }},
    {"called_2", [](int n) { return OnTwoDevices(Called(n)); }},
    {"extends", &Extends},
};

struct Measured {
  double import_ms = 0, run_ms = 0, drop_ms = 0;
  double bytes = 0, nodes = 0;
};
// The time of all threads of this process: other processes do not slow it.
std::int64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
std::vector<NamedTensor> FeedsOf(const Case& c) {
  std::vector<NamedTensor> feeds;
  for (const std::string& name : c.feeds) feeds.push_back({name, Tensor::Scalar(1.0f)});
  return feeds;
}
Status Run(const Session& session, const Case& c) { return session.Run(FeedsOf(c), c.fetches, c.targets).status(); }
Result<Measured> Measure(const Case& c) {
  Measured result;
  const std::string bytes = SerializeGraphDef(c.graph);
  const std::int64_t before = live;
  most = before;
  const std::int64_t t0 = Now();
  {
    TENON_ASSIGN_OR_RETURN(
        const Session session,
        c.extends ? Session::Create(c.options) : Session::FromGraphDef(std::as_bytes(std::span(bytes)), c.options));
    if (c.extends) {
      Session extended = session;
      GraphDef one;
      one.versions = c.graph.versions;
      one.node.resize(1);
      for (const NodeDef& node : c.graph.node) {
        one.node[0] = node;
        TENON_RETURN_IF_ERROR(extended.Extend(one));
      }
    }
    const std::int64_t t1 = Now();
    TENON_RETURN_IF_ERROR(Run(session, c));
    const std::int64_t t2 = Now();
    result.import_ms = static_cast<double>(t1 - t0) / 1e6;
    result.run_ms = static_cast<double>(t2 - t1) / 1e6;
    result.drop_ms = -static_cast<double>(t2) / 1e6;
  }
  result.drop_ms += static_cast<double>(Now()) / 1e6;
  result.bytes = static_cast<double>(most - before);
  return result;
}
// The longest of three first runs with a deadline, in ms; `ends` becomes whether one came to its end.
Result<double> Stop(const Case& c, bool* ends) {
  double longest = 0;
  for (int i = 0; i < 3; ++i) {
    TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(GraphDef(c.graph), c.options));
    const std::vector<NamedTensor> feeds = FeedsOf(c);
    const auto start = std::chrono::steady_clock::now();
    const Status status = session.Run(feeds, c.fetches, c.targets, {.timeout_in_ms = 50}).status();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (!status.ok() && status.code() != Code::kDeadlineExceeded) return status;
    *ends = *ends || status.ok();
    longest = std::max(longest, took.count());
  }
  return longest;
}
void ShowStop(const Family& family, int n) {
  Case c = family.make(n);
  if (c.extends) return;
  c.graph.versions.producer = kGraphDefVersion;
  bool ends = false;
  const Result<double> longest = Stop(c, &ends);
  if (longest.ok())
    std::printf("| %-15s | %7zu | %7.1f | %s |\n", family.name, c.graph.node.size(), *longest, ends ? "ends" : "    ");
  else
    std::printf("%s\n", std::string(longest.status().message().substr(0, 300)).c_str());
}
Measured Best(const Family& family, int n) {
  Case c = family.make(n);
  c.graph.versions.producer = kGraphDefVersion;
  std::size_t nodes = c.graph.node.size();
  for (const FunctionDef& f : c.graph.library.function) nodes += f.node_def.size();
  Measured best;
  for (int i = 0; i < 3; ++i) {
    const Result<Measured> one = Measure(c);
    if (!one.ok()) {
      std::printf("%s\n", std::string(one.status().message().substr(0, 300)).c_str());
      return {};
    }
    if (i == 0) best = *one;
    best.import_ms = std::min(best.import_ms, one->import_ms);
    best.run_ms = std::min(best.run_ms, one->run_ms);
    best.drop_ms = std::min(best.drop_ms, one->drop_ms);
    // The first is slower: the process gets its memory.
    if (i > 0 && one->import_ms + one->run_ms > 2000) break;
  }
  best.nodes = static_cast<double>(std::max(nodes, static_cast<std::size_t>(n)));
  return best;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  using namespace tenon::bench;
  const bool stops = argc > 1 && std::strcmp(argv[1], "--stop") == 0;
  if (stops) --argc, ++argv;
  const int n = argc > 1 ? std::atoi(argv[1]) : 10000;
  if (stops) {
    std::printf("| family          |   nodes | longest |      |\n|-----------------|--------:|--------:|------|\n");
  } else {
    std::printf(
        "| family          |      2N |   nodes | import | ratio |    run | ratio | both |   drop | ratio | bytes "
        "| ratio |\n"
        "|-----------------|--------:|--------:|-------:|------:|-------:|------:|-----:|-------:|------:|------:"
        "|------:|\n");
  }
  for (const Family& family : kFamilies) {
    bool wanted = argc <= 2;
    for (int i = 2; i < argc; ++i) wanted = wanted || std::strcmp(argv[i], family.name) == 0;
    if (!wanted) continue;
    if (stops) {
      ShowStop(family, n / family.divisor);
      std::fflush(stdout);
      continue;
    }
    const int small = n / family.divisor, large = 2 * small;
    const Measured a = Best(family, small), b = Best(family, large);
    const auto show = [&](double first, double second, double scale) {
      std::printf(" %6.3f | %5.2f |", second * scale / b.nodes, second / first);
    };
    std::printf("| %-15s | %7d | %7.0f |", family.name, large, b.nodes);
    show(a.import_ms, b.import_ms, 1000);
    show(a.run_ms, b.run_ms, 1000);
    std::printf(" %4.2f |", (b.import_ms + b.run_ms) / (a.import_ms + a.run_ms));
    show(a.drop_ms, b.drop_ms, 1000);
    std::printf(" %5.0f | %5.2f |\n", b.bytes / b.nodes, b.bytes / a.bytes);
    std::fflush(stdout);
  }
}
