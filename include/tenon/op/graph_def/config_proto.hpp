// SPDX-License-Identifier: Apache-2.0
#pragma once
// ConfigProto, RunOptionsProto, ClusterDef, JobDef and ServerDef from and to TensorFlow's serialised messages.
// ParseText, ToText, ParseJson and ToJson take them as well.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/wire/unknown_fields.hpp>
#include <tenon/op/attr/attr_types.hpp>
#include <tenon/op/graph_def/config.hpp>
#include <tenon/op/graph_def/config_text.hpp>
#include <tenon/op/graph_def/graph_tables.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {
inline void SortTasks(void* object) { SortByKey(&static_cast<JobDef*>(object)->tasks); }
inline void SortDeviceCount(void* object) { SortByKey(&static_cast<ConfigProto*>(object)->device_count); }
}  // namespace detail

namespace wire {

#define TENON_DETAIL_SCHEMA(...)          \
  template <>                             \
  struct Schema<__VA_ARGS__> {            \
    static const Message fields, message; \
  }
TENON_DETAIL_SCHEMA(JobDef);
TENON_DETAIL_SCHEMA(ClusterDef);
TENON_DETAIL_SCHEMA(ConfigProto::ThreadPoolOption);
TENON_DETAIL_SCHEMA(ConfigProto::GpuOptions);
TENON_DETAIL_SCHEMA(ConfigProto::OptimizerOptions);
TENON_DETAIL_SCHEMA(ConfigProto::GraphOptions);
TENON_DETAIL_SCHEMA(ConfigProto);
TENON_DETAIL_SCHEMA(RunOptionsProto);
TENON_DETAIL_SCHEMA(ServerDef);
#undef TENON_DETAIL_SCHEMA
template <>
struct Schema<std::pair<std::int32_t, std::string>> {
  static const Message message;
};
template <>
struct Schema<std::pair<std::string, std::int32_t>> {
  static const Message message;
};

inline constexpr Field kTaskEntryFields[] = {
    MakeFieldAlways<&std::pair<std::int32_t, std::string>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::int32_t, std::string>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::int32_t, std::string>>::message("JobDef.TasksEntry", kTaskEntryFields);
inline constexpr Field kDeviceCountEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, std::int32_t>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, std::int32_t>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, std::int32_t>>::message("ConfigProto.DeviceCountEntry",
                                                                               kDeviceCountEntryFields);

inline constexpr Field kJobDefFields[] = {
    MakeField<&JobDef::name>(1, "name"),
    MakeField<&JobDef::tasks>(2, "tasks"),
};
inline constexpr Message Schema<JobDef>::fields("JobDef", kJobDefFields, &tenon::detail::SortTasks);
inline constexpr Message Schema<JobDef>::message = KeepUnknown<JobDef>("JobDef");

inline constexpr Field kClusterDefFields[] = {
    MakeField<&ClusterDef::job>(1, "job"),
};
inline constexpr Message Schema<ClusterDef>::fields("ClusterDef", kClusterDefFields);
inline constexpr Message Schema<ClusterDef>::message = KeepUnknown<ClusterDef>("ClusterDef");

inline constexpr Field kThreadPoolOptionFields[] = {
    MakeField<&ConfigProto::ThreadPoolOption::num_threads>(1, "num_threads"),
    MakeField<&ConfigProto::ThreadPoolOption::global_name>(2, "global_name"),
};
inline constexpr Message Schema<ConfigProto::ThreadPoolOption>::fields("ThreadPoolOptionProto",
                                                                       kThreadPoolOptionFields);
inline constexpr Message Schema<ConfigProto::ThreadPoolOption>::message =
    KeepUnknown<ConfigProto::ThreadPoolOption>("ThreadPoolOptionProto");

inline constexpr Field kGpuOptionsFields[] = {
    MakeField<&ConfigProto::GpuOptions::per_process_gpu_memory_fraction>(1, "per_process_gpu_memory_fraction"),
    MakeField<&ConfigProto::GpuOptions::allocator_type>(2, "allocator_type"),
    MakeField<&ConfigProto::GpuOptions::deferred_deletion_bytes>(3, "deferred_deletion_bytes"),
    MakeField<&ConfigProto::GpuOptions::allow_growth>(4, "allow_growth"),
    MakeField<&ConfigProto::GpuOptions::visible_device_list>(5, "visible_device_list"),
    MakeField<&ConfigProto::GpuOptions::polling_active_delay_usecs>(6, "polling_active_delay_usecs"),
    MakeField<&ConfigProto::GpuOptions::polling_inactive_delay_msecs>(7, "polling_inactive_delay_msecs"),
    MakeField<&ConfigProto::GpuOptions::force_gpu_compatible>(8, "force_gpu_compatible"),
    MakeFieldKept<&ConfigProto::GpuOptions::experimental>(9, "experimental", &detail::kGPUOptionsExperimental),
};
inline constexpr Message Schema<ConfigProto::GpuOptions>::fields("GPUOptions", kGpuOptionsFields);
inline constexpr Message Schema<ConfigProto::GpuOptions>::message = KeepUnknown<ConfigProto::GpuOptions>("GPUOptions");

inline constexpr Field kConfigOptimizerOptionsFields[] = {
    MakeField<&ConfigProto::OptimizerOptions::do_common_subexpression_elimination>(
        1, "do_common_subexpression_elimination"),
    MakeField<&ConfigProto::OptimizerOptions::do_constant_folding>(2, "do_constant_folding"),
    MakeFieldKept<&ConfigProto::OptimizerOptions::opt_level>(3, "opt_level", &detail::kOptimizerOptionsLevel),
    MakeField<&ConfigProto::OptimizerOptions::do_function_inlining>(4, "do_function_inlining"),
    MakeFieldKept<&ConfigProto::OptimizerOptions::global_jit_level>(5, "global_jit_level",
                                                                    &detail::kOptimizerOptionsGlobalJitLevel),
    MakeField<&ConfigProto::OptimizerOptions::max_folded_constant_in_bytes>(6, "max_folded_constant_in_bytes"),
    MakeField<&ConfigProto::OptimizerOptions::cpu_global_jit>(7, "cpu_global_jit"),
};
inline constexpr Message Schema<ConfigProto::OptimizerOptions>::fields("OptimizerOptions",
                                                                       kConfigOptimizerOptionsFields);
inline constexpr Message Schema<ConfigProto::OptimizerOptions>::message =
    KeepUnknown<ConfigProto::OptimizerOptions>("OptimizerOptions");

inline constexpr Field kGraphOptionsFields[] = {
    MakeField<&ConfigProto::GraphOptions::enable_recv_scheduling>(2, "enable_recv_scheduling"),
    MakeField<&ConfigProto::GraphOptions::optimizer_options>(3, "optimizer_options"),
    MakeField<&ConfigProto::GraphOptions::build_cost_model>(4, "build_cost_model"),
    MakeField<&ConfigProto::GraphOptions::infer_shapes>(5, "infer_shapes"),
    MakeField<&ConfigProto::GraphOptions::place_pruned_graph>(6, "place_pruned_graph"),
    MakeField<&ConfigProto::GraphOptions::enable_bfloat16_sendrecv>(7, "enable_bfloat16_sendrecv"),
    MakeField<&ConfigProto::GraphOptions::timeline_step>(8, "timeline_step"),
    MakeField<&ConfigProto::GraphOptions::build_cost_model_after>(9, "build_cost_model_after"),
    MakeFieldKept<&ConfigProto::GraphOptions::rewrite_options>(10, "rewrite_options", &detail::kRewriterConfig),
};
inline constexpr Message Schema<ConfigProto::GraphOptions>::fields("GraphOptions", kGraphOptionsFields);
inline constexpr Message Schema<ConfigProto::GraphOptions>::message =
    KeepUnknown<ConfigProto::GraphOptions>("GraphOptions");

inline constexpr Field kConfigProtoFields[] = {
    MakeField<&ConfigProto::device_count>(1, "device_count"),
    MakeField<&ConfigProto::intra_op_parallelism_threads>(2, "intra_op_parallelism_threads"),
    MakeField<&ConfigProto::placement_period>(3, "placement_period"),
    MakeField<&ConfigProto::device_filters>(4, "device_filters"),
    MakeField<&ConfigProto::inter_op_parallelism_threads>(5, "inter_op_parallelism_threads"),
    MakeField<&ConfigProto::gpu_options>(6, "gpu_options"),
    MakeField<&ConfigProto::allow_soft_placement>(7, "allow_soft_placement"),
    MakeField<&ConfigProto::log_device_placement>(8, "log_device_placement"),
    MakeField<&ConfigProto::use_per_session_threads>(9, "use_per_session_threads"),
    MakeField<&ConfigProto::graph_options>(10, "graph_options"),
    MakeField<&ConfigProto::operation_timeout_in_ms>(11, "operation_timeout_in_ms"),
    MakeField<&ConfigProto::session_inter_op_thread_pool>(12, "session_inter_op_thread_pool"),
    MakeFieldKept<&ConfigProto::rpc_options>(13, "rpc_options", &detail::kRPCOptions),
    MakeField<&ConfigProto::cluster_def>(14, "cluster_def"),
    MakeField<&ConfigProto::isolate_session_state>(15, "isolate_session_state"),
    MakeFieldKept<&ConfigProto::experimental>(16, "experimental", &detail::kConfigProtoExperimental),
    MakeField<&ConfigProto::share_cluster_devices_in_session>(17, "share_cluster_devices_in_session"),
    MakeField<&ConfigProto::pluggable_device_options>(18, "pluggable_device_options"),
};
inline constexpr Message Schema<ConfigProto>::fields("ConfigProto", kConfigProtoFields,
                                                     &tenon::detail::SortDeviceCount);
inline constexpr Message Schema<ConfigProto>::message = KeepUnknown<ConfigProto>("ConfigProto");

inline constexpr Field kRunOptionsFields[] = {
    MakeFieldKept<&RunOptionsProto::trace_level>(1, "trace_level", &detail::kRunOptionsTraceLevel),
    MakeField<&RunOptionsProto::timeout_in_ms>(2, "timeout_in_ms"),
    MakeField<&RunOptionsProto::inter_op_thread_pool>(3, "inter_op_thread_pool"),
    MakeField<&RunOptionsProto::output_partition_graphs>(5, "output_partition_graphs"),
    MakeFieldKept<&RunOptionsProto::debug_options>(6, "debug_options", &detail::kDebugOptions),
    MakeField<&RunOptionsProto::report_tensor_allocations_upon_oom>(7, "report_tensor_allocations_upon_oom"),
    MakeFieldKept<&RunOptionsProto::experimental>(8, "experimental", &detail::kRunOptionsExperimental),
};
inline constexpr Message Schema<RunOptionsProto>::fields("RunOptions", kRunOptionsFields);
inline constexpr Message Schema<RunOptionsProto>::message = KeepUnknown<RunOptionsProto>("RunOptions");

inline constexpr Field kServerDefFields[] = {
    MakeField<&ServerDef::cluster>(1, "cluster"),
    MakeField<&ServerDef::job_name>(2, "job_name"),
    MakeField<&ServerDef::task_index>(3, "task_index"),
    MakeField<&ServerDef::default_session_config>(4, "default_session_config"),
    MakeField<&ServerDef::protocol>(5, "protocol"),
    MakeField<&ServerDef::port>(6, "port"),
    MakeFieldKept<&ServerDef::cluster_device_filters>(7, "cluster_device_filters", &detail::kClusterDeviceFilters),
    MakeField<&ServerDef::replica>(8, "replica"),
};
inline constexpr Message Schema<ServerDef>::fields("ServerDef", kServerDefFields);
inline constexpr Message Schema<ServerDef>::message = KeepUnknown<ServerDef>("ServerDef");

}  // namespace wire

namespace detail {
inline constexpr const wire::Message* kConfigTables[] = {&wire::Schema<JobDef>::fields,
                                                         &wire::Schema<ClusterDef>::fields,
                                                         &wire::Schema<ConfigProto::ThreadPoolOption>::fields,
                                                         &wire::Schema<ConfigProto::GpuOptions>::fields,
                                                         &wire::Schema<ConfigProto::OptimizerOptions>::fields,
                                                         &wire::Schema<ConfigProto::GraphOptions>::fields,
                                                         &wire::Schema<ConfigProto>::fields,
                                                         &wire::Schema<RunOptionsProto>::fields,
                                                         &wire::Schema<ServerDef>::fields,
                                                         &wire::detail::kTensor,
                                                         &wire::detail::kShape,
                                                         &wire::Schema<VariantTensorData>::message};
inline constexpr wire::TextTables kConfigTextTables = kConfigTables;
template <>
inline constexpr wire::TextTables text_tables<JobDef> = kConfigTextTables;
template <>
inline constexpr wire::TextTables text_tables<ClusterDef> = kConfigTextTables;
template <>
inline constexpr wire::TextTables text_tables<ConfigProto> = kConfigTextTables;
template <>
inline constexpr wire::TextTables text_tables<RunOptionsProto> = kConfigTextTables;
template <>
inline constexpr wire::TextTables text_tables<ServerDef> = kConfigTextTables;
}  // namespace detail

// The functions below return DataLoss, with the byte's offset, when the bytes are not such a message. Fields that the
// structs do not have are kept in their members `unknown_fields`.
inline Result<ConfigProto> ParseConfigProto(Span<const std::byte> bytes) {
  return detail::ParseProto<ConfigProto>(bytes);
}
inline Result<RunOptionsProto> ParseRunOptionsProto(Span<const std::byte> bytes) {
  return detail::ParseProto<RunOptionsProto>(bytes);
}
inline Result<ClusterDef> ParseClusterDef(Span<const std::byte> bytes) { return detail::ParseProto<ClusterDef>(bytes); }
inline Result<JobDef> ParseJobDef(Span<const std::byte> bytes) { return detail::ParseProto<JobDef>(bytes); }
inline Result<ServerDef> ParseServerDef(Span<const std::byte> bytes) { return detail::ParseProto<ServerDef>(bytes); }

// Serialised forms are canonical: fields in ascending order, maps in the order of the struct, unknown fields last.
inline std::string SerializeConfigProto(const ConfigProto& config) { return detail::SerializeProto(config); }
inline std::string SerializeRunOptionsProto(const RunOptionsProto& options) { return detail::SerializeProto(options); }
inline std::string SerializeClusterDef(const ClusterDef& cluster) { return detail::SerializeProto(cluster); }
inline std::string SerializeJobDef(const JobDef& job) { return detail::SerializeProto(job); }
inline std::string SerializeServerDef(const ServerDef& server) { return detail::SerializeProto(server); }

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
