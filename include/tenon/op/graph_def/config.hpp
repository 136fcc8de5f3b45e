// SPDX-License-Identifier: Apache-2.0
#pragma once
// ConfigProto, RunOptions, ClusterDef and ServerDef: TensorFlow's settings of sessions, runs and clusters as plain
// data. op/graph_def/config_proto.hpp reads and writes them. Members `unknown_fields` keep fields of later versions.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// The tasks of one job.
struct JobDef {
  std::string name;  // "worker"
  SlimVector<std::pair<std::int32_t, std::string>> tasks;  // task number and "host:port", sorted by number
  std::string unknown_fields;

  friend bool operator==(const JobDef&, const JobDef&) = default;
};

// The tasks of a cluster.
struct ClusterDef {
  SlimVector<JobDef> job;
  std::string unknown_fields;

  friend bool operator==(const ClusterDef&, const ClusterDef&) = default;
};

// A pool of threads for the nodes of a run.
struct ThreadPoolOptionProto {
  std::int32_t num_threads = 0;  // 0: one per CPU
  std::string global_name;
  std::string unknown_fields;

  friend bool operator==(const ThreadPoolOptionProto&, const ThreadPoolOptionProto&) = default;
};

// TensorFlow's message GPUOptions.
struct GpuOptionsProto {
  double per_process_gpu_memory_fraction = 0;
  std::string allocator_type;
  std::int64_t deferred_deletion_bytes = 0;
  bool allow_growth = false;
  std::string visible_device_list;
  std::int32_t polling_active_delay_usecs = 0;
  std::int32_t polling_inactive_delay_msecs = 0;
  bool force_gpu_compatible = false;
  std::optional<std::string> experimental;  // serialised GPUOptions.Experimental, kept as it came
  std::string unknown_fields;

  friend bool operator==(const GpuOptionsProto&, const GpuOptionsProto&) = default;
};

// TensorFlow's message OptimizerOptions.
struct OptimizerOptionsProto {
  enum class Level : std::int32_t { kL1 = 0, kL0 = -1 };
  enum class JitLevel : std::int32_t { kDefault = 0, kOff = -1, kOn1 = 1, kOn2 = 2 };

  bool do_common_subexpression_elimination = false;
  bool do_constant_folding = false;
  Level opt_level = Level::kL1;
  bool do_function_inlining = false;
  JitLevel global_jit_level = JitLevel::kDefault;
  std::int64_t max_folded_constant_in_bytes = 0;
  bool cpu_global_jit = false;
  std::string unknown_fields;

  friend bool operator==(const OptimizerOptionsProto&, const OptimizerOptionsProto&) = default;
};

// TensorFlow's message GraphOptions.
struct GraphOptionsProto {
  bool enable_recv_scheduling = false;
  std::optional<OptimizerOptionsProto> optimizer_options;
  std::int64_t build_cost_model = 0;
  bool infer_shapes = false;
  bool place_pruned_graph = false;
  bool enable_bfloat16_sendrecv = false;
  std::int32_t timeline_step = 0;
  std::int64_t build_cost_model_after = 0;
  std::optional<std::string> rewrite_options;  // serialised RewriterConfig, kept as it came
  std::string unknown_fields;

  friend bool operator==(const GraphOptionsProto&, const GraphOptionsProto&) = default;
};

// Settings of a session.
struct ConfigProto {
  using ThreadPoolOption = ThreadPoolOptionProto;
  using GpuOptions = GpuOptionsProto;
  using OptimizerOptions = OptimizerOptionsProto;
  using GraphOptions = GraphOptionsProto;

  SlimVector<std::pair<std::string, std::int32_t>> device_count;  // number of devices of a type, sorted by type
  std::int32_t intra_op_parallelism_threads = 0;
  std::int32_t placement_period = 0;
  SlimVector<std::string> device_filters;
  std::int32_t inter_op_parallelism_threads = 0;
  std::optional<GpuOptions> gpu_options;
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  bool use_per_session_threads = false;
  std::optional<GraphOptions> graph_options;
  std::int64_t operation_timeout_in_ms = 0;
  SlimVector<ThreadPoolOption> session_inter_op_thread_pool;
  std::optional<std::string> rpc_options;  // serialised RPCOptions, kept as it came
  std::optional<ClusterDef> cluster_def;
  bool isolate_session_state = false;
  std::optional<std::string> experimental;  // serialised ConfigProto.Experimental, kept as it came
  bool share_cluster_devices_in_session = false;
  std::optional<GpuOptions> pluggable_device_options;
  std::string unknown_fields;

  friend bool operator==(const ConfigProto&, const ConfigProto&) = default;
};

// TensorFlow's message RunOptions. tenon::RunOptions are the options that a Session takes.
struct RunOptionsProto {
  // The values of RunOptions.TraceLevel.
  enum class Trace : std::int32_t { kNone = 0, kSoftware = 1, kHardware = 2, kFull = 3 };

  Trace trace_level = Trace::kNone;
  std::int64_t timeout_in_ms = 0;
  std::int32_t inter_op_thread_pool = 0;
  bool output_partition_graphs = false;
  std::optional<std::string> debug_options;  // serialised DebugOptions, kept as it came
  bool report_tensor_allocations_upon_oom = false;
  std::optional<std::string> experimental;  // serialised RunOptions.Experimental, kept as it came
  std::string unknown_fields;

  friend bool operator==(const RunOptionsProto&, const RunOptionsProto&) = default;
};

// The place of one server in its cluster.
struct ServerDef {
  std::optional<ClusterDef> cluster;
  std::string job_name;
  std::int32_t task_index = 0;
  std::optional<ConfigProto> default_session_config;
  std::string protocol;  // "grpc"
  std::int32_t port = 0;
  std::optional<std::string> cluster_device_filters;  // serialised ClusterDeviceFilters, kept as it came
  std::int32_t replica = 0;
  std::string unknown_fields;

  friend bool operator==(const ServerDef&, const ServerDef&) = default;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
