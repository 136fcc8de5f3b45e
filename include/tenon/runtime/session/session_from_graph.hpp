// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines Session::FromGraphDef of a GraphDef and Session::FromGraph.

#include <utility>

#include <tenon/base/exceptions.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::FromGraphDef(
    const GraphDef& graph, SessionOptions options) {
  return CatchAll("Session::FromGraphDef", [&]() -> Result<Session> {
    Session session;
    TENON_ASSIGN_OR_RETURN(session.impl_, SessionImpl::Create(graph, std::move(options)));
    return session;
  });
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::FromGraph(
    const GraphBuilder& builder, SessionOptions options) {
  TENON_RETURN_IF_ERROR(builder.status());
  return FromGraphDef(builder.graph_def(), std::move(options));
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
