// SPDX-License-Identifier: Apache-2.0
// What one run costs when the graph does next to nothing.
#include <string>
#include <vector>

#include "graph_case.hpp"

namespace tenon::bench {
namespace {

// `width` times Placeholder -> Identity on scalars.
PeerGraph Identities(int width) {
  GraphBuilder b;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> fetches;
  for (int i = 0; i < width; ++i) {
    const Output x = b.Placeholder(StrCat("x", i), DataType::kFloat, TensorShape{});
    b.Add("Identity", StrCat("y", i), {x});
    feeds.push_back({StrCat("x", i, ":0"), Tensor::Scalar(1.5f)});
    fetches.push_back(StrCat("y", i, ":0"));
  }
  return Describe(b, std::move(feeds), std::move(fetches));
}

}  // namespace

TENON_BENCH(session_run_callable) {
  state.Goal(0.6, "TensorFlow");
  TimeGraph(state, {.graph = Identities(1)});
}
TENON_BENCH(session_run_by_name) { TimeGraph(state, {.graph = Identities(1), .by_name = true}); }
TENON_BENCH(session_run_8_feeds) { TimeGraph(state, {.graph = Identities(8)}); }
TENON_BENCH(session_run_dataflow_2_threads) {
  TimeGraph(state, {.graph = Identities(1),
                    .session = {.inter_op_threads = 2, .executor = ExecutorKind::kDataflow},
                    .pool_threads = 2});
}
TENON_BENCH(session_run_no_op) {
  GraphBuilder b;
  b.Add("NoOp", "nothing");
  TimeGraph(state, {.graph = Describe(b, {}, {}, {"nothing"})});
}

}  // namespace tenon::bench
