// SPDX-License-Identifier: Apache-2.0
#pragma once
// The runtime's definitions. One source file of a program includes this (or <tenon/tenon.hpp>); a second one is
// harmless.

#include <span>
#include <string>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/session.hpp>
#include <tenon/runtime/session_impl.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

inline Result<Ref<SessionImpl>> CreateSession(Result<GraphDef> graph, SessionOptions options) {
  TENON_RETURN_IF_ERROR(graph.status());
  return SessionImpl::Create(*std::move(graph), std::move(options));
}

template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphFile(
    const std::string& path, SessionOptions options) {
  Session session;
  TENON_ASSIGN_OR_RETURN(session.impl_, CreateSession(ReadGraphFile(path), std::move(options)));
  return session;
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphDefBytes(
    std::span<const std::byte> bytes, SessionOptions options) {
  Session session;
  TENON_ASSIGN_OR_RETURN(session.impl_, CreateSession(ParseGraphDef(bytes), std::move(options)));
  return session;
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphDef(
    const GraphDef& graph, SessionOptions options) {
  Session session;
  TENON_ASSIGN_OR_RETURN(session.impl_, SessionImpl::Create(graph, std::move(options)));
  return session;
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraph(
    const GraphBuilder& builder, SessionOptions options) {
  TENON_RETURN_IF_ERROR(builder.status());
  return FromGraphDef(builder.graph_def(), std::move(options));
}

template <class U>
Result<std::vector<Tensor>> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Run(
    const Session& session, std::span<const NamedTensor> feeds, std::span<const std::string> fetches,
    std::span<const std::string> targets) {
  if (!session.impl_) return NoSession();
  SessionImpl& impl = static_cast<SessionImpl&>(*session.impl_);
  SlimVector<std::string> names;
  SlimVector<Tensor> values;
  for (const NamedTensor& feed : feeds) {
    names.push_back(feed.name);
    values.push_back(feed.tensor);
  }
  TENON_ASSIGN_OR_RETURN(const Ref<Prepared> prepared, impl.Prepare(names, fetches, targets));
  std::vector<Tensor> outputs(fetches.size());
  TENON_RETURN_IF_ERROR(impl.Run(*prepared, values, outputs, nullptr));
  return outputs;
}
template <class U>
Result<Callable> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::MakeCallable(
    const Session& session, const CallableOptions& options) {
  if (!session.impl_) return NoSession();
  SessionImpl& impl = static_cast<SessionImpl&>(*session.impl_);
  TENON_ASSIGN_OR_RETURN(Ref<Prepared> prepared, impl.Prepare(options.feeds, options.fetches, options.targets));
  Callable callable;
  callable.impl_ = Ref<RefCounted>::Adopt(new CallableImpl(session.impl_, std::move(prepared)));
  return callable;
}
template <class U>
void undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Endpoints(
    const Session& session, bool inputs, std::vector<Endpoint>* endpoints) {
  if (!session.impl_) return;
  const SessionImpl& impl = static_cast<const SessionImpl&>(*session.impl_);
  for (const Node& node : impl.graph().nodes()) {
    if (inputs && node.node_class != NodeClass::kPlaceholder) continue;
    for (int i = 0; i < node.num_outputs(); ++i) {
      const auto reads = [&](const OutEdge& edge) { return edge.output == i; };
      if (!inputs && std::any_of(node.outputs.begin(), node.outputs.end(), reads)) continue;
      endpoints->push_back({StrCat(node.name(), ":", i), node.output_type(i), node.output_shape(i).DebugString()});
    }
  }
}
template <class U>
std::vector<std::string> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Devices(
    const Session& session) {
  return !session.impl_ ? std::vector<std::string>() : static_cast<SessionImpl*>(session.impl_.get())->DeviceNames();
}

template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::RunCallable(
    const RefCounted* callable, std::span<const Tensor> feeds, std::span<Tensor> fetches, RunTrace* trace) {
  return callable == nullptr ? NoSession() : static_cast<const CallableImpl*>(callable)->Run(feeds, fetches, trace);
}
template <class U>
std::size_t undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::NumFeeds(
    const RefCounted* callable) {
  return callable == nullptr ? 0 : static_cast<const CallableImpl*>(callable)->program().feeds.size();
}
template <class U>
std::size_t undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::NumFetches(
    const RefCounted* callable) {
  return callable == nullptr ? 0 : static_cast<const CallableImpl*>(callable)->program().fetches.size();
}

template struct undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>;

}  // namespace detail

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
