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

// Each node adds two of the 100 values before it, or takes the smaller; the last nodes sum up what nobody has read.
Result<PeerGraph> Sums(int nodes) {
  GraphBuilder b;
  SlimVector<Output> values{b.Placeholder("x", DataType::kFloat, TensorShape{}),
                            b.Placeholder("y", DataType::kFloat, TensorShape{})};
  std::vector<char> read(static_cast<std::size_t>(nodes), 0);
  std::mt19937 random(1);
  const auto pick = [&] {
    const std::size_t i = values.size() - 1 - random() % std::min<std::size_t>(values.size(), 100);
    read[i] = 1;
    return values[i];
  };
  const auto add = [&](const char* op, Output first, Output second) {
    values.push_back(b.Add(op, StrCat("n", values.size()), {first, second}));
  };
  while (static_cast<int>(values.size()) < nodes / 3 * 2) {
    const Output first = pick(), second = pick();
    add(random() % 2 == 0 ? "AddV2" : "Minimum", first, second);
  }
  const std::size_t made = values.size();
  for (std::size_t i = 0; i < made - 1; ++i)
    if (read[i] == 0) add("AddV2", values.back(), values[i]);
  while (static_cast<int>(values.size()) < nodes) add("AddV2", values.back(), values[1]);
  TENON_RETURN_IF_ERROR(b.status());
  return Describe(b, {{"x:0", Tensor::Scalar(0.5f)}, {"y:0", Tensor::Scalar(0.25f)}},
                  {StrCat(b.Name(values.back()), ":0")});
}

Status TimeSums(State& state, const SessionOptions& options) {
  constexpr int kMostOfTensorFlow = 100000;  // a million nodes take it 24 GB
  const int nodes = static_cast<int>(state.arg());
  TENON_ASSIGN_OR_RETURN(PeerGraph graph, Sums(nodes));
  state.SetItems(nodes, "node");
  return TimeGraphOrFail(state,
                         {.graph = std::move(graph), .session = options, .tensorflow = nodes <= kMostOfTensorFlow});
}

Status TimeFirstRun(State& state) {
  TENON_ASSIGN_OR_RETURN(const PeerGraph graph, Sums(static_cast<int>(state.arg())));
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "tenon_bench_large_graph.pb";
  std::ofstream file(path, std::ios::binary);
  file.write(graph.graph_def.data(), static_cast<std::streamsize>(graph.graph_def.size()));
  file.close();
  if (!file.good()) return errors::Unavailable("cannot write '", path.string(), "'");
  state.SetItems(static_cast<double>(state.arg()), "node");
  for (auto _ : state) {
    TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphFile(path.string(), {.intra_op_threads = 1}));
    TENON_RETURN_IF_ERROR(session.Run(graph.feeds, graph.fetches).status());
  }
  std::filesystem::remove(path);
  return OkStatus();
}

}  // namespace

TENON_BENCH(sums_planned, {100, 1000, 10000, 100000, 1000000}) { state.Check(TimeSums(state, {})); }
TENON_BENCH(sums_unplanned, {100, 1000, 10000, 100000, 1000000}) {
  state.Check(TimeSums(state, {.plan_after_runs = 0}));
}
TENON_BENCH(sums_file_to_first_run, {1000, 10000, 100000}) { state.Check(TimeFirstRun(state)); }

}  // namespace tenon::bench
