// SPDX-License-Identifier: Apache-2.0
#pragma once
// OwnedOp: an OpDef as a signature, with spec strings that it writes itself.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/graph_def/attr_def.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/op_def/validate_op_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// A value as a spec writes it; the reverse of ParseAttrText. False for what has no such form (undecoded tensors and
// shapes).
class SpecWriter {
 public:
  static bool Write(const AttrValue& value, std::string* out) {
    switch (value.kind()) {
      case AttrValue::Kind::kString: StrAppend(out, "\"", CEscape(value.s()), "\""); return true;
      case AttrValue::Kind::kInt: StrAppend(out, value.i()); return true;
      case AttrValue::Kind::kFloat: StrAppend(out, value.f()); return true;
      case AttrValue::Kind::kBool: out->append(value.b() ? "true" : "false"); return true;
      case AttrValue::Kind::kType: return Type(value.type(), out);
      case AttrValue::Kind::kShape: return value.decode_status().ok() && Shape(value.shape(), out);
      case AttrValue::Kind::kTensor: return value.decode_status().ok() && TensorText(value.tensor(), out);
      case AttrValue::Kind::kFunc: return Func(value.func(), out);
      case AttrValue::Kind::kList: return List(value.list(), out);
      default: return false;
    }
  }

 private:
  static bool Type(DataType type, std::string* out) {
    if (EnumName(type).empty())
      StrAppend(out, static_cast<std::int32_t>(type));
    else
      out->append(EnumName(type));
    return true;
  }
  static bool Shape(const PartialTensorShape& shape, std::string* out) {
    if (shape.unknown_rank()) return out->append("{ unknown_rank: true }"), true;
    out->append("{ ");
    for (const Index size : shape) StrAppend(out, "dim { size: ", size, " } ");
    return out->append("}"), true;
  }
  static bool TensorText(const Tensor& t, std::string* out) {
    out->append("{ dtype: ");
    Type(t.dtype(), out);
    out->append(" tensor_shape ");
    Shape(t.shape(), out);
    if (t.dtype() == DataType::kString) {
      const auto strings = t.flat<tstring>();
      for (Index i = 0; i < strings.size(); ++i)
        StrAppend(out, " string_val: \"", CEscape(std::string_view(strings[i])), "\"");
    } else if (SizeOf(t.dtype()) == 0) {
      return false;
    } else if (t.NumElements() > 0) {
      StrAppend(out, " tensor_content: \"", CEscape(t.tensor_data()), "\"");
    }
    return out->append(" }"), true;
  }
  static bool Func(const NameAttrList& func, std::string* out) {
    StrAppend(out, "{ name: \"", CEscape(func.name), "\"");
    for (const auto& [name, value] : func.attr) {
      StrAppend(out, " attr { key: \"", CEscape(name), "\" value { ");
      if (value.kind() == AttrValue::Kind::kPlaceholder) {
        StrAppend(out, "placeholder: \"", CEscape(value.placeholder()), "\"");
      } else if (value.kind() == AttrValue::Kind::kList) {
        if (!ListMessage(value.list(), out)) return false;
      } else if (value.has_value()) {
        out->append(FieldName(value.kind())).append(": ");
        if (!Write(value, out)) return false;
      }
      out->append(" } }");
    }
    return out->append(" }"), true;
  }
  static std::string_view FieldName(AttrValue::Kind kind) {
    constexpr std::string_view kNames[] = {"",      "s",      "i",    "f",           "b",   "type",
                                           "shape", "tensor", "func", "placeholder", "list"};
    return kNames[static_cast<std::size_t>(kind)];
  }
  template <class T>
  static bool Items(const SlimVector<T>& items, std::string* out) {
    bool first = true;
    for (const T& item : items) {
      if (!std::exchange(first, false)) out->append(", ");
      bool written = false;
      if constexpr (std::is_same_v<T, char>)
        written = Write(AttrValue(item != 0), out);
      else
        written = Write(AttrValue(item), out);
      if (!written) return false;
    }
    return true;
  }
  static bool List(const AttrList& list, std::string* out) {
    out->append("[");
    const bool written = Items(list.s, out) && Items(list.i, out) && Items(list.f, out) && Items(list.b, out) &&
                         Items(list.type, out) && Items(list.shape, out) && Items(list.tensor, out) &&
                         Items(list.func, out);
    out->append("]");
    return written;
  }
  // "list { i: [1, 2] }"
  static bool ListMessage(const AttrList& list, std::string* out) {
    const bool some[] = {!list.s.empty(),    !list.i.empty(),     !list.f.empty(),      !list.b.empty(),
                         !list.type.empty(), !list.shape.empty(), !list.tensor.empty(), !list.func.empty()};
    std::string_view field;
    for (std::size_t k = 0; k < 8; ++k)
      if (some[k]) field = FieldName(static_cast<AttrValue::Kind>(k + 1));
    if (field.empty()) return out->append("list { }"), true;
    StrAppend(out, "list { ", field, ": ");
    const bool written = List(list, out);
    out->append(" }");
    return written;
  }
};

}  // namespace detail

// A signature made while the program runs: of a graph's functions, or of an OpDef that was read. Owns what its view
// points at; may be moved, the view stays valid. immutable.
class OwnedOp {
 public:
  static Result<OwnedOp> FromOpDef(const OpDef& def, ShapeFn shape_fn = nullptr) {
    TENON_RETURN_IF_ERROR(ValidateOpDef(def));
    OwnedOp op;
    op.parts_ = MakeOwned<Parts>();
    TENON_RETURN_IF_ERROR(op.parts_->Fill(def, shape_fn));
    return op;
  }
  const OpView& view() const { return parts_->view; }

 private:
  struct Parts {
    std::string name, deprecation_text, doc;
    SlimVector<std::string> texts, control_names;
    SlimVector<std::string_view> control_outputs;
    SlimVector<ArgSpec> inputs, outputs;
    SlimVector<AttrSpec> attrs;
    OpView view;

    Status Fill(const OpDef& def, ShapeFn shape_fn) {
      name = def.name;
      doc = def.summary;
      texts.reserve(def.attr.size() + def.input_arg.size() + def.output_arg.size());
      for (const OpDef::AttrDef& attr : def.attr) TENON_RETURN_IF_ERROR(AddAttr(attr));
      for (const OpDef::ArgDef& arg : def.input_arg) TENON_RETURN_IF_ERROR(AddArg(arg, &inputs.emplace_back()));
      for (const OpDef::ArgDef& arg : def.output_arg) TENON_RETURN_IF_ERROR(AddArg(arg, &outputs.emplace_back()));
      control_names = def.control_output;
      control_outputs.assign(control_names.begin(), control_names.end());
      if (def.deprecation) deprecation_text = def.deprecation->explanation;
      view = {name,
              inputs,
              outputs,
              attrs,
              control_outputs,
              shape_fn,
              {def.is_stateful, def.is_commutative, def.is_aggregate, def.allows_uninitialized_input,
               def.is_distributed_communication},
              def.deprecation ? def.deprecation->version : 0,
              deprecation_text,
              doc};
      return OkStatus();
    }
    static Status TooLong(const std::string& name) {
      return errors::InvalidArgument("OwnedOp: the name '", name.substr(0, 32), "...' has more than 65535 characters");
    }
    // The words are put at known places, so that names need not keep to the grammar.
    Status AddArg(const OpDef::ArgDef& arg, ArgSpec* out) {
      std::string text = arg.name + ": ";
      if (arg.is_ref) text += "Ref(";
      const std::size_t number_begin = text.size();
      if (!arg.number_attr.empty()) text += arg.number_attr + " * ";
      const std::size_t type_begin = text.size();
      const std::string& type_name = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
      text += arg.type != DataType::kInvalid ? std::string(Name(arg.type)) : type_name;
      if (arg.is_ref) text += ")";
      if (text.size() > UINT16_MAX) return TooLong(arg.name);
      out->name_size = static_cast<std::uint16_t>(arg.name.size());
      out->type_begin = static_cast<std::uint16_t>(type_begin);
      out->number_begin = static_cast<std::uint16_t>(arg.number_attr.empty() ? 0 : number_begin);
      out->type = arg.type;
      out->is_ref = arg.is_ref;
      out->is_type_list = !arg.type_list_attr.empty();
      out->type_attr_index = IndexOf(type_name);
      out->number_attr_index = IndexOf(arg.number_attr);
      out->text = texts.emplace_back(std::move(text));
      return OkStatus();
    }
    std::int16_t IndexOf(std::string_view attr_name) const {
      for (std::size_t i = 0; i < attrs.size() && i < INT16_MAX; ++i)
        if (!attr_name.empty() && attrs[i].name() == attr_name) return static_cast<std::int16_t>(i);
      return -1;
    }
    Status AddAttr(const OpDef::AttrDef& attr) {
      if (attr.name.size() > UINT16_MAX) return TooLong(attr.name);
      AttrSpec& out = attrs.emplace_back();
      out.name_size = static_cast<std::uint16_t>(attr.name.size());
      std::string_view type = attr.type;
      out.is_list = StartsWith(type, "list(");
      if (out.is_list) type = type.substr(5, type.size() - 6);
      for (int k = 0; k <= static_cast<int>(AttrKind::kFunc); ++k)
        if (Name(static_cast<AttrKind>(k)) == type) out.kind = static_cast<AttrKind>(k);
      out.has_minimum = attr.has_minimum;
      out.minimum = attr.minimum;
      std::string text = attr.name + ": ";
      if (out.is_list) text += "list(";
      if (attr.allowed_values.has_value()) {
        const AttrList& allowed = attr.allowed_values.list();
        out.allowed_begin = static_cast<std::uint32_t>(text.size() + 1);
        out.allowed = allowed.s.empty() ? AllowedForm::kTypes : AllowedForm::kStrings;
        for (const DataType t : allowed.type) out.allowed_types.insert(t);
        const auto quoted = [](std::string* to, const std::string& s) { StrAppend(to, "'", CEscape(s), "'"); };
        StrAppend(&text, "{", allowed.s.empty() ? StrJoin(allowed.type, ", ") : StrJoin(allowed.s, ", ", quoted), "}");
      } else {
        text += type;
      }
      if (out.is_list) text += ")";
      if (attr.has_minimum) StrAppend(&text, " >= ", attr.minimum);
      if (attr.default_value) {
        out.has_default = true;
        text += " = ";
        out.default_begin = static_cast<std::uint32_t>(text.size());
        if (!detail::SpecWriter::Write(*attr.default_value, &text))
          return errors::InvalidArgument("OwnedOp: the default of attr '", attr.name, "' of op '", name,
                                         "' has no value that can be written");
      }
      out.text = texts.emplace_back(std::move(text));
      return OkStatus();
    }
  };

  OwnedOp() = default;

  Owned<Parts> parts_;
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
