// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sequential engine: one precomputed order on the caller's thread. No counts, no queue, no locks.

#include <cstddef>

#include <tenon/base/status.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {

// Runs every node; stops at the first error, or when the run is cancelled. `trace` may be null. This thread owns the
// step's cache.
inline Status RunInOrder(const Program& program, Step* step, TraceCollector* trace) {
  OpKernelContext context;
  NodeMeter meter(trace, &context);
  const CancellationManager* const cancellation = CancellationOf(*step);
  for (const int number : program.sequence) {
    if (IsCancelled(cancellation)) [[unlikely]]
      return RunCancelled();
    meter.Begin();
    Status status = RunNode(program, number, step, &context);
    if (!status.ok()) [[unlikely]]
      return status;
    const ProgramNode& node = program.nodes[static_cast<std::size_t>(number)];
    meter.End(program, node, step);
    const int* release = program.releases.data() + node.first_release;
    for (int i = 0; i < node.num_releases; ++i) step->value(release[i]) = EmptySlot();
  }
  return OkStatus();
}

// Runs in order and owns the step's cache meanwhile: for a step whose cache has no owner.
inline Status RunSequential(const Program& program, Step* step, TraceCollector* trace) {
  const OwnsCache owner(step);
  return RunInOrder(program, step, trace);
}

}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END
