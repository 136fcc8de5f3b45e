// SPDX-License-Identifier: Apache-2.0
#pragma once
// Node: a NodeDef in one line.

#include <initializer_list>
#include <string>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>

namespace tenon::bench {

using NodeAttrs = std::initializer_list<std::pair<const char*, AttrValue>>;

inline NodeDef Node(std::string name, std::string op, SlimVector<std::string> inputs = {}, NodeAttrs attrs = {}) {
  NodeDef node;
  node.name = std::move(name);
  node.op = std::move(op);
  node.input = std::move(inputs);
  for (const auto& [key, value] : attrs) node.attr.Set(key, value);
  return node;
}

}  // namespace tenon::bench
