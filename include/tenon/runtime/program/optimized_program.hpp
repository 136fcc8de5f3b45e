// SPDX-License-Identifier: Apache-2.0
#pragma once
// Optimises the graphs of programs that ask for it (SessionOptions::optimizer). Included through <tenon/optimizer.hpp>.

#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/validate.hpp>
#include <tenon/optimize/core/kernels.hpp>
#include <tenon/optimize/optimizer.hpp>
#include <tenon/optimize/core/report.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/builder.hpp>
#include <tenon/runtime/program/kernel_cache.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The graph and kernels of an optimised program. Kernels with state are those of the graph before.
struct OptimizedGraph final : RefCounted {
  Ref<RefCounted> before;  // owner of the graph before; null: it stays
  Graph graph;
  Owned<KernelCache> kernels;
};

inline Status ReplaceByOptimized(const OptimizedBuild& build, Owned<Program>* program) {
  OptimizerKernels kernels(build.registry, build.device, build.host, build.graph.versions().producer);
  OpInfoCache ops(build.registry->ops());
  GraphEnds ends;
  ends.feeds.assign(build.feeds.begin(), build.feeds.end());
  ends.fetches.assign(build.fetches.begin(), build.fetches.end());
  ends.targets.assign(build.targets.begin(), build.targets.end());
  OptimizationReport report;
  Result<Graph> graph =
      OptimizeGraph(build.graph, build.optimizer, &ops, &kernels, &kernels, build.options.cancellation, &ends, &report);
  if (errors::IsCancelled(graph.status())) return graph.status();
  if (!graph.ok()) return LogStatus(graph.status().WithAppended("; the graph runs as it is")), OkStatus();
  auto made = Ref<OptimizedGraph>::Adopt(new OptimizedGraph);
  made->before = (*program)->graph_owner;
  made->graph = *std::move(graph);
  made->kernels = MakeOwned<KernelCache>(&made->graph, build.registry, build.device, build.host, build.functions,
                                         build.kernels, build.packed_weights_bytes);
  ProgramBuilder builder(made->graph, made->kernels.get(), build.device, build.host, build.options, build.functions);
  Result<Owned<Program>> built = builder.Build(ends.feeds, ends.fetches, ends.targets);
  if (errors::IsCancelled(built.status())) return built.status();
  if (!built.ok()) return OkStatus();
  *program = *std::move(built);
  (*program)->graph_owner = std::move(made);
  if (build.optimizer.sink != nullptr) build.optimizer.sink->Optimized(report);
  return OkStatus();
}

inline constexpr SignatureOptimizer kSignatureOptimizer{&CheckOptimizerOptions, &ReplaceByOptimized};
inline const bool fills_optimizer = FillExtension(&extensions.optimizer, &kSignatureOptimizer);

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
