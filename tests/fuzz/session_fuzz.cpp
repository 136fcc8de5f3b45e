// SPDX-License-Identifier: Apache-2.0
// Any bytes as a graph that a session imports and runs, functions and loops included, in every executor and on several
// devices. Each run ends with a Status or outputs, soon after its deadline, and gives its memory back.
//
// With libFuzzer the input is a serialised GraphDef; half of its changes are GraphMutations. Without it
// (-DTENON_FUZZ_STANDALONE), from TensorFlow's recorded graphs:
//   session_fuzz [RUNS [FIRST]]     runs number FIRST to RUNS - 1, each made from its number
//   session_fuzz --show NUMBER      prints the graph before it runs
//   session_fuzz --file GRAPH...    runs files

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/time.h>
#include <unistd.h>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/devices.hpp>
#include <tenon/runtime/api/session.hpp>

#include "graph_mutations.hpp"
#include "ops_calls.hpp"
#include "recorded_graphs.hpp"

namespace {

using namespace ops_fuzz;
using tenon::Session;
using tenon::SessionOptions;
using tenon::Status;

constexpr std::size_t kMemory = std::size_t{64} << 20;  // of one session
// The first run of an input that meets its deadline has the longer one, those after it the shorter.
constexpr std::int64_t kDeadlineMs = 50, kNextDeadlineMs = 3;
constexpr unsigned kSeconds = 20;  // of one input, before it counts as a hang

[[noreturn]] void Finding(const char* what) {
  std::fprintf(stderr, "finding: %s\n", what);
  std::abort();
}

bool show = false;
std::map<std::string, long>* counts = nullptr;  // how the runs ended

// Ops that write files or print.
bool HasForbiddenOps(const SlimVector<NodeDef>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [](const NodeDef& node) {
    for (const std::string_view word : {"File", "Save", "Checkpoint", "Print", "Restore"})
      if (node.op.find(word) != std::string::npos) return true;
    return false;
  });
}
bool HasForbiddenOps(const GraphDef& graph) {
  if (HasForbiddenOps(graph.node)) return true;
  return std::any_of(graph.library.function.begin(), graph.library.function.end(),
                     [](const FunctionDef& function) { return HasForbiddenOps(function.node_def); });
}

tenon::LimitedAllocator& Memory() {
  static tenon::LimitedAllocator memory(tenon::CpuAllocator(), kMemory, "fuzz");
  return memory;
}

std::vector<tenon::NamedTensor> Feeds(const GraphDef& graph) {
  std::vector<tenon::NamedTensor> feeds;
  for (const NodeDef& node : graph.node) {
    if (node.op != "Placeholder") continue;
    DataType dtype = DataType::kInvalid;
    tenon::PartialTensorShape partial;
    if (!TryGetNodeAttr(node, "dtype", &dtype) || !(tenon::IsPlain(dtype) || dtype == DataType::kString)) continue;
    TryGetNodeAttr(node, "shape", &partial);
    TensorShape shape;
    for (int d = 0; d < partial.dims(); ++d) {
      const Index size = partial.dim_size(d);
      if (size > kMostElements || !shape.AddDimWithStatus(size < 0 ? 2 : size).ok()) return {};
    }
    if (shape.num_elements() > kMostElements) continue;
    Tensor value(dtype, shape);
    if (tenon::IsPlain(dtype) && value.TotalBytes() > 0) std::memset(value.raw_data(), 0, value.TotalBytes());
    feeds.push_back({node.name, value});
  }
  return feeds;
}

struct Way {
  const char* name;
  SessionOptions options;
  int runs;
};
const std::vector<Way>& Ways() {
  static tenon::ThreadPool intra(2, "intra"), inter(3, "inter");
  static const tenon::Owned<tenon::StaticDeviceMgr> devices = [] {
    auto made = tenon::MakeDevices({"CPU:0", "CPU:1", "CPU:2"}, {&Memory(), nullptr});
    if (!made.ok()) Finding("no devices");
    return tenon::StaticDeviceMgr::Create(*std::move(made)).value();
  }();
  static const std::vector<Way> ways = [] {
    SessionOptions plain{.intra_op_threads = 1, .intra_op_pool = &intra, .inter_op_pool = &inter};
    plain.allocator = &Memory();
    std::vector<Way> all{{"sequential", plain, 2},
                         {"planned", plain, 3},
                         {"dataflow", plain, 2},
                         {"lowered", plain, 2},
                         {"devices", plain, 2}};
    all[0].options.plan_after_runs = 0;
    all[0].options.constant_folding = false;
    all[1].options.plan_after_runs = 1;
    all[2].options.executor = tenon::ExecutorKind::kDataflow;
    all[2].options.inter_op_threads = 3;
    all[3].options.lower_control_flow = &tenon::LowerFunctionalOps;
    all[4].options.allocator = nullptr;
    all[4].options.device_mgr = devices.get();
    all[4].options.allow_soft_placement = true;
    all[4].options.inter_op_threads = 3;
    return all;
  }();
  return ways;
}

void Count(const Way& way, const char* what, const Status& status) {
  if (show) std::fprintf(stderr, "%s: %s: %s\n", way.name, what, status.ToString().c_str());
  if (counts != nullptr) ++(*counts)[StrCat(way.name, " ", what, status.ok() ? " passes" : " fails")];
}

void RunSession(const GraphDef& graph, const Way& way, std::int64_t* deadline_ms) {
  const tenon::Result<Session> session = Session::FromGraphDef(graph, way.options);
  Count(way, "import", session.status());
  if (!session.ok()) return;
  const std::vector<tenon::NamedTensor> feeds = Feeds(graph);
  const auto run = [&](const char* what, const std::vector<std::string>& fetches,
                       const std::vector<std::string>& targets) {
    const Status status = session->Run(feeds, fetches, targets, {.timeout_in_ms = *deadline_ms}).status();
    if (status.code() == tenon::Code::kDeadlineExceeded) *deadline_ms = kNextDeadlineMs;
    Count(way, what, status);
  };
  std::vector<std::string> targets;
  for (const NodeDef& node : graph.node) {
    if (targets.size() < 64) targets.push_back(node.name);
  }
  for (int i = 0; i < way.runs; ++i) run("run of all nodes", {}, targets);
  for (std::size_t k = 1; k <= 4 && k <= graph.node.size(); ++k) {
    const std::vector<std::string> fetches{StrCat(graph.node[graph.node.size() - k].name, ":0")};
    for (int i = 0; i < way.runs; ++i) run("run of one node", fetches, {});
  }
}

void RunGraph(const GraphDef& graph) {
  if (HasForbiddenOps(graph)) return;
  std::int64_t deadline_ms = kDeadlineMs;
  for (const Way& way : Ways()) {
    alarm(kSeconds);
    const std::int64_t before = Memory().bytes_in_use();
    RunSession(graph, way, &deadline_ms);
    if (Memory().bytes_in_use() != before) Finding("memory was not given back");
    alarm(0);
  }
}

bool ParseGraph(const std::uint8_t* data, std::size_t size, GraphDef* graph) {
  tenon::wire::ParseContext context;
  context.repeat_bytes = 1 << 16;
  return tenon::wire::Parse(std::span(reinterpret_cast<const std::byte*>(data), size), graph, context).ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  GraphDef graph;
  if (ParseGraph(data, size, &graph)) RunGraph(graph);
  return 0;
}

#if !defined(TENON_FUZZ_STANDALONE)

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::uint8_t bytes[sizeof seed];
  std::memcpy(bytes, &seed, sizeof seed);
  Choices choices(bytes, sizeof bytes);
  GraphDef graph;
  if (!choices.OneIn(2) || !ParseGraph(data, size, &graph)) return LLVMFuzzerMutate(data, size, max_size);
  GraphMutation(&graph, choices).MakeOne();
  const std::string made = tenon::SerializeGraphDef(graph);
  if (made.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, made.data(), made.size());
  return made.size();
}

#else

namespace {

long number = 0;
void Report(int signal) {
  char text[100];
  const int size = std::snprintf(text, sizeof text, "\n%s in run %ld\n", signal == SIGALRM ? "hang" : "crash", number);
  if (write(2, text, static_cast<std::size_t>(size)) < 0) _exit(98);
  _exit(99);
}

void RunNumber() {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(number) + 1) * 0x9e3779b97f4a7c15u;
  std::uint8_t bytes[sizeof mixed];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<std::uint8_t>(mixed >> (56 - 8 * i));
  Choices choices(bytes, sizeof bytes);
  const RecordedGraphs& seeds = RecordedGraphs::Get();
  GraphDef graph = choices.Of(choices.OneIn(3) ? seeds.plain : seeds.with_functions);
  for (std::uint64_t n = 1 + choices.Below(choices.OneIn(3) ? 12 : 3); n > 0; --n)
    GraphMutation(&graph, choices).MakeOne();
  if (show) {
    for (const NodeDef& node : graph.node) std::fprintf(stderr, "%s\n", tenon::SummarizeNodeDef(node).c_str());
    for (const FunctionDef& function : graph.library.function) {
      std::fprintf(stderr, "%s:\n", function.signature.name.c_str());
      for (const NodeDef& node : function.node_def)
        std::fprintf(stderr, "  %s\n", tenon::SummarizeNodeDef(node).c_str());
    }
  }
  RunGraph(graph);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view flag = argc > 2 ? argv[1] : "";
  show = flag == "--show" || flag == "--file";
  const long first = argc > 2 ? std::atol(argv[2]) : 0;
  const long last = show ? first + 1 : argc > 1 ? std::atol(argv[1]) : 2000;
  if (flag == "--file") {
    for (int i = 2; i < argc; ++i) {
      std::string bytes;
      if (!ReadWhole(argv[i], &bytes)) return std::fprintf(stderr, "cannot read %s\n", argv[i]), 1;
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    return 0;
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS, SIGALRM}) std::signal(signal, Report);
  std::map<std::string, long> ended;
  if (argc > 3) counts = &ended;
  for (number = first; number < last; ++number) RunNumber();
  for (const auto& [name, count] : ended) std::printf("%8ld %s\n", count, name.c_str());
  std::printf("%ld runs, 0 crashes\n", last - first);
  return 0;
}

#endif
