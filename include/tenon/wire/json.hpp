// SPDX-License-Identifier: Apache-2.0
#pragma once
// JsonToWire: a message in proto3's JSON mapping to protobuf's wire format, by the message's table. As lenient as
// protobuf's own reader: names in camelCase or as in the schema, with either quotes or none, commas before a closing
// bracket, one value for a list, null for nothing.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/utf8.hpp>
#include <tenon/wire/writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

namespace detail {

inline bool IsMap(const Field& field) {
  return field.repeated && field.kind == Kind::kMessage && IsMapEntry(*field.message);
}
// "int64List" for "int64_list".
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
inline void AppendVarint(std::uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>((value & 0x7f) | 0x80));
  out->push_back(static_cast<char>(value));
}
inline void AppendTag(const Field& field, std::string* out) {
  AppendVarint(field.number << 3 | static_cast<std::uint32_t>(field.wire_type), out);
}
inline void AppendBytesField(const Field& field, std::string_view bytes, std::string* out) {
  AppendTag(field, out);
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}
// Bytes of the UTF-8 character that `text` begins with; 0: it begins with none.
inline std::size_t Utf8Size(std::string_view text) {
  const auto at = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (at(0) < 0x80) return 1;
  const std::size_t size = at(0) >= 0xf0 ? 4 : at(0) >= 0xe0 ? 3 : 2;
  if (at(0) < 0xc2 || at(0) > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  const bool too_long = (at(0) == 0xe0 && at(1) < 0xa0) || (at(0) == 0xf0 && at(1) < 0x90);
  const bool no_character = (at(0) == 0xed && at(1) >= 0xa0) || (at(0) == 0xf4 && at(1) >= 0x90);
  return too_long || no_character ? 0 : size;
}
// Base64 with either alphabet, padded or not.
inline bool DecodeBase64(std::string_view text, std::string* out) {
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (padding != 0 && text.size() % 4 != 0) return false;
  text.remove_suffix(padding);
  if (text.size() % 4 == 1) return false;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    std::uint32_t digit;
    if (c >= 'A' && c <= 'Z')
      digit = static_cast<std::uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      digit = static_cast<std::uint32_t>(c - 'a') + 26;
    else if (c >= '0' && c <= '9')
      digit = static_cast<std::uint32_t>(c - '0') + 52;
    else if (c == '+' || c == '-')
      digit = 62;
    else if (c == '/' || c == '_')
      digit = 63;
    else
      return false;
    bits = bits << 6 | digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out->push_back(static_cast<char>(bits >> held & 0xff));
    }
  }
  return true;
}

// one thread. The first mistake is kept; every Read... is false from then on.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  // One object, of this message, and nothing after it.
  Status ReadAll(const Message& message, std::string* out) {
    message_ = message.name;
    if (!ReadObject(message, out)) return status_;
    SkipSpace();
    return at_ == text_.size() ? OkStatus() : errors::InvalidArgument("extraneous characters after end of JSON object");
  }

 private:
  // -- characters
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  // The next character that is no space, '\0' at the end.
  char Peek() {
    SkipSpace();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool TryEat(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool Eat(char c) {
    if (TryEat(c)) return true;
    if (at_ >= text_.size()) return Ends();
    return Fail(at_, StrCat("unexpected character: '", text_.substr(at_, 1), "'; expected '", std::string(1, c), "'"));
  }
  bool EatWord(std::string_view word) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  TENON_DETAIL_COLD bool Fail(std::size_t where, std::string_view what) {
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i < where && i < text_.size(); ++i) {
      column = text_[i] == '\n' ? 1 : column + 1;
      line += text_[i] == '\n' ? 1 : 0;
    }
    status_ = errors::InvalidArgument("invalid JSON in type.googleapis.com/", message_, ", near ", line, ":", column,
                                      " (offset ", where, "): ", what);
    return false;
  }
  bool Ends() {
    status_ = errors::InvalidArgument("unexpected EOF");
    return false;
  }

  // -- texts
  bool ReadText(std::string* out) {
    const char quote = Peek();
    const std::size_t start = at_;
    if (quote != '"' && quote != '\'') return Eat('"');
    for (++at_; at_ < text_.size() && text_[at_] != quote;) {
      if (text_[at_] == '\\') {
        if (!ReadEscape(out)) return false;
        continue;
      }
      const std::size_t size = Utf8Size(text_.substr(at_));
      if (size == 0) return Fail(start, "invalid UTF-8 in string");
      out->append(text_.substr(at_, size));
      at_ += size;
    }
    if (at_ >= text_.size()) return Ends();
    ++at_;
    return true;
  }
  bool ReadEscape(std::string* out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt'", kMeanings = "\"\\/\b\f\n\r\t'";
    if (++at_ >= text_.size()) return Ends();
    const char c = text_[at_++];
    if (const std::size_t i = kLetters.find(c); i != std::string_view::npos) {
      out->push_back(kMeanings[i]);
      return true;
    }
    std::uint32_t code = 0, low = 0;
    if (c != 'u') return Fail(at_ - 1, StrCat("invalid escape char: '", std::string(1, c), "'"));
    if (!ReadHex(&code)) return false;
    if (code >= 0xdc00 && code < 0xe000) return Fail(at_, "unpaired low surrogate");
    if (code >= 0xd800 && code < 0xdc00) {
      if (!text_.substr(at_).starts_with("\\u")) return Fail(at_, "unpaired high surrogate; expected '\\u'");
      at_ += 2;
      if (!ReadHex(&low)) return false;
      if (low < 0xdc00 || low >= 0xe000) return Fail(at_, "invalid low surrogate");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(code, out);
    return true;
  }
  bool ReadHex(std::uint32_t* code) {
    for (int i = 0; i < 4; ++i, ++at_) {
      if (at_ >= text_.size()) return Ends();
      const char c = text_[at_];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return Fail(at_, "invalid Unicode escape");
      *code = *code << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }
  bool ReadName(std::string* name) {
    const char first = Peek();
    if (first == '"' || first == '\'') return ReadText(name);
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
    const std::size_t start = at_;
    while (at_ < text_.size() && (letter(text_[at_]) || (at_ > start && text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
    *name = std::string(text_.substr(start, at_ - start));
    if (at_ >= text_.size()) return Ends();
    if (name->empty() || *name == "null" || *name == "true" || *name == "false")
      return Fail(start, "expected bare word");
    return true;
  }

  // -- numbers
  // The digits of a JSON number, or those in a quoted one.
  bool ReadNumberText(std::string* text) {
    const char first = Peek();
    const std::size_t start = at_;
    if (first == '"' || first == '\'') return ReadText(text);
    if (first == '\0') return Ends();
    if (first == 't' || first == 'f' || first == '{' || first == 'n') return Fail(at_, "expected number or string");
    if (first != '-' && (first < '0' || first > '9'))
      return Fail(at_, StrCat("unexpected character: '", text_.substr(at_, 1), "'"));
    const auto digits = [this] {
      const std::size_t begin = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      return at_ - begin;
    };
    if (first == '-') ++at_;
    const std::size_t whole = at_;
    if (digits() == 0) return Fail(start, "expected a number");
    if (text_[whole] == '0' && at_ > whole + 1) return Fail(start, "number cannot have extraneous leading zero");
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      if (digits() == 0) return Fail(start, "number cannot have trailing period");
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (digits() == 0) return Fail(start, "number has an empty exponent");
    }
    *text = std::string(text_.substr(start, at_ - start));
    return true;
  }
  bool ReadInteger(const Field& field, std::uint64_t* value) {
    std::string text;
    const std::size_t start = (SkipSpace(), at_);
    if (!ReadNumberText(&text)) return false;
    const std::string_view digits = text.starts_with("+") ? std::string_view(text).substr(1) : std::string_view(text);
    const bool is_signed = field.kind == Kind::kInt32 || field.kind == Kind::kInt64 || field.kind == Kind::kEnum;
    const bool narrow = field.kind == Kind::kInt32 || field.kind == Kind::kUint32 || field.kind == Kind::kFixed32 ||
                        field.kind == Kind::kEnum;
    std::int64_t number = 0;
    double real = 0;
    if (!is_signed && ParseInt(digits, value)) {
      number = 0;
    } else if (is_signed && ParseInt(digits, &number)) {
      *value = static_cast<std::uint64_t>(number);
    } else if (digits.find(' ') != std::string_view::npos) {
      return Fail(start, "non-number characters in quoted number");
    } else if (!ParseDouble(digits, &real) || std::isinf(real) || std::isnan(real)) {
      return Fail(start, StrCat("invalid number: '", text, "'"));
    } else if (real != std::floor(real)) {
      return Fail(start, "expected integer, but JSON number had fractional part");
    } else if (real >= (is_signed ? 9223372036854775808.0 : 18446744073709551616.0) ||
               real < (is_signed ? -9223372036854775808.0 : 0.0)) {
      return Fail(start, "JSON number out of range for int");
    } else {
      *value =
          is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(real)) : static_cast<std::uint64_t>(real);
    }
    if (narrow && (is_signed ? static_cast<std::int64_t>(*value) != static_cast<std::int32_t>(*value)
                             : *value > std::numeric_limits<std::uint32_t>::max()))
      return Fail(start, "JSON number out of range for int");
    return true;
  }
  bool ReadReal(bool single, double* value) {
    std::string text;
    const std::size_t start = (SkipSpace(), at_);
    const bool quoted = Peek() == '"' || Peek() == '\'';
    if (!ReadNumberText(&text)) return false;
    if (!ParseDouble(text, value)) return Fail(start, "non-number characters in quoted number");
    const double largest =
        single ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
    const bool named = quoted && text.find_first_of("0123456789") == std::string::npos;  // Infinity
    if (!named && std::abs(*value) > largest) return Fail(start, "float out of range");
    return true;
  }

  // -- values
  bool ReadObject(const Message& message, std::string* out) {
    if (message.parse != nullptr) return Fail(at_, StrCat("message ", message.name, " has no JSON form here"));
    if (++depth_ > kMaxDepth) return Fail(at_, StrCat("messages are nested more than ", kMaxDepth, " deep"));
    if (depth_ > kDepthOfFiles && StackIsShort(0)) return NoStack();
    SlimVector<std::uint32_t> set;  // fields that may not come again
    if (!Eat('{')) return false;
    while (!TryEat('}')) {
      std::string name;
      if (!ReadName(&name) || !Eat(':')) return false;
      const Field* const field = FindField(message, name);
      if (field == nullptr) return Fail(at_, StrCat("no such field: '", name, "'"));
      if (EatWord("null")) {
        if (!EndsItem('}')) return false;
        continue;
      }
      if (!field->repeated) {
        const std::uint32_t group = field->role == Role::kInOneof ? 0 : field->number;
        for (const std::uint32_t other : set)
          if (other == group)
            return Fail(at_, StrCat("'", name, "' has already been set (either directly or as part of a oneof)"));
        set.push_back(group);
      }
      if (!ReadField(*field, out) || !EndsItem('}')) return false;
    }
    --depth_;
    return true;
  }
  TENON_DETAIL_COLD bool NoStack() {
    return Fail(at_, StrCat("nested ", depth_, " deep, and the thread has ", StackLeft() / 1024, " KiB of stack left"));
  }
  static const Field* FindField(const Message& message, std::string_view name) {
    for (const Field& field : message.fields)
      if (field.name == name || IsCamelCaseOf(name, field.name)) return &field;
    return nullptr;
  }
  // A comma, or the bracket that closes the list comes next.
  bool EndsItem(char close) {
    if (TryEat(',') || Peek() == close) return true;
    return at_ >= text_.size() ? Ends() : Fail(at_, "expected ','");
  }
  bool ReadField(const Field& field, std::string* out) {
    if (IsMap(field)) return ReadMap(field, out);
    if (!field.repeated || Peek() != '[') return ReadOne(field, out);
    ++at_;
    while (!TryEat(']')) {
      if (!(Peek() == '[' ? ReadNested(field, out) : ReadOne(field, out)) || !EndsItem(']')) return false;
    }
    return true;
  }
  // A list in a list stands for its values.
  bool ReadNested(const Field& field, std::string* out) {
    if (++depth_ > kMaxDepth) return Fail(at_, StrCat("lists are nested more than ", kMaxDepth, " deep"));
    if (depth_ > kDepthOfFiles && StackIsShort(0)) return NoStack();
    const bool read = ReadField(field, out);
    --depth_;
    return read;
  }
  bool ReadMap(const Field& field, std::string* out) {
    const Field &key = field.message->fields[0], &value = field.message->fields[1];
    SlimVector<std::string> keys;
    if (!Eat('{')) return false;
    while (!TryEat('}')) {
      const std::size_t start = (SkipSpace(), at_);
      std::string name, entry;
      if (!ReadName(&name) || !Eat(':')) return false;
      for (const std::string& other : keys)
        if (other == name) return Fail(start, StrCat("got unexpectedly-repeated repeated map key: '", name, "'"));
      if (key.kind == Kind::kString) {
        AppendBytesField(key, name, &entry);
      } else {
        std::int64_t number = name == "true" ? 1 : 0;
        if (key.kind != Kind::kBool && !ParseInt(std::string_view(name), &number))
          return Fail(start, StrCat("invalid map key: '", name, "'"));
        AppendTag(key, &entry);
        AppendVarint(static_cast<std::uint64_t>(number), &entry);
      }
      keys.push_back(std::move(name));
      if (!EatWord("null") && !ReadOne(value, &entry)) return false;
      AppendBytesField(field, entry, out);
      if (!EndsItem('}')) return false;
    }
    return true;
  }
  bool ReadOne(const Field& field, std::string* out) {
    const std::size_t start = (SkipSpace(), at_);
    std::uint64_t number = 0;
    double real = 0;
    std::string text, bytes;
    const bool is_null = EatWord("null");
    switch (field.kind) {
      case Kind::kMessage:
        if (!is_null && !ReadObject(*field.message, &text)) return false;
        AppendBytesField(field, text, out);
        return true;
      case Kind::kString:
        if (!is_null && !ReadText(&text)) return false;
        if (!DecodeBase64(text, &bytes)) return Fail(start, "corrupt base64");
        AppendBytesField(field, bytes, out);
        return true;
      case Kind::kBool:
        if (EatWord("true"))
          number = 1;
        else if (!is_null && !EatWord("false"))
          return Fail(start, "expected 'true' or 'false'");
        break;
      case Kind::kFloat:
      case Kind::kDouble:
        if (!is_null && !ReadReal(field.kind == Kind::kFloat, &real)) return false;
        break;
      default:
        if (!is_null && !ReadInteger(field, &number)) return false;
    }
    AppendTag(field, out);
    const auto single = static_cast<float>(real);
    switch (field.wire_type) {
      case WireType::kFixed32:
        out->append(field.kind == Kind::kFloat ? reinterpret_cast<const char*>(&single)
                                               : reinterpret_cast<const char*>(&number),
                    4);
        return true;
      case WireType::kFixed64:
        out->append(
            field.kind == Kind::kDouble ? reinterpret_cast<const char*>(&real) : reinterpret_cast<const char*>(&number),
            8);
        return true;
      default: AppendVarint(number, out); return true;
    }
  }

  std::string_view text_, message_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Status status_;
};

}  // namespace detail

// Appends the message to *out: fields in the order of the text, numbers of lists one by one, as protobuf writes them.
// A std::string of the table is bytes (base64) there: the tables do not tell texts from bytes. InvalidArgument, with
// line, column and offset, for what is no JSON or does not fit the message.
inline Status JsonToWire(const Message& message, std::string_view json, std::string* out) {
  return detail::JsonReader(json).ReadAll(message, out);
}

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
