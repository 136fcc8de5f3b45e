// SPDX-License-Identifier: Apache-2.0
// Large graphs of scalar ops: what a node costs whatever their number, and what it costs to get so far: from the file
// of the GraphDef to the end of the first run. Wanted: at most 25 ns a planned node, 60 ns another, and 1.5 us a node
// from a file of 100,000 nodes.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "graph_case.hpp"

namespace tenon::bench {
namespace {

std::vector<NamedTensor> Feeds() { return {{"x:0", Tensor::Scalar(0.5f)}, {"y:0", Tensor::Scalar(0.25f)}}; }

// Each node adds two of the 100 values before it and is read; the last ones are summed.
GraphDef Sums(int nodes, std::string* fetch) {
  GraphBuilder b;
  std::vector<Output> values{b.Placeholder("x", DataType::kFloat, TensorShape{}),
                             b.Placeholder("y", DataType::kFloat, TensorShape{})};
  std::vector<char> read{0, 0};
  std::vector<Output> unread;
  std::mt19937 random(1);
  const auto pick = [&] {
    const auto back = 1 + random() % std::min<std::size_t>(values.size(), 100);
    read[values.size() - back] = 1;
    return values[values.size() - back];
  };
  while (static_cast<int>(values.size()) < nodes / 3 * 2) {
    const Output first = pick(), second = pick();
    values.push_back(b.Add(random() % 2 == 0 ? "AddV2" : "Minimum", "", {first, second}));
    read.push_back(0);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (read[i] == 0) unread.push_back(values[i]);
  Output sum = unread.front();
  for (std::size_t i = 1; i < unread.size(); ++i) sum = b.Add("AddV2", "", {sum, unread[i]});
  while (static_cast<int>(b.graph_def().node.size()) < nodes) sum = b.Add("AddV2", "", {sum, values[1]});
  *fetch = StrCat(b.Name(sum), ":0");
  return b.graph_def();
}

PeerGraph Describe(int nodes) {
  std::string fetch;
  const GraphDef graph = Sums(nodes, &fetch);
  return {SerializeGraphDef(graph), {}, Feeds(), {fetch}, {}};
}

void TimeSums(State& state, const SessionOptions& options) {
  const int nodes = static_cast<int>(state.arg());
  state.SetItems(nodes, "node");
  TimeGraph(state, {.graph = Describe(nodes), .session = options});
}

Status TimeFirstRun(State& state) {
  const int nodes = static_cast<int>(state.arg());
  const PeerGraph graph = Describe(nodes);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "tenon_bench_large_graph.pb";
  std::ofstream file(path, std::ios::binary);
  file.write(graph.graph_def.data(), static_cast<std::streamsize>(graph.graph_def.size()));
  file.close();
  if (!file.good()) return errors::Unavailable("cannot write '", path.string(), "'");
  state.SetItems(nodes, "node");
  for (auto _ : state) {
    TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphFile(path.string(), {.intra_op_threads = 1}));
    TENON_RETURN_IF_ERROR(session.Run(graph.feeds, graph.fetches).status());
  }
  std::filesystem::remove(path);
  return OkStatus();
}

}  // namespace

TENON_BENCH(sums_planned, {100, 1000, 10000, 100000, 1000000}) { TimeSums(state, {}); }
TENON_BENCH(sums_unplanned, {100, 1000, 10000, 100000, 1000000}) { TimeSums(state, {.plan_after_runs = 0}); }
TENON_BENCH(sums_file_to_first_run, {1000, 10000, 100000}) { state.Check(TimeFirstRun(state)); }

}  // namespace tenon::bench
