// SPDX-License-Identifier: Apache-2.0
#pragma once
// Endpoints of a signature, found in a graph: feeds, fetches and targets, with TensorFlow's errors for unknown names.
// Also checks whether the tensors of a run fit the signature.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/device.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/left_out.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Endpoints of a signature, in a graph.
struct ProgramEnds {
  SlimVector<InEdge> feeds, fetches;
  SlimVector<int> targets;
};
// The device whose memory a feed or fetch is in; null: host memory.
struct EndPlaces {
  SlimVector<Device*> feeds, fetches;
};

// One text for the names of a signature.
inline std::string SignatureKey(Span<const std::string> feeds, Span<const std::string> fetches,
                                Span<const std::string> targets) {
  std::string key;
  for (const auto& names : {feeds, fetches, targets}) {
    for (const std::string& name : names) key.append(name).push_back('\n');
    key.push_back('\t');
  }
  return key;
}

// The output of a node that a feed or fetch names, `text` as it was written. `what`: "feed" or "fetch".
inline Result<InEdge> OutputOf(const Node& node, const TensorName& name, std::string_view text, std::string_view what) {
  if (node.num_outputs() == 0 && what == "fetch")
    return errors::InvalidArgument("Tried to fetch data for '", text,
                                   "', which produces no output.  To run to a node but not fetch any data, pass '",
                                   text,
                                   "' as an argument to the 'target_node_names' argument of the Session::Run API.");
  if (name.output >= node.num_outputs())
    return errors::OutOfRange("Node '", name.node, "' (type: '", node.op_name(),
                              "', num of outputs: ", node.num_outputs(), ") does not have output ", name.output);
  return InEdge{node.id, name.output};
}
TENON_DETAIL_COLD inline Status NoSuchEndpoint(const TensorName& name, std::string_view text, std::string_view what,
                                               std::string_view hint) {
  return errors::InvalidArgument(
      "Tensor ", name.node, ":", name.output,
      ", specified in either feed_devices or fetch_devices was not found in the Graph: ", what, " '", text, "'", hint);
}

// The output of a graph: "x", "x:0".
inline Result<InEdge> FindEndpoint(const Graph& graph, std::string_view text, std::string_view what) {
  const TensorName name = ParseTensorName(text);
  const Node* node = name.output == kControlSlot ? nullptr : graph.Find(name.node);
  if (node == nullptr) return NoSuchEndpoint(name, text, what, graph.DidYouMeanNode(name.node));
  return OutputOf(*node, name, text, what);
}

// May a run be fed these tensors, and give so many? feed_at(i) is the Program::Feed of feeds[i].
template <class FeedAt>
Status CheckFeeds(Span<const Tensor> feeds, std::size_t num_feeds, const FeedAt& feed_at, std::size_t fetches,
                  std::size_t num_fetches) {
  if (feeds.size() != num_feeds) [[unlikely]]
    return errors::InvalidArgument("Expected ", num_feeds, " feed tensors, but got ", feeds.size());
  if (fetches != num_fetches) [[unlikely]]
    return errors::InvalidArgument("Expected room for ", num_fetches, " fetched tensors, but got ", fetches);
  for (std::size_t i = 0; i < feeds.size(); ++i) {
    const Program::Feed& feed = feed_at(i);
    if (feeds[i].dtype() != feed.dtype) [[unlikely]]
      return errors::InvalidArgument("Expects arg[", i, "] to be ", feed.dtype, " but ", feeds[i].dtype(),
                                     " is provided: feed '", feed.name, "'");
    if (!feed.shape.IsCompatibleWith(feeds[i].shape())) [[unlikely]]
      return errors::InvalidArgument("Cannot feed value of shape ", feeds[i].shape(), " for tensor '", feed.name,
                                     "', which has shape ", feed.shape);
    if (!feeds[i].IsInitialized()) [[unlikely]]
      return errors::InvalidArgument("Feed '", feed.name, "' is a tensor without memory; allocate and fill it first");
    if (!IsAlignedFor(feed.dtype, feeds[i].raw_data())) [[unlikely]]
      return errors::InvalidArgument("Feed '", feed.name,
                                     "': ", MisalignedText(feeds[i].raw_data(), ViewAlignment(feed.dtype)));
  }
  return OkStatus();
}

// `cancellation` gives it up: Cancelled; may be null.
inline Status FindEnds(const Graph& graph, Span<const std::string> feeds, Span<const std::string> fetches,
                       Span<const std::string> targets, ProgramEnds* ends,
                       const CancellationManager* cancellation = nullptr) {
  if (fetches.empty() && targets.empty())
    return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
  if (graph.left_out() != nullptr) [[unlikely]]
    TENON_RETURN_IF_ERROR(CheckLeftOut(*graph.left_out(), feeds, fetches, targets));
  // As in TensorFlow, names are compared as they are written: "x" may be fed and "x:0" fetched.
  NameIndex fed;
  const auto name_of = [feeds](int i) -> std::string_view { return feeds[static_cast<std::size_t>(i)]; };
  SlimVector<char> repeated(feeds.size(), 0);
  for (std::size_t i = 0; i < feeds.size(); ++i)
    if (const int first = fed.Insert(feeds[i], static_cast<int>(i), name_of); first >= 0)
      repeated[static_cast<std::size_t>(first)] = 1;
  for (const std::string& feed : feeds) {
    if (StopsAt(cancellation, static_cast<int>(&feed - feeds.data()))) return PreparingCancelled();
    TENON_ASSIGN_OR_RETURN(InEdge edge, FindEndpoint(graph, feed, "feed"));
    if (const Node& node = graph.node(edge.node); node.def.attr.contains(kStandsForLoweredAttr)) [[unlikely]]
      edge = node.input(edge.output);
    if (repeated[static_cast<std::size_t>(&feed - feeds.data())] != 0)
      return errors::InvalidArgument("Endpoint \"", feed, "\" fed more than once.");
    ends->feeds.push_back(edge);
  }
  for (const std::string& fetch : fetches) {
    if (StopsAt(cancellation, static_cast<int>(&fetch - fetches.data()))) return PreparingCancelled();
    TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(graph, fetch, "fetch"));
    if (fed.Find(fetch, name_of) >= 0) return errors::InvalidArgument(fetch, " is both fed and fetched.");
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

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
