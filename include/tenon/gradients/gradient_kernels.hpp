// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which nodes this process has no kernel for. The kernels of functions are created in the first run; derivations name
// the missing ones before.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/kernel/registry/registry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Answers for the ops of a derivation. immutable.
class GradientKernels {
 public:
  explicit GradientKernels(const OpRegistry& ops) : known_(&ops == &Registry::Global().ops()) {}

  // Whether the op has kernels, but none that fits the node, on any device. False for an op that has no kernels, and
  // for ops of another registry, whose kernels are not known.
  bool Lacks(const NodeDef& node) const {
    if (!known_) return false;
    const Registry& registry = Registry::Global();
    if (registry.FindForNode(node, "CPU").ok()) return false;
    const SlimVector<const KernelRow*> rows = registry.KernelsOf(node.op);
    for (const KernelRow* row : rows)
      if (registry.FindForNode(node, row->device).ok()) return false;
    return !rows.empty();
  }
  // Whether AddV2 and AddN, or the like, have a kernel for a type: `op` has one type attr, T.
  bool Lacks(std::string_view op, DataType type) const {
    if (!known_) return false;
    NodeDef node;
    node.op = std::string(op);
    node.attr.Set("T", AttrValue(type));
    return Lacks(node);
  }

  // NotFound: functions have nodes "scope/..." that lack a kernel. All are named.
  Status Check(Span<const FunctionDef> functions, std::string_view scope) const {
    if (!known_) return OkStatus();
    const std::string prefix = StrCat(scope, "/");
    SlimVector<std::string> told;
    std::string text;
    for (const FunctionDef& function : functions)
      for (const NodeDef& node : function.node_def)
        if (StartsWith(node.name, prefix) && Lacks(node)) Tell(function, node, &told, &text);
    if (text.empty()) return OkStatus();
    return errors::NotFound("Gradients of functions need kernels that this program does not have: ", text,
                            "; add the ops with these types to TENON_REGISTER");
  }

 private:
  // Names each op once for its types.
  static void Tell(const FunctionDef& function, const NodeDef& node, SlimVector<std::string>* told, std::string* text) {
    std::string what = StrCat(node.op, " with ");
    bool first = true;
    for (const auto& [name, value] : node.attr) {
      if (value.kind() != AttrValue::Kind::kType) continue;
      StrAppend(&what, first ? "" : ", ", name, "=", value.type());
      first = false;
    }
    if (first) what = node.op;
    for (const std::string& one : *told)
      if (one == what) return;
    StrAppend(text, text->empty() ? "" : "; ", what, " (node '", node.name, "' of function '", function.signature.name,
              "')");
    told->push_back(std::move(what));
  }

  bool known_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
