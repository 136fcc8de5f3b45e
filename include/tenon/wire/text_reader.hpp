// SPDX-License-Identifier: Apache-2.0
#pragma once
// TextToWire: a message in protobuf's text format to protobuf's wire format, by the message's table.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/text_cursor.hpp>
#include <tenon/wire/text_schema.hpp>
#include <tenon/wire/utf8.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace wire {

namespace detail {

// Reads one text. one thread.
class TextReader {
 public:
  TextReader(std::string_view text, TextTables tables) : in_(text), sink_(text.size() / 2 + 64), tables_(tables) {}

  Status Read(const Message& message, std::string* out) {
    if (!ReadFields(message, '\0')) return in_.status();
    *out = sink_.Take();
    return OkStatus();
  }

 private:
  // The fields of a message up to `close`, which is eaten; '\0' is the end of the text.
  bool ReadFields(const Message& message, char close) {
    std::uint64_t seen = 0;
    const Field* member = nullptr;  // the field that is set of those in the oneof
    std::size_t index = 0;          // fields mostly come in their order
    for (;;) {
      const char c = in_.Peek();
      const char* const start = in_.at();
      if (!TextCursor::IsLetter(c)) {
        if (c == close && in_.AtEnd() == (close == '\0')) {
          if (close != '\0') in_.Reset(start + 1);
          return true;
        }
        if (c == '[' && IsAny(message) && seen == 0) {
          if (!ReadAny()) return false;
          seen = ~std::uint64_t{0};
          continue;
        }
        return FailName(message, c, close);
      }
      const std::string_view name = in_.Word();
      index = IndexOf(message, name, index);
      if (index == message.fields.size()) [[unlikely]]
        return FailUnknown(message, name, start);
      const Field& field = message.fields[index];
      if (!field.repeated) {
        const std::uint64_t bit = std::uint64_t{1} << index % 64;
        if ((seen & bit) != 0) [[unlikely]]
          return in_.Fail(start, StrCat(message.name, " has '", name, "' a second time; it has one value"));
        seen |= bit;
        if (field.role == Role::kInOneof) {
          if (member != nullptr) [[unlikely]]
            return in_.Fail(start, StrCat(message.name, " has both '", member->name, "' and '", name,
                                          "'; one of them alone is right"));
          member = &field;
        }
      }
      if (!ReadField(message, field)) return false;
      if (const char next = in_.Peek(); next == ',' || next == ';') in_.Reset(in_.at() + 1);
    }
  }

  // The field's place, looked for from `first` on.
  static std::size_t IndexOf(const Message& message, std::string_view name, std::size_t first) {
    const std::size_t n = message.fields.size();
    for (std::size_t i = first; i < n; ++i)
      if (message.fields[i].name == name) return i;
    for (std::size_t i = 0; i < first; ++i)
      if (message.fields[i].name == name) return i;
    return n;
  }

  bool ReadField(const Message& message, const Field& field) {
    const Message* const inner = TableOf(field, tables_);
    char c = in_.Peek();
    if (c == ':') {
      in_.Reset(in_.at() + 1);
      c = in_.Peek();
    } else if (inner == nullptr) {
      return in_.FailToken(in_.at(), StrCat("':' behind '", field.name, "' of ", message.name));
    }
    if (c != '[' || !field.repeated) return ReadValue(field, inner, false);
    in_.Reset(in_.at() + 1);
    if (in_.TryEat(']')) return true;
    const bool pack = inner == nullptr && !IsString(field.kind);
    const std::size_t start = pack ? sink_.Open(field.number) : 0;
    for (;;) {
      if (pack && depth_ >= kMaxDepth) return FailDepth(in_.at());
      in_.Peek();
      if (!ReadValue(field, inner, pack)) return false;
      if (in_.TryEat(',')) continue;
      if (!in_.TryEat(']')) return in_.FailToken(in_.at(), StrCat("',' or ']' in the list of '", field.name, "'"));
      if (pack) sink_.Close(start);
      return true;
    }
  }

  // At "[type.googleapis.com/tensorflow.X] { ... }", the fields of an Any.
  bool ReadAny() {
    const char* const start = in_.at();
    in_.Reset(start + 1);
    in_.Peek();
    std::string type;  // words between '.' and '/', perhaps with blanks
    for (bool is_word = true; in_.Peek() != ']'; is_word = !is_word) {
      const char c = in_.Peek();
      const std::string_view piece = is_word ? in_.Word() : c == '.' || c == '/' ? std::string_view(in_.at(), 1) : "";
      if (piece.empty()) return in_.FailToken(in_.at(), "']' behind the type of an Any");
      if (!is_word) in_.Reset(in_.at() + 1);
      type += piece;
    }
    in_.TryEat(']');
    const Message* const table = TableOfUrl(type, tables_);
    if (table == nullptr)
      return in_.Fail(start, StrCat("an Any holds '", type, "', which this program cannot read from text"));
    in_.TryEat(':');
    in_.Peek();
    const std::size_t text = sink_.Open(kAnyFields[0].number);
    sink_.Bytes(type);
    sink_.Close(text);
    return ReadMessage(kAnyFields[1], *table);
  }

  // At the value.
  bool ReadValue(const Field& field, const Message* inner, bool packed) {
    if (inner != nullptr) return ReadMessage(field, *inner);
    if (IsString(field.kind)) return ReadText(field);
    if (field.kind == Kind::kMessage)
      return in_.Fail(in_.at(), StrCat("'", field.name, "' is a ", field.message->name,
                                       ", which this program cannot read from text"));
    std::uint64_t bits = 0;
    if (!ReadNumber(field, &bits)) return false;
    const WireType type = WireTypeOf(field.kind);
    if (!packed) sink_.Tag(field.number, type);
    sink_.Number(type, bits);
    return true;
  }

  bool ReadMessage(const Field& field, const Message& message) {
    const char* const start = in_.at();
    const char open = in_.AtEnd() ? '\0' : *start;
    if (open != '{' && open != '<') return in_.FailToken(start, StrCat("'{' for '", field.name, "', a ", message.name));
    if (depth_ >= kMaxDepth) [[unlikely]]
      return FailDepth(start);
    if (depth_ >= kDepthOfFiles && StackIsShort(0)) [[unlikely]]
      return FailStack(start);
    in_.Reset(start + 1);
    ++depth_;
    const std::size_t inside = sink_.Open(field.number);
    if (!ReadFields(message, open == '{' ? '}' : '>')) return false;
    sink_.Close(inside);
    --depth_;
    return true;
  }

  // Quoted texts one behind the other are one.
  bool ReadText(const Field& field) {
    const auto is_quote = [](char c) { return c == '"' || c == '\''; };
    if (!is_quote(in_.Peek())) return in_.FailToken(in_.at(), StrCat("a text in quotes for '", field.name, "'"));
    const char* const begin = in_.at();
    const std::size_t start = sink_.Open(field.number);
    bool plain = true;
    do {
      if (!in_.ReadQuoted(&sink_, &plain)) return false;
    } while (is_quote(in_.Peek()));
    if (!plain && field.kind == Kind::kString && !IsUtf8({sink_.at(start), sink_.size() - start})) [[unlikely]]
      return in_.Fail(begin, StrCat("the text of '", field.name, "' is not UTF-8"));
    sink_.Close(start);
    return true;
  }

  // The bits of the value as they stand in the wire format.
  bool ReadNumber(const Field& field, std::uint64_t* bits) {
    std::int64_t number = 0;
    switch (field.kind) {
      case Kind::kFloat:
      case Kind::kDouble: {
        double real = 0;
        if (!in_.ReadDouble(&real)) return false;
        if (field.kind == Kind::kDouble) {
          std::memcpy(bits, &real, sizeof real);
        } else {  // by way of double, as protobuf does it
          const float narrow = static_cast<float>(real);
          std::memcpy(bits, &narrow, sizeof narrow);
        }
        return true;
      }
      case Kind::kUint32:
      case Kind::kFixed32: return in_.ReadUnsigned(UINT32_MAX, bits);
      case Kind::kUint64:
      case Kind::kFixed64: return in_.ReadUnsigned(UINT64_MAX, bits);
      case Kind::kBool: return ReadBool(bits);
      case Kind::kEnum:
        if (TextCursor::IsLetter(in_.Peek())) return ReadEnum(field, bits);
        [[fallthrough]];
      case Kind::kInt32:
        if (!in_.ReadSigned(INT32_MAX, &number)) return false;
        break;
      default:
        if (!in_.ReadSigned(INT64_MAX, &number)) return false;
    }
    *bits = field.kind == Kind::kSint64 ? ZigZag(number) : static_cast<std::uint64_t>(number);
    return true;
  }
  bool ReadBool(std::uint64_t* bits) {
    const char* const start = in_.at();
    const std::string_view word = in_.Word();
    *bits = word == "true" || word == "True" || word == "t" || word == "1" ? 1 : 0;
    if (*bits != 0 || word == "false" || word == "False" || word == "f" || word == "0") return true;
    return in_.FailToken(start, "true or false");
  }
  bool ReadEnum(const Field& field, std::uint64_t* bits) {
    const char* const start = in_.at();
    const std::string_view word = in_.Word();
    std::int32_t number = 0;
    if (!EnumNumberOf(field, word, &number)) return FailEnum(field, word, start);
    *bits = static_cast<std::uint64_t>(std::int64_t{number});
    return true;
  }

  // -- mistakes
  TENON_DETAIL_COLD bool FailName(const Message& message, char c, char close) {
    if (c == kByteOrderMark && in_.IsAtBegin())
      return in_.Fail(in_.at(), "a byte order mark is in front of the text; write the text without it");
    if (c == '[')
      return in_.Fail(in_.at(), StrCat("'[' begins an extension or an Any, which ", message.name,
                                       " does not have; expected the name of a field"));
    std::string expected = StrCat("the name of a field of ", message.name);
    if (close != '\0') StrAppend(&expected, " or '", close, "'");
    return in_.FailToken(in_.at(), expected);
  }
  TENON_DETAIL_COLD bool FailUnknown(const Message& message, std::string_view name, const char* where) {
    SlimVector<std::string_view> names;
    for (const Field& field : message.fields) names.push_back(field.name);
    std::string hint = DidYouMean(name, names);
    if (hint.empty()) {
      hint = "; it has ";
      for (std::size_t i = 0; i < names.size(); ++i) StrAppend(&hint, i == 0 ? "'" : ", '", names[i], "'");
    }
    return in_.Fail(where, StrCat(message.name, " has no field '", name, "'", hint));
  }
  TENON_DETAIL_COLD bool FailEnum(const Field& field, std::string_view word, const char* where) {
    return in_.Fail(where, StrCat("'", field.name, "' has no value '", word, "'", DidYouMean(word, EnumNames(field))));
  }
  TENON_DETAIL_COLD bool FailDepth(const char* where) {
    return in_.Fail(where, StrCat("messages are nested more than ", kMaxDepth, " deep"));
  }
  TENON_DETAIL_COLD bool FailStack(const char* where) {
    in_.Fail(where, StrCat("messages are nested more than ", depth_, " deep, and the thread has ", StackLeft() / 1024,
                           " KiB of stack left"));
    in_.SetStatus(Status(Code::kResourceExhausted, in_.status().message()));
    return false;
  }

  TextCursor in_;
  TextSink sink_;
  TextTables tables_;
  int depth_ = 0;
};

}  // namespace detail

// Reads a message in protobuf's text format into its wire format, *out. As lenient and as strict as TextFormat:
// comments, < > or { }, lists in [ ], one ',' or ';' behind a field; every field known and, unless repeated, there
// once. InvalidArgument, "line:column: ...": the first mistake, where a column is a byte. ResourceExhausted: the stack
// is too short. Takes time in proportion to the text.
inline Status TextToWire(const Message& message, std::string_view text, std::string* out,
                         TextTables tables = kTensorTextTables) {
  const Message* const table = detail::TableOf(message, tables);
  if (table == nullptr) return errors::Unimplemented("TextToWire: there is no table of the fields of ", message.name);
  return detail::TextReader(text, tables).Read(*table, out);
}

}  // namespace wire

TENON_DETAIL_NAMESPACE_END
