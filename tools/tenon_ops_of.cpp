// SPDX-License-Identifier: Apache-2.0
// Lists the ops and dtypes that graphs need, those of their functions included, and writes the file that registers
// these and nothing else. tenon_add_graph_kernels (cmake/TenonKernels.cmake) runs it at build time.
//
//   tenon_ops_of GRAPH...                               a table; a GRAPH is a GraphDef or the folder of a SavedModel
//   tenon_ops_of --register FILE.cpp GRAPH...           the includes and TENON_REGISTER lines
//   tenon_ops_of --register-all FILE.cpp...             all ops of Tenon, in so many files that compile about as long
//     --types TYPE;TYPE ...                             for these types only: TensorFlow's names
//     --only HEADER;HEADER ...                          ops of headers below tenon/ops that begin so: list/;math/matmul
//   tenon_ops_of --save ...                             with the ops of a SavedModel's own saver, for SavedModel::Save
//   tenon_ops_of --headers DIR;DIR ...                  where <tenon/ops/...> is; without it, ./include
//
// Exit status: 0, also when a graph has ops that Tenon does not have (they are named on stderr); 1 when a file cannot
// be read or written; 2 for a wrong command line.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/graph/prune.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/io/saved_model_file.hpp>
#include <tenon/op/op_def/op_usage.hpp>
#include <tenon/ops.hpp>

namespace {

// An op of the library, without its kernels.
struct KnownOp {
  const tenon::OpView* view;
  const tenon::detail::TypedAttrs* typed;  // the attrs that its kernels are made for
};
template <class... Op>
std::vector<KnownOp> OpsOf(tenon::OpList<Op...>) {
  return {{&tenon::detail::kOpView<Op>, &tenon::detail::kTyped<Op>}...};
}

struct Need {
  std::int64_t nodes = 0;
  std::map<std::string, tenon::DataTypeSet> types;  // by attr
};
using Needs = std::map<std::string, Need>;

void Add(const tenon::SlimVector<tenon::OpUsage>& usage, Needs* needs) {
  for (const tenon::OpUsage& use : usage) {
    Need& need = (*needs)[use.op];
    need.nodes += use.nodes;
    for (const tenon::OpUsage::TypeAttr& attr : use.types) need.types[attr.name] = need.types[attr.name] | attr.types;
  }
}

std::string TypeNames(tenon::DataTypeSet types) {
  if (types == tenon::kAllTypes) return "any type";
  std::string names;
  for (const tenon::DataType type : types) tenon::StrAppend(&names, names.empty() ? "" : ",", type);
  return names;
}

void Print(const Needs& needs) {
  for (const auto& [op, need] : needs) {
    std::string types;
    for (const auto& [attr, set] : need.types) tenon::StrAppend(&types, "  ", attr, ": ", TypeNames(set));
    std::printf("%-32s %6lld%s\n", op.c_str(), static_cast<long long>(need.nodes), types.c_str());
  }
}

// Where an op is defined.
struct Definition {
  std::string name;  // name of the struct
  std::string header;
};

// Op -> the struct that begins a line, `struct MatMul {`, in some header; it has the op's name, or says Op("...").
// `folders` are separated by ';'.
std::map<std::string, Definition> FindHeaders(std::string_view folders) {
  std::map<std::string, Definition> headers;
  while (headers.empty() && !folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(';'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    const std::filesystem::path root = std::filesystem::path(folder) / "tenon" / "ops";
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::recursive_directory_iterator i(root, error), end; !error && i != end; i.increment(error))
      if (i->path().extension() == ".hpp") files.push_back(i->path());
    std::sort(files.begin(), files.end());
    for (const std::filesystem::path& path : files) {
      const std::string header = "tenon/ops/" + std::filesystem::relative(path, root, error).generic_string();
      std::ifstream file(path);
      std::string name;
      for (std::string line; std::getline(file, line);) {
        if (line.starts_with("struct ") && line.back() != ';') {
          name = line.substr(7, std::min(line.find_first_of(" :{", 7), line.size()) - 7);
          headers.try_emplace(name, Definition{name, header});
        }
        const std::size_t op = std::min(line.find(" Op(\""), line.find("(Op(\""));
        if (op != line.npos && !name.empty())
          headers[line.substr(op + 5, line.find('"', op + 5) - op - 5)] = {name, header};
      }
    }
  }
  return headers;
}

void PrintNoHeader(std::string_view op, const std::string& folders) {
  std::fprintf(stderr, "tenon_ops_of: no header in tenon/ops below '%s' defines struct %s; say --headers DIR\n",
               folders.c_str(), std::string(op).c_str());
}

// tenon::Types<...> with these.
std::string TypeList(tenon::DataTypeSet set) {
  std::string types;
  for (const tenon::DataType type : set)
    tenon::StrAppend(&types, types.empty() ? "" : ", ", "tenon::type_of_t<tenon::DataTypeFromName(\"", type, "\")>");
  return "tenon::Types<" + types + ">";
}

// The file's text; empty after an error, which is printed.
std::string RegistrationFile(const Needs& needs, const std::vector<std::string>& graphs, const std::string& folders) {
  const std::vector<KnownOp> known = OpsOf(tenon::ops::All{});
  const std::map<std::string, Definition> headers = FindHeaders(folders);
  std::set<std::string> includes;
  std::map<std::uint64_t, std::vector<std::string>> lines;  // by the types that the kernels are made for; 0: no type
  std::string missing;
  bool complex = false;
  for (const auto& [op, need] : needs) {
    const auto at = std::find_if(known.begin(), known.end(), [&](const KnownOp& k) { return k.view->name == op; });
    if (at == known.end()) {
      tenon::StrAppend(&missing, missing.empty() ? "" : ", ", op);
      continue;
    }
    const auto header = headers.find(op);
    if (header == headers.end()) {
      PrintNoHeader(op, folders);
      return {};
    }
    includes.insert(header->second.header);
    tenon::DataTypeSet types;
    for (int k = 0; k < at->typed->count; ++k) {
      const tenon::AttrSpec& attr = at->view->attrs[static_cast<std::size_t>(at->typed->attr[k])];
      if (const auto found = need.types.find(std::string(attr.name())); found != need.types.end())
        types = types | (found->second & attr.allowed_types);
    }
    complex = complex || !(types & tenon::kComplexTypes).empty();
    lines[types.mask].push_back("tenon::ops::" + header->second.name);
  }
  std::string text = "// Written by tenon_ops_of for";
  for (const std::string& graph : graphs)
    tenon::StrAppend(&text, " ", std::filesystem::path(graph).filename().string());
  text += ".\n#include <tenon/kernel/register.hpp>\n";
  if (complex) text += "#include <tenon/types/complex.hpp>\n";
  for (const std::string& header : includes) tenon::StrAppend(&text, "#include <", header, ">\n");
  text += "\n";
  if (!missing.empty()) {
    tenon::StrAppend(&text, "// Not among Tenon's ops, to be registered elsewhere: ", missing, ".\n");
    std::fprintf(stderr, "tenon_ops_of: not among Tenon's ops: %s\n", missing.c_str());
  }
  for (const auto& [mask, ops] : lines) {
    text += "TENON_REGISTER(";
    if (mask != 0) {
      tenon::StrAppend(&text, TypeList(tenon::DataTypeSet{mask}), ",\n               ");
    }
    for (const std::string& op : ops) tenon::StrAppend(&text, &op == ops.data() ? "" : ",\n               ", op);
    text += ");\n";
  }
  return text;
}

// The tensors and nodes that a loader of the SavedModel may run: outputs of signatures, initialising and restoring, and
// saving where `save` says so.
std::vector<std::string> RootsOf(const tenon::MetaGraphDef& meta_graph, bool save) {
  std::vector<std::string> roots;
  const auto add = [&](std::string_view name) {
    if (!name.empty()) roots.emplace_back(name);
  };
  for (const auto& [key, signature] : meta_graph.signature_def) {
    for (const auto& [output, info] : signature.outputs) {
      add(info.name);
      if (info.coo_sparse) {
        add(info.coo_sparse->values_tensor_name);
        add(info.coo_sparse->indices_tensor_name);
        add(info.coo_sparse->dense_shape_tensor_name);
      }
      if (info.composite_tensor)
        for (const tenon::TensorInfo& part : info.composite_tensor->components) add(part.name);
    }
  }
  for (const std::string_view name : {"saved_model_main_op", "legacy_init_op"})
    if (const tenon::CollectionDef* const nodes = meta_graph.FindCollection(name); nodes != nullptr && nodes->node_list)
      for (const std::string& node : nodes->node_list->value) add(node);
  add(meta_graph.saver_def.restore_op_name);
  if (save) add(meta_graph.saver_def.save_tensor_name);
  return roots;
}

// The graph in a file, or each graph of a SavedModel without the functions that never run.
tenon::Result<std::vector<tenon::GraphDef>> ReadGraphs(const std::string& path, bool save) {
  std::vector<tenon::GraphDef> graphs;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    TENON_ASSIGN_OR_RETURN(tenon::GraphDef graph, tenon::ReadGraphFile(path));
    graphs.push_back(std::move(graph));
    return graphs;
  }
  TENON_ASSIGN_OR_RETURN(const tenon::SavedModelDef saved_model, tenon::ReadSavedModelFile(path));
  for (const tenon::MetaGraphDef& meta_graph : saved_model.meta_graphs) {
    TENON_ASSIGN_OR_RETURN(tenon::GraphDef graph, tenon::Prune(meta_graph.graph_def, RootsOf(meta_graph, save)));
    graph.node = meta_graph.graph_def.node;  // a loader wants the ops of all nodes, and of the functions that run
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

// The parts of a list with ';' between them.
std::vector<std::string> PartsOf(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(';'));
    list.remove_prefix(std::min(list.size(), part.size() + 1));
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

// The ops and types of --register-all.
struct Choice {
  tenon::DataTypeSet types;  // empty: all
  std::vector<std::string> only;  // beginnings of headers below tenon/ops; empty: all
};

// Hundredths of a second that g++ 12 took at -O1 for an op or a kernel of a folder below tenon/ops, as of version 0.1.
int TimeOf(std::string_view folder) {
  static constexpr std::pair<std::string_view, int> kTimes[] = {
      {"array", 25}, {"flow", 20},   {"image", 25}, {"io", 36},       {"linalg", 80},  {"list", 10},
      {"math", 11},  {"nn", 30},     {"queue", 10}, {"ragged", 36},   {"random", 40},  {"sparse", 29},
      {"state", 10}, {"string", 15}, {"table", 10}, {"training", 10}, {"variable", 10}};
  for (const auto& [name, time] : kTimes)
    if (name == folder) return time;
  return 20;
}

// How long an op of a header takes to compile with its kernels for these types, roughly; 0: it has none for them.
std::int64_t WeightOf(const KnownOp& op, tenon::DataTypeSet types, std::string_view header) {
  std::int64_t kernels = 1;
  for (int k = 0; k < op.typed->count; ++k) {
    tenon::DataTypeSet allowed = op.view->attrs[static_cast<std::size_t>(op.typed->attr[k])].allowed_types;
    if (allowed.empty()) allowed = tenon::kAllTypes;
    if (!types.empty()) allowed = allowed & types;
    kernels *= allowed.size();
  }
  if (kernels == 0) return 0;
  header.remove_prefix(std::string_view("tenon/ops/").size());
  return (1 + kernels) * TimeOf(header.substr(0, header.find('/')));
}

bool IsChosen(const std::string& header, const Choice& choice) {
  const std::string_view file = std::string_view(header).substr(std::string_view("tenon/ops/").size());
  return choice.only.empty() || std::any_of(choice.only.begin(), choice.only.end(),
                                            [&](const std::string& begin) { return file.starts_with(begin); });
}

// The ops of one header stay in one file, and neighbours together, which share much of what they instantiate. Files
// weigh about the same. Nothing after an error, which is printed.
std::vector<std::string> RegistrationFilesOfAll(std::size_t count, const std::string& folders, const Choice& choice) {
  const std::map<std::string, Definition> headers = FindHeaders(folders);
  struct Group {
    std::vector<std::string> ops;
    std::int64_t weight = 0;
  };
  std::map<std::string, Group> by_header;
  for (const KnownOp& op : OpsOf(tenon::ops::All{})) {
    const auto found = headers.find(std::string(op.view->name));
    if (found == headers.end()) {
      PrintNoHeader(op.view->name, folders);
      return {};
    }
    const std::string& header = found->second.header;
    const std::int64_t weight = WeightOf(op, choice.types, header);
    if (weight == 0 || !IsChosen(header, choice)) continue;
    Group& group = by_header[header];
    group.ops.push_back("tenon::ops::" + found->second.name);
    group.weight += weight;
  }
  std::int64_t total = 0, before = 0;
  for (const auto& [header, group] : by_header) total += group.weight;
  struct Part {
    std::string includes, ops;
  };
  std::vector<Part> parts(count);
  for (const auto& [header, group] : by_header) {
    const std::int64_t middle = before + group.weight / 2;
    before += group.weight;
    Part& part = parts[static_cast<std::size_t>(middle * static_cast<std::int64_t>(count) / total)];
    tenon::StrAppend(&part.includes, "#include <", header, ">\n");
    for (const std::string& op : group.ops)
      tenon::StrAppend(&part.ops, part.ops.empty() ? "" : ",\n               ", op);
  }
  std::vector<std::string> texts;
  for (const Part& part : parts) {
    texts.push_back(
        "// Written by tenon_ops_of.\n#include <tenon/kernel/register.hpp>\n#include <tenon/types/complex.hpp>\n");
    tenon::StrAppend(&texts.back(), part.includes, "\n");
    if (part.ops.empty()) continue;
    const std::string types = choice.types.empty() ? "" : TypeList(choice.types) + ",\n               ";
    tenon::StrAppend(&texts.back(), "TENON_REGISTER(", types, part.ops, ");\n");
  }
  return texts;
}

// A file that has the text already stays as it is, and is not compiled again.
bool Write(const std::string& path, const std::string& text) {
  std::ifstream old(path, std::ios::binary);
  if (old && std::string(std::istreambuf_iterator<char>(old), {}) == text) return true;
  old.close();
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file.good()) std::fprintf(stderr, "tenon_ops_of: cannot write '%s'\n", path.c_str());
  return file.good();
}

int Usage() {
  std::fprintf(
      stderr,
      "usage: tenon_ops_of [--register FILE.cpp] [--save] [--headers DIR;DIR] GRAPH|SAVED_MODEL_FOLDER...\n"
      "       tenon_ops_of --register-all [--types TYPE;TYPE] [--only HEADER;HEADER] [--headers DIR;DIR] FILE.cpp...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string output, folders = "include";
  std::vector<std::string> graphs;  // or, of --register-all, the files to write
  bool all = false, save = false;
  Choice choice;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if ((arg == "--register" || arg == "--headers") && i + 1 < argc)
      (arg == "--register" ? output : folders) = argv[++i];
    else if (arg == "--register-all")
      all = true;
    else if (arg == "--save")
      save = true;
    else if (arg == "--only" && i + 1 < argc)
      choice.only = PartsOf(argv[++i]);
    else if (arg == "--types" && i + 1 < argc) {
      for (const std::string& name : PartsOf(argv[++i])) {
        const tenon::DataType type = tenon::DataTypeFromName(name);
        if (type == tenon::DataType::kInvalid) {
          std::fprintf(stderr, "tenon_ops_of: --types has '%s', which is not a dtype\n", name.c_str());
          return 2;
        }
        choice.types.insert(type);
      }
    } else if (arg.starts_with("--"))
      return Usage();
    else
      graphs.emplace_back(arg);
  }
  if (graphs.empty() || (all && (save || !output.empty()))) return Usage();
  if (all) {
    const std::vector<std::string> texts = RegistrationFilesOfAll(graphs.size(), folders, choice);
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (!Write(graphs[i], texts[i])) return 1;
    return texts.empty() ? 1 : 0;
  }

  tenon::OpRegistry registry;
  for (const KnownOp& op : OpsOf(tenon::ops::All{}))
    if (const tenon::Status status = registry.Register(*op.view); !status.ok()) {
      std::fprintf(stderr, "tenon_ops_of: %s\n", status.ToString().c_str());
      return 1;
    }
  Needs needs;
  for (const std::string& path : graphs) {
    const auto read = ReadGraphs(path, save);
    if (!read.ok()) {
      std::fprintf(stderr, "tenon_ops_of: %s\n", read.status().ToString().c_str());
      return 1;
    }
    for (const tenon::GraphDef& graph : *read) Add(tenon::OpUsageOfGraph(graph, registry), &needs);
  }
  if (output.empty()) {
    Print(needs);
    return 0;
  }
  const std::string text = RegistrationFile(needs, graphs, folders);
  return !text.empty() && Write(output, text) ? 0 : 1;
}
