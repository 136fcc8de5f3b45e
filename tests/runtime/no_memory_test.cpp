// SPDX-License-Identifier: Apache-2.0
// Sessions without memory: the k-th request for memory is refused, for many k, while a graph is loaded and runs four
// times, by Run or by RunAsync, with and without the optimizer. Every answer is OK or ResourceExhausted, nothing is
// thrown, nothing leaks, and the session works afterwards.
// By hand TENON_NO_MEMORY_ASYNC=1 runs models by RunAsync; TENON_NO_MEMORY_PROCESSES=1 tries every k, in processes that
// may end, or with TENON_NO_MEMORY_STEP=20 every 20th; whole models with TENON_NO_MEMORY_MODELS="recursion,linalg".
// Without that, TENON_TEST_TURN selects one of the smallest models. TENON_NO_MEMORY_SECONDS is how long one may take.
#include <doctest/doctest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/base/env.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/run_args.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "conformance/golden/case_file.hpp"
#include "graphs.hpp"
#include "graph/function_graphs.hpp"
#include "heap_counter.hpp"
#include "while_graphs.hpp"

namespace no_memory_test {

using namespace tenon;
using runtime_test::ConstNode;
using runtime_test::HeapLimits;

struct Call {
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches, targets;
  // The same for a callable with one feed and one fetch.
  CallableOptions options = {};
  Tensor value = Tensor();
};
// What is loaded and run.
struct Work {
  std::string name;
  GraphDef graph;
  SessionOptions options;
  std::vector<Call> calls;
  bool has_state = false;  // later runs give other values
  bool by_callable = false;
  bool by_async = false;  // RunAsync
  GraphPass lower = nullptr;
  long most = 300;  // requests that are refused, evenly spread, where neither all nor a step are asked for
};
using Results = std::vector<std::vector<Tensor>>;

// Buffers are refused as other memory is.
class RefusesBuffers final : public AllocationObserver {
 public:
  RefusesBuffers() { CpuAllocator()->SetObserver(this); }
  RefusesBuffers(const RefusesBuffers&) = delete;
  RefusesBuffers& operator=(const RefusesBuffers&) = delete;
  ~RefusesBuffers() { CpuAllocator()->SetObserver(nullptr); }
  bool MayAllocate(std::size_t, std::size_t) override { return !HeapLimits().watches || runtime_test::MayHaveMemory(); }
  void Allocated(void*, std::size_t, std::size_t) override { HeapLimits().blocks.fetch_add(1); }
  void Deallocated(void*, std::size_t, std::size_t) override { HeapLimits().blocks.fetch_sub(1); }
  void MissingMemory(std::string_view) override {}
};

struct Outcome {
  std::string fault;  // "": none
  long requests = 0;
  bool failed = false;  // with ResourceExhausted
};

bool SameValues(const Results& a, const Results& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a[i].size(); ++k) {
      const Tensor &x = a[i][k], &y = b[i][k];
      if (x.dtype() != y.dtype() || !(x.shape() == y.shape())) return false;
      if (x.dtype() != DataType::kString && x.TotalBytes() != 0 &&
          std::memcmp(x.raw_data(), y.raw_data(), x.TotalBytes()) != 0)
        return false;
    }
  }
  return true;
}

// Session::RunAsync, to its end.
Result<std::vector<Tensor>> RunAsync(const Session& session, const Call& call) {
  struct Waiting {
    Notification done;
    Status status;
    std::vector<Tensor> fetches;
  } waiting;
  session.RunAsync(call.feeds, call.fetches, call.targets, {}, [to = &waiting](Result<std::vector<Tensor>> outcome) {
    to->status = outcome.status();
    if (outcome.ok()) to->fetches = *std::move(outcome);
    to->done.Notify();
  });
  waiting.done.WaitForNotification();
  if (!waiting.status.ok()) return waiting.status;
  return std::move(waiting.fetches);
}
// Returns how many more blocks there are than `before`, after at most `most_ms`: an asynchronous run goes a little
// later than its callback is called, on a thread of a pool.
long AwaitBlocks(long before, int most_ms) {
  for (int i = 0; i < most_ms && HeapLimits().blocks > before; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return HeapLimits().blocks - before;
}

Status RunAll(const Session& session, const Work& work, Results* results) {
  Status first;
  for (const Call& call : work.calls) {
    if (work.by_callable) {
      Result<Callable> callable = session.MakeCallable(call.options);
      Tensor fetches[1];
      const Status status = callable.ok() ? callable->Run({&call.value, 1}, fetches) : callable.status();
      first.Update(status);
      if (results != nullptr && status.ok()) results->push_back({fetches[0]});
      continue;
    }
    Result<std::vector<Tensor>> got =
        work.by_async ? RunAsync(session, call) : session.Run(call.feeds, call.fetches, call.targets);
    first.Update(got.status());
    if (results != nullptr && got.ok()) results->push_back(*std::move(got));
  }
  return first;
}

// Loads and runs with request `k` refused, 0: none; with `all_later` those after it, too.
Outcome Try(const Work& work, long k, bool all_later, Results* expected) {
  runtime_test::NoMemory& limits = HeapLimits();
  Outcome outcome;
  Results results;
  results.reserve(64);
  SessionOptions options = work.options;
  limits.requests = 0;
  limits.refused = k;
  limits.all_later = all_later;
  limits.watches = true;
  const auto judge = [&](const char* what, const Status& status) {
    if (status.ok()) return true;
    outcome.failed = true;
    if (status.code() == Code::kResourceExhausted || !outcome.fault.empty()) return false;
    limits.watches = false;
    outcome.fault = std::string(what) + ": " + status.ToString();
    limits.watches = true;
    return false;
  };
#if defined(__cpp_exceptions)
  try {
#endif
    const Result<Session> session = Session::FromGraphDef(work.graph, std::move(options));
    if (judge("FromGraphDef", session.status())) {
      for (int i = 0; i < 4; ++i) (void)judge("Run", RunAll(*session, work, nullptr));
      outcome.requests = limits.requests;
      limits.refused = 0;
      const Status after = RunAll(*session, work, &results);
      if (!after.ok() && outcome.fault.empty()) {
        limits.watches = false;
        outcome.fault = "Run afterwards: " + after.ToString();
        limits.watches = true;
      }
    } else {
      outcome.requests = limits.requests;
    }
#if defined(__cpp_exceptions)
  } catch (...) {
    outcome.requests = limits.requests;
    limits.refused = 0;
    outcome.fault = "throws";
  }
#endif
  limits.refused = 0;
  limits.watches = false;
  if (k == 0) {
    *expected = std::move(results);
  } else if (outcome.fault.empty() && !work.has_state && !results.empty() && !SameValues(results, *expected)) {
    outcome.fault = "other values afterwards";
  }
  return outcome;
}

struct Progress {
  long at;  // the request being refused
  long faults;
  long failed;
  bool ended;
};

// From request `first` on. Returns the number of faults.
void SweepFrom(const Work& work, long first, bool all_later, Progress* progress, bool alarms) {
  // A container's name with a step id of four digits fits into a std::string without a request.
  if (detail::NextStepId() < 1'000'000) detail::NextStepId() = 1'000'000;
  const RefusesBuffers refuses;
  Results expected;
  Outcome usual;
  for (int i = 0; i < 3; ++i) usual = Try(work, 0, false, &expected);  // what the process keeps is there from now on
  const runtime_test::NoMemory& limits = HeapLimits();
  const std::string how = work.name + (all_later ? ", all requests from " : ", request ");
  if (!usual.fault.empty()) {
    std::printf("%s: without a refusal: %s\n", work.name.c_str(), usual.fault.c_str());
    ++progress->faults;
    progress->ended = true;
    return;
  }
  const char* const given = std::getenv("TENON_NO_MEMORY_STEP");
  const long step = given != nullptr ? std::max(std::atol(given), 1L) : alarms ? 1 : 1 + usual.requests / work.most;
  const char* const limit = std::getenv("TENON_NO_MEMORY_SECONDS");
  const auto seconds = static_cast<unsigned>(limit != nullptr ? std::atoi(limit) : 4);
  for (long k = first;; k += step) {
    progress->at = k;
    if (alarms) alarm(seconds);
    Outcome outcome;
    long leaked = 0;
    // A leak repeats. What a process allocates once does not.
    for (const int patience_ms : {50, 200, 2000}) {
      const long before = limits.blocks;
      outcome = Try(work, k, all_later, &expected);
      if (!outcome.fault.empty()) break;
      leaked = AwaitBlocks(before, patience_ms);
      if (leaked <= 0) break;
    }
    if (outcome.requests < k && outcome.fault.empty()) break;  // there are no more
    progress->failed += outcome.failed ? 1 : 0;
    if (outcome.fault.empty() && leaked <= 0) continue;
    if (++progress->faults <= 2000 && outcome.fault.empty())
      std::printf("%s%ld: leaks %ld blocks\n", how.c_str(), k, leaked);
    else if (progress->faults <= 2000)
      std::printf("%s%ld: %s\n", how.c_str(), k, outcome.fault.c_str());
    if (outcome.requests < k) break;
  }
  progress->ended = true;
}
// The same in processes of its own, so that one that ends is a fault, too.
void SweepInProcesses(const Work& work, bool all_later, Progress* progress) {
  auto* shared = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  *shared = {1, 0, 0, false};
  if (const char* first = std::getenv("TENON_NO_MEMORY_FIRST")) shared->at = std::atol(first);
  while (!shared->ended) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      SweepFrom(work, shared->at, all_later, shared, true);
      std::fflush(stdout);
      std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (shared->ended) break;
    std::printf("%s, request %ld%s: ends the process, signal %d\n", work.name.c_str(), shared->at,
                all_later ? " and all later" : "", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    ++shared->faults;
    ++shared->at;
  }
  *progress = *shared;
  munmap(shared, sizeof(Progress));
}
void Sweep(const Work& work) {
  const bool processes = std::getenv("TENON_NO_MEMORY_PROCESSES") != nullptr;
  for (const bool all_later : {false, true}) {
    Progress progress{};
    if (processes)
      SweepInProcesses(work, all_later, &progress);
    else
      SweepFrom(work, 1, all_later, &progress, false);
    if (processes)
      std::printf("%-40s %-9s %6ld requests, %6ld failed, %6ld faults\n", work.name.c_str(),
                  all_later ? "and later" : "one", progress.at - 1, progress.failed, progress.faults);
    CHECK_MESSAGE(progress.faults == 0, work.name);
  }
}

// ---- on one device and several, in each engine, with and without the optimizer
const OptimizerOptions kOptimizer{.level = OptimizerLevel::kExact};
struct Place {
  const char* name;
  SessionOptions options;
};
std::vector<Place> Places() {
  std::vector<Place> places;
  places.push_back({"sequential", {.intra_op_threads = 1, .plan_after_runs = 1}});
  places.push_back({"optimized", {.intra_op_threads = 1, .plan_after_runs = 1, .optimizer = kOptimizer}});
  places.push_back({"dataflow", {.inter_op_threads = 2, .intra_op_threads = 1, .executor = ExecutorKind::kDataflow}});
  SessionOptions three;
  three.devices = {"CPU:0", "CPU:1", "SIM:0"};
  three.intra_op_threads = 1;
  three.allow_soft_placement = true;
  places.push_back({"three devices", three});
  three.optimizer = kOptimizer;
  places.push_back({"three devices, optimized", three});
  three.optimizer = {};
  three.inter_op_threads = 2;
  places.push_back({"three devices on a pool", three});
  return places;
}
bool HasState(const NodeDef& node) {
  const OpView* op = Registry::Global().ops().Find(node.op);
  return op == nullptr || op->flags.is_stateful;
}
// By turns; the placer has the others, and those with state.
void DealOut(const std::vector<std::string>& devices, GraphDef* graph) {
  std::size_t number = 0;
  for (NodeDef& node : graph->node) {
    const std::size_t turn = number++ % (devices.size() + 1);
    if (turn < devices.size() && !HasState(node)) node.device = StrCat("/device:", devices[turn]);
  }
}
void SweepEverywhere(Work work) {
  const char* const only = std::getenv("TENON_NO_MEMORY_PLACE");
  const GraphDef graph = work.graph;
  const std::string name = work.name;
  for (const Place& place : Places()) {
    if (only != nullptr && std::string_view(only) != place.name) continue;
    work.name = name + ", " + place.name;
    work.options = place.options;
    work.options.lower_control_flow = work.lower;
    work.graph = graph;
    if (place.options.devices.size() > 1) DealOut(place.options.devices, &work.graph);
    Sweep(work);
  }
}

constexpr const char* kSmallestModels[] = {"recursion",     "random_stateful", "sparse_model", "dtypes_mixed",
                                           "control_v1",    "quant_mobile",    "linalg",       "train_sgd",
                                           "train_sgd_ref", "while_nested"};
std::string ReadAll(const std::string& path) {
  std::string text;
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  REQUIRE(file != nullptr);
  char buffer[1 << 16];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  std::fclose(file);
  return text;
}
Work Model(const std::string& name) {
  const std::string folder = StrCat(TENON_TEST_DATA "/models/", name);
  Work work;
  work.name = name;
  auto graph = ReadGraphFile(folder + "/graph.pb");
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  work.graph = *graph;
  golden::CaseFile file;
  const std::string bytes = ReadAll(folder + "/io.pb");
  REQUIRE(wire::Parse(runtime_test::Bytes(bytes), &file).ok());
  for (const golden::Step& step : file.cases.at(0).step) {
    Call call;
    for (const golden::NamedBytes& feed : step.feed)
      call.feeds.push_back({feed.name, TensorFromProto(runtime_test::Bytes(feed.bytes), nullptr).value()});
    for (const golden::NamedBytes& fetch : step.fetch)
      call.fetches.push_back(fetch.name.find(':') == std::string::npos ? fetch.name + ":0" : fetch.name);
    call.targets = step.target;
    if (step.code == 0) work.calls.push_back(std::move(call));
  }
  for (const NodeDef& node : work.graph.node) work.has_state = work.has_state || HasState(node);
  for (const FunctionDef& function : work.graph.library.function)
    for (const NodeDef& node : function.node_def) work.has_state = work.has_state || HasState(node);
  return work;
}

// x + 1, squared.
Work Small() {
  Work work;
  work.name = "small graph";
  work.graph = runtime_test::SmallGraph().graph_def();
  work.calls = {{{{"x", MakeTensor<float>({2}, {1, 2})}}, {"z:0"}, {}}};
  return work;
}
// A call in a call.
Work Calls() {
  Work work;
  work.name = "functions";
  GraphBuilder b;
  b.Placeholder("x", DataType::kFloat);
  work.graph = b.graph_def();
  work.graph.node.push_back(function_test::MakeNode("y", "PartitionedCall", {"x"},
                                                    {{"Tin", function_test::FloatTypes(1)},
                                                     {"Tout", function_test::FloatTypes(1)},
                                                     {"f", function_test::Call("outer")}}));
  work.graph.library.function = {
      function_test::Floats("inner", {"a"},
                            {function_test::MakeNode("s", "AddV2", {"a", "a"}, {{"T", DataType::kFloat}})}, "s:z:0"),
      function_test::Floats("outer", {"a"},
                            {function_test::MakeNode("c", "PartitionedCall", {"a"},
                                                     {{"Tin", function_test::FloatTypes(1)},
                                                      {"Tout", function_test::FloatTypes(1)},
                                                      {"f", function_test::Call("inner")}}),
                             function_test::MakeNode("m", "Mul", {"c:output:0", "a"}, {{"T", DataType::kFloat}})},
                            "m:z:0")};
  work.calls = {{{{"x", Tensor::Scalar(3.0f)}}, {"y:0"}, {}}};
  return work;
}
// A run that waits for what another one enqueued before.
Work Queue() {
  Work work;
  work.name = "queue";
  work.by_async = true;
  work.has_state = true;
  GraphBuilder b;
  const SlimVector<DataType> floats{DataType::kFloat};
  const Output x = b.Placeholder("x", DataType::kFloat);
  const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
  const Output got = b.Add("QueueDequeueV2", "got", {q}, {{"component_types", floats}});
  b.Add("Neg", "negative", {got});
  b.Add("QueueEnqueueV2", "put", {q, {x}});
  work.graph = b.graph_def();
  // One signature puts and takes: a run whose enqueue found no memory ends and leaves nobody waiting.
  work.calls = {{{{"x", Tensor::Scalar(3.0f)}}, {"negative:0"}, {"put"}}};
  return work;
}
// A table and a mutex: their kernels keep a handle from the first run on.
Work Resources() {
  Work work;
  work.name = "table and mutex";
  work.has_state = true;
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat);
  const Output key = b.Const("key", Tensor::Scalar(std::int64_t{7}));
  const Output table =
      b.Add("MutableHashTableV2", "table", {}, {{"key_dtype", DataType::kInt64}, {"value_dtype", DataType::kFloat}});
  const Output mutex = b.Add("MutexV2", "mutex", {});
  const Output lock = b.Add("MutexLock", "lock", {mutex});
  b.Add("ConsumeMutexLock", "unlock", {lock});
  b.Add("LookupTableInsertV2", "put", {table, key, x});
  b.Add("LookupTableFindV2", "got", {table, key, b.Const("none", Tensor::Scalar(0.0f))});
  work.graph = b.graph_def();
  work.calls = {{{{"x", Tensor::Scalar(3.0f)}}, {"got:0"}, {"unlock", "put"}}};
  return work;
}
// A While; `lowered`: as TensorFlow 1 writes it.
Work Loop(bool lowered) {
  Work work;
  work.name = lowered ? "TensorFlow 1 loop" : "While";
  runtime_test::WhileGraph graph(1);
  graph.Add("sum", "AddV2", {"x0", "x0"}).Next(0, "sum:z:0");
  work.graph = graph.Graph();
  if (lowered) work.lower = &LowerAllFunctionalOps;
  work.calls = {{{{"n", Tensor::Scalar(std::int32_t{5})}, {"x0", Tensor::Scalar(1.0f)}}, {"loop:2"}, {}}};
  return work;
}

struct Box final : Resource {
  static constexpr std::string_view kTypeName = "no_memory_test::Box";
  std::string DebugString() const override { return "a box"; }
};

TEST_SUITE("no memory") {
  TEST_CASE("the resources of a run go without memory, whatever its step id") {
    if (!runtime_test::kCountsHeapCalls) return;
    runtime_test::NoMemory& limits = HeapLimits();
    using Limits = std::numeric_limits<std::int64_t>;
    for (const std::int64_t id : {std::int64_t{7}, std::int64_t{10'000}, Limits::max(), Limits::min()}) {
      ResourceMgr resources;
      std::optional<StepContainer> container(std::in_place, &resources, id);
      const std::string name = container->name();
      REQUIRE(container->Create("box", Ref<Box>::Adopt(new Box)).ok());
      limits.requests = 0;
      limits.refused = 1;
      limits.all_later = true;
      limits.watches = true;
      container.reset();
      limits.watches = false;
      limits.refused = 0;
      CHECK(limits.requests == 0);
      Ref<Box> box;
      CHECK_MESSAGE(resources.Lookup(name, "box", &box).code() == Code::kNotFound, name);
    }
  }
  TEST_CASE("a graph, without memory") {
    if (!runtime_test::kCountsHeapCalls) return;
    SweepEverywhere(Small());
    Work callable = Small();
    callable.name = "callable";
    callable.by_callable = true;
    callable.calls[0].options = {.feeds = {"x"}, .fetches = {"z:0"}};
    callable.calls[0].value = callable.calls[0].feeds[0].tensor;
    SweepEverywhere(callable);
    Work async = Small();
    async.name = "asynchronous run";
    async.by_async = true;
    SweepEverywhere(async);
  }
  TEST_CASE("asynchronous runs of kernels that wait, without memory") {
    if (!runtime_test::kCountsHeapCalls) return;
    SweepEverywhere(Queue());
  }
  TEST_CASE("kernels that keep handles, without memory") {
    if (!runtime_test::kCountsHeapCalls) return;
    SweepEverywhere(Resources());
  }
  TEST_CASE("functions, without memory") {
    if (!runtime_test::kCountsHeapCalls) return;
    SweepEverywhere(Calls());
    SweepEverywhere(Loop(false));
  }
  TEST_CASE("TensorFlow 1 control flow, without memory") {
    if (!runtime_test::kCountsHeapCalls) return;
    SweepEverywhere(Loop(true));
  }
  TEST_CASE("models, without memory") {
    if (!runtime_test::kCountsHeapCalls) return;
    const char* const names = std::getenv("TENON_NO_MEMORY_MODELS");
    if (names == nullptr) {
      std::int64_t turn = 0;
      REQUIRE(GetEnvInt64("TENON_TEST_TURN", 0, &turn).ok());
      Work model = Model(kSmallestModels[static_cast<std::size_t>(turn) % std::size(kSmallestModels)]);
      model.most = 15;
      return SweepEverywhere(std::move(model));
    }
    std::string_view rest = names;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      Work model = Model(std::string(rest.substr(0, comma)));
      model.by_async = std::getenv("TENON_NO_MEMORY_ASYNC") != nullptr;
      SweepEverywhere(std::move(model));
      rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
  }
}

}  // namespace no_memory_test
