// SPDX-License-Identifier: Apache-2.0
#pragma once
// Equality of nodes and of functions, which a function library checks before it refuses a second function.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/attr/attr_equality.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_def_compatible.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The attrs that `keep(name, value)` wants.
template <class Keep>
AttrMap SomeAttrs(const AttrMap& attrs, Keep&& keep) {
  AttrMap some;
  for (const auto& [name, value] : attrs)
    if (keep(name, value)) some.Insert(name, value);
  return some;
}

}  // namespace detail

// Compares name, op, device, attrs and inputs; control inputs in any order. Attrs whose names begin with '_' do not
// count.
inline bool EqualNodeDef(const NodeDef& a, const NodeDef& b) {
  if (a.name != b.name || a.op != b.op || a.device != b.device || a.input.size() != b.input.size()) return false;
  const auto in_order = [](const NodeDef& node) {
    SlimVector<std::string> inputs = node.input;
    const auto is_data = [](const std::string& input) { return !StartsWith(input, "^"); };
    std::sort(std::find_if_not(inputs.begin(), inputs.end(), is_data), inputs.end());
    return inputs;
  };
  if (!(in_order(a) == in_order(b))) return false;
  const auto is_public = [](std::string_view name, const AttrValue&) { return !StartsWith(name, "_"); };
  return AreAttrsEqual(detail::SomeAttrs(a.attr, is_public), detail::SomeAttrs(b.attr, is_public));
}

// Compares signature, attrs that have values, nodes (in any order), results and control results. Data about the
// arguments beside the signature does not count.
inline bool FunctionDefsEqual(const FunctionDef& a, const FunctionDef& b) {
  if (!OpDefEqual(a.signature, b.signature)) return false;
  const auto is_set = [](std::string_view, const AttrValue& value) { return value.has_value(); };
  if (!AreAttrsEqual(detail::SomeAttrs(a.attr, is_set), detail::SomeAttrs(b.attr, is_set))) return false;
  if (a.node_def.size() != b.node_def.size()) return false;
  const auto by_name = [](const FunctionDef& f) {
    SlimVector<const NodeDef*> nodes;
    for (const NodeDef& node : f.node_def) nodes.push_back(&node);
    std::sort(nodes.begin(), nodes.end(), [](const NodeDef* x, const NodeDef* y) { return x->name < y->name; });
    return nodes;
  };
  const SlimVector<const NodeDef*> x = by_name(a), y = by_name(b);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!EqualNodeDef(*x[i], *y[i])) return false;
  return a.ret == b.ret && a.control_ret == b.control_ret;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
