// SPDX-License-Identifier: Apache-2.0
#pragma once
// SessionOptions: how a session runs its graph. Plain data with designated initialisers.

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/base/config.hpp>
#include <tenon/graph/import_limits.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class Allocator;
class CancellationManager;
class Device;
class DeviceMgr;
class DeviceResources;
class Graph;
class OpRegistry;
class Registry;
class ResourceMgr;
class Status;
struct FunctionDefLibrary;
struct StepServices;
class ThreadPoolInterface;
class TraceSink;

// A change of a graph that calls the functions of `library`; for the session's graph and for each function that runs.
using GraphPass = Status (*)(Graph* graph, const FunctionDefLibrary& library, const OpRegistry& registry);

enum class ExecutorKind : std::uint8_t {
  kAuto,  // sequential, unless inter_op_threads asks for more than one thread and the graph has parallel branches
  kSequential,  // one precomputed order on the caller's thread; on several devices: that thread, node after node
  kDataflow,  // every node as soon as its inputs are there, on a pool of inter_op_threads threads
};

// A pool of threads that run different nodes.
struct InterOpPool {
  int num_threads = 0;  // 0: one per CPU
  std::string global_name = {};  // not empty: one pool of that name in the process
};

// Default of SessionOptions::packed_weights_bytes.
inline constexpr std::int64_t kUsualPackedWeightsBytes = 64 << 20;

//   Session::FromGraphFile("model.pb", {.intra_op_threads = 4})
struct SessionOptions {
  int inter_op_threads = 0;  // threads that run different nodes; 0 or 1: the caller's only
  int intra_op_threads = 0;  // threads inside one kernel; 0: one per CPU, 1: none but the caller's
  // Empty, {"GPU:0"} or {"GPU:0", "CPU:0"}: one device, which runs every node that it has a kernel for. The CPU,
  // which every session has, runs all other nodes. Device requests of nodes are ignored. Any other list,
  // {"CPU:0", "GPU:0"} too, or a `device_mgr`: several devices. Every node is given one, as TensorFlow does it: the one
  // that its NodeDef asks for, or else the preferred of those that can run it (a GPU before a CPU). This needs
  // <tenon/devices.hpp> in one source file of the program. Runs share the nodes out on the inter-op pool where that has
  // threads of its own, or on one that the session makes.
  std::vector<std::string> devices = {};
  Device* device = nullptr;  // one of the caller's, instead of the first of `devices`; outlives the session, and may be
                             // that of others
  const DeviceMgr* device_mgr = nullptr;  // the caller's devices, a CPU among them, instead of both; outlives the
                                          // session, and may be that of others. The session runs on the devices that
                                          // there are when it is made: those removed later live and run on
  // These two are for several devices.
  bool allow_soft_placement = false;  // a device that cannot run the node gives way to one that can
  bool log_device_placement = false;  // logs where every node is, and why
  ThreadPoolInterface* intra_op_pool =
      nullptr;  // the caller's own pool instead of intra_op_threads; outlives the session
  ThreadPoolInterface* inter_op_pool = nullptr;  // as intra_op_pool, instead of inter_op_threads
  Allocator* allocator = nullptr;  // host memory; null: DefaultAllocator(). Outlives the session and its tensors
  const Registry* registry = nullptr;  // ops and kernels; null: everything registered in the process
  ResourceMgr* resources = nullptr;  // variables, tables..., shared with its other users; null: the session's own.
                                     // Outlives the session; only for sessions on the CPU, with one allocator,
                                     // or on the same `device`. On several devices: those of the first CPU
  DeviceResources* device_resources = nullptr;  // resources of several devices but the first CPU
                                                // (kernel/device_resources.hpp), for sessions with one device_mgr
  const StepServices* services = nullptr;  // further services for kernels (kernel/step_services.hpp); outlives the
                                           // session
  ExecutorKind executor = ExecutorKind::kAuto;
  // FromGraphFile maps the file: quick to load, and in memory once for all processes. Rename a new file over it to
  // replace it; a file that is written to in place changes weights, one that is cut short ends the process (SIGBUS).
  // False: reads it into memory, and the file may change.
  bool map_graph_file = true;
  bool constant_folding = true;  // evaluate stateless nodes with constant inputs once, when a signature is built
  // Products and convolutions read constant weights from a packed copy, made by the first run that has few rows or
  // pixels for its weights. The copies, for each graph or function, take so many bytes at most, not counting those of
  // weights that lie in a mapped file; 0: no others.
  std::int64_t packed_weights_bytes = kUsualPackedWeightsBytes;
  bool flush_denormals = true;  // as TensorFlow does; the caller's mode is restored after each run
  // Runs with the same feed shapes until the memory of such runs is planned; 0: never. <tenon/runtime.hpp> has the
  // plans; with <tenon/lean_runtime.hpp> it takes <tenon/runtime/planned/plan_cache.hpp>.
  int plan_after_runs = 2;
  GraphPass lower_control_flow =
      nullptr;  // LowerFunctionalOps of <tenon/graph/lower_functional.hpp>; null: If, Case... and calls run natively,
                // or on several devices by LowerForDevices, so that the nodes of functions have devices of their own
  ImportLimits import_limits = {};  // limits of the session's graph
  int max_cached_signatures = 64;  // prepared (feeds, fetches, targets) kept per session, least recently used go
  // Is given the trace of every run; outlives the session. <tenon/runtime.hpp> has it, <tenon/lean_runtime.hpp> needs
  // <tenon/runtime/trace/sink.hpp>.
  TraceSink* trace_sink = nullptr;
  // Limits the trace of one run: this many executions of nodes in full, at most a 64th of them of one node, such as a
  // node in a loop. Later ones are summed up per node (RunTrace::folded), for at most this many nodes; others are
  // counted. 0: what the environment variable TENON_TRACE_EVENTS says, or else 8192.
  int max_trace_events = 0;
  // These two need <tenon/runtime/session/run_with_options.hpp> in one source file of the program.
  std::int64_t operation_timeout_in_ms = 0;  // limit of a run whose RunOptions give none; 0: none
  std::vector<InterOpPool> inter_op_pools =
      {};  // numbered by RunOptions::inter_op_thread_pool; the first is the default
};

enum class TraceLevel : std::uint8_t { kNone = 0, kSoftware = 1, kHardware = 2, kFull = 3 };

// How one run is to go: Session::Run and Callable::Run take it. Their definitions are in
// <tenon/runtime/session/run_with_options.hpp>, which one source file of the program includes.
//
//   session.Run({{"x", x}}, {"y"}, {}, {.timeout_in_ms = 50})
struct RunOptions {
  TraceLevel trace_level = TraceLevel::kNone;  // more than kNone fills in RunMetadata::step_stats
  std::int64_t timeout_in_ms = 0;  // DeadlineExceeded when the run takes longer; 0: the session's
  int inter_op_thread_pool = 0;  // which of the session's pools; -1: the caller's thread only
  ThreadPoolInterface* inter_op_pool = nullptr;  // a pool of the caller's instead
  CancellationManager* cancellation = nullptr;  // gives the run up when it is cancelled; outlives the run
  ExecutorKind executor = ExecutorKind::kAuto;  // kAuto: the session's choice
  const StepServices* services = nullptr;  // further services for kernels, instead of the session's
  bool output_partition_graphs = false;
  bool report_tensor_allocations_upon_oom = false;
};

TENON_DETAIL_NAMESPACE_END
