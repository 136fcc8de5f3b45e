// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions in ImportGraphDef: their bodies are checked, calls become nodes, and results get the shapes
// that the bodies give them. Fills an extension (base/extensions.hpp); graphs without functions do not need it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/shape/arg_op.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/shape_refiner.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline bool HasUnknownOp(const FunctionDef& function, const FunctionIndex& functions, const OpRegistry& ops) {
  for (const NodeDef& node : function.node_def)
    if (ops.Find(node.op) == nullptr && functions.Find(node.op) == nullptr) return true;
  return false;
}
inline Status CheckFunctionLibrary(const FunctionIndex& functions, bool allow_unknown_ops, OpInfoCache* ops,
                                   const CancellationManager* cancellation) {
  for (const FunctionDef& function : functions.library().function) {
    const std::string& name = function.signature.name;
    const FunctionDef* const first = functions.Find(name);
    if (first != &function && !(*first == function))
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because a different function with the same name already exists.");
    if (ops->registry().Find(name) != nullptr)
      return errors::InvalidArgument("Cannot add function '", name,
                                     "' because an op with the same name already exists.");
  }
  // A function without attrs is what it is in every call: its mistakes are refused now.
  for (const FunctionDef& function : functions.library().function) {
    if (!function.signature.attr.empty()) continue;
    const Status status = InstantiateFunction(function, {}, functions, ops, cancellation).status();
    if (!status.ok() && !(allow_unknown_ops && HasUnknownOp(function, functions, ops->registry()))) return status;
  }
  return OkStatus();
}

// The body is imported with the shapes of the arguments, and what their resources hold; so are its results known
// afterwards. Functions that call themselves, and calls that are
// too deep, are not followed.
inline Status InferFunctionCall(const Graph& graph, int id, const VersionDef& versions, OpInfoCache* ops,
                                CallShapes* calls, ShapeRefiner* refiner) {
  const Node& node = graph.node(id);
  const AttrValue* f = node.def.attr.Find("f");
  const FunctionDef* function = f == nullptr ? nullptr : calls->functions->Find(f->func().name);
  if (function == nullptr || calls->inside.size() >= CallShapes::kMaxDepth ||
      StackIsShort(static_cast<int>(calls->inside.size())) ||
      std::find(calls->inside.begin(), calls->inside.end(), function->signature.name) != calls->inside.end())
    return OkStatus();
  calls->nodes_left -= static_cast<std::int64_t>(function->node_def.size()) + 1;
  if (calls->nodes_left < 0) return OkStatus();
  Result<FunctionGraph> body = InstantiateFunction(*function, f->func().attr, *calls->functions, ops);
  if (body.ok() && body->args.size() > node.inputs.size())
    return errors::Internal("Function instantiation included invalid input index: ", node.inputs.size(), " not in [0, ",
                            node.inputs.size(), "): function '", function->signature.name, "' has ", body->args.size(),
                            " arguments, node '", node.def.name, "' gives ", node.inputs.size());
  if (!body.ok() || body->args.size() != node.inputs.size() || body->results.size() != node.output_types.size())
    return OkStatus();  // refused when the node runs
  for (std::size_t i = 0; i < body->args.size(); ++i) {
    const InEdge& edge = node.inputs[i];
    SlimVector<PartialTensorShape> shape{graph.node(edge.node).output_shape(edge.output)};
    NodeDef& arg = body->graph.node[i];
    arg.attr.erase("_output_shapes");
    arg.attr.Insert("_output_shapes", AttrValue(std::move(shape)));
    const SlimVector<ShapeRefiner::HeldTensor>* const held = refiner->Held(edge);
    if (held == nullptr) continue;
    SlimVector<PartialTensorShape> shapes;
    SlimVector<DataType> types;
    for (const ShapeRefiner::HeldTensor& one : *held) {
      shapes.push_back(one.shape);
      types.push_back(one.dtype);
    }
    arg.attr.Set(std::string(kHandleShapesAttr), AttrValue(std::move(shapes)));
    arg.attr.Set(std::string(kHandleTypesAttr), AttrValue(std::move(types)));
  }
  body->graph.versions = versions;
  ImportOptions options;
  options.allow_internal_ops = true;
  options.given_shapes_are_hints = true;
  options.calls = calls;
  options.ops = ops;
  calls->inside.push_back(function->signature.name);
  const Result<Graph> inner = ImportGraphDef(std::move(body->graph), ops->registry(), options);
  calls->inside.pop_back();
  const ShapeRefiner::Handles handles = std::move(calls->held);
  TENON_RETURN_IF_ERROR(inner.status());
  for (int i = 0; i < node.num_outputs(); ++i) {
    const FunctionGraph::Output& result = body->results[static_cast<std::size_t>(i)];
    const Node& source = *inner->Find(result.node);
    TENON_RETURN_IF_ERROR(refiner->MergeOutputShape(id, i, source.output_shape(result.index)));
    if (const auto* held = ShapeRefiner::FindHeld(handles, {source.id, result.index}); held != nullptr)
      refiner->SetHeld({id, i}, *held);
  }
  return OkStatus();
}

inline constexpr FunctionImport kFunctionImport{&CheckFunctionLibrary, &MakeFunctionCall, &InferFunctionCall};
inline const bool fills_function_import = FillExtension(&extensions.function_import, &kFunctionImport);

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
