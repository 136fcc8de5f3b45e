// SPDX-License-Identifier: Apache-2.0
#pragma once
// ConfigProto, GPUOptions, GraphOptions, RunOptions and RunMetadata as messages.

#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/proto/graph.hpp>

namespace tensorflow {

class GPUOptions : public protobuf::Message<GPUOptions> {
 public:
  static constexpr const char* kName = "GPUOptions";
  TENON_COMPAT_SCALAR(double, per_process_gpu_memory_fraction)
  TENON_COMPAT_STRING(allocator_type)
  TENON_COMPAT_SCALAR(int64_t, deferred_deletion_bytes)
  TENON_COMPAT_SCALAR(bool, allow_growth)
  TENON_COMPAT_STRING(visible_device_list)
  TENON_COMPAT_SCALAR(bool, force_gpu_compatible)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "per_process_gpu_memory_fraction", m.per_process_gpu_memory_fraction_);
    call(2, "allocator_type", m.allocator_type_);
    call(3, "deferred_deletion_bytes", m.deferred_deletion_bytes_);
    call(4, "allow_growth", m.allow_growth_);
    call(5, "visible_device_list", m.visible_device_list_);
    call(8, "force_gpu_compatible", m.force_gpu_compatible_);
  }

 private:
  double per_process_gpu_memory_fraction_{};
  std::string allocator_type_;
  int64_t deferred_deletion_bytes_{};
  bool allow_growth_{};
  std::string visible_device_list_;
  bool force_gpu_compatible_{};
};

enum OptimizerOptions_Level : int { OptimizerOptions_Level_L1 = 0, OptimizerOptions_Level_L0 = -1 };
enum OptimizerOptions_GlobalJitLevel : int {
  OptimizerOptions_GlobalJitLevel_DEFAULT = 0,
  OptimizerOptions_GlobalJitLevel_OFF = -1,
  OptimizerOptions_GlobalJitLevel_ON_1 = 1,
  OptimizerOptions_GlobalJitLevel_ON_2 = 2
};
class OptimizerOptions : public protobuf::Message<OptimizerOptions> {
 public:
  static constexpr const char* kName = "OptimizerOptions";
  using Level = OptimizerOptions_Level;
  using GlobalJitLevel = OptimizerOptions_GlobalJitLevel;
  static constexpr Level L1 = OptimizerOptions_Level_L1, L0 = OptimizerOptions_Level_L0;
  static constexpr GlobalJitLevel DEFAULT = OptimizerOptions_GlobalJitLevel_DEFAULT,
                                  OFF = OptimizerOptions_GlobalJitLevel_OFF,
                                  ON_1 = OptimizerOptions_GlobalJitLevel_ON_1,
                                  ON_2 = OptimizerOptions_GlobalJitLevel_ON_2;
  TENON_COMPAT_SCALAR(bool, do_common_subexpression_elimination)
  TENON_COMPAT_SCALAR(bool, do_constant_folding)
  TENON_COMPAT_SCALAR(Level, opt_level)
  TENON_COMPAT_SCALAR(bool, do_function_inlining)
  TENON_COMPAT_SCALAR(GlobalJitLevel, global_jit_level)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "do_common_subexpression_elimination", m.do_common_subexpression_elimination_);
    call(2, "do_constant_folding", m.do_constant_folding_);
    call(3, "opt_level", m.opt_level_);
    call(4, "do_function_inlining", m.do_function_inlining_);
    call(5, "global_jit_level", m.global_jit_level_);
  }

 private:
  bool do_common_subexpression_elimination_{};
  bool do_constant_folding_{};
  Level opt_level_{};
  bool do_function_inlining_{};
  GlobalJitLevel global_jit_level_{};
};

class GraphOptions : public protobuf::Message<GraphOptions> {
 public:
  static constexpr const char* kName = "GraphOptions";
  TENON_COMPAT_SCALAR(bool, enable_recv_scheduling)
  TENON_COMPAT_MESSAGE(OptimizerOptions, optimizer_options)
  TENON_COMPAT_SCALAR(bool, infer_shapes)
  TENON_COMPAT_SCALAR(bool, place_pruned_graph)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(2, "enable_recv_scheduling", m.enable_recv_scheduling_);
    call(3, "optimizer_options", m.optimizer_options_);
    call(5, "infer_shapes", m.infer_shapes_);
    call(6, "place_pruned_graph", m.place_pruned_graph_);
  }

 private:
  bool enable_recv_scheduling_{};
  protobuf::Box<OptimizerOptions> optimizer_options_;
  bool infer_shapes_{};
  bool place_pruned_graph_{};
};

class ConfigProto : public protobuf::Message<ConfigProto> {
 public:
  static constexpr const char* kName = "ConfigProto";
  TENON_COMPAT_MAP(std::string, int32, device_count)
  TENON_COMPAT_SCALAR(int32, intra_op_parallelism_threads)
  TENON_COMPAT_SCALAR(int32, placement_period)
  TENON_COMPAT_STRINGS(device_filters)
  TENON_COMPAT_SCALAR(int32, inter_op_parallelism_threads)
  TENON_COMPAT_MESSAGE(GPUOptions, gpu_options)
  TENON_COMPAT_SCALAR(bool, allow_soft_placement)
  TENON_COMPAT_SCALAR(bool, log_device_placement)
  TENON_COMPAT_SCALAR(bool, use_per_session_threads)
  TENON_COMPAT_MESSAGE(GraphOptions, graph_options)
  TENON_COMPAT_SCALAR(int64_t, operation_timeout_in_ms)
  TENON_COMPAT_SCALAR(bool, isolate_session_state)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "device_count", m.device_count_);
    call(2, "intra_op_parallelism_threads", m.intra_op_parallelism_threads_);
    call(3, "placement_period", m.placement_period_);
    call(4, "device_filters", m.device_filters_);
    call(5, "inter_op_parallelism_threads", m.inter_op_parallelism_threads_);
    call(6, "gpu_options", m.gpu_options_);
    call(7, "allow_soft_placement", m.allow_soft_placement_);
    call(8, "log_device_placement", m.log_device_placement_);
    call(9, "use_per_session_threads", m.use_per_session_threads_);
    call(10, "graph_options", m.graph_options_);
    call(11, "operation_timeout_in_ms", m.operation_timeout_in_ms_);
    call(15, "isolate_session_state", m.isolate_session_state_);
  }

 private:
  protobuf::Map<std::string, int32> device_count_;
  int32 intra_op_parallelism_threads_{};
  int32 placement_period_{};
  protobuf::RepeatedPtrField<std::string> device_filters_;
  int32 inter_op_parallelism_threads_{};
  protobuf::Box<GPUOptions> gpu_options_;
  bool allow_soft_placement_{};
  bool log_device_placement_{};
  bool use_per_session_threads_{};
  protobuf::Box<GraphOptions> graph_options_;
  int64_t operation_timeout_in_ms_{};
  bool isolate_session_state_{};
};

enum RunOptions_TraceLevel : int {
  RunOptions_TraceLevel_NO_TRACE = 0,
  RunOptions_TraceLevel_SOFTWARE_TRACE = 1,
  RunOptions_TraceLevel_HARDWARE_TRACE = 2,
  RunOptions_TraceLevel_FULL_TRACE = 3
};
class RunOptions : public protobuf::Message<RunOptions> {
 public:
  static constexpr const char* kName = "RunOptions";
  using TraceLevel = RunOptions_TraceLevel;
  static constexpr TraceLevel NO_TRACE = RunOptions_TraceLevel_NO_TRACE,
                              SOFTWARE_TRACE = RunOptions_TraceLevel_SOFTWARE_TRACE,
                              HARDWARE_TRACE = RunOptions_TraceLevel_HARDWARE_TRACE,
                              FULL_TRACE = RunOptions_TraceLevel_FULL_TRACE;
  TENON_COMPAT_SCALAR(TraceLevel, trace_level)
  TENON_COMPAT_SCALAR(int64_t, timeout_in_ms)
  TENON_COMPAT_SCALAR(int32, inter_op_thread_pool)
  TENON_COMPAT_SCALAR(bool, output_partition_graphs)
  TENON_COMPAT_SCALAR(bool, report_tensor_allocations_upon_oom)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(1, "trace_level", m.trace_level_);
    call(2, "timeout_in_ms", m.timeout_in_ms_);
    call(3, "inter_op_thread_pool", m.inter_op_thread_pool_);
    call(5, "output_partition_graphs", m.output_partition_graphs_);
    call(7, "report_tensor_allocations_upon_oom", m.report_tensor_allocations_upon_oom_);
  }

 private:
  TraceLevel trace_level_{};
  int64_t timeout_in_ms_{};
  int32 inter_op_thread_pool_{};
  bool output_partition_graphs_{};
  bool report_tensor_allocations_upon_oom_{};
};
class RunMetadata : public protobuf::Message<RunMetadata> {
 public:
  static constexpr const char* kName = "RunMetadata";
  TENON_COMPAT_ITEMS(GraphDef, partition_graphs)

  template <class Self, class Call>
  static void Fields(Self& m, Call&& call) {
    call(3, "partition_graphs", m.partition_graphs_);
  }

 private:
  protobuf::RepeatedPtrField<GraphDef> partition_graphs_;
};

}  // namespace tensorflow
