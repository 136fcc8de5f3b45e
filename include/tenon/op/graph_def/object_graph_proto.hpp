// SPDX-License-Identifier: Apache-2.0
#pragma once
// TrackableObjectGraph and SavedObjectGraph from and to TensorFlow's serialised messages.

#include <cstddef>
#include <string>
#include <utility>

#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/attr/attr_types.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/op/graph_def/object_graph.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/graph_def/struct_text.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {
inline void SortSavedObject(void* object) { SortByKey(&static_cast<SavedObject*>(object)->saveable_objects); }
inline void SortSavedObjectGraph(void* object) {
  SortByKey(&static_cast<SavedObjectGraph*>(object)->concrete_functions);
}
inline void ClearKind(SavedObject& object) {
  object.user_object.reset();
  object.asset.reset();
  object.function.reset();
  object.variable.reset();
  object.bare_concrete_function.reset();
  object.constant.reset();
  object.resource.reset();
  object.captured_tensor.reset();
}
}  // namespace detail

namespace wire {

#define TENON_DETAIL_SCHEMA(...)  \
  template <>                     \
  struct Schema<__VA_ARGS__> {    \
    static const Message message; \
  }
TENON_DETAIL_SCHEMA(AnyMessage);
TENON_DETAIL_SCHEMA(TrackableObjectGraph);
TENON_DETAIL_SCHEMA(TrackableObjectGraph::ObjectReference);
TENON_DETAIL_SCHEMA(TrackableObjectGraph::SerializedTensor);
TENON_DETAIL_SCHEMA(TrackableObjectGraph::SlotVariableReference);
TENON_DETAIL_SCHEMA(TrackableObjectGraph::RegisteredSaver);
TENON_DETAIL_SCHEMA(BoolValue);
TENON_DETAIL_SCHEMA(TrackableObjectGraph::TrackableObject);
TENON_DETAIL_SCHEMA(SavedUserObject);
TENON_DETAIL_SCHEMA(SavedAsset);
TENON_DETAIL_SCHEMA(SavedFunction);
TENON_DETAIL_SCHEMA(SavedVariable);
TENON_DETAIL_SCHEMA(SavedBareConcreteFunction);
TENON_DETAIL_SCHEMA(SavedConstant);
TENON_DETAIL_SCHEMA(SavedResource);
TENON_DETAIL_SCHEMA(CapturedTensor);
TENON_DETAIL_SCHEMA(SaveableObject);
TENON_DETAIL_SCHEMA(std::pair<std::string, SaveableObject>);
TENON_DETAIL_SCHEMA(SavedConcreteFunction);
TENON_DETAIL_SCHEMA(std::pair<std::string, SavedConcreteFunction>);
TENON_DETAIL_SCHEMA(SavedObject);
TENON_DETAIL_SCHEMA(SavedObjectGraph);
#undef TENON_DETAIL_SCHEMA
inline constexpr Field kAnyMessageFields[] = {MakeField<&AnyMessage::type_url>(1, "type_url"),
                                              OfBytes(MakeField<&AnyMessage::value>(2, "value"))};
inline constexpr Message Schema<AnyMessage>::message("google.protobuf.Any", kAnyMessageFields);

inline constexpr Field kObjectReferenceFields[] = {
    MakeField<&TrackableObjectGraph::ObjectReference::node_id>(1, "node_id"),
    MakeField<&TrackableObjectGraph::ObjectReference::local_name>(2, "local_name"),
};
inline constexpr Message Schema<TrackableObjectGraph::ObjectReference>::message(
    "TrackableObjectGraph.TrackableObject.ObjectReference", kObjectReferenceFields);
inline constexpr Field kSerializedTensorFields[] = {
    MakeField<&TrackableObjectGraph::SerializedTensor::name>(1, "name"),
    MakeField<&TrackableObjectGraph::SerializedTensor::full_name>(2, "full_name"),
    MakeField<&TrackableObjectGraph::SerializedTensor::checkpoint_key>(3, "checkpoint_key"),
};
inline constexpr Message Schema<TrackableObjectGraph::SerializedTensor>::message(
    "TrackableObjectGraph.TrackableObject.SerializedTensor", kSerializedTensorFields);
inline constexpr Field kSlotVariableFields[] = {
    MakeField<&TrackableObjectGraph::SlotVariableReference::original_variable_node_id>(1, "original_variable_node_id"),
    MakeField<&TrackableObjectGraph::SlotVariableReference::slot_name>(2, "slot_name"),
    MakeField<&TrackableObjectGraph::SlotVariableReference::slot_variable_node_id>(3, "slot_variable_node_id"),
};
inline constexpr Message Schema<TrackableObjectGraph::SlotVariableReference>::message(
    "TrackableObjectGraph.TrackableObject.SlotVariableReference", kSlotVariableFields);
inline constexpr Field kRegisteredSaverFields[] = {
    MakeField<&TrackableObjectGraph::RegisteredSaver::name>(1, "name"),
    MakeField<&TrackableObjectGraph::RegisteredSaver::object_name>(2, "object_name"),
};
inline constexpr Message Schema<TrackableObjectGraph::RegisteredSaver>::message("RegisteredSaver",
                                                                                kRegisteredSaverFields);
inline constexpr Field kBoolValueFields[] = {MakeField<&BoolValue::value>(1, "value")};
inline constexpr Message Schema<BoolValue>::message("google.protobuf.BoolValue", kBoolValueFields);
inline constexpr Field kTrackableObjectFields[] = {
    MakeField<&TrackableObjectGraph::TrackableObject::children>(1, "children"),
    MakeField<&TrackableObjectGraph::TrackableObject::attributes>(2, "attributes"),
    MakeField<&TrackableObjectGraph::TrackableObject::slot_variables>(3, "slot_variables"),
    MakeField<&TrackableObjectGraph::TrackableObject::registered_saver>(4, "registered_saver"),
    MakeField<&TrackableObjectGraph::TrackableObject::has_checkpoint_values>(5, "has_checkpoint_values"),
};
inline constexpr Message Schema<TrackableObjectGraph::TrackableObject>::message("TrackableObjectGraph.TrackableObject",
                                                                                kTrackableObjectFields);
inline constexpr Field kTrackableObjectGraphFields[] = {MakeField<&TrackableObjectGraph::nodes>(1, "nodes")};
inline constexpr Message Schema<TrackableObjectGraph>::message("TrackableObjectGraph", kTrackableObjectGraphFields);

inline constexpr Field kSavedUserObjectFields[] = {
    MakeField<&SavedUserObject::identifier>(1, "identifier"),
    MakeField<&SavedUserObject::version>(2, "version"),
    MakeField<&SavedUserObject::metadata>(3, "metadata"),
};
inline constexpr Message Schema<SavedUserObject>::message("SavedUserObject", kSavedUserObjectFields);
inline constexpr Field kSavedAssetFields[] = {MakeField<&SavedAsset::asset_file_def_index>(1, "asset_file_def_index")};
inline constexpr Message Schema<SavedAsset>::message("SavedAsset", kSavedAssetFields);
inline constexpr Field kSavedFunctionFields[] = {
    MakeField<&SavedFunction::concrete_functions>(1, "concrete_functions"),
    MakeFieldKept<&SavedFunction::function_spec>(2, "function_spec", &kFunctionSpec),
};
inline constexpr Message Schema<SavedFunction>::message("SavedFunction", kSavedFunctionFields);
inline constexpr Field kSavedVariableFields[] = {
    MakeField<&SavedVariable::dtype>(1, "dtype"),
    MakeField<&SavedVariable::shape>(2, "shape"),
    MakeField<&SavedVariable::trainable>(3, "trainable"),
    MakeFieldEnum<&SavedVariable::synchronization>(4, "synchronization", Role::kVariableSynchronization),
    MakeFieldEnum<&SavedVariable::aggregation>(5, "aggregation", Role::kVariableAggregation),
    MakeField<&SavedVariable::name>(6, "name"),
    MakeField<&SavedVariable::device>(7, "device"),
    MakeField<&SavedVariable::experimental_distributed_variable_components>(
        8, "experimental_distributed_variable_components"),
};
inline constexpr Message Schema<SavedVariable>::message("SavedVariable", kSavedVariableFields);
inline constexpr Field kSavedBareConcreteFunctionFields[] = {
    MakeField<&SavedBareConcreteFunction::concrete_function_name>(1, "concrete_function_name"),
    MakeField<&SavedBareConcreteFunction::argument_keywords>(2, "argument_keywords"),
    MakeField<&SavedBareConcreteFunction::allowed_positional_arguments>(3, "allowed_positional_arguments"),
    MakeFieldKept<&SavedBareConcreteFunction::function_spec>(4, "function_spec", &kFunctionSpec),
};
inline constexpr Message Schema<SavedBareConcreteFunction>::message("SavedBareConcreteFunction",
                                                                    kSavedBareConcreteFunctionFields);
inline constexpr Field kSavedConstantFields[] = {MakeField<&SavedConstant::operation>(1, "operation")};
inline constexpr Message Schema<SavedConstant>::message("SavedConstant", kSavedConstantFields);
inline constexpr Field kSavedResourceFields[] = {MakeField<&SavedResource::device>(1, "device")};
inline constexpr Message Schema<SavedResource>::message("SavedResource", kSavedResourceFields);
inline constexpr Field kCapturedTensorFields[] = {
    MakeField<&CapturedTensor::name>(1, "name"),
    MakeField<&CapturedTensor::concrete_function>(2, "concrete_function"),
};
inline constexpr Message Schema<CapturedTensor>::message("CapturedTensor", kCapturedTensorFields);
inline constexpr Field kSaveableObjectFields[] = {
    MakeField<&SaveableObject::save_function>(2, "save_function"),
    MakeField<&SaveableObject::restore_function>(3, "restore_function"),
};
inline constexpr Message Schema<SaveableObject>::message("SaveableObject", kSaveableObjectFields);
inline constexpr Field kSaveableEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, SaveableObject>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, SaveableObject>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, SaveableObject>>::message("SavedObject.SaveableObjectsEntry",
                                                                                 kSaveableEntryFields);
inline constexpr Field kSavedConcreteFunctionFields[] = {
    MakeField<&SavedConcreteFunction::bound_inputs>(2, "bound_inputs"),
    MakeFieldKept<&SavedConcreteFunction::canonicalized_input_signature>(3, "canonicalized_input_signature",
                                                                         &StructuredValueTable::message),
    MakeFieldKept<&SavedConcreteFunction::output_signature>(4, "output_signature", &StructuredValueTable::message),
};
inline constexpr Message Schema<SavedConcreteFunction>::message("SavedConcreteFunction", kSavedConcreteFunctionFields);
inline constexpr Field kConcreteFunctionEntryFields[] = {
    MakeFieldAlways<&std::pair<std::string, SavedConcreteFunction>::first>(1, "key"),
    MakeFieldAlways<&std::pair<std::string, SavedConcreteFunction>::second>(2, "value"),
};
inline constexpr Message Schema<std::pair<std::string, SavedConcreteFunction>>::message(
    "SavedObjectGraph.ConcreteFunctionsEntry", kConcreteFunctionEntryFields);

inline constexpr Field kSavedObjectFields[] = {
    MakeField<&SavedObject::children>(1, "children"),
    MakeField<&SavedObject::slot_variables>(3, "slot_variables"),
    MakeFieldInOneof<&SavedObject::user_object, &tenon::detail::ClearKind>(4, "user_object"),
    MakeFieldInOneof<&SavedObject::asset, &tenon::detail::ClearKind>(5, "asset"),
    MakeFieldInOneof<&SavedObject::function, &tenon::detail::ClearKind>(6, "function"),
    MakeFieldInOneof<&SavedObject::variable, &tenon::detail::ClearKind>(7, "variable"),
    MakeFieldInOneof<&SavedObject::bare_concrete_function, &tenon::detail::ClearKind>(8, "bare_concrete_function"),
    MakeFieldInOneof<&SavedObject::constant, &tenon::detail::ClearKind>(9, "constant"),
    MakeFieldInOneof<&SavedObject::resource, &tenon::detail::ClearKind>(10, "resource"),
    MakeField<&SavedObject::saveable_objects>(11, "saveable_objects"),
    MakeFieldInOneof<&SavedObject::captured_tensor, &tenon::detail::ClearKind>(12, "captured_tensor"),
    MakeField<&SavedObject::registered_name>(13, "registered_name"),
    MakeField<&SavedObject::serialized_user_proto>(14, "serialized_user_proto"),
    MakeField<&SavedObject::dependencies>(15, "dependencies"),
    MakeField<&SavedObject::registered_saver>(16, "registered_saver"),
};
inline constexpr Message Schema<SavedObject>::message("SavedObject", kSavedObjectFields,
                                                      &tenon::detail::SortSavedObject);
inline constexpr Field kSavedObjectGraphFields[] = {
    MakeField<&SavedObjectGraph::nodes>(1, "nodes"),
    MakeField<&SavedObjectGraph::concrete_functions>(2, "concrete_functions"),
};
inline constexpr Message Schema<SavedObjectGraph>::message("SavedObjectGraph", kSavedObjectGraphFields,
                                                           &tenon::detail::SortSavedObjectGraph);

}  // namespace wire

// Reads a checkpoint's object graph. DataLoss, with the byte's offset: the bytes are not such a message.
inline Result<TrackableObjectGraph> ParseTrackableObjectGraph(Span<const std::byte> bytes) {
  return detail::ParseProto<TrackableObjectGraph>(bytes);
}
// Reads a SavedModel's object graph. DataLoss, with the byte's offset: the bytes are not such a message.
inline Result<SavedObjectGraph> ParseSavedObjectGraph(Span<const std::byte> bytes) {
  return detail::ParseProto<SavedObjectGraph>(bytes);
}
// Serialised forms are canonical, as SerializeGraphDef's are.
inline std::string SerializeTrackableObjectGraph(const TrackableObjectGraph& graph) {
  return detail::SerializeProto(graph);
}
inline std::string SerializeSavedObjectGraph(const SavedObjectGraph& graph) { return detail::SerializeProto(graph); }

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
