// SPDX-License-Identifier: Apache-2.0
#pragma once
// WireToText: a message in protobuf's wire format to the text format, by the message's table, in the layout of
// TensorFlow's files.

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/reader.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/text_schema.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

namespace detail {

// Appends the shortest digits that read back as the same value (of a float six or more), laid out as Python does:
// "2.0", "1e-05", "-inf".
inline void AppendReal(double value, bool single, std::string* out) {
  if (value != value) return StrAppend(out, "nan");
  if (std::isinf(value)) return StrAppend(out, value < 0 ? "-inf" : "inf");
  char text[48];
  std::size_t size = 0;
  for (int digits = single ? 6 : 1; digits <= 17; ++digits) {
#if defined(__cpp_lib_to_chars)
    char* const end = text + sizeof text - 1;
    char* const last = single ? std::to_chars(text, end, value, std::chars_format::scientific, digits - 1).ptr
                              : std::to_chars(text, end, value, std::chars_format::scientific).ptr;
    *last = '\0';
    size = static_cast<std::size_t>(last - text);
    double again = value;
    if (single) std::from_chars(text, last, again);
#else
    size = static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.*e", digits - 1, value));
    const double again = std::strtod(text, nullptr);
#endif
    if (single ? static_cast<float>(again) == static_cast<float>(value) : again == value) break;
  }
  // "-d.dddde-xx" in pieces.
  const std::string_view all(text, size);
  const std::size_t e = all.find('e');
  const int exponent = std::atoi(text + e + 1);
  std::string_view mantissa = all.substr(0, e);
  if (mantissa[0] == '-') {
    out->push_back('-');
    mantissa.remove_prefix(1);
  }
  std::string digits(mantissa.substr(0, 1));
  digits.append(mantissa.substr(mantissa.size() > 2 ? 2 : mantissa.size()));
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const auto count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out->append(digits, 0, 1);
    if (count > 1) out->append(".").append(digits, 1, std::string::npos);
    out->append(all.substr(e));
  } else if (exponent < 0) {
    out->append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  } else {
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (count <= exponent + 1) {
      out->append(digits).append(whole - digits.size(), '0').append(".0");
    } else {
      out->append(digits, 0, whole).append(".").append(digits, whole, std::string::npos);
    }
  }
}

// Writes one text. Bytes that are not such a message end the message that they are in. one thread.
class TextWriter {
 public:
  TextWriter(TextTables tables, std::string* out) : tables_(tables), out_(out) {}

  // Fields come in the order of their numbers, whatever the order of the bytes.
  void WriteFields(const Message& message, std::string_view bytes) {
    std::uint64_t present = 0;
    std::string_view value;
    Reader reader(AsBytes(bytes));
    for (Tag tag; reader.ReadField(&tag, &value) && (tag.type == WireType::kBytes || reader.Skip(tag));) {
      const Field* const field = message.Find(tag.field);
      if (field != nullptr && Fits(*field, tag.type)) present |= Bit(message, *field);
    }
    if (IsAny(message) && WriteAny(bytes)) return;
    const bool is_entry = IsMapEntry(message);
    for (const Field& field : message.fields) {
      if ((present & Bit(message, field)) != 0) WriteField(field, bytes, is_entry);
    }
  }

 private:
  static std::uint64_t Bit(const Message& message, const Field& field) {
    return std::uint64_t{1} << static_cast<std::size_t>(&field - message.fields.data()) % 64;
  }

  // Writes out the message that an Any holds. False: there is no table of it.
  bool WriteAny(std::string_view bytes) {
    std::string_view value, url, held;
    Reader reader(AsBytes(bytes));
    for (Tag tag; reader.ReadField(&tag, &value) && (tag.type == WireType::kBytes || reader.Skip(tag));) {
      if (tag.type == WireType::kBytes && tag.field == 1) url = value;
      if (tag.type == WireType::kBytes && tag.field == 2) held = value;
    }
    const Message* const table = reader.ok() ? TableOfUrl(url, tables_) : nullptr;
    if (table == nullptr) return false;
    Field field = kAnyFields[1];
    const std::string name = StrCat("[", url, "]");
    field.name = name;
    WriteBytes(field, table, held);
    return true;
  }

  // Every value of the field, or the last one; a message that is there several times is merged. As TensorFlow's Python
  // API does, leaves out a key or value of a map that is 0 or "".
  void WriteField(const Field& field, std::string_view bytes, bool is_entry) {
    const Message* const inner = TableOf(field, tables_);
    std::string_view value, last;
    std::string merged;
    SlimVector<std::string_view> entries;
    std::uint64_t number = 0;
    bool is_text = false, is_number = false;
    Reader reader(AsBytes(bytes));
    for (Tag tag; reader.ReadField(&tag, &value);) {
      const bool wanted = tag.field == field.number && Fits(field, tag.type);
      if (tag.type != WireType::kBytes) {
        if (wanted ? !ReadNumber(reader, field.kind, &(number = 0)) : !reader.Skip(tag)) break;
        if (wanted && field.repeated) WriteNumber(field, number);
        is_number = is_number || wanted;
      } else if (wanted && field.wire_type != WireType::kBytes) {
        WritePacked(field, value);
      } else if (wanted && field.repeated && inner != nullptr && IsMapEntry(*inner)) {
        entries.push_back(value);
      } else if (wanted && field.repeated) {
        WriteBytes(field, inner, value);
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
    if (field.repeated) return;
    if (is_text && (inner != nullptr || !is_entry || !last.empty())) WriteBytes(field, inner, last);
    if (is_number && (!is_entry || number != 0)) WriteNumber(field, number);
  }
  // By ascending key.
  void WriteMap(const Field& field, const Message& entry, const SlimVector<std::string_view>& entries) {
    SlimVector<Key> keys;
    for (const std::string_view bytes : entries) keys.push_back(KeyOf(entry, bytes));
    for (const std::size_t i : SortedOrder(entries.size(), [&keys](std::size_t a, std::size_t b) {
           return keys[a].number != keys[b].number ? keys[a].number < keys[b].number : keys[a].text < keys[b].text;
         }))
      WriteBytes(field, &entry, entries[i]);
  }
  struct Key {
    std::string_view text;
    std::uint64_t number = 0;
  };
  static Key KeyOf(const Message& entry, std::string_view bytes) {
    Key key;
    std::string_view value;
    Reader reader(AsBytes(bytes));
    for (Tag tag; reader.ReadField(&tag, &value);) {
      const bool is_key = tag.field == 1 && tag.type == entry.fields[0].wire_type;
      if (tag.type == WireType::kBytes) {
        if (is_key) key.text = value;
      } else if (is_key ? !ReadNumber(reader, entry.fields[0].kind, &(key.number = 0)) : !reader.Skip(tag)) {
        break;
      }
    }
    return key;
  }
  void WritePacked(const Field& field, std::string_view bytes) {
    Reader reader(AsBytes(bytes));
    for (std::uint64_t number = 0; !reader.AtEnd() && ReadNumber(reader, field.kind, &number); number = 0)
      WriteNumber(field, number);
  }

  void WriteName(const Field& field) { out_->append(2 * static_cast<std::size_t>(depth_), ' ').append(field.name); }

  void WriteBytes(const Field& field, const Message* inner, std::string_view value) {
    if (inner == nullptr) {
      if (field.kind == Kind::kMessage) return;  // a message without a table
      WriteName(field);
      out_->append(": \"").append(CEscape(value)).append("\"\n");
      return;
    }
    if (depth_ >= kMaxDepth || (depth_ >= kDepthOfFiles && StackIsShort(0))) return;
    WriteName(field);
    out_->append(" {\n");
    ++depth_;
    WriteFields(*inner, value);
    --depth_;
    out_->append(2 * static_cast<std::size_t>(depth_), ' ').append("}\n");
  }
  void WriteNumber(const Field& field, std::uint64_t bits) {
    WriteName(field);
    out_->append(": ");
    AppendNumber(field, bits);
    out_->push_back('\n');
  }
  void AppendNumber(const Field& field, std::uint64_t bits) {
    const auto narrow = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
    switch (field.kind) {
      case Kind::kFloat: {
        float value;
        std::memcpy(&value, &bits, sizeof value);
        return AppendReal(static_cast<double>(value), true, out_);
      }
      case Kind::kDouble: {
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return AppendReal(value, false, out_);
      }
      case Kind::kBool: return StrAppend(out_, bits != 0 ? "true" : "false");
      case Kind::kUint32:
      case Kind::kFixed32: return StrAppend(out_, static_cast<std::uint32_t>(bits));
      case Kind::kUint64:
      case Kind::kFixed64: return StrAppend(out_, bits);
      case Kind::kInt32: return StrAppend(out_, narrow);
      case Kind::kEnum: {
        const std::string_view name = EnumNameOf(field, narrow);
        return name.empty() ? StrAppend(out_, narrow) : StrAppend(out_, name);
      }
      default: return StrAppend(out_, static_cast<std::int64_t>(bits));
    }
  }

  TextTables tables_;
  std::string* out_;
  int depth_ = 0;
};

}  // namespace detail

// Appends a serialised message to *out in protobuf's text format: one field a line, two blanks a level, maps sorted,
// numbers and escapes as TensorFlow's Python API writes them. Fields that the table does not have are left out, and so
// are the bytes behind a mistake, to the end of their message.
inline void WireToText(const Message& message, std::string_view bytes, std::string* out,
                       TextTables tables = kTensorTextTables) {
  if (const Message* const table = detail::TableOf(message, tables))
    detail::TextWriter(tables, out).WriteFields(*table, bytes);
}

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
