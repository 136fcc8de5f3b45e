// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFlow's rules for the changes of an OpDef: whether a new version of an op may replace an old one. Graphs written
// for the old version must mean the same with the new one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_equality.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/op_def/validate_op_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline std::string AllowedText(const OpDef::AttrDef& attr) {
  return attr.allowed_values.has_value() ? SummarizeAttrValue(attr.allowed_values) : "no restriction";
}
inline std::string MinimumText(const OpDef::AttrDef& attr) {
  return attr.has_minimum ? StrCat(attr.minimum) : "no minimum";
}

template <class T>
bool HoldsAll(const SlimVector<T>& all, const SlimVector<T>& some) {
  for (const T& item : some) {
    bool found = false;
    for (const T& candidate : all) found = found || candidate == item;
    if (!found) return false;
  }
  return true;
}
inline bool AllowsLess(const OpDef::AttrDef& was, const OpDef::AttrDef& now) {
  if (!now.allowed_values.has_value()) return false;
  if (!was.allowed_values.has_value()) return true;
  const AttrList &before = was.allowed_values.list(), &after = now.allowed_values.list();
  return !HoldsAll(after.type, before.type) || !HoldsAll(after.s, before.s);
}
inline bool DemandsMore(const OpDef::AttrDef& was, const OpDef::AttrDef& now) {
  return now.has_minimum && (!was.has_minimum || now.minimum > was.minimum);
}

// The types of an op's arguments in the words of the old version: attrs that it does not have stand for the defaults
// that the new one gives them.
class ArgsOfOldAttrs {
 public:
  ArgsOfOldAttrs(const OpDef& old_op, const OpDef& new_op, bool names) : old_(old_op), new_(new_op), names_(names) {}

  Status Read(const SlimVector<OpDef::ArgDef>& args) {
    for (const OpDef::ArgDef& arg : args) {
      const std::size_t end = text_.size();
      if (end != 0) text_ += ", ";
      const std::size_t begin = text_.size();
      if (names_) StrAppend(&text_, arg.name, ":");
      TENON_RETURN_IF_ERROR(arg.type_list_attr.empty() ? Tensors(arg) : TypeList(arg));
      if (text_.size() == begin) text_.resize(end);  // a list that is empty by default
    }
    return OkStatus();
  }
  const std::string& text() const { return text_; }
  const SlimVector<char>& refs() const { return refs_; }  // per tensor as far as they are known

 private:
  static constexpr std::int64_t kMaxTensors = 1 << 20;  // per argument; no op has that many

  void Add(std::string_view type, bool is_ref, bool first) {
    StrAppend(&text_, first ? "" : ", ", type);
    refs_.push_back(is_ref ? 1 : 0);
  }
  // The default of an attr of the new version where the old one does not have it; null where it does.
  Status DefaultFor(const std::string& name, const AttrValue** value) const {
    static const AttrValue kNothing;
    *value = nullptr;
    if (FindAttr(name, old_) != nullptr) return OkStatus();
    const OpDef::AttrDef* attr = FindAttr(name, new_);
    if (attr == nullptr) return errors::InvalidArgument("OpDefCompatible: no attr with name '", name, "'");
    *value = attr->default_value ? &*attr->default_value : &kNothing;
    return OkStatus();
  }
  Status TypeList(const OpDef::ArgDef& arg) {
    const AttrValue* types = nullptr;
    TENON_RETURN_IF_ERROR(DefaultFor(arg.type_list_attr, &types));
    if (types == nullptr) {
      Add(arg.type_list_attr, arg.is_ref, true);
      return OkStatus();
    }
    bool first = true;
    for (const DataType type : types->list().type) {
      Add(Name(type), arg.is_ref, first);
      first = false;
    }
    return OkStatus();
  }
  Status Tensors(const OpDef::ArgDef& arg) {
    std::int64_t count = 1;
    const AttrValue* value = nullptr;
    std::string type(Name(arg.type));
    if (arg.type == DataType::kInvalid) {
      TENON_RETURN_IF_ERROR(DefaultFor(arg.type_attr, &value));
      type = value == nullptr ? arg.type_attr : std::string(Name(value->type()));
    }
    if (!arg.number_attr.empty()) {
      TENON_RETURN_IF_ERROR(DefaultFor(arg.number_attr, &value));
      if (value == nullptr)
        type = StrCat(arg.number_attr, " * ", type);
      else
        count = value->i();
    }
    if (count > kMaxTensors)
      return errors::InvalidArgument("OpDefCompatible: '", arg.name, "' would be ", count, " tensors, more than ",
                                     kMaxTensors);
    for (std::int64_t i = 0; i < count; ++i) Add(type, arg.is_ref, i == 0);
    return OkStatus();
  }

  const OpDef& old_;
  const OpDef& new_;
  bool names_;
  std::string text_;
  SlimVector<char> refs_;
};

class OpDefComparison {
 public:
  OpDefComparison(const OpDef& old_op, const OpDef& new_op) : old_(old_op), new_(new_op) {}

  Status Run() const {
    if (old_.name != new_.name) return Incompatible("Name mismatch");
    for (const OpDef::AttrDef& was : old_.attr) TENON_RETURN_IF_ERROR(Attr(was));
    for (const OpDef::AttrDef& now : new_.attr) {
      if (FindAttr(now.name, old_) == nullptr && !now.default_value)
        return Incompatible("Attr '", now.name, "' added without default");
    }
    TENON_RETURN_IF_ERROR(Args(old_.input_arg, new_.input_arg, true));
    return Args(old_.output_arg, new_.output_arg, false);
  }

 private:
  template <class... Why>
  Status Incompatible(const Why&... why) const {
    return errors::InvalidArgument("Incompatible Op change: ", why..., "; old: ", SummarizeOpDef(old_),
                                   "; new: ", SummarizeOpDef(new_));
  }
  Status Attr(const OpDef::AttrDef& was) const {
    const OpDef::AttrDef* now = FindAttr(was.name, new_);
    if (now == nullptr) return Incompatible("Attr '", was.name, "' removed");
    if (was.type != now->type)
      return Incompatible("Attr '", was.name, "' changed type '", was.type, "' -> '", now->type, "'");
    if (AllowsLess(was, *now))
      return Incompatible("Attr '", was.name, "' has a stricter set of allowed values; from ", AllowedText(was), " to ",
                          AllowedText(*now));
    if (DemandsMore(was, *now))
      return Incompatible("Attr '", was.name, "' has a higher minimum; from ", MinimumText(was), " to ",
                          MinimumText(*now));
    return OkStatus();
  }
  // Inputs are told by their position, outputs by their name too. An input may lose Ref, an output may gain it.
  Status Args(const SlimVector<OpDef::ArgDef>& were, const SlimVector<OpDef::ArgDef>& are, bool inputs) const {
    const std::string_view what = inputs ? "Input" : "Output";
    ArgsOfOldAttrs before(old_, new_, !inputs), after(old_, new_, !inputs);
    TENON_RETURN_IF_ERROR(before.Read(were));
    TENON_RETURN_IF_ERROR(after.Read(are));
    if (before.text() != after.text())
      return Incompatible(what, " signature mismatch '", before.text(), "' vs. '", after.text(), "'");
    if (before.refs().size() != after.refs().size())
      return Incompatible("Unexpected change in ", inputs ? "input" : "output", " ref lists.");
    for (std::size_t i = 0; i < before.refs().size(); ++i) {
      const bool was = before.refs()[i] != 0, is = after.refs()[i] != 0;
      if (inputs && !was && is) return Incompatible("Input ", i, " changed from non-ref to ref");
      if (!inputs && was && !is) return Incompatible("Output ", i, " changed from ref to non-ref");
    }
    return OkStatus();
  }

  const OpDef& old_;
  const OpDef& new_;
};

}  // namespace detail

// OK when every graph that is right with `old_op` is right with `new_op` and gets the same tensors: no attr gone or
// narrowed, new attrs with defaults, the same arguments. InvalidArgument, "Incompatible Op change: ...", otherwise.
// Both have passed ValidateOpDef.
inline Status OpDefCompatible(const OpDef& old_op, const OpDef& new_op) {
  return detail::OpDefComparison(old_op, new_op).Run();
}

// Attrs that came after `old_op` keep in `new_op` the defaults that they had in `penultimate_op`, the version between:
// graphs without them were already written.
inline Status OpDefAddedDefaultsUnchanged(const OpDef& old_op, const OpDef& penultimate_op, const OpDef& new_op) {
  for (const OpDef::AttrDef& added : penultimate_op.attr) {
    if (!added.default_value || FindAttr(added.name, old_op) != nullptr) continue;
    const OpDef::AttrDef* now = FindAttr(added.name, new_op);
    if (now == nullptr)
      return errors::InvalidArgument("Missing attr '", added.name, "' in Op: ", SummarizeOpDef(new_op));
    if (!now->default_value || !AreAttrValuesEqual(*added.default_value, *now->default_value))
      return errors::InvalidArgument("Can't change default value for attr '", added.name, "' from ",
                                     SummarizeAttrValue(*added.default_value), " in Op: ", SummarizeOpDef(new_op));
  }
  return OkStatus();
}

// A default may be added; one that is there may not go or change.
inline Status OpDefAttrDefaultsUnchanged(const OpDef& old_op, const OpDef& new_op) {
  for (const OpDef::AttrDef& was : old_op.attr) {
    const OpDef::AttrDef* now = FindAttr(was.name, new_op);
    if (now == nullptr || !was.default_value) continue;
    if (!now->default_value)
      return errors::InvalidArgument("Attr '", was.name, "' has removed it's default; from ",
                                     SummarizeAttrValue(*was.default_value), " to no default");
    if (!AreAttrValuesEqual(*was.default_value, *now->default_value))
      return errors::InvalidArgument("Attr '", was.name, "' has changed it's default value; from ",
                                     SummarizeAttrValue(*was.default_value), " to ",
                                     SummarizeAttrValue(*now->default_value));
  }
  return OkStatus();
}

// Compares descriptions of attrs: default and allowed values by what they mean, everything else as it stands.
inline bool AttrDefEqual(const OpDef::AttrDef& a, const OpDef::AttrDef& b) {
  if (a.name != b.name || a.type != b.type || a.description != b.description) return false;
  if (a.has_minimum != b.has_minimum || (a.has_minimum && a.minimum != b.minimum)) return false;
  if (a.default_value.has_value() != b.default_value.has_value()) return false;
  if (a.default_value && !AreAttrValuesEqual(*a.default_value, *b.default_value)) return false;
  return AreAttrValuesEqual(a.allowed_values, b.allowed_values);
}
// Equal descriptions have equal hashes.
inline std::uint64_t AttrDefHash(const OpDef::AttrDef& attr) {
  std::uint64_t hash = HashCombine(Hash64(attr.name), Hash64(attr.type));
  hash = HashCombine(hash, Hash64(attr.description));
  hash = HashCombine(hash, attr.has_minimum ? static_cast<std::uint64_t>(attr.minimum) : 0);
  if (attr.default_value) hash = HashCombine(hash, AttrValueHash(*attr.default_value));
  return HashCombine(hash, AttrValueHash(attr.allowed_values));
}

// Compares ops: attrs and control outputs in any order, everything else as it stands.
inline bool OpDefEqual(const OpDef& a, const OpDef& b) {
  const auto sorted = [](OpDef op) {
    const SlimVector<std::size_t> order =
        SortedOrder(op.attr.size(), [&op](std::size_t i, std::size_t j) { return op.attr[i].name < op.attr[j].name; });
    SlimVector<OpDef::AttrDef> attrs;
    for (const std::size_t i : order) attrs.push_back(op.attr[i]);
    op.attr.swap(attrs);
    std::sort(op.control_output.begin(), op.control_output.end());
    return op;
  };
  OpDef x = sorted(a), y = sorted(b);
  if (x.attr.size() != y.attr.size()) return false;
  for (std::size_t i = 0; i < x.attr.size(); ++i)
    if (!AttrDefEqual(x.attr[i], y.attr[i])) return false;
  x.attr.clear();
  y.attr.clear();
  return x == y;
}
// Equal ops have equal hashes. Arguments count with their names and types.
inline std::uint64_t OpDefHash(const OpDef& op) {
  std::uint64_t hash = Hash64(op.name), unordered = 0;
  for (const SlimVector<OpDef::ArgDef>* args : {&op.input_arg, &op.output_arg}) {
    hash = HashCombine(hash, args->size());
    for (const OpDef::ArgDef& arg : *args) {
      for (const std::string* text : {&arg.name, &arg.type_attr, &arg.number_attr, &arg.type_list_attr})
        hash = HashCombine(hash, Hash64(*text));
      hash = HashCombine(hash, static_cast<std::uint64_t>(arg.type) * 2 + (arg.is_ref ? 1 : 0));
    }
  }
  for (const OpDef::AttrDef& attr : op.attr) unordered += AttrDefHash(attr);
  for (const std::string& name : op.control_output) unordered += Hash64(name);
  return HashCombine(hash, unordered);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
