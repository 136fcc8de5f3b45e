// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReachableFunctions: the part of a function library that some nodes can come to call.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sort.hpp>
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
    for (const GradientDef& gradient : library.gradient)
      if (const int i = index_.Find(gradient.function_name, NameOf{&library}); i >= 0)
        with_gradient_.push_back({i, gradient.gradient_func});
    for (std::size_t i = 0; i < library.function.size(); ++i)
      if (const AttrValue* api = ApiOf(library.function[i]); api != nullptr)
        by_api_.push_back({static_cast<int>(i), api->s()});
    SortItems<Entry, &HasLowerNumber>(with_gradient_.data(), with_gradient_.size());
    SortItems<Entry, &HasLowerName>(by_api_.data(), by_api_.size());
  }

  void Add(Span<const NodeDef> nodes) {
    AddNodes(nodes);
    while (!todo_.empty()) {
      const int number = todo_.back();
      const FunctionDef& function = library_.function[static_cast<std::size_t>(number)];
      todo_.pop_back();
      AddNodes(function.node_def);
      AddGradients(number);
      if (const AttrValue* api = ApiOf(function); api != nullptr) AddImplementations(api->s());
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
  struct Entry {
    int function;
    std::string_view name;
  };
  static bool HasLowerNumber(const Entry& a, const Entry& b) { return a.function < b.function; }
  static bool HasLowerName(const Entry& a, const Entry& b) { return a.name < b.name; }
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
  static const AttrValue* ApiOf(const FunctionDef& function) { return function.attr.Find("api_implements"); }
  void AddGradients(int function) {
    const auto first = std::lower_bound(with_gradient_.begin(), with_gradient_.end(), function,
                                        [](const Entry& entry, int wanted) { return entry.function < wanted; });
    for (auto at = first; at != with_gradient_.end() && at->function == function; ++at) AddName(at->name);
  }
  // Which of the functions with one api_implements is called is decided later. Those of one name go together, once.
  void AddImplementations(std::string_view api) {
    const auto first =
        std::lower_bound(by_api_.begin(), by_api_.end(), api,
                         [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
    for (auto at = first; at != by_api_.end() && at->name == api && at->function >= 0; ++at) {
      const int function = std::exchange(at->function, -1);
      AddName(library_.function[static_cast<std::size_t>(function)].signature.name);
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
  SlimVector<Entry> with_gradient_;  // functions and the names of their gradient functions, by number
  SlimVector<Entry> by_api_;         // functions and their api_implements, by name; function -1: was added
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
