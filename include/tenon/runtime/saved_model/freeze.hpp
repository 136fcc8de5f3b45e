// SPDX-License-Identifier: Apache-2.0
#pragma once
// Freeze: a signature of a loaded SavedModel as one GraphDef, whose variables are constants.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/versions.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/runtime/saved_model/constant_variables.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/graph/prune.hpp>
#include <tenon/runtime/api/saved_model.hpp>
#include <tenon/runtime/saved_model/load.hpp>
#include <tenon/runtime/saved_model/model_impl.hpp>
#include <tenon/runtime/saved_model/signature_impl.hpp>
#include <tenon/runtime/saved_model/variables.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// Treatment of the lookup tables in a frozen graph.
enum class FrozenTables : std::uint8_t {
  kFold,  // their contents are constants of the graph, which FrozenGraph::init_op puts into them
  kKeep,  // FrozenGraph::init_op initialises them as the model does, from its assets; folds tables without initialiser
};

// Options of Freeze. Plain data.
struct FreezeOptions {
  FrozenTables tables = FrozenTables::kFold;
};

// A graph that needs no variables. Its inputs and outputs are the signature's, by key.
struct FrozenGraph {
  GraphDef graph;
  std::vector<SignatureTensor> inputs, outputs;
  std::string init_op;  // node that a session runs once, before the first run; "": none
};

namespace detail {

// Returns whether a node makes a lookup table.
inline bool IsTableOp(std::string_view op) {
  for (const std::string_view known :
       {"HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2", "MutableHashTableOfTensors",
        "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2"})
    if (op == known) return true;
  return false;
}
inline bool IsTableInitializer(std::string_view op) {
  for (const std::string_view known :
       {"InitializeTable", "InitializeTableV2", "InitializeTableFromTextFile", "InitializeTableFromTextFileV2",
        "LookupTableImport", "LookupTableImportV2", "LookupTableInsert", "LookupTableInsertV2"})
    if (op == known) return true;
  return false;
}

// one thread.
class ModelFreezer {
 public:
  ModelFreezer(ModelImpl* model, const SignatureImpl& signature, const FreezeOptions& options)
      : model_(*model), signature_(signature), options_(options) {
    const Registry* const registry = static_cast<SessionImpl*>(SessionAccess::Impl(model->session))->options().registry;
    ops_ = registry != nullptr ? &registry->ops() : &Registry::Global().ops();
  }

  Result<FrozenGraph> Freeze() {
    SlimVector<std::string> roots, outputs;
    for (const SignatureTensor& output : signature_.outputs) outputs.push_back(output.tensor);
    for (const std::string& target : signature_.targets) outputs.push_back(target);
    if (outputs.empty())
      return errors::InvalidArgument("Freeze: nothing in signature '", signature_.name, "' can be run");
    // The initialiser too: it may have functions that fill tables.
    TENON_RETURN_IF_ERROR(FindInitOp(model_.meta_graph, model_.folder, &init_op_));
    roots = outputs;
    if (!init_op_.empty() && options_.tables == FrozenTables::kKeep) roots.push_back(init_op_);
    TENON_ASSIGN_OR_RETURN(GraphDef graph, Prune(model_.meta_graph.graph_def, roots));
    TENON_ASSIGN_OR_RETURN(graph, Inline(std::move(graph)));
    roots = outputs;
    if (options_.tables == FrozenTables::kKeep) TENON_RETURN_IF_ERROR(KeepInitializers(outputs, &graph, &roots));
    TENON_ASSIGN_OR_RETURN(graph, Prune(graph, roots));
    TENON_RETURN_IF_ERROR(ReplaceVariables(
        &graph, *ops_, [this](const NodeDef& node) { return VariableValue(model_.session, node.name + ":0"); }));
    TENON_RETURN_IF_ERROR(FoldTables(&graph));
    KeepInputs(&graph);
    FrozenGraph frozen;
    if (!init_inputs_.empty()) {
      NodeDef init;
      init.name = frozen.init_op = FreeName(graph, "init_tables");
      init.op = "NoOp";
      init.input = std::move(init_inputs_);
      graph.node.push_back(std::move(init));
    }
    frozen.graph = std::move(graph);
    frozen.inputs = signature_.inputs;
    frozen.outputs = signature_.outputs;
    return frozen;
  }

 private:
  // The graph without calls and with TensorFlow 1's control flow, so that handles can be followed.
  Result<GraphDef> Inline(GraphDef graph) const {
    ImportOptions options;
    options.check_functions = false;
    TENON_ASSIGN_OR_RETURN(Graph imported, ImportGraphDef(std::move(graph), *ops_, options));
    const FunctionDefLibrary library = imported.library();
    TENON_RETURN_IF_ERROR(LowerAllFunctionalOps(&imported, library, *ops_));
    return imported.ToGraphDef();
  }

  // Appends the nodes that fill tables of the outputs to *roots.
  Status KeepInitializers(const SlimVector<std::string>& outputs, GraphDef* graph, SlimVector<std::string>* roots) {
    ReachedNodes of_outputs(*graph), of_init(*graph);
    for (const std::string& output : outputs) of_outputs.Add(output);
    of_init.Add(init_op_);
    for (const NodeDef& node : graph->node) {
      if (!IsTableInitializer(node.op) || node.input.empty() || !of_init.IsReached(node.name)) continue;
      ReachedNodes of_node(*graph);
      of_node.Add(node.input[0]);
      for (const NodeDef& table : graph->node) {
        if (!IsTableOp(table.op) || !of_node.IsReached(table.name) || !of_outputs.IsReached(table.name)) continue;
        kept_.push_back(table.name);
        roots->push_back(node.name);
        init_inputs_.push_back("^" + node.name);
      }
    }
    // Initialisers also keep paths of assets in variables, which are constants in the frozen graph.
    for (NodeDef& node : graph->node) {
      if (node.op != "AssignVariableOp" || of_outputs.IsReached(node.name)) continue;
      SlimVector<std::string> waits;
      for (const std::string& input : node.input)
        if (input.starts_with('^')) waits.push_back(input);
      node.op = "NoOp";
      node.input = std::move(waits);
      node.attr = {};
    }
    std::vector<NamedTensor> assets;
    TENON_RETURN_IF_ERROR(AssetFeeds(model_.meta_graph, model_.folder, &assets));
    for (const NamedTensor& asset : assets)
      for (NodeDef& node : graph->node)
        if (node.name == ParseTensorName(asset.name).node) BecomeConst(asset.tensor, &node);
    return OkStatus();
  }

  // Inputs that no output needs become placeholders: a run may be given them.
  void KeepInputs(GraphDef* graph) const {
    for (const SignatureTensor& input : signature_.inputs) {
      const TensorName name = ParseTensorName(input.tensor);
      if (name.node.empty() || name.output != 0 || input.dtype == DataType::kInvalid || HasNode(*graph, name.node))
        continue;
      NodeDef& node = graph->node.emplace_back();
      node.name = std::string(name.node);
      node.op = "Placeholder";
      node.attr.Set("dtype", AttrValue(input.dtype));
      node.attr.Set("shape", AttrValue(input.shape));
    }
  }

  // Adds the contents of tables that are not kept, and nodes that put them there.
  Status FoldTables(GraphDef* graph) {
    const std::size_t given = graph->node.size();
    for (std::size_t i = 0; i < given; ++i) {
      const NodeDef table = graph->node[i];
      if (!IsTableOp(table.op) || HasItem(kept_, table.name)) continue;
      const bool has_handle = table.op.ends_with("V2");
      std::vector<Tensor> contents;
      TENON_RETURN_IF_ERROR(Export(table, has_handle, &contents));
      NodeDef import;
      import.name = FreeName(*graph, table.name + "/import");
      import.op = has_handle ? "LookupTableImportV2" : "LookupTableImport";
      import.input = {table.name, import.name + "/keys", import.name + "/values"};
      import.attr.Set("Tin", AttrValue(contents[0].dtype()));
      import.attr.Set("Tout", AttrValue(contents[1].dtype()));
      for (std::size_t k = 0; k < 2; ++k) AddContents(contents[k], import.input[k + 1], graph);
      init_inputs_.push_back("^" + import.name);
      graph->node.push_back(std::move(import));
    }
    return OkStatus();
  }
  // A shape function of the op refuses values that are not scalars, as TensorFlow's: a placeholder hides their shape.
  static void AddContents(const Tensor& contents, const std::string& name, GraphDef* graph) {
    NodeDef constant;
    constant.name = contents.dims() > 1 ? name + "/value" : name;
    BecomeConst(contents, &constant);
    graph->node.push_back(std::move(constant));
    if (contents.dims() <= 1) return;
    NodeDef& hides = graph->node.emplace_back();
    hides.name = name;
    hides.op = "PlaceholderWithDefault";
    hides.input.push_back(name + "/value");
    hides.attr.Set("dtype", AttrValue(contents.dtype()));
    hides.attr.Set("shape", AttrValue(PartialTensorShape()));
  }
  // Reads a table's keys and values, by a node that is added to the session.
  Status Export(const NodeDef& table, bool has_handle, std::vector<Tensor>* contents) {
    const AttrValue *const key = table.attr.Find("key_dtype"), *const value = table.attr.Find("value_dtype");
    if (key == nullptr || value == nullptr)
      return errors::InvalidArgument("Freeze: the table '", table.name, "' lacks the attrs key_dtype and value_dtype");
    GraphDef more;
    more.versions = model_.meta_graph.graph_def.versions;
    more.versions.producer = std::min(more.versions.producer, kGraphDefVersion);
    NodeDef& node = more.node.emplace_back();
    node.name = StrCat("freeze_table_", model_.NextNumber());
    node.op = has_handle ? "LookupTableExportV2" : "LookupTableExport";
    node.input = {table.name};
    node.attr.Set("Tkeys", *key);
    node.attr.Set("Tvalues", *value);
    const std::string name = node.name;
    TENON_RETURN_IF_ERROR(AddContext(model_.session.Extend(more), model_.folder, "freezing a table"));
    Result<std::vector<Tensor>> fetched = model_.session.Run({}, {name + ":0", name + ":1"});
    TENON_RETURN_IF_ERROR(fetched.status());
    *contents = *std::move(fetched);
    return OkStatus();
  }

  static void BecomeConst(const Tensor& value, NodeDef* node) {
    node->op = "Const";
    node->input.clear();
    node->attr = {};
    node->attr.Set("dtype", AttrValue(value.dtype()));
    node->attr.Set("value", AttrValue(value));
  }
  static bool HasNode(const GraphDef& graph, std::string_view name) {
    for (const NodeDef& node : graph.node)
      if (node.name == name) return true;
    return false;
  }
  static std::string FreeName(const GraphDef& graph, std::string name) {
    while (HasNode(graph, name)) name += '_';
    return name;
  }

  ModelImpl& model_;
  const SignatureImpl& signature_;
  const FreezeOptions options_;
  const OpRegistry* ops_;
  std::string init_op_;  // the model's
  SlimVector<std::string> kept_;  // tables that are initialised as in the model
  SlimVector<std::string> init_inputs_;  // inputs of the frozen graph's initialiser
};

}  // namespace detail

// Returns a signature of the model (as SavedModel::signature takes its name) as a graph of its own: calls are inlined,
// control flow is TensorFlow 1's, variables are constants with the values that they have now, which share the
// variables' memory. FailedPrecondition: the signature writes to a variable. NotFound: no such signature. Other errors
// are the errors of ImportGraphDef and Session::Run.
//
//   TENON_ASSIGN_OR_RETURN(FrozenGraph frozen, Freeze(model));
//   TENON_RETURN_IF_ERROR(WriteGraphFile("frozen.pb", frozen.graph));
inline Result<FrozenGraph> Freeze(const SavedModel& model, std::string_view signature = "",
                                  const FreezeOptions& options = {}) {
  return detail::CatchAll("Freeze", [&]() -> Result<FrozenGraph> {
    TENON_ASSIGN_OR_RETURN(const ModelSignature found, model.signature(signature));
    return detail::ModelFreezer(detail::ModelAccess::Impl(model),
                                *static_cast<const detail::SignatureImpl*>(detail::ModelAccess::Impl(found)), options)
        .Freeze();
  });
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
