// SPDX-License-Identifier: Apache-2.0
#pragma once
// The text format of messages: printing and reading one field.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/base/hash.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/text_cursor.hpp>
#include <tenon/wire/text_sink.hpp>
#include <tenon/compat/tensorflow/proto/message.hpp>

namespace tensorflow {
namespace protobuf {

// Names of an enumeration in the text format: `Name(value)`, empty for an unknown one, and `Parse(name, &value)`.
template <class Enum>
struct EnumText {
  static std::string Name(Enum) { return {}; }
  static bool Parse(std::string_view, Enum*) { return false; }
};
template <>
struct EnumText<DataType> {
  static std::string Name(DataType type) { return DataType_Name(type); }
  static bool Parse(std::string_view name, DataType* type) { return DataType_Parse(name, type); }
};

namespace internal {

// ---------------------------------------------------------------------------------------------------------- printing
template <class T>
void PrintScalar(const T& value, std::string* out) {
  if constexpr (std::is_same_v<T, bool>) {
    *out += value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    const std::string name = EnumText<T>::Name(value);
    *out += name.empty() ? std::to_string(static_cast<int>(value)) : name;
  } else if constexpr (std::is_arithmetic_v<T>) {
    tenon::StrAppend(out, value);
  } else {
    tenon::StrAppend(out, "\"", tenon::CEscape(value), "\"");
  }
}
template <class T>
void PrintItem(std::string_view name, const T& value, int indent, std::string* out) {
  out->append(static_cast<std::size_t>(indent), ' ').append(name);
  if constexpr (kIsMessage<T>) {
    *out += " {\n";
    value.Print(indent + 2, out);
    out->append(static_cast<std::size_t>(indent), ' ').append("}\n");
  } else {
    *out += ": ";
    PrintScalar(value, out);
    *out += '\n';
  }
}
template <class T>
void PrintField(std::string_view name, const T& value, int indent, std::string* out) {
  if (!(value == T{})) PrintItem(name, value, indent, out);
}
template <class T>
void PrintField(std::string_view name, const std::optional<T>& value, int indent, std::string* out) {
  if (value) PrintItem(name, *value, indent, out);
}
template <class T>
void PrintField(std::string_view name, const Box<T>& value, int indent, std::string* out) {
  if (value.has()) PrintItem(name, value.get(), indent, out);
}
template <class T>
void PrintField(std::string_view name, const RepeatedField<T>& list, int indent, std::string* out) {
  for (const T& item : list) PrintItem(name, item, indent, out);
}
template <class T>
void PrintField(std::string_view name, const RepeatedPtrField<T>& list, int indent, std::string* out) {
  for (const T& item : list) PrintItem(name, item, indent, out);
}
template <class K, class V>
void PrintField(std::string_view name, const Map<K, V>& map, int indent, std::string* out) {
  for (const auto& [key, value] : map) {
    out->append(static_cast<std::size_t>(indent), ' ').append(name).append(" {\n");
    PrintItem("key", key, indent + 2, out);
    PrintItem("value", value, indent + 2, out);
    out->append(static_cast<std::size_t>(indent), ' ').append("}\n");
  }
}

// ----------------------------------------------------------------------------------------------------------- reading
using Cursor = tenon::wire::TextCursor;

// The bracket that ends the message that begins here; '\0': none begins.
inline char OpenMessage(Cursor& in) {
  in.TryEat(':');
  return in.TryEat('{') ? '}' : in.TryEat('<') ? '>' : '\0';
}

template <class T>
bool ReadScalar(Cursor& in, T* value) {
  const char next = in.Peek();
  if constexpr (std::is_same_v<T, std::string>) {
    if (next != '"' && next != '\'') return false;
    tenon::wire::TextSink sink(0);
    for (char quote = next; quote == '"' || quote == '\''; quote = in.Peek())
      if (!in.ReadQuoted(&sink)) return false;
    *value = sink.Take();
    return true;
  } else if constexpr (std::is_same_v<T, bool>) {
    const std::string_view word = in.Word();
    *value = word == "true" || word == "True" || word == "t" || word == "1";
    return *value || word == "false" || word == "False" || word == "f" || word == "0";
  } else if constexpr (std::is_enum_v<T>) {
    if (Cursor::IsLetter(next)) return EnumText<T>::Parse(in.Word(), value);
    std::int64_t number = 0;
    if (!in.ReadSigned(0x7fffffff, &number)) return false;
    *value = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    double number = 0;
    if (!in.ReadDouble(&number)) return false;
    *value = static_cast<T>(number);
    return true;
  } else if constexpr (std::is_unsigned_v<T>) {
    std::uint64_t number = 0;
    if (!in.ReadUnsigned(std::numeric_limits<T>::max(), &number)) return false;
    *value = static_cast<T>(number);
    return true;
  } else {
    std::int64_t number = 0;
    if (!in.ReadSigned(static_cast<std::uint64_t>(std::numeric_limits<T>::max()), &number)) return false;
    *value = static_cast<T>(number);
    return true;
  }
}
template <class T>
bool ReadItem(Cursor& in, T* value) {
  if constexpr (kIsMessage<T>) {
    const char end = OpenMessage(in);
    return end != '\0' && value->ReadFields(in, end);
  } else {
    return ReadScalar(in, value);
  }
}
// Items in brackets, or one.
template <class Add>
bool ReadItems(Cursor& in, Add add) {
  in.TryEat(':');
  if (!in.TryEat('[')) return add();
  if (in.TryEat(']')) return true;
  do {
    if (!add()) return false;
  } while (in.TryEat(','));
  return in.TryEat(']');
}
template <class T>
bool ReadField(Cursor& in, T* value) {
  return (kIsMessage<T> || in.TryEat(':')) && ReadItem(in, value);
}
template <class T>
bool ReadField(Cursor& in, std::optional<T>* value) {
  return ReadField(in, &value->emplace());
}
template <class T>
bool ReadField(Cursor& in, Box<T>* value) {
  return ReadItem(in, value->mutable_get());
}
template <class T>
bool ReadField(Cursor& in, RepeatedField<T>* list) {
  return ReadItems(in, [&] { return ReadItem(in, list->Add()); });
}
template <class T>
bool ReadField(Cursor& in, RepeatedPtrField<T>* list) {
  return ReadItems(in, [&] { return ReadItem(in, list->Add()); });
}
template <class K, class V>
bool ReadField(Cursor& in, Map<K, V>* map) {
  return ReadItems(in, [&] {
    K key{};
    V value{};
    const char end = OpenMessage(in);
    if (end == '\0') return false;
    while (!in.TryEat(end)) {
      in.Peek();
      const std::string_view word = in.Word();
      if (word == "key" ? !ReadField(in, &key) : word != "value" || !ReadField(in, &value)) return false;
      if (!in.TryEat(',')) in.TryEat(';');
    }
    (*map)[key] = std::move(value);
    return true;
  });
}

}  // namespace internal

// A message class M derives from Message<M> and has
//   template <class Self, class Call> static void Fields(Self& m, Call&& call)  calls call(number, name, member),
//   static constexpr const char* kName.
template <class M>
class Message : public MessageLite {
 public:
  std::string SerializeAsString() const final {
    std::string out;
    M::Fields(self(), [&out](int number, const char*, const auto& value) { internal::PutField(number, value, &out); });
    return out += unknown_;
  }
  bool ParsePartial(std::string_view bytes) final {
    const Depth depth;
    if (depth.is_too_deep()) return false;
    tenon::wire::Reader in(tenon::wire::AsBytes(bytes));
    tenon::wire::Tag tag{};
    while (!in.AtEnd()) {
      const std::size_t start = in.offset();
      if (!in.ReadTag(&tag)) return false;
      bool found = false, ok = true;
      M::Fields(self(), [&](int number, const char*, auto& value) {
        if (found || static_cast<std::uint32_t>(number) != tag.field) return;
        found = true;
        self().BeforeField(number);
        ok = internal::TakeField(in, static_cast<int>(tag.type), &value);
      });
      if (!found) {
        ok = in.Skip(tag);
        if (ok) unknown_.append(bytes.substr(start, in.offset() - start));
      }
      if (!ok) return false;
    }
    return true;
  }
  void Clear() override { self() = M(); }
  std::string DebugString() const final {
    std::string out;
    Print(0, &out);
    return out;
  }
  bool ParseText(std::string_view text) final {
    Clear();
    internal::Cursor in(text);
    return ReadFields(in, '\0');
  }
  void CopyFrom(const M& other) { self() = M(other); }
  void MergeFrom(const M& other) { static_cast<void>(ParsePartial(other.SerializeAsString())); }
  void Swap(M* other) { std::swap(self(), *other); }
  M* New() const { return new M(); }
  static const M& default_instance() {
    static const M* const none = new M();  // never destroyed
    return *none;
  }
  std::string GetTypeName() const { return std::string("tensorflow.") + M::kName; }

  // For the text format and for parsing.
  void Print(int indent, std::string* out) const {
    M::Fields(self(),
              [&](int, const char* name, const auto& value) { internal::PrintField(name, value, indent, out); });
  }
  bool ReadFields(internal::Cursor& in, char end) {
    const Depth depth;
    if (depth.is_too_deep()) return false;
    while (end == '\0' ? in.Peek() != '\0' : !in.TryEat(end)) {
      in.Peek();
      const std::string_view word = in.Word();
      bool found = false, ok = false;
      M::Fields(self(), [&](int number, const char* name, auto& value) {
        if (found || word != name) return;
        found = true;
        self().BeforeField(number);
        ok = internal::ReadField(in, &value);
      });
      if (!ok) return false;
      if (!in.TryEat(',')) in.TryEat(';');
    }
    return true;
  }
  // A class whose fields exclude each other clears the others.
  void BeforeField(int) {}

 protected:
  Message() = default;

 private:
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
  M& self() { return static_cast<M&>(*this); }
  const M& self() const { return static_cast<const M&>(*this); }
  std::string unknown_;  // fields of newer versions, as they came
};

class TextFormat {
 public:
  template <class M>
  static bool ParseFromString(std::string_view text, M* message) {
    return message->ParseText(text);
  }
  template <class M>
  static bool MergeFromString(std::string_view text, M* message) {
    M more;
    if (!more.ParseText(text)) return false;
    message->MergeFrom(more);
    return true;
  }
  template <class M>
  static bool PrintToString(const M& message, std::string* text) {
    *text = message.DebugString();
    return true;
  }
};

namespace util {
// Messages are equal if their bytes are.
class MessageDifferencer {
 public:
  static bool Equals(const MessageLite& a, const MessageLite& b) {
    return a.SerializeAsString() == b.SerializeAsString();
  }
  static bool Equivalent(const MessageLite& a, const MessageLite& b) { return Equals(a, b); }
};
}  // namespace util

}  // namespace protobuf

// A parsed or printed message by tensorflow's helpers.
template <class M>
std::string SerializeToString(const M& message) {
  return message.SerializeAsString();
}
template <class M>
bool SerializeToTString(const M& message, tstring* out) {
  *out = message.SerializeAsString();
  return true;
}
template <class M>
bool ParseProtoUnlimited(M* message, StringPiece bytes) {
  return message->ParseFromString(bytes);
}
template <class M>
bool ParseProtoUnlimited(M* message, const void* data, std::size_t size) {
  return message->ParseFromString({static_cast<const char*>(data), size});
}
template <class M>
bool ParseFromTString(const tstring& bytes, M* message) {
  return message->ParseFromString(StringPiece(bytes));
}
template <class M>
bool AppendToTString(const M& message, tstring* out) {
  const std::string bytes = message.SerializeAsString();
  out->append(bytes.data(), bytes.size());
  return true;
}
template <class M>
bool SerializeToStringDeterministic(const M& message, std::string* out) {
  *out = message.SerializeAsString();
  return true;
}
template <class M>
uint64_t DeterministicProtoHash64(const M& message) {
  return tenon::Hash64(message.SerializeAsString());
}
inline bool AreSerializedProtosEqual(const protobuf::MessageLite& a, const protobuf::MessageLite& b) {
  return a.SerializeAsString() == b.SerializeAsString();
}

}  // namespace tensorflow

// Accessors of a field, for message classes: the member is NAME_.
#define TENON_COMPAT_STRING(NAME)                                                                               \
  const std::string& NAME() const { return NAME##_; }                                                           \
  template <class Text>                                                                                         \
  void set_##NAME(const Text& text) {                                                                           \
    NAME##_ = std::string(text);                                                                                \
  }                                                                                                             \
  void set_##NAME(const void* data, std::size_t size) { NAME##_.assign(static_cast<const char*>(data), size); } \
  std::string* mutable_##NAME() { return &NAME##_; }                                                            \
  void clear_##NAME() { NAME##_.clear(); }
#define TENON_COMPAT_SCALAR(TYPE, NAME)            \
  TYPE NAME() const { return NAME##_; }            \
  void set_##NAME(TYPE value) { NAME##_ = value; } \
  void clear_##NAME() { NAME##_ = TYPE(); }
#define TENON_COMPAT_MESSAGE(TYPE, NAME)                           \
  bool has_##NAME() const { return NAME##_.has(); }                \
  const TYPE& NAME() const { return NAME##_.get(); }               \
  TYPE* mutable_##NAME() { return NAME##_.mutable_get(); }         \
  void clear_##NAME() { NAME##_.reset(); }                         \
  void set_allocated_##NAME(TYPE* value) { NAME##_.reset(value); } \
  TYPE* release_##NAME() { return NAME##_.release(); }
#define TENON_COMPAT_NUMBERS(TYPE, NAME)                                              \
  int NAME##_size() const { return NAME##_.size(); }                                  \
  TYPE NAME(int i) const { return NAME##_.Get(i); }                                   \
  void set_##NAME(int i, TYPE value) { NAME##_.Set(i, value); }                       \
  void add_##NAME(TYPE value) { NAME##_.Add(value); }                                 \
  const ::tensorflow::protobuf::RepeatedField<TYPE>& NAME() const { return NAME##_; } \
  ::tensorflow::protobuf::RepeatedField<TYPE>* mutable_##NAME() { return &NAME##_; }  \
  void clear_##NAME() { NAME##_.Clear(); }
#define TENON_COMPAT_ITEMS(TYPE, NAME)                                                   \
  int NAME##_size() const { return NAME##_.size(); }                                     \
  const TYPE& NAME(int i) const { return NAME##_.Get(i); }                               \
  TYPE* mutable_##NAME(int i) { return NAME##_.Mutable(i); }                             \
  TYPE* add_##NAME() { return NAME##_.Add(); }                                           \
  const ::tensorflow::protobuf::RepeatedPtrField<TYPE>& NAME() const { return NAME##_; } \
  ::tensorflow::protobuf::RepeatedPtrField<TYPE>* mutable_##NAME() { return &NAME##_; }  \
  void clear_##NAME() { NAME##_.Clear(); }
#define TENON_COMPAT_STRINGS(NAME)                                  \
  TENON_COMPAT_ITEMS(std::string, NAME)                             \
  template <class Text>                                             \
  void add_##NAME(const Text& text) {                               \
    NAME##_.Add(std::string(text));                                 \
  }                                                                 \
  void add_##NAME(const void* data, std::size_t size) {             \
    NAME##_.Add(std::string(static_cast<const char*>(data), size)); \
  }                                                                 \
  template <class Text>                                             \
  void set_##NAME(int i, const Text& text) {                        \
    *NAME##_.Mutable(i) = std::string(text);                        \
  }
#define TENON_COMPAT_MAP(KEY, TYPE, NAME)                                        \
  int NAME##_size() const { return static_cast<int>(NAME##_.size()); }           \
  const ::tensorflow::protobuf::Map<KEY, TYPE>& NAME() const { return NAME##_; } \
  ::tensorflow::protobuf::Map<KEY, TYPE>* mutable_##NAME() { return &NAME##_; }  \
  void clear_##NAME() { NAME##_.clear(); }
