// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages as constexpr tables: for each field its number, kind, and how to reach it in a plain struct.
// wire/schema.hpp reads and writes them.
//
//   template <> struct wire::Schema<Version> { static const wire::Message message; };
//   inline constexpr wire::Field kVersionFields[] = {wire::MakeField<&Version::producer>(1, "producer"),
//                                                    wire::MakeField<&Version::bad_consumers>(3, "bad_consumers")};
//   inline constexpr wire::Message wire::Schema<Version>::message("Version", kVersionFields);

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/writer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

class Buffer;

namespace wire {

struct Message;

// The table of a struct, as the static member `message`.
template <class T>
struct Schema;

// The C++ type of the value: kBool is bool or char, kEnum an enum of 4 bytes, kFixed32/kFixed64 unsigned integers. A
// std::string is kString (UTF-8 text, or a message kept as it came) or kBytes: JSON writes the two in different ways.
enum class Kind : std::uint8_t {
  kInt32,
  kInt64,
  kUint32,
  kUint64,
  kSint64,  // zigzag; only in tables without structs
  kBool,
  kEnum,
  kFloat,
  kDouble,
  kFixed32,
  kFixed64,
  kString,
  kBytes,
  kMessage
};

namespace detail {
constexpr WireType WireTypeOf(Kind kind) {
  switch (kind) {
    case Kind::kFloat:
    case Kind::kFixed32: return WireType::kFixed32;
    case Kind::kDouble:
    case Kind::kFixed64: return WireType::kFixed64;
    case Kind::kString:
    case Kind::kBytes:
    case Kind::kMessage: return WireType::kBytes;
    default: return WireType::kVarint;
  }
}
// Is the value a std::string?
constexpr bool IsString(Kind kind) { return kind == Kind::kString || kind == Kind::kBytes; }
}  // namespace detail

// The place of a field in its message, and the type of a value that has not its own Kind: a std::string may keep a
// message as it came, and an enum is a DataType unless its role says otherwise.
enum class Role : std::uint8_t {
  kPlain,
  kInOneof,  // one of several fields of which only one is set; a message has at most one such group
  kDropped,  // exists in TensorFlow, and is read and forgotten
  kFullType,  // a FullTypeDef; of an enum: a FullTypeId
  kHandleData,  // a ResourceHandleProto.DtypeAndShape
  kNodeDebugInfo,  // a NodeDef.ExperimentalDebugInfo
  kGraphDebugInfo,
  // Enums:
  kCheckpointFormat,  // SaverDef.CheckpointFormatVersion
  kVariableSynchronization,
  kVariableAggregation,
  kTypeSpecClass,  // TypeSpecProto.TypeSpecClass
  kJitCompile  // FunctionSpec.JitCompile
};

// The values of a field that are to be written: `count` of them, `stride` bytes apart.
struct FieldValues {
  const void* first;
  std::size_t count;
  std::size_t stride;

  const void* operator[](std::size_t i) const { return static_cast<const std::byte*>(first) + i * stride; }
};

// Immutable. The functions get a pointer to the struct.
struct Field {
  std::uint32_t number;
  Kind kind;
  bool repeated;
  WireType wire_type;  // wire type of one value
  Role role;
  std::string_view name;
  // Type of the message, for kMessage, and for a std::string that keeps one. Of an enum: null, or a table that has the
  // enum's values as fields.
  const Message* message;
  FieldValues (*values)(const void* object);  // none or one unless repeated
  // Address for the next value; unless repeated, always that of the one value.
  void* (*add)(void* object);
  // Null, or makes room for so many values in all.
  void (*reserve)(void* object, std::size_t count);
};

// The Writer of messages. It carries the functions that write tensors and variants, and no table names them: a binary
// that only reads does not compile them. wire/tensor_writer.hpp has both.
class MessageWriter : public Writer {
 public:
  using Write = void (*)(MessageWriter& writer, const void* object);

  MessageWriter(Write tensor, Write variant) : tensor_(tensor), variant_(variant) {}

  void TensorMessage(const void* tensor) { tensor_(*this, tensor); }
  void VariantMessage(const void* variant) { variant_(*this, variant); }

 private:
  Write tensor_;
  Write variant_;
};

// State of the parsing of one outermost message. one thread.
struct ParseContext {
  Buffer* owner = nullptr;  // owner of the bytes: tensors may become views of it
  // Bytes that tensors may get beyond those in the message (by repeating one value), all together: a message of ten
  // bytes must not be able to ask for all memory.
  std::uint64_t repeat_bytes = std::uint64_t{1} << 31;
  int variant_depth = 0;  // variants around the value that is being read
  Status status;  // set by a message's own parse function when values make no sense
};

// Immutable.
struct Message {
  static constexpr std::uint32_t kDirect = 32;  // fields below are found by index

  std::string_view name;
  Span<const Field> fields;  // ascending by number
  // Null, or: runs after the fields have been read.
  void (*finish)(void* object) = nullptr;
  // Null, or functions that read and write the message instead of `fields`; the reader sees nothing but the message.
  bool (*parse)(Reader& reader, ParseContext& context, void* object) = nullptr;
  MessageWriter::Write serialize = nullptr;
  bool has_repeated = false;
  std::uint8_t slots[kDirect] = {};  // field number -> index + 1

  constexpr Message(std::string_view message_name, Span<const Field> message_fields,
                    void (*message_finish)(void*) = nullptr)
      : name(message_name), fields(message_fields), finish(message_finish) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0 && fields[i].number <= fields[i - 1].number) wire_schema_error_field_numbers_must_ascend();
      if (fields[i].repeated) has_repeated = true;
      if (fields[i].role == Role::kDropped) continue;  // an unknown field to readers
      if (fields[i].number < kDirect) slots[fields[i].number] = static_cast<std::uint8_t>(i + 1);
    }
  }
  constexpr Message(std::string_view message_name, bool (*message_parse)(Reader&, ParseContext&, void*),
                    MessageWriter::Write message_serialize)
      : name(message_name), parse(message_parse), serialize(message_serialize) {}

  const Field* Find(std::uint32_t number) const {
    if (number < kDirect) [[likely]]
      return slots[number] == 0 ? nullptr : &fields[slots[number] - 1u];
    for (const Field& field : fields) {
      if (field.number == number && field.role != Role::kDropped) return &field;
    }
    return nullptr;
  }

  // Never defined: reaching it while a table is made stops the compiler with its name.
  static void wire_schema_error_field_numbers_must_ascend();
};

namespace detail {
// A map is a repeated message of two fields, key and value, with a name that protobuf makes: "...Entry".
inline bool IsMapEntry(const Message& message) {
  return message.fields.size() == 2 && message.fields[0].name == "key" && message.fields[1].name == "value" &&
         message.name.ends_with("Entry");
}
}  // namespace detail

// ------------------------------------------------------------------------------------------------- tables from members

template <class T>
constexpr Kind KindOf() {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, char>)
    return Kind::kBool;
  else if constexpr (std::is_enum_v<T>)
    return Kind::kEnum;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return Kind::kInt32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return Kind::kInt64;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return Kind::kUint32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return Kind::kUint64;
  else if constexpr (std::is_same_v<T, float>)
    return Kind::kFloat;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::kDouble;
  else if constexpr (std::is_same_v<T, std::string>)
    return Kind::kString;
  else
    return Kind::kMessage;
}
template <class T>
constexpr const Message* MessageOf() {
  if constexpr (KindOf<T>() == Kind::kMessage)
    return &Schema<T>::message;
  else
    return nullptr;
}

namespace detail {

// How the struct C keeps the field in its member of type M: one value, perhaps one (optional), or many (vector).
template <class C, class M, M C::* Member>
struct Access {
  using Value = M;
  static constexpr bool repeated = false;
  static M& Get(void* object) { return static_cast<C*>(object)->*Member; }
  static const M& Get(const void* object) { return static_cast<const C*>(object)->*Member; }
  static FieldValues Set(const void* object) {  // proto3: a default value is not written
    const M& member = Get(object);
    if constexpr (requires { member.empty(); })
      return {&member, member.empty() ? std::size_t{0} : 1, 0};
    else if constexpr (requires { member == M{}; })
      return {&member, member == M{} ? std::size_t{0} : 1, 0};
    else
      return {&member, 1, 0};
  }
  static FieldValues Always(const void* object) { return {&Get(object), 1, 0}; }
  static void* Add(void* object) { return &Get(object); }
  static constexpr void (*reserve)(void*, std::size_t) = nullptr;
};
template <class C, class T, std::optional<T> C::* Member>
struct Access<C, std::optional<T>, Member> {
  using Value = T;
  static constexpr bool repeated = false;
  static FieldValues Set(const void* object) {
    const std::optional<T>& member = static_cast<const C*>(object)->*Member;
    if (!member.has_value()) return {nullptr, 0, 0};
    return {&*member, 1, 0};
  }
  static void* Add(void* object) {
    std::optional<T>& member = static_cast<C*>(object)->*Member;
    if (!member.has_value()) member.emplace();
    return &*member;
  }
  static constexpr void (*reserve)(void*, std::size_t) = nullptr;
};
template <class C, class List, List C::* Member>
  requires GrowableListOf<List, typename List::value_type> && (!std::is_same_v<List, std::string>)
struct Access<C, List, Member> {
  using Value = typename List::value_type;
  static constexpr bool repeated = true;
  static FieldValues Set(const void* object) {
    const List& member = static_cast<const C*>(object)->*Member;
    return {member.data(), member.size(), sizeof(Value)};
  }
  static void* Add(void* object) { return &(static_cast<C*>(object)->*Member).emplace_back(); }
  static void Reserve(void* object, std::size_t count) {
    List& member = static_cast<C*>(object)->*Member;
    if (count > 1) member.reserve(member.size() + count);
  }
  static constexpr void (*reserve)(void*, std::size_t) = &Reserve;
};

template <class M>
struct MemberOf;
template <class C, class M>
struct MemberOf<M C::*> {
  using Class = C;
  template <M C::* Member>
  using Of = Access<C, M, Member>;
};
template <auto Member>
using AccessOf = typename MemberOf<decltype(Member)>::template Of<Member>;

}  // namespace detail

// A field kept in a data member: a number, enum, std::string or struct with a Schema, or a vector or optional of such.
template <auto Member>
constexpr Field MakeField(std::uint32_t number, std::string_view name) {
  using A = detail::AccessOf<Member>;
  using T = typename A::Value;
  return {number,  KindOf<T>(), A::repeated, detail::WireTypeOf(KindOf<T>()), Role::kPlain, name, MessageOf<T>(),
          &A::Set, &A::Add,     A::reserve};
}
// MakeField for a field that is written even when it has its default value: key and value of a map.
template <auto Member>
constexpr Field MakeFieldAlways(std::uint32_t number, std::string_view name) {
  Field field = MakeField<Member>(number, name);
  field.values = &detail::AccessOf<Member>::Always;
  return field;
}
// One of several members of which only one is set; T is the type of the value.
template <class T>
constexpr Field MakeOneof(std::uint32_t number, std::string_view name, FieldValues (*values)(const void*),
                          void* (*add)(void*)) {
  return {number, KindOf<T>(), false,  detail::WireTypeOf(KindOf<T>()), Role::kInOneof, name, MessageOf<T>(),
          values, add,         nullptr};
}
// MakeField for one of several members of which only one is set. Clear(object) empties them all: a reader calls it
// before it sets another member, so that the last one counts, as in protobuf.
template <auto Member, auto Clear>
constexpr Field MakeFieldInOneof(std::uint32_t number, std::string_view name) {
  Field field = MakeField<Member>(number, name);
  field.role = Role::kInOneof;
  field.add = [](void* object) {
    using A = detail::AccessOf<Member>;
    if (A::Set(object).count == 0) Clear(*static_cast<typename detail::MemberOf<decltype(Member)>::Class*>(object));
    return A::Add(object);
  };
  return field;
}
// The field, of type std::string, with values that are bytes instead of text.
constexpr Field OfBytes(Field field) {
  field.kind = Kind::kBytes;
  return field;
}
// MakeField for a std::string, or a list of them, that keeps messages as they came. The role or table says of which
// type they are.
template <auto Member>
constexpr Field MakeFieldKept(std::uint32_t number, std::string_view name, Role role) {
  Field field = MakeField<Member>(number, name);
  field.role = role;
  return field;
}
template <auto Member>
constexpr Field MakeFieldKept(std::uint32_t number, std::string_view name, const Message* message) {
  Field field = MakeField<Member>(number, name);
  field.message = message;
  return field;
}
// MakeField for an enum that is no DataType; the role says which one it is, or MakeFieldKept names the table of it.
template <auto Member>
constexpr Field MakeFieldEnum(std::uint32_t number, std::string_view name, Role role) {
  return MakeFieldKept<Member>(number, name, role);
}
// A field without a member.
constexpr Field MakeFieldDropped(std::uint32_t number, std::string_view name, Kind kind) {
  return {number,
          kind,
          false,
          detail::WireTypeOf(kind),
          Role::kDropped,
          name,
          nullptr,
          [](const void*) { return FieldValues{nullptr, 0, 0}; },
          [](void*) -> void* { return nullptr; },
          nullptr};
}

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
