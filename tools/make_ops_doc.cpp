// SPDX-License-Identifier: Apache-2.0
// Writes docs/ops.md from the ops and kernels that are linked into this program: tenon::ops.
//
//   tenon_make_ops_doc                 the text to stdout
//   tenon_make_ops_doc --check FILE    exit status 1 unless the file has just this text

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
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

void AppendOp(std::string* out, const tenon::OpView& op) {
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
  StrAppend(out, "- kernels: ", Kernels(tenon::Registry::Global().KernelsOf(op.name)), "\n");
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

std::string Document() {
  const auto ops = tenon::Registry::Global().ops().ops();
  std::string text =
      "# Ops\n\n"
      "Written by `tools/make_ops_doc.cpp` from the signatures and the kernels; not edited by hand. Arguments and attrs\n"
      "are given as TensorFlow declares them; `kernels` lists the types that the kernels are compiled for, by device\n"
      "(TensorFlow's Python documentation says what the ops do).\n\n";
  StrAppend(&text, ops.size(), " ops.\n");
  for (const tenon::OpView* op : ops) AppendOp(&text, *op);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (const tenon::Status status = tenon::Registry::Global().status(); !status.ok())
    return std::fprintf(stderr, "make_ops_doc: %s\n", status.ToString().c_str()), 1;
  const std::string text = Document();
  if (argc == 1) return std::fputs(text.c_str(), stdout) < 0 ? 1 : 0;
  if (argc != 3 || std::string_view(argv[1]) != "--check")
    return std::fprintf(stderr, "usage: tenon_make_ops_doc [--check FILE]\n"), 2;
  std::ifstream file(argv[2], std::ios::binary);
  const std::string there((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (there == text) return std::printf("%s: up to date\n", argv[2]), 0;
  std::fprintf(stderr, "make_ops_doc: '%s' is out of date: ninja ops-doc\n", argv[2]);
  return 1;
}
