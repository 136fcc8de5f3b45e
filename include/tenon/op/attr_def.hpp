// SPDX-License-Identifier: Apache-2.0
#pragma once
// An attr's declaration as plain data: the values that its spec string's texts stand for, and whether a node's value
// keeps to it.

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
#include <tenon/op/attr_value.hpp>
#include <tenon/op/op_def.hpp>
#include <tenon/op/graph_proto.hpp>
#include <tenon/op/signature.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

inline std::string Unescape(std::string_view raw) {
  std::string out;
  EscapeReader escapes(raw);
  for (char c = 0; escapes.Next(&c);) out += c;
  return out;
}

// ------------------------------------------------------------- shape, tensor and func defaults: message text to wire
// bytes

struct TextField;
struct TextMessage {
  Span<const TextField> fields;
};
struct TextField {
  std::string_view name;
  std::uint32_t number;
  // i int32, I int64, u uint32, U uint64, b bool, f float, d double, e DataType, s text, m message
  char type;
  bool repeated = false;
  bool one_of = false;
  const TextMessage* message = nullptr;
};

struct TextSchema {
  static const TextMessage kDim, kShape, kTensor, kFunc, kAttrEntry, kAttr, kList;
  static constexpr TextField kDimFields[] = {{"size", 1, 'I'}, {"name", 2, 's'}};
  static constexpr TextField kShapeFields[] = {{"dim", 2, 'm', true, false, &kDim}, {"unknown_rank", 3, 'b'}};
  static constexpr TextField kTensorFields[] = {{"dtype", 1, 'e'},
                                                {"tensor_shape", 2, 'm', false, false, &kShape},
                                                {"version_number", 3, 'i'},
                                                {"tensor_content", 4, 's'},
                                                {"half_val", 13, 'i', true},
                                                {"float_val", 5, 'f', true},
                                                {"double_val", 6, 'd', true},
                                                {"int_val", 7, 'i', true},
                                                {"string_val", 8, 's', true},
                                                {"scomplex_val", 9, 'f', true},
                                                {"int64_val", 10, 'I', true},
                                                {"bool_val", 11, 'b', true},
                                                {"dcomplex_val", 12, 'd', true},
                                                {"uint32_val", 16, 'u', true},
                                                {"uint64_val", 17, 'U', true},
                                                {"float8_val", 18, 's'}};
  static constexpr TextField kFuncFields[] = {{"name", 1, 's'}, {"attr", 2, 'm', true, false, &kAttrEntry}};
  static constexpr TextField kAttrEntryFields[] = {{"key", 1, 's'}, {"value", 2, 'm', false, false, &kAttr}};
  static constexpr TextField kAttrFields[] = {{"s", 2, 's', false, true},
                                              {"i", 3, 'I', false, true},
                                              {"f", 4, 'f', false, true},
                                              {"b", 5, 'b', false, true},
                                              {"type", 6, 'e', false, true},
                                              {"shape", 7, 'm', false, true, &kShape},
                                              {"tensor", 8, 'm', false, true, &kTensor},
                                              {"list", 1, 'm', false, true, &kList},
                                              {"func", 10, 'm', false, true, &kFunc},
                                              {"placeholder", 9, 's', false, true}};
  static constexpr TextField kListFields[] = {{"s", 2, 's', true},
                                              {"i", 3, 'I', true},
                                              {"f", 4, 'f', true},
                                              {"b", 5, 'b', true},
                                              {"type", 6, 'e', true},
                                              {"shape", 7, 'm', true, false, &kShape},
                                              {"tensor", 8, 'm', true, false, &kTensor},
                                              {"func", 9, 'm', true, false, &kFunc}};
};
inline constexpr TextMessage TextSchema::kDim{kDimFields};
inline constexpr TextMessage TextSchema::kShape{kShapeFields};
inline constexpr TextMessage TextSchema::kTensor{kTensorFields};
inline constexpr TextMessage TextSchema::kFunc{kFuncFields};
inline constexpr TextMessage TextSchema::kAttrEntry{kAttrEntryFields};
inline constexpr TextMessage TextSchema::kAttr{kAttrFields};
inline constexpr TextMessage TextSchema::kList{kListFields};

// Reads one "{ field: value ... }" into wire bytes, as TensorFlow's reader of such texts does: names that it does not
// know are skipped. one thread.
class TextToWire {
 public:
  explicit TextToWire(std::string_view text) : in_(text) {}

  bool Block(const TextMessage& message, std::string* bytes) { return Nested(message, bytes) && in_.done(); }

 private:
  static constexpr int kMaxDepth = 100;

  bool Nested(const TextMessage& message, std::string* bytes) {
    const char close = in_.peek() == '{' ? '}' : '>';
    if ((!in_.Eat("{") && !in_.Eat("<")) || ++depth_ > kMaxDepth) return false;
    SlimVector<bool> seen(message.fields.size());
    bool seen_one_of = false;
    for (;;) {
      in_.SkipSpaceAndComments();
      if (in_.peek() == close) {
        ++in_.at;
        in_.SkipSpaceAndComments();
        --depth_;
        return true;
      }
      const std::string_view name = in_.EatWhile(kWordChars);
      if (name.empty()) return false;
      in_.SkipSpaceAndComments();
      const bool colon = in_.Eat(":");
      if (colon) in_.SkipSpaceAndComments();
      for (std::size_t i = 0; i < message.fields.size(); ++i) {
        const TextField& field = message.fields[i];
        if (field.name != name) continue;
        if (!field.repeated && (seen[i] || (field.one_of && seen_one_of))) return false;
        seen[i] = true;
        seen_one_of = seen_one_of || field.one_of;
        if ((field.type != 'm' && !colon) || !Values(field, bytes)) return false;
        break;
      }
    }
  }
  // One value, or "[a, b]"; repeated numbers are packed.
  bool Values(const TextField& field, std::string* bytes) {
    const bool is_list = field.repeated && in_.peek() == '[',
               packed = field.repeated && field.type != 'm' && field.type != 's';
    std::string numbers;
    do {
      if (is_list) {
        ++in_.at;
        in_.SkipSpaceAndComments();
      }
      if (!Value(field, packed ? &numbers : bytes)) return false;
    } while (is_list && in_.peek() == ',');
    if (packed) PutText(field.number, numbers, bytes);
    if (!is_list) return true;
    if (!in_.Eat("]")) return false;
    in_.SkipSpaceAndComments();
    return true;
  }
  // With its tag, but for a repeated number.
  bool Value(const TextField& field, std::string* bytes) {
    if (field.type == 'm') {
      std::string inner;
      if (!Nested(*field.message, &inner)) return false;
      PutText(field.number, inner, bytes);
      return true;
    }
    if (field.type == 's') {
      std::string_view raw;
      if (!EatQuoted(&in_, &raw)) return false;
      EscapeReader escapes(raw);
      for (char c = 0; escapes.Next(&c);) {
      }
      if (escapes.failed()) return false;
      in_.SkipSpaceAndComments();
      PutText(field.number, Unescape(raw), bytes);
      return true;
    }
    const AttrKind kind = field.type == 'b'                        ? AttrKind::kBool
                          : field.type == 'e'                      ? AttrKind::kType
                          : field.type == 'f' || field.type == 'd' ? AttrKind::kFloat
                                                                   : AttrKind::kInt;
    const std::string_view word = in_.EatWhile(kNumberChars | kUnderscore);
    DefaultReader reader(kind, false, word);
    SpecValue value;
    if (word.empty() || !reader.Next(&value) || reader.Next(&value) || reader.failed()) return false;
    if (field.type != 'e') in_.SkipSpaceAndComments();
    if (field.type == 'f' || field.type == 'd') {
      PutReal(field, std::string(word), bytes);
    } else {
      const std::int64_t number = field.type == 'e' ? static_cast<std::int64_t>(value.type) : value.i;
      if ((field.type == 'i' && (number < INT32_MIN || number > INT32_MAX)) ||
          (field.type == 'u' && (number < 0 || number > UINT32_MAX)) || (field.type == 'U' && number < 0))
        return false;
      if (!field.repeated) PutVarint(field.number << 3, bytes);
      PutVarint(static_cast<std::uint64_t>(number), bytes);
    }
    return true;
  }
  static void PutReal(const TextField& field, const std::string& word, std::string* bytes) {
    const bool single = field.type == 'f';
    const std::uint64_t bits = single ? std::bit_cast<std::uint32_t>(std::strtof(word.c_str(), nullptr))
                                      : std::bit_cast<std::uint64_t>(std::strtod(word.c_str(), nullptr));
    if (!field.repeated) PutVarint((field.number << 3) | (single ? 5u : 1u), bytes);
    for (int i = 0; i < (single ? 4 : 8); ++i) bytes->push_back(static_cast<char>(bits >> (8 * i) & 0xff));
  }

 public:
  static void PutVarint(std::uint64_t value, std::string* bytes) {
    for (; value >= 0x80; value >>= 7) bytes->push_back(static_cast<char>((value & 0x7f) | 0x80));
    bytes->push_back(static_cast<char>(value));
  }
  static void PutText(std::uint32_t number, std::string_view text, std::string* bytes) {
    PutVarint((number << 3) | 2u, bytes);
    PutVarint(text.size(), bytes);
    bytes->append(text);
  }

 private:
  TextCursor in_;
  int depth_ = 0;
};

inline std::string AttrTypeText(const AttrSpec& attr) {
  return attr.is_list ? StrCat("list(", Name(attr.kind), ")") : std::string(Name(attr.kind));
}

// One short text may name one value for a tensor of any size; a default that would be larger stays undecoded.
inline constexpr std::uint64_t kMaxRepeatedDefaultBytes = std::uint64_t{1} << 24;

// Defaults of kinds that are messages, through their wire form.
inline bool ReadBlocks(AttrKind kind, bool is_list, std::string_view text, AttrValue* out) {
  const TextMessage& message = kind == AttrKind::kShape    ? TextSchema::kShape
                               : kind == AttrKind::kTensor ? TextSchema::kTensor
                                                           : TextSchema::kFunc;
  const std::uint32_t field = kind == AttrKind::kShape ? 7 : kind == AttrKind::kTensor ? 8 : is_list ? 9 : 10;
  std::string bytes;
  DefaultReader values(kind, is_list, text);
  for (SpecValue value; values.Next(&value);) {
    std::string inner;
    if (!TextToWire(value.text).Block(message, &inner)) return false;
    TextToWire::PutText(field, inner, &bytes);
  }
  if (values.failed()) return false;
  if (is_list) {
    std::string list;
    TextToWire::PutText(1, bytes, &list);
    bytes.swap(list);
  }
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

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
