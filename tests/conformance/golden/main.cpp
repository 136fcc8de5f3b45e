// SPDX-License-Identifier: Apache-2.0
// tenon_golden: runs golden cases - small graphs and whole models with what TensorFlow answered - through the public
// Session.
//
//   tenon_golden [--op NAME] [--case TEXT] [--list-unsupported] [--json FILE] [--shapes] [--dataflow] [--unfolded]
//                [--lowered] [--devices | --device NAME] [--threads N] [--optimize[=exact|PASS,...]] [--report]
//                [--times N] [--memory] FILE.pb|MODEL_FOLDER ...
//   tenon_golden [--case TEXT] --specs FILE.pb
//   tenon_golden [--case TEXT] --text-graphs FOLDER ...
//   tenon_golden [--case TEXT] --records FOLDER ...
//   tenon_golden [--case TEXT] --checkpoints FOLDER ...
//   tenon_golden [--case TEXT] --corrupted FOLDER ...
//   tenon_golden [--case TEXT] --saved-models|--frozen-models FOLDER ...
//   tenon_golden [--case TEXT] --gradients|--training FILE.pb ...
//
// --dataflow runs the graphs in the dataflow engine, --unfolded without constant folding, --threads with N threads
// between and inside of nodes (else 1). --lowered turns If, Case, While and For into Switch, Merge and loop frames and
// inlines all calls before a graph runs. --devices deals the nodes out to two processors and two simulated devices, as
// far as those have kernels for them; --device gives a session that one device, such as GPU:0. The steps of a graph
// without state are run a second time in the same session.
// --optimize optimises every signature: with all passes, with those that keep every bit, or with the passes named.
// --report prints the passes' reports, and how many nodes each run executes. --times prints the median time of N runs
// without the optimizer and with it, by turns in this process. --memory prints the bytes that the first step's runs
// take without the optimizer, with its exact passes and with all: before a plan and with it (the arena and the step's
// cache), and bytes of constants beside the file.
// --shapes runs nothing: it compares what shape inference says with TensorFlow's known_shape and unknown_shape.
// --specs reads ops written as spec strings (tests/conformance/golden/spec_cases.hpp), --text-graphs the graphs of
// folders in text and binary form (text_cases.hpp there), --records folders of TFRecord files (record_cases.hpp),
// --checkpoints folders of checkpoints (checkpoint_cases.hpp), --corrupted folders of spoilt files
// (corrupted_cases.hpp),
// --saved-models folders of SavedModels (saved_model_cases.hpp), --frozen-models with their variables frozen,
// --gradients and --training files of graphs to derive and to train (gradient_cases.hpp).
//
// A case that needs an op or a dtype that Tenon does not have is unsupported: counted apart, never as passed. The last
// line is 'N passed, N failed, N skipped' (skipped: unsupported); the exit code is 1 when something failed.

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include <tenon/base/clock.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/devices.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/runtime/planned/recorded_run.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/optimizer.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/counters.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "case_file.hpp"
#include "checkpoint_cases.hpp"
#include "compare.hpp"
#include "corrupted_cases.hpp"
#include "gradient_cases.hpp"
#include "outcome.hpp"
#include "record_cases.hpp"
#include "saved_model_cases.hpp"
#include "shape_cases.hpp"
#include "spec_cases.hpp"
#include "temp_folder.hpp"
#include "text_cases.hpp"

namespace {

using tenon::Status;
using tenon::StrCat;
using tenon::Tensor;

using golden::Bytes;
using golden::Counts;
using golden::Outcome;

bool ReadFile(const std::string& path, std::string* out) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return false;
  char buffer[1 << 16];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) out->append(buffer, n);
  std::fclose(file);
  return true;
}

tenon::SessionOptions session_options{.intra_op_threads = 1, .check_ops = true};  // as TensorFlow

class PrintReports final : public tenon::OptimizationSink {
 public:
  void Optimized(const tenon::OptimizationReport& report) override { std::printf("%s", report.DebugString().c_str()); }
} print_reports;

// Prints how many nodes one run executes.
void CountNodes(const tenon::Session& session, const std::vector<tenon::NamedTensor>& feeds,
                const std::vector<std::string>& fetches, const std::vector<std::string>& targets) {
  tenon::CallableOptions options{.fetches = fetches, .targets = targets};
  std::vector<Tensor> values, outputs(fetches.size());
  for (const tenon::NamedTensor& feed : feeds) {
    options.feeds.push_back(feed.name);
    values.push_back(feed.tensor);
  }
  const auto callable = session.MakeCallable(options);
  tenon::RunTrace trace;
  if (!callable.ok() || !callable->RunTraced(values, outputs, &trace).ok()) return;
  std::int64_t nodes = static_cast<std::int64_t>(trace.nodes.size()) + trace.num_dropped;
  for (const tenon::NodeTotal& folded : trace.folded) nodes += folded.count;
  std::map<std::string_view, std::int64_t> by_op;
  for (const tenon::NodeTiming& node : trace.nodes) ++by_op[node.op];
  for (const tenon::NodeTotal& folded : trace.folded) by_op[folded.op] += folded.count;
  std::printf("runs %lld nodes:", static_cast<long long>(nodes));
  for (const auto& [op, count] : by_op) std::printf(" %s %lld", std::string(op).c_str(), static_cast<long long>(count));
  std::printf("\n");
}

// A TensorArray's text handle names it on its own device only, as in TensorFlow; not all ops of arrays are stateful.
// Ops that hand on a reference must be with its variable.
bool HasState(const tenon::NodeDef& node) {
  if (node.op.starts_with("TensorArray")) return true;
  const tenon::OpView* op = tenon::Registry::Global().ops().Find(node.op);
  const auto is_ref = [](const auto& arg) { return arg.is_ref; };
  return op == nullptr || op->flags.is_stateful || tenon::AnyItem(op->inputs, is_ref) ||
         tenon::AnyItem(op->outputs, is_ref);
}
// By turns; the placer has every fifth node, and those with state, because what uses one variable must be together.
void DealOut(tenon::GraphDef* graph) {
  std::size_t number = 0;
  for (tenon::NodeDef& node : graph->node) {
    const std::size_t turn = number++ % (session_options.devices.size() + 1);
    if (turn < session_options.devices.size() && !HasState(node))
      node.device = StrCat("/device:", session_options.devices[turn]);
  }
}

bool HasState(const tenon::GraphDef& graph) {
  if (!graph.library.function.empty()) return true;  // who knows
  for (const tenon::NodeDef& node : graph.node)
    if (HasState(node)) return true;
  return false;
}

// The ops of the graph that Tenon does not have.
std::set<std::string> MissingOps(const tenon::GraphDef& graph) {
  std::set<std::string> missing;
  const auto is_function = [&](const std::string& op) {
    return std::any_of(graph.library.function.begin(), graph.library.function.end(),
                       [&](const tenon::FunctionDef& function) { return function.signature.name == op; });
  };
  const auto look = [&](const tenon::NodeDef& node) {
    if (tenon::Registry::Global().FindOp(node.op) == nullptr && !is_function(node.op)) missing.insert(node.op);
  };
  for (const tenon::NodeDef& node : graph.node) look(node);
  for (const tenon::FunctionDef& function : graph.library.function)
    for (const tenon::NodeDef& node : function.node_def) look(node);
  return missing;
}
bool HasKernelTrouble(const Status& status) {
  return status.message().find("no kernel for op '") != std::string_view::npos ||
         status.message().find("No OpKernel was registered") != std::string_view::npos ||  // when a graph is placed
         status.code() == tenon::Code::kUnimplemented;
}
// TensorFlow recorded its answers on a CPU, which takes NHWC alone; its GPU kernels take NCHW, too.
bool IsForGpusAlone(const std::string& message) {
  return message.find("only supports NHWC") != std::string::npos && session_options.devices.size() == 1 &&
         session_options.devices[0].starts_with("GPU");
}
bool TalksOfKernels(const std::string& message) {
  return message.find("OpKernel") != std::string::npos || message.find("kernel") != std::string::npos;
}

Outcome RunStep(const tenon::Session& session, const golden::Case& c, const golden::Step& step, std::size_t number) {
  const std::string where = c.step.size() > 1 ? StrCat("step ", number, ": ") : "";
  std::vector<tenon::NamedTensor> feeds;
  for (const golden::NamedBytes& feed : step.feed) {
    auto tensor = tenon::TensorFromProto(Bytes(feed.bytes), nullptr);
    if (!tensor.ok()) return {Outcome::kUnsupported, StrCat("feed '", feed.name, "': ", tensor.status().message())};
    feeds.push_back({feed.name, *tensor});
  }
  std::vector<std::string> fetches;
  // Names mean tensors ("node" is "node:0") but where the case is about the names themselves: a session compares them
  // as they are written, and would not return a tensor under the very name under which it is fed.
  for (const golden::NamedBytes& fetch : step.fetch)
    fetches.push_back(c.note == "by-name" || fetch.name.find(':') != std::string::npos ? fetch.name
                                                                                       : fetch.name + ":0");
  if (session_options.optimizer.sink != nullptr && step.code == 0) CountNodes(session, feeds, fetches, step.target);
  const auto got = session.Run(feeds, fetches, step.target);
  if (step.code != 0) {
    if (got.ok() && IsForGpusAlone(step.message))
      return {Outcome::kUnsupported, "NCHW, which TensorFlow's CPU refuses"};
    if (got.ok())
      return {Outcome::kFailed, StrCat(where, "ran, TensorFlow fails with ", step.code, ": ", step.message)};
    const int code = static_cast<int>(got.status().code());
    if (HasKernelTrouble(got.status()) && !TalksOfKernels(step.message) && code != step.code)
      return {Outcome::kUnsupported, std::string(got.status().message())};
    if (got.status().message().find("no kernel for op '") != std::string_view::npos && !TalksOfKernels(step.message))
      return {Outcome::kUnsupported, std::string(got.status().message())};
    if (code != step.code)
      return {Outcome::kFailed, StrCat(where, "code ", code, " (", got.status().message(), "), TensorFlow's is ",
                                       step.code, " (", step.message, ")")};
    return {Outcome::kPassed, ""};
  }
  if (!got.ok()) {
    if (HasKernelTrouble(got.status())) return {Outcome::kUnsupported, std::string(got.status().message())};
    return {Outcome::kFailed, StrCat(where, got.status().ToString())};
  }
  for (std::size_t i = 0; i < step.fetch.size(); ++i) {
    auto want = tenon::TensorFromProto(Bytes(step.fetch[i].bytes), nullptr);
    if (!want.ok())
      return {Outcome::kUnsupported, StrCat("wanted '", step.fetch[i].name, "': ", want.status().message())};
    if (std::string d = golden::Difference((*got)[i], *want, c.compare, c.rtol, c.atol); !d.empty())
      return {Outcome::kFailed, StrCat(where, step.fetch[i].name, ": ", d)};
  }
  return {Outcome::kPassed, ""};
}

tenon::Result<tenon::GraphDef> GraphOf(const golden::Case& c, const std::string& graph_path) {
  return graph_path.empty() ? tenon::ParseGraphDef(Bytes(c.graph)) : tenon::ReadGraphFile(graph_path);
}

Outcome RunCase(const golden::Case& c, const std::string& graph_path) {
  tenon::Result<tenon::GraphDef> graph = GraphOf(c, graph_path);
  if (!graph.ok()) return {c.import_code != 0 ? Outcome::kPassed : Outcome::kFailed, graph.status().ToString()};
  const std::set<std::string> missing = MissingOps(*graph);
  for (const std::string& op : missing) {
    const bool unknown_to_tensorflow =
        c.import_code == 5 && c.import_message.find(StrCat("'", op, "'")) != std::string::npos;
    if (!unknown_to_tensorflow) return {Outcome::kUnsupported, StrCat("op ", op)};
  }
  if (session_options.devices.size() > 1) DealOut(&*graph);
  const auto session = graph_path.empty() || !session_options.devices.empty()
                           ? tenon::Session::FromGraphDef(*graph, session_options)
                           : tenon::Session::FromGraphFile(graph_path, session_options);
  if (c.import_code != 0) {
    if (session.ok())
      return {Outcome::kFailed, StrCat("imported, TensorFlow refuses it with ", c.import_code, ": ", c.import_message)};
    if (static_cast<int>(session.status().code()) != c.import_code)
      return {Outcome::kFailed, StrCat("import: ", session.status().ToString(), "; TensorFlow's code is ",
                                       c.import_code, ": ", c.import_message)};
    return {Outcome::kPassed, ""};
  }
  if (!session.ok() && !session_options.devices.empty() &&  // what no device can run is refused when it is placed
      std::any_of(c.step.begin(), c.step.end(),
                  [&](const golden::Step& step) { return step.code == static_cast<int>(session.status().code()); }))
    return {Outcome::kPassed, ""};
  if (!session.ok() && !session_options.devices.empty() && HasKernelTrouble(session.status()))
    return {Outcome::kUnsupported, std::string(session.status().message())};
  if (!session.ok()) return {Outcome::kFailed, StrCat("import: ", session.status().ToString())};
  const int runs = session_options.record_steps ? 3 : 2;  // the second run records, the third one starts the recording
  for (int times = HasState(*graph) ? 1 : runs; times > 0; --times)
    for (std::size_t i = 0; i < c.step.size(); ++i)
      if (Outcome o = RunStep(*session, c, c.step[i], i); o.kind != Outcome::kPassed) return o;
  return {Outcome::kPassed, ""};
}

// Prints the median times of the first step, without the optimizer and with it.
void TimeCase(const golden::Case& c, const std::string& graph_path, int times) {
  tenon::SessionOptions plain = session_options;
  plain.optimizer = {};
  const tenon::SessionOptions* const both[] = {&plain, &session_options};
  std::vector<tenon::Session> sessions;
  for (const tenon::SessionOptions* const options : both) {
    const tenon::Result<tenon::GraphDef> graph = GraphOf(c, graph_path);
    auto session =
        graph.ok() ? tenon::Session::FromGraphDef(*graph, *options) : tenon::Result<tenon::Session>(graph.status());
    if (!session.ok()) return;
    sessions.push_back(*std::move(session));
  }
  const golden::Step& step = c.step[0];
  std::vector<tenon::NamedTensor> feeds;
  std::vector<std::string> fetches;
  for (const golden::NamedBytes& feed : step.feed) {
    auto tensor = tenon::TensorFromProto(Bytes(feed.bytes), nullptr);
    if (!tensor.ok()) return;
    feeds.push_back({feed.name, *tensor});
  }
  for (const golden::NamedBytes& fetch : step.fetch) fetches.push_back(fetch.name);
  std::vector<double> ms[2];
  for (int i = -5; i < times; ++i) {  // the first runs are not counted: they plan, and fill caches
    for (std::size_t k = 0; k < 2; ++k) {
      const std::int64_t begin = tenon::SteadyNanoseconds();
      if (!sessions[k].Run(feeds, fetches, step.target).ok()) return;
      if (i >= 0) ms[k].push_back(static_cast<double>(tenon::SteadyNanoseconds() - begin) * 1e-6);
    }
  }
  for (std::vector<double>& list : ms) std::sort(list.begin(), list.end());
  const double before = ms[0][ms[0].size() / 2], after = ms[1][ms[1].size() / 2];
  std::printf("%s: %.3f ms, optimised %.3f ms, ratio %.2f\n", c.name.c_str(), before, after, after / before);
}

// Bytes of a session after a few runs of a case's first step.
struct CaseMemory {
  std::int64_t step = 0, arena = 0;  // blocks of the step's cache, and the arena of its plan
  std::int64_t constants = 0;  // all other memory of the session's allocator: folded constants, packed weights
};
bool MeasureMemory(const golden::Case& c, const std::string& graph_path, tenon::SessionOptions options,
                   CaseMemory* bytes) {
  tenon::TrackingAllocator memory(tenon::CpuAllocator());
  options.allocator = &memory;
  const auto session = graph_path.empty() ? tenon::Session::FromGraphDef(*GraphOf(c, graph_path), options)
                                          : tenon::Session::FromGraphFile(graph_path, options);
  if (!session.ok()) return false;
  tenon::CallableOptions signature{.targets = c.step[0].target};
  std::vector<Tensor> feeds;
  for (const golden::NamedBytes& feed : c.step[0].feed) {
    const auto tensor = tenon::TensorFromProto(Bytes(feed.bytes), nullptr);
    if (!tensor.ok()) return false;
    signature.feeds.push_back(feed.name);
    feeds.push_back(*tensor);
  }
  for (const golden::NamedBytes& fetch : c.step[0].fetch) signature.fetches.push_back(fetch.name);
  const auto callable = session->MakeCallable(signature);
  if (!callable.ok()) return false;
  for (int i = 0; i < 4; ++i) {
    std::vector<Tensor> fetched(signature.fetches.size());
    if (!callable->Run(feeds, fetched).ok()) return false;
  }
  tenon::SessionCounters counters;
  if (!session->GetCounters(&counters)) return false;
  bytes->step = counters.step_bytes;
  bytes->arena = counters.plan_arena_bytes;
  bytes->constants = memory.GetStats()->bytes_in_use - bytes->step - bytes->arena;
  return true;
}
void PrintMemory(const golden::Case& c, const std::string& graph_path) {
  for (const auto& [name, level] :
       {std::pair{"plain", tenon::OptimizerLevel::kOff}, std::pair{"exact", tenon::OptimizerLevel::kExact},
        std::pair{"fast", tenon::OptimizerLevel::kFast}}) {
    tenon::SessionOptions options = session_options;
    options.optimizer = {.level = level};
    CaseMemory before, planned;
    options.plan_after_runs = 0;
    if (!MeasureMemory(c, graph_path, options, &before)) return;
    options.plan_after_runs = 1;
    if (!MeasureMemory(c, graph_path, options, &planned)) return;
    const auto print = [](std::int64_t number) { return static_cast<long long>(number); };
    std::printf("%s, %s: %lld bytes; planned %lld: arena %lld, cache %lld; constants %lld\n", c.name.c_str(), name,
                print(before.step), print(planned.arena + planned.step), print(planned.arena), print(planned.step),
                print(planned.constants));
  }
}

Outcome RunShapeCase(const golden::Case& c, const std::string& graph_path) {
  const tenon::Result<tenon::GraphDef> graph = GraphOf(c, graph_path);
  if (!graph.ok()) return {Outcome::kFailed, graph.status().ToString()};
  if (const std::set<std::string> missing = MissingOps(*graph); !missing.empty())
    return {Outcome::kUnsupported, StrCat("op ", *missing.begin())};
  const tenon::OpRegistry& ops = tenon::Registry::Global().ops();
  if (Outcome o = golden::CompareShapes(*graph, ops, c.known_shape, "known"); o.kind != Outcome::kPassed) return o;
  return golden::CompareShapes(golden::WithoutShapes(*graph), ops, c.unknown_shape, "unknown");
}

std::string JsonText(std::string_view text) {
  std::string out = "\"";
  for (const char ch : text) {
    if (ch == '"' || ch == '\\') out += '\\';
    out += static_cast<unsigned char>(ch) < 0x20 ? ' ' : ch;
  }
  return out + "\"";
}

struct Options {
  std::string op, name, json, specs, device, threads = "1", times;
  bool list_unsupported = false, shapes = false, memory = false;
  // Compares one of the folders or files in `paths`; null: they are cases and models.
  Status (*run_folder)(const std::string& folder, std::string_view filter, Counts* counts) = nullptr;
  std::vector<std::string> paths;
};
int Usage() {
  std::fprintf(
      stderr,
      "usage: tenon_golden [--op NAME] [--case TEXT] [--list-unsupported] [--json FILE] [--shapes] [--dataflow] "
      "[--unfolded] [--lowered] [--devices | --device NAME] [--threads N] [--optimize[=exact|PASS,...]] [--report] "
      "[--times N] [--memory] FILE.pb|MODEL_FOLDER ...\n"
      "       tenon_golden [--case TEXT] --specs FILE.pb\n"
      "       tenon_golden [--case TEXT] --text-graphs FOLDER ...\n"
      "       tenon_golden [--case TEXT] --records FOLDER ...\n"
      "       tenon_golden [--case TEXT] --checkpoints FOLDER ...\n"
      "       tenon_golden [--case TEXT] --corrupted FOLDER ...\n"
      "       tenon_golden [--case TEXT] --saved-models|--frozen-models FOLDER ...\n"
      "       tenon_golden [--case TEXT] --gradients|--training FILE.pb ...\n");
  return 2;
}
// "", "=exact" or "=PASS,...".
bool ParseOptimize(std::string_view passes) {
  session_options.optimizer.level = passes == "=exact" ? tenon::OptimizerLevel::kExact : tenon::OptimizerLevel::kFast;
  if (passes.empty() || passes == "=exact") return true;
  if (!passes.starts_with('=')) return false;
  for (passes.remove_prefix(1); !passes.empty();) {
    const std::size_t end = passes.find(',');
    session_options.optimizer.only.emplace_back(passes.substr(0, end));
    passes = end == std::string_view::npos ? std::string_view() : passes.substr(end + 1);
  }
  return true;
}
bool ParseArguments(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    std::string* value = arg == "--op"        ? &options->op
                         : arg == "--case"    ? &options->name
                         : arg == "--json"    ? &options->json
                         : arg == "--specs"   ? &options->specs
                         : arg == "--device"  ? &options->device
                         : arg == "--threads" ? &options->threads
                         : arg == "--times"   ? &options->times
                                              : nullptr;
    if (value != nullptr) {
      if (++i == argc) return false;
      *value = argv[i];
    } else if (arg == "--list-unsupported") {
      options->list_unsupported = true;
    } else if (arg == "--memory") {
      options->memory = true;
    } else if (arg == "--shapes") {
      options->shapes = true;
    } else if (arg == "--text-graphs") {
      options->run_folder = &golden::RunTextFolder;
    } else if (arg == "--records") {
      options->run_folder = &golden::RunRecordFolder;
    } else if (arg == "--checkpoints") {
      options->run_folder = &golden::RunCheckpointFolder;
    } else if (arg == "--corrupted") {
      options->run_folder = &golden::RunCorruptedFolder;
    } else if (arg == "--saved-models") {
      options->run_folder = &golden::RunSavedModelFolder;
    } else if (arg == "--frozen-models") {
      options->run_folder = &golden::RunFrozenFolder;
    } else if (arg == "--gradients") {
      options->run_folder = &golden::RunGradientFile;
    } else if (arg == "--training") {
      options->run_folder = &golden::RunTrainingFile;
    } else if (arg == "--dataflow") {
      session_options.executor = tenon::ExecutorKind::kDataflow;
    } else if (arg == "--unfolded") {
      session_options.constant_folding = false;
    } else if (arg == "--devices") {
      session_options.devices = {"CPU:0", "CPU:1", "SIM:0", "SIM:1"};
      session_options.allow_soft_placement = true;
    } else if (arg.starts_with("--optimize")) {
      if (!ParseOptimize(arg.substr(10))) return false;
    } else if (arg == "--report") {
      session_options.optimizer.sink = &print_reports;
    } else if (arg == "--lowered") {
      session_options.lower_control_flow = tenon::LowerAllFunctionalOps;
    } else if (tenon::StartsWith(arg, "--")) {
      return false;
    } else {
      options->paths.emplace_back(arg);
    }
  }
  if (!options->device.empty()) {
    session_options.devices = {options->device};
    session_options.record_steps = true;
  }
  int threads = 0;
  if (!tenon::ParseInt(options->threads, &threads) || threads < 1) return false;
  session_options.inter_op_threads = session_options.intra_op_threads = threads;
  session_options.plan_after_runs = 1;  // every second run is a planned one
  return options->paths.empty() != options->specs.empty();
}

int RunSpecs(const Options& options) {
  std::string bytes;
  if (!ReadFile(options.specs, &bytes)) {
    std::fprintf(stderr, "tenon_golden: cannot read '%s'\n", options.specs.c_str());
    return 2;
  }
  Counts counts;
  if (Status s = golden::RunSpecFile(bytes, options.name, &counts); !s.ok()) {
    std::fprintf(stderr, "tenon_golden: '%s': %s\n", options.specs.c_str(), s.ToString().c_str());
    return 2;
  }
  return golden::PrintSummary(counts);
}

int RunFolders(const Options& options) {
  Counts counts;
  for (const std::string& folder : options.paths) {
    if (Status s = options.run_folder(folder, options.name, &counts); !s.ok()) {
      std::fprintf(stderr, "tenon_golden: '%s': %s\n", folder.c_str(), s.ToString().c_str());
      return 2;
    }
  }
  return golden::PrintSummary(counts);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!ParseArguments(argc, argv, &options)) return Usage();
  if (!options.specs.empty()) return RunSpecs(options);
  if (options.run_folder != nullptr) return RunFolders(options);
  Counts total;
  std::map<std::string, Counts> by_op;
  std::map<std::string, int> reasons;
  std::string json = "[\n";
  for (const std::string& path : options.paths) {
    struct stat info{};
    const bool model = stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
    std::string bytes;
    if (!ReadFile(model ? path + "/io.pb" : path, &bytes)) {
      std::fprintf(stderr, "tenon_golden: cannot read '%s'\n", path.c_str());
      return 2;
    }
    golden::CaseFile file;
    if (Status s = tenon::wire::Parse(Bytes(bytes), &file); !s.ok()) {
      std::fprintf(stderr, "tenon_golden: '%s': %s\n", path.c_str(), s.ToString().c_str());
      return 2;
    }
    Counts counts;
    for (const golden::Case& c : file.cases) {
      if (!options.op.empty() && std::find(c.op.begin(), c.op.end(), options.op) == c.op.end()) continue;
      if (!options.name.empty() && c.name.find(options.name) == std::string::npos) continue;
      if (options.shapes && c.known_shape.empty() && c.unknown_shape.empty()) continue;
      std::optional<InTempFolder> folder;
      if (!options.shapes && c.note == "files") folder.emplace();
      const std::string graph_path = model ? path + "/graph.pb" : "";
      const Outcome outcome = options.shapes ? RunShapeCase(c, graph_path) : RunCase(c, graph_path);
      if (options.memory && outcome.kind == Outcome::kPassed) PrintMemory(c, graph_path);
      int times = 0;
      if (!options.times.empty() && outcome.kind == Outcome::kPassed && tenon::ParseInt(options.times, &times) &&
          times > 0)
        TimeCase(c, graph_path, times);
      folder.reset();
      counts.Add(outcome.kind);
      total.Add(outcome.kind);
      for (const std::string& op : c.op) by_op[op].Add(outcome.kind);
      if (outcome.kind == Outcome::kFailed)
        std::printf("FAILED %s [%s]: %s\n", c.name.c_str(), path.c_str(), outcome.why.c_str());
      if (outcome.kind == Outcome::kUnsupported) ++reasons[outcome.why.substr(0, 100)];
      json += StrCat(json.size() > 2 ? ",\n" : "", "{\"file\":", JsonText(path), ",\"case\":", JsonText(c.name),
                     ",\"outcome\":",
                     JsonText(outcome.kind == Outcome::kPassed   ? "passed"
                              : outcome.kind == Outcome::kFailed ? "failed"
                                                                 : "unsupported"),
                     ",\"why\":", JsonText(outcome.why), "}");
    }
    std::printf("%-44s %5d passed %5d failed %5d unsupported\n", path.c_str(), counts.passed, counts.failed,
                counts.unsupported);
  }
  std::printf("\nper op (where something ran):\n");
  for (const auto& [op, counts] : by_op)
    if (counts.passed + counts.failed > 0)
      std::printf("  %-42s %5d passed %5d failed %5d unsupported\n", op.c_str(), counts.passed, counts.failed,
                  counts.unsupported);
  if (options.list_unsupported) {
    std::printf("\nunsupported, by reason:\n");
    for (const auto& [reason, n] : reasons) std::printf("  %5d  %s\n", n, reason.c_str());
  }
  if (!options.json.empty()) {
    std::FILE* file = std::fopen(options.json.c_str(), "wb");
    json += "\n]\n";
    if (file == nullptr || std::fwrite(json.data(), 1, json.size(), file) != json.size()) {
      std::fprintf(stderr, "tenon_golden: cannot write '%s'\n", options.json.c_str());
      return 2;
    }
    std::fclose(file);
  }
  return golden::PrintSummary(total);
}
