// SPDX-License-Identifier: Apache-2.0
#pragma once
// Message, the base of message classes, and the text format.

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

// ------------------------------------------------------------------------------------------------- types of members
template <class Enum>
struct EnumNamesOf {
  static std::string Name(int value) { return EnumText<Enum>::Name(static_cast<Enum>(value)); }
  static bool Parse(std::string_view name, int* value) {
    Enum parsed{};
    if (!EnumText<Enum>::Parse(name, &parsed)) return false;
    return *value = static_cast<int>(parsed), true;
  }
  static constexpr EnumNames names{&Name, &Parse};
};
template <class T>
constexpr ValueType ValueTypeOf() {
  if constexpr (std::is_enum_v<T>)
    return {FieldKind::kEnum, &EnumNamesOf<T>::names};
  else
    return {KindOf<T>()};
}
template <class T>
struct FieldTypeOf {
  static constexpr FieldType type{ValueTypeOf<T>()};
};
template <class T>
struct FieldTypeOf<std::optional<T>> {
  using Member = std::optional<T>;
  static int Count(const void* member) { return static_cast<const Member*>(member)->has_value() ? 1 : 0; }
  static const void* At(const void* member, int) { return &**static_cast<const Member*>(member); }
  static void* Add(void* member) { return &static_cast<Member*>(member)->emplace(); }
  static constexpr FieldType type{ValueTypeOf<T>(), false, &Count, &At, &Add};
};
inline int CountOfBox(const void* member) { return static_cast<const HeldBox*>(member)->get() != nullptr ? 1 : 0; }
inline const void* InBox(const void* member, int) { return static_cast<const HeldBox*>(member)->get(); }
template <class T>
struct FieldTypeOf<Box<T>> {
  static void* Add(void* member) { return Erased(static_cast<Box<T>*>(member)->mutable_get()); }
  static constexpr FieldType type{{FieldKind::kMessage}, false, &CountOfBox, &InBox, &Add};
};
inline int CountOfItems(const void* member) { return static_cast<const ItemList*>(member)->size(); }
inline const void* ItemAt(const void* member, int i) { return static_cast<const ItemList*>(member)->Get(i); }
template <class T>
struct FieldTypeOf<RepeatedPtrField<T>> {
  static void* Add(void* member) { return Erased(static_cast<RepeatedPtrField<T>*>(member)->Add()); }
  static constexpr FieldKind kKind = std::is_same_v<T, std::string> ? FieldKind::kText : FieldKind::kMessage;
  static constexpr FieldType type{{kKind}, true, &CountOfItems, &ItemAt, &Add};
};
template <class T>
struct FieldTypeOf<RepeatedField<T>> {
  using Member = RepeatedField<T>;
  static int Count(const void* member) { return static_cast<const Member*>(member)->size(); }
  static const void* At(const void* member, int i) { return &static_cast<const Member*>(member)->Get(i); }
  static void* Add(void* member) { return static_cast<Member*>(member)->Add(); }
  static constexpr FieldType type{ValueTypeOf<T>(), true, &Count, &At, &Add};
};
template <class K, class V>
struct FieldTypeOf<Map<K, V>> {
  struct Entry {
    K key{};
    V value{};
  };
  static void Visit(const void* map, void* arg, void (*call)(void* arg, const void* key, const void* value)) {
    for (const auto& [key, value] : *static_cast<const Map<K, V>*>(map))
      call(arg, &key, Erased(const_cast<V*>(&value)));
  }
  static MapEntry Begin() {
    auto* const entry = new Entry();
    return {entry, &entry->key, Erased(&entry->value)};
  }
  static void End(void* map, void* entry, bool is_kept) {
    Entry* const made = static_cast<Entry*>(entry);
    if (is_kept) (*static_cast<Map<K, V>*>(map))[made->key] = std::move(made->value);
    delete made;
  }
  static constexpr MapType map_type{ValueTypeOf<K>(), &Visit, &Begin, &End};
  static constexpr FieldType type{ValueTypeOf<V>(), true, nullptr, nullptr, nullptr, &map_type};
};

// ---------------------------------------------------------------------------------------------------------- printing
inline void PrintMessage(const MessageLite& message, int indent, std::string* out);

inline void PrintScalar(const ValueType& type, const void* value, std::string* out) {
  std::string name;
  switch (type.kind) {
    case FieldKind::kBool: *out += *static_cast<const bool*>(value) ? "true" : "false"; return;
    case FieldKind::kFloat: return tenon::StrAppend(out, Load<float>(value));
    case FieldKind::kDouble: return tenon::StrAppend(out, Load<double>(value));
    case FieldKind::kUint32:
    case FieldKind::kUint64: return tenon::StrAppend(out, NumberAt(type.kind, value));
    case FieldKind::kEnum: name = type.names->name(Load<int>(value)); break;
    case FieldKind::kText:
      return tenon::StrAppend(out, "\"", tenon::CEscape(*static_cast<const std::string*>(value)), "\"");
    default: break;
  }
  if (name.empty())
    tenon::StrAppend(out, static_cast<std::int64_t>(NumberAt(type.kind, value)));
  else
    *out += name;
}
inline void PrintItem(std::string_view name, const ValueType& type, const void* value, int indent, std::string* out) {
  out->append(static_cast<std::size_t>(indent), ' ').append(name);
  if (type.kind == FieldKind::kMessage) {
    *out += " {\n";
    PrintMessage(MessageAt(value), indent + 2, out);
    out->append(static_cast<std::size_t>(indent), ' ').append("}\n");
  } else {
    *out += ": ";
    PrintScalar(type, value, out);
    *out += '\n';
  }
}
inline void PrintField(const Field& field, const void* member, int indent, std::string* out) {
  const FieldType& type = *field.type;
  if (type.map != nullptr) {
    struct Call {
      const Field& field;
      int indent;
      std::string* out;
      static void Entry(void* arg, const void* key, const void* value) {
        const Call& call = *static_cast<const Call*>(arg);
        call.out->append(static_cast<std::size_t>(call.indent), ' ').append(call.field.name).append(" {\n");
        PrintItem("key", call.field.type->map->key, key, call.indent + 2, call.out);
        PrintItem("value", call.field.type->value, value, call.indent + 2, call.out);
        call.out->append(static_cast<std::size_t>(call.indent), ' ').append("}\n");
      }
    } call{field, indent, out};
    return type.map->visit(member, &call, &Call::Entry);
  }
  if (type.count == nullptr) {
    if (!IsZero(type.value.kind, member)) PrintItem(field.name, type.value, member, indent, out);
    return;
  }
  for (int i = 0, n = type.count(member); i < n; ++i)
    PrintItem(field.name, type.value, type.at(member, i), indent, out);
}
inline void PrintMessage(const MessageLite& message, int indent, std::string* out) {
  for (const Field& field : message.message_type().fields) PrintField(field, MemberOf(&message, field), indent, out);
}

// ----------------------------------------------------------------------------------------------------------- reading
using Cursor = tenon::wire::TextCursor;

inline bool ReadMessage(Cursor& in, char end, MessageLite* message);

// The bracket that ends the message that begins here; '\0': none begins.
inline char OpenMessage(Cursor& in) {
  in.TryEat(':');
  return in.TryEat('{') ? '}' : in.TryEat('<') ? '>' : '\0';
}
inline bool ReadText(Cursor& in, char next, std::string* value) {
  if (next != '"' && next != '\'') return false;
  tenon::wire::TextSink sink(0);
  for (char quote = next; quote == '"' || quote == '\''; quote = in.Peek())
    if (!in.ReadQuoted(&sink)) return false;
  *value = sink.Take();
  return true;
}
inline bool ReadScalar(Cursor& in, const ValueType& type, void* value) {
  const char next = in.Peek();
  std::int64_t number = 0;
  std::uint64_t natural = 0;
  double real = 0;
  int constant = 0;
  switch (type.kind) {
    case FieldKind::kText: return ReadText(in, next, static_cast<std::string*>(value));
    case FieldKind::kBool: {
      const std::string_view word = in.Word();
      const bool is_true = word == "true" || word == "True" || word == "t" || word == "1";
      Store<bool>(is_true, value);
      return is_true || word == "false" || word == "False" || word == "f" || word == "0";
    }
    case FieldKind::kEnum:
      if (Cursor::IsLetter(next)) return type.names->parse(in.Word(), &constant) && (Store<int>(constant, value), true);
      return in.ReadSigned(0x7fffffff, &number) && (Store<int>(number, value), true);
    case FieldKind::kFloat: return in.ReadDouble(&real) && (Store<float>(real, value), true);
    case FieldKind::kDouble: return in.ReadDouble(&real) && (Store<double>(real, value), true);
    case FieldKind::kUint32:
    case FieldKind::kUint64:
      return in.ReadUnsigned(type.kind == FieldKind::kUint32 ? 0xffffffff : ~std::uint64_t{0}, &natural) &&
             (StoreNumber(type.kind, natural, value), true);
    default:
      return in.ReadSigned(type.kind == FieldKind::kInt32 ? 0x7fffffff : 0x7fffffffffffffff, &number) &&
             (StoreNumber(type.kind, static_cast<std::uint64_t>(number), value), true);
  }
}
inline bool ReadItem(Cursor& in, const ValueType& type, void* value) {
  if (type.kind != FieldKind::kMessage) return ReadScalar(in, type, value);
  const char end = OpenMessage(in);
  return end != '\0' && ReadMessage(in, end, MessageAt(value));
}
// Behind a field's name: messages need no colon.
inline bool ReadNamed(Cursor& in, const ValueType& type, void* value) {
  return (type.kind == FieldKind::kMessage || in.TryEat(':')) && ReadItem(in, type, value);
}
inline bool ReadMapEntry(Cursor& in, const FieldType& type, void* map) {
  const char end = OpenMessage(in);
  if (end == '\0') return false;
  const MapEntry entry = type.map->begin();
  bool ok = true;
  while (ok && !in.TryEat(end)) {
    in.Peek();
    const std::string_view word = in.Word();
    ok = word == "key"     ? ReadNamed(in, type.map->key, entry.key)
         : word == "value" ? ReadNamed(in, type.value, entry.value)
                           : false;
    if (ok && !in.TryEat(',')) in.TryEat(';');
  }
  type.map->end(map, entry.entry, ok);
  return ok;
}
inline bool ReadField(Cursor& in, const FieldType& type, void* member) {
  if (!type.is_list) return ReadNamed(in, type.value, type.count == nullptr ? member : type.add(member));
  const auto add = [&] {
    return type.map != nullptr ? ReadMapEntry(in, type, member) : ReadItem(in, type.value, type.add(member));
  };
  in.TryEat(':');
  if (!in.TryEat('[')) return add();
  if (in.TryEat(']')) return true;
  do {
    if (!add()) return false;
  } while (in.TryEat(','));
  return in.TryEat(']');
}
inline bool ReadMessage(Cursor& in, char end, MessageLite* message) {
  const Depth depth;
  if (depth.is_too_deep()) return false;
  const MessageType& type = message->message_type();
  while (end == '\0' ? in.Peek() != '\0' : !in.TryEat(end)) {
    in.Peek();
    const std::string_view word = in.Word();
    const Field* found = nullptr;
    for (const Field& field : type.fields)
      if (word == field.name) found = &field;
    if (found == nullptr) return false;
    if (type.before != nullptr) type.before(message, found->number);
    if (!ReadField(in, *found->type, MemberOf(message, *found))) return false;
    if (!in.TryEat(',')) in.TryEat(';');
  }
  return true;
}

// Makes the table of a message class.
struct FieldCollector {
  const MessageLite* message;
  MessageType* type;
  template <class T>
  void operator()(int number, const char* name, T& member) const {
    Add(number, name, &member, &FieldTypeOf<std::remove_const_t<T>>::type);
  }
  void Add(int number, const char* name, const void* member, const FieldType* of) const {
    const auto offset = static_cast<const char*>(member) - reinterpret_cast<const char*>(message);
    type->fields.push_back({number, name, static_cast<std::size_t>(offset), of});
  }
};
template <class M>
void CallBeforeField(MessageLite* message, int number) {
  static_cast<M*>(message)->BeforeField(number);
}

}  // namespace internal

inline std::string MessageLite::DebugString() const {
  std::string out;
  internal::PrintMessage(*this, 0, &out);
  return out;
}
inline bool MessageLite::ParseText(std::string_view text) {
  Clear();
  internal::Cursor in(text);
  return internal::ReadMessage(in, '\0', this);
}

// A message class M derives from Message<M> and has
//   template <class Self, class Call> static void Fields(Self& m, Call&& call)  calls call(number, name, member),
//   static constexpr const char* kName,
//   void BeforeField(int number), if fields exclude each other: it clears the others.
template <class M>
class Message : public MessageLite {
 public:
  void Clear() override { self() = M(); }
  internal::HeldItem* Clone() const final { return new M(static_cast<const M&>(*this)); }
  const internal::MessageType& message_type() const final {
    static const internal::MessageType* const type = MakeType();  // never destroyed
    return *type;
  }
  void CopyFrom(const M& other) { self() = M(other); }
  void MergeFrom(const M& other) { static_cast<void>(ParsePartial(other.SerializeAsString())); }
  void Swap(M* other) { std::swap(self(), *other); }
  M* New() const { return new M(); }
  static const M& default_instance() {
    static const M* const none = new M();  // never destroyed
    return *none;
  }

 protected:
  Message() = default;

 private:
  static const internal::MessageType* MakeType() {
    auto* const type = new internal::MessageType();
    M& sample = const_cast<M&>(default_instance());
    type->name = M::kName;
    M::Fields(sample, internal::FieldCollector{&sample, type});
    if constexpr (requires(M& m) { m.BeforeField(0); }) type->before = &internal::CallBeforeField<M>;
    return type;
  }
  M& self() { return static_cast<M&>(*this); }
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

// Accessors of a field, for message classes: the member is NAME_. Those that make messages are templates, so that files
// that do not call them do not compile the messages' tables.
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
  template <int = 0>                                               \
  const TYPE& NAME() const {                                       \
    return NAME##_.get();                                          \
  }                                                                \
  template <int = 0>                                               \
  TYPE* mutable_##NAME() {                                         \
    return NAME##_.mutable_get();                                  \
  }                                                                \
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
  template <int = 0>                                                                     \
  TYPE* add_##NAME() {                                                                   \
    return NAME##_.Add();                                                                \
  }                                                                                      \
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
