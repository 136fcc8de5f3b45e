// SPDX-License-Identifier: Apache-2.0
#pragma once
// RunMetadata: what a run under RunOptions tells about itself, as plain data and as TensorFlow's serialised messages.

#include <cstdint>
#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

struct AllocatorMemoryUsed {
  std::string allocator_name;
  std::int64_t total_bytes = 0;  // bytes of the node's outputs
  std::int64_t peak_bytes = 0;  // with the memory that its kernel took beside them
  std::int64_t live_bytes = 0;  // left after its end
  std::int64_t allocator_bytes_in_use = 0;  // all users of the allocator together, after the run; 0: not known
  friend bool operator==(const AllocatorMemoryUsed&, const AllocatorMemoryUsed&) = default;
};

// Memory that a node's kernel took beside its outputs.
struct MemoryStats {
  std::int64_t temp_memory_size = 0, persistent_memory_size = 0;  // bytes
  friend bool operator==(const MemoryStats&, const MemoryStats&) = default;
};

// An output of a node, as it was in the run.
struct AllocationDescription {
  std::int64_t requested_bytes = 0;
  std::string allocator_name;
  friend bool operator==(const AllocationDescription&, const AllocationDescription&) = default;
};
struct TensorDescription {
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;
  AllocationDescription allocation_description;
  friend bool operator==(const TensorDescription&, const TensorDescription&) = default;
};
struct NodeOutput {
  std::int32_t slot = 0;  // number of the output
  TensorDescription tensor_description;
  friend bool operator==(const NodeOutput&, const NodeOutput&) = default;
};

// Times are relative to all_start but for all_start and scheduled themselves, which count from 1970.
struct NodeExecStats {
  std::string node_name;
  std::int64_t all_start_micros = 0, op_start_rel_micros = 0, op_end_rel_micros = 0, all_end_rel_micros = 0;
  SlimVector<AllocatorMemoryUsed> memory;
  SlimVector<NodeOutput> output;  // output 0, if the node has outputs
  std::string timeline_label;  // "y = AddV2(x, one)"
  std::int64_t scheduled_micros = 0;  // when all inputs were there; the start where that is not known
  std::uint32_t thread_id = 0;
  MemoryStats memory_stats;
  std::int64_t all_start_nanos = 0, op_start_rel_nanos = 0, op_end_rel_nanos = 0, all_end_rel_nanos = 0;
  std::int64_t scheduled_nanos = 0;
  friend bool operator==(const NodeExecStats&, const NodeExecStats&) = default;
};
// The executions of nodes on one device.
struct DeviceStepStats {
  std::string device;
  SlimVector<NodeExecStats> node_stats;  // in the order in which the nodes ended
  friend bool operator==(const DeviceStepStats&, const DeviceStepStats&) = default;
};
// The executions of nodes in one run, by device.
struct StepStats {
  SlimVector<DeviceStepStats> dev_stats;
  friend bool operator==(const StepStats&, const StepStats&) = default;
};

// Costs of the nodes of one run, and the tensors that they gave one another.
struct CostGraphDef {
  struct InputInfo {
    std::int32_t preceding_node = 0, preceding_port = 0;
    friend bool operator==(const InputInfo&, const InputInfo&) = default;
  };
  struct OutputInfo {
    std::int64_t size = -1;  // bytes; -1: not known
    std::int64_t alias_input_port = -1;
    PartialTensorShape shape;  // that the graph declares or that was inferred
    DataType dtype = DataType::kInvalid;
    friend bool operator==(const OutputInfo&, const OutputInfo&) = default;
  };
  struct Node {
    std::string name, device;
    std::int32_t id = 0;
    SlimVector<InputInfo> input_info;
    SlimVector<OutputInfo> output_info;
    bool is_final = false;
    SlimVector<std::int32_t> control_input;
    std::int64_t compute_cost = 0;  // microseconds
    friend bool operator==(const Node&, const Node&) = default;
  };
  SlimVector<Node> node;
  friend bool operator==(const CostGraphDef&, const CostGraphDef&) = default;
};

// Facts about one run, for Run with RunOptions. The run overwrites it. externally synchronised.
struct RunMetadata {
  StepStats step_stats;  // filled in when RunOptions::trace_level is not kNone
  CostGraphDef cost_graph;  // filled in with step_stats
  SlimVector<GraphDef> partition_graphs;  // one per device, when RunOptions::output_partition_graphs is set
  // The body of one function under the attrs of its calls. Arguments are _Arg nodes.
  struct FunctionGraphs {
    SlimVector<GraphDef> partition_graphs;
    GraphDef pre_optimization_graph;
  };
  SlimVector<FunctionGraphs> function_graphs;  // functions that the nodes call, filled in with partition_graphs
};

namespace wire {

#define TENON_DETAIL_SCHEMA(...)  \
  template <>                     \
  struct Schema<__VA_ARGS__> {    \
    static const Message message; \
  }
TENON_DETAIL_SCHEMA(AllocatorMemoryUsed);
TENON_DETAIL_SCHEMA(AllocationDescription);
TENON_DETAIL_SCHEMA(TensorDescription);
TENON_DETAIL_SCHEMA(NodeOutput);
TENON_DETAIL_SCHEMA(MemoryStats);
TENON_DETAIL_SCHEMA(NodeExecStats);
TENON_DETAIL_SCHEMA(DeviceStepStats);
TENON_DETAIL_SCHEMA(StepStats);
TENON_DETAIL_SCHEMA(CostGraphDef::InputInfo);
TENON_DETAIL_SCHEMA(CostGraphDef::OutputInfo);
TENON_DETAIL_SCHEMA(CostGraphDef::Node);
TENON_DETAIL_SCHEMA(CostGraphDef);
TENON_DETAIL_SCHEMA(RunMetadata::FunctionGraphs);
TENON_DETAIL_SCHEMA(RunMetadata);
#undef TENON_DETAIL_SCHEMA

inline constexpr Field kAllocatorMemoryUsedFields[] = {
    MakeField<&AllocatorMemoryUsed::allocator_name>(1, "allocator_name"),
    MakeField<&AllocatorMemoryUsed::total_bytes>(2, "total_bytes"),
    MakeField<&AllocatorMemoryUsed::peak_bytes>(3, "peak_bytes"),
    MakeField<&AllocatorMemoryUsed::live_bytes>(4, "live_bytes"),
    MakeField<&AllocatorMemoryUsed::allocator_bytes_in_use>(5, "allocator_bytes_in_use"),
};
inline constexpr Message Schema<AllocatorMemoryUsed>::message("AllocatorMemoryUsed", kAllocatorMemoryUsedFields);

inline constexpr Field kAllocationDescriptionFields[] = {
    MakeField<&AllocationDescription::requested_bytes>(1, "requested_bytes"),
    MakeField<&AllocationDescription::allocator_name>(3, "allocator_name"),
};
inline constexpr Message Schema<AllocationDescription>::message("AllocationDescription", kAllocationDescriptionFields);

inline constexpr Field kTensorDescriptionFields[] = {
    MakeField<&TensorDescription::dtype>(1, "dtype"),
    MakeFieldAlways<&TensorDescription::shape>(2, "shape"),
    MakeFieldAlways<&TensorDescription::allocation_description>(4, "allocation_description"),
};
inline constexpr Message Schema<TensorDescription>::message("TensorDescription", kTensorDescriptionFields);

inline constexpr Field kNodeOutputFields[] = {
    MakeField<&NodeOutput::slot>(1, "slot"),
    MakeFieldAlways<&NodeOutput::tensor_description>(3, "tensor_description"),
};
inline constexpr Message Schema<NodeOutput>::message("NodeOutput", kNodeOutputFields);

inline constexpr Field kMemoryStatsFields[] = {
    MakeField<&MemoryStats::temp_memory_size>(1, "temp_memory_size"),
    MakeField<&MemoryStats::persistent_memory_size>(3, "persistent_memory_size"),
};
inline constexpr Message Schema<MemoryStats>::message("MemoryStats", kMemoryStatsFields);

inline constexpr Field kNodeExecStatsFields[] = {
    MakeField<&NodeExecStats::node_name>(1, "node_name"),
    MakeField<&NodeExecStats::all_start_micros>(2, "all_start_micros"),
    MakeField<&NodeExecStats::op_start_rel_micros>(3, "op_start_rel_micros"),
    MakeField<&NodeExecStats::op_end_rel_micros>(4, "op_end_rel_micros"),
    MakeField<&NodeExecStats::all_end_rel_micros>(5, "all_end_rel_micros"),
    MakeField<&NodeExecStats::memory>(6, "memory"),
    MakeField<&NodeExecStats::output>(7, "output"),
    MakeField<&NodeExecStats::timeline_label>(8, "timeline_label"),
    MakeField<&NodeExecStats::scheduled_micros>(9, "scheduled_micros"),
    MakeField<&NodeExecStats::thread_id>(10, "thread_id"),
    MakeField<&NodeExecStats::memory_stats>(12, "memory_stats"),
    MakeField<&NodeExecStats::all_start_nanos>(13, "all_start_nanos"),
    MakeField<&NodeExecStats::op_start_rel_nanos>(14, "op_start_rel_nanos"),
    MakeField<&NodeExecStats::op_end_rel_nanos>(15, "op_end_rel_nanos"),
    MakeField<&NodeExecStats::all_end_rel_nanos>(16, "all_end_rel_nanos"),
    MakeField<&NodeExecStats::scheduled_nanos>(17, "scheduled_nanos"),
};
inline constexpr Message Schema<NodeExecStats>::message("NodeExecStats", kNodeExecStatsFields);

inline constexpr Field kDeviceStepStatsFields[] = {
    MakeField<&DeviceStepStats::device>(1, "device"),
    MakeField<&DeviceStepStats::node_stats>(2, "node_stats"),
};
inline constexpr Message Schema<DeviceStepStats>::message("DeviceStepStats", kDeviceStepStatsFields);

inline constexpr Field kStepStatsFields[] = {MakeField<&StepStats::dev_stats>(1, "dev_stats")};
inline constexpr Message Schema<StepStats>::message("StepStats", kStepStatsFields);

inline constexpr Field kCostInputFields[] = {
    MakeField<&CostGraphDef::InputInfo::preceding_node>(1, "preceding_node"),
    MakeField<&CostGraphDef::InputInfo::preceding_port>(2, "preceding_port"),
};
inline constexpr Message Schema<CostGraphDef::InputInfo>::message("CostGraphDef.Node.InputInfo", kCostInputFields);

inline constexpr Field kCostOutputFields[] = {
    MakeField<&CostGraphDef::OutputInfo::size>(1, "size"),
    MakeField<&CostGraphDef::OutputInfo::alias_input_port>(2, "alias_input_port"),
    MakeFieldAlways<&CostGraphDef::OutputInfo::shape>(3, "shape"),
    MakeField<&CostGraphDef::OutputInfo::dtype>(4, "dtype"),
};
inline constexpr Message Schema<CostGraphDef::OutputInfo>::message("CostGraphDef.Node.OutputInfo", kCostOutputFields);

inline constexpr Field kCostNodeFields[] = {
    MakeField<&CostGraphDef::Node::name>(1, "name"),
    MakeField<&CostGraphDef::Node::device>(2, "device"),
    MakeField<&CostGraphDef::Node::id>(3, "id"),
    MakeField<&CostGraphDef::Node::input_info>(4, "input_info"),
    MakeField<&CostGraphDef::Node::output_info>(5, "output_info"),
    MakeField<&CostGraphDef::Node::is_final>(7, "is_final"),
    MakeField<&CostGraphDef::Node::control_input>(8, "control_input"),
    MakeField<&CostGraphDef::Node::compute_cost>(9, "compute_cost"),
};
inline constexpr Message Schema<CostGraphDef::Node>::message("CostGraphDef.Node", kCostNodeFields);

inline constexpr Field kCostGraphDefFields[] = {MakeField<&CostGraphDef::node>(1, "node")};
inline constexpr Message Schema<CostGraphDef>::message("CostGraphDef", kCostGraphDefFields);

inline constexpr Field kFunctionGraphsFields[] = {
    MakeField<&RunMetadata::FunctionGraphs::partition_graphs>(1, "partition_graphs"),
    MakeField<&RunMetadata::FunctionGraphs::pre_optimization_graph>(2, "pre_optimization_graph"),
};
inline constexpr Message Schema<RunMetadata::FunctionGraphs>::message("RunMetadata.FunctionGraphs",
                                                                      kFunctionGraphsFields);

inline constexpr Field kRunMetadataFields[] = {
    MakeFieldAlways<&RunMetadata::step_stats>(1, "step_stats"),
    MakeFieldAlways<&RunMetadata::cost_graph>(2, "cost_graph"),
    MakeField<&RunMetadata::partition_graphs>(3, "partition_graphs"),
    MakeField<&RunMetadata::function_graphs>(4, "function_graphs"),
};
inline constexpr Message Schema<RunMetadata>::message("RunMetadata", kRunMetadataFields);

}  // namespace wire

// TensorFlow's RunMetadata message.
inline std::string SerializeRunMetadata(const RunMetadata& metadata) {
  std::string bytes;
  wire::SerializeTo(metadata, &bytes);
  return bytes;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
