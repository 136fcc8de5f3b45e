// SPDX-License-Identifier: Apache-2.0
#pragma once
// ImportOptions: options of ImportGraphDef (graph/import.hpp). FunctionImport: its functions for a library.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import_limits.hpp>
#include <tenon/graph/shape_refiner.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// State of shape inference through calls: the library, the functions that it is in, and how much it may still do.
struct CallShapes {
  const FunctionIndex* functions = nullptr;
  SlimVector<std::string_view> inside;
  static constexpr std::size_t kMaxDepth = 64;  // calls within calls: each takes stack
  std::int64_t nodes_left = 100'000;  // nodes of function bodies, for one graph: calls within calls multiply
  ShapeRefiner::Handles held;         // contents of the resources of the body that was imported last
};

class OpInfoCache;

struct ImportOptions {
  bool infer_shapes = true;           // and refuse what can never run
  bool ignore_shape_errors = false;   // a node whose shapes contradict has none: its kernel will refuse them
  bool given_shapes_are_hints = false;  // an _output_shapes attr that contradicts is ignored: bodies of functions
  bool check_devices = false;         // refuses a node's device when it is not a device name, as sessions do
  bool check_functions = true;        // false: functions of the library may have ops that are not registered
  bool leave_out_unknown = false;     // nodes that need ops which are not registered go to Graph::left_out
  bool allow_internal_ops = false;    // names that begin with '_': graphs that the runtime wrote itself
  std::string default_device = {};    // for nodes that ask for none
  ImportLimits limits = {};
  const CancellationManager* cancellation = nullptr;  // gives the import up: Cancelled; may be null
  ConstantEvaluator* evaluator = nullptr;  // outlives the call
  CallShapes* calls = nullptr;             // for a function's body: the calls around it
  OpInfoCache* ops = nullptr;              // for the registry, outlives the call; null: the import makes its own
  std::size_t spare_nodes = 0;             // room of the graph for nodes beside its own
  Owned<ShapeRefiner>* refiner = nullptr;  // gets the refiner of the imported graph, for ExtendGraph; may be null
};

TENON_DETAIL_COLD inline Status ImportCancelled() { return errors::Cancelled("The import of a graph was cancelled"); }

// Import of a library of functions, of <tenon/graph/function_import.hpp>.
struct FunctionImport {
  // Refuses names that are taken and bodies that can never run. `allow_unknown_ops`: but for ops that are not
  // registered.
  Status (*check_library)(const FunctionIndex& functions, bool allow_unknown_ops, OpInfoCache* ops,
                          const CancellationManager* cancellation);
  // The node's op is a function: it becomes a call.
  Status (*make_call)(const FunctionDef& function, NodeDef* node);
  // The shapes that a call's results have with its arguments' shapes.
  Status (*infer_call)(const Graph& graph, int id, const VersionDef& versions, OpInfoCache* ops, CallShapes* calls,
                       ShapeRefiner* refiner);
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
