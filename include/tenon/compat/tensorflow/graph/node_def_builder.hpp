// SPDX-License-Identifier: Apache-2.0
#pragma once
// NodeDefBuilder: a node from its op, inputs and attrs; FakeInput, which makes up inputs for tests.

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/graph/op_registry.hpp>

namespace tensorflow {

class NodeDefBuilder;
typedef std::function<Status(const OpDef&, int, const NodeDef&, NodeDefBuilder*)> FakeInputFunctor;

// Collects mistakes; Finalize returns them as one InvalidArgument. one thread.
class NodeDefBuilder {
 public:
  struct NodeOut {
    NodeOut() = default;
    NodeOut(StringPiece n, int i, DataType dt) : node(n), index(i), data_type(dt) {}
    void Reset(StringPiece n, int i, DataType dt) { *this = NodeOut(n, i, dt); }
    std::string node;
    int index = 0;
    DataType data_type = DT_INVALID;
  };

  NodeDefBuilder(StringPiece name, StringPiece op, const OpRegistryInterface* registry = OpRegistry::Global(),
                 const void* = nullptr) {
    node_.set_name(name);
    const Status found = registry->LookUpOpDef(std::string(op), &op_);
    if (found.ok()) {
      node_.set_op(op);
    } else {
      op_ = nullptr;
      errors_.push_back(std::string(found.message()));
    }
  }
  NodeDefBuilder(StringPiece name, StringPiece op, const NodeDef&) : NodeDefBuilder(name, op) {}
  NodeDefBuilder(StringPiece name, const OpDef* op) : op_(op) {
    node_.set_name(name);
    node_.set_op(op->name());
  }

  NodeDefBuilder& Input(StringPiece node, int index, DataType type) {
    const OpDef_ArgDef* const arg = NextArg();
    if (arg == nullptr) return *this;
    if (!arg->number_attr().empty() || !arg->type_list_attr().empty())
      return Error("Single tensor passed to '", arg->name(), "', expected list");
    AddInput(node, index);
    CheckReference(*arg, type);
    return TakeType(*arg, type);
  }
  NodeDefBuilder& Input(const NodeOut& source) { return Input(source.node, source.index, source.data_type); }
  NodeDefBuilder& Input(gtl::ArraySlice<NodeOut> sources) {
    const OpDef_ArgDef* const arg = NextArg();
    if (arg == nullptr) return *this;
    for (const NodeOut& source : sources) {
      AddInput(source.node, source.index);
      CheckReference(*arg, source.data_type);
    }
    if (!arg->number_attr().empty()) {
      Attr(arg->number_attr(), static_cast<int64_t>(sources.size()));
      if (sources.empty()) return *this;
      const DataType base = BaseType(sources[0].data_type);
      if (arg->type() != DT_INVALID) {
        for (const NodeOut& source : sources) CheckType(*arg, source.data_type, arg->type());
        return *this;
      }
      for (const NodeOut& source : sources)
        if (BaseType(source.data_type) != base) CheckType(*arg, BaseType(source.data_type), base);
      return Attr(arg->type_attr(), base);
    }
    if (!arg->type_list_attr().empty()) {
      std::vector<DataType> types;
      for (const NodeOut& source : sources) types.push_back(BaseType(source.data_type));
      return Attr(arg->type_list_attr(), types);
    }
    return Error("List provided to input '", arg->name(), "' when single Tensor expected");
  }
  NodeDefBuilder& Input(std::initializer_list<NodeOut> sources) { return Input(gtl::ArraySlice<NodeOut>(sources)); }
  NodeDefBuilder& Input(FakeInputFunctor fake) {
    if (op_ == nullptr || inputs_ >= op_->input_arg_size()) {
      NextArg();
      return *this;
    }
    const Status status = fake(*op_, inputs_, node_, this);
    if (!status.ok()) errors_.push_back(std::string(status.message()));
    return *this;
  }
  NodeDefBuilder& ControlInput(StringPiece node) {
    control_inputs_.push_back(strings::StrCat("^", node));
    return *this;
  }
  NodeDefBuilder& Device(StringPiece device) {
    node_.set_device(device);
    return *this;
  }
  NodeDefBuilder& Attr(StringPiece name, const AttrValue& value) {
    const AttrValue* const found = AttrSlice(node_).Find(name);
    if (found != nullptr && !AreAttrValuesEqual(*found, value))
      return Error("Inconsistent values for attr '", name, "' ", SummarizeAttrValue(*found), " vs. ",
                   SummarizeAttrValue(value));
    AddNodeAttr(name, value, &node_);
    return *this;
  }
  template <class T>
  NodeDefBuilder& Attr(StringPiece name, const T& value) {
    AttrValue made;
    SetAttrValue(value, &made);
    return Attr(name, made);
  }
  template <class T>
  NodeDefBuilder& Attr(StringPiece name, std::initializer_list<T> value) {
    AttrValue made;
    SetAttrValue(value, &made);
    return Attr(name, made);
  }
  Status Finalize(NodeDef* node, bool = false) {
    std::vector<std::string> mistakes = errors_;
    if (op_ != nullptr && inputs_ < op_->input_arg_size())
      mistakes.push_back(strings::StrCat(inputs_, " inputs specified of ", op_->input_arg_size(), " inputs in Op"));
    if (!mistakes.empty()) {
      const std::string where = op_ == nullptr
                                    ? strings::StrCat("NodeDef '", node_.name(), "'")
                                    : strings::StrCat("NodeDef '", node_.name(), "' using ", SummarizeOpDef(*op_));
      if (mistakes.size() == 1) return errors::InvalidArgument(mistakes[0], " while building ", where);
      return errors::InvalidArgument(mistakes.size(), " errors while building ", where, ":\n",
                                     str_util::Join(mistakes, "\n"));
    }
    if (node == nullptr) return Status();
    *node = node_;
    for (const std::string& input : control_inputs_) node->add_input(input);
    AddDefaultsToNodeDef(*op_, node);
    return Status();
  }
  const std::string& node_name() const { return node_.name(); }
  const OpDef& op_def() const { return *op_; }

 private:
  template <class... T>
  NodeDefBuilder& Error(const T&... pieces) {
    errors_.push_back(strings::StrCat(pieces...));
    return *this;
  }
  const OpDef_ArgDef* NextArg() {
    if (op_ == nullptr) return nullptr;
    if (inputs_ < op_->input_arg_size()) return &op_->input_arg(inputs_++);
    Error("More Input() calls than the ", op_->input_arg_size(), " input_args");
    return nullptr;
  }
  void AddInput(StringPiece node, int index) {
    if (node.empty())
      Error("Empty input node name");
    else if (node[0] == '^')
      Error("Non-control input starting with ^: ", node);
    else
      node_.add_input(index > 0 ? strings::StrCat(node, ":", index) : std::string(node));
  }
  void CheckType(const OpDef_ArgDef& arg, DataType type, DataType expected) {
    if (!TypesCompatible(expected, type))
      Error("Input '", arg.name(), "' passed ", DataTypeString(type), " expected ", DataTypeString(expected));
  }
  void CheckReference(const OpDef_ArgDef& arg, DataType type) {
    if (arg.is_ref() && arg.type() == DT_INVALID && !IsRefType(type))
      Error("Input '", arg.name(), "' passed ", DataTypeString(type), " expected ref type");
  }
  NodeDefBuilder& TakeType(const OpDef_ArgDef& arg, DataType type) {
    if (arg.type() == DT_INVALID) return Attr(arg.type_attr(), BaseType(type));
    CheckType(arg, type, arg.is_ref() ? MakeRefType(arg.type()) : arg.type());
    return *this;
  }

  const OpDef* op_ = nullptr;
  NodeDef node_;
  int inputs_ = 0;
  std::vector<std::string> control_inputs_, errors_;
};

// ------------------------------------------------------------------------------------------------------- made-up input
namespace fake_input {
// The numbers and types of a FakeInput.
struct Wish {
  int count = -1;  // -1: as many as an attr of the node says
  const std::vector<DataType>* types;  // null: as an attr of the node says
  bool is_list = false;  // the types are those of a list
};

// Inputs of an argument by the wish and by attrs of the node.
inline Status Add(const OpDef& op, int i, const NodeDef& node, NodeDefBuilder* builder, const Wish& wish) {
  using NodeOut = NodeDefBuilder::NodeOut;
  const OpDef_ArgDef& arg = op.input_arg(i);
  const std::string from(1, static_cast<char>('a' + i));
  const AttrSlice attrs(node);
  const auto value_of = [&](const std::string& attr) -> const AttrValue* {
    const AttrValue* const found = attrs.Find(attr);
    if (found != nullptr) return found;
    const OpDef_AttrDef* const def = FindAttr(attr, op);
    return def != nullptr && def->has_default_value() ? &def->default_value() : nullptr;
  };
  const auto source = [&](std::size_t k, DataType type) {  // inputs that the wish does not name fit
    const bool becomes_ref = arg.is_ref() && wish.types == nullptr;
    return NodeOut(from, static_cast<int>(k), becomes_ref ? MakeRefType(BaseType(type)) : type);
  };
  std::vector<DataType> types;
  if (!arg.type_list_attr().empty()) {
    if (wish.types != nullptr && !wish.is_list && wish.count < 0)
      return builder->Input(source(0, (*wish.types)[0])), Status();  // the builder says that it wants a list
    if (wish.types != nullptr) {
      types = *wish.types;
    } else if (wish.count != 0) {
      const AttrValue* const list = value_of(arg.type_list_attr());
      if (list == nullptr)
        return errors::InvalidArgument("Could not infer list of types for input '", arg.name(), "': No attr named '",
                                       arg.type_list_attr(), "' in NodeDef:");
      types.assign(list->list().type().begin(), list->list().type().end());
    }
  } else {
    int64_t count = wish.count >= 0 ? wish.count : wish.is_list ? static_cast<int64_t>(wish.types->size()) : 1;
    if (wish.count < 0 && !wish.is_list && !arg.number_attr().empty()) {
      const AttrValue* const value = value_of(arg.number_attr());
      if (value == nullptr)
        return errors::InvalidArgument("Could not infer length of input '", arg.name(), "': No attr named '",
                                       arg.number_attr(), "' in NodeDef:");
      count = value->i();
    }
    DataType type = arg.type();
    if (wish.types != nullptr && !wish.types->empty()) {
      type = (*wish.types)[0];
    } else if (type == DT_INVALID && count > 0) {
      const AttrValue* const value = value_of(arg.type_attr());
      if (value == nullptr)
        return errors::InvalidArgument("Could not infer type for input '", arg.name(), "': No attr named '",
                                       arg.type_attr(), "' in NodeDef:");
      type = value->type();
    }
    types.assign(static_cast<std::size_t>(count), type);
    if (wish.is_list) types = *wish.types;
  }
  if (arg.number_attr().empty() && arg.type_list_attr().empty() && types.size() == 1)
    return builder->Input(source(0, types[0])), Status();
  std::vector<NodeOut> sources;
  for (const DataType type : types) sources.push_back(source(sources.size(), type));
  builder->Input(gtl::ArraySlice<NodeOut>(sources));
  return Status();
}
}  // namespace fake_input
inline FakeInputFunctor FakeInput() {
  return [](const OpDef& op, int i, const NodeDef& node, NodeDefBuilder* builder) {
    return fake_input::Add(op, i, node, builder, {-1, nullptr});
  };
}
inline FakeInputFunctor FakeInput(DataType type) {
  return [held = std::vector<DataType>{type}](const OpDef& op, int i, const NodeDef& node, NodeDefBuilder* builder) {
    return fake_input::Add(op, i, node, builder, {-1, &held});
  };
}
inline FakeInputFunctor FakeInput(int n) {
  return [n](const OpDef& op, int i, const NodeDef& node, NodeDefBuilder* builder) {
    return fake_input::Add(op, i, node, builder, {n, nullptr});
  };
}
inline FakeInputFunctor FakeInput(int n, DataType type) {
  return [n, held = std::vector<DataType>(static_cast<std::size_t>(n), type)](
             const OpDef& op, int i, const NodeDef& node, NodeDefBuilder* builder) {
    return fake_input::Add(op, i, node, builder, {n, &held});
  };
}
inline FakeInputFunctor FakeInput(DataTypeSlice types) {
  return [held = std::vector<DataType>(types.begin(), types.end())](const OpDef& op, int i, const NodeDef& node,
                                                                    NodeDefBuilder* builder) {
    return fake_input::Add(op, i, node, builder, {-1, &held, true});
  };
}
inline FakeInputFunctor FakeInput(std::initializer_list<DataType> types) { return FakeInput(DataTypeSlice(types)); }

}  // namespace tensorflow
