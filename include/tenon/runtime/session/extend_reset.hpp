// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines Session::Extend, Finalize, Reset, ListDevices and num_cached_signatures.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/memory/stats.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/session/callable_impl.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Adds the functions of `from`; one that is there already must be the same.
inline Status AddFunctions(const FunctionDefLibrary& from, FunctionDefLibrary* to) {
  const FunctionDefLibrary before = from.empty() ? FunctionDefLibrary() : *to;
  const FunctionIndex index(before);
  for (const FunctionDef& function : from.function) {
    const FunctionDef* known = index.Find(function.signature.name);
    if (known == nullptr)
      to->function.push_back(function);
    else if (!(*known == function))
      return errors::InvalidArgument("Cannot add function '", function.signature.name,
                                     "' because a different function with the same name already exists.");
  }
  for (const GradientDef& gradient : from.gradient) {
    const GradientDef* known = index.FindGradient(gradient.function_name);
    if (known == nullptr)
      to->gradient.push_back(gradient);
    else if (known->gradient_func != gradient.gradient_func)
      return errors::InvalidArgument("Cannot assign gradient function '", gradient.gradient_func, "' to '",
                                     gradient.function_name, "' because it already has gradient function '",
                                     known->gradient_func, "'");
  }
  return OkStatus();
}

TENON_DETAIL_COLD inline Status NodeIsThere(std::string_view name) {
  return errors::InvalidArgument("GraphDef argument to Extend includes node '", name,
                                 "', which was created by a previous call to Create or Extend in this session.");
}

// Whether `more` has nodes only and the graph can take them: no kernel knows where its nodes are, or they stay there.
inline bool TakesMore(const GraphState& state, const GraphDef& more) {
  const VersionDef &now = state.graph.versions(), &then = more.versions;
  if (state.graph.left_out() != nullptr || state.refiner == nullptr || !more.library.empty() ||
      then.producer != now.producer || then.min_consumer > now.min_consumer)
    return false;
  for (const int bad : then.bad_consumers)
    if (!HasItem(now.bad_consumers, bad)) return false;
  const std::size_t nodes = static_cast<std::size_t>(state.graph.num_nodes()) + more.node.size();
  return nodes <= state.graph.capacity() || state.kernels->empty();
}
inline Status AddNodes(const SessionImpl& session, GraphDef more, GraphState* state) {
  for (const NodeDef& node : more.node)
    if (state->graph.Find(node.name) != nullptr) return NodeIsThere(node.name);
  if (state->functions == nullptr) state->functions = MakeOwned<FunctionIndex>(state->graph.library());
  CallShapes calls;
  calls.functions = state->functions.get();
  ImportOptions options;
  options.calls = &calls;
  options.limits = session.options().import_limits;
  state->kernels->Grow(static_cast<std::size_t>(state->graph.num_nodes()) + more.node.size());
  return ExtendGraph(std::move(more), session.registry().ops(), options, &state->graph, state->refiner.get());
}

// The graph with the nodes, functions and versions of another added.
inline Result<GraphDef> ExtendedGraph(const GraphState& old, const GraphDef& more) {
  const SlimVector<NodeDef>& source = old.source.node;
  const bool lowered = !source.empty();
  NameIndex names;
  const auto name_of = [&source](int i) -> std::string_view { return source[static_cast<std::size_t>(i)].name; };
  for (std::size_t i = 0; i < source.size(); ++i) names.Insert(source[i].name, static_cast<int>(i), name_of);
  for (const NodeDef& node : more.node)
    if (lowered ? names.Find(node.name, name_of) >= 0 : old.graph.Find(node.name) != nullptr)
      return NodeIsThere(node.name);
  GraphDef graph = lowered ? old.source : old.graph.ToGraphDef();
  if (const LeftOutNodes* const left_out = old.graph.left_out(); left_out != nullptr)
    for (const NodeDef& node : left_out->graph.node) graph.node.push_back(node);
  if (graph.versions.producer != more.versions.producer)
    return errors::InvalidArgument("Can't extend GraphDef at version ", graph.versions.producer,
                                   " with graph at version ", more.versions.producer);
  for (const NodeDef& node : more.node) graph.node.push_back(node);
  graph.versions.min_consumer = std::max(graph.versions.min_consumer, more.versions.min_consumer);
  SlimVector<int>& bad_consumers = graph.versions.bad_consumers;
  for (const int bad : more.versions.bad_consumers)
    if (!HasItem(bad_consumers, bad)) bad_consumers.push_back(bad);
  TENON_RETURN_IF_ERROR(AddFunctions(more.library, &graph.library));
  return graph;
}

inline Status ExtendSession(SessionImpl* session, const GraphDef& graph) {
  if (session->IsClosed()) return session->Closed();
  if (session->is_finalized()) return errors::FailedPrecondition("Session has been finalized.");
  const MutexLock lock(*session->extend_mutex());
  bool added = false;
  Status status;
  session->ExtendInPlace([&](GraphState* state) {
    added = TakesMore(*state, graph);
    if (added) status = AddNodes(*session, graph, state);
    if (errors::IsNotFound(status) && !session->options().check_ops) added = false;  // some nodes are to be left out
  });
  if (added) return status;
  GraphDef whole;
  if (const Ref<GraphUse> old = session->current(); !old) {
    if (graph.node.empty()) return OkStatus();
    whole = graph;
  } else {
    TENON_ASSIGN_OR_RETURN(whole, ExtendedGraph(*old->state, graph));
  }
  Owned<ShapeRefiner> refiner;
  ImportOptions options;
  options.check_devices = true;
  options.leave_out_unknown = !session->options().check_ops;
  options.limits = session->options().import_limits;
  options.refiner = &refiner;
  options.spare_nodes = whole.node.size();  // so that the next Extends do not move the nodes
  TENON_ASSIGN_OR_RETURN(Graph imported, ImportGraphDef(std::move(whole), session->registry().ops(), options));
  return session->SetGraph(std::move(imported), std::move(refiner));
}

inline SessionDevice DescribeDevice(const SessionImpl& session, const Device& device) {
  SessionDevice description;
  description.name = device.name();
  description.device_type = std::string(device.type());
  const auto stats = device.allocator()->GetStats();
  if (stats.has_value() && stats->bytes_limit.has_value()) description.memory_limit = *stats->bytes_limit;
  const std::uint64_t where = reinterpret_cast<std::uintptr_t>(&session);
  description.incarnation = HashCombine(Hash64(device.name()), where * 0x9E3779B97F4A7C15u);
  return description;
}

template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::Extend(
    const Session& session, const GraphDef& graph) {
  auto* impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return NoSession();
  return CatchAll("Session::Extend", [&] { return ExtendSession(impl, graph); });
}
template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::Finalize(
    const Session& session) {
  auto* impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return NoSession();
  if (impl->IsClosed()) return impl->Closed();
  if (impl->is_finalized()) return errors::FailedPrecondition("Session already finalized.");
  if (!impl->current()) return SessionImpl::NoGraph("Finalize");
  impl->Finalize();
  return OkStatus();
}
template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::Reset(
    const Session& session, Span<const std::string> containers) {
  auto* impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return NoSession();
  return CatchAll("Session::Reset", [&]() -> Status {
    SlimVector<ResourceMgr*> managers;
    for (const Device* device : impl->devices())
      if (ResourceMgr* const manager = impl->resources_of(device); managers.empty() || managers.back() != manager)
        managers.push_back(manager);
    for (ResourceMgr* manager : managers) {
      if (containers.empty()) TENON_RETURN_IF_ERROR(manager->Cleanup(ResourceMgr::kDefaultContainer));
      for (const std::string& container : containers) TENON_RETURN_IF_ERROR(manager->Cleanup(container));
    }
    impl->Close();
    return OkStatus();
  });
}
template <class U>
Result<std::vector<SessionDevice>>
undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::ListDevices(const Session& session) {
  const auto* impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return NoSession();
  return CatchAll("Session::ListDevices", [&]() -> Result<std::vector<SessionDevice>> {
    std::vector<SessionDevice> devices;
    for (const Device* device : impl->devices()) devices.push_back(DescribeDevice(*impl, *device));
    return devices;
  });
}
template <class U>
std::size_t undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::NumSignatures(
    const Session& session) {
  const auto* impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  return impl == nullptr ? 0 : impl->signatures().size();
}

inline GraphDef SourceOf(const Graph& graph) { return graph.ToGraphDef(); }
inline const bool fills_keep_source = FillExtension(&extensions.keep_source, &SourceOf);

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
