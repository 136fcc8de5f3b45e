// SPDX-License-Identifier: Apache-2.0
#pragma once
// An attr's declaration as plain data: the values that its spec string stands for, and whether a node's value keeps to
// it.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/op_def.hpp>
#include <tenon/op/graph_def/graph_proto.hpp>
#include <tenon/op/signature/message_text.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/signature/spec_words.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// ------------------------------------------------------------- shape, tensor and func defaults: message text to wire
// bytes

// A sink of MessageReader that makes wire bytes of the message. Repeated numbers are packed.
class WireSink {
 public:
  std::string bytes;

  WireSink Inner() const { return {}; }
  void Message(const TextField& field, const WireSink& inner) { PutText(field.number, inner.bytes); }
  void Text(const TextField& field, std::string_view raw) { PutText(field.number, Unescape(raw)); }
  void Number(const TextField& field, std::int64_t number) {
    if (!field.repeated) PutVarint(field.number << 3);
    PutVarint(static_cast<std::uint64_t>(number));
  }
  void Real(const TextField& field, std::string_view digits) {
    const std::string word(digits);
    const bool single = field.type == 'f';
    const std::uint64_t bits = single ? std::bit_cast<std::uint32_t>(std::strtof(word.c_str(), nullptr))
                                      : std::bit_cast<std::uint64_t>(std::strtod(word.c_str(), nullptr));
    if (!field.repeated) PutVarint((field.number << 3) | (single ? 5u : 1u));
    for (int i = 0; i < (single ? 4 : 8); ++i) bytes.push_back(static_cast<char>(bits >> (8 * i) & 0xff));
  }
  void PutVarint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>((value & 0x7f) | 0x80));
    bytes.push_back(static_cast<char>(value));
  }
  void PutText(std::uint32_t number, std::string_view text) {
    PutVarint((number << 3) | 2u);
    PutVarint(text.size());
    bytes.append(text);
  }
};

// One short text may name one value for a tensor of any size; a default that would be larger stays undecoded.
inline constexpr std::uint64_t kMaxRepeatedDefaultBytes = std::uint64_t{1} << 24;

// Defaults of kinds that are messages, through their wire form.
inline bool ReadBlocks(AttrKind kind, bool is_list, std::string_view text, AttrValue* out) {
  const std::uint32_t field = kind == AttrKind::kShape ? 7 : kind == AttrKind::kTensor ? 8 : is_list ? 9 : 10;
  WireSink wire;
  DefaultReader values(kind, is_list, text);
  for (SpecValue value; values.Next(&value);) {
    WireSink inner;
    if (!MessageReader(value.text).Block(*TextSchema::Of(kind), &inner)) return false;
    wire.PutText(field, inner.bytes);
  }
  if (values.failed()) return false;
  if (is_list) {
    WireSink list;
    list.PutText(1, wire.bytes);
    wire = std::move(list);
  }
  const std::string& bytes = wire.bytes;
  wire::ParseContext context;
  context.repeat_bytes = kMaxRepeatedDefaultBytes;
  AttrValue parsed;
  if (!wire::Parse(Span<const std::byte>(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()), &parsed,
                   std::move(context))
           .ok())
    return false;
  *out = std::move(parsed);
  return true;
}

}  // namespace detail

// The value that a default's text stands for ("3", "[DT_FLOAT]", "{ unknown_rank: true }"). False when it does not fit.
inline bool ParseAttrText(AttrKind kind, bool is_list, std::string_view text, AttrValue* out) {
  if (kind == AttrKind::kShape || kind == AttrKind::kTensor || kind == AttrKind::kFunc)
    return detail::ReadBlocks(kind, is_list, text, out);
  AttrList list;
  DefaultReader values(kind, is_list, text);
  for (SpecValue value; values.Next(&value);) {
    switch (kind) {
      case AttrKind::kString: list.s.push_back(detail::Unescape(value.text)); break;
      case AttrKind::kInt: list.i.push_back(value.i); break;
      case AttrKind::kFloat: list.f.push_back(std::strtof(std::string(value.text).c_str(), nullptr)); break;
      case AttrKind::kBool: list.b.push_back(static_cast<char>(value.i)); break;
      default: list.type.push_back(value.type);
    }
  }
  if (values.failed()) return false;
  if (is_list)
    *out = AttrValue(std::move(list));
  else if (kind == AttrKind::kString)
    *out = AttrValue(std::move(list.s.front()));
  else if (kind == AttrKind::kInt)
    *out = AttrValue(list.i.front());
  else if (kind == AttrKind::kFloat)
    *out = AttrValue(list.f.front());
  else if (kind == AttrKind::kBool)
    *out = AttrValue(list.b.front() != 0);
  else
    *out = AttrValue(list.type.front());
  return true;
}

namespace detail {

// False when the default is a message whose text is wrong; the default is a value of no kind then.
inline bool ToAttrDef(const AttrSpec& attr, OpDef::AttrDef* def) {
  def->name = attr.name();
  def->type = AttrTypeText(attr);
  def->has_minimum = attr.has_minimum;
  def->minimum = attr.minimum;
  if (attr.allowed != AllowedForm::kNone) {
    AttrList list;
    for (AllowedReader allowed(attr); allowed.Next();) {
      if (attr.allowed == AllowedForm::kStrings)
        list.s.push_back(Unescape(allowed.string()));
      else
        for (const DataType type : allowed.types()) list.type.push_back(type);
    }
    def->allowed_values = AttrValue(std::move(list));
  }
  if (!attr.has_default) return true;
  def->default_value.emplace();
  return ParseAttrText(attr.kind, attr.is_list, attr.default_text(), &*def->default_value);
}

// -------------------------------------------------------------------------------------------------- as messages show
// it

inline void SummarizeAttrDefs(Span<const OpDef::AttrDef> attrs, std::string* text) {
  for (const OpDef::AttrDef& attr : attrs) {
    StrAppend(text, "; attr=", attr.name, ":", attr.type);
    if (attr.default_value) StrAppend(text, ",default=", SummarizeAttrValue(*attr.default_value));
    if (attr.has_minimum) StrAppend(text, ",min=", attr.minimum);
    if (attr.allowed_values.has_value()) StrAppend(text, ",allowed=", SummarizeAttrValue(attr.allowed_values));
  }
}
inline void SummarizeOpFlags(const OpFlags& flags, std::string* text) {
  if (flags.is_commutative) *text += "; is_commutative=true";
  if (flags.is_aggregate) *text += "; is_aggregate=true";
  if (flags.is_stateful) *text += "; is_stateful=true";
  if (flags.allows_uninitialized_input) *text += "; allows_uninitialized_input=true";
  if (flags.is_distributed_communication) *text += "; is_distributed_communication=true";
}
// "b:Ref(N*int32)"
inline void SummarizeArgDef(const OpDef::ArgDef& arg, std::string* text) {
  StrAppend(text, arg.name, ":", arg.is_ref ? "Ref(" : "", arg.number_attr, arg.number_attr.empty() ? "" : "*",
            arg.type != DataType::kInvalid ? Name(arg.type) : std::string_view(arg.type_attr), arg.is_ref ? ")" : "");
}

}  // namespace detail

// "Op<name=X; signature=a:T, b:Ref(N*int32) -> y:T; attr=T:type,default=DT_FLOAT; is_stateful=true>", as messages name
// an op.
inline std::string SummarizeOpDef(const OpDef& def) {
  const auto args = [](const SlimVector<OpDef::ArgDef>& list) {
    return StrJoin(list, ", ", [](std::string* out, const OpDef::ArgDef& arg) { detail::SummarizeArgDef(arg, out); });
  };
  std::string text = StrCat("Op<name=", def.name, "; signature=", args(def.input_arg), " -> ", args(def.output_arg));
  detail::SummarizeAttrDefs(def.attr, &text);
  detail::SummarizeOpFlags({def.is_stateful, def.is_commutative, def.is_aggregate, def.allows_uninitialized_input,
                            def.is_distributed_communication},
                           &text);
  return text + ">";
}

namespace detail {

template <class T, class ToText>
Status CheckAllowed(const SlimVector<T>& values, const SlimVector<T>& allowed, std::string_view attr, ToText to_text) {
  for (const T& value : values) {
    if (HasItem(allowed, value)) continue;
    return errors::InvalidArgument(
        "Value for attr '", attr, "' of ", to_text(value), " is not in the list of allowed values: ",
        StrJoin(allowed, ", ", [&](std::string* out, const T& item) { out->append(to_text(item)); }));
  }
  return OkStatus();
}

inline std::size_t ListLength(const AttrList& list) {
  return list.s.size() + list.i.size() + list.f.size() + list.b.size() + list.type.size() + list.shape.size() +
         list.tensor.size() + list.func.size();
}

}  // namespace detail

// Has the value the attr's type, and does it keep to its minimum and its allowed values?
inline Status ValidateAttrValue(const AttrValue& value, const OpDef::AttrDef& attr) {
  if (Status s = AttrValueHasType(value, attr.type); !s.ok()) {
    return s.WithAppended(StrCat("\n\t for attr '", attr.name, "'"));
  }
  const bool is_list = StartsWith(attr.type, "list(");
  if (attr.has_minimum && attr.type == "int" && value.i() < attr.minimum) {
    return errors::InvalidArgument("Value for attr '", attr.name, "' of ", value.i(), " must be at least minimum ",
                                   attr.minimum);
  }
  if (attr.has_minimum && is_list) {
    const auto length = static_cast<std::int64_t>(detail::ListLength(value.list()));
    if (length < attr.minimum) {
      return errors::InvalidArgument("Length for attr '", attr.name, "' of ", length, " must be at least minimum ",
                                     attr.minimum);
    }
  }
  if (!attr.allowed_values.has_value()) return OkStatus();
  const AttrList& allowed = attr.allowed_values.list();
  if (attr.type == "type" || attr.type == "list(type)") {
    const SlimVector<DataType> one{value.type()};
    return detail::CheckAllowed(is_list ? value.list().type : one, allowed.type, attr.name,
                                [](DataType t) { return std::string(Name(t)); });
  }
  if (attr.type == "string" || attr.type == "list(string)") {
    const SlimVector<std::string> one{value.s()};
    return detail::CheckAllowed(is_list ? value.list().s : one, allowed.s, attr.name,
                                [](const std::string& s) { return StrCat("\"", s, "\""); });
  }
  return errors::Unimplemented("Support for allowed_values not implemented for type ", attr.type);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
