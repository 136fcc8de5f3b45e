// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sequential engine: one precomputed order on the caller's thread. No counts, no queue, no locks.

#include <cstddef>

#include <tenon/base/status.hpp>
#include <tenon/runtime/executor.hpp>
#include <tenon/runtime/program.hpp>
#include <tenon/runtime/step.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

// Runs every node; stops at the first error, or when the run is cancelled. `trace` may be null.
inline Status RunSequential(const Program& program, Step* step, TraceCollector* trace) {
  OpKernelContext context;
  NodeMeter meter(trace, &context);
  const CancellationManager* const cancellation = CancellationOf(*step);
  step->cache()->SetOwnerThread();
  Status status;
  for (const int number : program.sequence) {
    if (IsCancelled(cancellation)) [[unlikely]] {
      status = RunCancelled();
      break;
    }
    meter.Begin();
    status = RunNode(program, number, step, &context);
    if (!status.ok()) [[unlikely]]
      break;
    const ProgramNode& node = program.nodes[static_cast<std::size_t>(number)];
    meter.End(program, node, step);
    const int* release = program.releases.data() + node.first_release;
    for (int i = 0; i < node.num_releases; ++i) step->value(release[i]) = EmptySlot();
  }
  step->cache()->ClearOwnerThread();
  return status;
}

}  // namespace detail

TENON_NAMESPACE_END
