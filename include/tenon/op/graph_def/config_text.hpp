// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables of the parts of ConfigProto, RunOptions and ServerDef that structs keep as they came
// (op/graph_def/config.hpp). Text and JSON need their fields, and the names of enums.

#include <tenon/wire/field.hpp>
#include <tenon/wire/text_schema.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace wire::detail {

inline constexpr Field kOptimizerOptionsLevelValues[] = {ValueOfEnum(0, "L1"), ValueOfEnum(-1, "L0")};
inline constexpr Message kOptimizerOptionsLevel("OptimizerOptions.Level", kOptimizerOptionsLevelValues);
inline constexpr Field kOptimizerOptionsGlobalJitLevelValues[] = {ValueOfEnum(0, "DEFAULT"), ValueOfEnum(1, "ON_1"),
                                                                  ValueOfEnum(2, "ON_2"), ValueOfEnum(-1, "OFF")};
inline constexpr Message kOptimizerOptionsGlobalJitLevel("OptimizerOptions.GlobalJitLevel",
                                                         kOptimizerOptionsGlobalJitLevelValues);
inline constexpr Field kRunOptionsTraceLevelValues[] = {ValueOfEnum(0, "NO_TRACE"), ValueOfEnum(1, "SOFTWARE_TRACE"),
                                                        ValueOfEnum(2, "HARDWARE_TRACE"), ValueOfEnum(3, "FULL_TRACE")};
inline constexpr Message kRunOptionsTraceLevel("RunOptions.TraceLevel", kRunOptionsTraceLevelValues);
inline constexpr Field kGPUOptionsExperimentalVirtualDevicesFields[] = {
    WireField(1, "memory_limit_mb", Kind::kFloat, true),
    WireField(2, "priority", Kind::kInt32, true),
    WireField(3, "device_ordinal", Kind::kInt32, true),
};
inline constexpr Message kGPUOptionsExperimentalVirtualDevices("GPUOptions.Experimental.VirtualDevices",
                                                               kGPUOptionsExperimentalVirtualDevicesFields);
inline constexpr Field kGPUOptionsExperimentalStreamMergeOptionsFields[] = {
    WireField(1, "merge_host_to_device_stream", Kind::kBool),
    WireField(2, "merge_device_to_host_stream", Kind::kBool),
    WireField(3, "merge_device_to_device_stream", Kind::kBool),
};
inline constexpr Message kGPUOptionsExperimentalStreamMergeOptions("GPUOptions.Experimental.StreamMergeOptions",
                                                                   kGPUOptionsExperimentalStreamMergeOptionsFields);
inline constexpr Field kGPUOptionsExperimentalFields[] = {
    WireField(1, "virtual_devices", Kind::kMessage, true, &kGPUOptionsExperimentalVirtualDevices),
    WireField(2, "use_unified_memory", Kind::kBool),
    WireField(3, "num_dev_to_dev_copy_streams", Kind::kInt32),
    WireField(4, "collective_ring_order", Kind::kString),
    WireField(5, "timestamped_allocator", Kind::kBool),
    WireField(7, "kernel_tracker_max_interval", Kind::kInt32),
    WireField(8, "kernel_tracker_max_bytes", Kind::kInt32),
    WireField(9, "kernel_tracker_max_pending", Kind::kInt32),
    WireField(10, "internal_fragmentation_fraction", Kind::kDouble),
    WireField(11, "use_cuda_malloc_async", Kind::kBool),
    WireField(12, "disallow_retry_on_allocation_failure", Kind::kBool),
    WireField(13, "gpu_host_mem_limit_in_mb", Kind::kFloat),
    WireField(14, "gpu_host_mem_disallow_growth", Kind::kBool),
    WireField(15, "num_virtual_devices_per_gpu", Kind::kInt32),
    WireField(16, "gpu_system_memory_size_in_mb", Kind::kInt32),
    WireField(17, "populate_pjrt_gpu_client_creation_info", Kind::kBool),
    WireField(18, "node_id", Kind::kInt32),
    WireField(19, "stream_merge_options", Kind::kMessage, false, &kGPUOptionsExperimentalStreamMergeOptions),
};
inline constexpr Message kGPUOptionsExperimental("GPUOptions.Experimental", kGPUOptionsExperimentalFields);
inline constexpr Field kRewriterConfigToggleValues[] = {ValueOfEnum(0, "DEFAULT"),
                                                        ValueOfEnum(1, "ON"),
                                                        ValueOfEnum(2, "OFF"),
                                                        ValueOfEnum(3, "AGGRESSIVE"),
                                                        ValueOfEnum(4, "EXPERIMENTAL_MLIR"),
                                                        ValueOfEnum(5, "EXPERIMENTAL_BOTH")};
inline constexpr Message kRewriterConfigToggle("RewriterConfig.Toggle", kRewriterConfigToggleValues);
inline constexpr Field kRewriterConfigMemOptTypeValues[] = {ValueOfEnum(0, "DEFAULT_MEM_OPT"),
                                                            ValueOfEnum(1, "NO_MEM_OPT"),
                                                            ValueOfEnum(2, "MANUAL"),
                                                            ValueOfEnum(3, "HEURISTICS"),
                                                            ValueOfEnum(4, "SWAPPING_HEURISTICS"),
                                                            ValueOfEnum(5, "RECOMPUTATION_HEURISTICS"),
                                                            ValueOfEnum(6, "SCHEDULING_HEURISTICS")};
inline constexpr Message kRewriterConfigMemOptType("RewriterConfig.MemOptType", kRewriterConfigMemOptTypeValues);
inline constexpr Field kAutoParallelOptionsFields[] = {
    WireField(1, "enable", Kind::kBool),
    WireField(2, "num_replicas", Kind::kInt32),
};
inline constexpr Message kAutoParallelOptions("AutoParallelOptions", kAutoParallelOptionsFields);
inline constexpr Field kRewriterConfigNumIterationsTypeValues[] = {ValueOfEnum(0, "DEFAULT_NUM_ITERS"),
                                                                   ValueOfEnum(1, "ONE"), ValueOfEnum(2, "TWO")};
inline constexpr Message kRewriterConfigNumIterationsType("RewriterConfig.NumIterationsType",
                                                          kRewriterConfigNumIterationsTypeValues);
inline constexpr Field kScopedAllocatorOptionsFields[] = {
    WireField(1, "enable_op", Kind::kString, true),
};
inline constexpr Message kScopedAllocatorOptions("ScopedAllocatorOptions", kScopedAllocatorOptionsFields);
inline constexpr Field kRewriterConfigCpuLayoutValues[] = {
    ValueOfEnum(0, "NO_CONVERSION_ON_CPU"), ValueOfEnum(1, "NCHW_TO_NHWC"), ValueOfEnum(2, "NHWC_TO_NCHW")};
inline constexpr Message kRewriterConfigCpuLayout("RewriterConfig.CpuLayout", kRewriterConfigCpuLayoutValues);
inline constexpr Field kRewriterConfigCustomGraphOptimizerParameterMapEntryFields[] = {
    WireField(1, "key", Kind::kString),
    WireField(2, "value", Kind::kMessage, false, &Schema<AttrValue>::message),
};
inline constexpr Message kRewriterConfigCustomGraphOptimizerParameterMapEntry(
    "RewriterConfig.CustomGraphOptimizer.ParameterMapEntry",
    kRewriterConfigCustomGraphOptimizerParameterMapEntryFields);
inline constexpr Field kRewriterConfigCustomGraphOptimizerFields[] = {
    WireField(1, "name", Kind::kString),
    WireField(2, "parameter_map", Kind::kMessage, true, &kRewriterConfigCustomGraphOptimizerParameterMapEntry),
};
inline constexpr Message kRewriterConfigCustomGraphOptimizer("RewriterConfig.CustomGraphOptimizer",
                                                             kRewriterConfigCustomGraphOptimizerFields);
inline constexpr Field kVerifierConfigToggleValues[] = {ValueOfEnum(0, "DEFAULT"), ValueOfEnum(1, "ON"),
                                                        ValueOfEnum(2, "OFF")};
inline constexpr Message kVerifierConfigToggle("VerifierConfig.Toggle", kVerifierConfigToggleValues);
inline constexpr Field kVerifierConfigFields[] = {
    WireField(1, "verification_timeout_in_ms", Kind::kInt64),
    WireField(2, "structure_verifier", Kind::kEnum, false, &kVerifierConfigToggle),
};
inline constexpr Message kVerifierConfig("VerifierConfig", kVerifierConfigFields);
inline constexpr Field kRewriterConfigFields[] = {
    WireField(1, "layout_optimizer", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(2, "disable_model_pruning", Kind::kBool),
    WireField(3, "constant_folding", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(4, "memory_optimization", Kind::kEnum, false, &kRewriterConfigMemOptType),
    WireField(5, "auto_parallel", Kind::kMessage, false, &kAutoParallelOptions),
    WireField(6, "memory_optimizer_target_node_name_scope", Kind::kString),
    WireField(7, "arithmetic_optimization", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(8, "dependency_optimization", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(9, "loop_optimization", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(10, "function_optimization", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(11, "debug_stripper", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(12, "meta_optimizer_iterations", Kind::kEnum, false, &kRewriterConfigNumIterationsType),
    WireField(13, "shape_optimization", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(14, "remapping", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(15, "scoped_allocator_optimization", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(16, "scoped_allocator_opts", Kind::kMessage, false, &kScopedAllocatorOptions),
    WireField(17, "min_graph_nodes", Kind::kInt32),
    WireField(18, "pin_to_host_optimization", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(19, "disable_meta_optimizer", Kind::kBool),
    WireField(20, "meta_optimizer_timeout_ms", Kind::kInt64),
    WireField(21, "fail_on_optimizer_errors", Kind::kBool),
    WireField(22, "implementation_selector", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(23, "auto_mixed_precision", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(24, "common_subgraph_elimination", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(25, "auto_mixed_precision_mkl", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(26, "experimental_disable_compressed_tensor_optimization", Kind::kBool),
    WireField(27, "experimental_disable_folding_quantization_emulation", Kind::kBool),
    WireField(28, "use_plugin_optimizers", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(29, "auto_mixed_precision_cpu", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(30, "experimental_conditional_code_motion", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(31, "auto_mixed_precision_onednn_bfloat16", Kind::kEnum, false, &kRewriterConfigToggle),
    WireField(32, "disable_tfg_optimizer", Kind::kBool),
    WireField(50, "cpu_layout_conversion", Kind::kEnum, false, &kRewriterConfigCpuLayout),
    WireField(100, "optimizers", Kind::kString, true),
    WireField(200, "custom_optimizers", Kind::kMessage, true, &kRewriterConfigCustomGraphOptimizer),
    WireField(300, "inter_optimizer_verifier_config", Kind::kMessage, false, &kVerifierConfig),
    WireField(301, "post_optimization_verifier_config", Kind::kMessage, false, &kVerifierConfig),
};
inline constexpr Message kRewriterConfig("RewriterConfig", kRewriterConfigFields);
inline constexpr Field kRPCOptionsFields[] = {
    WireField(1, "use_rpc_for_inprocess_master", Kind::kBool),
    WireField(2, "compression_algorithm", Kind::kString),
    WireField(3, "compression_level", Kind::kInt32),
    WireField(4, "cache_rpc_response", Kind::kBool),
    WireField(5, "disable_session_connection_sharing", Kind::kBool),
    WireField(6, "num_channels_per_target", Kind::kInt32),
};
inline constexpr Message kRPCOptions("RPCOptions", kRPCOptionsFields);
inline constexpr Field kSessionMetadataFields[] = {
    WireField(1, "name", Kind::kString),
    WireField(2, "version", Kind::kInt64),
};
inline constexpr Message kSessionMetadata("SessionMetadata", kSessionMetadataFields);
inline constexpr Field kConfigProtoExperimentalMlirBridgeRolloutValues[] = {
    ValueOfEnum(0, "MLIR_BRIDGE_ROLLOUT_UNSPECIFIED"), ValueOfEnum(1, "MLIR_BRIDGE_ROLLOUT_ENABLED"),
    ValueOfEnum(2, "MLIR_BRIDGE_ROLLOUT_DISABLED")};
inline constexpr Message kConfigProtoExperimentalMlirBridgeRollout("ConfigProto.Experimental.MlirBridgeRollout",
                                                                   kConfigProtoExperimentalMlirBridgeRolloutValues);
inline constexpr Field kCoordinatedJobFields[] = {
    WireField(1, "name", Kind::kString),
    WireField(2, "num_tasks", Kind::kInt32),
};
inline constexpr Message kCoordinatedJob("CoordinatedJob", kCoordinatedJobFields);
inline constexpr Field kCoordinationServiceConfigFields[] = {
    WireField(1, "service_type", Kind::kString),
    WireField(2, "service_leader", Kind::kString),
    WireField(3, "enable_health_check", Kind::kBool),
    WireField(4, "cluster_register_timeout_in_ms", Kind::kInt64),
    WireField(5, "heartbeat_timeout_in_ms", Kind::kInt64),
    WireField(7, "shutdown_barrier_timeout_in_ms", Kind::kInt64),
    WireField(8, "agent_destruction_without_shutdown", Kind::kBool),
    WireField(9, "recoverable_jobs", Kind::kString, true),
    WireField(10, "coordinated_job_list", Kind::kMessage, true, &kCoordinatedJob),
    WireField(11, "allow_new_incarnation_to_reconnect", Kind::kBool),
    WireField(12, "force_disable", Kind::kBool),
    WireField(13, "poll_for_error_from_service_at_startup", Kind::kBool),
    WireField(14, "cluster_register_with_barrier", Kind::kBool),
};
inline constexpr Message kCoordinationServiceConfig("CoordinationServiceConfig", kCoordinationServiceConfigFields);
inline constexpr Field kConfigProtoExperimentalFields[] = {
    WireField(1, "collective_group_leader", Kind::kString),
    WireField(3, "executor_type", Kind::kString),
    WireField(4, "recv_buf_max_chunk", Kind::kInt32),
    WireField(5, "use_numa_affinity", Kind::kBool),
    WireField(6, "collective_deterministic_sequential_execution", Kind::kBool),
    WireField(7, "collective_nccl", Kind::kBool),
    WireField(8, "share_session_state_in_clusterspec_propagation", Kind::kBool),
    WireField(9, "disable_thread_spinning", Kind::kBool),
    WireField(10, "share_cluster_devices_in_session", Kind::kBool),
    WireField(11, "session_metadata", Kind::kMessage, false, &kSessionMetadata),
    WireField(12, "optimize_for_static_graph", Kind::kBool),
    WireField(13, "enable_mlir_bridge", Kind::kBool),
    WireField(14, "disable_output_partition_graphs", Kind::kBool),
    WireField(15, "xla_fusion_autotuner_thresh", Kind::kInt64),
    WireField(16, "enable_mlir_graph_optimization", Kind::kBool),
    WireField(17, "mlir_bridge_rollout", Kind::kEnum, false, &kConfigProtoExperimentalMlirBridgeRollout),
    WireField(18, "use_tfrt", Kind::kBool),
    WireField(21, "disable_functional_ops_lowering", Kind::kBool),
    WireField(22, "xla_prefer_single_graph_cluster", Kind::kBool),
    WireField(23, "coordination_config", Kind::kMessage, false, &kCoordinationServiceConfig),
    WireField(24, "disable_optimize_for_static_graph", Kind::kBool),
    WireField(26, "disable_eager_executor_streaming_enqueue", Kind::kBool),
    WireField(27, "enable_multi_host", Kind::kBool),
    WireField(28, "backend_server_port", Kind::kInt32),
    WireField(29, "target_tpu", Kind::kBool),
    WireField(30, "target_gpu", Kind::kBool),
    WireField(31, "stream_merge_threshold", Kind::kInt32),
    WireField(32, "tfrt_use_ifrt", Kind::kBool),
    WireField(33, "finalize_function_library_runtime", Kind::kBool),
    WireField(34, "finalize_resource_manager", Kind::kBool),
    WireField(35, "tf2xla_dump_dir", Kind::kString),
    WireField(36, "online_cost_analysis", Kind::kBool),
};
inline constexpr Message kConfigProtoExperimental("ConfigProto.Experimental", kConfigProtoExperimentalFields);
inline constexpr Field kDebugTensorWatchFields[] = {
    WireField(1, "node_name", Kind::kString),
    WireField(2, "output_slot", Kind::kInt32),
    WireField(3, "debug_ops", Kind::kString, true),
    WireField(4, "debug_urls", Kind::kString, true),
    WireField(5, "tolerate_debug_op_creation_failures", Kind::kBool),
};
inline constexpr Message kDebugTensorWatch("DebugTensorWatch", kDebugTensorWatchFields);
inline constexpr Field kDebugOptionsFields[] = {
    WireField(4, "debug_tensor_watch_opts", Kind::kMessage, true, &kDebugTensorWatch),
    WireField(10, "global_step", Kind::kInt64),
    WireField(11, "reset_disk_byte_usage", Kind::kBool),
};
inline constexpr Message kDebugOptions("DebugOptions", kDebugOptionsFields);
inline constexpr Field kRunOptionsExperimentalRunHandlerPoolOptionsFields[] = {
    WireField(1, "priority", Kind::kInt64),
};
inline constexpr Message kRunOptionsExperimentalRunHandlerPoolOptions(
    "RunOptions.Experimental.RunHandlerPoolOptions", kRunOptionsExperimentalRunHandlerPoolOptionsFields);
inline constexpr Field kRunOptionsExperimentalFields[] = {
    WireField(1, "collective_graph_key", Kind::kInt64),
    WireField(2, "use_run_handler_pool", Kind::kBool),
    WireField(3, "run_handler_pool_options", Kind::kMessage, false, &kRunOptionsExperimentalRunHandlerPoolOptions),
};
inline constexpr Message kRunOptionsExperimental("RunOptions.Experimental", kRunOptionsExperimentalFields);
inline constexpr Field kTaskDeviceFiltersFields[] = {
    WireField(1, "device_filters", Kind::kString, true),
};
inline constexpr Message kTaskDeviceFilters("TaskDeviceFilters", kTaskDeviceFiltersFields);
inline constexpr Field kJobDeviceFiltersTasksEntryFields[] = {
    WireField(1, "key", Kind::kInt32),
    WireField(2, "value", Kind::kMessage, false, &kTaskDeviceFilters),
};
inline constexpr Message kJobDeviceFiltersTasksEntry("JobDeviceFilters.TasksEntry", kJobDeviceFiltersTasksEntryFields);
inline constexpr Field kJobDeviceFiltersFields[] = {
    WireField(1, "name", Kind::kString),
    WireField(2, "tasks", Kind::kMessage, true, &kJobDeviceFiltersTasksEntry),
};
inline constexpr Message kJobDeviceFilters("JobDeviceFilters", kJobDeviceFiltersFields);
inline constexpr Field kClusterDeviceFiltersFields[] = {
    WireField(1, "jobs", Kind::kMessage, true, &kJobDeviceFilters),
};
inline constexpr Message kClusterDeviceFilters("ClusterDeviceFilters", kClusterDeviceFiltersFields);

}  // namespace wire::detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
