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
    std::size_t plain = 0;
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

  void WriteAll(const Message& message, std::string_view bytes) {
    OpenMessage();
    WriteFields(message, bytes);
    CloseMessage();
  }

  void BeginValue(const Field& field, std::size_t count) {
    if (&field == value_of_map_) {
      value_of_map_ = nullptr;
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
  void OpenMessage() { Open('{'); }
  void CloseMessage() { Close('{', '}'); }
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
    out_->append(": ");
    value_of_map_ = &value_field;
    if (WriteField(value_field, bytes, false) != 0) return;
    value_of_map_ = nullptr;
    if (Table(value_field) != nullptr || value_field.kind == Kind::kMessage)
      out_->append("{}");
    else if (IsString(value_field.kind))
      out_->append("\"\"");
    else
      ShowNumber(value_field, 0);
  }

 private:
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
    out_->append("\": ");
  }
  void NewLine() { out_->append("\n").append(2 * static_cast<std::size_t>(level_), ' '); }

  std::string* out_;
  const Field* value_of_map_ = nullptr;  // comes next, without a name
  int level_ = 0;
};

}  // namespace detail

// Appends a serialised message to *out as JSON: names in camelCase, two blanks a level, maps sorted, ASCII alone, as
// protobuf's json_format.MessageToJson writes it. Fields that the table does not have are left out, and so are the
// bytes behind a mistake, to the end of their message.
inline void WireToJson(const Message& message, std::string_view bytes, std::string* out,
                       TextTables tables = kTensorTextTables) {
  if (const Message* const table = detail::TableOf(message, tables))
    detail::JsonWriter(tables, out).WriteAll(*table, bytes);
}

}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
