// SPDX-License-Identifier: Apache-2.0
#pragma once
// SessionOptions: how a session runs its graph. Plain data with designated initialisers.

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/base/config.hpp>

TENON_NAMESPACE_BEGIN

class Allocator;
class Registry;
class ThreadPoolInterface;

enum class ExecutorKind : std::uint8_t {
  kAuto,  // sequential, unless inter_op_threads asks for more than one thread and the graph has parallel branches
  kSequential,  // one precomputed order on the caller's thread
  kDataflow,  // every node as soon as its inputs are there, on a pool of inter_op_threads threads
};

//   Session::FromGraphFile("model.pb", {.intra_op_threads = 4})
struct SessionOptions {
  int inter_op_threads = 0;  // threads that run different nodes; 0 or 1: the caller's only
  int intra_op_threads = 0;  // threads inside one kernel; 0: one per CPU, 1: none but the caller's
  std::vector<std::string> devices = {};  // by preference, e.g. {"GPU:0", "CPU:0"}; empty: {"CPU:0"}
  ThreadPoolInterface* intra_op_pool =
      nullptr;  // the caller's own pool instead of intra_op_threads; outlives the session
  ThreadPoolInterface* inter_op_pool = nullptr;  // the same for inter_op_threads
  Allocator* allocator = nullptr;  // host memory; null: CpuAllocator(). Outlives the session and its tensors
  const Registry* registry = nullptr;  // ops and kernels; null: everything registered in the process
  ExecutorKind executor = ExecutorKind::kAuto;
  bool constant_folding = true;  // evaluate stateless nodes with constant inputs once, when a signature is built
  bool flush_denormals = true;  // as TensorFlow does; the caller's mode is restored after each run
  int max_cached_signatures = 64;  // prepared (feeds, fetches, targets) kept per session, least recently used go
};

TENON_NAMESPACE_END
