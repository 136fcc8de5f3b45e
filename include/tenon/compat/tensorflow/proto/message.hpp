// SPDX-License-Identifier: Apache-2.0
#pragma once
// Message: a protocol buffer that is written with the accessors of C++ protocol buffers. A message class has members
// and one list of its fields; its bytes and its text come from that list.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

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

// Base of all messages. externally synchronised.
class MessageLite {
 public:
  virtual ~MessageLite() = default;
  virtual std::string SerializeAsString() const = 0;
  virtual bool ParsePartial(std::string_view bytes) = 0;
  virtual void Clear() = 0;
  virtual std::string DebugString() const = 0;
  // Reads the text format. False: the text has a mistake.
  virtual bool ParseText(std::string_view text) = 0;

  bool ParseFromString(std::string_view bytes) {
    Clear();
    return ParsePartial(bytes);
  }
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
};

namespace internal {

template <class T>
constexpr bool kIsMessage = std::is_base_of_v<MessageLite, T>;

// ------------------------------------------------------------------------------------------------------------- bytes
inline void PutVarint(std::uint64_t value, std::string* out) {
  for (; value >= 0x80; value >>= 7) *out += static_cast<char>(value | 0x80);
  *out += static_cast<char>(value);
}
inline void PutTag(int number, int wire, std::string* out) {
  PutVarint(static_cast<std::uint64_t>(number) << 3 | static_cast<std::uint64_t>(wire), out);
}
template <class T>
constexpr int WireOf() {
  if constexpr (std::is_same_v<T, float>) return 5;
  if constexpr (std::is_same_v<T, double>) return 1;
  return std::is_arithmetic_v<T> || std::is_enum_v<T> ? 0 : 2;
}
template <class T>
void PutValue(const T& value, std::string* out) {
  if constexpr (std::is_floating_point_v<T>) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out->append(bytes, sizeof value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    PutVarint(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), out);
  } else {
    std::string bytes;
    if constexpr (kIsMessage<T>)
      bytes = value.SerializeAsString();
    else
      bytes = value;
    PutVarint(bytes.size(), out);
    out->append(bytes);
  }
}
template <class T>
void PutTagged(int number, const T& value, std::string* out) {
  PutTag(number, WireOf<T>(), out);
  PutValue(value, out);
}
template <class T>
void PutField(int number, const T& value, std::string* out) {
  if constexpr (std::is_same_v<T, std::string>) {
    if (!value.empty()) PutTagged(number, value, out);
  } else if constexpr (std::is_floating_point_v<T>) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    if (bits != 0) PutTagged(number, value, out);
  } else if (value != T{}) {
    PutTagged(number, value, out);
  }
}
template <class T>
void PutField(int number, const std::optional<T>& value, std::string* out) {
  if (value) PutTagged(number, *value, out);
}
template <class T>
void PutField(int number, const Box<T>& value, std::string* out) {
  if (value.has()) PutTagged(number, value.get(), out);
}
template <class T>
void PutField(int number, const RepeatedField<T>& list, std::string* out) {
  if (list.empty()) return;
  std::string packed;
  for (const T& item : list) PutValue(item, &packed);
  PutTagged(number, packed, out);
}
template <class T>
void PutField(int number, const RepeatedPtrField<T>& list, std::string* out) {
  for (const T& item : list) PutTagged(number, item, out);
}
template <class K, class V>
void PutField(int number, const Map<K, V>& map, std::string* out) {
  for (const auto& [key, value] : map) {
    std::string entry;
    PutTagged(1, key, &entry);
    PutTagged(2, value, &entry);
    PutTagged(number, entry, out);
  }
}

template <class T>
bool TakeValue(tenon::wire::Reader& in, int wire, T* value) {
  if constexpr (std::is_same_v<T, float>) {
    std::uint32_t bits = 0;
    if (wire != 5 || !in.ReadFixed32(&bits)) return false;
    std::memcpy(value, &bits, sizeof bits);
  } else if constexpr (std::is_same_v<T, double>) {
    std::uint64_t bits = 0;
    if (wire != 1 || !in.ReadFixed64(&bits)) return false;
    std::memcpy(value, &bits, sizeof bits);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    std::uint64_t number = 0;
    if (wire == 1 ? !in.ReadFixed64(&number) : wire != 0 || !in.ReadVarint(&number)) return false;
    if constexpr (std::is_same_v<T, bool>)
      *value = number != 0;
    else
      *value = static_cast<T>(number);
  } else {
    std::string_view bytes;
    if (wire != 2 || !in.ReadBytes(&bytes)) return false;
    if constexpr (kIsMessage<T>) {
      return value->ParsePartial(bytes);
    } else {
      *value = std::string(bytes);
    }
  }
  return true;
}
template <class T>
bool TakeField(tenon::wire::Reader& in, int wire, T* value) {
  return TakeValue(in, wire, value);
}
template <class T>
bool TakeField(tenon::wire::Reader& in, int wire, std::optional<T>* value) {
  return TakeValue(in, wire, &value->emplace());
}
template <class T>
bool TakeField(tenon::wire::Reader& in, int wire, Box<T>* value) {
  return TakeValue(in, wire, value->mutable_get());
}
template <class T>
bool TakeField(tenon::wire::Reader& in, int wire, RepeatedField<T>* list) {
  if (wire != 2) return TakeValue(in, wire, list->Add());
  std::string_view bytes;
  if (!in.ReadBytes(&bytes)) return false;
  tenon::wire::Reader packed(tenon::wire::AsBytes(bytes));
  while (!packed.AtEnd())
    if (!TakeValue(packed, WireOf<T>(), list->Add())) return false;
  return true;
}
template <class T>
bool TakeField(tenon::wire::Reader& in, int wire, RepeatedPtrField<T>* list) {
  return TakeValue(in, wire, list->Add());
}
template <class K, class V>
bool TakeField(tenon::wire::Reader& in, int wire, Map<K, V>* map) {
  std::string_view bytes;
  if (wire != 2 || !in.ReadBytes(&bytes)) return false;
  tenon::wire::Reader entry(tenon::wire::AsBytes(bytes));
  K key{};
  V value{};
  tenon::wire::Tag tag{};
  while (!entry.AtEnd()) {
    if (!entry.ReadTag(&tag)) return false;
    const int type = static_cast<int>(tag.type);
    if (tag.field == 1   ? !TakeValue(entry, type, &key)
        : tag.field == 2 ? !TakeValue(entry, type, &value)
                         : !entry.Skip(tag))
      return false;
  }
  (*map)[key] = std::move(value);
  return true;
}

}  // namespace internal
}  // namespace protobuf
}  // namespace tensorflow
