// SPDX-License-Identifier: Apache-2.0
#pragma once
// TextWalk: the values of a message in protobuf's wire format, in the order in which texts show them. The writers of
// the text format and of JSON derive from it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/text_schema.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

namespace detail {

// Shows a field's values to the class W that derives from it:
//
//   void BeginValue(const Field&, std::size_t count);   // `count` values of the field came before
//   void EndField(const Field&, std::size_t count);     // after the last one
//   void ShowMessage(const Message&, std::string_view bytes);  // calls WriteFields
//   void ShowBytes(const Field&, std::string_view);
//   void ShowNumber(const Field&, std::uint64_t bits);
//   void OpenMap(const Field&); void CloseMap(const Field&);
//   void ShowEntry(const Field&, const Message& entry, std::string_view bytes, bool is_last);  // is_last: of its key
//
// Bytes that are not such a message end the message that they are in. one thread.
template <class W>
class TextWalk {
 public:
  explicit TextWalk(TextTables tables) : tables_(tables) {}

  // Shows fields in the order of their numbers, whatever the order of the bytes.
  void WriteFields(const Message& message, std::string_view bytes) {
    std::uint64_t present = 0;
    Range ranges[64];
    std::string_view value;
    Reader reader(AsBytes(bytes));
    std::size_t start = 0;
    for (Tag tag; reader.ReadField(&tag, &value) && (tag.type == WireType::kBytes || reader.Skip(tag));) {
      const Field* const field = message.Find(tag.field);
      const std::size_t end = reader.offset();
      if (field != nullptr && Fits(*field, tag.type)) {
        const std::size_t slot = Slot(message, *field);
        if ((present >> slot & 1) == 0) ranges[slot].begin = start;
        ranges[slot].end = end;
        present |= std::uint64_t{1} << slot;
      }
      start = end;
    }
    const bool is_entry = IsMapEntry(message);
    for (const Field& field : message.fields) {
      const std::size_t slot = Slot(message, field);
      if ((present >> slot & 1) == 0) continue;
      WriteField(field, bytes.substr(ranges[slot].begin, ranges[slot].end - ranges[slot].begin), is_entry);
    }
  }

 protected:
  // The key of a map's entry, as text or as the bits of a number.
  struct Key {
    std::string_view text;
    std::uint64_t number = 0;

    bool operator==(const Key&) const = default;
  };

  // Shows every value of the field, or the last one; a message that is there several times is merged. Leaves out a 0 or
  // "" when `skip_default`, as TensorFlow's Python API does with keys and values of maps. Returns the number of values.
  std::size_t WriteField(const Field& field, std::string_view bytes, bool skip_default) {
    const Message* const inner = TableOf(field, tables_);
    std::string_view value, last;
    std::string merged;
    SlimVector<std::string_view> entries;
    std::uint64_t number = 0;
    std::size_t count = 0;
    bool is_text = false, is_number = false;
    Reader reader(AsBytes(bytes));
    for (Tag tag; reader.ReadField(&tag, &value);) {
      const bool wanted = tag.field == field.number && Fits(field, tag.type);
      if (tag.type != WireType::kBytes) {
        if (wanted ? !ReadNumber(reader, field.kind, &(number = 0)) : !reader.Skip(tag)) break;
        if (wanted && field.repeated) WriteNumber(field, number, &count);
        is_number = is_number || wanted;
      } else if (wanted && field.wire_type != WireType::kBytes) {
        Reader packed(AsBytes(value));
        for (number = 0; !packed.AtEnd() && ReadNumber(packed, field.kind, &number); number = 0)
          WriteNumber(field, number, &count);
      } else if (wanted && field.repeated && inner != nullptr && IsMapEntry(*inner)) {
        entries.push_back(value);
      } else if (wanted && field.repeated) {
        WriteBytes(field, inner, value, &count);
      } else if (wanted) {
        if (inner != nullptr && is_text) {
          if (merged.empty()) merged.assign(last);
          merged.append(value);
          value = merged;
        }
        last = value;
        is_text = true;
      }
    }
    if (!entries.empty()) WriteMap(field, *inner, entries);
    if (!field.repeated) {
      if (is_text && (inner != nullptr || !skip_default || !last.empty())) WriteBytes(field, inner, last, &count);
      if (is_number && (!skip_default || number != 0)) WriteNumber(field, number, &count);
    }
    if (count != 0) self().EndField(field, count);
    return count;
  }
  void WriteMessage(const Field& field, const Message& inner, std::string_view value, std::size_t* count) {
    if (depth_ >= kMaxDepth || (depth_ >= kDepthOfFiles && StackIsShort(0))) return;
    self().BeginValue(field, (*count)++);
    ++depth_;
    self().ShowMessage(inner, value);
    --depth_;
  }
  static Key KeyOf(const Message& entry, std::string_view bytes) {
    Key key;
    std::string_view value;
    Reader reader(AsBytes(bytes));
    for (Tag tag; reader.ReadField(&tag, &value);) {
      const bool is_key = tag.field == 1 && tag.type == entry.fields[0].wire_type;
      std::uint64_t number = 0;
      if (tag.type == WireType::kBytes) {
        if (is_key) key.text = value;
      } else if (is_key ? !ReadNumber(reader, entry.fields[0].kind, &number) : !reader.Skip(tag)) {
        break;
      } else if (is_key) {
        key.number = number;
      }
    }
    return key;
  }
  // The type and the bytes of the message that an Any holds.
  struct Held {
    std::string_view url, value;
    const Message* table = nullptr;  // null: there is none
  };
  Held HeldBy(std::string_view any) const {
    Held held;
    std::string_view value;
    Reader reader(AsBytes(any));
    for (Tag tag; reader.ReadField(&tag, &value) && (tag.type == WireType::kBytes || reader.Skip(tag));) {
      if (tag.type == WireType::kBytes && tag.field == kAnyFields[0].number) held.url = value;
      if (tag.type == WireType::kBytes && tag.field == kAnyFields[1].number) held.value = value;
    }
    if (reader.ok()) held.table = TableOfUrl(held.url, tables_);
    return held;
  }
  const Message* Table(const Field& field) const { return TableOf(field, tables_); }

 private:
  W& self() { return static_cast<W&>(*this); }
  // The bytes from the first value of a field to the last. Values of other fields may lie between.
  struct Range {
    std::size_t begin, end;
  };
  static std::size_t Slot(const Message& message, const Field& field) {
    return static_cast<std::size_t>(&field - message.fields.data()) % 64;
  }

  // Shows entries by ascending key.
  void WriteMap(const Field& field, const Message& entry, const SlimVector<std::string_view>& entries) {
    SlimVector<Key> keys;
    for (const std::string_view bytes : entries) keys.push_back(KeyOf(entry, bytes));
    const SlimVector<std::size_t> order = SortedOrder(entries.size(), [&keys](std::size_t a, std::size_t b) {
      return keys[a].number != keys[b].number ? keys[a].number < keys[b].number : keys[a].text < keys[b].text;
    });
    self().OpenMap(field);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool is_last = i + 1 == order.size() || !(keys[order[i]] == keys[order[i + 1]]);
      self().ShowEntry(field, entry, entries[order[i]], is_last);
    }
    self().CloseMap(field);
  }
  void WriteBytes(const Field& field, const Message* inner, std::string_view value, std::size_t* count) {
    if (inner != nullptr) return WriteMessage(field, *inner, value, count);
    if (field.kind == Kind::kMessage) return;  // a message without a table
    self().BeginValue(field, (*count)++);
    self().ShowBytes(field, value);
  }
  void WriteNumber(const Field& field, std::uint64_t bits, std::size_t* count) {
    self().BeginValue(field, (*count)++);
    self().ShowNumber(field, bits);
  }

  TextTables tables_;
  int depth_ = 0;
};

}  // namespace detail
}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
