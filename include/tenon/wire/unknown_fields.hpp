// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages that keep fields which their table does not have: the struct has a member `std::string unknown_fields`.
//
//   template <> struct wire::Schema<JobDef> { static const wire::Message fields, message; };
//   inline constexpr wire::Message wire::Schema<JobDef>::fields("JobDef", kJobDefFields);
//   inline constexpr wire::Message wire::Schema<JobDef>::message = wire::KeepUnknown<JobDef>("JobDef");

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/wire/field.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace wire {

namespace detail {

// As ParseMessage by `table`; appends fields that the table does not have to *unknown, with their tags.
inline bool ParseKeeping(const Message& table, Reader& reader, ParseContext& context, void* object,
                         std::string* unknown) {
  for (;;) {
    const char* const start = reader.rest().data();
    Tag tag;
    std::string_view bytes;
    if (!reader.ReadField(&tag, &bytes)) break;
    const Field* const field = table.Find(tag.field);
    if (field != nullptr && Fits(*field, tag.type)) {
      if (!ParseField(*field, tag.type, bytes, reader, context, object)) return false;
      continue;
    }
    if (tag.type != WireType::kBytes && !reader.Skip(tag)) return false;
    unknown->append(start, static_cast<std::size_t>(reader.rest().data() - start));
  }
  if (!reader.ok()) return false;
  if (table.finish != nullptr) table.finish(object);
  return true;
}

template <class T>
bool ParseKept(Reader& reader, ParseContext& context, void* object) {
  return ParseKeeping(Schema<T>::fields, reader, context, object, &static_cast<T*>(object)->unknown_fields);
}
template <class T>
void SerializeKept(MessageWriter& writer, const void* object) {
  writer.Bytes(static_cast<const T*>(object)->unknown_fields);  // last in the message: writers begin at its end
  SerializeMessage(Schema<T>::fields, writer, object);
}

}  // namespace detail

// A message of the fields Schema<T>::fields. Texts and JSON need this table among their TextTables.
template <class T>
constexpr Message KeepUnknown(std::string_view name) {
  return Message(name, &detail::ParseKept<T>, &detail::SerializeKept<T>);
}

}  // namespace wire

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
