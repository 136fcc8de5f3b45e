// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines the entry points of sessions that every program needs. <tenon/runtime.hpp> includes it, with
// TENON_MINIMAL_RUNTIME little else.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/exceptions.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/io/read_graph.hpp>
#include <tenon/runtime/session/callable_impl.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline Result<Ref<SessionImpl>> CreateSession(Result<GraphDef> graph, SessionOptions options) {
  TENON_RETURN_IF_ERROR(graph.status());
  return SessionImpl::Create(*std::move(graph), std::move(options));
}

template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Create(SessionOptions options) {
  return CatchAll("Session::Create", [&]() -> Result<Session> {
    Session session;
    TENON_ASSIGN_OR_RETURN(session.impl_, SessionImpl::Create(std::move(options)));
    return session;
  });
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphFile(
    const std::string& path, SessionOptions options) {
  return CatchAll("Session::FromGraphFile", [&]() -> Result<Session> {
    Session session;
    Result<GraphDef> graph = ReadGraphFile(path, options.map_graph_file ? FileAccess::kMap : FileAccess::kRead);
    TENON_ASSIGN_OR_RETURN(session.impl_, CreateSession(std::move(graph), std::move(options)));
    return session;
  });
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphDefBytes(
    Span<const std::byte> bytes, SessionOptions options) {
  return CatchAll("Session::FromGraphDef", [&]() -> Result<Session> {
    Session session;
    Result<GraphDef> graph = ParseGraphDef(bytes);
    if (errors::IsDataLoss(graph.status()))  // as TF_GraphImportGraphDef
      graph = errors::InvalidArgument("Invalid GraphDef: ", graph.status().message());
    TENON_ASSIGN_OR_RETURN(session.impl_, CreateSession(std::move(graph), std::move(options)));
    return session;
  });
}
template <class U>
Result<std::vector<Tensor>> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Run(
    const Session& session, Span<const NamedTensor> feeds, Span<const std::string> fetches,
    Span<const std::string> targets) {
  if (!session.impl_) return NoSession();
  SessionImpl& impl = static_cast<SessionImpl&>(*session.impl_);
  return CatchAll("Session::Run", [&]() -> Result<std::vector<Tensor>> {
    NamedFeeds in(feeds);
    std::int64_t since_ns = 0;
    TENON_ASSIGN_OR_RETURN(const Ref<PreparedSignature> prepared,
                           impl.PrepareInTime(in.names, fetches, targets, &since_ns));
    TENON_RETURN_IF_ERROR(in.ReadHandles(impl.resources()));
    std::vector<Tensor> outputs(fetches.size());
    TENON_RETURN_IF_ERROR(impl.Run(prepared.get(), in.values, outputs, nullptr, since_ns));
    return outputs;
  });
}
template <class U>
Result<Callable> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::MakeCallable(
    const Session& session, const CallableOptions& options) {
  if (!session.impl_) return NoSession();
  SessionImpl& impl = static_cast<SessionImpl&>(*session.impl_);
  return CatchAll("Session::MakeCallable", [&]() -> Result<Callable> {
    const bool has_places = options.feed_devices.size() + options.fetch_devices.size() != 0;
    TENON_ASSIGN_OR_RETURN(Ref<PreparedSignature> prepared,
                           has_places ? impl.PrepareWithPlaces(options)
                                      : impl.Prepare(options.feeds, options.fetches, options.targets, "MakeCallable"));
    Callable callable;
    callable.impl_ = Ref<RefCounted>::Adopt(new CallableImpl(Ref<SessionImpl>::Share(&impl), std::move(prepared)));
    return callable;
  });
}
template <class U>
void undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Endpoints(
    const Session& session, bool inputs, std::vector<Endpoint>* endpoints) {
  if (!session.impl_) return;
  const Ref<GraphUse> use = static_cast<const SessionImpl&>(*session.impl_).current();
  if (!use) return;
  for (const Node& node : use->state->graph.nodes()) {
    const bool optional = inputs && node.op_name() == "PlaceholderWithDefault";
    if (inputs && !optional && node.node_class != NodeClass::kPlaceholder) continue;
    SlimVector<char> is_read(static_cast<std::size_t>(node.num_outputs()), 0);
    for (const OutEdge& edge : node.outputs)
      if (edge.output >= 0) is_read[static_cast<std::size_t>(edge.output)] = 1;
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (!inputs && is_read[static_cast<std::size_t>(i)] != 0) continue;
      endpoints->push_back(
          {StrCat(node.name(), ":", i), node.output_type(i), node.output_shape(i).DebugString(), optional});
    }
  }
}
template <class U>
std::vector<std::string> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Devices(
    const Session& session) {
  return !session.impl_ ? std::vector<std::string>() : static_cast<SessionImpl*>(session.impl_.get())->DeviceNames();
}

template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::RunCallable(const RefCounted* callable,
                                                                                           Span<const Tensor> feeds,
                                                                                           Span<Tensor> fetches,
                                                                                           RunTrace* trace) {
  if (callable == nullptr) return NoCallable();
  return CatchAll("Callable::Run",
                  [&] { return static_cast<const CallableImpl*>(callable)->Run(feeds, fetches, trace); });
}
template <class U>
Result<std::vector<Tensor>> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Call(
    const RefCounted* callable, Span<const Tensor> feeds) {
  if (callable == nullptr) return NoCallable();
  return CatchAll("Callable::Run", [&]() -> Result<std::vector<Tensor>> {
    const auto* impl = static_cast<const CallableImpl*>(callable);
    std::vector<Tensor> fetches(impl->program().fetches.size());
    TENON_RETURN_IF_ERROR(impl->Run(feeds, fetches, nullptr));
    return fetches;
  });
}
template <class U>
bool undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::GetPlanReport(const RefCounted* callable,
                                                                                           PlanReport* report) {
  return callable != nullptr && static_cast<const CallableImpl*>(callable)->GetPlanReport(report);
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

template <class U>
void undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Release(RefCounted* callable) {
  if (callable != nullptr) static_cast<CallableImpl*>(callable)->Release();
}
template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::Close(const Session& session) {
  if (!session.impl_) return NoSession();
  return CatchAll("Session::Close", [&] {
    static_cast<SessionImpl&>(*session.impl_).Close();
    return OkStatus();
  });
}

template struct undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>;

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_STEP_NAMESPACE_END
