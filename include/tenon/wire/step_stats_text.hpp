// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables of StepStats, in which TensorFlow describes a traced run, with all fields, for its text and JSON. Tenon's
// struct of this name (runtime/session/run_metadata.hpp) has only those that Tenon fills in.

#include <tenon/wire/field.hpp>
#include <tenon/wire/text_schema.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

namespace detail {

inline constexpr Field kAllocationRecordFields[] = {WireField(1, "alloc_micros", Kind::kInt64),
                                                    WireField(2, "alloc_bytes", Kind::kInt64)};
inline constexpr Message kAllocationRecord("AllocationRecord", kAllocationRecordFields);
inline constexpr Field kAllocatorMemoryUsedFields[] = {
    WireField(1, "allocator_name", Kind::kString),
    WireField(2, "total_bytes", Kind::kInt64),
    WireField(3, "peak_bytes", Kind::kInt64),
    WireField(4, "live_bytes", Kind::kInt64),
    WireField(5, "allocator_bytes_in_use", Kind::kInt64),
    WireField(6, "allocation_records", Kind::kMessage, true, &kAllocationRecord)};
inline constexpr Message kAllocatorMemoryUsed("AllocatorMemoryUsed", kAllocatorMemoryUsedFields);
inline constexpr Field kAllocationDescriptionFields[] = {
    WireField(1, "requested_bytes", Kind::kInt64),     WireField(2, "allocated_bytes", Kind::kInt64),
    WireField(3, "allocator_name", Kind::kString),     WireField(4, "allocation_id", Kind::kInt64),
    WireField(5, "has_single_reference", Kind::kBool), WireField(6, "ptr", Kind::kUint64)};
inline constexpr Message kAllocationDescription("AllocationDescription", kAllocationDescriptionFields);
inline constexpr Field kTensorDescriptionFields[] = {
    WireField(1, "dtype", Kind::kEnum), WireField(2, "shape", Kind::kMessage, false, &kShape),
    WireField(4, "allocation_description", Kind::kMessage, false, &kAllocationDescription)};
inline constexpr Message kTensorDescription("TensorDescription", kTensorDescriptionFields);
inline constexpr Field kNodeOutputFields[] = {
    WireField(1, "slot", Kind::kInt32), WireField(3, "tensor_description", Kind::kMessage, false, &kTensorDescription)};
inline constexpr Message kNodeOutput("NodeOutput", kNodeOutputFields);
inline constexpr Field kMemoryStatsFields[] = {WireField(1, "temp_memory_size", Kind::kInt64),
                                               WireField(2, "device_temp_memory_size", Kind::kInt64),
                                               WireField(3, "persistent_memory_size", Kind::kInt64),
                                               WireField(4, "device_persistent_memory_size", Kind::kInt64),
                                               WireField(5, "persistent_tensor_alloc_ids", Kind::kInt64, true),
                                               WireField(6, "device_persistent_tensor_alloc_ids", Kind::kInt64, true)};
inline constexpr Message kMemoryStats("MemoryStats", kMemoryStatsFields);
inline constexpr Field kNodeExecStatsFields[] = {
    WireField(1, "node_name", Kind::kString),
    WireField(2, "all_start_micros", Kind::kInt64),
    WireField(3, "op_start_rel_micros", Kind::kInt64),
    WireField(4, "op_end_rel_micros", Kind::kInt64),
    WireField(5, "all_end_rel_micros", Kind::kInt64),
    WireField(6, "memory", Kind::kMessage, true, &kAllocatorMemoryUsed),
    WireField(7, "output", Kind::kMessage, true, &kNodeOutput),
    WireField(8, "timeline_label", Kind::kString),
    WireField(9, "scheduled_micros", Kind::kInt64),
    WireField(10, "thread_id", Kind::kUint32),
    WireField(11, "referenced_tensor", Kind::kMessage, true, &kAllocationDescription),
    WireField(12, "memory_stats", Kind::kMessage, false, &kMemoryStats),
    WireField(13, "all_start_nanos", Kind::kInt64),
    WireField(14, "op_start_rel_nanos", Kind::kInt64),
    WireField(15, "op_end_rel_nanos", Kind::kInt64),
    WireField(16, "all_end_rel_nanos", Kind::kInt64),
    WireField(17, "scheduled_nanos", Kind::kInt64)};
inline constexpr Message kNodeExecStats("NodeExecStats", kNodeExecStatsFields);
inline constexpr Field kThreadNameFields[] = {WireField(1, "key", Kind::kUint32), WireField(2, "value", Kind::kString)};
inline constexpr Message kThreadName("DeviceStepStats.ThreadNamesEntry", kThreadNameFields);
inline constexpr Field kDeviceStepStatsFields[] = {WireField(1, "device", Kind::kString),
                                                   WireField(2, "node_stats", Kind::kMessage, true, &kNodeExecStats),
                                                   WireField(3, "thread_names", Kind::kMessage, true, &kThreadName)};
inline constexpr Message kDeviceStepStats("DeviceStepStats", kDeviceStepStatsFields);
inline constexpr Field kStepStatsFields[] = {WireField(1, "dev_stats", Kind::kMessage, true, &kDeviceStepStats)};
inline constexpr Message kStepStats("StepStats", kStepStatsFields);

}  // namespace detail

// The table of StepStats, for TextToWire, WireToText, JsonToWire and WireToJson.
inline constexpr const Message& kStepStats = detail::kStepStats;

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
