// SPDX-License-Identifier: Apache-2.0
// tenon info: what is in a file.

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include <tenon/graph/import.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/io/checkpoint.hpp>
#include <tenon/io/record_reader.hpp>
#include <tenon/kernel/registry/registry.hpp>

#include "arrays.hpp"
#include "model.hpp"
#include "output.hpp"

namespace command {

namespace {

using tenon::DataType;
using tenon::DataTypeSet;
using tenon::NodeDef;
using tenon::Tensor;

struct OpCount {
  std::int64_t nodes = 0, in_functions = 0;
  DataTypeSet types;  // values of all attrs of type
};

// A constant or a variable.
struct Constant {
  std::string name;
  DataType dtype;
  std::string shape;
  std::uint64_t bytes;
};

struct Contents {
  std::map<std::string, OpCount, std::less<>> ops;  // functions are not among them
  std::vector<std::string> missing;
  std::vector<Constant> constants;
  std::uint64_t constant_bytes = 0;
  std::int64_t function_nodes = 0;
};

void SortBySize(std::vector<Constant>* list) {
  std::sort(list->begin(), list->end(), [](const Constant& a, const Constant& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
}

void AddLargest(std::string_view key, const std::vector<Constant>& list, std::int64_t top, Json* json) {
  json->Key(key).Begin('[');
  for (std::size_t i = 0; i < list.size() && i < static_cast<std::size_t>(top); ++i) {
    json->Begin('{').Member("name", list[i].name).Member("dtype", tenon::Name(list[i].dtype));
    json->Member("shape", list[i].shape).Member("bytes", list[i].bytes).End();
  }
  json->End();
}

std::string LargestText(std::string_view what, const std::vector<Constant>& list, std::int64_t top) {
  if (list.empty() || top == 0) return "";
  Table table("rlll");
  for (std::size_t i = 0; i < list.size() && i < static_cast<std::size_t>(top); ++i)
    table.Row({Bytes(list[i].bytes), list[i].name, std::string(tenon::Name(list[i].dtype)), list[i].shape});
  return StrCat("\nlargest ", what, "\n", table.Text());
}

// "  functions of its objects  call, train", in lines of some width; "" for none.
std::string ListText(std::string_view title, const std::vector<std::string>& items, std::size_t most) {
  if (items.empty()) return "";
  std::string text = StrCat("  ", title), line;
  for (std::size_t i = 0; i < items.size() && i < most; ++i) {
    StrAppend(&line, items[i], i + 1 < items.size() ? ", " : "");
    if (line.size() < 80 && i + 1 < std::min(items.size(), most)) continue;
    StrAppend(&text, text.ends_with('\n') ? "    " : "  ", line, "\n");
    line.clear();
  }
  if (items.size() > most) StrAppend(&text, "    and ", items.size() - most, " more\n");
  return text;
}

Contents ContentsOf(const tenon::GraphDef& graph) {
  Contents contents;
  std::unordered_set<std::string_view> functions;
  for (const tenon::FunctionDef& function : graph.library.function) functions.insert(function.signature.name);
  std::unordered_map<std::string_view, OpCount> ops;
  const auto add = [&](const NodeDef& node, bool in_function) {
    if (!functions.empty() && functions.contains(node.op)) return;
    OpCount& count = ops[node.op];
    ++(in_function ? count.in_functions : count.nodes);
    for (const auto& [name, value] : node.attr) {
      if (value.kind() == tenon::AttrValue::Kind::kType) count.types.insert(tenon::BaseType(value.type()));
      if (value.kind() != tenon::AttrValue::Kind::kTensor || name != "value" || !value.decode_status().ok()) continue;
      const Tensor& tensor = value.tensor();
      const std::uint64_t bytes = tensor.TotalBytes();
      contents.constant_bytes += bytes;
      if (bytes >= 64) contents.constants.push_back({node.name, tensor.dtype(), tensor.shape().DebugString(), bytes});
    }
  };
  for (const NodeDef& node : graph.node) add(node, false);
  for (const tenon::FunctionDef& function : graph.library.function) {
    contents.function_nodes += static_cast<std::int64_t>(function.node_def.size());
    for (const NodeDef& node : function.node_def) add(node, true);
  }
  for (const auto& [op, count] : ops) contents.ops.emplace(op, count);
  for (const auto& [op, count] : contents.ops)
    if (tenon::Registry::Global().FindOp(op) == nullptr) contents.missing.push_back(op);
  SortBySize(&contents.constants);
  return contents;
}

void AddEnds(std::string_view key, const std::vector<End>& ends, Json* json) {
  json->Key(key).Begin('[');
  for (const End& end : ends) {
    json->Begin('{').Member("key", end.key).Member("tensor", end.tensor).Member("dtype", tenon::Name(end.dtype));
    json->Member("optional", end.optional).Key("shape");
    if (end.shape.unknown_rank()) {
      json->Null();
    } else {
      json->Begin('[');
      for (const tenon::Index dim : end.shape) json->Value(static_cast<std::int64_t>(dim));
      json->End();
    }
    json->End();
  }
  json->End();
}

std::string EndsText(std::string_view title, const std::vector<End>& ends, std::size_t most) {
  Table table("llll");
  for (std::size_t i = 0; i < ends.size() && i < most; ++i)
    table.Row({Styled(Style::kBold, ends[i].key), ends[i].tensor, std::string(tenon::Name(ends[i].dtype)),
               ShapeText(ends[i].shape) + (ends[i].optional ? "  (optional)" : "")});
  std::string text = StrCat("  ", title, ends.empty() ? "  none\n" : "\n", table.Text("    "));
  if (ends.size() > most) StrAppend(&text, "    and ", ends.size() - most, " more\n");
  return text;
}

// "float [?,10]" for each output of a node.
std::string OutputsText(const tenon::Graph* graph, const NodeDef& node) {
  const tenon::Node* const found = graph == nullptr ? nullptr : graph->Find(node.name);
  std::string text;
  if (found == nullptr) {
    for (const DataType type : OutputTypesOf(node)) StrAppend(&text, text.empty() ? "" : ", ", type);
    return text;
  }
  for (int i = 0; i < found->num_outputs(); ++i)
    StrAppend(&text, text.empty() ? "" : ", ", found->output_type(i), " ", ShapeText(found->output_shape(i)));
  return text;
}

std::string ArgsText(const tenon::SlimVector<tenon::OpDef::ArgDef>& args) {
  std::string text;
  for (const tenon::OpDef::ArgDef& arg : args) {
    StrAppend(&text, text.empty() ? "" : ", ", arg.name, ": ");
    if (!arg.number_attr.empty()) StrAppend(&text, arg.number_attr, " * ");
    if (arg.type != DataType::kInvalid)
      StrAppend(&text, arg.type);
    else
      StrAppend(&text, arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr);
  }
  return text;
}

// Tensors of the checkpoint of a SavedModel, the largest first.
struct Variables {
  std::vector<Constant> list;
  std::uint64_t bytes = 0;
};
Variables VariablesOf(const Model& model) {
  Variables variables;
  if (!IsSavedModel(model.kind())) return variables;
  const auto folder = SavedModelFolder(model.path());
  if (!folder.ok()) return variables;  // the message alone
  const auto reader = tenon::CheckpointReader::Open(*folder + "/variables/variables");
  if (!reader.ok()) return variables;
  const auto names = reader->Names();
  for (std::size_t i = 0; names.ok() && i < names->size(); ++i) {
    DataType dtype = DataType::kInvalid;
    tenon::TensorShape shape;
    if ((*names)[i] == "_CHECKPOINTABLE_OBJECT_GRAPH" || !reader->Describe((*names)[i], &dtype, &shape).ok()) continue;
    const auto bytes =
        static_cast<std::uint64_t>(shape.num_elements()) * static_cast<std::uint64_t>(tenon::SizeOf(dtype));
    variables.bytes += bytes;
    std::string_view name = (*names)[i];
    constexpr std::string_view kValue = "/.ATTRIBUTES/VARIABLE_VALUE";
    if (name.ends_with(kValue)) name.remove_suffix(kValue.size());
    variables.list.push_back({std::string(name), dtype, shape.DebugString(), bytes});
  }
  SortBySize(&variables.list);
  return variables;
}

Status ShowNode(const tenon::GraphDef& def, const tenon::Graph* graph, const std::string& path, const std::string& name,
                bool as_json) {
  const std::string_view wanted = tenon::ParseTensorName(name).node;
  std::vector<std::string_view> names;
  for (const NodeDef& node : def.node) {
    names.push_back(node.name);
    if (node.name != wanted) continue;
    if (as_json) {
      Json json;
      json.Begin('{').Member("name", node.name).Member("op", node.op).Member("device", node.device);
      json.Key("inputs").Begin('[');
      for (const std::string& input : node.input) json.Value(input);
      json.End().Member("outputs", OutputsText(graph, node)).Key("attrs").Begin('{');
      for (const auto& [attr, value] : node.attr) json.Member(attr, tenon::SummarizeAttrValue(value));
      Print(json.End().End().text());
      return tenon::OkStatus();
    }
    std::string text = StrCat(Styled(Style::kBold, node.name), "  ", node.op, "\n");
    if (!node.device.empty()) StrAppend(&text, "  device  ", node.device, "\n");
    StrAppend(&text, "  inputs  ", node.input.empty() ? "none" : tenon::StrJoin(node.input, ", "), "\n  outputs ",
              OutputsText(graph, node), "\n  attrs\n");
    Table table("ll");
    for (const auto& [attr, value] : node.attr) table.Row({attr, tenon::SummarizeAttrValue(value)});
    Print(text + table.Text("    "));
    return tenon::OkStatus();
  }
  return tenon::errors::NotFound("'", path, "' has no node '", name, "'",
                                 names.size() < 20'000 ? tenon::DidYouMean(wanted, names) : std::string());
}

Status InfoOfModel(const Args& args) {
  const std::string& path = args.arguments()[0];
  OpenOptions options = OpenOptionsOf(args);
  options.describe = true;
  TENON_ASSIGN_OR_RETURN(const std::int64_t top, args.GetInt("--top", 5));
  TENON_ASSIGN_OR_RETURN(Model model, Model::Open(path, options));
  const tenon::GraphDef& def = model.graph();
  const Contents contents = ContentsOf(def);

  // Shapes are known where the graph can be imported.
  tenon::Graph graph;
  bool imported = false;
  std::string fault;
  const bool lists_nodes = args.Has("--nodes") || args.Has("--node");
  if (contents.missing.empty()) {
    tenon::ImportOptions import;
    import.ignore_shape_errors = true;
    Result<tenon::Graph> made = tenon::ImportGraphDef(lists_nodes ? tenon::GraphDef(def) : model.TakeGraph(),
                                                      tenon::Registry::Global().ops(), import);
    imported = made.ok();
    if (imported)
      graph = *std::move(made);
    else
      fault = made.status().ToString();
  }
  if (imported) model.CompleteShapes(graph);
  const tenon::Graph* const shapes = imported ? &graph : nullptr;
  if (args.Has("--node")) return ShowNode(def, shapes, path, args.Get("--node"), args.json());

  const std::int64_t num_nodes = imported ? graph.num_nodes() : static_cast<std::int64_t>(def.node.size());
  const tenon::VersionDef versions = imported ? graph.versions() : def.versions;
  const tenon::FunctionDefLibrary& library = imported ? graph.library() : def.library;
  const auto functions = static_cast<std::int64_t>(library.function.size());
  const Variables variables = VariablesOf(model);
  if (args.json()) {
    Json json;
    json.Begin('{').Member("file", path).Member("kind", Name(model.kind())).Member("bytes", SizeOfFile(path));
    json.Member("nodes", num_nodes).Member("functions", functions).Member("function_nodes", contents.function_nodes);
    json.Member("producer", versions.producer).Member("min_consumer", versions.min_consumer);
    json.Member("variables", static_cast<std::int64_t>(variables.list.size()))
        .Member("variable_bytes", variables.bytes);
    json.Key("tags").Begin('[');
    for (const std::string& tag : model.tags()) json.Value(tag);
    json.End().Key("all_tags").Begin('[');
    for (const std::string& tags : model.all_tags()) json.Value(tags);
    json.End().Key("assets").Begin('[');
    for (const std::string& asset : model.assets()) json.Value(asset);
    json.End().Key("object_functions").Begin('[');
    for (const std::string& function : model.object_functions()) json.Value(function);
    json.End().Member("constant_bytes", contents.constant_bytes).Key("signatures").Begin('[');
    for (const Signature& signature : model.signatures()) {
      json.Begin('{').Member("name", signature.name).Member("method", signature.method);
      AddEnds("inputs", signature.inputs, &json);
      AddEnds("outputs", signature.outputs, &json);
      json.End();
    }
    json.End().Key("ops").Begin('[');
    for (const auto& [op, count] : contents.ops) {
      json.Begin('{').Member("op", op).Member("nodes", count.nodes).Member("in_functions", count.in_functions);
      json.Key("types").Begin('[');
      for (const DataType type : count.types) json.Value(tenon::Name(type));
      json.End().End();
    }
    json.End().Key("missing_ops").Begin('[');
    for (const std::string& op : contents.missing) json.Value(op);
    json.End();
    AddLargest("largest_constants", contents.constants, top, &json);
    AddLargest("largest_variables", variables.list, top, &json);
    if (args.Has("--functions")) {
      json.Key("function_signatures").Begin('[');
      for (const tenon::FunctionDef& function : library.function)
        json.Begin('{')
            .Member("name", function.signature.name)
            .Member("inputs", ArgsText(function.signature.input_arg))
            .Member("outputs", ArgsText(function.signature.output_arg))
            .Member("nodes", static_cast<std::int64_t>(function.node_def.size()))
            .End();
      json.End();
    }
    if (args.Has("--nodes")) {
      json.Key("node_list").Begin('[');
      for (const NodeDef& node : def.node) {
        json.Begin('{').Member("name", node.name).Member("op", node.op).Key("inputs").Begin('[');
        for (const std::string& input : node.input) json.Value(input);
        json.End().Member("outputs", OutputsText(shapes, node)).End();
      }
      json.End();
    }
    if (!fault.empty()) json.Member("fault", fault);
    Print(json.End().text());
    return tenon::OkStatus();
  }

  std::string text = StrCat(Styled(Style::kBold, path), "  ", Name(model.kind()), ", ", Bytes(SizeOfFile(path)), "\n  ",
                            Count(num_nodes), num_nodes == 1 ? " node" : " nodes");
  if (functions > 0) StrAppend(&text, ", ", functions, " functions of ", Count(contents.function_nodes), " nodes");
  StrAppend(&text, ", constants of ", Bytes(contents.constant_bytes), ", written by version ", versions.producer, "\n");
  if (IsSavedModel(model.kind())) {
    StrAppend(&text, "  tags ", tenon::StrJoin(model.tags(), ","), ", variables of ", Bytes(variables.bytes), " in ",
              variables.list.size(), variables.list.size() == 1 ? " tensor" : " tensors", "\n");
    if (model.all_tags().size() > 1)
      StrAppend(&text, "  all graphs, by --tags: ", tenon::StrJoin(model.all_tags(), "; "), "\n");
    text += ListText("assets", model.assets(), 20);
    text += ListText("functions of its objects", model.object_functions(), args.Has("--functions") ? 10'000 : 20);
  }
  for (const Signature& signature : model.signatures()) {
    StrAppend(&text, "\nsignature ", Styled(Style::kBold, signature.name),
              signature.method.empty() ? "" : StrCat("  ", signature.method), "\n");
    StrAppend(&text, EndsText("inputs", signature.inputs, 100), EndsText("outputs", signature.outputs, 100));
  }
  if (!contents.ops.empty()) {
    StrAppend(&text, "\n", contents.ops.size(), contents.ops.size() == 1 ? " op" : " ops", "\n");
    std::vector<std::pair<std::string, OpCount>> by_count(contents.ops.begin(), contents.ops.end());
    std::sort(by_count.begin(), by_count.end(), [](const auto& a, const auto& b) {
      const auto of_a = a.second.nodes + a.second.in_functions, of_b = b.second.nodes + b.second.in_functions;
      return of_a != of_b ? of_a > of_b : a.first < b.first;
    });
    Table table("rll");
    for (const auto& [op, count] : by_count) {
      const bool lacks = tenon::Registry::Global().FindOp(op) == nullptr;
      table.Row(
          {Count(count.nodes + count.in_functions), lacks ? Styled(Style::kBad, op) : op, TypesText(count.types)});
    }
    text += table.Text();
  }
  text += LargestText("constants", contents.constants, top);
  text += LargestText("variables", variables.list, top);
  if (args.Has("--functions")) {
    StrAppend(&text, "\nfunctions\n");
    for (const tenon::FunctionDef& function : library.function)
      StrAppend(&text, "  ", Styled(Style::kBold, function.signature.name), "(", ArgsText(function.signature.input_arg),
                ") -> (", ArgsText(function.signature.output_arg), ")  ", function.node_def.size(), " nodes\n");
  }
  if (args.Has("--nodes")) {
    StrAppend(&text, "\nnodes\n");
    Table table("llll");
    for (const NodeDef& node : def.node)
      table.Row({node.name, node.op, StrCat("(", tenon::StrJoin(node.input, ", "), ")"), OutputsText(shapes, node)});
    text += table.Text();
  }
  text += "\n";
  if (contents.missing.empty()) {
    StrAppend(&text, Styled(Style::kGood, "Tenon has all ops of this file."), "\n");
  } else {
    StrAppend(&text,
              Styled(Style::kBad,
                     StrCat("Tenon lacks ", contents.missing.size(), contents.missing.size() == 1 ? " op" : " ops")),
              ": ", tenon::StrJoin(contents.missing, ", "), " (see tenon check)\n");
  }
  if (!fault.empty()) StrAppend(&text, Styled(Style::kBad, "the graph has a fault"), ": ", fault, "\n");
  Print(text);
  return tenon::OkStatus();
}

// Arrays of a NumPy file or tensors of a checkpoint.
struct Row {
  std::string name, dtype, shape;
  std::uint64_t bytes;
};

void ShowRows(const Args& args, FileKind kind, std::string_view what, const std::vector<Row>& rows) {
  const std::string& path = args.arguments()[0];
  std::uint64_t total = 0;
  for (const Row& row : rows) total += row.bytes;
  if (args.json()) {
    Json json;
    json.Begin('{')
        .Member("file", path)
        .Member("kind", Name(kind))
        .Member("bytes", SizeOfFile(path))
        .Key(what)
        .Begin('[');
    for (const Row& row : rows)
      json.Begin('{')
          .Member("name", row.name)
          .Member("dtype", row.dtype)
          .Member("shape", row.shape)
          .Member("bytes", row.bytes)
          .End();
    Print(json.End().End().text());
    return;
  }
  Table table("lllr");
  for (const Row& row : rows) table.Row({Styled(Style::kBold, row.name), row.dtype, row.shape, Bytes(row.bytes)});
  if (rows.size() == 1) what.remove_suffix(1);
  Print(StrCat(Styled(Style::kBold, path), "  ", Name(kind), ", ", rows.size(), " ", what, " of ", Bytes(total), "\n",
               table.Text()));
}

Status InfoOfArrays(const Args& args, FileKind kind) {
  TENON_ASSIGN_OR_RETURN(const auto arrays, ReadArrays(args.arguments()[0]));
  std::vector<Row> rows;
  for (const auto& [name, tensor] : arrays)
    rows.push_back({name, std::string(tenon::Name(tensor.dtype())), tensor.shape().DebugString(), tensor.TotalBytes()});
  ShowRows(args, kind, "arrays", rows);
  return tenon::OkStatus();
}

Status InfoOfCheckpoint(const Args& args) {
  TENON_ASSIGN_OR_RETURN(const std::string prefix, CheckpointPrefix(args.arguments()[0]));
  TENON_ASSIGN_OR_RETURN(const tenon::CheckpointReader reader, tenon::CheckpointReader::Open(prefix));
  TENON_ASSIGN_OR_RETURN(const auto names, reader.Names());
  std::vector<Row> rows;
  for (const std::string& name : names) {
    DataType dtype = DataType::kInvalid;
    tenon::TensorShape shape;
    std::string type_name;
    TENON_RETURN_IF_ERROR(reader.Describe(name, &dtype, &shape, &type_name));
    const auto bytes =
        static_cast<std::uint64_t>(shape.num_elements()) * static_cast<std::uint64_t>(tenon::SizeOf(dtype));
    rows.push_back({name, type_name, shape.DebugString(), bytes});
  }
  ShowRows(args, FileKind::kCheckpointPrefix, "tensors", rows);
  return tenon::OkStatus();
}

Status InfoOfRecords(const Args& args) {
  const std::string& path = args.arguments()[0];
  TENON_ASSIGN_OR_RETURN(tenon::RecordReader reader, tenon::RecordReader::Open(path));
  std::int64_t count = 0;
  std::uint64_t bytes = 0, longest = 0;
  std::string_view record;
  while (reader.Next(&record)) {
    ++count;
    bytes += record.size();
    longest = std::max<std::uint64_t>(longest, record.size());
  }
  TENON_RETURN_IF_ERROR(reader.status());
  if (args.json()) {
    Json json;
    json.Begin('{').Member("file", path).Member("kind", Name(FileKind::kRecords)).Member("bytes", SizeOfFile(path));
    Print(json.Member("records", count).Member("record_bytes", bytes).Member("longest", longest).End().text());
  } else {
    Print(StrCat(Styled(Style::kBold, path), "  ", Name(FileKind::kRecords), ", ", Count(count), " records of ",
                 Bytes(bytes), ", the longest ", Bytes(longest), "\n"));
  }
  return tenon::OkStatus();
}

Status InfoOfImage(const Args& args) {
  const std::string& path = args.arguments()[0];
  Signature any;
  any.inputs.emplace_back();
  any.inputs[0].key = "image";
  any.inputs[0].dtype = DataType::kUint8;
  TENON_ASSIGN_OR_RETURN(const Feeds feeds, ReadFeeds(any, {"image=" + path}, {}, false));
  const tenon::TensorShape& shape = feeds.tensors[0].shape();
  if (args.json()) {
    Json json;
    json.Begin('{').Member("file", path).Member("kind", Name(FileKind::kImage)).Member("bytes", SizeOfFile(path));
    json.Member("height", std::int64_t{shape.dim_size(1)}).Member("width", std::int64_t{shape.dim_size(2)});
    Print(json.End().text());
  } else {
    Print(StrCat(Styled(Style::kBold, path), "  an image of ", shape.dim_size(1), " rows and ", shape.dim_size(2),
                 " columns, ", Bytes(SizeOfFile(path)), "\n"));
  }
  return tenon::OkStatus();
}

}  // namespace

Result<int> RunInfo(const Args& args) {
  TENON_ASSIGN_OR_RETURN(const FileKind kind, KindOf(args.arguments()[0]));
  if (IsCheckpoint(kind)) {
    TENON_RETURN_IF_ERROR(InfoOfCheckpoint(args));
    return kFine;
  }
  switch (kind) {
    case FileKind::kNpy:
    case FileKind::kNpz: TENON_RETURN_IF_ERROR(InfoOfArrays(args, kind)); break;
    case FileKind::kRecords: TENON_RETURN_IF_ERROR(InfoOfRecords(args)); break;
    case FileKind::kImage: TENON_RETURN_IF_ERROR(InfoOfImage(args)); break;
    default: TENON_RETURN_IF_ERROR(InfoOfModel(args)); break;
  }
  return kFine;
}

}  // namespace command
