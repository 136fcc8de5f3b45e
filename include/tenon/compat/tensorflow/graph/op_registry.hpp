// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpDefBuilder, lists of ops and comparisons: descriptions of ops as messages.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/mutex.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/op_def/op_def_builder.hpp>
#include <tenon/op/op_def/op_def_compatible.hpp>
#include <tenon/op/op_def/op_list.hpp>
#include <tenon/op/op_def/to_op_def.hpp>
#include <tenon/op/op_def/validate_op_def.hpp>
#include <tenon/compat/tensorflow/kernel_params.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/op.hpp>
#include <tenon/compat/tensorflow/proto/graph.hpp>
#include <tenon/compat/tensorflow/registered_ops.hpp>
#include <tenon/compat/tensorflow/shape_inference.hpp>

namespace tensorflow {

class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string name) : builder_(name), name_(std::move(name)) {}
  OpDefBuilder& Attr(std::string spec) { return builder_.Attr(std::move(spec)), *this; }
  OpDefBuilder& Input(std::string spec) { return builder_.Input(std::move(spec)), *this; }
  OpDefBuilder& Output(std::string spec) { return builder_.Output(std::move(spec)), *this; }
  OpDefBuilder& ControlOutput(std::string name) { return builder_.ControlOutput(std::move(name)), *this; }
  OpDefBuilder& Doc(std::string text) { return builder_.Doc(std::move(text)), *this; }
  OpDefBuilder& Deprecated(int version, std::string why) { return builder_.Deprecated(version, std::move(why)), *this; }
  OpDefBuilder& SetIsCommutative() { return builder_.SetIsCommutative(), *this; }
  OpDefBuilder& SetIsAggregate() { return builder_.SetIsAggregate(), *this; }
  OpDefBuilder& SetIsStateful() { return builder_.SetIsStateful(), *this; }
  OpDefBuilder& SetAllowsUninitializedInput() { return builder_.SetAllowsUninitializedInput(), *this; }
  OpDefBuilder& SetIsDistributedCommunication() { return builder_.SetIsDistributedCommunication(), *this; }
  OpDefBuilder& SetShapeFn(OpShapeInferenceFn fn) {
    if (shape_fn_ != nullptr) builder_.AddError(strings::StrCat("SetShapeFn called twice for Op ", name_));
    return shape_fn_ = std::move(fn), *this;
  }
  Status Finalize(OpDef* op) const {
    OpRegistrationData data;
    TF_RETURN_IF_ERROR(Finalize(&data));
    return *op = data.op_def, Status();
  }
  Status Finalize(OpRegistrationData* data) const {
    tenon::OpDef def;
    TF_RETURN_IF_ERROR(builder_.Read(&def));
    data->op_def = FromTenon(def);
    data->shape_inference_fn = shape_fn_;
    return Status();
  }

 private:
  tenon::OpDefBuilder builder_;
  std::string name_;
  OpShapeInferenceFn shape_fn_;
};

class OpListOpRegistry : public OpRegistryInterface {
 public:
  explicit OpListOpRegistry(const OpList* ops) {
    for (const OpDef& op : ops->op()) known_[op.name()] = std::make_unique<OpRegistrationData>(op);
  }
  Status LookUp(const std::string& name, const OpRegistrationData** data) const override {
    const auto found = known_.find(name);
    *data = found == known_.end() ? nullptr : found->second.get();
    return *data != nullptr ? Status() : errors::NotFound("Op type not registered '", name, "'");
  }

 private:
  std::map<std::string, std::unique_ptr<OpRegistrationData>> known_;
};

// A node with its op and types.
struct NodeProperties {
  NodeProperties(const OpDef* op, NodeDef node, DataTypeSlice inputs, DataTypeSlice outputs)
      : NodeProperties(op, std::move(node), DataTypeVector(inputs.begin(), inputs.end()),
                       DataTypeVector(outputs.begin(), outputs.end())) {}
  NodeProperties(const OpDef* op, NodeDef node, DataTypeVector inputs, DataTypeVector outputs)
      : op_def(op),
        node_def(std::move(node)),
        input_types(std::move(inputs)),
        input_types_slice(input_types),
        output_types(std::move(outputs)),
        output_types_slice(output_types) {}
  NodeProperties(const NodeProperties& other)
      : NodeProperties(other.op_def, other.node_def, other.input_types, other.output_types) {}
  // Errors: no such op; wrong attrs.
  static Status CreateFromNodeDef(NodeDef node, const OpRegistryInterface* ops,
                                  std::shared_ptr<const NodeProperties>* out) {
    const OpDef* op = nullptr;
    DataTypeVector inputs, outputs;
    TF_RETURN_IF_ERROR(ops->LookUpOpDef(node.op(), &op));
    TF_RETURN_IF_ERROR(InOutTypesForNode(node, *op, &inputs, &outputs));
    *out = std::make_shared<NodeProperties>(op, std::move(node), std::move(inputs), std::move(outputs));
    return Status();
  }
  const OpDef* op_def;
  NodeDef node_def;
  const DataTypeVector input_types;
  const DataTypeSlice input_types_slice;
  const DataTypeVector output_types;
  const DataTypeSlice output_types_slice;
};

// -------------------------------------------------------------------------------------------- descriptions compared
inline Status ValidateOpDef(const OpDef& op) { return tenon::ValidateOpDef(ToTenon(op)); }
inline Status OpDefCompatible(const OpDef& old_op, const OpDef& new_op) {
  return tenon::OpDefCompatible(ToTenon(old_op), ToTenon(new_op));
}
inline Status OpDefAddedDefaultsUnchanged(const OpDef& old_op, const OpDef& penultimate, const OpDef& new_op) {
  return tenon::OpDefAddedDefaultsUnchanged(ToTenon(old_op), ToTenon(penultimate), ToTenon(new_op));
}
inline Status OpDefAttrDefaultsUnchanged(const OpDef& old_op, const OpDef& new_op) {
  return tenon::OpDefAttrDefaultsUnchanged(ToTenon(old_op), ToTenon(new_op));
}
inline bool OpDefEqual(const OpDef& a, const OpDef& b) { return tenon::OpDefEqual(ToTenon(a), ToTenon(b)); }
inline uint64_t OpDefHash(const OpDef& op) { return tenon::OpDefHash(ToTenon(op)); }
inline std::string SummarizeOpDef(const OpDef& op) { return tenon::SummarizeOpDef(ToTenon(op)); }
inline Status ValidateAttrValue(const AttrValue& value, const OpDef_AttrDef& attr) {
  OpDef op;
  *op.add_attr() = attr;
  return tenon::ValidateAttrValue(ToTenon(value), ToTenon(op).attr[0]);
}
inline const OpDef_AttrDef* FindAttr(StringPiece name, const OpDef& op) {
  for (const OpDef_AttrDef& attr : op.attr())
    if (attr.name() == name) return &attr;
  return nullptr;
}
inline OpDef_AttrDef* FindAttrMutable(StringPiece name, OpDef* op) {
  return const_cast<OpDef_AttrDef*>(FindAttr(name, *op));
}
inline const OpDef_ArgDef* FindInputArg(StringPiece name, const OpDef& op) {
  for (const OpDef_ArgDef& arg : op.input_arg())
    if (arg.name() == name) return &arg;
  return nullptr;
}
inline bool HasAttrStyleType(const OpDef_ArgDef& arg) {
  return arg.type() != DT_INVALID || !arg.type_attr().empty() || !arg.type_list_attr().empty();
}
inline void RemoveDescriptionsFromOpDef(OpDef* op) {
  for (OpDef_ArgDef& arg : *op->mutable_input_arg()) arg.clear_description();
  for (OpDef_ArgDef& arg : *op->mutable_output_arg()) arg.clear_description();
  for (OpDef_AttrDef& attr : *op->mutable_attr()) attr.clear_description();
  op->clear_summary();
  op->clear_description();
}
inline void RemoveDescriptionsFromOpList(OpList* ops) {
  for (OpDef& op : *ops->mutable_op()) RemoveDescriptionsFromOpDef(&op);
}
inline void RemoveNonDeprecationDescriptionsFromOpDef(OpDef* op) { RemoveDescriptionsFromOpDef(op); }
inline Status CheckOpDeprecation(const OpDef& op, int producer) {
  if (!op.has_deprecation() || producer < op.deprecation().version()) return Status();
  return errors::Unimplemented("Op ", op.name(), " is not available in GraphDef version ", producer,
                               ". It has been removed in version ", op.deprecation().version(), ". ",
                               op.deprecation().explanation(), ".");
}

// -------------------------------------------------------------------------------------------------- graphs and their
// ops Removes attrs that the consumer's ops do not have where they hold the producer's default. *removed gets pairs of
// op and attr. InvalidArgument: the producer's op does not have an attr of its node.
inline Status RemoveNewDefaultAttrsFromGraphDef(GraphDef* graph, const OpRegistryInterface& consumer,
                                                const OpRegistryInterface& producer,
                                                std::set<std::pair<std::string, std::string>>* removed) {
  const auto mend = [&](NodeDef* node) -> Status {
    const OpDef *wanted = nullptr, *had = nullptr;
    if (!consumer.LookUpOpDef(node->op(), &wanted).ok()) return Status();
    TF_RETURN_IF_ERROR(producer.LookUpOpDef(node->op(), &had));
    std::vector<std::string> drop;
    for (const auto& [name, value] : node->attr()) {
      if (name.starts_with('_') || FindAttr(name, *wanted) != nullptr) continue;
      const OpDef_AttrDef* const attr = FindAttr(name, *had);
      if (attr == nullptr)
        return errors::InvalidArgument("Attr '", name, "' missing in producer's OpDef: ", SummarizeOpDef(*had),
                                       " but found in node: ", FormatNodeForError(*node));
      if (attr->has_default_value() && AreAttrValuesEqual(value, attr->default_value())) drop.push_back(name);
    }
    for (const std::string& name : drop) {
      node->mutable_attr()->erase(name);
      if (removed != nullptr) removed->insert({node->op(), name});
    }
    return Status();
  };
  for (NodeDef& node : *graph->mutable_node()) TF_RETURN_IF_ERROR(mend(&node));
  for (FunctionDef& function : *graph->mutable_library()->mutable_function())
    for (NodeDef& node : *function.mutable_node_def()) TF_RETURN_IF_ERROR(mend(&node));
  return Status();
}
// Removes attrs that hold the default of their op. Nodes of ops that the registry does not have stay.
inline void StripDefaultAttributes(const OpRegistryInterface& registry, protobuf::RepeatedPtrField<NodeDef>* nodes) {
  for (NodeDef& node : *nodes) {
    const OpDef* op = nullptr;
    if (!registry.LookUpOpDef(node.op(), &op).ok()) continue;
    for (const OpDef_AttrDef& attr : op->attr()) {
      const AttrValue* const value = AttrSlice(node).Find(attr.name());
      if (attr.has_default_value() && value != nullptr && AreAttrValuesEqual(*value, attr.default_value()))
        node.mutable_attr()->erase(attr.name());
    }
  }
}
inline void OpsUsedByGraph(const GraphDef& graph, std::set<std::string>* ops) {
  ops->clear();
  for (const std::string& op : tenon::OpsUsedByGraph(StructOf<tenon::GraphDef>(graph))) ops->insert(op);
}
// The ops of a graph, sorted, without descriptions. NotFound: an op that the registry does not have.
inline Status StrippedOpListForGraph(const GraphDef& graph, const OpRegistryInterface& registry, OpList* list) {
  std::set<std::string> used;
  OpsUsedByGraph(graph, &used);
  list->clear_op();
  for (const std::string& name : used) {
    const OpDef* op = nullptr;
    TF_RETURN_IF_ERROR(registry.LookUpOpDef(name, &op));
    *list->add_op() = *op;
    RemoveDescriptionsFromOpDef(list->mutable_op(list->op_size() - 1));
  }
  return Status();
}

// By the kernel's HostMemory and the node's _input_hostmem and _output_hostmem; by the types alone where the node has
// no kernel.
inline Status MemoryTypesForNode(const OpRegistryInterface* ops, const DeviceType& device, const NodeDef& node,
                                 MemoryTypeVector* inputs, MemoryTypeVector* outputs) {
  const OpDef* op = nullptr;
  TF_RETURN_IF_ERROR(ops->LookUpOpDef(node.op(), &op));
  DataTypeVector in, out;
  NameRangeMap in_names, out_names;
  TF_RETURN_IF_ERROR(InOutTypesForNode(node, *op, &in, &out));
  TF_RETURN_IF_ERROR(NameRangesForNode(node, *op, &in_names, &out_names));
  const auto row = tenon::Registry::Global().FindForNode(ToTenon(node), device.type_string());
  const auto place = [&](const DataTypeVector& types, const NameRangeMap& names, const char* attr,
                         MemoryTypeVector* memory) {
    memory->clear();
    for (const DataType type : types)
      memory->push_back(!row.ok() ? MTypeFromDType(type) : DataTypeAlwaysOnHost(type) ? HOST_MEMORY : DEVICE_MEMORY);
    std::vector<int32_t> on_host;
    if (TryGetNodeAttr(node, attr, &on_host))
      for (const int32_t i : on_host)
        if (i >= 0 && static_cast<std::size_t>(i) < memory->size())
          (*memory)[static_cast<std::size_t>(i)] = HOST_MEMORY;
    if (!row.ok() || row->row->op->match == nullptr) return;
    for (const std::string_view name : row->row->op->match->all_host_arguments())
      if (const auto found = names.find(std::string(name)); found != names.end())
        for (int i = found->second.first; i < found->second.second; ++i)
          (*memory)[static_cast<std::size_t>(i)] = HOST_MEMORY;
  };
  place(in, in_names, "_input_hostmem", inputs);
  place(out, out_names, "_output_hostmem", outputs);
  return Status();
}

}  // namespace tensorflow

// Devices of inputs: a note for placers, which Tenon's does not need.
#define REGISTER_INPUT_COLOCATION_EXEMPTION(op) static_assert(true, "")
