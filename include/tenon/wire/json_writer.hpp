// SPDX-License-Identifier: Apache-2.0
#pragma once
// WireToJson: a message in protobuf's wire format to proto3's JSON mapping, by the message's table, in the layout of
// protobuf's Python API.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/str.hpp>
#include <tenon/wire/base64.hpp>
#include <tenon/wire/field.hpp>
#include <tenon/wire/text_runs.hpp>
#include <tenon/wire/text_schema.hpp>
#include <tenon/wire/text_walk.hpp>
#include <tenon/wire/text_writer.hpp>
#include <tenon/wire/utf8.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {

namespace detail {

// Appends "int64List" for "int64_list".
inline void AppendCamelCase(std::string_view name, std::string* out) {
  if (name.find('_') == std::string_view::npos) {
    out->append(name);
    return;
  }
  for (std::size_t i = 0; i < name.size(); ++i) {
    char c = name[i];
    if (c == '_' && i + 1 < name.size()) {
      c = name[++i];
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    out->push_back(c);
  }
}

// Appends the text in quotes, in ASCII. Bytes that are not UTF-8 become U+FFFD.
inline void AppendJsonText(std::string_view text, std::string* out) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t", kLetters = "\"\\bfnrt";
  const auto append_code = [out](std::uint32_t code) {
    out->append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) out->push_back("0123456789abcdef"[code >> shift & 15]);
  };
  out->push_back('"');
  while (!text.empty()) {
    std::size_t plain = PlainSize(text);
    while (plain < text.size() && text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '"' && text[plain] != '\\')
      ++plain;
    out->append(text, 0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    std::uint32_t code = 0xfffd;
    std::size_t size = Utf8Size(text);
    if (size == 0)
      size = 1;
    else
      code = Utf8Code(text.substr(0, size));
    if (const std::size_t i = kMeanings.find(text[0]); i != std::string_view::npos) {
      out->append({'\\', kLetters[i]});
    } else if (code >= 0x10000) {
      append_code(0xd800 + ((code - 0x10000) >> 10));
      append_code(0xdc00 + ((code - 0x10000) & 0x3ff));
    } else {
      append_code(code);
    }
    text.remove_prefix(size);
  }
  out->push_back('"');
}

// Writes one text. one thread.
class JsonWriter : public TextWalk<JsonWriter> {
 public:
  JsonWriter(TextTables tables, std::string* out) : TextWalk(tables), out_(out) {}

  void BeginValue(const Field& field, std::size_t count) {
    if (&field == without_name_) {
      without_name_ = nullptr;
      return;
    }
    if (count == 0) {
      BeginName(field);
      if (field.repeated) Open('[');
    }
    if (field.repeated) BeginItem();
  }
  void EndField(const Field& field, std::size_t) {
    if (field.repeated) Close('[', ']');
  }
  void ShowMessage(const Message& message, std::string_view bytes) {
    if (IsBoolValue(message)) return ShowAlone(message.fields[0], bytes);
    Open('{');
    if (IsAny(message))
      ShowAny(HeldBy(bytes));
    else
      WriteFields(message, bytes);
    Close('{', '}');
  }
  void ShowBytes(const Field& field, std::string_view value) {
    if (field.kind != Kind::kBytes) return AppendJsonText(value, out_);
    out_->push_back('"');
    AppendBase64(value, out_);
    out_->push_back('"');
  }
  void ShowNumber(const Field& field, std::uint64_t bits) {
    switch (field.kind) {
      case Kind::kFloat:
      case Kind::kDouble: return ShowReal(RealOf(field.kind, bits), field.kind == Kind::kFloat);
      case Kind::kInt64:
      case Kind::kSint64:
      case Kind::kUint64:
      case Kind::kFixed64: break;
      case Kind::kEnum:
        if (const std::string_view name =
                EnumNameOf(field, static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
            !name.empty()) {
          out_->append("\"").append(name).append("\"");
          return;
        }
        [[fallthrough]];
      default: return AppendInteger(field.kind, bits, out_);
    }
    out_->push_back('"');
    AppendInteger(field.kind, bits, out_);
    out_->push_back('"');
  }
  void OpenMap(const Field& field) {
    BeginName(field);
    Open('{');
  }
  void CloseMap(const Field&) { Close('{', '}'); }
  void ShowEntry(const Field&, const Message& entry, std::string_view bytes, bool is_last) {
    if (!is_last) return;
    const Field &key_field = entry.fields[0], &value_field = entry.fields[1];
    const Key key = KeyOf(entry, bytes);
    BeginItem();
    if (IsString(key_field.kind)) {
      AppendJsonText(key.text, out_);
    } else {
      out_->push_back('"');
      AppendInteger(key_field.kind, key.number, out_);
      out_->push_back('"');
    }
    out_->append(": ", 2);
    ShowAlone(value_field, bytes);
  }

 private:
  // Shows the field's value, or the default one, without the name.
  void ShowAlone(const Field& field, std::string_view bytes) {
    without_name_ = &field;
    if (WriteField(field, bytes, false) != 0) return;
    without_name_ = nullptr;
    if (Table(field) != nullptr || field.kind == Kind::kMessage)
      out_->append("{}");
    else if (IsString(field.kind))
      out_->append("\"\"");
    else
      ShowNumber(field, 0);
  }
  // Shows the type and the message's fields; without a table the bytes.
  void ShowAny(const Held& held) {
    if (held.url.empty() && held.value.empty()) return;
    BeginItem();
    out_->append("\"@type\": ");
    AppendJsonText(held.url, out_);
    if (held.table != nullptr && !IsAny(*held.table) && !IsBoolValue(*held.table))
      return WriteFields(*held.table, held.value);
    BeginName(kAnyFields[1]);
    if (held.table != nullptr)
      ShowMessage(*held.table, held.value);
    else
      ShowBytes(kAnyFields[1], held.value);
  }
  void ShowReal(double value, bool single) {
    if (value != value)
      out_->append("\"NaN\"");
    else if (std::isinf(value))
      out_->append(value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
    else
      AppendReal(value, single, out_);
  }
  void Open(char bracket) {
    out_->push_back(bracket);
    ++level_;
  }
  void Close(char open, char close) {
    --level_;
    if (out_->back() != open) NewLine();
    out_->push_back(close);
  }
  void BeginItem() {
    if (out_->back() != '{' && out_->back() != '[') out_->push_back(',');
    NewLine();
  }
  void BeginName(const Field& field) {
    BeginItem();
    out_->push_back('"');
    AppendCamelCase(field.name, out_);
    out_->append("\": ", 3);
  }
  void NewLine() { out_->append(1, '\n').append(2 * static_cast<std::size_t>(level_), ' '); }

  std::string* out_;
  const Field* without_name_ = nullptr;  // comes next: the value of a map, or of a BoolValue
  int level_ = 0;
};

}  // namespace detail

// Appends a serialised message to *out as JSON: names in camelCase, two blanks a level, maps sorted, ASCII alone, as
// protobuf's json_format.MessageToJson writes it; an Any without a table of its type has its bytes as "value". Fields
// that the table does not have are left out, and so are the bytes behind a mistake, to the end of their message.
inline void WireToJson(const Message& message, std::string_view bytes, std::string* out,
                       TextTables tables = kTensorTextTables) {
  const Message* const table = detail::TableOf(message, tables);
  if (table == nullptr) return;
  out->reserve(out->size() + 3 * bytes.size());
  detail::JsonWriter(tables, out).ShowMessage(*table, bytes);
}

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
