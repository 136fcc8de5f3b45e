// SPDX-License-Identifier: Apache-2.0
#pragma once
// JsonWriter: writes JSON piece by piece, for files of traces.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// JSON, piece by piece; safe inside <script>, too. A key that is empty is left out: an item of an array. one thread.
class JsonWriter {
 public:
  void Begin(char bracket, std::string_view key = {}) {
    Key(key);
    text_ += bracket;
  }
  void End(char bracket) { text_ += bracket; }
  void Add(std::string_view key, std::string_view value) {
    Key(key);
    AppendQuoted(value);
  }
  void Add(std::string_view key, std::int64_t value) {
    Key(key);
    AppendNumber(value);
  }
  // As a number of microseconds.
  void AddTime(std::string_view key, std::int64_t ns) {
    Key(key);
    const auto count = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    const auto digit = [&](std::uint64_t unit) { return static_cast<char>('0' + count / unit % 10); };
    const char fraction[] = {'.', digit(100), digit(10), digit(1)};
    if (ns < 0) text_ += '-';
    AppendNumber(static_cast<std::int64_t>(count / 1000));
    text_.append(fraction, sizeof fraction);
  }
  // An array's item.
  void Item(std::string_view value) { Add({}, value); }
  void Item(std::int64_t value) { Add({}, value); }
  // For items on lines of their own; no comma comes after a line end.
  void AddComma() { text_ += ','; }
  void AddLineEnd() { text_ += '\n'; }

  // Makes room for so many more characters.
  void Reserve(std::size_t characters) { text_.reserve(text_.size() + characters); }

  const std::string& text() const { return text_; }
  std::string Take() { return std::exchange(text_, std::string()); }

 private:
  void Key(std::string_view key) {
    const char last = text_.empty() ? '{' : text_.back();
    if (last != '{' && last != '[' && last != '\n') text_ += ',';
    if (key.empty()) return;
    AppendQuoted(key);
    text_ += ':';
  }
  void AppendNumber(std::int64_t value) {
    char digits[24];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void AppendQuoted(std::string_view text) {
    text_ += '"';
    std::size_t plain = 0;  // where the characters begin that are not written yet
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && c != '"' && c != '\\' && c != '<') continue;
      text_.append(text, plain, i - plain);
      plain = i + 1;
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(byte));
        text_ += escaped;
      }
    }
    text_.append(text, plain, text.size() - plain);
    text_ += '"';
  }

  std::string text_;
};

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
