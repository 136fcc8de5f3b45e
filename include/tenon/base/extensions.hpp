// SPDX-License-Identifier: Apache-2.0
#pragma once
// The table of extension points: functions that a binary may lack. Null: the binary was compiled without them. Nothing
// else in include/tenon is a process-wide hook (docs/reference/extension-points.md, checked by tools/check_layers.py).

#include <atomic>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/owned.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class CancellationManager;
class Device;
struct FunctionImport;
class Graph;
struct GraphDef;
struct Node;
struct Program;
class Registry;
template <class T>
class Result;
class ResourceMgr;
class RunRendezvous;
struct SessionOptions;
template <class T>
class SlimVector;
template <class T>
class Span;
class Status;
class Step;
class Tensor;
class TraceSink;
namespace wire {
struct Message;
}

namespace detail {

struct ControlFlow;
class Executor;
class GraphFunctions;
class PlannedLoop;
class RunPlans;
struct SessionExtras;
struct SessionWatch;
struct SeveralDevices;
struct SignatureOptimizer;

using FoldNode = bool (*)(const Node& node, Span<const Tensor> inputs, SlimVector<Tensor>* outputs);
using GraphTextReader = Result<GraphDef> (*)(std::string_view path, std::string_view text);
using DescribeFile = void (*)(const std::string& path, Status* error);
using FedHandleReader = Status (*)(ResourceMgr* resources, Tensor* value);
using MakeExecutor = Owned<Executor> (*)(const Program&, Step*);
using MakeFunctions = Owned<GraphFunctions> (*)(const Registry*, Device* device, Device* host, ResourceMgr*,
                                                const SessionOptions&);
using MakeRunPlans = Owned<RunPlans> (*)(const Program&);
// Plans a loop for variables of these types and shapes. Both programs have just run with them, each in its step, and
// the body has given the variables, `condition` the condition's result. Both are null where the loop counts. The plan
// uses the caches of the body's step, which outlives it. Null: there is no memory.
using MakePlannedLoop = Owned<PlannedLoop> (*)(const Step* cond, const Tensor* condition, Step* body,
                                               Span<const Tensor> variables);
using MakeRunRendezvous = Owned<RunRendezvous> (*)(CancellationManager*);
using KeepSource = GraphDef (*)(const Graph&);
using FindTraceSink = TraceSink* (*)();

// Entries are filled before main and read at any time. thread-safe.
//
// An entry of the first group turns a refusal into support: programs that run without it run alike with it, so any
// header may include the filling one. An entry of the second group changes what sessions do that run without it: only
// one header, the door in tools/check_layers.py, includes the filling one.
struct Extensions {
  // Reads and writes the functions of a GraphDef. op/graph_def/proto_io.hpp. Without: Unimplemented.
  std::atomic<const wire::Message*> function_library{nullptr};
  // Imports the functions of a GraphDef. graph/function_import.hpp. Without: Unimplemented.
  std::atomic<const FunctionImport*> function_import{nullptr};
  // Replaces a fed session handle with its tensor. kernel/session_tensors.hpp. Without: such handles cannot be made.
  std::atomic<FedHandleReader> read_fed_handle{nullptr};
  // Reads a graph file in text format. io/text_graph.hpp. Without: the error of a file that is not a binary graph.
  std::atomic<GraphTextReader> read_graph_text{nullptr};
  // Reads a graph file in JSON. io/json_graph.hpp. Without: the error of a file that is not a binary graph.
  std::atomic<GraphTextReader> read_graph_json{nullptr};
  // Adds to an error what the file at the path is, if that is known. io/recognize.hpp. Without: the error alone.
  std::atomic<DescribeFile> describe_file{nullptr};
  // Runs each node as its inputs arrive. runtime/executor/dataflow.hpp. Without: Unimplemented.
  std::atomic<MakeExecutor> dataflow{nullptr};
  // Runs TensorFlow 1 control flow. runtime/control_flow/parallel_executor.hpp. Without: Unimplemented.
  std::atomic<const ControlFlow*> control_flow{nullptr};
  // Calls functions of the graph. runtime/function/session_functions.hpp. Without: Unimplemented, by the import.
  std::atomic<MakeFunctions> functions{nullptr};
  // Makes the rendezvous of a run. runtime/executor/local_rendezvous.hpp. Without: kernels get none and fail.
  std::atomic<MakeRunRendezvous> rendezvous{nullptr};
  // Runs under time limits, in pools of the session. runtime/session/run_with_options.hpp. Without: FailedPrecondition.
  std::atomic<const SessionExtras*> session_extras{nullptr};
  // Shows runs to SessionOptions::trace_sink. runtime/trace/sink.hpp. Without: FailedPrecondition.
  std::atomic<const SessionWatch*> session_watch{nullptr};
  // Copies a graph before its control flow is lowered, for Session::Extend. runtime/session/extend_reset.hpp. Without:
  // Session::Extend is not defined.
  std::atomic<KeepSource> keep_source{nullptr};
  // Runs sessions on several devices. runtime/multi_device/session_devices.hpp. Without: FailedPrecondition.
  std::atomic<const SeveralDevices*> several_devices{nullptr};
  // Optimises graphs, for SessionOptions::optimizer. runtime/program/optimized_program.hpp. Without:
  // FailedPrecondition.
  std::atomic<const SignatureOptimizer*> optimizer{nullptr};
  // Plans runs whose kernels a GPU records, for SessionOptions::record_steps. runtime/planned/recorded_run.hpp.
  // Without: FailedPrecondition.
  std::atomic<MakeRunPlans> recorded_plans{nullptr};

  // Folds integer nodes in shape inference. graph/shapes.hpp. Without: more shapes are unknown before a run.
  std::atomic<FoldNode> fold_integers{nullptr};
  // Plans the memory of runs. runtime/planned/plan_cache.hpp. Without: no run is planned.
  std::atomic<MakeRunPlans> plans{nullptr};
  // Plans loops. runtime/planned/planned_loop.hpp. Without: no loop is planned.
  std::atomic<MakePlannedLoop> loops{nullptr};
  // Finds the sink that TENON_TRACE names. runtime/trace/file_sink.hpp. Without: TENON_TRACE has no effect.
  std::atomic<FindTraceSink> environment_trace_sink{nullptr};
};
inline constinit Extensions extensions;

// Fills an entry that is empty; the first value stays, so that a plug-in cannot replace what the binary has.
// thread-safe. The only caller is a constant of the header that the entry names:
//
//   inline const bool fills_dataflow = FillExtension(&extensions.dataflow, &MakeDataflowRun);
template <class T>
bool FillExtension(std::atomic<T>* entry, std::type_identity_t<T> value) {
  T empty = nullptr;
  return entry->compare_exchange_strong(empty, value, std::memory_order_acq_rel);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
