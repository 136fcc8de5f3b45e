// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a signature names, found in a graph: feeds, fetches and targets, with TensorFlow's errors where there is none
// of that name.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/device.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/program.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

// What a signature names, in a graph.
struct ProgramEnds {
  SlimVector<InEdge> feeds, fetches;
  SlimVector<int> targets;
};
// The device whose memory a feed or fetch is in; null: host memory.
struct EndPlaces {
  SlimVector<Device*> feeds, fetches;
};

// The output of a graph that a feed or fetch names: "x", "x:0". `what`: "feed" or "fetch".
inline Result<InEdge> FindEndpoint(const Graph& graph, std::string_view text, std::string_view what) {
  const TensorName name = ParseTensorName(text);
  const Node* node = name.output == kControlSlot ? nullptr : graph.Find(name.node);
  if (node == nullptr)
    return errors::InvalidArgument("Tensor ", name.node, ":", name.output,
                                   ", specified in either feed_devices or fetch_devices was not found in the Graph: ",
                                   what, " '", text, "'", graph.DidYouMeanNode(name.node));
  if (node->num_outputs() == 0 && what == "fetch")
    return errors::InvalidArgument("Tried to fetch data for '", text,
                                   "', which produces no output.  To run to a node but not fetch any data, pass '",
                                   text,
                                   "' as an argument to the 'target_node_names' argument of the Session::Run API.");
  if (name.output >= node->num_outputs())
    return errors::OutOfRange("Node '", name.node, "' (type: '", node->op_name(),
                              "', num of outputs: ", node->num_outputs(), ") does not have output ", name.output);
  return InEdge{node->id, name.output};
}

inline Status FindEnds(const Graph& graph, Span<const std::string> feeds, Span<const std::string> fetches,
                       Span<const std::string> targets, ProgramEnds* ends) {
  if (fetches.empty() && targets.empty())
    return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
  // As in TensorFlow, names are compared as they are written: "x" may be fed and "x:0" fetched.
  const auto is_fed = [&](const std::string& name) { return std::count(feeds.begin(), feeds.end(), name); };
  for (const std::string& feed : feeds) {
    TENON_ASSIGN_OR_RETURN(InEdge edge, FindEndpoint(graph, feed, "feed"));
    if (const Node& node = graph.node(edge.node); node.def.attr.contains(kStandsForLoweredAttr)) [[unlikely]]
      edge = node.input(edge.output);
    if (is_fed(feed) > 1) return errors::InvalidArgument("Endpoint \"", feed, "\" fed more than once.");
    ends->feeds.push_back(edge);
  }
  for (const std::string& fetch : fetches) {
    TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(graph, fetch, "fetch"));
    if (is_fed(fetch) > 0) return errors::InvalidArgument(fetch, " is both fed and fetched.");
    ends->fetches.push_back(edge);
  }
  std::string missing, hints;
  for (const std::string& target : targets) {
    const TensorName name = ParseTensorName(target);
    if (const Node* node = graph.Find(name.node); node != nullptr)
      ends->targets.push_back(node->id);
    else
      NameMissing(name.node, graph.DidYouMeanNode(name.node), &missing, &hints);
  }
  if (!missing.empty()) return errors::NotFound("PruneForTargets: Some target nodes not found: ", missing, hints);
  return OkStatus();
}

}  // namespace detail

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
