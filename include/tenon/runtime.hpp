// SPDX-License-Identifier: Apache-2.0
#pragma once
// The runtime's definitions. One source file of a program includes this (or <tenon/tenon.hpp>); a second one is
// harmless.

#include <utility>

#include <tenon/base/exceptions.hpp>
#include <tenon/lean_runtime.hpp>
#include <tenon/session.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/shapes.hpp>
#include <tenon/runtime/executor/dataflow.hpp>
#include <tenon/runtime/control_flow/executor.hpp>
#include <tenon/runtime/function/session_functions.hpp>
#include <tenon/runtime/planned/planned_loop.hpp>
#include <tenon/runtime/control_flow/parallel_executor.hpp>
#include <tenon/runtime/planned/plan_cache.hpp>
#include <tenon/runtime/session/session_impl.hpp>
#include <tenon/runtime/trace/file_sink.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraphDef(
    const GraphDef& graph, SessionOptions options) {
  return CatchAll("Session::FromGraphDef", [&]() -> Result<Session> {
    Session session;
    TENON_ASSIGN_OR_RETURN(session.impl_, SessionImpl::Create(graph, std::move(options)));
    return session;
  });
}
template <class U>
Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<U>::FromGraph(
    const GraphBuilder& builder, SessionOptions options) {
  TENON_RETURN_IF_ERROR(builder.status());
  return FromGraphDef(builder.graph_def(), std::move(options));
}

#if !defined(__CUDACC__)  // there the instantiation of the whole struct, in lean_runtime.hpp, has these members
template Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>::FromGraphDef(
    const GraphDef&, SessionOptions);
template Result<Session> undefined_symbol_means_include_tenon_runtime_hpp_in_one_source_file<void>::FromGraph(
    const GraphBuilder&, SessionOptions);
#endif

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
