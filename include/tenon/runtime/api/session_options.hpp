// SPDX-License-Identifier: Apache-2.0
#pragma once
// SessionOptions: how a session runs its graph. Plain data with designated initialisers.

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/base/config.hpp>
#include <tenon/graph/import_limits.hpp>
#include <tenon/optimize/core/options.hpp>

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

// How the nodes of a run are scheduled.
enum class ExecutorKind : std::uint8_t {
  kAuto,  // sequential, unless inter_op_threads asks for more than one thread and the graph has parallel branches
  kSequential,  // one precomputed order on the caller's thread; on several devices too
  kDataflow,  // every node as soon as its inputs are there, on a pool of inter_op_threads threads
};

// A pool of threads that run different nodes.
struct InterOpPool {
  int num_threads = 0;  // 0: one per CPU
  std::string global_name = {};  // not empty: one pool of that name in the process
};

// Limits of the runs of RunAsync of one session; 0: no limit. A run is queued until a thread begins with it.
struct AsyncLimits {
  int max_concurrent_runs = 0;  // runs that have begun and not ended; later ones stay queued, first come, first served
  int max_queued_runs = 0;  // Unavailable: this many runs are queued already
  std::int64_t max_queued_bytes = 0;  // Unavailable: the feeds of the queued runs would take more [bytes]
};

// Default of SessionOptions::packed_weights_bytes.
inline constexpr std::int64_t kUsualPackedWeightsBytes = 64 << 20;

// How a session runs its graph. Plain data; objects that it points to outlive the session.
//
//   Session::FromGraphFile("model.pb", {.intra_op_threads = 4})
struct SessionOptions {
  int inter_op_threads = 0;  // threads that run different nodes; 0 or 1: only the caller's thread
  int intra_op_threads = 0;  // threads inside one kernel; 0: one per CPU, 1: only the caller's thread
  // Empty, {"GPU:0"} or {"GPU:0", "CPU:0"}: one device, which runs every node that it has a kernel for. The CPU, which
  // every session has, runs all other nodes. Device requests of nodes are ignored. Any other list, {"CPU:0", "GPU:0"}
  // too, or a `device_mgr`: several devices. Every node is placed as in TensorFlow: on the device that its NodeDef asks
  // for, or else on the preferred device that can run it (a GPU before a CPU). Several devices need <tenon/devices.hpp>
  // in one source file. Their runs use the inter-op pool, or a pool that the session makes.
  std::vector<std::string> devices = {};
  Device* device = nullptr;  // the caller's device, instead of the first of `devices`; several sessions may share it
  const DeviceMgr* device_mgr = nullptr;  // the caller's devices, a CPU among them, instead of `devices` and `device`;
                                          // several sessions may share it. Create and Extend see the devices that exist
                                          // then; a device that is removed later stays until the session goes
  bool allow_soft_placement = false;  // several devices: a device that cannot run a node gives way to one that can
  bool log_device_placement = false;  // several devices: logs the device of every node, and the reason
  ThreadPoolInterface* intra_op_pool = nullptr;  // the caller's pool, instead of intra_op_threads
  ThreadPoolInterface* inter_op_pool = nullptr;  // the caller's pool, instead of inter_op_threads
  Allocator* allocator = nullptr;  // host memory; null: DefaultAllocator(). Outlives the session and its tensors
  const Registry* registry = nullptr;  // ops and kernels; null: everything registered in the process
  ResourceMgr* resources = nullptr;  // variables, tables, ...; null: the session's own. Sessions may share it that run
                                     // on the CPU with one allocator, or on one `device`. On several devices:
                                     // resources of the first CPU
  DeviceResources* device_resources = nullptr;  // resources of all devices but the first CPU, for sessions that share
                                                // one device_mgr (kernel/device_resources.hpp)
  const StepServices* services = nullptr;  // further services for kernels (kernel/step_services.hpp)
  ExecutorKind executor = ExecutorKind::kAuto;  // how nodes are scheduled
  // FromGraphFile maps the file: it loads without a copy, and processes share its memory. To replace the file, rename a
  // new file over it. A file that is written to in place changes weights; a file that is cut short ends the process
  // (SIGBUS). False: reads the file into memory; the file may change.
  bool map_graph_file = true;
  bool constant_folding = true;  // evaluate stateless nodes with constant inputs once, when a signature is prepared
  // Limit in bytes of the packed copies of constant weights, for each graph or function. Products and convolutions read
  // the copies; the first run that gains from one makes it. Copies of weights in a mapped file do not count. Filters
  // for Winograd's algorithm, which the optimizer chooses at kFast, have three times the limit to themselves. 0: only
  // weights in a mapped file are packed.
  std::int64_t packed_weights_bytes = kUsualPackedWeightsBytes;
  bool flush_denormals = true;  // kernels read and write denormal floats as 0; the caller's mode returns after a run
  // Runs with equal feed shapes until the memory of such runs is planned; 0: never.
  int plan_after_runs = 2;
  // On a GPU: records the kernels of such runs as CUDA graphs, which later runs start as a whole. Nodes with state, on
  // the host or without a fixed place stay apart. A recorded signature holds the memory of one run more. Needs
  // <tenon/runtime/planned/recorded_run.hpp> in one source file of the program.
  bool record_steps = false;
  // Rewrites the graph before it runs: LowerFunctionalOps of <tenon/graph/lower_functional.hpp>. Null: If, Case, While
  // and calls run natively; on several devices LowerForDevices gives the nodes of functions devices of their own.
  GraphPass lower_control_flow = nullptr;
  // Rewrites the part of the graph that a signature needs when that is prepared; off unless a level is given. Sessions
  // on several devices and partial runs do without.
  OptimizerOptions optimizer = {};
  // Refuses a graph that has an op which is not registered, also in a function, as TensorFlow does. False: leaves out
  // the nodes that need such an op. A signature with one of them fails; the message names all ops that it lacks.
  // SavedModel::Load checks the ops that signatures need.
  bool check_ops = false;
  // Refuses a graph that has nodes without kernels, also in functions; the message names all of them. False: signatures
  // that need such a node fail.
  bool check_kernels = false;
  ImportLimits import_limits = {};  // limits of the session's graph
  int max_cached_signatures = 64;  // prepared signatures that are kept; the least recently used one is dropped
  TraceSink* trace_sink = nullptr;  // gets the trace of every run
  // Limits the trace of one run: this many executions of nodes in full, at most a 64th of them of one node. Later
  // executions are summed up per node (RunTrace::folded), for at most this many nodes; further ones are only counted.
  // 0: the environment variable TENON_TRACE_EVENTS, or else 8192.
  int max_trace_events = 0;
  std::int64_t operation_timeout_in_ms = 0;  // time limit of a run whose RunOptions give none [ms]; 0: none
  std::vector<InterOpPool> inter_op_pools =
      {};  // pools that RunOptions::inter_op_thread_pool chooses by number; the first is the default
  AsyncLimits async_limits = {};  // limits of Callable::RunAsync and Session::RunAsync
};

// TensorFlow's levels of tracing. All but kNone mean a full trace.
enum class TraceLevel : std::uint8_t { kNone = 0, kSoftware = 1, kHardware = 2, kFull = 3 };

// Options of one run, for Session::Run and Callable::Run. Objects that it points to outlive the run.
//
//   session.Run({{"x", x}}, {"y"}, {}, {.timeout_in_ms = 50})
struct RunOptions {
  TraceLevel trace_level = TraceLevel::kNone;  // more than kNone fills in RunMetadata::step_stats and cost_graph
  std::int64_t timeout_in_ms = 0;  // DeadlineExceeded when the run takes longer [ms]; 0: the session's limit
  int inter_op_thread_pool = 0;  // number of a pool of the session; -1: only the caller's thread
  ThreadPoolInterface* inter_op_pool = nullptr;  // the caller's pool, instead of inter_op_thread_pool
  CancellationManager* cancellation = nullptr;  // cancelling it ends the run with Cancelled
  ExecutorKind executor = ExecutorKind::kAuto;  // kAuto: the session's choice
  const StepServices* services = nullptr;  // further services for kernels, instead of the session's
  bool output_partition_graphs = false;  // fills in RunMetadata::partition_graphs
  bool report_tensor_allocations_upon_oom = false;  // a ResourceExhausted message lists the live tensors of the run
};

TENON_DETAIL_NAMESPACE_END
