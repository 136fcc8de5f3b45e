// SPDX-License-Identifier: Apache-2.0
#pragma once
// StepOfPeers: one step that several tasks run together, each with its own partitions.

#include <cstdint>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Rendezvous;

// Values that the tasks of a step share. The rendezvous outlives the run.
struct StepOfPeers {
  // Gets the sends and receives between this task and another one, with tensors in host memory. Sends may come from any
  // thread. A run that fails aborts it. It must end receives whose Args::cancellation is cancelled.
  Rendezvous* rendezvous = nullptr;
  std::int64_t step_id = 0;  // 0: the next number of this process
};

TENON_DETAIL_NAMESPACE_END
