// SPDX-License-Identifier: Apache-2.0
// Every op: of the recorded cases that test it (tests/golden/ops), the one with most elements, beside TensorFlow. Most
// are small, so that what is compared is what a node costs. Of a case in several steps the last is timed that runs the
// op. Left out are ops that wait for another run; string tensors are not given to TensorFlow.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/runtime.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "../../tests/conformance/golden/case_file.hpp"
#include "graph_case.hpp"

namespace tenon::bench {
namespace {

struct Recorded {
  PeerGraph graph;
  Index elements = 0;  // fed and fetched
  bool numbers = true;  // all of them
};
std::map<std::string, Recorded>& RecordedCases() {
  static std::map<std::string, Recorded> cases;
  return cases;
}

// Where ops that write files leave them.
class InScratchFolder {
 public:
  InScratchFolder() : back_(std::filesystem::current_path()) {
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  InScratchFolder(const InScratchFolder&) = delete;
  InScratchFolder& operator=(const InScratchFolder&) = delete;
  ~InScratchFolder() {
    std::error_code error;
    std::filesystem::current_path(back_, error);
    std::filesystem::remove_all(folder_, error);
  }

 private:
  std::filesystem::path back_, folder_ = std::filesystem::temp_directory_path() / "tenon_bench_every_op";
};

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span<const char>(text)); }

bool IsFinite(const Tensor& value) {
  if (value.dtype() != DataType::kFloat) return true;
  const auto numbers = value.flat<float>();
  return std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); });
}
bool KeepsState(const GraphDef& graph) {
  return !graph.library.function.empty() || std::any_of(graph.node.begin(), graph.node.end(), [](const NodeDef& node) {
    const OpView* op = Registry::Global().ops().Find(node.op);
    return op == nullptr || op->flags.is_stateful;
  });
}
// Ops that may wait for what only another run brings, or print.
bool MayWaitOrPrint(const GraphDef& graph) {
  const auto does = [](const NodeDef& node) {
    constexpr std::string_view kParts[] = {"Queue", "Barrier", "tage", "Mutex", "Accumulator", "Recv", "Print"};
    return std::any_of(std::begin(kParts), std::end(kParts),
                       [&](std::string_view part) { return node.op.find(part) != std::string::npos; });
  };
  return std::any_of(graph.node.begin(), graph.node.end(), does);
}
// Whether runs of one session go on giving an answer; not where an optional component is not linked.
bool Repeats(const PeerGraph& graph) {
  const auto session = Session::FromGraphDef(Bytes(graph.graph_def), {.intra_op_threads = 1});
  if (!session.ok()) return false;
  for (const PeerStep& step : graph.before)
    if (!session->Run(step.feeds, {}, step.targets).ok()) return false;
  for (int i = 0; i < 3; ++i)
    if (!session->Run(graph.feeds, graph.fetches, graph.targets).ok()) return false;
  return true;
}

Status ReadTensors(std::span<const golden::NamedBytes> recorded, Recorded* to, std::vector<NamedTensor>* tensors) {
  for (const golden::NamedBytes& named : recorded) {
    TENON_ASSIGN_OR_RETURN(const Tensor value, TensorFromProto(Bytes(named.bytes), nullptr));
    if (!IsFinite(value)) return errors::InvalidArgument("'", named.name, "' is not finite");
    to->elements += value.NumElements();
    to->numbers = to->numbers && SizeOf(value.dtype()) > 0;
    tensors->push_back({named.name, value});
  }
  return OkStatus();
}
std::string_view NodeOf(std::string_view name) {
  if (!name.empty() && name[0] == '^') name.remove_prefix(1);
  return name.substr(0, name.find(':'));
}
// Whether a run of the step runs a node of one of these ops.
bool Reaches(const GraphDef& graph, const golden::Step& step, std::span<const std::string> ops) {
  std::vector<std::string_view> wanted(step.target.begin(), step.target.end());
  for (const golden::NamedBytes& fetch : step.fetch) wanted.push_back(fetch.name);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto node = std::find_if(graph.node.begin(), graph.node.end(),
                                   [&](const NodeDef& n) { return n.name == NodeOf(wanted[i]); });
    if (node == graph.node.end()) continue;
    if (std::find(ops.begin(), ops.end(), node->op) != ops.end()) return true;
    for (const std::string& input : node->input)
      if (std::none_of(wanted.begin(), wanted.end(), [&](std::string_view w) { return NodeOf(w) == NodeOf(input); }))
        wanted.push_back(input);
  }
  return false;
}

// The last step that runs the case's op, after those before it. False: what TensorFlow refuses, or what cannot be
// repeated.
bool Read(const golden::Case& c, Recorded* recorded) {
  const Result<GraphDef> graph = ParseGraphDef(Bytes(c.graph));
  if (c.import_code != 0 || !graph.ok() || (KeepsState(*graph) && MayWaitOrPrint(*graph))) return false;
  PeerGraph& to = recorded->graph;
  to.graph_def = c.graph;
  std::size_t last = c.step.size();
  while (last > 0 && !Reaches(*graph, c.step[last - 1], c.op)) --last;
  if (last == 0) last = c.step.size();  // within a function
  for (std::size_t s = 0; s < last; ++s) {
    const golden::Step& step = c.step[s];
    std::vector<NamedTensor> feeds, fetches;
    if (step.code != 0 || !ReadTensors(step.feed, recorded, &feeds).ok()) return false;
    if (s + 1 < last) {
      to.before.push_back({feeds, step.target});
      for (const golden::NamedBytes& fetch : step.fetch) to.before.back().targets.emplace_back(NodeOf(fetch.name));
      continue;
    }
    if (!ReadTensors(step.fetch, recorded, &fetches).ok()) return false;
    for (const NamedTensor& fetch : fetches)
      to.fetches.push_back(fetch.name.find(':') == std::string::npos ? fetch.name + ":0" : fetch.name);
    for (const NamedTensor& feed : feeds)  // which names must differ, in TensorFlow
      for (const std::string& fetch : to.fetches)
        if (fetch == feed.name || fetch == feed.name + ":0") return false;
    to.feeds = feeds;
    to.targets = step.target;
  }
  return Repeats(to);
}

void Time(State& state) {
  const InScratchFolder scratch;
  const Recorded& recorded = RecordedCases().find(std::string(state.name()))->second;
  GraphCase c;
  c.graph = recorded.graph;
  c.session.constant_folding = false;
  c.single_threaded = false;
  c.tensorflow = recorded.numbers;
  c.relative_error = 1e30;  // the recorded answers are the tests' business
  state.SetItems(static_cast<double>(recorded.elements), "element");
  TimeGraph(state, c);
}

void AddAll() {
  const InScratchFolder scratch;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(TENON_TEST_DATA "/ops", error)) {
    if (file.path().extension() != ".pb") continue;
    std::ifstream stream(file.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    golden::CaseFile cases;
    if (!wire::Parse(Bytes(bytes), &cases).ok()) continue;
    for (const golden::Case& c : cases.cases) {
      Recorded recorded;
      if (c.op.empty() || !Read(c, &recorded)) continue;
      for (const std::string& op : c.op) {
        Recorded& largest = RecordedCases()[op];
        if (recorded.elements > largest.elements || largest.graph.graph_def.empty()) largest = recorded;
      }
    }
  }
  for (const auto& [op, recorded] : RecordedCases()) Registration(op.c_str(), &Time);
}
[[maybe_unused]] const bool added = (CaseLists().push_back(&AddAll), true);

}  // namespace
}  // namespace tenon::bench
