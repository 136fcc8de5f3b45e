// SPDX-License-Identifier: Apache-2.0
// tenon convert: one kind of model file to another; prunes, folds and optimises graphs.

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_map>

#include <tenon/graph/function_import.hpp>
#include <tenon/graph/function_reach.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/checkpoint.hpp>
#include <tenon/io/npz.hpp>
#include <tenon/io/saved_model_file.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>
#include <tenon/optimize/core/kernels.hpp>
#include <tenon/optimize/optimizer.hpp>
#include <tenon/runtime/saved_model/load.hpp>

#include "arrays.hpp"
#include "model.hpp"
#include "output.hpp"

namespace command {

namespace {

using tenon::DataType;
using tenon::GraphDef;
using tenon::NodeDef;
using tenon::Tensor;
namespace errors = tenon::errors;

// Keeps the nodes that the outputs need, in their order, and the functions that they call.
Status PruneGraph(const std::vector<End>& outputs, GraphDef* graph) {
  std::unordered_map<std::string_view, std::size_t> at;
  for (std::size_t i = 0; i < graph->node.size(); ++i) at.emplace(graph->node[i].name, i);
  std::vector<char> needed(graph->node.size(), 0);
  std::vector<std::size_t> pending;
  const auto need = [&](std::string_view tensor, std::string_view reader) -> Status {
    const std::string_view name = tenon::ParseTensorName(tensor).node;
    const auto found = at.find(name);
    if (found == at.end())
      return errors::InvalidArgument("node '", reader, "' reads '", tensor, "', which the graph does not have");
    if (needed[found->second] == 0) pending.push_back(found->second);
    needed[found->second] = 1;
    return tenon::OkStatus();
  };
  for (const End& end : outputs) TENON_RETURN_IF_ERROR(need(end.tensor, "(output)"));
  while (!pending.empty()) {
    const NodeDef& node = graph->node[pending.back()];
    pending.pop_back();
    for (const std::string& input : node.input) TENON_RETURN_IF_ERROR(need(input, node.name));
  }
  tenon::SlimVector<NodeDef> kept;
  for (std::size_t i = 0; i < graph->node.size(); ++i)
    if (needed[i] != 0) kept.push_back(std::move(graph->node[i]));
  graph->node = std::move(kept);
  graph->library = tenon::ReachableFunctions(graph->library, graph->node);
  return tenon::OkStatus();
}

// Replaces nodes that depend on constants only.
class Fold {
 public:
  Fold(const std::vector<End>& outputs, std::uint64_t limit) : outputs_(outputs), limit_(limit) {}

  Status Run(GraphDef* def) {
    tenon::GraphDef copy = *def;
    TENON_ASSIGN_OR_RETURN(graph_, tenon::ImportGraphDef(std::move(copy), tenon::Registry::Global().ops()));
    TENON_ASSIGN_OR_RETURN(const tenon::Session session, tenon::Session::FromGraphDef(*def));
    Choose();
    // A value above the limit stays computed; what it is computed from may be small.
    for (bool again = true; again;) {
      again = false;
      const std::vector<std::string> names = Frontier();
      if (names.empty()) return tenon::OkStatus();
      TENON_ASSIGN_OR_RETURN(values_, session.Run({}, tenon::Span<const std::string>(names.data(), names.size())));
      for (std::size_t i = 0; i < values_.size(); ++i) {
        if (values_[i].TotalBytes() <= limit_) continue;
        folds_[static_cast<std::size_t>(frontier_[i].node)] = 0;
        again = true;
      }
    }
    return Replace(def);
  }

  std::int64_t num_constants() const { return static_cast<std::int64_t>(frontier_.size()); }

 private:
  // A node whose outputs cannot change: without state, inputs of its own and control flow.
  bool CanFold(const tenon::Node& node) const {
    if (node.op->flags.is_stateful || node.node_class == tenon::NodeClass::kPlaceholder ||
        IsControlFlow(node.node_class) || node.num_inputs() == 0 || node.num_outputs() == 0 ||
        !node.control_inputs.empty() || node.op_name() == "PlaceholderWithDefault" || node.op_name() == "LoopCond")
      return false;
    for (const auto& [name, value] : node.def.attr)
      if (value.kind() == tenon::AttrValue::Kind::kFunc || !value.list().func.empty()) return false;
    for (int i = 0; i < node.num_outputs(); ++i) {
      const DataType type = node.output_type(i);
      if (tenon::IsRefType(type) || type == DataType::kResource || type == DataType::kVariant) return false;
    }
    if (node.num_outputs() > 1) {  // its outputs become nodes of other names
      for (const tenon::OutEdge& edge : node.outputs)
        if (edge.output == tenon::kControlSlot) return false;
      for (const End& end : outputs_)
        if (tenon::ParseTensorName(end.tensor).node == node.name()) return false;
    }
    return tenon::Registry::Global().FindForNode(node.def, "CPU").ok();
  }
  // A constant that waits for another node has its value in a loop or branch only.
  static bool IsConstant(const tenon::Node& node) {
    return node.node_class == tenon::NodeClass::kConstant && node.control_inputs.empty();
  }
  void Choose() {
    folds_.assign(static_cast<std::size_t>(graph_.num_nodes()), 0);
    for (const tenon::Node& node : graph_.nodes()) {
      bool folds = CanFold(node);
      for (int i = 0; folds && i < node.num_inputs(); ++i) {
        const int from = node.input(i).node;
        folds = from >= 0 && (IsConstant(graph_.node(from)) || folds_[static_cast<std::size_t>(from)] != 0);
      }
      folds_[static_cast<std::size_t>(node.id)] = folds;
    }
  }
  // Values of nodes that fold which other nodes read, or which are outputs.
  std::vector<std::string> Frontier() {
    frontier_.clear();
    std::vector<std::string> names;
    for (const tenon::Node& node : graph_.nodes()) {
      if (folds_[static_cast<std::size_t>(node.id)] == 0) continue;
      for (int output = 0; output < node.num_outputs(); ++output) {
        bool is_read = false;
        for (const tenon::OutEdge& edge : node.outputs)
          is_read = is_read || ((edge.output == output || edge.output == tenon::kControlSlot) &&
                                folds_[static_cast<std::size_t>(edge.node)] == 0);
        for (const End& end : outputs_) is_read = is_read || tenon::ParseTensorName(end.tensor).node == node.name();
        if (!is_read) continue;
        frontier_.push_back({node.id, output});
        names.push_back(StrCat(node.name(), ":", output));
      }
    }
    return names;
  }
  Status Replace(GraphDef* def) {
    std::unordered_map<std::string, std::string> renamed;  // "node:1" -> the constant
    std::unordered_map<std::string, std::size_t> constants;  // node of one output -> frontier
    tenon::SlimVector<NodeDef> added;
    const auto constant = [&](std::string name, std::string device, const Tensor& value) {
      NodeDef node;
      node.name = std::move(name);
      node.op = "Const";
      node.device = std::move(device);
      node.attr.Set("dtype", tenon::AttrValue(value.dtype()));
      node.attr.Set("value", tenon::AttrValue(value));
      return node;
    };
    for (std::size_t i = 0; i < frontier_.size(); ++i) {
      const tenon::Node& node = graph_.node(frontier_[i].node);
      if (node.num_outputs() == 1) {
        constants.emplace(node.name(), i);
        continue;
      }
      const std::string name = graph_.NewName(StrCat(node.name(), "/folded_", frontier_[i].output));
      renamed.emplace(StrCat(node.name(), ":", frontier_[i].output), name);
      if (frontier_[i].output == 0) renamed.emplace(node.name(), name);
      added.push_back(constant(name, node.def.device, values_[i]));
    }
    for (NodeDef& node : def->node) {
      if (const auto found = constants.find(node.name); found != constants.end()) {
        node = constant(node.name, node.device, values_[found->second]);
        continue;
      }
      for (std::string& input : node.input)
        if (const auto found = renamed.find(input); found != renamed.end()) input = found->second;
    }
    for (NodeDef& node : added) def->node.push_back(std::move(node));
    return PruneGraph(outputs_, def);
  }

  const std::vector<End>& outputs_;
  const std::uint64_t limit_;
  tenon::Graph graph_;
  std::vector<char> folds_;  // by node
  std::vector<tenon::InEdge> frontier_;
  std::vector<Tensor> values_;
};

// Optimises the graph for runs that feed the signature's inputs and fetch `outputs`. *report: what the passes did.
Status Optimize(const Signature& signature, const std::vector<End>& outputs, tenon::OptimizerLevel level,
                GraphDef* graph, std::string* report) {
  const tenon::Registry& registry = tenon::Registry::Global();
  GraphDef copy = *graph;
  TENON_ASSIGN_OR_RETURN(const tenon::Graph source, tenon::ImportGraphDef(std::move(copy), registry.ops()));
  tenon::OptimizerOptions options{.level = level};
  tenon::GraphEnds ends;
  for (const End& end : signature.inputs) {
    const tenon::TensorName name = tenon::ParseTensorName(end.tensor);
    const tenon::Node* const node = source.Find(name.node);
    if (node == nullptr) continue;
    if (node->node_class == tenon::NodeClass::kPlaceholder)
      ends.feeds.push_back({node->id, name.output});
    else
      options.keep.push_back(node->name());
  }
  for (const End& end : outputs) {
    const tenon::TensorName name = tenon::ParseTensorName(end.tensor);
    const tenon::Node* const node = source.Find(name.node);
    if (node == nullptr) return errors::InvalidArgument("the graph has no node '", name.node, "'");
    if (node->num_outputs() == 0)
      ends.targets.push_back(node->id);
    else
      ends.fetches.push_back({node->id, std::max(name.output, 0)});
  }
  tenon::CpuDevice cpu("/job:localhost/replica:0/task:0/device:CPU:0", tenon::DefaultAllocator(), nullptr);
  tenon::OptimizerKernels kernels(&registry, &cpu, &cpu, source.versions().producer);
  tenon::OpInfoCache ops(registry.ops());
  tenon::OptimizationReport counts;
  TENON_ASSIGN_OR_RETURN(const tenon::Graph optimized,
                         tenon::OptimizeGraph(source, options, &ops, &kernels, &kernels, nullptr, &ends, &counts));
  GraphDef made = optimized.ToGraphDef();
  made.library = tenon::ReachableFunctions(graph->library, made.node);
  *graph = std::move(made);
  *report = counts.DebugString();
  return tenon::OkStatus();
}

std::string KindToWrite(const Args& args) {
  const std::string& path = args.arguments()[1];
  if (args.Has("--to")) return args.Get("--to");
  if (path.ends_with(".pb")) return "binary";
  if (path.ends_with(".pbtxt") || path.ends_with(".prototxt")) return "text";
  if (path.ends_with(".json")) return "json";
  if (path.ends_with(".npz")) return "npz";
  if (path.ends_with("/")) return "saved_model";
  return "";
}

Status Wrote(const Args& args, std::string_view what, std::uint64_t bytes) {
  const std::string& path = args.arguments()[1];
  if (path == "-") {  // standard output has the file
    PrintNote(what);
  } else if (args.json()) {
    Json json;
    Print(json.Begin('{')
              .Member("from", args.arguments()[0])
              .Member("to", path)
              .Member("bytes", bytes)
              .Member("wrote", what)
              .End()
              .text());
  } else {
    Print(StrCat(path, "  ", what, ", ", Bytes(bytes), "\n"));
  }
  return tenon::OkStatus();
}
Status Wrote(const Args& args, std::string_view what) { return Wrote(args, what, SizeOfFile(args.arguments()[1])); }

// Writes bytes to the file of the command line, or to standard output for "-".
Status WriteBytes(const Args& args, std::string_view bytes) {
  const std::string& path = args.arguments()[1];
  if (path != "-") return tenon::WriteFile(path, bytes);
  Print(bytes);
  return tenon::OkStatus();
}

// Tensors by name: a checkpoint or NumPy files to .npz or to a checkpoint.
Status ConvertTensors(const Args& args, FileKind from, const std::string& to) {
  std::vector<tenon::NamedArray> arrays;
  if (IsArrays(from)) {
    TENON_ASSIGN_OR_RETURN(auto all, ReadArrays(args.arguments()[0]));
    const std::string stem = std::filesystem::path(args.arguments()[0]).stem().string();
    for (auto& [name, tensor] : all) arrays.push_back({from == FileKind::kNpz ? name : stem, std::move(tensor)});
  } else {
    std::string prefix;
    if (IsCheckpoint(from)) {
      TENON_ASSIGN_OR_RETURN(prefix, CheckpointPrefix(args.arguments()[0]));
    } else {
      TENON_ASSIGN_OR_RETURN(const std::string folder, SavedModelFolder(args.arguments()[0]));
      prefix = folder + "/variables/variables";
    }
    TENON_ASSIGN_OR_RETURN(tenon::CheckpointReader reader, tenon::CheckpointReader::Open(prefix));
    TENON_ASSIGN_OR_RETURN(const auto names, reader.Names());
    for (const std::string& name : names) {
      if (IsSavedModel(from) && name == "_CHECKPOINTABLE_OBJECT_GRAPH") continue;
      TENON_ASSIGN_OR_RETURN(Tensor tensor, reader.Read(name));
      arrays.push_back({name, std::move(tensor)});
    }
  }
  if (to == "npz") {
    TENON_RETURN_IF_ERROR(tenon::WriteNpz(args.arguments()[1], {arrays.data(), arrays.size()}));
    return Wrote(args, StrCat(arrays.size(), arrays.size() == 1 ? " array" : " arrays"));
  }
  tenon::BundleWriter writer(args.arguments()[1]);
  TENON_RETURN_IF_ERROR(writer.Open());
  for (const tenon::NamedArray& array : arrays) TENON_RETURN_IF_ERROR(writer.Add(array.name, array.tensor));
  TENON_RETURN_IF_ERROR(writer.Finish());
  std::uint64_t bytes = 0;
  for (const std::string_view file : {".index", ".data-00000-of-00001"})
    bytes += SizeOfFile(StrCat(args.arguments()[1], file));
  return Wrote(args, StrCat("a checkpoint of ", arrays.size(), " tensors"), bytes);
}

// Writes the message of a SavedModel, in another form, to a file: the variables stay where they are.
Status ConvertSavedModel(const Args& args, FileKind kind, const std::string& to) {
  TENON_ASSIGN_OR_RETURN(const tenon::SavedModelDef model, ReadSavedModel(args.arguments()[0], kind));
  const std::string bytes = to == "binary" ? tenon::SerializeSavedModelDef(model)
                            : to == "text" ? tenon::SavedModelDefToText(model)
                                           : tenon::ToJson(model);
  TENON_RETURN_IF_ERROR(WriteBytes(args, bytes));
  return Wrote(args, "the message of a SavedModel, without its variables; --freeze writes a graph that has them");
}

// A graph without variables as a SavedModel of one signature. `init_op`: the node that initialises its tables, or "".
Status WriteSavedModel(const std::string& folder, GraphDef graph, const Signature& signature,
                       const std::string& init_op) {
  tenon::SavedModelDef file;
  file.saved_model_schema_version = 1;
  tenon::MetaGraphDef& meta_graph = file.meta_graphs.emplace_back();
  meta_graph.meta_info_def.tags.push_back("serve");
  tenon::SignatureDef def;
  def.inputs = TensorMapOf(signature.inputs);
  def.outputs = TensorMapOf(signature.outputs);
  def.method_name = "tensorflow/serving/predict";
  if (!init_op.empty()) {
    End init;
    init.key = tenon::detail::kInitOpSignature;
    init.tensor = init_op;
    tenon::SignatureDef& initial = meta_graph.signature_def.emplace_back(init.key, tenon::SignatureDef()).second;
    initial.outputs = TensorMapOf({init});
  }
  meta_graph.signature_def.emplace_back("serving_default", std::move(def));
  meta_graph.graph_def = std::move(graph);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return errors::PermissionDenied("'", folder, "': the folder cannot be made: ", error.message());
  return tenon::WriteFile(folder + "/saved_model.pb", tenon::SerializeSavedModelDef(file));
}

}  // namespace

Result<int> RunConvert(const Args& args) {
  const std::string &from = args.arguments()[0], &path = args.arguments()[1];
  const std::string to = KindToWrite(args);
  if (to.empty())
    return args.Usage(
        StrCat("'", path,
               "' has no extension that names a kind; say --to binary, text, json, saved_model, checkpoint or npz"));
  TENON_ASSIGN_OR_RETURN(const FileKind kind, KindOf(from));
  if (path == "-" && (to == "saved_model" || to == "npz" || to == "checkpoint"))
    return args.Usage(StrCat("--to ", to, " wants the name of a file or folder; '-', standard output, takes a graph"));
  if (IsCheckpoint(kind) || IsArrays(kind)) {
    if (to != "npz" && to != "checkpoint")
      return errors::InvalidArgument("'", from, "' is ", Name(kind),
                                     ", which has no graph; --to npz or checkpoint is possible");
    TENON_RETURN_IF_ERROR(ConvertTensors(args, kind, to));
    return kFine;
  }
  if (IsSavedModel(kind) && (to == "npz" || to == "checkpoint")) {
    TENON_RETURN_IF_ERROR(ConvertTensors(args, kind, to));
    return kFine;
  }
  if (IsSavedModel(kind) && !args.Has("--freeze")) {
    if (args.Has("--prune") || args.Has("--fold") || args.Has("--fetch") || args.Has("--optimize") ||
        to == "saved_model")
      return args.Usage(StrCat("'", from, "' is a SavedModel; add --freeze"));
    TENON_RETURN_IF_ERROR(ConvertSavedModel(args, kind, to));
    return kFine;
  }
  if (to == "npz" || to == "checkpoint")
    return errors::InvalidArgument("'", from, "' is ", Name(kind), ", which does not become ", to,
                                   "; --to binary, text or json is possible");
  const OpenOptions options = OpenOptionsOf(args);
  TENON_ASSIGN_OR_RETURN(const std::int64_t limit, args.GetInt("--fold-limit", 10'000'000));
  TENON_ASSIGN_OR_RETURN(Model model, Model::Open(from, options));
  std::string init_op;
  const bool is_meta = IsMetaGraph(kind);
  if (is_meta && to == "saved_model" && !args.Has("--freeze")) {
    if (args.Has("--prune") || args.Has("--fold") || args.Has("--optimize"))
      return args.Usage(StrCat("'", from, "' has variables; add --freeze"));
    TENON_ASSIGN_OR_RETURN(const Signature* const chosen, model.Find(args.Get("--signature")));
    TENON_ASSIGN_OR_RETURN(const std::vector<End> kept, ChooseOutputs(model, *chosen, args.All("--fetch")));
    TENON_RETURN_IF_ERROR(model.Save(path, *chosen, kept));
    TENON_RETURN_IF_ERROR(Wrote(args, "a SavedModel with the variables of the checkpoint"));
    return kFine;
  }
  const bool freezes = IsSavedModel(kind) || (is_meta && args.Has("--freeze"));
  if (!freezes && (args.Has("--freeze") || to == "saved_model")) {
    for (const NodeDef& node : model.graph().node)
      if (node.op == "VarHandleOp" || node.op == "VariableV2" || node.op == "Variable")
        return errors::InvalidArgument(
            "'", from, "' is ", Name(kind), " with the variable '", node.name,
            "', whose value it does not have; a SavedModel, or PREFIX.meta of a checkpoint, is wanted");
  }
  if (freezes) {
    TENON_ASSIGN_OR_RETURN(const Signature* const chosen, model.Find(args.Get("--signature")));
    TENON_RETURN_IF_ERROR(model.Freeze(std::string(chosen->name), args.All("--fetch"), &init_op));
  }
  TENON_ASSIGN_OR_RETURN(const Signature* const signature,
                         model.Find(freezes ? std::string() : args.Get("--signature")));
  std::vector<End> outputs;
  if (args.Has("--prune") || args.Has("--fold") || args.Has("--fetch") || args.Has("--optimize")) {
    TENON_ASSIGN_OR_RETURN(outputs, ChooseOutputs(model, *signature, args.All("--fetch")));
  }
  if (to == "saved_model") {  // a signature has shapes
    GraphDef copy = model.graph();
    const Result<tenon::Graph> imported = tenon::ImportGraphDef(std::move(copy), tenon::Registry::Global().ops());
    if (imported.ok()) model.CompleteShapes(*imported);
  }
  GraphDef graph = model.TakeGraph();
  const std::size_t nodes_before = graph.node.size();
  std::int64_t folded = 0;
  std::vector<End> roots = outputs;
  if (!init_op.empty()) roots.emplace_back().tensor = init_op;
  if (args.Has("--prune") || args.Has("--fetch")) TENON_RETURN_IF_ERROR(PruneGraph(roots, &graph));
  if (args.Has("--fold")) {
    Fold fold(roots, static_cast<std::uint64_t>(limit));
    TENON_RETURN_IF_ERROR(fold.Run(&graph));
    folded = fold.num_constants();
  }
  if (args.Has("--explain") && !args.Has("--optimize")) return args.Usage("--explain needs --optimize");
  std::string report;
  if (args.Has("--optimize")) {
    TENON_RETURN_IF_ERROR(Optimize(*signature, roots, OptimizerLevelOf(args), &graph, &report));
  }
  const bool writes_model = to == "saved_model";
  if (!writes_model) {
    TENON_RETURN_IF_ERROR(WriteBytes(args, to == "binary" ? tenon::SerializeGraphDef(graph)
                                           : to == "text" ? tenon::ToText(graph)
                                                          : tenon::ToJson(graph)));
  } else {
    Signature written = *signature;
    if (!outputs.empty()) written.outputs = outputs;
    TENON_RETURN_IF_ERROR(WriteSavedModel(path, graph, written, init_op));
  }
  std::string what = StrCat(graph.node.size(), " nodes");
  if (graph.node.size() != nodes_before) StrAppend(&what, " of ", nodes_before);
  if (folded > 0) StrAppend(&what, ", ", folded, " of them folded constants");
  if (!init_op.empty()) {
    StrAppend(&what, ", tables initialised by '", init_op, "'");
    if (!writes_model) PrintNote(StrCat("run with --target ", init_op));
  }
  TENON_RETURN_IF_ERROR(Wrote(args, what, SizeOfFile(writes_model ? path + "/saved_model.pb" : path)));
  if (args.Has("--explain") && !args.json() && path != "-") Print(report);
  return kFine;
}

}  // namespace command
