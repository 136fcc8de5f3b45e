// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes all output of the command: text with colours on a terminal, tables, JSON, a progress bar.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/config.hpp>

#define TENON_VERSION_TEXT tenon_version_text()

namespace command {

// "0.1.0"
const std::string& tenon_version_text();

enum class Style { kPlain, kBold, kDim, kGood, kBad, kNote };

// Chooses colours: "auto" (a terminal and no NO_COLOR), "always", "never".
void ChooseColors(std::string_view when);
// Returns the text in a style where colours are on.
std::string Styled(Style style, std::string_view text);

// Writes to standard output. All output goes through here, so that a write that fails is seen at the end.
void Print(std::string_view text);
// Writes a line to standard error: "tenon: note: ...".
void PrintNote(std::string_view text);
// Flushes standard output. False: not everything could be written.
bool FinishOutput();

// "1.2 MB", "340 B"
std::string Bytes(std::uint64_t bytes);
// "12.3 us", "1.20 ms"
std::string Duration(double nanoseconds);
// "12,345"
std::string Count(std::int64_t count);
// A number with at most six digits: "0.981596", "1.5e-06".
std::string Short(double number);
// A number with so many digits behind the point.
std::string Fixed(double number, int digits);

// Columns of text. `align`: a letter for each column, l or r.
class Table {
 public:
  explicit Table(std::string_view align, std::vector<std::string> head = {}) : align_(align), head_(std::move(head)) {}
  void Row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string Text(std::string_view indent = "  ") const;

 private:
  std::string_view align_;
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
};

// Builds a JSON text; commas and escapes are its own. Bytes that are not UTF-8 become U+FFFD.
class Json {
 public:
  Json& Begin(char bracket);  // '{' or '['
  Json& End();
  Json& Key(std::string_view key);
  Json& Value(std::string_view text);
  Json& Value(const char* text) { return Value(std::string_view(text)); }
  Json& Value(const std::string& text) { return Value(std::string_view(text)); }
  Json& Value(std::int64_t number);
  Json& Value(std::uint64_t number);
  Json& Value(int number) { return Value(static_cast<std::int64_t>(number)); }
  Json& Value(double number);  // "NaN" and infinities are strings, as in protobuf's JSON
  Json& Value(bool flag);
  Json& Null();
  template <class T>
  Json& Member(std::string_view key, const T& value) {
    return Key(key).Value(value);
  }
  const std::string& text() const { return text_; }

 private:
  void Comma();

  std::string text_;
  std::string open_;
  bool first_ = true;
};

// A bar on standard error where that is a terminal; otherwise nothing.
class Progress {
 public:
  explicit Progress(std::string title);
  ~Progress() { Clear(); }
  void Show(double part);  // 0 to 1
  void Clear();

 private:
  std::string title_;
  bool shown_ = false, is_terminal_;
  int last_ = -1;
};

}  // namespace command
