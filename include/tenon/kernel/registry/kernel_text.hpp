// SPDX-License-Identifier: Apache-2.0
#pragma once
// How messages name a kernel: in a word, "CPU{float}", or in TensorFlow's words, "device='CPU'; T in [DT_FLOAT]".

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/registry/kernel_constraints.hpp>
#include <tenon/kernel/row.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN
namespace detail {

// A list.
inline AttrValue AllowedValues(const KernelMatch::Constraint& constraint) {
  AttrValue allowed;
  AttrList* const list = allowed.mutable_list();
  for (const KernelMatch::Value& value : constraint.allowed()) switch (constraint.kind) {
      case KernelMatch::Kind::kInt: list->i.push_back(value.number); break;
      case KernelMatch::Kind::kBool: list->b.push_back(value.number != 0); break;
      case KernelMatch::Kind::kString: list->s.push_back(std::string(value.text)); break;
      case KernelMatch::Kind::kType: list->type.push_back(static_cast<DataType>(value.number)); break;
    }
  return allowed;
}

// "; label='fast'", or nothing.
inline void AppendLabel(const KernelMatch* match, std::string* text) {
  if (match != nullptr && !match->label.empty()) StrAppend(text, "; label='", match->label, "'");
}
// "; T in [DT_FLOAT]" for each.
inline void AppendConstraints(const KernelMatch* match, std::string* text) {
  if (match == nullptr) return;
  for (const KernelMatch::Constraint& constraint : match->all_constraints())
    StrAppend(text, "; ", constraint.attr, " in ", SummarizeAttrValue(AllowedValues(constraint)));
}
// "CPU{float}", "CPU{} (label='fast'; T in [DT_FLOAT])".
TENON_DETAIL_COLD inline std::string ShortKernelText(const KernelRow& row) {
  std::string text = StrCat(row.device, "{");
  for (int k = 0; k < row.op->typed_count; ++k)
    StrAppend(&text, k == 0 ? "" : ",", static_cast<DataType>(row.types[k]));
  text += "}";
  std::string match;
  AppendLabel(row.op->match, &match);
  AppendConstraints(row.op->match, &match);
  if (!match.empty()) StrAppend(&text, " (", std::string_view(match).substr(2), ")");
  return text;
}
TENON_DETAIL_COLD inline std::string KernelText(const KernelRow& row) {
  std::string text = StrCat("device='", row.device, "'");
  AppendLabel(row.op->match, &text);
  for (int k = 0; k < row.op->typed_count; ++k) {
    const AttrSpec& attr = row.op->view->attrs[static_cast<std::size_t>(row.op->typed_attr[k])];
    StrAppend(&text, "; ", attr.name(), " in [", EnumName(static_cast<DataType>(row.types[k])), "]");
  }
  AppendConstraints(row.op->match, &text);
  return text;
}
// A line for each; "  <no registered kernels>" for none.
template <class Rows>
TENON_DETAIL_COLD inline std::string KernelLines(const Rows& rows) {
  std::string text;
  for (const KernelRow* row : rows) StrAppend(&text, "  ", KernelText(*row), "\n");
  return text.empty() ? "  <no registered kernels>\n" : text;
}

}  // namespace detail
TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
