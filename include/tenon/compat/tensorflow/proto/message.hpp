// SPDX-License-Identifier: Apache-2.0
#pragma once
// MessageLite: a protocol buffer that is written with the accessors of C++ protocol buffers. A message class has
// members and one list of its fields. A table is made of the list once; bytes and text come from the table.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/compat/tensorflow/proto/repeated.hpp>
#include <tenon/compat/tensorflow/base/types.hpp>

namespace tensorflow {
namespace protobuf {

using int64 = std::int64_t;
using uint64 = std::uint64_t;
using int32 = std::int32_t;
using uint32 = std::uint32_t;

namespace internal {

struct MessageType;

enum class FieldKind : unsigned char {
  kBool,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat,
  kDouble,
  kEnum,
  kText,
  kMessage
};

}  // namespace internal

// Base of all messages. externally synchronised.
class MessageLite : public internal::HeldItem {
 public:
  virtual void Clear() = 0;
  // The list of its fields.
  virtual const internal::MessageType& message_type() const = 0;

  std::string SerializeAsString() const;
  // Reads the fields of `bytes` over those that the message has. False: the bytes are not such a message.
  bool ParsePartial(std::string_view bytes);
  std::string DebugString() const;
  // Reads the text format. False: the text has a mistake.
  bool ParseText(std::string_view text);

  bool ParseFromString(std::string_view bytes) {
    Clear();
    return ParsePartial(bytes);
  }
  bool ParsePartialFromString(std::string_view bytes) { return ParseFromString(bytes); }
  bool MergeFromString(std::string_view bytes) { return ParsePartial(bytes); }
  bool ParseFromArray(const void* data, int size) {
    return ParseFromString({static_cast<const char*>(data), static_cast<std::size_t>(size)});
  }
  bool ParseFromIstream(std::istream* in) {
    return ParseFromString(std::string(std::istreambuf_iterator<char>(*in), {}));
  }
  template <class Text>
  bool SerializeToString(Text* out) const {
    *out = SerializeAsString();
    return true;
  }
  template <class Text>
  bool SerializePartialToString(Text* out) const {
    return SerializeToString(out);
  }
  bool AppendToString(std::string* out) const {
    out->append(SerializeAsString());
    return true;
  }
  bool SerializeToArray(void* data, int size) const {
    const std::string bytes = SerializeAsString();
    if (bytes.size() > static_cast<std::size_t>(size)) return false;
    std::memcpy(data, bytes.data(), bytes.size());
    return true;
  }
  bool SerializeToOstream(std::ostream* out) const {
    *out << SerializeAsString();
    return out->good();
  }
  std::size_t ByteSizeLong() const { return SerializeAsString().size(); }
  int ByteSize() const { return static_cast<int>(ByteSizeLong()); }
  bool IsInitialized() const { return true; }
  std::string GetTypeName() const;
  std::string Utf8DebugString() const { return DebugString(); }
  // DebugString on one line.
  std::string ShortDebugString() const {
    std::string out;
    bool space = true;
    for (const char c : DebugString()) {
      if (c == ' ' || c == '\n') {
        if (!space) out += ' ';
        space = true;
      } else {
        out += c;
        space = false;
      }
    }
    if (!out.empty()) out.pop_back();
    return out;
  }

 private:
  std::string unknown_;  // fields of newer versions, as they came
};

namespace internal {

template <class T>
constexpr bool kIsMessage = std::is_base_of_v<MessageLite, T>;

// ------------------------------------------------------------------------------------------------------------- types
// Names of an enumeration: empty and false for unknown ones.
struct EnumNames {
  std::string (*name)(int value);
  bool (*parse)(std::string_view name, int* value);
};
// One value of a field: a pointer to a number, to a text or to a HeldItem is passed as void*.
struct ValueType {
  FieldKind kind;
  const EnumNames* names = nullptr;
};
struct MapEntry {
  void* entry;
  void* key;
  void* value;
};
struct MapType {
  ValueType key;
  void (*visit)(const void* map, void* arg, void (*call)(void* arg, const void* key, const void* value));
  // A new entry, and its end: it is put into the map, or dropped.
  MapEntry (*begin)();
  void (*end)(void* map, void* entry, bool is_kept);
};
// How a member holds its values. With `map` it is a map; without `count` it is one value, which is absent if it is
// zero; else it is a list, or one value that may be absent.
struct FieldType {
  ValueType value;
  bool is_list = false;
  int (*count)(const void* member) = nullptr;
  const void* (*at)(const void* member, int i) = nullptr;
  void* (*add)(void* member) = nullptr;
  const MapType* map = nullptr;
};
struct Field {
  int number;
  const char* name;
  std::size_t offset;  // from the address of the MessageLite to the member
  const FieldType* type;
};
struct MessageType {
  const char* name = nullptr;
  tenon::SlimVector<Field> fields;
  void (*before)(MessageLite* message, int number) = nullptr;  // clears fields that `number` excludes
};

template <class T>
constexpr FieldKind KindOf() {
  if constexpr (std::is_same_v<T, bool>) return FieldKind::kBool;
  if constexpr (std::is_same_v<T, float>) return FieldKind::kFloat;
  if constexpr (std::is_same_v<T, double>) return FieldKind::kDouble;
  if constexpr (std::is_same_v<T, std::string>) return FieldKind::kText;
  if constexpr (std::is_enum_v<T>) {
    static_assert(sizeof(T) == sizeof(int));
    return FieldKind::kEnum;
  }
  if constexpr (std::is_signed_v<T>) return sizeof(T) == 4 ? FieldKind::kInt32 : FieldKind::kInt64;
  if constexpr (std::is_unsigned_v<T>) return sizeof(T) == 4 ? FieldKind::kUint32 : FieldKind::kUint64;
  return FieldKind::kMessage;
}

// ------------------------------------------------------------------------------------------------------------- bytes
inline void PutVarint(std::uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) *out += static_cast<char>(value | 0x80);
  *out += static_cast<char>(value);
}
inline void PutTag(int number, int wire, std::string* out) {
  PutVarint(static_cast<std::uint64_t>(number) << 3 | static_cast<std::uint64_t>(wire), out);
}
inline void PutBytes(std::string_view bytes, std::string* out) {
  PutVarint(bytes.size(), out);
  out->append(bytes);
}
template <class T>
T Load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T, class From>
void Store(From value, void* to) {
  const T stored = static_cast<T>(value);
  std::memcpy(to, &stored, sizeof stored);
}
constexpr int WireOf(FieldKind kind) {
  return kind == FieldKind::kFloat ? 5 : kind == FieldKind::kDouble ? 1 : kind >= FieldKind::kText ? 2 : 0;
}
constexpr bool IsNumber(FieldKind kind) { return kind < FieldKind::kText; }
// The bits of a number; signed ones are extended.
inline std::uint64_t NumberAt(FieldKind kind, const void* value) {
  switch (kind) {
    case FieldKind::kBool: return *static_cast<const bool*>(value) ? 1 : 0;
    case FieldKind::kUint32:
    case FieldKind::kFloat: return Load<std::uint32_t>(value);
    case FieldKind::kInt32:
    case FieldKind::kEnum: return static_cast<std::uint64_t>(static_cast<std::int64_t>(Load<std::int32_t>(value)));
    default: return Load<std::uint64_t>(value);
  }
}
inline void StoreNumber(FieldKind kind, std::uint64_t number, void* value) {
  switch (kind) {
    case FieldKind::kBool: return Store<bool>(number != 0, value);
    case FieldKind::kUint32:
    case FieldKind::kInt32:
    case FieldKind::kFloat:
    case FieldKind::kEnum: return Store<std::uint32_t>(number, value);
    default: return Store<std::uint64_t>(number, value);
  }
}
inline bool IsZero(FieldKind kind, const void* value) {
  if (kind == FieldKind::kText) return static_cast<const std::string*>(value)->empty();
  return IsNumber(kind) && NumberAt(kind, value) == 0;
}
inline const MessageLite& MessageAt(const void* value) {
  return static_cast<const MessageLite&>(*static_cast<const HeldItem*>(value));
}
inline MessageLite* MessageAt(void* value) { return static_cast<MessageLite*>(static_cast<HeldItem*>(value)); }

inline void PutValue(FieldKind kind, const void* value, std::string* out) {
  switch (kind) {
    case FieldKind::kFloat:
    case FieldKind::kDouble: out->append(static_cast<const char*>(value), kind == FieldKind::kFloat ? 4 : 8); return;
    case FieldKind::kText: return PutBytes(*static_cast<const std::string*>(value), out);
    case FieldKind::kMessage: return PutBytes(MessageAt(value).SerializeAsString(), out);
    default: return PutVarint(NumberAt(kind, value), out);
  }
}
inline void PutTagged(int number, FieldKind kind, const void* value, std::string* out) {
  PutTag(number, WireOf(kind), out);
  PutValue(kind, value, out);
}
inline void PutField(const Field& field, const void* member, std::string* out) {
  const FieldType& type = *field.type;
  const FieldKind kind = type.value.kind;
  if (type.map != nullptr) {
    struct Call {
      const Field& field;
      std::string* out;
      static void Entry(void* arg, const void* key, const void* value) {
        const Call& call = *static_cast<const Call*>(arg);
        std::string entry;
        PutTagged(1, call.field.type->map->key.kind, key, &entry);
        PutTagged(2, call.field.type->value.kind, value, &entry);
        PutTag(call.field.number, 2, call.out);
        PutBytes(entry, call.out);
      }
    } call{field, out};
    return type.map->visit(member, &call, &Call::Entry);
  }
  if (type.count == nullptr) {
    if (!IsZero(kind, member)) PutTagged(field.number, kind, member, out);
    return;
  }
  const int count = type.count(member);
  if (count == 0) return;
  if (type.is_list && IsNumber(kind)) {
    std::string packed;
    for (int i = 0; i < count; ++i) PutValue(kind, type.at(member, i), &packed);
    PutTag(field.number, 2, out);
    return PutBytes(packed, out);
  }
  for (int i = 0; i < count; ++i) PutTagged(field.number, kind, type.at(member, i), out);
}

inline bool TakeValue(tenon::wire::Reader& in, int wire, FieldKind kind, void* value) {
  std::uint64_t number = 0;
  std::uint32_t small = 0;
  std::string_view bytes;
  switch (kind) {
    case FieldKind::kFloat:
      if (wire != 5 || !in.ReadFixed32(&small)) return false;
      return Store<std::uint32_t>(small, value), true;
    case FieldKind::kDouble:
      if (wire != 1 || !in.ReadFixed64(&number)) return false;
      return Store<std::uint64_t>(number, value), true;
    case FieldKind::kText:
      if (wire != 2 || !in.ReadBytes(&bytes)) return false;
      return static_cast<std::string*>(value)->assign(bytes), true;
    case FieldKind::kMessage: return wire == 2 && in.ReadBytes(&bytes) && MessageAt(value)->ParsePartial(bytes);
    default:
      if (wire == 1 ? !in.ReadFixed64(&number) : wire != 0 || !in.ReadVarint(&number)) return false;
      return StoreNumber(kind, number, value), true;
  }
}
inline bool TakeMapEntry(tenon::wire::Reader& in, int wire, const FieldType& type, void* map) {
  std::string_view bytes;
  if (wire != 2 || !in.ReadBytes(&bytes)) return false;
  tenon::wire::Reader reader(tenon::wire::AsBytes(bytes));
  const MapEntry entry = type.map->begin();
  bool ok = true;
  for (tenon::wire::Tag tag{}; ok && !reader.AtEnd();) {
    ok = reader.ReadTag(&tag);
    const int item = static_cast<int>(tag.type);
    if (ok)
      ok = tag.field == 1   ? TakeValue(reader, item, type.map->key.kind, entry.key)
           : tag.field == 2 ? TakeValue(reader, item, type.value.kind, entry.value)
                            : reader.Skip(tag);
  }
  type.map->end(map, entry.entry, ok);
  return ok;
}
inline bool TakeField(tenon::wire::Reader& in, int wire, const FieldType& type, void* member) {
  const FieldKind kind = type.value.kind;
  if (type.map != nullptr) return TakeMapEntry(in, wire, type, member);
  if (type.count == nullptr) return TakeValue(in, wire, kind, member);
  if (!type.is_list || !IsNumber(kind) || wire != 2) return TakeValue(in, wire, kind, type.add(member));
  std::string_view bytes;
  if (!in.ReadBytes(&bytes)) return false;
  tenon::wire::Reader packed(tenon::wire::AsBytes(bytes));
  while (!packed.AtEnd())
    if (!TakeValue(packed, WireOf(kind), kind, type.add(member))) return false;
  return true;
}

// Messages within messages, on a thread.
class Depth {
 public:
  Depth() { ++count(); }
  ~Depth() { --count(); }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  bool is_too_deep() const { return count() > tenon::wire::kMaxDepth; }

 private:
  static int& count() {
    thread_local int depth = 0;
    return depth;
  }
};
inline char* MemberOf(MessageLite* message, const Field& field) {
  return reinterpret_cast<char*>(message) + field.offset;
}
inline const char* MemberOf(const MessageLite* message, const Field& field) {
  return reinterpret_cast<const char*>(message) + field.offset;
}

}  // namespace internal

inline std::string MessageLite::GetTypeName() const { return std::string("tensorflow.") + message_type().name; }
inline std::string MessageLite::SerializeAsString() const {
  std::string out;
  for (const internal::Field& field : message_type().fields)
    internal::PutField(field, internal::MemberOf(this, field), &out);
  return out += unknown_;
}
inline bool MessageLite::ParsePartial(std::string_view bytes) {
  const internal::Depth depth;
  if (depth.is_too_deep()) return false;
  const internal::MessageType& type = message_type();
  tenon::wire::Reader in(tenon::wire::AsBytes(bytes));
  tenon::wire::Tag tag{};
  while (!in.AtEnd()) {
    const std::size_t start = in.offset();
    if (!in.ReadTag(&tag)) return false;
    const internal::Field* found = nullptr;
    for (const internal::Field& field : type.fields)
      if (static_cast<std::uint32_t>(field.number) == tag.field) found = &field;
    if (found != nullptr) {
      if (type.before != nullptr) type.before(this, found->number);
      if (!internal::TakeField(in, static_cast<int>(tag.type), *found->type, internal::MemberOf(this, *found)))
        return false;
    } else {
      if (!in.Skip(tag)) return false;
      unknown_.append(bytes.substr(start, in.offset() - start));
    }
  }
  return true;
}

}  // namespace protobuf
}  // namespace tensorflow
