// SPDX-License-Identifier: Apache-2.0
#pragma once
// ParseMessage and SerializeMessage: two functions that read and write every message by its table (wire/field.hpp).
// Programs call Parse, and SerializeTo (wire/tensor_writer.hpp).

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/wire/field.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/utf8.hpp>
#include <tenon/wire/writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

// ------------------------------------------------------------------------------------------------------------- reading

inline bool ParseMessage(const Message& message, Reader& reader, ParseContext& context, void* object);

namespace detail {

// The bits of an int64 as sint64 has them in the wire format: small numbers of either sign are short.
constexpr std::uint64_t ZigZag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::uint64_t FromZigZag(std::uint64_t bits) { return (bits >> 1) ^ (0 - (bits & 1)); }

// Reads a number into *to, of the type that `kind` says.
inline bool ReadNumber(Reader& reader, Kind kind, void* to) {
  std::uint64_t value = 0;
  switch (kind) {
    case Kind::kFloat:
    case Kind::kFixed32: {
      std::uint32_t half = 0;
      if (!reader.ReadFixed32(&half)) return false;
      std::memcpy(to, &half, sizeof half);
      return true;
    }
    case Kind::kDouble:
    case Kind::kFixed64:
      if (!reader.ReadFixed64(&value)) return false;
      std::memcpy(to, &value, sizeof value);
      return true;
    case Kind::kBool: {
      if (!reader.ReadVarint(&value)) return false;
      const unsigned char byte = value != 0 ? 1 : 0;
      std::memcpy(to, &byte, 1);
      return true;
    }
    case Kind::kSint64:
      if (!reader.ReadVarint(&value)) return false;
      value = FromZigZag(value);
      std::memcpy(to, &value, sizeof value);
      return true;
    case Kind::kInt64:
    case Kind::kUint64:
      if (!reader.ReadVarint(&value)) return false;
      std::memcpy(to, &value, sizeof value);
      return true;
    default: {
      if (!reader.ReadVarint(&value)) return false;
      const auto low = static_cast<std::uint32_t>(value);
      std::memcpy(to, &low, sizeof low);
      return true;
    }
  }
}

// Is it a `string` of a .proto file? protobuf refuses such a field when it is not UTF-8.
inline bool IsText(const Field& field) {
  return field.kind == Kind::kString && field.message == nullptr &&
         (field.role == Role::kPlain || field.role == Role::kInOneof);
}

// `bytes` is the value of a field that came as kBytes; numbers that are not packed have yet to be read.
inline bool ParseField(const Field& field, WireType type, std::string_view bytes, Reader& reader, ParseContext& context,
                       void* object) {
  if (IsString(field.kind)) {
    if (IsText(field) && !IsUtf8(bytes)) [[unlikely]]
      return reader.FailText(bytes);
    static_cast<std::string*>(field.add(object))->assign(bytes);
    return true;
  }
  if (type != WireType::kBytes) {
    // A mistake in a repeated number may leave a value too many behind; the caller gets nothing then.
    return ReadNumber(reader, field.kind, field.add(object));
  }
  Reader::Outer outer;
  if (!reader.Enter(bytes, &outer)) return false;
  if (field.kind == Kind::kMessage) {
    if (!ParseMessage(*field.message, reader, context, field.add(object))) return false;
  } else {
    while (!reader.AtEnd()) {
      if (!ReadNumber(reader, field.kind, field.add(object))) return false;
    }
  }
  reader.Leave(outer);
  return true;
}

// May the field come this way? Numbers of repeated fields may be packed or not; values that do not fit are skipped, as
// in protobuf.
inline bool Fits(const Field& field, WireType type) {
  return type == field.wire_type || (type == WireType::kBytes && field.repeated);
}

// Makes room for repeated fields: their number is found by walking over the message once.
inline void Presize(const Message& message, Reader reader, void* object) {
  std::size_t counts[Message::kDirect] = {};
  std::size_t total = 0;
  std::string_view bytes;
  for (Tag tag; reader.ReadField(&tag, &bytes) && (tag.type == WireType::kBytes || reader.Skip(tag));) {
    if (tag.field < Message::kDirect && message.slots[tag.field] != 0) ++counts[tag.field], ++total;
  }
  if (total < 2) return;
  for (const Field& field : message.fields) {
    if (field.number < Message::kDirect && counts[field.number] > 1 && field.reserve != nullptr) {
      field.reserve(object, counts[field.number]);
    }
  }
}

}  // namespace detail

// Reads the rest of the reader's current message into `object`, of the struct that `message` describes. Unknown fields
// are skipped; a field that is not repeated takes its last value, a message merges. False when the reader failed or
// context.status is an error; `object` is then partly filled.
inline bool ParseMessage(const Message& message, Reader& reader, ParseContext& context, void* object) {
  if (message.parse != nullptr) return message.parse(reader, context, object);
  if (message.has_repeated && reader.remaining() >= 64) detail::Presize(message, reader, object);
  std::string_view bytes;
  for (Tag tag; reader.ReadField(&tag, &bytes);) {
    const Field* field = message.Find(tag.field);
    if (field == nullptr || !detail::Fits(*field, tag.type)) [[unlikely]] {
      if (tag.type != WireType::kBytes && !reader.Skip(tag)) return false;
    } else if (!detail::ParseField(*field, tag.type, bytes, reader, context, object)) {
      return false;
    }
  }
  if (!reader.ok()) return false;
  if (message.finish != nullptr) message.finish(object);
  return true;
}

// Parses bytes that are one message of type T. DataLoss, with the offset of the byte: they are not such a message.
template <class T>
Status Parse(Span<const std::byte> bytes, T* object, ParseContext context = {}) {
  Reader reader(bytes);
  if (ParseMessage(Schema<T>::message, reader, context, object)) return OkStatus();
  if (!context.status.ok()) return context.status;
  return reader.status(Schema<T>::message.name);
}

// ------------------------------------------------------------------------------------------------------------- writing

namespace detail {

inline void WriteNumber(Writer& writer, Kind kind, const void* from) {
  std::uint64_t wide;
  std::uint32_t narrow;
  switch (kind) {
    case Kind::kFloat:
    case Kind::kFixed32: std::memcpy(&narrow, from, sizeof narrow); return writer.Fixed32(narrow);
    case Kind::kDouble:
    case Kind::kFixed64: std::memcpy(&wide, from, sizeof wide); return writer.Fixed64(wide);
    case Kind::kBool: {
      unsigned char byte;
      std::memcpy(&byte, from, 1);
      return writer.Varint(byte != 0 ? 1 : 0);
    }
    case Kind::kSint64:
      std::memcpy(&wide, from, sizeof wide);
      return writer.Varint(ZigZag(static_cast<std::int64_t>(wide)));
    case Kind::kInt64:
    case Kind::kUint64: std::memcpy(&wide, from, sizeof wide); return writer.Varint(wide);
    case Kind::kUint32: std::memcpy(&narrow, from, sizeof narrow); return writer.Varint(narrow);
    default: {  // negative ones have ten bytes
      std::int32_t number;
      std::memcpy(&number, from, sizeof number);
      return writer.Varint(static_cast<std::uint64_t>(std::int64_t{number}));
    }
  }
}

}  // namespace detail

// Writes the message's fields in front of what has been written. Canonical: ascending numbers, repeated numbers packed.
inline void SerializeMessage(const Message& message, MessageWriter& writer, const void* object) {
  if (message.serialize != nullptr) return message.serialize(writer, object);
  for (std::size_t f = message.fields.size(); f-- > 0;) {
    const Field& field = message.fields[f];
    const FieldValues values = field.values(object);
    if (values.count == 0) continue;
    const std::size_t end = writer.size();
    for (std::size_t i = values.count; i-- > 0;) {
      const void* value = values[i];
      const std::size_t value_end = writer.size();
      if (detail::IsString(field.kind)) {
        writer.Bytes(*static_cast<const std::string*>(value));
      } else if (field.kind == Kind::kMessage) {
        SerializeMessage(*field.message, writer, value);
      } else {
        detail::WriteNumber(writer, field.kind, value);
        if (!field.repeated) writer.FieldTag(field.number, field.wire_type);
        continue;
      }
      writer.BytesTag(field.number, writer.size() - value_end);
    }
    if (field.repeated && field.wire_type != WireType::kBytes) {
      writer.BytesTag(field.number, writer.size() - end);
    }
  }
}

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
