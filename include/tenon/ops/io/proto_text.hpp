// SPDX-License-Identifier: Apache-2.0
#pragma once
// ProtoTextReader: protobuf's text format to its wire format, for messages of a ProtoPool.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/text_cursor.hpp>
#include <tenon/wire/text_sink.hpp>
#include <tenon/ops/io/proto_message.hpp>
#include <tenon/ops/io/proto_pool.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

// Reads one text. Fields come in the order of the text. one thread.
class ProtoTextReader {
 public:
  ProtoTextReader(const ProtoPool& pool, std::string_view text) : pool_(pool), in_(text) {}

  // False: the text is not such a message.
  bool Read(const ProtoMessage& message, std::string* out) { return ReadFields(message, '\0', out, 0); }

 private:
  // Up to `close`, which is eaten; '\0' is the end of the text.
  bool ReadFields(const ProtoMessage& message, char close, std::string* out, int depth) {
    if (depth >= wire::kMaxDepth || StackIsShort(0)) return false;
    SlimVector<const ProtoField*> seen;
    for (;;) {
      const char c = in_.Peek();
      if (in_.AtEnd()) return close == '\0';
      if (c == close && close != '\0') {
        in_.Reset(in_.at() + 1);
        return true;
      }
      const ProtoField* const field = c == '[' ? ReadExtensionName(message) : ReadName(message);
      if (field == nullptr) return false;
      if (!field->is_repeated) {
        for (const ProtoField* earlier : seen)
          if (earlier == field || (field->oneof >= 0 && earlier->oneof == field->oneof)) return false;
        seen.push_back(field);
      }
      if (!ReadField(*field, out, depth)) return false;
      if (const char next = in_.Peek(); !in_.AtEnd() && (next == ',' || next == ';')) in_.Reset(in_.at() + 1);
    }
  }
  // A group goes by the name of its type, too.
  const ProtoField* ReadName(const ProtoMessage& message) {
    if (!wire::TextCursor::IsLetter(in_.Peek())) return nullptr;
    const std::string_view name = in_.Word();
    if (const ProtoField* const field = message.Find(name, false); field != nullptr) return field;
    for (const ProtoField& field : message.fields)
      if (field.type == ProtoType::kGroup && !field.is_extension && NameOfType(field) == name) return &field;
    return nullptr;
  }
  std::string_view NameOfType(const ProtoField& field) const {
    const std::string_view full = pool_.messages[static_cast<std::size_t>(field.of)].full_name;
    const std::size_t dot = full.rfind('.');
    return dot == full.npos ? full : full.substr(dot + 1);
  }
  // "[package.name]"
  const ProtoField* ReadExtensionName(const ProtoMessage& message) {
    in_.Reset(in_.at() + 1);
    std::string name;
    do {
      if (!wire::TextCursor::IsLetter(in_.Peek())) return nullptr;
      if (!name.empty()) name.push_back('.');
      name.append(in_.Word());
    } while (in_.TryEat('.'));
    if (!in_.TryEat(']')) return nullptr;
    for (const ProtoField& field : message.fields)
      if (field.is_extension && field.full_name == name) return &field;
    return nullptr;
  }

  bool ReadField(const ProtoField& field, std::string* out, int depth) {
    if (!in_.TryEat(':') && !HoldsMessage(field.type)) return false;
    if (!field.is_repeated || in_.Peek() != '[') return ReadValue(field, out, depth);
    in_.Reset(in_.at() + 1);
    if (in_.TryEat(']')) return true;
    do {
      if (!ReadValue(field, out, depth)) return false;
    } while (in_.TryEat(','));
    return in_.TryEat(']');
  }
  bool ReadValue(const ProtoField& field, std::string* out, int depth) {
    const char c = in_.Peek();
    if (in_.AtEnd()) return false;
    if (HoldsMessage(field.type)) {
      if (c != '{' && c != '<') return false;
      in_.Reset(in_.at() + 1);
      std::string inner;
      if (!ReadFields(pool_.messages[static_cast<std::size_t>(field.of)], c == '{' ? '}' : '>', &inner, depth + 1))
        return false;
      if (field.type == ProtoType::kMessage) {
        AppendBytesField(field.number, inner, out);
      } else {
        AppendTag(field.number, wire::WireType::kStartGroup, out);
        out->append(inner);
        AppendTag(field.number, wire::WireType::kEndGroup, out);
      }
      return true;
    }
    if (field.type == ProtoType::kString || field.type == ProtoType::kBytes) {
      if (c != '"' && c != '\'') return false;
      wire::TextSink sink(64);
      for (char quote = c; !in_.AtEnd() && (quote == '"' || quote == '\''); quote = in_.Peek())
        if (!in_.ReadQuoted(&sink)) return false;
      AppendBytesField(field.number, sink.Take(), out);
      return true;
    }
    std::uint64_t bits = 0;
    if (!ReadNumber(field, &bits)) return false;
    AppendTag(field.number, WireTypeOf(field.type), out);
    AppendNumber(WireTypeOf(field.type), bits, out);
    return true;
  }

  bool ReadNumber(const ProtoField& field, std::uint64_t* bits) {
    std::int64_t number = 0;
    switch (field.type) {
      case ProtoType::kFloat:
      case ProtoType::kDouble: {
        double real = 0;
        if (!in_.ReadDouble(&real)) return false;
        const auto narrow = static_cast<float>(real);
        if (field.type == ProtoType::kFloat)
          std::memcpy(bits, &narrow, sizeof narrow);
        else
          std::memcpy(bits, &real, sizeof real);
        return true;
      }
      case ProtoType::kUint32:
      case ProtoType::kFixed32: return in_.ReadUnsigned(UINT32_MAX, bits);
      case ProtoType::kUint64:
      case ProtoType::kFixed64: return in_.ReadUnsigned(UINT64_MAX, bits);
      case ProtoType::kBool: {
        const std::string_view word = in_.Word();
        *bits = word == "true" || word == "True" || word == "t" || word == "1" ? 1 : 0;
        return *bits != 0 || word == "false" || word == "False" || word == "f" || word == "0";
      }
      case ProtoType::kEnum: return ReadEnum(pool_.enums[static_cast<std::size_t>(field.of)], bits);
      case ProtoType::kInt32:
      case ProtoType::kSint32:
      case ProtoType::kSfixed32:
        if (!in_.ReadSigned(INT32_MAX, &number)) return false;
        break;
      default:
        if (!in_.ReadSigned(INT64_MAX, &number)) return false;
    }
    const bool is_zigzag = field.type == ProtoType::kSint32 || field.type == ProtoType::kSint64;
    *bits = is_zigzag ? wire::detail::ZigZag(number) : static_cast<std::uint64_t>(number);
    return true;
  }
  bool ReadEnum(const ProtoEnum& of, std::uint64_t* bits) {
    std::int64_t number = 0;
    if (wire::TextCursor::IsLetter(in_.Peek())) {
      const std::string_view name = in_.Word();
      std::size_t i = 0;
      while (i < of.names.size() && of.names[i] != name) ++i;
      if (i == of.names.size()) return false;
      number = of.numbers[i];
    } else if (!in_.ReadSigned(INT32_MAX, &number) || (of.is_closed && !of.Has(static_cast<std::int32_t>(number)))) {
      return false;
    }
    *bits = static_cast<std::uint64_t>(number);
    return true;
  }

  const ProtoPool& pool_;
  wire::TextCursor in_;
};

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
