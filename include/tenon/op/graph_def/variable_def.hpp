// SPDX-License-Identifier: Apache-2.0
#pragma once
// VariableDef: names of the nodes of a TensorFlow 1 variable, as MetaGraphs have them in collections ("variables",
// "trainable_variables").

#include <cstdint>
#include <optional>
#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/op/graph_def/object_graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The place of a part of a partitioned variable.
struct SaveSliceInfoDef {
  std::string full_name;  // name of the whole in the checkpoint
  SlimVector<std::int64_t> full_shape;
  SlimVector<std::int64_t> var_offset;
  SlimVector<std::int64_t> var_shape;

  friend bool operator==(const SaveSliceInfoDef&, const SaveSliceInfoDef&) = default;
};

// A variable by the names of its nodes and tensors.
struct VariableDef {
  std::string variable_name;  // "w:0": the handle or the reference
  std::string initial_value_name;  // "w/Initializer/initial_value:0"
  std::string initializer_name;  // "w/Assign": a target that initialises it
  std::string snapshot_name;  // "w/Read/ReadVariableOp:0": its value
  std::optional<SaveSliceInfoDef> save_slice_info_def;
  bool is_resource = false;  // a handle
  bool trainable = false;
  VariableSynchronization synchronization = VariableSynchronization::kAuto;
  VariableAggregation aggregation = VariableAggregation::kNone;

  friend bool operator==(const VariableDef&, const VariableDef&) = default;
};

namespace wire {
template <>
struct Schema<SaveSliceInfoDef> {
  static const Message message;
};
template <>
struct Schema<VariableDef> {
  static const Message message;
};

inline constexpr Field kSaveSliceInfoFields[] = {
    MakeField<&SaveSliceInfoDef::full_name>(1, "full_name"),
    MakeField<&SaveSliceInfoDef::full_shape>(2, "full_shape"),
    MakeField<&SaveSliceInfoDef::var_offset>(3, "var_offset"),
    MakeField<&SaveSliceInfoDef::var_shape>(4, "var_shape"),
};
inline constexpr Message Schema<SaveSliceInfoDef>::message("SaveSliceInfoDef", kSaveSliceInfoFields);

inline constexpr Field kVariableDefFields[] = {
    MakeField<&VariableDef::variable_name>(1, "variable_name"),
    MakeField<&VariableDef::initializer_name>(2, "initializer_name"),
    MakeField<&VariableDef::snapshot_name>(3, "snapshot_name"),
    MakeField<&VariableDef::save_slice_info_def>(4, "save_slice_info_def"),
    MakeField<&VariableDef::is_resource>(5, "is_resource"),
    MakeField<&VariableDef::initial_value_name>(6, "initial_value_name"),
    MakeField<&VariableDef::trainable>(7, "trainable"),
    MakeFieldEnum<&VariableDef::synchronization>(8, "synchronization", Role::kVariableSynchronization),
    MakeFieldEnum<&VariableDef::aggregation>(9, "aggregation", Role::kVariableAggregation),
};
inline constexpr Message Schema<VariableDef>::message("VariableDef", kVariableDefFields);
}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
