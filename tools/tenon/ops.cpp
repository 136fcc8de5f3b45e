// SPDX-License-Identifier: Apache-2.0
// tenon ops: ops, their arguments, attrs and kernels.

#include <algorithm>

#include <tenon/kernel/registry/registry.hpp>

#include "command.hpp"
#include "model.hpp"
#include "output.hpp"

namespace command {

namespace {

using tenon::DataType;
using tenon::OpView;

std::string ArgsText(tenon::Span<const tenon::ArgSpec> args) {
  std::string text;
  for (const tenon::ArgSpec& arg : args) StrAppend(&text, text.empty() ? "" : ", ", arg.text);
  return text;
}

// Kernels with equal devices: the types of each attr that they are made for.
struct KernelsOnDevice {
  std::string_view device;
  std::vector<std::pair<std::string_view, tenon::DataTypeSet>> types;
  std::int64_t count = 0;
};

std::vector<KernelsOnDevice> KernelsOf(const OpView& op) {
  std::vector<KernelsOnDevice> all;
  for (const tenon::KernelRow* const row : tenon::Registry::Global().KernelsOf(op.name)) {
    auto at = std::find_if(all.begin(), all.end(), [&](const KernelsOnDevice& k) { return k.device == row->device; });
    if (at == all.end()) {
      at = all.insert(all.end(), KernelsOnDevice{row->device, {}, 0});
      for (int k = 0; k < row->op->typed_count; ++k)
        at->types.emplace_back(op.attrs[static_cast<std::size_t>(row->op->typed_attr[k])].name(), tenon::DataTypeSet());
    }
    ++at->count;
    for (std::size_t k = 0; k < at->types.size(); ++k) at->types[k].second.insert(static_cast<DataType>(row->types[k]));
  }
  return all;
}

std::vector<std::string_view> FlagsOf(const OpView& op) {
  std::vector<std::string_view> flags;
  if (op.flags.is_stateful) flags.emplace_back("stateful");
  if (op.flags.is_commutative) flags.emplace_back("commutative");
  if (op.flags.is_aggregate) flags.emplace_back("aggregate");
  if (op.flags.allows_uninitialized_input) flags.emplace_back("allows uninitialised input");
  if (op.flags.is_distributed_communication) flags.emplace_back("distributed communication");
  return flags;
}

std::string PageOf(const OpView& op) {
  std::string text =
      StrCat(Styled(Style::kBold, op.name), "(", ArgsText(op.inputs), ") -> (", ArgsText(op.outputs), ")\n");
  if (!op.doc.empty()) StrAppend(&text, op.doc, "\n");
  if (!op.attrs.empty()) {
    text += "  attrs\n";
    for (const tenon::AttrSpec& attr : op.attrs) StrAppend(&text, "    ", attr.text, "\n");
  }
  const std::vector<KernelsOnDevice> kernels = KernelsOf(op);
  text += kernels.empty() ? "  kernels  none\n" : "  kernels\n";
  for (const KernelsOnDevice& on : kernels) {
    StrAppend(&text, "    ", on.device, ", ", on.count, on.count == 1 ? " kernel" : " kernels",
              on.types.empty() ? " for all types" : "", "\n");
    for (const auto& [attr, types] : on.types) StrAppend(&text, "      ", attr, "  ", TypesText(types), "\n");
  }
  StrAppend(&text, "  shape function  ", op.shape_fn == nullptr ? "none" : "yes", "\n");
  if (const auto flags = FlagsOf(op); !flags.empty()) StrAppend(&text, "  flags  ", tenon::StrJoin(flags, ", "), "\n");
  if (op.deprecated_since != 0)
    StrAppend(&text, "  gone from GraphDef version ", op.deprecated_since, " on: ", op.deprecation_text, "\n");
  return text;
}

void AddOp(const OpView& op, Json* json) {
  json->Begin('{').Member("name", op.name);
  const auto add = [json](std::string_view key, const auto& specs) {
    json->Key(key).Begin('[');
    for (const auto& spec : specs) json->Value(spec.text);
    json->End();
  };
  add("inputs", op.inputs);
  add("outputs", op.outputs);
  add("attrs", op.attrs);
  json->Key("kernels").Begin('[');
  for (const KernelsOnDevice& on : KernelsOf(op)) {
    json->Begin('{').Member("device", on.device).Member("count", on.count).Key("types").Begin('{');
    for (const auto& [attr, types] : on.types) {
      json->Key(attr).Begin('[');
      for (const DataType type : types) json->Value(tenon::Name(type));
      json->End();
    }
    json->End().End();
  }
  json->End().Key("flags").Begin('[');
  for (const std::string_view flag : FlagsOf(op)) json->Value(flag);
  json->End().Member("has_shape_function", op.shape_fn != nullptr).Member("gone_since", op.deprecated_since).End();
}

bool Contains(std::string_view name, std::string_view part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

}  // namespace

Result<int> RunOps(const Args& args) {
  const tenon::Registry& registry = tenon::Registry::Global();
  const auto all = registry.ops().ops();
  std::vector<const OpView*> chosen;
  std::string unknown;
  for (const std::string& name : args.arguments()) {
    const OpView* const op = registry.FindOp(name);
    if (op != nullptr) {
      chosen.push_back(op);
      continue;
    }
    std::vector<std::string_view> names;
    for (const OpView* const known : all) names.push_back(known->name);
    StrAppend(&unknown, unknown.empty() ? "" : "\n  ", "there is no op '", name, "'", tenon::DidYouMean(name, names));
  }
  if (!unknown.empty()) return tenon::errors::NotFound(unknown);
  const bool lists = args.arguments().empty();
  const std::string search = args.Get("--search");
  for (const OpView* const op : all)
    if (lists && Contains(op->name, search)) chosen.push_back(op);
  if (lists && chosen.empty())
    return tenon::errors::NotFound("no op has '", search, "' in its name; tenon ops lists all ", all.size());

  if (args.json()) {
    Json json;
    json.Begin('{').Key("ops").Begin('[');
    for (const OpView* const op : chosen) AddOp(*op, &json);
    Print(json.End().End().text());
    return kFine;
  }
  std::string text;
  for (const OpView* const op : chosen) {
    if (args.Has("--names"))
      StrAppend(&text, op->name, "\n");
    else if (lists)
      StrAppend(&text, Styled(Style::kBold, op->name), "(", ArgsText(op->inputs), ") -> (", ArgsText(op->outputs),
                ")\n");
    else
      text += PageOf(*op);
  }
  Print(text);
  return kFine;
}

}  // namespace command
