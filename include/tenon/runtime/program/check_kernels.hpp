// SPDX-License-Identifier: Apache-2.0
#pragma once
// CheckKernels: whether all nodes of a graph and its functions have kernels.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/device/device.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Nodes without a kernel, by op and types. one thread.
class MissingKernels {
 public:
  MissingKernels(const Registry& registry, Span<Device* const> devices) : registry_(registry), devices_(devices) {}

  // `function`: the function that has the node; empty: the graph.
  void Check(const NodeDef& node, std::string_view function) {
    Status first;
    for (const Device* const device : devices_) {
      const Status found = registry_.FindForNode(node, device->type()).status();
      if (!errors::IsNotFound(found)) return;  // there is one, or the node says too little: a call gives its types
      first.Update(found);
    }
    std::string_view text = first.message();
    text = text.substr(0, text.find(". No registered '"));
    const auto text_of = [this](int i) -> std::string_view { return entries_[static_cast<std::size_t>(i)].text; };
    const int number = static_cast<int>(entries_.size());
    if (const int known = index_.Find(text, text_of); known >= 0) {
      ++entries_[static_cast<std::size_t>(known)].more;
      return;
    }
    entries_.push_back(
        {std::string(text),
         StrCat("'", node.name, "'", function.empty() ? "" : " of function '", function, function.empty() ? "" : "'"),
         0});
    index_.Insert(entries_.back().text, number, text_of);
  }

  // InvalidArgument, as a run without that kernel, unless there are none.
  Status status() const {
    if (entries_.empty()) return OkStatus();
    std::string text;
    for (const Entry& entry : entries_) {
      StrAppend(&text, text.empty() ? "" : "\n", entry.text, "; needed by node ", entry.node);
      if (entry.more > 0) StrAppend(&text, " and ", entry.more, " more");
    }
    return errors::InvalidArgument(text);
  }

 private:
  struct Entry {
    std::string text, node;  // the first node of its kind
    std::size_t more;        // nodes
  };
  const Registry& registry_;
  const Span<Device* const> devices_;
  SlimVector<Entry> entries_;
  NameIndex index_;
};

}  // namespace detail

// InvalidArgument: nodes of the graph or of a function have a kernel for none of the devices. The message has a line
// for each op and its types, with a node and how many others there are. Nodes whose types a call decides do not count.
inline Status CheckKernels(const Graph& graph, const Registry& registry, Span<Device* const> devices) {
  detail::MissingKernels missing(registry, devices);
  for (const Node& node : graph.nodes()) missing.Check(node.def, {});
  for (const FunctionDef& function : graph.library().function)
    for (const NodeDef& node : function.node_def)
      if (registry.ops().Find(node.op) != nullptr) missing.Check(node, function.signature.name);
  return missing.status();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
