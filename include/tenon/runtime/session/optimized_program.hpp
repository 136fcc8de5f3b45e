// SPDX-License-Identifier: Apache-2.0
#pragma once
// Optimises the graph of each signature of a session that asks for it (SessionOptions::optimizer). Included through
// <tenon/optimizer.hpp>.

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
#include <tenon/runtime/program/builder.hpp>
#include <tenon/runtime/program/endpoints.hpp>
#include <tenon/runtime/program/kernel_cache.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/session/extensions.hpp>
#include <tenon/runtime/session/graph_state.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The graph and kernels of an optimised program. Kernels with state are those of the session's graph.
struct OptimizedGraph final : RefCounted {
  Ref<GraphUse> use;
  Graph graph;
  Owned<KernelCache> kernels;
};

inline Status ReplaceByOptimized(SessionImpl* session, const Ref<GraphUse>& use, const ProgramEnds& ends,
                                 const ProgramOptions& options, Owned<Program>* program) {
  const SessionOptions& settings = session->options();
  const Graph& source = use->state->graph;
  OptimizerKernels kernels(&session->registry(), session->device(), session->host(), source.versions().producer);
  OpInfoCache ops(session->registry().ops());
  GraphEnds found{ends.feeds, ends.fetches, ends.targets};
  OptimizationReport report;
  Result<Graph> graph = OptimizeGraph(source, settings.optimizer, &ops, &kernels, &kernels, options.cancellation, &found,
                                      &report);
  if (errors::IsCancelled(graph.status())) return graph.status();
  if (!graph.ok()) return OkStatus();
  auto made = Ref<OptimizedGraph>::Adopt(new OptimizedGraph);
  made->use = use;
  made->graph = *std::move(graph);
  made->kernels = MakeOwned<KernelCache>(&made->graph, &session->registry(), session->device(), session->host(),
                                         session->functions(), use->state->kernels.get(), settings.packed_weights_bytes);
  ProgramBuilder builder(made->graph, made->kernels.get(), session->device(), session->host(), options,
                         session->functions());
  Result<Owned<Program>> built = builder.Build(found.feeds, found.fetches, found.targets);
  if (errors::IsCancelled(built.status())) return built.status();
  if (!built.ok()) return OkStatus();
  *program = *std::move(built);
  (*program)->graph_owner = std::move(made);
  if (settings.optimizer.sink != nullptr) settings.optimizer.sink->Optimized(report);
  return OkStatus();
}

inline constexpr SignatureOptimizer kSignatureOptimizer{&CheckOptimizerOptions, &ReplaceByOptimized};
inline const bool fills_optimizer = FillExtension(&extensions.optimizer, &kSignatureOptimizer);

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
