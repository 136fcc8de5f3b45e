// SPDX-License-Identifier: Apache-2.0
// Every op: of the recorded cases that test it (tests/golden/ops), the one with most elements, beside TensorFlow. Most
// are small, so that what is compared is what a node costs. Left out are cases of several steps, and ops that wait for
// another run; string tensors are not given to TensorFlow.
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
#include <tenon/session.hpp>
#include <tenon/op/proto_io.hpp>
#include <tenon/wire/tensor_proto.hpp>

#include "../../tests/conformance/golden/case_file.hpp"
#include "graph_case.hpp"

namespace tenon::bench {
namespace {

struct Recorded {
  std::string graph_def;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  Index elements = 0;  // fed and fetched
  bool numbers = true;  // all of them
};
std::map<std::string, Recorded>& RecordedCases() {
  static std::map<std::string, Recorded> cases;
  return cases;
}

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
bool Repeats(const Recorded& recorded) {
  const auto session = Session::FromGraphDef(Bytes(recorded.graph_def), {.intra_op_threads = 1});
  for (int i = 0; i < 3; ++i)
    if (!session.ok() || !session->Run(recorded.feeds, recorded.fetches).ok()) return false;
  return true;
}

// False: what TensorFlow refuses, or what runs in steps.
bool Read(const golden::Case& c, Recorded* recorded) {
  if (c.import_code != 0 || c.step.size() != 1 || c.step[0].code != 0 || c.step[0].fetch.empty()) return false;
  const auto add = [recorded](const golden::NamedBytes& named, Tensor* value) {
    Result<Tensor> tensor = TensorFromProto(Bytes(named.bytes), nullptr);
    if (!tensor.ok()) return false;
    *value = *std::move(tensor);
    recorded->elements += value->NumElements();
    recorded->numbers = recorded->numbers && SizeOf(value->dtype()) > 0;
    return true;
  };
  Tensor value;
  for (const golden::NamedBytes& feed : c.step[0].feed) {
    if (!add(feed, &value)) return false;
    recorded->feeds.push_back({feed.name, value});
  }
  for (const golden::NamedBytes& fetch : c.step[0].fetch) {
    if (!add(fetch, &value) || !IsFinite(value)) return false;
    recorded->fetches.push_back(fetch.name.find(':') == std::string::npos ? fetch.name + ":0" : fetch.name);
  }
  for (const NamedTensor& feed : recorded->feeds)  // which names must differ, in TensorFlow
    for (const std::string& fetch : recorded->fetches)
      if (fetch == feed.name || fetch == feed.name + ":0") return false;
  recorded->graph_def = c.graph;
  const Result<GraphDef> graph = ParseGraphDef(Bytes(c.graph));
  return graph.ok() && !(KeepsState(*graph) && MayWaitOrPrint(*graph)) && Repeats(*recorded);
}

void Time(State& state) {
  const Recorded& recorded = RecordedCases().find(std::string(state.name()))->second;
  GraphCase c;
  c.graph = {recorded.graph_def, {}, recorded.feeds, recorded.fetches, {}};
  c.session.constant_folding = false;
  c.single_threaded = false;
  c.tensorflow = recorded.numbers;
  c.relative_error = 1e30;  // the recorded answers are the tests' business
  state.SetItems(static_cast<double>(recorded.elements), "element");
  TimeGraph(state, c);
}

void AddAll() {
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
        if (recorded.elements > largest.elements || largest.graph_def.empty()) largest = recorded;
      }
    }
  }
  for (const auto& [op, recorded] : RecordedCases()) Registration(op.c_str(), &Time);
}
[[maybe_unused]] const bool added = (CaseLists().push_back(&AddAll), true);

}  // namespace
}  // namespace tenon::bench
