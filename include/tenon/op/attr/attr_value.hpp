// SPDX-License-Identifier: Apache-2.0
#pragma once
// AttrValue: the value of an op's attr in a node: a number, text, dtype, shape, tensor, function, placeholder, or a
// list of such. AttrMap: a node's attrs, sorted by name. Plain data; what they mean to an op is decided elsewhere.
// The types are in op/attr/attr_types.hpp, AttrValue::Get in op/attr/attr_get.hpp; here is how messages show a value.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_get.hpp>
#include <tenon/op/attr/attr_members.hpp>
#include <tenon/op/attr/attr_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline std::string SummarizeAttrString(std::string_view text) {
  const std::string escaped = CEscape(text);
  if (escaped.size() < 80) return StrCat("\"", escaped, "\"");
  const std::string_view all = escaped;
  return StrCat("\"", all.substr(0, 10), "...", all.substr(all.size() - 10), "\"");
}
inline std::string SummarizeAttrType(DataType type) {
  const std::string_view name = EnumName(type);
  return name.empty() ? StrCat(static_cast<std::int32_t>(type)) : std::string(name);
}
inline std::string SummarizeAttrFunc(const NameAttrList& function);

// "[a, b]" of the list's n items; from 50 items on the first five, "...", the last five.
inline std::string SummarizeAttrItems(const AttrList& list, std::size_t n,
                                      std::string (*to_text)(const AttrList& list, std::size_t k)) {
  std::string text = "[";
  for (std::size_t k = 0; k < n; ++k) {
    if (n >= 50 && k == 5) {
      text += ", ...";
      k = n - 5;
    }
    StrAppend(&text, k == 0 ? "" : ", ", to_text(list, k));
  }
  return text += "]";
}
inline std::string SummarizeAttrList(const AttrList& list) {
  using List = const AttrList&;
  using Number = std::size_t;
  if (!list.s.empty())
    return SummarizeAttrItems(list, list.s.size(), [](List l, Number k) { return SummarizeAttrString(l.s[k]); });
  if (!list.i.empty()) return SummarizeAttrItems(list, list.i.size(), [](List l, Number k) { return StrCat(l.i[k]); });
  if (!list.f.empty()) return SummarizeAttrItems(list, list.f.size(), [](List l, Number k) { return StrCat(l.f[k]); });
  if (!list.b.empty())
    return SummarizeAttrItems(list, list.b.size(),
                              [](List l, Number k) { return std::string(l.b[k] != 0 ? "true" : "false"); });
  if (!list.type.empty())
    return SummarizeAttrItems(list, list.type.size(), [](List l, Number k) { return SummarizeAttrType(l.type[k]); });
  if (!list.shape.empty())
    return SummarizeAttrItems(list, list.shape.size(), [](List l, Number k) { return StrCat(l.shape[k]); });
  if (!list.tensor.empty())
    return SummarizeAttrItems(list, list.tensor.size(), [](List l, Number k) { return l.tensor[k].DebugString(); });
  if (!list.func.empty())
    return SummarizeAttrItems(list, list.func.size(), [](List l, Number k) { return SummarizeAttrFunc(l.func[k]); });
  return "[]";
}

}  // namespace detail

// As messages show it: 3, "NHWC", DT_FLOAT, [2,?], [1, 2], f[T=DT_FLOAT], $placeholder.
inline std::string SummarizeAttrValue(const AttrValue& value) {
  switch (value.kind()) {
    case AttrValue::Kind::kNone: return "<Unknown AttrValue type>";
    case AttrValue::Kind::kString: return detail::SummarizeAttrString(value.s());
    case AttrValue::Kind::kInt: return StrCat(value.i());
    case AttrValue::Kind::kFloat: return StrCat(value.f());
    case AttrValue::Kind::kBool: return value.b() ? "true" : "false";
    case AttrValue::Kind::kType: return detail::SummarizeAttrType(value.type());
    case AttrValue::Kind::kShape:
      if (!value.decode_status().ok())
        return StrCat("<Invalid TensorShapeProto: ", value.decode_status().message(), ">");
      return value.shape().DebugString();
    case AttrValue::Kind::kTensor:
      if (!value.decode_status().ok()) return StrCat("<Invalid TensorProto: ", value.decode_status().message(), ">");
      return value.tensor().DebugString();
    case AttrValue::Kind::kFunc: return detail::SummarizeAttrFunc(value.func());
    case AttrValue::Kind::kPlaceholder: return StrCat("$", value.placeholder());
    case AttrValue::Kind::kList: return detail::SummarizeAttrList(value.list());
  }
  return {};
}

inline std::string detail::SummarizeAttrFunc(const NameAttrList& function) {
  std::string text = StrCat(function.name, "[");
  bool first = true;
  for (const auto& [name, value] : function.attr) {
    StrAppend(&text, first ? "" : ", ", name, "=", SummarizeAttrValue(value));
    first = false;
  }
  return text += "]";
}

// Functions in the attrs of functions nest so deep at most: a file cannot hold more (wire::kMaxDepth), and code that
// walks through them calls itself.
inline constexpr int kMaxFunctionNesting = 32;

// Whether the value holds functions on `levels` levels at most: 0 for a number, 1 for f, 2 for f[g=h].
inline bool NestsAtMost(const AttrValue& value, int levels) {
  const auto fits = [levels](const NameAttrList& function) {
    if (levels <= 0) return false;
    for (const auto& [name, attr] : function.attr)
      if (!NestsAtMost(attr, levels - 1)) return false;
    return true;
  };
  if (value.kind() == AttrValue::Kind::kFunc) return fits(value.func());
  if (value.kind() == AttrValue::Kind::kList)
    for (const NameAttrList& function : value.list().func)
      if (!fits(function)) return false;
  return true;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
