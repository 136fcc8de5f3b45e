// SPDX-License-Identifier: Apache-2.0
#pragma once
// JsonToWire: a message in proto3's JSON mapping to protobuf's wire format, by the message's table. As lenient as
// protobuf's own reader: names in camelCase or as in the schema, with either quotes or none, commas before a closing
// bracket, one value for a list, null for nothing.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/base64.hpp>
#include <tenon/wire/field.hpp>
#include <tenon/wire/json_cursor.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/text_schema.hpp>
#include <tenon/wire/text_sink.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace wire {

// How errors say where a mistake is.
enum class JsonErrors : std::uint8_t {
  kPath,      // "3:14: node[2].attr['T']: no such field: 'x'; did you mean ...", as Tenon's other readers
  kProtobuf,  // "invalid JSON in type.googleapis.com/Message, near 3:14 (offset 40): no such field: 'x'"
};

namespace detail {

// Is it "int64List" for "int64_list"?
inline bool IsCamelCaseOf(std::string_view json, std::string_view name) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == '_' && i + 1 < name.size()) {
      c = name[++i];
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    if (at == json.size() || json[at++] != c) return false;
  }
  return at == json.size();
}

// Reads one text. one thread.
class JsonReader {
 public:
  JsonReader(std::string_view text, TextTables tables, JsonErrors style)
      : in_(text), sink_(text.size() / 2 + 64), tables_(tables), style_(style) {}

  // Reads one object, of this message, and nothing after it.
  Status Read(const Message& message, std::string* out) {
    if (ReadObject(message) && in_.Ends()) {
      *out = sink_.Take();
      return OkStatus();
    }
    return ErrorOf(message);
  }

 private:
  static constexpr std::string_view kType = "@type", kBlanks = " \t\n\v\f\r";
  // The first double that no float holds: the middle of the largest float and 2^128.
  static constexpr double kFloatLimit = 340282356779733661637539395458142568448.0;

  // A value that is being read.
  struct Place {
    const Field* field;
    std::size_t index = 0;     // in a list
    const char* key = nullptr;  // in a map: where the key begins in the text
  };

  bool ReadObject(const Message& message) {
    if (!Enter() || !in_.Eat('{')) return false;
    if (!(IsAny(message) ? ReadAny() : ReadMembers(message))) return false;
    --depth_;
    return true;
  }
  // The fields of a message up to '}', which is eaten. Passes over one '@type' where `has_type`.
  bool ReadMembers(const Message& message, bool has_type = false) {
    std::uint64_t seen = 0;
    const Field* member = nullptr;  // the field that is set of those in the oneof
    std::size_t next = 0;           // fields mostly come in their order
    while (!in_.TryEat('}')) {
      in_.Peek();
      const char* const start = in_.at();
      std::string_view name;
      if (!in_.ReadName(&name) || !in_.Eat(':')) return false;
      if (has_type && name == kType) {
        has_type = false;
        if (!SkipValue() || !in_.EndsItem('}')) return false;
        continue;
      }
      const std::size_t index = IndexOf(message, name, next);
      if (index == message.fields.size()) [[unlikely]]
        return FailUnknown(message, name, start);
      const Field& field = message.fields[index];
      next = index + 1;
      if (!in_.EatWord("null")) {
        if (!field.repeated) {
          const std::uint64_t bit = std::uint64_t{1} << index % 64;
          const bool again = (seen & bit) != 0 || (field.role == Role::kInOneof && member != nullptr);
          if (again) [[unlikely]]
            return FailAgain(field, member, start);
          seen |= bit;
          if (field.role == Role::kInOneof) member = &field;
        }
        Place place{&field};
        if (!ReadField(field, &place)) [[unlikely]]
          return FailIn(place);
      }
      if (!in_.EndsItem('}')) return false;
    }
    return true;
  }
  // The type and the fields of the message that an Any holds, or its bytes where there is no table of it. The type
  // mostly comes first; it is looked for when it does not.
  bool ReadAny() {
    if (in_.TryEat('}')) return true;
    const char* const start = in_.at();
    std::string_view name;
    for (bool found = false; !found;) {
      if (in_.Peek() == '}') return in_.Fail(start, "an Any has no '@type'; it names the type of the message");
      if (!in_.ReadName(&name)) return false;
      found = name == kType;
      if (!in_.Eat(':') || (!found && (!SkipValue() || !in_.EndsItem('}')))) return false;
    }
    if (!in_.ReadText(&name)) return false;
    const Message* const table = TableOfUrl(name, tables_);
    WriteBytes(kAnyFields[0], name);
    in_.Reset(start);
    if (table == nullptr || IsAny(*table) || IsBoolValue(*table)) return ReadValueOfAny(table);
    const std::size_t begin = sink_.Open(kAnyFields[1].number);
    if (!ReadMembers(*table, true)) return false;
    sink_.Close(begin);
    return true;
  }
  bool ReadValueOfAny(const Message* table) {
    bool has_type = true, has_value = false;
    while (!in_.TryEat('}')) {
      const char* const start = in_.at();
      std::string_view name;
      if (!in_.ReadName(&name) || !in_.Eat(':')) return false;
      if (has_type && name == kType) {
        has_type = false;
        if (!SkipValue() || !in_.EndsItem('}')) return false;
        continue;
      }
      if (name != "value" || has_value)
        return in_.Fail(PlaceOf(start), StrCat("no such field: '", name, "'"),
                        Hint("; an Any of a type that this program does not know has its bytes as 'value'"));
      has_value = true;
      if (!ReadOne(kAnyFields[1], table) || !in_.EndsItem('}')) return false;
    }
    return true;
  }
  // Passes over a value of any kind.
  bool SkipValue() {
    const char open = in_.Peek();
    std::string_view text;
    if (open != '{' && open != '[')
      return in_.EatWord("null") || in_.EatWord("true") || in_.EatWord("false") || in_.ReadNumberText(&text);
    const char close = open == '{' ? '}' : ']';
    if (!Enter() || !in_.Eat(open)) return false;
    while (!in_.TryEat(close)) {
      if (open == '{' && (!in_.ReadName(&text) || !in_.Eat(':'))) return false;
      if (!SkipValue() || !in_.EndsItem(close)) return false;
    }
    --depth_;
    return true;
  }
  static std::size_t IndexOf(const Message& message, std::string_view name, std::size_t first) {
    const std::size_t n = message.fields.size();
    for (std::size_t i = first; i < n + first; ++i) {
      const std::size_t index = i < n ? i : i - n;
      const std::string_view other = message.fields[index].name;
      if (!other.empty() && !name.empty() && other[0] != name[0] && other[0] != '_') continue;
      if (other == name || IsCamelCaseOf(name, other)) return index;
    }
    return n;
  }

  bool ReadField(const Field& field, Place* place) {
    const Message* const inner = TableOf(field, tables_);
    if (field.repeated && inner != nullptr && IsMapEntry(*inner)) return ReadMap(field, *inner, place);
    if (!field.repeated || in_.Peek() != '[') return ReadOne(field, inner);
    in_.TryEat('[');
    for (; !in_.TryEat(']'); ++place->index) {
      if (!(in_.Peek() == '[' ? ReadNested(field, place) : ReadOne(field, inner)) || !in_.EndsItem(']')) return false;
    }
    return true;
  }
  // A list in a list stands for its values.
  bool ReadNested(const Field& field, Place* place) {
    if (!Enter()) return false;
    const bool read = ReadField(field, place);
    --depth_;
    return read;
  }

  bool ReadMap(const Field& field, const Message& entry, Place* place) {
    const Field &key = entry.fields[0], &value = entry.fields[1];
    const Message* const inner = TableOf(value, tables_);
    SlimVector<std::string> keys;
    SlimVector<const char*> places;
    if (!in_.Eat('{')) return false;
    while (!in_.TryEat('}')) {
      in_.Peek();
      place->key = in_.at();
      std::string_view name;
      if (!in_.ReadName(&name)) return false;
      const std::size_t start = sink_.Open(field.number);
      if (!WriteKey(key, name, place->key)) return false;
      keys.emplace_back(name);
      places.push_back(place->key);
      if (!in_.Eat(':') || (!in_.EatWord("null") && !ReadOne(value, inner))) return false;
      sink_.Close(start);
      if (!in_.EndsItem('}')) return false;
    }
    if (keys.size() < 2) return true;
    const SlimVector<std::size_t> order =
        SortedOrder(keys.size(), [&keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      if (keys[order[i - 1]] != keys[order[i]]) continue;
      place->key = places[order[i]];
      return in_.Fail(place->key, StrCat("got unexpectedly-repeated repeated map key: '", keys[order[i]], "'"));
    }
    return true;
  }
  bool WriteKey(const Field& key, std::string_view text, const char* where) {
    if (IsString(key.kind)) {
      WriteBytes(key, text);
      return true;
    }
    std::uint64_t bits = text == "true" ? 1 : 0;
    if (key.kind == Kind::kBool ? bits == 0 && text != "false" : !IntegerOf(key.kind, text, &bits))
      return in_.Fail(where, StrCat("invalid map key: '", text, "'"));
    WriteNumber(key, bits);
    return true;
  }

  // At the value. null is the default value where it is in a list or a map.
  bool ReadOne(const Field& field, const Message* inner) {
    in_.Peek();
    const char* const start = in_.at();
    const bool is_null = in_.EatWord("null");
    if (inner != nullptr) {
      const std::size_t begin = sink_.Open(field.number);
      if (!is_null && !(IsBoolValue(*inner) ? ReadOne(inner->fields[0], nullptr) : ReadObject(*inner))) return false;
      sink_.Close(begin);
      return true;
    }
    std::uint64_t bits = 0;
    double real = 0;
    std::string_view text;
    switch (field.kind) {
      case Kind::kMessage:
        return in_.Fail(start, StrCat("'", field.name, "' is a ", field.message->name,
                                      ", which this program cannot read from JSON"));
      case Kind::kString:
        if (!is_null && !in_.ReadText(&text)) return false;
        WriteBytes(field, text);
        return true;
      case Kind::kBytes: return (is_null || in_.ReadText(&text)) && WriteBase64(field, text, start);
      case Kind::kBool:
        if (in_.EatWord("true"))
          bits = 1;
        else if (!is_null && !in_.EatWord("false"))
          return in_.Fail(start, "expected 'true' or 'false'");
        break;
      case Kind::kDouble:
        if (!is_null && !ReadReal(false, &real)) return false;
        std::memcpy(&bits, &real, sizeof real);
        break;
      case Kind::kFloat: {
        if (!is_null && !ReadReal(true, &real)) return false;
        const auto single = static_cast<float>(real);
        std::memcpy(&bits, &single, sizeof single);
        break;
      }
      case Kind::kEnum:
        if (!is_null && !ReadEnum(field, &bits)) return false;
        break;
      default:
        if (!is_null && !ReadInteger(field.kind, &bits)) return false;
    }
    WriteNumber(field, bits);
    return true;
  }

  // -- numbers
  static bool IsSigned(Kind kind) {
    return kind == Kind::kInt32 || kind == Kind::kInt64 || kind == Kind::kSint64 || kind == Kind::kEnum;
  }
  static bool IsNarrow(Kind kind) {
    return kind == Kind::kInt32 || kind == Kind::kUint32 || kind == Kind::kFixed32 || kind == Kind::kEnum;
  }
  // False when the text is not an integer of the kind.
  static bool IntegerOf(Kind kind, std::string_view text, std::uint64_t* bits) {
    std::int64_t number = 0;
    if (!IsSigned(kind)) return ParseInt(text, bits) && (!IsNarrow(kind) || *bits <= UINT32_MAX);
    if (!ParseInt(text, &number)) return false;
    *bits = static_cast<std::uint64_t>(number);
    return !IsNarrow(kind) || number == static_cast<std::int32_t>(number);
  }
  bool ReadInteger(Kind kind, std::uint64_t* bits) {
    in_.Peek();
    const char* const start = in_.at();
    std::string_view text;
    if (!in_.ReadNumberText(&text)) return false;
    return IntegerOf(kind, text, bits) || ReadIntegerOfReal(kind, text, start, bits);
  }
  // "1e2" and "7.0" are integers.
  TENON_DETAIL_COLD bool ReadIntegerOfReal(Kind kind, std::string_view text, const char* start, std::uint64_t* bits) {
    double real = 0;
    if (text.find_first_of(kBlanks) != std::string_view::npos)
      return in_.Fail(start, "non-number characters in quoted number");
    if (!ParseDouble(text, &real) || !std::isfinite(real))
      return in_.Fail(start, StrCat("invalid number: '", text, "'"));
    const bool has_digits_alone = text.find_first_not_of("+-0123456789") == std::string_view::npos;
    if (!has_digits_alone && real != std::floor(real))
      return in_.Fail(start, "expected integer, but JSON number had fractional part");
    const double scale = IsNarrow(kind) ? 4294967296.0 : 18446744073709551616.0;
    // protobuf takes reals up to 2^53; Python's reader takes those that the type holds.
    const bool is_inexact = style_ == JsonErrors::kProtobuf && std::abs(real) > 9007199254740992.0;
    if ((has_digits_alone && real != 0) || is_inexact ||
        (IsSigned(kind) ? real >= scale / 2 || real < -scale / 2 : real >= scale || real < 0))
      return in_.Fail(start, "JSON number out of range for int");
    *bits =
        IsSigned(kind) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(real)) : static_cast<std::uint64_t>(real);
    return true;
  }
  // A text may have blanks around the number, and a value that no double holds is infinite there.
  bool ReadReal(bool single, double* value) {
    const bool quoted = in_.Peek() == '"' || in_.Peek() == '\'';
    const char* const start = in_.at();
    std::string_view text;
    if (!in_.ReadNumberText(&text)) return false;
    if (quoted && !text.empty()) {
      const std::size_t first = text.find_first_not_of(kBlanks), last = text.find_last_not_of(kBlanks);
      text = first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
    }
    if (!JsonCursor::ToDouble(text, value)) return in_.Fail(start, "non-number characters in quoted number");
    if (!std::isfinite(*value)) return quoted || in_.Fail(start, "float out of range");
    return !single || std::abs(*value) < kFloatLimit || in_.Fail(start, "float out of range");
  }
  // A name, or a number with or without quotes.
  bool ReadEnum(const Field& field, std::uint64_t* bits) {
    const char first = in_.Peek();
    const char* const start = in_.at();
    if (first != '"' && first != '\'') return ReadInteger(field.kind, bits);
    std::string_view name;
    if (!in_.ReadText(&name)) return false;
    std::int32_t number = 0;
    if (EnumNumberOf(field, name, &number))
      *bits = static_cast<std::uint64_t>(std::int64_t{number});
    else if (!IntegerOf(field.kind, name, bits))
      return in_.Fail(start, StrCat("unknown enum value: '", name, "'"), Hint(DidYouMean(name, EnumNames(field))));
    return true;
  }

  // -- the wire format
  void WriteNumber(const Field& field, std::uint64_t bits) {
    sink_.Tag(field.number, WireTypeOf(field.kind));
    sink_.Number(WireTypeOf(field.kind), field.kind == Kind::kSint64 ? ZigZag(static_cast<std::int64_t>(bits)) : bits);
  }
  void WriteBytes(const Field& field, std::string_view bytes) {
    sink_.Tag(field.number, WireType::kBytes);
    sink_.Varint(bytes.size());
    sink_.Bytes(bytes);
  }
  bool WriteBase64(const Field& field, std::string_view text, const char* where) {
    const std::size_t begin = sink_.Open(field.number);
    char* const end = DecodeBase64(text, sink_.Room(Base64Room(text)));
    if (end == nullptr) return in_.Fail(where, "corrupt base64");
    sink_.Commit(end);
    sink_.Close(begin);
    return true;
  }

  // -- mistakes
  bool Enter() {
    if (++depth_ > kMaxDepth) return in_.Fail(in_.at(), StrCat("messages are nested more than ", kMaxDepth, " deep"));
    if (depth_ <= kDepthOfFiles || !StackIsShort(0)) return true;
    code_ = Code::kResourceExhausted;
    return in_.Fail(in_.at(),
                    StrCat("nested ", depth_, " deep, and the thread has ", StackLeft() / 1024, " KiB of stack left"));
  }
  // protobuf shows the place behind the name.
  const char* PlaceOf(const char* name) const { return style_ == JsonErrors::kPath ? name : in_.at(); }
  std::string Hint(std::string hint) const { return style_ == JsonErrors::kPath ? hint : std::string(); }
  TENON_DETAIL_COLD bool FailUnknown(const Message& message, std::string_view name, const char* where) {
    SlimVector<std::string_view> names;
    for (const Field& field : message.fields) names.push_back(field.name);
    std::string hint = DidYouMean(name, names);
    if (hint.empty()) {
      hint = StrCat("; ", message.name, " has ");
      for (std::size_t i = 0; i < names.size(); ++i) StrAppend(&hint, i == 0 ? "'" : ", '", names[i], "'");
    }
    return in_.Fail(PlaceOf(where), StrCat("no such field: '", name, "'"), Hint(hint));
  }
  TENON_DETAIL_COLD bool FailAgain(const Field& field, const Field* member, const char* where) {
    const std::string hint = member == nullptr || member == &field ? "" : StrCat("; the other is '", member->name, "'");
    return in_.Fail(PlaceOf(where),
                    StrCat("'", field.name, "' has already been set (either directly or as part of a oneof)"),
                    Hint(hint));
  }
  // Puts the value, around the one with the mistake, before the path: "node[3].attr['T']".
  TENON_DETAIL_COLD bool FailIn(const Place& place) {
    std::string path(place.field->name);
    std::string_view key;
    JsonCursor at_key = in_;
    if (place.key != nullptr) {
      at_key.Reset(place.key);
      if (at_key.ReadName(&key)) StrAppend(&path, "['", CEscape(key), "']");
    } else if (place.field->repeated) {
      StrAppend(&path, "[", place.index, "]");
    }
    path_ = StrCat(path, path_.empty() ? "" : ".", path_);
    return false;
  }
  TENON_DETAIL_COLD Status ErrorOf(const Message& message) const {
    const JsonMistake& mistake = in_.mistake();
    if (style_ == JsonErrors::kPath) {
      return Status(code_,
                    StrCat(mistake.line, ":", mistake.column, ": ", path_, path_.empty() ? "" : ": ", mistake.what));
    }
    if (!mistake.has_place) return Status(code_, mistake.what);
    return Status(code_, StrCat("invalid JSON in type.googleapis.com/", message.name, ", near ", mistake.line, ":",
                                mistake.column, " (offset ", mistake.offset, "): ", mistake.what));
  }

  JsonCursor in_;
  TextSink sink_;
  TextTables tables_;
  JsonErrors style_;
  Code code_ = Code::kInvalidArgument;
  std::string path_;  // the mistake is in there
  int depth_ = 0;
};

}  // namespace detail

// Reads a message as JSON into its wire format, *out: fields in the order of the text, numbers of lists one by one, as
// protobuf writes them. InvalidArgument: what is no JSON or does not fit the message. ResourceExhausted: the stack is
// too short. Takes time in proportion to the text.
inline Status JsonToWire(const Message& message, std::string_view json, std::string* out,
                         TextTables tables = kTensorTextTables, JsonErrors style = JsonErrors::kPath) {
  const Message* const table = detail::TableOf(message, tables);
  if (table == nullptr) return errors::Unimplemented("JsonToWire: there is no table of the fields of ", message.name);
  return detail::JsonReader(json, tables, style).Read(*table, out);
}

}  // namespace wire

TENON_DETAIL_NAMESPACE_END
