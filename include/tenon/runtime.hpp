// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines the runtime: sessions, executors, eager calls. One source file of a program includes this; a second one is
// harmless. The CMake target tenon::runtime is that source file, compiled once.
//
// TENON_MINIMAL_RUNTIME, defined before this, leaves out all that a plain frozen graph does without: TensorFlow 1
// control flow, functions, the dataflow executor, memory plans, integer folding in shape inference, sessions from a
// GraphDef or GraphBuilder, runs with RunOptions, asynchronous and partial runs, counters, Extend, Reset, ListDevices,
// traces of all sessions, eager calls. Such a program compiles in half of the time. Unimplemented, with this
// header's name: a graph or its options cannot do without one of these.

#include <tenon/tenon.hpp>
#include <tenon/runtime/session/session_runtime.hpp>
#if !defined(TENON_MINIMAL_RUNTIME)
#include <tenon/graph/shapes.hpp>
#include <tenon/runtime/control_flow/executor.hpp>
#include <tenon/runtime/control_flow/parallel_executor.hpp>
#include <tenon/runtime/eager/async_impl.hpp>
#include <tenon/runtime/eager/context_impl.hpp>
#include <tenon/runtime/executor/dataflow.hpp>
#include <tenon/runtime/function/session_functions.hpp>
#include <tenon/runtime/planned/plan_cache.hpp>
#include <tenon/runtime/planned/planned_loop.hpp>
#include <tenon/runtime/session/async_run.hpp>
#include <tenon/runtime/session/counters.hpp>
#include <tenon/runtime/session/extend_reset.hpp>
#include <tenon/runtime/session/partial_run.hpp>
#include <tenon/runtime/session/run_with_options.hpp>
#include <tenon/runtime/session/session_from_graph.hpp>
#include <tenon/runtime/trace/file_sink.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
template struct detail::undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<void>;
TENON_DETAIL_NAMESPACE_END
#endif
