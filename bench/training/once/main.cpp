// SPDX-License-Identifier: Apache-2.0
// What a training step holds and where its time goes.
//
//   tenon_bench_training_once memory MODEL [THREADS]       "MB allocations planned others arena": see below
//   tenon_bench_training_once tensorflow MODEL [THREADS]   MB of TensorFlow's C API with the same graph
//   tenon_bench_training_once values MODEL FILE.npz        writes what training_peer.py reads
//   tenon_bench_training_once ops MODEL [THREADS]          Tenon's time by op, mean of 20 traced steps
//   tenon_bench_training_once nodes MODEL [THREADS]        the same by node
//
// MB: growth of the resident memory, at most, from before the session was made to the end of ten steps; with variables,
// slots and code. allocations: calls of operator new on the calling thread in one steady step. planned, others: nodes
// of the plan and those without. arena: MB of the plan.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

#include "training/models.hpp"

// Calls of operator new on this thread (heap.cpp).
extern thread_local long heap_calls;

namespace tenon::bench {
namespace {

constexpr int kSteps = 10;

// A line of /proc/self/status [MB].
double Megabytes(const char* field) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  char line[256];
  double kilobytes = 0;
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, field, std::strlen(field)) == 0) kilobytes = std::atof(line + std::strlen(field) + 1);
  if (file != nullptr) std::fclose(file);
  return kilobytes / 1024;
}
void ResetPeak() {
  malloc_trim(0);
  if (std::FILE* const file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}

std::vector<Tensor> Feeds(const TrainingModel& model) {
  std::vector<Tensor> feeds;
  for (const NamedTensor& feed : model.feeds) feeds.push_back(feed.tensor);
  return feeds;
}

Status Memory(const TrainingModel& model, int threads) {
  ResetPeak();
  const double before = Megabytes("VmRSS");
  TENON_ASSIGN_OR_RETURN(const Session session, OpenTraining(model, threads));
  TENON_ASSIGN_OR_RETURN(const Callable step, MakeStep(session, model));
  const std::vector<Tensor> feeds = Feeds(model);
  std::vector<Tensor> fetches(1);
  long calls = 0;
  for (int i = 0; i < kSteps; ++i) {
    const long so_far = heap_calls;
    TENON_RETURN_IF_ERROR(step.Run(feeds, fetches));
    calls = heap_calls - so_far;
  }
  PlanReport plan;
  (void)step.GetPlanReport(&plan);
  std::printf("%.0f %ld %d %d %.1f\n", Megabytes("VmHWM") - before, calls, plan.planned_nodes, plan.other_nodes,
              static_cast<double>(plan.arena_bytes) / (1 << 20));
  return OkStatus();
}

Status MemoryOfTensorFlow(const TrainingModel& model, int threads) {
  const PeerGraph graph = TrainingGraph(model);
  {  // loads the library
    GraphBuilder b;
    b.Const("c", Tensor::Scalar(1.0f));
    PeerGraph small;
    small.graph_def = SerializeGraphDef(b.graph_def());
    small.fetches = {"c:0"};
    TENON_ASSIGN_OR_RETURN(const auto session, MakeTensorFlow(small, {.intra_op_threads = threads}));
    TENON_RETURN_IF_ERROR(session->Run(1));
  }
  ResetPeak();
  const double before = Megabytes("VmRSS");
  TENON_ASSIGN_OR_RETURN(const auto session, MakeTensorFlow(graph, {.intra_op_threads = threads}));
  TENON_RETURN_IF_ERROR(session->Run(kSteps));
  std::printf("%.0f\n", Megabytes("VmHWM") - before);
  return OkStatus();
}

Status Profile(const TrainingModel& model, int threads, bool by_node) {
  constexpr int kRuns = 20;
  struct Time {
    double us = 0;
    int nodes = 0;
  };
  TENON_ASSIGN_OR_RETURN(const Session session, OpenTraining(model, threads));
  TENON_ASSIGN_OR_RETURN(const Callable step, MakeStep(session, model));
  const std::vector<Tensor> feeds = Feeds(model);
  std::vector<Tensor> fetches(1);
  for (int i = 0; i < 5; ++i) TENON_RETURN_IF_ERROR(step.Run(feeds, fetches));
  std::map<std::string, Time> times;
  double all = 0, traced = 0;
  for (int i = 0; i < kRuns; ++i) {
    RunTrace trace;
    TENON_RETURN_IF_ERROR(step.RunTraced(feeds, fetches, &trace));
    all += static_cast<double>(trace.total_ns) / 1e3 / kRuns;
    for (const NodeTiming& node : trace.nodes) {
      Time& time = times[by_node ? StrCat(node.op, " ", node.name) : std::string(node.op)];
      time.us += static_cast<double>(node.end_ns - node.start_ns) / 1e3 / kRuns;
      ++time.nodes;
    }
  }
  std::vector<std::pair<std::string, Time>> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.us > b.second.us; });
  std::printf("%-44s %7s %10s %6s\n", by_node ? "node" : "op", "nodes", "us", "share");
  for (const auto& [op, time] : sorted) {
    std::printf("%-44s %7d %10.1f %5.1f%%\n", op.c_str(), time.nodes / kRuns, time.us, 100 * time.us / all);
    traced += time.us;
  }
  std::printf("%-44s %7s %10.1f %5.1f%%\n%-44s %7s %10.1f\n", "(between nodes)", "", all - traced,
              100 * (all - traced) / all, "step, traced", "", all);
  return OkStatus();
}

Status Do(std::string_view what, const std::string& name, const char* more) {
  TENON_ASSIGN_OR_RETURN(const TrainingModel model, MakeTrainingModel(name));
  const int threads = more != nullptr ? std::atoi(more) : 1;
  if (what == "memory") return Memory(model, threads);
  if (what == "tensorflow") return MemoryOfTensorFlow(model, threads);
  if (what == "values" && more != nullptr) return WriteFirstValues(model, more);
  if (what == "ops" || what == "nodes") return Profile(model, threads, what == "nodes");
  return errors::InvalidArgument(
      "usage: tenon_bench_training_once memory|tensorflow|values|ops|nodes MODEL [THREADS|FILE]");
}

}  // namespace
}  // namespace tenon::bench

int main(int argc, char** argv) {
  const tenon::Status status =
      tenon::bench::Do(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : nullptr);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
