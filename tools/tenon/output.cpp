// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <tenon/base/str.hpp>
#include <tenon/wire/utf8.hpp>

namespace command {

namespace {

bool colors = false;
bool write_failed = false;

std::string Format(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

// Characters, not bytes, of UTF-8.
std::size_t Width(std::string_view text) {
  std::size_t width = 0;
  bool escape = false;
  for (const char c : text) {
    if (c == '\x1b')
      escape = true;
    else if (escape)
      escape = c != 'm';
    else
      width += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }
  return width;
}

}  // namespace

const std::string& tenon_version_text() {
  static const std::string text =
      tenon::StrCat(tenon::kVersionMajor, ".", tenon::kVersionMinor, ".", tenon::kVersionPatch);
  return text;
}

void ChooseColors(std::string_view when) {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  const bool plain =
      (no_color != nullptr && *no_color != '\0') || (term != nullptr && std::string_view(term) == "dumb");
  colors = when == "always" || (when != "never" && !plain && isatty(STDOUT_FILENO) != 0);
}

std::string Styled(Style style, std::string_view text) {
  if (!colors || style == Style::kPlain || text.empty()) return std::string(text);
  constexpr std::string_view kCodes[] = {"", "1", "2", "32", "31", "33"};
  return tenon::StrCat("\x1b[", kCodes[static_cast<std::size_t>(style)], "m", text, "\x1b[0m");
}

void Print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) write_failed = true;
}
void PrintNote(std::string_view text) {
  const std::string line = tenon::StrCat("tenon: note: ", text, "\n");
  std::fputs(line.c_str(), stderr);
}
bool FinishOutput() { return std::fflush(stdout) == 0 && !write_failed; }

std::string Bytes(std::uint64_t bytes) {
  if (bytes < 1000) return tenon::StrCat(bytes, " B");
  constexpr const char* kUnits[] = {" kB", " MB", " GB", " TB"};
  double size = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; size >= 999.5 && unit < 3; ++unit) size /= 1000;
  return Format(size < 9.95 ? "%.1f" : "%.0f", size) + kUnits[unit];
}
std::string Duration(double nanoseconds) {
  if (nanoseconds < 1e3) return Format("%.0f ns", nanoseconds);
  if (nanoseconds < 1e6) return Format("%.2f us", nanoseconds / 1e3);
  if (nanoseconds < 1e9) return Format("%.3f ms", nanoseconds / 1e6);
  return Format("%.3f s", nanoseconds / 1e9);
}
std::string Count(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3 + (count < 0 ? 1u : 0u);) digits.insert(i -= 3, ",");
  return digits;
}
std::string Short(double number) { return Format("%.6g", number); }
std::string Fixed(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

std::string Table::Text(std::string_view indent) const {
  constexpr std::size_t kWidest = 80;  // longer cells move the rest of their row only
  std::vector<std::size_t> widths(align_.size(), 0);
  const auto measure = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
      if (const std::size_t width = Width(row[i]); width <= kWidest) widths[i] = std::max(widths[i], width);
  };
  measure(head_);
  for (const auto& row : rows_) measure(row);
  std::string text;
  const auto add = [&](const std::vector<std::string>& row, Style style) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      const std::string blanks(widths[i] - std::min(widths[i], Width(row[i])), ' ');
      const bool last = i + 1 == row.size();
      if (align_[i] == 'r') line += blanks;
      line += Styled(style, row[i]);
      if (align_[i] != 'r' && !last) line += blanks;
      if (!last) line += "  ";
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    tenon::StrAppend(&text, line, "\n");
  };
  if (!head_.empty()) add(head_, Style::kDim);
  for (const auto& row : rows_) add(row, Style::kPlain);
  return text;
}

void Json::Comma() {
  if (!first_ && !text_.empty() && text_.back() != ':') text_ += ',';
  first_ = false;
}
Json& Json::Begin(char bracket) {
  Comma();
  text_ += bracket;
  open_ += bracket;
  first_ = true;
  return *this;
}
Json& Json::End() {
  text_ += open_.back() == '{' ? '}' : ']';
  open_.pop_back();
  first_ = false;
  if (open_.empty()) text_ += '\n';
  return *this;
}
Json& Json::Key(std::string_view key) {
  Value(key);
  text_ += ':';
  return *this;
}
Json& Json::Value(std::string_view text) {
  Comma();
  text_ += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t length = tenon::wire::detail::Utf8Size(text.substr(i));
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      text_ += code;
    } else if (length == 0) {
      text_ += "\\ufffd";
    } else {
      text_ += text.substr(i, length);
    }
    i += length == 0 ? 1 : length;
  }
  text_ += '"';
  return *this;
}
Json& Json::Value(std::int64_t number) {
  Comma();
  text_ += std::to_string(number);
  return *this;
}
Json& Json::Value(std::uint64_t number) {
  Comma();
  text_ += std::to_string(number);
  return *this;
}
Json& Json::Value(double number) {
  if (std::isnan(number)) return Value(std::string_view("NaN"));
  if (std::isinf(number)) return Value(std::string_view(number > 0 ? "Infinity" : "-Infinity"));
  Comma();
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", number);
  if (std::strtod(text, nullptr) != number) std::snprintf(text, sizeof text, "%.17g", number);
  text_ += text;
  return *this;
}
Json& Json::Value(bool flag) {
  Comma();
  text_ += flag ? "true" : "false";
  return *this;
}
Json& Json::Null() {
  Comma();
  text_ += "null";
  return *this;
}

Progress::Progress(std::string title) : title_(std::move(title)), is_terminal_(isatty(STDERR_FILENO) != 0) {}
void Progress::Show(double part) {
  constexpr int kCells = 30;
  const int cells = static_cast<int>(part * kCells);
  if (!is_terminal_ || cells == last_) return;
  last_ = cells;
  shown_ = true;
  const auto done = static_cast<std::size_t>(cells < 0 ? 0 : cells > kCells ? kCells : cells);
  const std::string line =
      tenon::StrCat("\r", title_, " [", std::string(done, '#'), std::string(kCells - done, '.'), "]");
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}
void Progress::Clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

}  // namespace command
