// SPDX-License-Identifier: Apache-2.0
// Lists the ops and dtypes that graphs need, those of their functions included, and writes the file that registers
// these and nothing else. tenon_add_graph_kernels (cmake/TenonKernels.cmake) runs it at build time.
//
//   tenon_ops_of GRAPH.pb...                            a table
//   tenon_ops_of --register FILE.cpp GRAPH.pb...        the includes and TENON_REGISTER lines
//   tenon_ops_of --register-all FILE.cpp...             all ops of Tenon for all their types, in so many files
//   tenon_ops_of --headers DIR;DIR ...                  where <tenon/ops/...> is; without it, ./include
//
// Exit status: 0, also when a graph has ops that Tenon does not have (they are named on stderr); 1 when a file cannot
// be read or written; 2 for a wrong command line.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/io/graph_file.hpp>
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
        if (const std::size_t op = line.find(" Op(\""); op != line.npos && !name.empty())
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
      std::string types;
      for (const tenon::DataType type : tenon::DataTypeSet{mask})
        tenon::StrAppend(&types, types.empty() ? "" : ", ", "tenon::type_of_t<tenon::DataTypeFromName(\"", type,
                         "\")>");
      tenon::StrAppend(&text, "tenon::Types<", types, ">,\n               ");
    }
    for (const std::string& op : ops) tenon::StrAppend(&text, &op == ops.data() ? "" : ",\n               ", op);
    text += ");\n";
  }
  return text;
}

// The ops of one header stay in one file; the next header's ops go to the file that has the fewest. Nothing after an
// error, which is printed.
std::vector<std::string> RegistrationFilesOfAll(std::size_t count, const std::string& folders) {
  const std::map<std::string, Definition> headers = FindHeaders(folders);
  std::map<std::string, std::vector<std::string>> by_header;
  for (const KnownOp& op : OpsOf(tenon::ops::All{})) {
    const auto header = headers.find(std::string(op.view->name));
    if (header == headers.end()) {
      PrintNoHeader(op.view->name, folders);
      return {};
    }
    by_header[header->second.header].push_back("tenon::ops::" + header->second.name);
  }
  struct Part {
    std::string includes, ops;
    std::size_t size = 0;
  };
  std::vector<Part> parts(count);
  for (const auto& [header, ops] : by_header) {
    Part& part =
        *std::min_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.size < b.size; });
    tenon::StrAppend(&part.includes, "#include <", header, ">\n");
    for (const std::string& op : ops) tenon::StrAppend(&part.ops, part.ops.empty() ? "" : ",\n               ", op);
    part.size += ops.size();
  }
  std::vector<std::string> texts;
  for (const Part& part : parts) {
    texts.push_back(
        "// Written by tenon_ops_of.\n#include <tenon/kernel/register.hpp>\n#include <tenon/types/complex.hpp>\n");
    tenon::StrAppend(&texts.back(), part.includes, "\n");
    if (!part.ops.empty()) tenon::StrAppend(&texts.back(), "TENON_REGISTER(", part.ops, ");\n");
  }
  return texts;
}

bool Write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file.good()) std::fprintf(stderr, "tenon_ops_of: cannot write '%s'\n", path.c_str());
  return file.good();
}

int Usage() {
  std::fprintf(stderr,
               "usage: tenon_ops_of [--register FILE.cpp] [--headers DIR;DIR] GRAPH.pb...\n"
               "       tenon_ops_of --register-all [--headers DIR;DIR] FILE.cpp...\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string output, folders = "include";
  std::vector<std::string> graphs;  // or, of --register-all, the files to write
  bool all = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if ((arg == "--register" || arg == "--headers") && i + 1 < argc)
      (arg == "--register" ? output : folders) = argv[++i];
    else if (arg == "--register-all")
      all = true;
    else if (arg.starts_with("--"))
      return Usage();
    else
      graphs.emplace_back(arg);
  }
  if (graphs.empty() || (all && !output.empty())) return Usage();
  if (all) {
    const std::vector<std::string> texts = RegistrationFilesOfAll(graphs.size(), folders);
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
    const auto graph = tenon::ReadGraphFile(path);
    if (!graph.ok()) {
      std::fprintf(stderr, "tenon_ops_of: %s\n", graph.status().ToString().c_str());
      return 1;
    }
    Add(tenon::OpUsageOfGraph(*graph, registry), &needs);
  }
  if (output.empty()) {
    Print(needs);
    return 0;
  }
  const std::string text = RegistrationFile(needs, graphs, folders);
  return !text.empty() && Write(output, text) ? 0 : 1;
}
