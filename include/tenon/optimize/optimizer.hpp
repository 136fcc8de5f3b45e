// SPDX-License-Identifier: Apache-2.0
#pragma once
// OptimizeGraph: the graph of one signature after all passes, in rounds until none changes it, within limits.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/validate.hpp>
#include <tenon/optimize/core/choices.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/passes.hpp>
#include <tenon/optimize/core/report.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// InvalidArgument: options name a pass or an algorithm that does not exist, or a limit is negative.
inline Status CheckOptimizerOptions(const OptimizerOptions& options) {
  for (const auto* names : {&options.only, &options.disabled})
    for (const std::string& name : *names)
      if (!AnyItem(Span<const Pass>(kPasses), [&](const Pass& pass) { return pass.name == name; })) {
        std::string known;
        for (const Pass& pass : kPasses) StrAppend(&known, known.empty() ? "" : ", ", pass.name);
        return errors::InvalidArgument("OptimizerOptions: '", name, "' is not a pass; the passes are ", known);
      }
  for (const NodeChoice& choice : options.choices)
    if (!IsAlgorithm(choice.algorithm))
      return errors::InvalidArgument("OptimizerOptions: the choice of node '", choice.node, "' is '", choice.algorithm,
                                     "', not direct, winograd or size");
  if (options.max_iterations >= 0 && options.time_limit_in_ms >= 0 && options.max_growth >= 1) return OkStatus();
  return errors::InvalidArgument(
      "OptimizerOptions: max_iterations and time_limit_in_ms must not be negative, max_growth at least 1; got ",
      options.max_iterations, ", ", options.time_limit_in_ms, " and ", options.max_growth);
}

inline bool IsPassOn(const Pass& pass, const OptimizerOptions& options) {
  const auto names = [&](const std::vector<std::string>& list) {
    return AnyItem(list, [&](const std::string& name) { return name == pass.name; });
  };
  return !names(options.disabled) && (options.only.empty() ? pass.level <= options.level : names(options.only));
}

// `support`, `evaluator`, `cancellation` and `report` may be null. Returns the graph that gives what `source` gives at
// `ends`, which become endpoints of the result. Errors are as of IndexedGraph::Make; Cancelled. Options were checked.
inline Result<Graph> OptimizeGraph(const Graph& source, const OptimizerOptions& options, OpInfoCache* ops,
                                   NodeSupport* support, NodeEvaluator* evaluator,
                                   const CancellationManager* cancellation, GraphEnds* ends,
                                   OptimizationReport* report) {
  OptimizationReport own;
  if (report == nullptr) report = &own;
  for (const Pass& pass : kPasses) report->passes.push_back({pass.name, 0, 0, 0, {}, {}});
  Graph inlined;
  const Graph* from = &source;
  if (IsPassOn(kPasses[0], options)) {
    PassReport& counts = report->passes[0];
    const std::int64_t begin = SteadyNanoseconds();
    const double most = options.max_growth * (source.num_nodes() + 16);
    if (InlineFunctions(source, ops->registry(), static_cast<int>(most < 1e6 ? most : 1e6), ends, &counts, &inlined))
      from = &inlined;
    counts.nodes_before = source.num_nodes();
    counts.nodes_after = from->num_nodes();
    counts.nanoseconds = SteadyNanoseconds() - begin;
  }
  TENON_ASSIGN_OR_RETURN(IndexedGraph graph, IndexedGraph::Make(*from, *ends, options.keep, ops, support));
  report->nodes_before = graph.num_alive();
  PassLimits limits;
  limits.most_nodes = static_cast<int>(options.max_growth * (graph.num_alive() + 16));
  limits.cancellation = cancellation;
  if (options.time_limit_in_ms > 0)
    limits.end_ns = SteadyNanoseconds() + std::int64_t{options.time_limit_in_ms} * 1'000'000;
  // Per pass: the state of the graph in which it found nothing to change.
  SlimVector<std::int64_t> done_at(report->passes.size(), -1);
  for (bool changed = true, at_end = false; report->stopped.empty() && (changed || !at_end);) {
    at_end = !changed;
    if (report->rounds == options.max_iterations && changed) {
      report->stopped = "max_iterations";
      if (report->rounds == 0) break;
      at_end = true;
    }
    changed = false;
    for (std::size_t i = 0; i < report->passes.size(); ++i) {
      if (kPasses[i].run == nullptr || kPasses[i].at_end != at_end || !IsPassOn(kPasses[i], options)) continue;
      if (done_at[i] == graph.changes()) continue;
      PassReport& counts = report->passes[i];
      const std::int64_t begin = SteadyNanoseconds();
      if (limits.end_ns != 0 && begin > limits.end_ns) {
        report->stopped = "time is over";
        break;
      }
      if (counts.nodes_before == 0) counts.nodes_before = graph.num_alive();
      PassRun run(&graph, options, limits, evaluator, &counts);
      kPasses[i].run(&run);
      counts.nodes_after = graph.num_alive();
      counts.nanoseconds += SteadyNanoseconds() - begin;
      changed = changed || run.applied() > 0;
      if (run.applied() == 0) done_at[i] = graph.changes();
      if (run.stopped().empty()) continue;
      report->stopped = run.stopped();
      break;
    }
    graph.SweepUnused();
    if (!at_end) ++report->rounds;
  }
  if (cancellation != nullptr && cancellation->IsCancelled()) return errors::Cancelled("The optimizer was cancelled");
  report->nodes_after = graph.num_alive();
  return graph.Finish(ends);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
