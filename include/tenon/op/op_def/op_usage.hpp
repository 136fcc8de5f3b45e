// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ops of a graph and its functions, how often they occur, and their dtypes: a binary for this graph alone needs
// kernels for these. OpsUsedByGraph (op/op_def/op_list.hpp) has the names alone.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/op/op_def/op_registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

struct OpUsage {
  struct TypeAttr {
    std::string name;
    DataTypeSet types;  // types that some node has; all types where a node's type cannot be told
  };
  std::string op;
  std::int64_t nodes = 0;  // in the graph and in each function once for each set of attrs that it is called with
  SlimVector<TypeAttr> types;  // attrs of type and list(type), in the op's order
  bool registered = false;  // false: the op is not in the registry, so that defaults are not known

  // The dtypes of an attr, none when no node has it.
  DataTypeSet TypesOf(std::string_view attr) const {
    for (const TypeAttr& a : types)
      if (a.name == attr) return a.types;
    return {};
  }
};

namespace detail {

class UsageOfGraph {
 public:
  UsageOfGraph(const FunctionDefLibrary& library, const OpRegistry& registry)
      : library_(library), registry_(registry) {}

  SlimVector<OpUsage> Collect(const SlimVector<NodeDef>& nodes) {
    const AttrMap none;
    for (const NodeDef& node : nodes) Use(node, none);
    // An import checks every function that has no attrs, called or not.
    for (std::size_t i = 0; i < library_.function.size(); ++i)
      if (library_.function[i].signature.attr.empty()) Call(i, {});
    while (next_ < calls_.size()) {
      const BoundFunction call = calls_[next_++];  // a copy: calls_ grows
      for (const NodeDef& node : library_.function[call.function].node_def) Use(node, call.attrs);
    }
    SlimVector<OpUsage> sorted;
    for (const std::size_t i :
         SortedOrder(used_.size(), [this](std::size_t a, std::size_t b) { return used_[a].op < used_[b].op; }))
      sorted.push_back(std::move(used_[i]));
    return sorted;
  }

 private:
  struct BoundFunction {
    std::size_t function;
    AttrMap attrs;
  };
  static constexpr std::size_t kMostCalls = 10000;  // different ones; more are not followed

  static AttrValue Resolved(const AttrValue& value, const AttrMap& bound) {
    if (value.kind() != AttrValue::Kind::kPlaceholder) return value;
    const AttrValue* const found = bound.Find(value.placeholder());
    return found == nullptr ? value : *found;
  }
  static AttrMap Resolved(const AttrMap& attrs, const AttrMap& bound) {
    AttrMap resolved;
    for (const auto& [name, value] : attrs)
      if (name.empty() || name[0] != '_') resolved.Set(name, Resolved(value, bound));
    return resolved;
  }

  bool FindFunction(std::string_view name, std::size_t* index) const {
    for (*index = 0; *index < library_.function.size(); ++*index)
      if (library_.function[*index].signature.name == name) return true;
    return false;
  }
  void Call(std::size_t function, AttrMap attrs) {
    if (library_.function[function].signature.attr.empty()) attrs.clear();
    for (const BoundFunction& call : calls_)
      if (call.function == function && call.attrs == attrs) return;
    if (calls_.size() < kMostCalls) calls_.push_back({function, std::move(attrs)});
  }
  void CallNamed(const NameAttrList& function, const AttrMap& bound) {
    std::size_t index = 0;
    if (FindFunction(function.name, &index)) Call(index, Resolved(function.attr, bound));
  }

  OpUsage& UsageOf(std::string_view op) {
    for (OpUsage& usage : used_)
      if (usage.op == op) return usage;
    OpUsage& usage = used_.emplace_back();
    usage.op = std::string(op);
    if (const OpView* const view = registry_.Find(op); view != nullptr) {
      usage.registered = true;
      for (const AttrSpec& attr : view->attrs)
        if (attr.is_type() || attr.is_type_list()) usage.types.push_back({std::string(attr.name()), {}});
    }
    return usage;
  }
  static void AddTypes(const AttrValue& value, DataTypeSet* types) {
    const auto add = [types](DataType type) { types->insert(IsRefType(type) ? RemoveRefType(type) : type); };
    if (value.kind() == AttrValue::Kind::kType)
      add(value.type());
    else if (value.kind() == AttrValue::Kind::kList)
      for (const DataType type : value.list().type) add(type);
    else if (value.kind() == AttrValue::Kind::kPlaceholder)
      *types = kAllTypes;
  }

  void Use(const NodeDef& node, const AttrMap& bound) {
    for (const auto& [name, value] : node.attr) {
      const AttrValue resolved = Resolved(value, bound);
      if (resolved.kind() == AttrValue::Kind::kFunc) CallNamed(resolved.func(), bound);
      if (resolved.kind() == AttrValue::Kind::kList)
        for (const NameAttrList& function : resolved.list().func) CallNamed(function, bound);
    }
    std::size_t function = 0;
    if (FindFunction(node.op, &function)) {
      Call(function, Resolved(node.attr, bound));
      // The node becomes a call (graph/function.hpp).
      ++UsageOf(library_.function[function].signature.is_stateful ? "StatefulPartitionedCall" : "PartitionedCall")
            .nodes;
      return;
    }
    OpUsage& usage = UsageOf(node.op);
    ++usage.nodes;
    if (usage.registered) {
      const OpView& op = *registry_.Find(node.op);
      for (OpUsage::TypeAttr& attr : usage.types) {
        const AttrValue* const value = node.attr.Find(attr.name);
        AddTypes(value != nullptr ? Resolved(*value, bound) : DefaultOf(op, attr.name), &attr.types);
      }
      return;
    }
    for (const auto& [name, value] : node.attr) {
      const AttrValue resolved = Resolved(value, bound);
      DataTypeSet types;  // an unbound placeholder may be of any kind, not only a type
      if (resolved.kind() != AttrValue::Kind::kPlaceholder) AddTypes(resolved, &types);
      if (types.empty() || name[0] == '_') continue;
      std::size_t at = 0;
      while (at < usage.types.size() && usage.types[at].name != name) ++at;
      if (at == usage.types.size()) usage.types.push_back({name, {}});
      usage.types[at].types = usage.types[at].types | types;
    }
  }

  const FunctionDefLibrary& library_;
  const OpRegistry& registry_;
  SlimVector<OpUsage> used_;
  SlimVector<BoundFunction> calls_;
  std::size_t next_ = 0;
};

}  // namespace detail

// Sorted by name; functions are not among them, but the op that calls one is. Functions are followed with the attrs
// that they are called with. Gradients (SymbolicGradient) are not.
//
//   for (const OpUsage& use : OpUsageOfGraph(graph, Registry::Global().ops()))
//     std::printf("%s %lld\n", use.op.c_str(), static_cast<long long>(use.nodes));
inline SlimVector<OpUsage> OpUsageOfGraph(const GraphDef& graph, const OpRegistry& registry) {
  return detail::UsageOfGraph(graph.library, registry).Collect(graph.node);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
