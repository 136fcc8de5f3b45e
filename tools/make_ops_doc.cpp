// SPDX-License-Identifier: Apache-2.0
// Writes docs/reference/ops/*.md from the ops and kernels that are linked into this binary, tenon::ops: a page for each
// family, an index, and the coverage of TensorFlow's ops. The family of an op is the folder of the header that defines
// its struct.
//
//   tenon_make_ops_doc PROJECT            writes the pages; PROJECT is the folder that has include, docs and tools
//   tenon_make_ops_doc --check PROJECT    exit status 1 unless the folder has these pages and no others

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tenon/kernel/registry/registry.hpp>
#include <tenon/op/shape/shape_fns.hpp>

namespace {

using tenon::StrAppend;

// The shape functions that have a name of their own (op/shape/shape_fns.hpp).
std::string_view ShapeFnName(tenon::ShapeFn fn) {
  namespace si = tenon::shape_inference;
  static constexpr std::pair<tenon::ShapeFn, std::string_view> kNames[] = {
      {&si::UnchangedShape, "UnchangedShape"},
      {&si::ScalarShape, "ScalarShape"},
      {&si::UnknownShape, "UnknownShape"},
      {&si::NoOutputs, "NoOutputs"},
      {&si::MergeBothInputsShapeFn, "MergeBothInputsShapeFn"},
      {&si::ExplicitShape, "ExplicitShape"},
      {&si::RandomShape, "RandomShape"},
      {&si::BroadcastBinaryOpShapeFn, "BroadcastBinaryOpShapeFn"},
      {&si::MatMulShape, "MatMulShape"},
      {&si::BatchMatMulShape, "BatchMatMulShape"},
      {&si::BatchMatMulV2Shape, "BatchMatMulV2Shape"},
      {&si::BiasAddShape, "BiasAddShape"},
      {&si::BiasAddGradShape, "BiasAddGradShape"},
      {&si::Conv2DShape, "Conv2DShape"},
      {&si::Conv2DShapeWithExplicitPadding, "Conv2DShapeWithExplicitPadding"},
      {&si::DepthwiseConv2DNativeShape, "DepthwiseConv2DNativeShape"},
      {&si::MaxPoolShape, "MaxPoolShape"},
      {&si::MaxPoolShapeWithExplicitPadding, "MaxPoolShapeWithExplicitPadding"},
      {&si::AvgPoolShape, "AvgPoolShape"},
      {&si::FusedBatchNormShape, "FusedBatchNormShape"},
      {&si::FusedBatchNormV3Shape, "FusedBatchNormV3Shape"},
      {&si::ReductionShape, "ReductionShape"},
      {&si::ConcatShape, "ConcatShape"},
      {&si::ConcatV2Shape, "ConcatV2Shape"},
      {&si::ReshapeShape, "ReshapeShape"},
      {&si::PackShape, "PackShape"},
      {&si::SliceShape, "SliceShape"},
      {&si::StridedSliceShape, "StridedSliceShape"},
  };
  if (fn == nullptr) return "none";
  for (const auto& [known, name] : kNames)
    if (known == fn) return name;
  return "its own";
}

template <class Specs>
void AppendList(std::string* out, const Specs& specs, std::string_view before, std::string_view after) {
  for (std::size_t i = 0; i < specs.size(); ++i) StrAppend(out, i == 0 ? "" : ", ", before, specs[i].text, after);
}

// "CPU: T {float,double}, Tidx {int32,int64}" or "CPU: every type".
std::string Kernels(const tenon::SlimVector<const tenon::KernelRow*>& rows) {
  std::vector<std::string_view> devices;
  for (const tenon::KernelRow* row : rows) {
    bool known = false;
    for (const std::string_view device : devices) known = known || device == row->device;
    if (!known) devices.push_back(row->device);
  }
  std::sort(devices.begin(), devices.end());
  std::string text;
  for (const std::string_view device : devices) {
    StrAppend(&text, text.empty() ? "" : "; ", device, ":");
    const tenon::OpRow& op = *rows[0]->op;
    for (int k = 0; k < op.typed_count; ++k) {
      tenon::DataTypeSet types;
      for (const tenon::KernelRow* row : rows)
        if (row->device == device) types.insert(static_cast<tenon::DataType>(row->types[k]));
      StrAppend(&text, k == 0 ? " " : ", ", op.view->attrs[static_cast<std::size_t>(op.typed_attr[k])].name(), " {");
      for (const tenon::DataType type : types) StrAppend(&text, text.back() == '{' ? "" : ", ", type);
      text += "}";
    }
    if (op.typed_count == 0) text += " one kernel for all types";
  }
  return text.empty() ? "none" : text;
}

bool RunsOnGpu(std::string_view op) {
  for (const tenon::KernelRow* row : tenon::Registry::Global().KernelsOf(op))
    if (row->device == "GPU") return true;
  return false;
}

void AppendOp(std::string* out, const tenon::OpView& op, const std::string& header) {
  StrAppend(out, "\n### ", op.name, "\n`(");
  AppendList(out, op.inputs, "", "");
  *out += ") -> (";
  AppendList(out, op.outputs, "", "");
  *out += ")`\n";
  if (!op.attrs.empty()) {
    *out += "- attrs: ";
    AppendList(out, op.attrs, "`", "`");
    *out += "\n";
  }
  StrAppend(out, "- header: `<tenon/ops/", header,
            ">`\n- kernels: ", Kernels(tenon::Registry::Global().KernelsOf(op.name)), "\n");
  StrAppend(out, "- shape function: ", ShapeFnName(op.shape_fn), "\n");
  std::string flags;
  const auto flag = [&flags](bool set, std::string_view name) {
    if (set) StrAppend(&flags, flags.empty() ? "" : ", ", name);
  };
  flag(op.flags.is_stateful, "stateful");
  flag(op.flags.is_commutative, "commutative");
  flag(op.flags.is_aggregate, "aggregate");
  flag(op.flags.allows_uninitialized_input, "allows uninitialised input");
  flag(op.flags.is_distributed_communication, "distributed communication");
  if (!flags.empty()) StrAppend(out, "- ", flags, "\n");
  if (op.deprecated_since != 0)
    StrAppend(out, "- gone from GraphDef version ", op.deprecated_since, " on: ", op.deprecation_text, "\n");
}

// Struct or op -> header below tenon/ops. An op's struct begins a line and has the op's name, or says Op("...").
std::map<std::string, std::string> FindHeaders(const std::filesystem::path& include) {
  std::map<std::string, std::string> headers;
  std::error_code error;
  const std::filesystem::path root = include / "tenon" / "ops";
  std::vector<std::filesystem::path> files;
  for (std::filesystem::recursive_directory_iterator i(root, error), end; !error && i != end; i.increment(error))
    if (i->path().extension() == ".hpp") files.push_back(i->path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files) {
    const std::string header = std::filesystem::relative(path, root, error).generic_string();
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("struct ") && line.back() != ';')
        headers.try_emplace(line.substr(7, std::min(line.find_first_of(" :{", 7), line.size()) - 7), header);
      if (const std::size_t op = std::min(line.find(" Op(\""), line.find("(Op(\"")); op != line.npos)
        headers[line.substr(op + 5, line.find('"', op + 5) - op - 5)] = header;
    }
  }
  return headers;
}
// The folder that a header is in.
std::string FamilyOf(const std::string& header) {
  return std::filesystem::path(header).parent_path().filename().string();
}

// The anchor of a heading, on the site and on code hosts.
std::string Anchor(std::string_view heading) {
  std::string anchor(heading);
  for (char& c : anchor)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return anchor;
}

using Pages = std::map<std::string, std::string>;  // file name -> text

// "a, b, c", in lines of at most 128 characters.
std::string Wrapped(const std::vector<std::string>& names) {
  std::string text;
  std::size_t line = 0;
  for (const std::string& name : names) {
    const bool fits = line + name.size() + 4 <= 128;
    StrAppend(&text, text.empty() ? "" : fits ? ", " : ",\n", "`", name, "`");
    line = (fits ? line + 2 : 0) + name.size() + 2;
  }
  return text;
}

// The page that compares Tenon with a list of TensorFlow's ops: tools/tensorflow_ops.txt.
std::string MakeCoverage(const std::filesystem::path& list) {
  const tenon::OpRegistry& ops = tenon::Registry::Global().ops();
  std::ifstream file(list);
  std::size_t all = 0, have = 0;
  std::vector<std::string> missing;
  std::map<std::string, std::size_t> left_out;  // reason -> ops that Tenon does not have
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    ++all;
    const std::size_t colon = line.find(": ");
    const std::string name = line.substr(0, colon);
    if (ops.Find(name) != nullptr)
      ++have;
    else if (colon == line.npos)
      missing.push_back(name);
    else
      ++left_out[line.substr(colon + 2)];
  }
  std::string page = tenon::StrCat(
      "# Coverage of TensorFlow's ops\n\nTensorFlow 2.21 has ", all, " ops with a kernel for the CPU. Tenon has ", have,
      " of them. `tools/make_ops_doc.cpp` writes this page from\n`tools/tensorflow_ops.txt`. Do not edit it.\n\n"
      "## Left out on purpose\n\n| ops | number |\n|---|---:|\n");
  for (const auto& [reason, number] : left_out) StrAppend(&page, "| ", reason, " | ", number, " |\n");
  StrAppend(
      &page, "\nTPUs have no kernels for the CPU.\n\n## Missing\n\n", missing.size(), " ops: ", Wrapped(missing),
      ".\n\n[Port an op](../../how-to/port-a-tensorflow-op.md) shows how to add one. [All ops](index.md) of Tenon.\n");
  return page;
}

// Empty when no header defines an op; prints its name then.
Pages MakePages(const std::filesystem::path& include) {
  const std::map<std::string, std::string> headers = FindHeaders(include);
  std::map<std::string, std::vector<const tenon::OpView*>> ops_of;
  std::string rows;
  const auto ops = tenon::Registry::Global().ops().ops();
  for (const tenon::OpView* op : ops) {
    const auto header = headers.find(std::string(op->name));
    if (header == headers.end()) {
      std::fprintf(stderr, "make_ops_doc: no header below '%s' defines the op %s\n", include.string().c_str(),
                   std::string(op->name).c_str());
      return {};
    }
    const std::string family = FamilyOf(header->second);
    ops_of[family].push_back(op);
    StrAppend(&rows, "| [", op->name, "](", family, ".md#", Anchor(op->name), ") | ", family, " | `(");
    AppendList(&rows, op->inputs, "", "");
    rows += ") -> (";
    AppendList(&rows, op->outputs, "", "");
    rows += ")` |\n";
  }
  Pages pages;
  std::string& index = pages["index.md"];
  StrAppend(&index, "# Ops\n\nTenon has ", ops.size(),
            " ops. Each family has a page, which lists the attrs and the types of the kernels.\n"
            "TensorFlow's Python documentation says what the ops do.\n\n"
            "`tools/make_ops_doc.cpp` writes these pages from the signatures and the kernels. Do not edit them.\n"
            "[Coverage](coverage.md) lists the ops of TensorFlow that are missing.\n"
            "In a session on a GPU the CPU runs the ops that have no kernel for a GPU.\n\n"
            "| family | ops | with kernels for a GPU |\n|---|---:|---:|\n");
  std::size_t gpu_ops = 0;
  for (const auto& [family, members] : ops_of) {
    std::size_t on_gpu = 0;
    for (const tenon::OpView* op : members) on_gpu += RunsOnGpu(op->name);
    gpu_ops += on_gpu;
    StrAppend(&index, "| [", family, "](", family, ".md) | ", members.size(), " | ", on_gpu, " |\n");
    std::string& page = pages[family + ".md"];
    StrAppend(
        &page, "# Ops: ", family, "\n\n", members.size(), " ops of `include/tenon/ops/", family,
        "`. [All ops](index.md).\n\n",
        "Arguments and attrs are given as TensorFlow declares them. `header` defines the struct for `TENON_REGISTER`.\n"
        "`kernels` lists the types that the kernels are compiled for, by device. `tools/make_ops_doc.cpp` writes this\n"
        "page. Do not edit it.\n");
    for (const tenon::OpView* op : members) AppendOp(&page, *op, headers.at(std::string(op->name)));
  }
  StrAppend(&index, "| all | ", ops.size(), " | ", gpu_ops, " |\n");
  StrAppend(&index, "\n| op | family | arguments |\n|---|---|---|\n", rows);
  return pages;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// Prints what differs.
bool IsUpToDate(const Pages& pages, const std::filesystem::path& folder) {
  bool up_to_date = true;
  const auto complain = [&](const std::string& name, const char* what) {
    std::fprintf(stderr, "make_ops_doc: '%s' %s: ninja ops-doc\n", (folder / name).string().c_str(), what);
    up_to_date = false;
  };
  for (const auto& [name, text] : pages)
    if (ReadFile(folder / name) != text) complain(name, "is out of date");
  std::error_code error;
  for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    if (!pages.contains(i->path().filename().string())) complain(i->path().filename().string(), "is not a family");
  return up_to_date;
}

bool WritePages(const Pages& pages, const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const auto& [name, text] : pages) {
    std::ofstream file(folder / name, std::ios::binary);
    if (!(file << text).flush()) {
      std::fprintf(stderr, "make_ops_doc: cannot write '%s'\n", (folder / name).string().c_str());
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc > 1 && std::string_view(argv[1]) == "--check";
  if (argc != (check ? 3 : 2)) return std::fprintf(stderr, "usage: tenon_make_ops_doc [--check] PROJECT\n"), 2;
  if (const tenon::Status status = tenon::Registry::Global().status(); !status.ok())
    return std::fprintf(stderr, "make_ops_doc: %s\n", status.ToString().c_str()), 1;
  const std::filesystem::path project = argv[argc - 1], folder = project / "docs" / "reference" / "ops";
  Pages pages = MakePages(project / "include");
  if (pages.empty()) return 1;
  pages["coverage.md"] = MakeCoverage(project / "tools" / "tensorflow_ops.txt");
  if (!check) return WritePages(pages, folder) ? 0 : 1;
  if (!IsUpToDate(pages, folder)) return 1;
  std::printf("%s: %zu pages are up to date\n", folder.string().c_str(), pages.size());
  return 0;
}
