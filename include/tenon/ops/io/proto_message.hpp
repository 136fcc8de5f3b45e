// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages of a ProtoPool in the wire format: groups, values, and the form in which protobuf writes them anew.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/utf8.hpp>
#include <tenon/ops/io/proto_pool.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

inline void AppendVarint(std::uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>((value & 0x7f) | 0x80));
  out->push_back(static_cast<char>(value));
}
inline void AppendTag(std::uint32_t field, wire::WireType type, std::string* out) {
  AppendVarint(std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type), out);
}
// A number of that wire type.
inline void AppendNumber(wire::WireType type, std::uint64_t bits, std::string* out) {
  if (type == wire::WireType::kVarint) return AppendVarint(bits, out);
  const int size = type == wire::WireType::kFixed32 ? 4 : 8;
  for (int i = 0; i < size; ++i) out->push_back(static_cast<char>(bits >> 8 * i & 0xff));
}
inline void AppendBytesField(std::uint32_t field, std::string_view bytes, std::string* out) {
  AppendTag(field, wire::WireType::kBytes, out);
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

// As wire::Reader::ReadTag, and takes groups. False at the end, too. Bits above the 32nd are dropped unless
// `is_strict`.
inline bool ReadProtoTag(wire::Reader& reader, wire::Tag* tag, bool is_strict = false) {
  std::uint64_t value = 0;
  if (reader.AtEnd() || !reader.ReadVarint(&value)) return false;
  *tag = {static_cast<std::uint32_t>(value) >> 3, static_cast<wire::WireType>(value & 7)};
  return (value <= 0xffffffff || !is_strict) && tag->field != 0 && (value & 7) <= 5;
}
// Reads the number of a field that is neither text nor group.
inline bool ReadProtoNumber(wire::Reader& reader, wire::WireType type, std::uint64_t* bits) {
  if (type == wire::WireType::kVarint) return reader.ReadVarint(bits);
  if (type == wire::WireType::kFixed64) return reader.ReadFixed64(bits);
  std::uint32_t half = 0;
  if (type != wire::WireType::kFixed32 || !reader.ReadFixed32(&half)) return false;
  *bits = half;
  return true;
}
// Skips the value behind `tag`. *inside: the fields of a group, without the tag that ends it.
inline bool SkipProtoValue(wire::Reader& reader, wire::Tag tag, std::string_view* inside = nullptr, int depth = 0) {
  if (tag.type == wire::WireType::kEndGroup) return false;
  if (tag.type != wire::WireType::kStartGroup) return reader.Skip(tag);
  if (depth >= wire::kMaxDepth) return false;
  const char* const start = reader.rest().data();
  const char* end = start;
  for (wire::Tag inner; ReadProtoTag(reader, &inner); end = reader.rest().data()) {
    if (inner.type == wire::WireType::kEndGroup) {
      if (inside != nullptr) *inside = {start, static_cast<std::size_t>(end - start)};
      return inner.field == tag.field;
    }
    if (!SkipProtoValue(reader, inner, nullptr, depth + 1)) return false;
  }
  return false;
}

// Writes messages as protobuf writes them after it has parsed them. Parsing is as strict as protobuf's. one thread.
class ProtoWriter {
 public:
  explicit ProtoWriter(const ProtoPool& pool) : pool_(pool) {}

  // Appends the message. False: the bytes are not such a message, or lack a required field.
  bool Write(const ProtoMessage& message, std::string_view bytes, std::string* out, int depth = 0) const {
    if (depth >= wire::kMaxDepth || StackIsShort(0)) return false;
    SlimVector<Value> values;
    std::string unknown;
    if (!Read(message, bytes, &values, &unknown)) return false;
    for (std::size_t i = 0; i < values.size(); ++i) values[i].order = i;
    std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) {
      return a.field->number != b.field->number ? a.field->number < b.field->number : a.order < b.order;
    });
    std::size_t next = 0;
    for (const ProtoField& field : message.fields) {
      const std::size_t first = next;
      while (next < values.size() && values[next].field == &field) ++next;
      const Value* const begin = values.data() + first;
      if (!WriteField(message, field, begin, next - first, out, depth)) return false;
    }
    out->append(unknown);
    return true;
  }

 private:
  struct Value {
    const ProtoField* field;
    std::uint64_t bits;
    std::string_view bytes;
    std::size_t order = 0;  // among the values of the message
  };

  const ProtoMessage& MessageOf(const ProtoField& field) const {
    return pool_.messages[static_cast<std::size_t>(field.of)];
  }
  // A number of an enum that does not have it is kept as an unknown field.
  bool IsValue(const ProtoField& field, std::uint64_t bits) const {
    if (field.type != ProtoType::kEnum) return true;
    const ProtoEnum& of = pool_.enums[static_cast<std::size_t>(field.of)];
    return !of.is_closed || of.Has(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
  }
  void Keep(const ProtoField& field, std::uint64_t bits, SlimVector<Value>* values, std::string* unknown) const {
    if (IsValue(field, bits)) return values->push_back({&field, bits, {}, 0});
    AppendTag(field.number, wire::WireType::kVarint, unknown);
    AppendVarint(bits, unknown);
  }
  // The last member of a oneof replaces the others. Its own earlier values count where no other member lies between.
  static void DropReplaced(SlimVector<Value>* values) {
    struct Winner {
      const ProtoField* field;
      bool is_closed;
    };
    SlimVector<Winner> winners;
    for (std::size_t i = values->size(); i-- > 0;) {
      Value& value = (*values)[i];
      if (value.field->oneof < 0 || value.field->is_extension) continue;
      std::size_t w = 0;
      while (w < winners.size() && winners[w].field->oneof != value.field->oneof) ++w;
      if (w == winners.size()) winners.push_back({value.field, false});
      winners[w].is_closed |= winners[w].field != value.field;
      if (winners[w].is_closed) value.field = nullptr;
    }
    if (winners.empty()) return;
    values->erase(std::remove_if(values->begin(), values->end(), [](const Value& v) { return v.field == nullptr; }),
                  values->end());
  }

  bool Read(const ProtoMessage& message, std::string_view bytes, SlimVector<Value>* values,
            std::string* unknown) const {
    wire::Reader reader(wire::AsBytes(bytes));
    while (!reader.AtEnd()) {
      const char* const start = reader.rest().data();
      wire::Tag tag;
      if (!ReadProtoTag(reader, &tag, true)) return false;
      const ProtoField* const field = message.Find(tag.field);
      const wire::WireType wanted = field == nullptr ? tag.type : WireTypeOf(field->type);
      if (field != nullptr && tag.type == wanted) {
        Value value{field, 0, {}, 0};
        if (tag.type == wire::WireType::kStartGroup) {
          if (!SkipProtoValue(reader, tag, &value.bytes)) return false;
          values->push_back(value);
        } else if (tag.type == wire::WireType::kBytes) {
          if (!reader.ReadBytes(&value.bytes)) return false;
          if (field->checks_utf8 && !IsUtf8(value.bytes)) return false;
          values->push_back(value);
        } else {
          if (!ReadProtoNumber(reader, tag.type, &value.bits)) return false;
          Keep(*field, value.bits, values, unknown);
        }
      } else if (field != nullptr && tag.type == wire::WireType::kBytes && field->is_repeated &&
                 wanted != wire::WireType::kStartGroup) {
        std::string_view packed;
        if (!reader.ReadBytes(&packed)) return false;
        wire::Reader numbers(wire::AsBytes(packed));
        for (std::uint64_t bits = 0; !numbers.AtEnd(); Keep(*field, bits, values, unknown))
          if (!ReadProtoNumber(numbers, wanted, &bits)) return false;
      } else {
        if (!SkipProtoValue(reader, tag)) return false;
        unknown->append(start, static_cast<std::size_t>(reader.rest().data() - start));
      }
    }
    DropReplaced(values);
    return true;
  }
  static bool IsUtf8(std::string_view text) {
    while (!text.empty()) {
      const std::size_t size = wire::detail::Utf8Size(text);
      if (size == 0) return false;
      text.remove_prefix(size);
    }
    return true;
  }

  // Whether the bytes are such a message, leaving required fields aside.
  bool Check(const ProtoMessage& message, std::string_view bytes, int depth) const {
    if (depth >= wire::kMaxDepth || StackIsShort(0)) return false;
    SlimVector<Value> values;
    std::string unknown;
    if (!Read(message, bytes, &values, &unknown)) return false;
    for (const Value& value : values)
      if (HoldsMessage(value.field->type) && !Check(MessageOf(*value.field), value.bytes, depth + 1)) return false;
    return true;
  }

  // Numbers in the form of their type: an int32 has the sign in all 64 bits.
  static std::uint64_t Normal(ProtoType type, std::uint64_t bits) {
    const auto low = static_cast<std::uint32_t>(bits);
    switch (type) {
      case ProtoType::kInt32:
      case ProtoType::kEnum: return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(low)});
      case ProtoType::kUint32:
      case ProtoType::kSint32: return low;
      case ProtoType::kBool: return bits != 0 ? 1 : 0;
      default: return bits;
    }
  }

  bool WriteField(const ProtoMessage& message, const ProtoField& field, const Value* values, std::size_t count,
                  std::string* out, int depth) const {
    const bool of_entry = message.is_map_entry && !field.is_repeated && field.number <= 2;
    if (count == 0 && !of_entry) return !field.is_required;
    if (HoldsMessage(field.type)) return WriteMessages(field, values, count, of_entry, out, depth);
    const wire::WireType type = WireTypeOf(field.type);
    if (type == wire::WireType::kBytes) {
      if (count == 0) AppendBytesField(field.number, {}, out);
      for (std::size_t i = field.is_repeated || count == 0 ? 0 : count - 1; i < count; ++i)
        if (field.is_repeated || field.has_presence || of_entry || !values[i].bytes.empty())
          AppendBytesField(field.number, values[i].bytes, out);
      return true;
    }
    if (field.is_packed) {
      std::string packed;
      for (std::size_t i = 0; i < count; ++i) AppendNumber(type, Normal(field.type, values[i].bits), &packed);
      AppendBytesField(field.number, packed, out);
      return true;
    }
    if (!field.is_repeated) {
      const std::uint64_t bits = count == 0 ? field.default_bits : Normal(field.type, values[count - 1].bits);
      if (bits == 0 && !field.has_presence && !of_entry) return true;
      AppendTag(field.number, type, out);
      AppendNumber(type, bits, out);
      return true;
    }
    for (std::size_t i = 0; i < count; ++i) {
      AppendTag(field.number, type, out);
      AppendNumber(type, Normal(field.type, values[i].bits), out);
    }
    return true;
  }
  // The values of a field that is not repeated are one message: its bytes in a row.
  bool WriteMessages(const ProtoField& field, const Value* values, std::size_t count, bool of_entry, std::string* out,
                     int depth) const {
    const ProtoMessage& message = MessageOf(field);
    if (field.is_repeated || count == 1) {
      for (std::size_t i = 0; i < count; ++i)
        if (!WriteMessage(field, message, values[i].bytes, out, depth)) return false;
      return true;
    }
    if (count == 0) return !of_entry || WriteMessage(field, message, {}, out, depth);
    std::string merged;
    for (std::size_t i = 0; i < count; ++i) {
      if (!Check(message, values[i].bytes, depth + 1)) return false;
      merged.append(values[i].bytes);
    }
    return WriteMessage(field, message, merged, out, depth);
  }
  bool WriteMessage(const ProtoField& field, const ProtoMessage& message, std::string_view bytes, std::string* out,
                    int depth) const {
    std::string inner;
    if (!Write(message, bytes, &inner, depth + 1)) return false;
    if (field.type == ProtoType::kMessage) {
      AppendBytesField(field.number, inner, out);
    } else {
      AppendTag(field.number, wire::WireType::kStartGroup, out);
      out->append(inner);
      AppendTag(field.number, wire::WireType::kEndGroup, out);
    }
    return true;
  }

  const ProtoPool& pool_;
};

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
