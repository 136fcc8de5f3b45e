// SPDX-License-Identifier: Apache-2.0
#pragma once
// FindVariables: the variables that a tensor reads, by patterns of their names. Fine-tuning trains some of them.

#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/graph/reached_nodes.hpp>
#include <tenon/io/file_system.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Names of variables: "dense/kernel", or "dense/*" with any characters in the place of the star.
struct VariablePatterns {
  SlimVector<std::string> include = {"*"};
  SlimVector<std::string> exclude = {};  // these are left out, although `include` has them
};

namespace detail {

inline bool MatchesAny(const SlimVector<std::string>& patterns, const std::string& node, const std::string& shared) {
  for (const std::string& pattern : patterns)
    if (MatchesPattern(pattern, node) || (!shared.empty() && MatchesPattern(pattern, shared))) return true;
  return false;
}
// Whether the node is a variable with gradients, or its handle.
inline bool HoldsFloats(const NodeDef& node) {
  const AttrValue* const dtype = node.attr.Find("dtype");
  return (node.op == "VarHandleOp" || node.op == "VariableV2" || node.op == "Variable") && dtype != nullptr &&
         dtype->kind() == AttrValue::Kind::kType && kFloatingTypes.contains(dtype->type());
}

}  // namespace detail

// Returns the names of the VarHandleOp nodes, and variables of TensorFlow 1, that `tensor` needs, that hold
// floating-point numbers, and whose name or shared_name matches `patterns`, in the graph's order: what AddTraining
// takes. A layer is frozen when its variables are left out. NotFound: the graph lacks the tensor, or no variable
// matches; the message has the variables' names. thread-safe.
//
//   TENON_ASSIGN_OR_RETURN(const auto variables, FindVariables(graph, loss, {.include = {"head/*"}}));
inline Result<SlimVector<std::string>> FindVariables(const GraphDef& graph, const std::string& tensor,
                                                     const VariablePatterns& patterns = {}) {
  Result<SlimVector<std::string>> found = SlimVector<std::string>();
  const Status status = detail::CatchAll("FindVariables", [&]() -> Status {
    ReachedNodes reached(graph);
    if (!reached.Add(tensor)) return errors::NotFound("FindVariables: the graph has no tensor '", tensor, "'");
    std::string others;
    int left = 0;
    for (const NodeDef& node : graph.node) {
      if (!detail::HoldsFloats(node) || !reached.IsReached(node.name)) continue;
      const AttrValue* const attr = node.attr.Find("shared_name");
      const std::string shared = attr != nullptr && attr->kind() == AttrValue::Kind::kString ? attr->s() : "";
      if (detail::MatchesAny(patterns.include, node.name, shared) &&
          !detail::MatchesAny(patterns.exclude, node.name, shared))
        found->push_back(node.name);
      else if (++left <= 20)
        StrAppend(&others, others.empty() ? "'" : ", '", node.name, "'");
    }
    if (!found->empty()) return OkStatus();
    if (left > 20) StrAppend(&others, " and ", left - 20, " more");
    return errors::NotFound("FindVariables: no pattern matches a variable that '", tensor, "' reads; it reads ",
                            others.empty() ? "none" : others);
  });
  if (!status.ok()) return status;
  return found;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
