// SPDX-License-Identifier: Apache-2.0
#pragma once
// EqualGraphDef: compares graphs whatever the order of their nodes, and says what differs.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/node_def.hpp>
#include <tenon/compat/tensorflow/proto/graph.hpp>

namespace tensorflow {

struct EqualGraphDefOptions {
  bool ignore_internal_attrs = true;  // those with names like "_x"
};

namespace internal {
// Data inputs in their order, then sorted control inputs.
inline std::vector<std::string> SortedInputs(const NodeDef& node) {
  std::vector<std::string> inputs(node.input().begin(), node.input().end());
  std::sort(std::find_if(inputs.begin(), inputs.end(), [](const std::string& text) { return text.starts_with('^'); }),
            inputs.end());
  return inputs;
}
template <class... T>
bool Differ(std::string* diff, const T&... pieces) {
  if (diff != nullptr) *diff = strings::StrCat(pieces...);
  return false;
}
inline std::map<std::string, const AttrValue*> ComparedAttrs(const NodeDef& node, const EqualGraphDefOptions& options) {
  std::map<std::string, const AttrValue*> attrs;
  for (const auto& [name, value] : node.attr())
    if (!options.ignore_internal_attrs || !name.starts_with('_')) attrs[name] = &value;
  return attrs;
}
}  // namespace internal

// `diff`, which may be null, gets a sentence where the result is false.
inline bool EqualNodeDef(const NodeDef& actual, const NodeDef& expected, std::string* diff,
                         const EqualGraphDefOptions& options = {}) {
  using internal::Differ;
  const std::string node = strings::StrCat("Node named '", actual.name(), "'");
  if (actual.name() != expected.name())
    return Differ(diff, "Actual node name '", actual.name(), "' is not expected '", expected.name(), "'");
  if (actual.op() != expected.op())
    return Differ(diff, node, " has op '", actual.op(), "' that is not expected '", expected.op(), "'");
  if (actual.device() != expected.device())
    return Differ(diff, node, " has device '", actual.device(), "' that is not expected '", expected.device(), "'");
  if (actual.input_size() != expected.input_size())
    return Differ(diff, node, " has inputs '", str_util::Join(actual.input(), ", "), "' that don't match expected '",
                  str_util::Join(expected.input(), ", "), "'");
  const std::vector<std::string> have = internal::SortedInputs(actual), want = internal::SortedInputs(expected);
  for (std::size_t i = 0; i < have.size(); ++i) {
    if (want[i].starts_with('^')) {
      if (std::find(have.begin(), have.end(), want[i]) == have.end())
        return Differ(diff, node, " missing expected control input '", want[i], "'");
    } else if (have[i] != want[i]) {
      return Differ(diff, node, " has input ", i, " '", have[i], "' that doesn't match expected '", want[i], "'");
    }
  }
  auto unexpected = internal::ComparedAttrs(actual, options);
  for (const auto& [name, value] : internal::ComparedAttrs(expected, options)) {
    const auto found = unexpected.find(name);
    if (found == unexpected.end())
      return Differ(diff, node, " missing expected attr '", name, "' with value: ", SummarizeAttrValue(*value));
    if (!AreAttrValuesEqual(*found->second, *value))
      return Differ(diff, node, " has attr '", name, "' with value: ", SummarizeAttrValue(*found->second),
                    " that does not match expected: ", SummarizeAttrValue(*value));
    unexpected.erase(found);
  }
  if (unexpected.empty()) return true;
  const auto& [name, value] = *unexpected.begin();
  return Differ(diff, node, " has unexpected attr '", name, "' with value: ", SummarizeAttrValue(*value));
}
template <class Nodes>
bool EqualRepeatedNodeDef(const Nodes& actual, const Nodes& expected, std::string* diff,
                          const EqualGraphDefOptions& options = {}) {
  std::map<std::string, const NodeDef*> unexpected;
  for (const NodeDef& node : actual) unexpected[node.name()] = &node;
  for (const NodeDef& node : expected) {
    const auto found = unexpected.find(node.name());
    if (found == unexpected.end())
      return internal::Differ(diff, "Did not find expected node '", SummarizeNodeDef(node), "'");
    if (!EqualNodeDef(*found->second, node, diff, options)) return false;
    unexpected.erase(found);
  }
  if (unexpected.empty()) return true;
  return internal::Differ(diff, "Found unexpected node '", SummarizeNodeDef(*unexpected.begin()->second), "'");
}
// Versions and functions are not compared.
inline bool EqualGraphDef(const GraphDef& actual, const GraphDef& expected, std::string* diff,
                          const EqualGraphDefOptions& options = {}) {
  return EqualRepeatedNodeDef(actual.node(), expected.node(), diff, options);
}

inline uint64_t NodeDefHash(const NodeDef& node, const EqualGraphDefOptions& options = {}) {
  uint64_t hash = Hash64(node.name() + "\n" + node.op() + "\n" + node.device());
  for (const std::string& input : internal::SortedInputs(node)) hash = Hash64Combine(hash, Hash64(input));
  for (const auto& [name, value] : internal::ComparedAttrs(node, options))
    hash = Hash64Combine(Hash64Combine(hash, Hash64(name)), AttrValueHash(*value));
  return hash;
}
template <class Nodes>
uint64_t RepeatedNodeDefHash(const Nodes& nodes, const EqualGraphDefOptions& options = {}) {
  std::map<std::string, const NodeDef*> sorted;
  for (const NodeDef& node : nodes) sorted[node.name()] = &node;
  uint64_t hash = 0;
  for (const auto& [name, node] : sorted) hash = Hash64Combine(hash, NodeDefHash(*node, options));
  return hash;
}
inline uint64_t GraphDefHash(const GraphDef& graph, const EqualGraphDefOptions& options = {}) {
  return RepeatedNodeDefHash(graph.node(), options);
}

}  // namespace tensorflow

#define TF_EXPECT_GRAPH_EQ(EXPECTED, ACTUAL)                                         \
  do {                                                                               \
    std::string tf_diff;                                                             \
    EXPECT_TRUE(::tensorflow::EqualGraphDef(ACTUAL, EXPECTED, &tf_diff)) << tf_diff; \
  } while (false)
