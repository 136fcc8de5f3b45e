// SPDX-License-Identifier: Apache-2.0
#pragma once
// Between the op language and OpDef: a signature as TensorFlow's OpDef, an OpDef as a signature (OwnedOp), and the same
// spec strings read at run time, where a mistake is a Status with TensorFlow's text (OpDefBuilder).

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr_value.hpp>
#include <tenon/op/op_def.hpp>
#include <tenon/op/proto_io.hpp>
#include <tenon/op/signature.hpp>

TENON_NAMESPACE_BEGIN

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
  std::span<const TextField> fields;
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
  Result<AttrValue> parsed = ParseAttrValue(std::as_bytes(std::span<const char>(bytes)));
  if (parsed.ok()) *out = *std::move(parsed);
  return parsed.ok();
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

// ------------------------------------------------------------------------------------------------ signature to OpDef

namespace detail {

inline OpDef::ArgDef ToArgDef(const ArgSpec& arg) {
  OpDef::ArgDef def;
  def.name = arg.name();
  def.type = arg.type;
  def.type_attr = arg.type_attr();
  def.number_attr = arg.number_attr();
  def.type_list_attr = arg.type_list_attr();
  def.is_ref = arg.is_ref;
  return def;
}

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

// The texts of Doc(): summary, description, then "name: text" for arguments and attrs. Returns the names that there are
// not.
class DocReader {
 public:
  static SlimVector<std::string> Read(std::string_view text, OpDef* def) { return DocReader(text, def).Run(); }

 private:
  DocReader(std::string_view text, OpDef* def) : def_(def) {
    for (;;) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
      lines_.push_back(line);
      if (end == text.npos) return;
      text.remove_prefix(end + 1);
    }
  }
  SlimVector<std::string> Run() {
    std::size_t at = 0;
    while (at < lines_.size() && lines_[at].empty()) ++at;
    if (at < lines_.size()) def_->summary = lines_[at++];
    while (at < lines_.size() && lines_[at].empty()) ++at;
    std::size_t end = EndOfBlock(at);
    def_->description = Join(at, end, 0);
    SlimVector<std::string> unknown;
    while (end < lines_.size()) {
      std::string_view name;
      lines_[end] = AfterName(lines_[end], &name);
      at = end;
      end = EndOfBlock(at + 1);
      if (std::string* to = Find(name))
        *to = Join(at, end, 1);
      else
        unknown.emplace_back(name);
    }
    return unknown;
  }
  // The text behind "name:"; name stays empty when the line does not begin so.
  static std::string_view AfterName(std::string_view line, std::string_view* name) {
    TextCursor in(line);
    if (!IsLetter(in.peek())) return line;
    const std::string_view word = in.EatWhile(kWordChars);
    in.SkipSpace();
    if (!in.Eat(":")) return line;
    in.SkipSpace();
    *name = word;
    return in.rest();
  }
  std::size_t EndOfBlock(std::size_t at) const {
    for (; at < lines_.size(); ++at) {
      std::string_view name;
      (void)AfterName(lines_[at], &name);
      if (!name.empty()) break;
    }
    return at;
  }
  // Lines [begin, end) without blank ones at the end; from line begin + `first` on without the indent that all share.
  std::string Join(std::size_t begin, std::size_t end, std::size_t first) const {
    while (end > begin && lines_[end - 1].empty()) --end;
    std::size_t indent = static_cast<std::size_t>(-1);
    for (std::size_t i = begin + first; first > 0 && i < end; ++i)
      if (!lines_[i].empty()) indent = std::min(indent, lines_[i].find_first_not_of(' '));
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) text += '\n';
      text += first > 0 && i > begin && !lines_[i].empty() ? lines_[i].substr(indent) : lines_[i];
    }
    return text;
  }
  std::string* Find(std::string_view name) {
    for (auto* list : {&def_->input_arg, &def_->output_arg})
      for (OpDef::ArgDef& arg : *list)
        if (arg.name == name) return &arg.description;
    for (OpDef::AttrDef& attr : def_->attr)
      if (attr.name == name) return &attr.description;
    return nullptr;
  }

  OpDef* def_;
  SlimVector<std::string_view> lines_;
};

}  // namespace detail

// The OpDef that TensorFlow makes of the same declaration.
inline OpDef ToOpDef(const OpView& op) {
  OpDef def;
  def.name = op.name;
  for (const ArgSpec& arg : op.inputs) def.input_arg.push_back(detail::ToArgDef(arg));
  for (const ArgSpec& arg : op.outputs) def.output_arg.push_back(detail::ToArgDef(arg));
  for (const AttrSpec& attr : op.attrs) (void)detail::ToAttrDef(attr, &def.attr.emplace_back());
  def.control_output.assign(op.control_outputs.begin(), op.control_outputs.end());
  def.is_stateful = op.flags.is_stateful;
  def.is_commutative = op.flags.is_commutative;
  def.is_aggregate = op.flags.is_aggregate;
  def.allows_uninitialized_input = op.flags.allows_uninitialized_input;
  def.is_distributed_communication = op.flags.is_distributed_communication;
  if (op.deprecated_since != 0 || !op.deprecation_text.empty()) {
    def.deprecation.emplace();
    def.deprecation->version = op.deprecated_since;
    def.deprecation->explanation = op.deprecation_text;
  }
  if (!op.doc.empty()) (void)detail::DocReader::Read(op.doc, &def);
  return def;
}

// "Op<name=X; signature=a:T, b:Ref(N*int32) -> y:T; attr=T:type,default=DT_FLOAT; is_stateful=true>", as messages name
// an op.
inline std::string SummarizeOpDef(const OpDef& def) {
  const auto args = [](const SlimVector<OpDef::ArgDef>& list) {
    return StrJoin(list, ", ", [](std::string* out, const OpDef::ArgDef& arg) {
      StrAppend(out, arg.name, ":", arg.is_ref ? "Ref(" : "", arg.number_attr, arg.number_attr.empty() ? "" : "*",
                arg.type != DataType::kInvalid ? Name(arg.type) : std::string_view(arg.type_attr),
                arg.is_ref ? ")" : "");
    });
  };
  std::string text = StrCat("Op<name=", def.name, "; signature=", args(def.input_arg), " -> ", args(def.output_arg));
  for (const OpDef::AttrDef& attr : def.attr) {
    StrAppend(&text, "; attr=", attr.name, ":", attr.type);
    if (attr.default_value) StrAppend(&text, ",default=", SummarizeAttrValue(*attr.default_value));
    if (attr.has_minimum) StrAppend(&text, ",min=", attr.minimum);
    if (attr.allowed_values.has_value()) StrAppend(&text, ",allowed=", SummarizeAttrValue(attr.allowed_values));
  }
  if (def.is_commutative) text += "; is_commutative=true";
  if (def.is_aggregate) text += "; is_aggregate=true";
  if (def.is_stateful) text += "; is_stateful=true";
  if (def.allows_uninitialized_input) text += "; allows_uninitialized_input=true";
  if (def.is_distributed_communication) text += "; is_distributed_communication=true";
  return text + ">";
}

// -------------------------------------------------------------------------------------------------------- validation

namespace detail {

class OpDefValidator {
 public:
  explicit OpDefValidator(const OpDef& def) : def_(def) {}

  Status Run() {
    if (!IsOpName(def_.name)) return errors::InvalidArgument("Invalid name: ", def_.name, " (Did you use CamelCase?)");
    for (const OpDef::AttrDef& attr : def_.attr) TENON_RETURN_IF_ERROR(Attr(attr));
    for (const OpDef::ArgDef& arg : def_.input_arg)
      TENON_RETURN_IF_ERROR(Arg(arg, StrCat(" for input '", arg.name, "'")));
    for (const OpDef::ArgDef& arg : def_.output_arg)
      TENON_RETURN_IF_ERROR(Arg(arg, StrCat(" for output '", arg.name, "'")));
    return OkStatus();
  }

 private:
  Status NewName(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end())
      return errors::InvalidArgument("Duplicate name: ", name);
    names_.push_back(name);
    return OkStatus();
  }
  Status Attr(const OpDef::AttrDef& attr) {
    TENON_RETURN_IF_ERROR(NewName(attr.name));
    if (DataTypeFromName(attr.name) != DataType::kInvalid)
      return errors::InvalidArgument("Attr can't have name ", attr.name, " that matches a data type");
    std::string_view type = attr.type;
    const bool is_list = StartsWith(type, "list(");
    if (is_list) type.remove_prefix(5);
    bool found = false;
    for (int k = 0; k <= static_cast<int>(AttrKind::kFunc) && !found; ++k) {
      const std::string_view word = Name(static_cast<AttrKind>(k));
      found = StartsWith(type, word);
      if (found) type.remove_prefix(word.size());
    }
    if (!found) return errors::InvalidArgument("Unrecognized type '", type, "' in attr '", attr.name, "'");
    if (is_list) {
      if (!StartsWith(type, ")"))
        return errors::InvalidArgument("'list(' is missing ')' in attr ", attr.name, "'s type ", attr.type);
      type.remove_prefix(1);
    }
    if (!type.empty())
      return errors::InvalidArgument("Extra '", type, "' at the end of attr ", attr.name, "'s type ", attr.type);
    if (attr.has_minimum) {
      if (attr.type != "int" && !is_list)
        return errors::InvalidArgument("Attr '", attr.name, "' has minimum for unsupported type ", attr.type);
      if (is_list && attr.minimum < 0)
        return errors::InvalidArgument("Attr '", attr.name, "' with list type must have a non-negative minimum, not ",
                                       attr.minimum);
    } else if (attr.minimum != 0) {
      return errors::InvalidArgument("Attr '", attr.name, "' with has_minimum = false but minimum ", attr.minimum,
                                     " not equal to default of 0");
    }
    if (attr.allowed_values.has_value()) {
      const Status status =
          AttrValueHasType(attr.allowed_values, is_list ? attr.type : StrCat("list(", attr.type, ")"));
      if (!status.ok()) return status.WithAppended(StrCat("\n\t for attr '", attr.name, "' in Op '", def_.name, "'"));
    }
    if (!attr.default_value) return OkStatus();
    return Default(*attr.default_value, attr, is_list).WithAppended(StrCat("\n\t in Op '", def_.name, "'"));
  }
  static Status Default(const AttrValue& value, const OpDef::AttrDef& attr, bool is_list) {
    if (Status s = AttrValueHasType(value, attr.type); !s.ok())
      return s.WithAppended(StrCat("\n\t for attr '", attr.name, "'"));
    const AttrList& list = value.list();
    if (attr.has_minimum) {
      const auto length =
          static_cast<std::int64_t>(list.s.size() + list.i.size() + list.f.size() + list.b.size() + list.type.size() +
                                    list.shape.size() + list.tensor.size() + list.func.size());
      if ((is_list ? length : value.i()) < attr.minimum)
        return errors::InvalidArgument(is_list ? "Length" : "Value", " for attr '", attr.name, "' of ",
                                       is_list ? length : value.i(), " must be at least minimum ", attr.minimum);
    }
    if (!attr.allowed_values.has_value()) return OkStatus();
    const AttrList& allowed = attr.allowed_values.list();
    if (attr.type == "type" || attr.type == "list(type)")
      return Allowed(is_list ? list.type : SlimVector<DataType>{value.type()}, allowed.type, attr.name, "");
    if (attr.type == "string" || attr.type == "list(string)")
      return Allowed(is_list ? list.s : SlimVector<std::string>{value.s()}, allowed.s, attr.name, "\"");
    return errors::Unimplemented("Support for allowed_values not implemented for type ", attr.type);
  }
  template <class T>
  static Status Allowed(const SlimVector<T>& values, const SlimVector<T>& allowed, std::string_view name,
                        std::string_view quote) {
    for (const T& value : values)
      if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
        return errors::InvalidArgument(
            "Value for attr '", name, "' of ", quote, value, quote, " is not in the list of allowed values: ",
            StrJoin(allowed, ", ", [quote](std::string* out, const T& item) { StrAppend(out, quote, item, quote); }));
    return OkStatus();
  }
  Status Arg(const OpDef::ArgDef& arg, const std::string& suffix) {
    TENON_RETURN_IF_ERROR(NewName(arg.name));
    const int types = (arg.type != DataType::kInvalid) + !arg.type_attr.empty() + !arg.type_list_attr.empty();
    if (types == 0) return errors::InvalidArgument("Missing type", suffix);
    if (!arg.number_attr.empty()) {
      TENON_RETURN_IF_ERROR(Reference(arg.number_attr, "length", "int", suffix));
      const OpDef::AttrDef& number = *FindAttr(arg.number_attr, def_);
      const std::string used = StrCat("Attr '", number.name, "' used as length", suffix);
      if (!number.has_minimum) return errors::InvalidArgument(used, " must have minimum");
      if (number.minimum < 0) return errors::InvalidArgument(used, " must have minimum >= 0");
      if (!arg.type_list_attr.empty())
        return errors::InvalidArgument("Can't have both number_attr and type_list_attr", suffix);
      if (types != 1) return errors::InvalidArgument("Exactly one of type, type_attr must be set", suffix);
    } else if (types != 1) {
      return errors::InvalidArgument("Exactly one of type, type_attr, type_list_attr must be set", suffix);
    }
    if (!arg.type_attr.empty()) return Reference(arg.type_attr, "type_attr", "type", suffix);
    if (!arg.type_list_attr.empty()) return Reference(arg.type_list_attr, "type_list_attr", "list(type)", suffix);
    if (IsRefType(arg.type))
      return errors::InvalidArgument("Illegal use of ref type '", arg.type, "'. Use 'Ref(type)' instead", suffix);
    return OkStatus();
  }
  Status Reference(const std::string& name, std::string_view use, std::string_view type,
                   const std::string& suffix) const {
    const OpDef::AttrDef* attr = FindAttr(name, def_);
    if (attr == nullptr) return errors::InvalidArgument("No attr with name '", name, "'", suffix);
    if (attr->type != type)
      return errors::InvalidArgument("Attr '", name, "' used as ", use, suffix, " has type ", attr->type, " != ", type);
    return OkStatus();
  }

  const OpDef& def_;
  SlimVector<std::string> names_;
};

}  // namespace detail

// Everything that can be wrong with an OpDef. InvalidArgument with TensorFlow's text.
inline Status ValidateOpDef(const OpDef& def) {
  const Status status = detail::OpDefValidator(def).Run();
  return status.ok() ? status : status.WithAppended(StrCat("; in OpDef: ", SummarizeOpDef(def)));
}

// ---------------------------------------------------------------------------------------- spec strings at run time

// Op("X") for descriptions that are only known while the program runs. Strings may come in any order; all mistakes are
// reported together. one thread.
//
//   OpDef def;
//   TENON_RETURN_IF_ERROR(OpDefBuilder("ZeroOut").Input("to_zero: int32").Output("zeroed: int32").Finalize(&def));
class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string name) { def_.name = std::move(name); }

  OpDefBuilder& Attr(std::string spec) { return attrs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& Input(std::string spec) { return inputs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& Output(std::string spec) { return outputs_.push_back(std::move(spec)), *this; }
  OpDefBuilder& ControlOutput(std::string name) { return control_outputs_.push_back(std::move(name)), *this; }
  OpDefBuilder& Doc(std::string text) {
    if (!doc_.empty()) errors_.push_back(StrCat("Extra call to Doc() for Op ", def_.name));
    return doc_ = std::move(text), *this;
  }
  OpDefBuilder& Deprecated(int version, std::string explanation) {
    if (def_.deprecation) errors_.push_back(StrCat("Deprecated called twice for Op ", def_.name));
    def_.deprecation.emplace();
    def_.deprecation->version = version;
    def_.deprecation->explanation = std::move(explanation);
    return *this;
  }
  OpDefBuilder& SetIsStateful() { return def_.is_stateful = true, *this; }
  OpDefBuilder& SetIsCommutative() { return def_.is_commutative = true, *this; }
  OpDefBuilder& SetIsAggregate() { return def_.is_aggregate = true, *this; }
  OpDefBuilder& SetAllowsUninitializedInput() { return def_.allows_uninitialized_input = true, *this; }
  OpDefBuilder& SetIsDistributedCommunication() { return def_.is_distributed_communication = true, *this; }

  Status Finalize(OpDef* out) const {
    OpDef def = def_;
    SlimVector<std::string> errors = errors_;
    for (const std::string& spec : attrs_) AddAttr(spec, &def, &errors);
    for (const std::string& spec : inputs_) AddArg(spec, "Input", &def.input_arg.emplace_back(), &def, &errors);
    for (const std::string& spec : outputs_) AddArg(spec, "Output", &def.output_arg.emplace_back(), &def, &errors);
    for (const std::string& name : control_outputs_) AddControlOutput(name, &def, &errors);
    if (!doc_.empty())
      for (const std::string& name : detail::DocReader::Read(doc_, &def))
        errors.push_back(StrCat("No matching input/output/attr for name '", name, "' from Doc() for Op ", def.name));
    if (!errors.empty()) return errors::InvalidArgument(StrJoin(errors, "\n"));
    TENON_RETURN_IF_ERROR(ValidateOpDef(def));
    *out = std::move(def);
    return OkStatus();
  }

 private:
  // TensorFlow's sentence for a mistake in a spec.
  static std::string Text(const SpecIssue& issue, std::string_view spec, bool is_attr) {
    const std::string_view quoted = spec.substr(issue.begin, issue.end - issue.begin);
    switch (issue.error) {
      case SpecError::kNone: return {};
      case SpecError::kNameNotIdentifier:
      case SpecError::kNoColon: return is_attr ? "Trouble parsing '<name>:'" : "Trouble parsing 'name:'";
      case SpecError::kUnknownAttrKind:
      case SpecError::kNoTypeInList: return StrCat("Trouble parsing type string at '", quoted, "'");
      case SpecError::kNotACompoundType: return StrCat("Expected to see a compound type, saw: ", quoted);
      case SpecError::kUnknownTypeInList: return StrCat("Unrecognized type string '", quoted, "'");
      case SpecError::kBadStringInList: return StrCat("Trouble parsing allowed string at '", quoted, "'");
      case SpecError::kBadEscapeInList: return StrCat("Trouble unescaping \"", quoted, "\", got error: not a C escape");
      case SpecError::kNoCommaAfterString: return StrCat("Expected , or } after strings in list, not: '", quoted, "'");
      case SpecError::kNoCommaAfterType: return StrCat("Expected , or } after types in list, not: '", quoted, "'");
      case SpecError::kListNotClosed: return StrCat("Expected ) to close 'list(', not: '", quoted, "'");
      case SpecError::kBadMinimum:
        return StrCat("Could not parse integer lower limit after '>=', found '", quoted, "' instead");
      case SpecError::kBadDefault: return StrCat("Could not parse default value '", quoted, "'");
      case SpecError::kNoType: return StrCat("Trouble parsing either a type or an attr name at '", quoted, "'");
      case SpecError::kRefNotClosed:
        return StrCat("Did not find closing ')' for 'Ref(', instead found: '", quoted, "'");
      case SpecError::kTextLeftOver: return StrCat("Extra '", quoted, "' unparsed at the end");
      case SpecError::kTooLong: return "The spec is longer than 65535 characters";
    }
    return {};
  }
  void AddAttr(const std::string& spec, OpDef* def, SlimVector<std::string>* errors) const {
    AttrSpec attr;
    SpecIssue issue = ReadAttrSpec(spec, &attr);
    const bool type_known = issue.ok() || issue.error == SpecError::kBadMinimum ||
                            issue.error == SpecError::kBadDefault || issue.error == SpecError::kTextLeftOver;
    OpDef::AttrDef& to = def->attr.emplace_back();
    if (issue.ok() && !detail::ToAttrDef(attr, &to))
      issue = {SpecError::kBadDefault, false, attr.default_begin, spec.size()};
    if (issue.ok()) return;
    if (issue.error != SpecError::kNameNotIdentifier && issue.error != SpecError::kNoColon) to.name = attr.name();
    if (type_known) to.type = detail::AttrTypeText(attr);
    errors->push_back(StrCat(Text(issue, spec, true), " from Attr(\"", spec, "\") for Op ", def->name));
  }
  void AddArg(const std::string& spec, std::string_view what, OpDef::ArgDef* to, OpDef* def,
              SlimVector<std::string>* errors) const {
    const auto fail = [&](std::string text) {
      errors->push_back(StrCat(text, " from ", what, "(\"", spec, "\") for Op ", def->name));
    };
    ArgSpec arg;
    const SpecIssue issue = ReadArgSpec(spec, &arg);
    const bool type_read =
        issue.ok() || issue.error == SpecError::kRefNotClosed || issue.error == SpecError::kTextLeftOver;
    to->name = arg.name();
    if (!type_read) return fail(Text(issue, spec, false));
    to->number_attr = arg.number_attr();
    to->is_ref = arg.is_ref;
    to->type = arg.type;
    if (arg.type == DataType::kInvalid) {
      const std::string_view name = arg.type_attr();
      const OpDef::AttrDef* attr = FindAttr(name, *def);
      if (attr == nullptr) return fail(StrCat("Reference to unknown attr '", name, "'"));
      if (attr->type == "type")
        to->type_attr = name;
      else if (attr->type == "list(type)")
        to->type_list_attr = name;
      else
        return fail(StrCat("Reference to attr '", name, "' with type ", attr->type, " that isn't type or list(type)"));
    }
    if (!issue.ok()) return fail(Text(issue, spec, false));
    const std::string& counter = !to->number_attr.empty() ? to->number_attr : to->type_list_attr;
    for (OpDef::AttrDef& attr : def->attr)
      if (!counter.empty() && attr.name == counter && !attr.has_minimum) {
        attr.has_minimum = true;
        attr.minimum = 1;
      }
    if (arg.type == DataType::kResource) def->is_stateful = true;
  }
  void AddControlOutput(const std::string& name, OpDef* def, SlimVector<std::string>* errors) const {
    detail::TextCursor in(name);
    const bool is_name = detail::IsLetter(in.peek());
    def->control_output.emplace_back(is_name ? in.EatWhile(detail::kWordChars) : std::string_view());
    if (!is_name)
      errors->push_back(StrCat("Trouble parsing 'name:' from ControlOutput(\"", name, "\") for Op ", def->name));
  }

  OpDef def_;
  std::string doc_;
  SlimVector<std::string> attrs_, inputs_, outputs_, control_outputs_, errors_;
};

// ------------------------------------------------------------------------------------------------- OpDef to signature

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
    op.parts_ = std::make_unique<Parts>();
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

  std::unique_ptr<Parts> parts_;
};

TENON_NAMESPACE_END
