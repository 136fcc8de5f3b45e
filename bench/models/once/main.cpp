// SPDX-License-Identifier: Apache-2.0
// What a process pays for a model once, and where a run's time goes. The models are those of TENON_BENCH_MODELS
// (bench/models/models.hpp).
//
//   tenon_bench_once first tenon|tensorflow|onnx MODEL [THREADS]     "load first-run peak": ms, ms, MB
//   tenon_bench_once ops|optimized-ops MODEL [THREADS]               Tenon's time by op, mean of 20 traced runs
//
// load: from the file to a session. peak: the largest resident memory of the process up to the end of the first run,
// libraries and the parts of the model's file that were read included.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/tenon.hpp>

#include "models/models.hpp"

namespace tenon::bench {
namespace {

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts in KB
}

Result<Callable> LoadTenon(const Model& model, int threads, bool optimize = false) {
  SessionOptions options;
  if (optimize) options.optimizer.level = OptimizerLevel::kFast;
  options.intra_op_threads = threads;
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphFile(ModelFile(model.name, ".pb"), options));
  return session.MakeCallable({{"x:0"}, {"y:0"}});
}
Result<std::unique_ptr<PeerSession>> LoadPeer(std::string_view who, const Model& model, int threads) {
  PeerGraph graph = ModelGraph(model);
  if (who == "onnx") return MakeOnnxRuntime(graph, threads);
  graph.graph_def = ReadFile(ModelFile(model.name, ".pb"));
  return MakeTensorFlow(graph, {.intra_op_threads = threads});
}

Status First(std::string_view who, const Model& model, int threads) {
  const PeerGraph graph = ModelGraph(model);
  const double start = NowNs();
  double loaded = 0;
  if (who == "tenon") {
    TENON_ASSIGN_OR_RETURN(const Callable callable, LoadTenon(model, threads));
    loaded = NowNs();
    Tensor output;
    TENON_RETURN_IF_ERROR(callable.Run({&graph.feeds[0].tensor, 1}, {&output, 1}));
  } else {
    TENON_ASSIGN_OR_RETURN(const std::unique_ptr<PeerSession> session, LoadPeer(who, model, threads));
    loaded = NowNs();
    TENON_RETURN_IF_ERROR(session->Run(1));
  }
  std::printf("%.1f %.1f %.0f\n", (loaded - start) / 1e6, (NowNs() - loaded) / 1e6, PeakMegabytes());
  return OkStatus();
}

Status TimeByOp(const Model& model, int threads, bool optimize) {
  constexpr int kRuns = 20;
  struct Time {
    double us = 0;
    int nodes = 0;
  };
  TENON_ASSIGN_OR_RETURN(const Callable callable, LoadTenon(model, threads, optimize));
  const PeerGraph graph = ModelGraph(model);
  Tensor output;
  for (int i = 0; i < 5; ++i) TENON_RETURN_IF_ERROR(callable.Run({&graph.feeds[0].tensor, 1}, {&output, 1}));
  std::map<std::string, Time> ops;
  double all = 0, traced = 0;
  for (int i = 0; i < kRuns; ++i) {
    RunTrace trace;
    TENON_RETURN_IF_ERROR(callable.RunTraced({&graph.feeds[0].tensor, 1}, {&output, 1}, &trace));
    all += static_cast<double>(trace.total_ns) / 1e3 / kRuns;
    for (const NodeTiming& node : trace.nodes) {
      Time& time = ops[std::string(node.op)];
      time.us += static_cast<double>(node.end_ns - node.start_ns) / 1e3 / kRuns;
      ++time.nodes;
    }
  }
  std::vector<std::pair<std::string, Time>> sorted(ops.begin(), ops.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.us > b.second.us; });
  std::printf("%-28s %7s %10s %6s\n", "op", "nodes", "us", "share");
  for (const auto& [op, time] : sorted) {
    std::printf("%-28s %7d %10.1f %5.1f%%\n", op.c_str(), time.nodes / kRuns, time.us, 100 * time.us / all);
    traced += time.us;
  }
  std::printf("%-28s %7s %10.1f %5.1f%%\n%-28s %7s %10.1f\n", "(between nodes)", "", all - traced,
              100 * (all - traced) / all, "run, traced", "", all);
  return OkStatus();
}

int Main(const std::vector<std::string_view>& args) {
  const bool first = args.size() >= 3 && args[0] == "first";
  const std::size_t at = first ? 2 : 1;
  if (args.size() <= at || (!first && args[0] != "ops" && args[0] != "optimized-ops")) {
    std::fprintf(stderr,
                 "usage: tenon_bench_once first tenon|tensorflow|onnx MODEL [THREADS]\n"
                 "       tenon_bench_once ops|optimized-ops MODEL [THREADS]\n");
    return 2;
  }
  const int threads = args.size() > at + 1 ? std::atoi(args[at + 1].data()) : 1;
  for (int i = 0; i < kNumModels; ++i) {
    const Model model = ModelAt(i);
    if (args[at] != model.name || !HasModel(model.name)) continue;
    const Status status = first ? First(args[1], model, threads) : TimeByOp(model, threads, args[0] != "ops");
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return status.ok() ? 0 : 1;
  }
  std::fprintf(stderr, "there is no model '%s' in TENON_BENCH_MODELS\n", std::string(args[at]).c_str());
  return 1;
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) { return tenon::bench::Main({argv + 1, argv + argc}); }
