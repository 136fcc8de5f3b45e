// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReachableFunctions: the part of a function library that some nodes can come to call.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Follows calls: nodes whose op is a function, and attrs that are functions, their attrs' functions too. one thread.
class FunctionReach {
 public:
  explicit FunctionReach(const FunctionDefLibrary& library) : library_(library), reached_(library.function.size(), 0) {
    for (std::size_t i = 0; i < library.function.size(); ++i)
      index_.Insert(library.function[i].signature.name, static_cast<int>(i), NameOf{&library});
  }

  void Add(Span<const NodeDef> nodes) {
    AddNodes(nodes);
    while (!todo_.empty()) {
      const FunctionDef& function = library_.function[static_cast<std::size_t>(todo_.back())];
      todo_.pop_back();
      AddNodes(function.node_def);
      for (const GradientDef& gradient : library_.gradient)
        if (gradient.function_name == function.signature.name) AddName(gradient.gradient_func);
      if (const AttrValue* api = function.attr.Find("api_implements"); api != nullptr) AddImplementations(*api);
    }
  }
  FunctionDefLibrary Take() const {
    FunctionDefLibrary out;
    for (std::size_t i = 0; i < reached_.size(); ++i)
      if (reached_[i] != 0) out.function.push_back(library_.function[i]);
    for (const GradientDef& gradient : library_.gradient)
      if (IsReached(gradient.function_name)) out.gradient.push_back(gradient);
    for (const RegisteredGradient& gradient : library_.registered_gradients)
      if (IsReached(gradient.gradient_func)) out.registered_gradients.push_back(gradient);
    return out;
  }

 private:
  struct NameOf {
    const FunctionDefLibrary* library;
    std::string_view operator()(int i) const { return library->function[static_cast<std::size_t>(i)].signature.name; }
  };
  bool IsReached(std::string_view name) const {
    const int i = index_.Find(name, NameOf{&library_});
    return i >= 0 && reached_[static_cast<std::size_t>(i)] != 0;
  }
  void AddName(std::string_view name) {
    const int i = index_.Find(name, NameOf{&library_});
    if (i >= 0 && std::exchange(reached_[static_cast<std::size_t>(i)], char{1}) == 0) todo_.push_back(i);
  }
  // Which of the functions with one api_implements is called is decided later.
  void AddImplementations(const AttrValue& api) {
    for (const FunctionDef& function : library_.function) {
      const AttrValue* const other = function.attr.Find("api_implements");
      if (other != nullptr && other->s() == api.s()) AddName(function.signature.name);
    }
  }
  void AddCall(const NameAttrList& call) {
    AddName(call.name);
    AddAttrs(call.attr);
  }
  void AddAttrs(const AttrMap& attrs) {
    for (const auto& [name, value] : attrs) {
      if (value.kind() == AttrValue::Kind::kFunc) AddCall(value.func());
      if (value.kind() == AttrValue::Kind::kList)
        for (const NameAttrList& call : value.list().func) AddCall(call);
    }
  }
  void AddNodes(Span<const NodeDef> nodes) {
    for (const NodeDef& node : nodes) {
      AddName(node.op);
      AddAttrs(node.attr);
    }
  }

  const FunctionDefLibrary& library_;
  NameIndex index_;
  SlimVector<char> reached_;  // per function
  SlimVector<int> todo_;
};

}  // namespace detail

// In the library's order, with the gradients that belong to them.
inline FunctionDefLibrary ReachableFunctions(const FunctionDefLibrary& library, Span<const NodeDef> nodes) {
  if (library.empty()) return {};
  detail::FunctionReach reach(library);
  reach.Add(nodes);
  return reach.Take();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
