// SPDX-License-Identifier: Apache-2.0
#pragma once
// InstantiateFunction: a function of a graph's library with its attrs bound becomes a GraphDef whose inputs are _Arg
// nodes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/node_check.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/graph/call_attrs.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/validate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A function with its attrs bound. Node names are those of the function's body; arguments that are lists have a node
// for each element.
struct FunctionGraph {
  struct Output {
    std::string node;
    int index;
    DataType type;
  };
  GraphDef graph;
  SlimVector<std::string> args;  // names of the _Arg nodes, in order
  SlimVector<DataType> arg_types;
  SlimVector<Output> results;  // in order
  SlimVector<DataType> result_types;
  SlimVector<std::string> control_results;  // nodes that must run
};

// Makes a FunctionGraph. one thread.
class FunctionInstantiation {
 public:
  // All arguments outlive this.
  FunctionInstantiation(const FunctionDef& function, const AttrMap& attrs, const FunctionIndex& functions,
                        OpInfoCache* ops, bool keep_colocation = false,
                        const CancellationManager* cancellation = nullptr)
      : function_(function),
        attrs_(detail::WithDefaults(function.signature, attrs)),
        functions_(functions),
        ops_(*ops),
        keep_colocation_(keep_colocation),
        cancellation_(cancellation) {}

  Result<FunctionGraph> Make() {
    TENON_RETURN_IF_ERROR(CheckNotCancelled());
    TENON_RETURN_IF_ERROR(detail::CheckCallAttrs(function_.signature, attrs_));
    TENON_RETURN_IF_ERROR(AddArgs());
    TENON_RETURN_IF_ERROR(AddNodes());
    for (std::size_t n = 0; n < function_.node_def.size(); ++n) {
      TENON_RETURN_IF_ERROR(CheckNotCancelled());
      TENON_RETURN_IF_ERROR(ConnectNode(function_.node_def[n], &out_.graph.node[out_.args.size() + n]));
    }
    TENON_RETURN_IF_ERROR(AddResults());
    for (const auto& [name, node] : function_.control_ret) {
      if (!IsNode(node))
        return errors::InvalidArgument("Function '", function_.signature.name, "': control output '", name,
                                       "' names the node '", node, "', which is not there");
      out_.control_results.push_back(node);
    }
    return std::move(out_);
  }

 private:
  // Colocation may name nodes that the function was made from: it is left out unless asked for.
  static constexpr std::string_view kColocationAttr = "_class";

  // Meaning of a name in the body, a tensor for each type: outputs of `node` from `first` on, or the argument
  // nodes from number `first` on.
  struct Item {
    std::string key;
    std::string node;
    int first = 0;
    SlimVector<DataType> types;
    bool is_arg = false;
    int count() const { return static_cast<int>(types.size()); }
  };

  // End of messages about a node or an argument of the function.
  TENON_DETAIL_COLD std::string Of(const NodeDef& body) const {
    return StrCat(FormatNodeForError(body.name), " of function '", function_.signature.name, "'");
  }
  TENON_DETAIL_COLD std::string Of(const OpDef::ArgDef& arg) const {
    std::string text;
    detail::SummarizeArgDef(arg, &text);
    return StrCat(text, " of function '", function_.signature.name, "'");
  }

  // `level`: functions around the value.
  Status Bind(AttrValue* value, int level) const {
    const bool is_placeholder = value->kind() == AttrValue::Kind::kPlaceholder;
    if (is_placeholder || value->kind() == AttrValue::Kind::kNone) {
      const AttrValue* const given =
          is_placeholder ? detail::FindCallAttr(function_.signature, attrs_, value->placeholder()) : nullptr;
      if (given == nullptr)
        return errors::InvalidArgument("Failed to bind all placeholders in ", SummarizeAttrValue(*value),
                                       " of function '", function_.signature.name, "'");
      if (!NestsAtMost(*given, kMaxFunctionNesting - level)) return NestsTooDeep(value->placeholder());
      *value = AttrValue(*given);
    } else if (value->kind() == AttrValue::Kind::kFunc && !value->func().attr.empty()) {
      TENON_RETURN_IF_ERROR(Bind(&value->mutable_func()->attr, level + 1));
    } else if (value->kind() == AttrValue::Kind::kList && !value->list().func.empty()) {
      for (NameAttrList& func : value->mutable_list()->func) TENON_RETURN_IF_ERROR(Bind(&func.attr, level + 1));
    }
    return OkStatus();
  }
  Status Bind(AttrMap* attrs, int level = 0) const {
    for (const auto& [name, value] : *attrs) {
      if (level > kMaxFunctionNesting) return NestsTooDeep(name);
      TENON_RETURN_IF_ERROR(Bind(attrs->Find(name), level));
    }
    return OkStatus();
  }
  // A recursion that puts its attr into another function's attr makes them grow with every call.
  TENON_DETAIL_COLD Status NestsTooDeep(std::string_view attr) const {
    return errors::InvalidArgument("Functions in attrs are nested more than ", kMaxFunctionNesting, " deep: attr '",
                                   attr, "' of function '", function_.signature.name, "'");
  }
  Status AddItem(Item item) {
    const int number = static_cast<int>(items_.size());
    if (index_.Insert(item.key, number, KeyOf{this}) >= 0)
      return errors::InvalidArgument("Duplicated ", item.is_arg ? "arg" : "ret", " name: ", item.key, " in function '",
                                     function_.signature.name, "'");
    items_.push_back(std::move(item));
    return OkStatus();
  }
  struct KeyOf {
    const FunctionInstantiation* self;
    std::string_view operator()(int i) const { return self->items_[static_cast<std::size_t>(i)].key; }
  };
  Status CheckNotCancelled() const {
    if (cancellation_ != nullptr && cancellation_->IsCancelled()) [[unlikely]]
      return errors::Cancelled("The instantiation of function '", function_.signature.name, "' was cancelled");
    return OkStatus();
  }
  // Among the arguments and the body's nodes.
  struct NodeName {
    const FunctionInstantiation* self;
    std::string_view operator()(int i) const { return self->out_.graph.node[static_cast<std::size_t>(i)].name; }
  };
  // The index is made by the first question, after AddNodes: most bodies have no control inputs.
  bool IsNode(std::string_view name) {
    for (; num_indexed_ < out_.graph.node.size(); ++num_indexed_)
      nodes_.Insert(out_.graph.node[num_indexed_].name, static_cast<int>(num_indexed_), NodeName{this});
    return nodes_.Find(name, NodeName{this}) >= 0;
  }

  Status AddArgs() {
    for (const OpDef::ArgDef& arg : function_.signature.input_arg)
      if (const Status status = AddArg(arg); !status.ok()) return status.WithAppended(StrCat("\n\tIn ", Of(arg)));
    for (const auto& [number, attrs] : function_.arg_attr) {
      if (number >= items_.size()) continue;
      const Item& arg = items_[number];
      for (int i = arg.first; i < arg.first + arg.count(); ++i)
        for (const auto& [name, value] : attrs)
          if (name != kColocationAttr) out_.graph.node[static_cast<std::size_t>(i)].attr.Insert(name, value);
    }
    return OkStatus();
  }
  Status AddArg(const OpDef::ArgDef& arg) {
    SlimVector<DataType> types;
    TENON_RETURN_IF_ERROR(detail::TypesOfArg(function_.signature, arg, attrs_, &types));
    if (types.empty()) return errors::Internal("Expected a list of at least one dtype");
    TENON_RETURN_IF_ERROR(AddItem({arg.name, {}, static_cast<int>(out_.args.size()), types, true}));
    for (std::size_t i = 0; i < types.size(); ++i) {
      NodeDef& node = out_.graph.node.emplace_back();
      node.name = types.size() > 1 ? StrCat(arg.name, "_", i) : arg.name;
      node.op = "_Arg";
      node.attr.Insert("T", AttrValue(types[i]));
      node.attr.Insert("index", AttrValue(static_cast<std::int64_t>(out_.args.size())));
      out_.args.push_back(node.name);
      out_.arg_types.push_back(types[i]);
    }
    return OkStatus();
  }

  // The body's nodes without their inputs, and what their outputs are called.
  Status AddNodes() {
    for (const NodeDef& body : function_.node_def) {
      TENON_RETURN_IF_ERROR(CheckNotCancelled());
      NodeDef& node = out_.graph.node.emplace_back();
      node.name = body.name;
      node.op = body.op;
      node.device = body.device;
      node.attr = body.attr;
      TENON_RETURN_IF_ERROR(Bind(&node.attr));
      if (!keep_colocation_) node.attr.erase(kColocationAttr);
      if (const OpInfo* info = ops_.Find(body.op); info != nullptr) {
        info->AddDefaults(&node);
        TENON_RETURN_IF_ERROR(AddOutputs(info->op(), node));
      } else if (const FunctionDef* callee = functions_.Find(body.op); callee != nullptr) {
        int first = 0;
        for (const OpDef::ArgDef& arg : callee->signature.output_arg) {
          SlimVector<DataType> types;
          TENON_RETURN_IF_ERROR(detail::TypesOfArg(callee->signature, arg, node.attr, &types));
          const int count = static_cast<int>(types.size());
          TENON_RETURN_IF_ERROR(AddItem({StrCat(node.name, ":", arg.name), node.name, first, std::move(types), false}));
          first += count;
        }
        TENON_RETURN_IF_ERROR(MakeFunctionCall(*callee, &node));
      } else {
        const OpView* op = nullptr;
        return ops_.registry()
            .LookUp(body.op, &op)
            .WithAppended(StrCat(" [node '", body.name, "' of function '", function_.signature.name, "']"));
      }
    }
    return OkStatus();
  }
  Status AddOutputs(const OpView& op, const NodeDef& node) {
    int first = 0;
    for (const ArgSpec& arg : op.outputs) {
      SlimVector<DataType> types;
      TENON_RETURN_IF_ERROR(TypesOf(op, arg, node, &types));
      const int count = static_cast<int>(types.size());
      TENON_RETURN_IF_ERROR(AddItem({StrCat(node.name, ":", arg.name()), node.name, first, std::move(types), false}));
      first += count;
    }
    return OkStatus();
  }
  // The dtypes of an argument of a body node, whose attrs are bound.
  static Status TypesOf(const OpView& op, const ArgSpec& arg, const NodeDef& node, SlimVector<DataType>* types) {
    for (const std::string_view attr : {arg.number_attr(), arg.type_attr(), arg.type_list_attr()})
      if (!attr.empty() && node.attr.Find(attr) == nullptr)
        return errors::NotFound("type ", arg.is_type_list ? "list " : "", "attr not found: ", attr,
                                "; NodeDef: ", FormatNodeForError(node.name));
    const auto find = [&](const AttrSpec& spec, ArgAttrValue* value) {
      const AttrValue* const attr = node.attr.Find(spec.name());
      value->number = attr->i();
      value->type = attr->type();
      value->types = attr->list().type;
      return true;
    };
    const std::int64_t count = op.ArgCount(arg, find);
    if (count < 0)
      return errors::InvalidArgument("Value for number_attr() ", count,
                                     " < 0; NodeDef: ", FormatNodeForError(node.name));
    if (count > kMaxNodeOutputs)
      return errors::InvalidArgument("Number of outputs is too big: ", count, " (at most ", kMaxNodeOutputs,
                                     " are allowed); NodeDef: ", FormatNodeForError(node.name));
    op.ForEachType(arg, find, [types](DataType type) { types->push_back(type); });
    return OkStatus();
  }

  // The outputs that a name of the body stands for.
  bool Resolve(std::string_view text, SlimVector<FunctionGraph::Output>* outputs) const {
    int only = -1;
    int at = index_.Find(text, KeyOf{this});
    if (at < 0) {
      const std::size_t colon = text.rfind(':');
      if (colon == std::string_view::npos || !ParseInt(text.substr(colon + 1), &only) || only < 0) return false;
      at = index_.Find(text.substr(0, colon), KeyOf{this});
      if (at < 0 || only >= items_[static_cast<std::size_t>(at)].count()) return false;
    }
    const Item& item = items_[static_cast<std::size_t>(at)];
    for (int i = 0; i < item.count(); ++i) {
      if (only >= 0 && i != only) continue;
      const DataType type = item.types[static_cast<std::size_t>(i)];
      if (item.is_arg)
        outputs->push_back({out_.args[static_cast<std::size_t>(item.first + i)], 0, type});
      else
        outputs->push_back({item.node, item.first + i, type});
    }
    return true;
  }

  // An argument of a body node: inputs are handed out to its tensors in order.
  struct Argument {
    std::string_view name;
    SlimVector<DataType> types;
    std::size_t filled = 0;
  };
  Status ArgumentsOf(const NodeDef& body, const NodeDef& node, SlimVector<Argument>* arguments) {
    if (const OpInfo* info = ops_.Find(body.op); info != nullptr) {
      for (const ArgSpec& arg : info->op().inputs) {
        arguments->push_back({arg.name(), {}});
        TENON_RETURN_IF_ERROR(TypesOf(info->op(), arg, node, &arguments->back().types));
      }
      return OkStatus();
    }
    const OpDef& callee = functions_.Find(body.op)->signature;
    for (const OpDef::ArgDef& arg : callee.input_arg) {
      arguments->push_back({arg.name, {}});
      TENON_RETURN_IF_ERROR(
          detail::TypesOfArg(callee, arg, node.attr.Find("f")->func().attr, &arguments->back().types));
    }
    return OkStatus();
  }

  Status ConnectNode(const NodeDef& body, NodeDef* node) {
    SlimVector<Argument> arguments;
    TENON_RETURN_IF_ERROR(ArgumentsOf(body, *node, &arguments));
    std::size_t i = 0;
    for (Argument& argument : arguments)
      while (argument.filled < argument.types.size()) TENON_RETURN_IF_ERROR(ConnectInput(body, i++, &argument, node));
    for (; i < body.input.size(); ++i) {
      const std::string& input = body.input[i];
      if (!StartsWith(input, "^"))
        return errors::InvalidArgument("Expected input[", i, "] == '", input, "' to be a control input. ", Of(body));
      if (!IsNode(std::string_view(input).substr(1)))
        return errors::InvalidArgument("input[", i, "] == '", input, "', is not found. ", Of(body));
      node->input.push_back(input);
    }
    return OkStatus();
  }
  Status ConnectInput(const NodeDef& body, std::size_t i, Argument* argument, NodeDef* node) const {
    if (i >= body.input.size())
      return errors::InvalidArgument("Attempt to access beyond input size: ", i, " >= ", body.input.size(), ": ",
                                     Of(body));
    const std::string& input = body.input[i];
    SlimVector<FunctionGraph::Output> outputs;
    if (!Resolve(input, &outputs)) return errors::InvalidArgument("input ", input, " is not found: ", Of(body));
    if (outputs.size() > argument->types.size() - argument->filled)
      return errors::InvalidArgument("Input ", input, " too long for ", argument->name, ": ", Of(body));
    for (const FunctionGraph::Output& output : outputs) {
      const DataType want = BaseType(argument->types[argument->filled]), have = BaseType(output.type);
      if (want != have)
        return errors::InvalidArgument("input ", argument->name, "[", argument->filled, "] expected type ", want,
                                       " != ", have, ", the type of ", input, "[", &output - outputs.data(),
                                       "]: ", Of(body));
      node->input.push_back(output.index == 0 ? output.node : StrCat(output.node, ":", output.index));
      ++argument->filled;
    }
    return OkStatus();
  }

  struct ResultName {
    const FunctionDef* function;
    std::string_view operator()(int i) const { return function->ret[static_cast<std::size_t>(i)].first; }
  };
  Status AddResults() {
    for (std::size_t i = 0; i < function_.ret.size(); ++i)
      results_.Insert(function_.ret[i].first, static_cast<int>(i), ResultName{&function_});
    for (const OpDef::ArgDef& arg : function_.signature.output_arg)
      if (const Status status = AddResult(arg); !status.ok())
        return status.WithAppended(StrCat("\n\tIn function output ", Of(arg)));
    return OkStatus();
  }
  Status AddResult(const OpDef::ArgDef& arg) {
    SlimVector<DataType> types, given;
    TENON_RETURN_IF_ERROR(detail::TypesOfArg(function_.signature, arg, attrs_, &types));
    const int at = results_.Find(arg.name, ResultName{&function_});
    if (at < 0) return errors::InvalidArgument("Return ", arg.name, " missing.");
    const std::string& ret = function_.ret[static_cast<std::size_t>(at)].second;
    const std::size_t before = out_.results.size();
    if (!Resolve(ret, &out_.results))
      return errors::InvalidArgument("Return ", arg.name, " -> ", ret, " is not found.");
    for (std::size_t i = before; i < out_.results.size(); ++i) given.push_back(BaseType(out_.results[i].type));
    if (!(given == types))
      return errors::InvalidArgument("Invalid ret types ", arg.name, " : ", StrJoin(types, ", "), " vs. ",
                                     StrJoin(given, ", "));
    out_.result_types.append(types.begin(), types.end());
    return OkStatus();
  }

  const FunctionDef& function_;
  const AttrMap attrs_;  // the call's, with defaults
  const FunctionIndex& functions_;
  OpInfoCache& ops_;
  bool keep_colocation_;
  const CancellationManager* cancellation_;
  FunctionGraph out_;
  SlimVector<Item> items_;
  detail::NameIndex index_;    // numbers of items_
  detail::NameIndex nodes_;    // nodes of out_.graph
  detail::NameIndex results_;  // entries of function_.ret
  std::size_t num_indexed_ = 0;  // nodes in nodes_
};

// A function of `library` under the attrs of a call, ready for ImportGraphDef with allow_internal_ops. `cancellation`
// gives it up: Cancelled; may be null.
inline Result<FunctionGraph> InstantiateFunction(const FunctionDef& function, const AttrMap& attrs,
                                                 const FunctionIndex& functions, OpInfoCache* ops,
                                                 const CancellationManager* cancellation = nullptr) {
  return FunctionInstantiation(function, attrs, functions, ops, false, cancellation).Make();
}
// Instantiates a single function; makes the index and the cache for it.
inline Result<FunctionGraph> InstantiateFunction(const FunctionDef& function, const AttrMap& attrs,
                                                 const FunctionDefLibrary& library, const OpRegistry& registry) {
  OpInfoCache ops(registry);
  return InstantiateFunction(function, attrs, FunctionIndex(library), &ops);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
