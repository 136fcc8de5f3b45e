// SPDX-License-Identifier: Apache-2.0
#pragma once
// AddSaver: the nodes by which a graph saves its variables to a checkpoint and restores them, as TensorFlow's
// tf.compat.v1.train.Saver adds them.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/node_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// A variable that a saver saves.
struct SavedVariableNode {
  std::string node;  // a VarHandleOp, VariableV2 or Variable
  std::string key;  // name of its value in the checkpoint
  DataType dtype = DataType::kInvalid;
  bool is_reference = false;  // not a VarHandleOp
};

namespace detail {

// one thread.
class SaverNodes {
 public:
  SaverNodes(Span<const SavedVariableNode> variables, GraphDef* graph) : variables_(variables), graph_(*graph) {
    for (int n = 1; IsTaken(); ++n) prefix_ = StrCat("save_", n);
  }

  SaverDef Add() {
    SaverDef saver;
    AddConst("filename/input", Text("model"));
    NodeDef& file = AddNode("Const", "PlaceholderWithDefault", {Named("filename/input")});
    file.attr.Set("dtype", AttrValue(DataType::kString));
    file.attr.Set("shape", AttrValue(PartialTensorShape(std::initializer_list<Index>{})));
    AddSave();
    AddRestore();
    saver.filename_tensor_name = Named("Const:0");
    saver.save_tensor_name = Named("control_dependency:0");
    saver.restore_op_name = Named("restore_all");
    saver.max_to_keep = 5;
    saver.keep_checkpoint_every_n_hours = 10000;
    saver.version = SaverDef::Version::kV2;
    return saver;
  }

 private:
  bool IsTaken() const {
    for (const NodeDef& node : graph_.node)
      if (StartsWith(node.name, prefix_) && (node.name.size() == prefix_.size() || node.name[prefix_.size()] == '/'))
        return true;
    return false;
  }
  std::string Named(std::string_view name) const { return StrCat(prefix_, "/", name); }
  NodeDef& AddNode(std::string_view name, std::string_view op, SlimVector<std::string> inputs) {
    NodeDef& node = graph_.node.emplace_back();
    node.name = Named(name);
    node.op = std::string(op);
    node.input = std::move(inputs);
    return node;
  }
  void AddConst(std::string_view name, Tensor value) {
    NodeDef& node = AddNode(name, "Const", {});
    node.attr.Set("dtype", AttrValue(value.dtype()));
    node.attr.Set("value", AttrValue(std::move(value)));
  }
  static Tensor Text(std::string_view text) {
    Tensor tensor(DataType::kString, TensorShape());
    tensor.data<tstring>()->assign(text);
    return tensor;
  }
  // The keys, or as many empty texts.
  Tensor Texts(bool keys) const {
    Tensor tensor(DataType::kString, TensorShape({static_cast<Index>(variables_.size())}));
    for (std::size_t i = 0; keys && i < variables_.size(); ++i) tensor.data<tstring>()[i].assign(variables_[i].key);
    return tensor;
  }
  SlimVector<DataType> Types() const {
    SlimVector<DataType> types;
    for (const SavedVariableNode& variable : variables_) types.push_back(variable.dtype);
    return types;
  }

  void AddSave() {
    AddConst("SaveV2/tensor_names", Texts(true));
    AddConst("SaveV2/shape_and_slices", Texts(false));
    SlimVector<std::string> inputs{Named("Const"), Named("SaveV2/tensor_names"), Named("SaveV2/shape_and_slices")};
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const SavedVariableNode& variable = variables_[i];
      inputs.push_back(variable.is_reference ? variable.node : Named(StrCat("Read_", i)));
      if (variable.is_reference) continue;
      NodeDef& read = AddNode(StrCat("Read_", i), "ReadVariableOp", {variable.node});
      read.attr.Set("dtype", AttrValue(variable.dtype));
    }
    std::string waits = StrCat("^", Named("SaveV2"));
    if (variables_.empty())
      waits = StrCat("^", Named("Const"));  // SaveV2 wants a tensor
    else
      AddNode("SaveV2", "SaveV2", std::move(inputs)).attr.Set("dtypes", AttrValue(Types()));
    NodeDef& done = AddNode("control_dependency", "Identity", {Named("Const"), std::move(waits)});
    done.attr.Set("T", AttrValue(DataType::kString));
  }
  void AddRestore() {
    SlimVector<std::string> assigned;
    if (!variables_.empty()) {
      AddConst("RestoreV2/tensor_names", Texts(true));
      AddConst("RestoreV2/shape_and_slices", Texts(false));
      AddNode("RestoreV2", "RestoreV2",
              {Named("Const"), Named("RestoreV2/tensor_names"), Named("RestoreV2/shape_and_slices")})
          .attr.Set("dtypes", AttrValue(Types()));
    }
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const SavedVariableNode& variable = variables_[i];
      const std::string value = i == 0 ? Named("RestoreV2") : StrCat(Named("RestoreV2:"), i);
      const std::string name = StrCat("Assign_", i);
      assigned.push_back(StrCat("^", Named(name)));
      if (variable.is_reference) {
        NodeDef& assign = AddNode(name, "Assign", {variable.node, value});
        assign.attr.Set("T", AttrValue(variable.dtype));
        assign.attr.Set("use_locking", AttrValue(true));
        assign.attr.Set("validate_shape", AttrValue(true));
      } else {
        NodeDef& assign = AddNode(name, "AssignVariableOp", {variable.node, value});
        assign.attr.Set("dtype", AttrValue(variable.dtype));
      }
    }
    AddNode("restore_all", "NoOp", std::move(assigned));
  }

  Span<const SavedVariableNode> variables_;
  GraphDef& graph_;
  std::string prefix_ = "save";
};

}  // namespace detail

// Adds the nodes under "save/", or a name beside it that is free, and returns their names. The variables' nodes are in
// the graph. A run of the result's save_tensor_name, with the prefix of a checkpoint fed, writes it.
inline SaverDef AddSaver(Span<const SavedVariableNode> variables, GraphDef* graph) {
  return detail::SaverNodes(variables, graph).Add();
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
