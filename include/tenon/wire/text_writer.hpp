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

#include <tenon/base/str.hpp>
#include <tenon/wire/field.hpp>
#include <tenon/wire/text_runs.hpp>
#include <tenon/wire/text_schema.hpp>
#include <tenon/wire/text_walk.hpp>

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

// Appends an integer, enum or bool.
inline void AppendInteger(Kind kind, std::uint64_t bits, std::string* out) {
  switch (kind) {
    case Kind::kBool: return StrAppend(out, bits != 0 ? "true" : "false");
    case Kind::kUint32:
    case Kind::kFixed32: return StrAppend(out, static_cast<std::uint32_t>(bits));
    case Kind::kUint64:
    case Kind::kFixed64: return StrAppend(out, bits);
    case Kind::kInt64:
    case Kind::kSint64: return StrAppend(out, static_cast<std::int64_t>(bits));
    default: return StrAppend(out, static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
  }
}
// The value of a kFloat or kDouble.
inline double RealOf(Kind kind, std::uint64_t bits) {
  double value;
  float single;
  std::memcpy(&value, &bits, sizeof value);
  std::memcpy(&single, &bits, sizeof single);
  return kind == Kind::kFloat ? static_cast<double>(single) : value;
}

// Writes one text. one thread.
class TextWriter : public TextWalk<TextWriter> {
 public:
  TextWriter(TextTables tables, std::string* out) : TextWalk(tables), out_(out) {}

  // Writes the fields, or the message that an Any holds, if there is a table of it.
  void WriteContents(const Message& message, std::string_view bytes) {
    const Held held = IsAny(message) ? HeldBy(bytes) : Held();
    if (held.table == nullptr) return WriteFields(message, bytes);
    const std::string name = StrCat("[", held.url, "]");
    Field field = kAnyFields[1];
    field.name = name;
    std::size_t count = 0;
    WriteMessage(field, *held.table, held.value, &count);
  }

  void BeginValue(const Field& field, std::size_t) { Indent().append(field.name); }
  void EndField(const Field&, std::size_t) {}
  void ShowMessage(const Message& message, std::string_view bytes) {
    out_->append(" {\n", 3);
    ++level_;
    WriteContents(message, bytes);
    --level_;
    Indent().append("}\n", 2);
  }
  void ShowBytes(const Field&, std::string_view value) {
    const std::size_t plain = PlainSize(value);
    out_->append(": \"", 3).append(value, 0, plain);
    if (plain != value.size()) out_->append(CEscape(value.substr(plain)));
    out_->append("\"\n", 2);
  }
  void ShowNumber(const Field& field, std::uint64_t bits) {
    out_->append(": ", 2);
    const bool is_real = field.kind == Kind::kFloat || field.kind == Kind::kDouble;
    std::string_view name;
    if (field.kind == Kind::kEnum)
      name = EnumNameOf(field, static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
    if (is_real)
      AppendReal(RealOf(field.kind, bits), field.kind == Kind::kFloat, out_);
    else if (!name.empty())
      out_->append(name);
    else
      AppendInteger(field.kind, bits, out_);
    out_->push_back('\n');
  }
  void OpenMap(const Field&) {}
  void CloseMap(const Field&) {}
  void ShowEntry(const Field& field, const Message& entry, std::string_view bytes, bool) {
    std::size_t count = 0;
    WriteMessage(field, entry, bytes, &count);
  }

 private:
  std::string& Indent() { return out_->append(2 * static_cast<std::size_t>(level_), ' '); }

  std::string* out_;
  int level_ = 0;
};

}  // namespace detail

// Appends a serialised message to *out in protobuf's text format: one field a line, two blanks a level, maps sorted,
// numbers and escapes as TensorFlow's Python API writes them. Fields that the table does not have are left out, and so
// are the bytes behind a mistake, to the end of their message.
inline void WireToText(const Message& message, std::string_view bytes, std::string* out,
                       TextTables tables = kTensorTextTables) {
  const Message* const table = detail::TableOf(message, tables);
  if (table == nullptr) return;
  out->reserve(out->size() + 2 * bytes.size());
  detail::TextWriter(tables, out).WriteContents(*table, bytes);
}

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
