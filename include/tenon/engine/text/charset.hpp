// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts in other encodings than UTF-8, to code points and back. UTF-8, UTF-16, UTF-32, US-ASCII and ISO-8859-1 are read
// here; other encodings where the C library converts them (glibc's iconv).

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#if defined(__GLIBC__)
#include <iconv.h>
#endif

#include <tenon/base/config.hpp>
#include <tenon/engine/text/strings.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

enum class Charset : std::uint8_t { kUtf8, kUtf16, kUtf32, kAscii, kLatin1, kOther };

// Reads one text after the other, character by character. one thread.
class TextDecoder {
 public:
  static constexpr std::int32_t kInvalid = -1;  // bytes that are no character
  static constexpr std::int32_t kNone = -2;  // only a byte order mark was left

  TextDecoder() = default;
  TextDecoder(const TextDecoder&) = delete;
  TextDecoder& operator=(const TextDecoder&) = delete;
#if defined(__GLIBC__)
  ~TextDecoder() {
    if (converter_ != nullptr) iconv_close(converter_);
  }
#endif

  // False for an encoding that nobody knows. Case, '-', '_' and blanks do not count.
  bool Open(std::string_view name) {
    std::string plain;
    for (const char c : name)
      if (const char lower = AsciiLower(c); (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9'))
        plain.push_back(lower);
    if (plain == "utf8") return Set(Charset::kUtf8);
    if (plain == "utf16") return Set(Charset::kUtf16, true, true);
    if (plain == "utf16be") return Set(Charset::kUtf16, true);
    if (plain == "utf16le") return Set(Charset::kUtf16, false);
    if (plain == "utf32") return Set(Charset::kUtf32, true, true);
    if (plain == "utf32be") return Set(Charset::kUtf32, true);
    if (plain == "utf32le") return Set(Charset::kUtf32, false);
    if (plain == "usascii" || plain == "ascii") return Set(Charset::kAscii);
    if (plain == "iso88591" || plain == "latin1") return Set(Charset::kLatin1);
#if defined(__GLIBC__)
    if (plain.empty() || name.find_first_of("/,") != name.npos) return false;  // iconv's own options
    iconv_t opened = iconv_open("UTF-32BE", std::string(name).c_str());
    if (opened == reinterpret_cast<iconv_t>(-1)) return false;
    converter_ = opened;
    return Set(Charset::kOther);
#else
    return false;
#endif
  }

  // The character at text[at], which is inside, and the bytes that it takes. Begin every text with at = 0.
  Utf8Character Next(std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    switch (charset_) {
      case Charset::kUtf8: return ReadUtf8(rest);
      case Charset::kUtf16: return ReadWide(rest, at, 2);
      case Charset::kUtf32: return ReadWide(rest, at, 4);
      case Charset::kAscii:
      case Charset::kLatin1: {
        const std::int32_t code = static_cast<unsigned char>(rest[0]);
        return {charset_ == Charset::kAscii && code > 0x7f ? kInvalid : code, 1};
      }
      default: return ReadOther(rest, at);
    }
  }

 private:
  bool Set(Charset charset, bool big_endian = true, bool marked = false) {
    charset_ = charset;
    big_endian_ = big_endian;
    marked_ = marked;
    return true;
  }
  std::uint32_t Unit(std::string_view text, std::size_t at, std::size_t width) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
      value = value << 8 | static_cast<unsigned char>(text[at + (big_endian_ ? i : width - 1 - i)]);
    return value;
  }
  // UTF-16 or UTF-32, in units of `width` bytes.
  Utf8Character ReadWide(std::string_view rest, std::size_t at, std::size_t width) {
    std::size_t mark = 0;
    if (marked_ && at == 0) {
      big_endian_ = true;
      if (rest.size() >= width) {
        const std::uint32_t first = Unit(rest, 0, width);
        if (first == (width == 2 ? 0xfffeu : 0xfffe0000u)) big_endian_ = false;
        if (first == 0xfeff || !big_endian_) mark = width;
      }
    }
    const auto used = [mark](std::size_t bytes) { return static_cast<int>(mark + bytes); };
    if (rest.size() == mark) return {kNone, used(0)};
    if (rest.size() - mark < width) return {kInvalid, static_cast<int>(rest.size())};
    const std::uint32_t unit = Unit(rest, mark, width);
    if (width == 4)
      return {unit > 0x10ffff || (unit >= 0xd800 && unit < 0xe000) ? kInvalid : static_cast<std::int32_t>(unit),
              used(4)};
    if (unit < 0xd800 || unit >= 0xe000) return {static_cast<std::int32_t>(unit), used(2)};
    if (unit >= 0xdc00) return {kInvalid, used(2)};
    if (rest.size() - mark < 4) return {kInvalid, static_cast<int>(rest.size())};
    const std::uint32_t low = Unit(rest, mark + 2, 2);
    if (low < 0xdc00 || low >= 0xe000) return {kInvalid, used(2)};
    return {static_cast<std::int32_t>(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)), used(4)};
  }
#if defined(__GLIBC__)
  Utf8Character ReadOther(std::string_view rest, std::size_t at) {
    if (at == 0) iconv(converter_, nullptr, nullptr, nullptr, nullptr);
    char bytes[4] = {};
    char *from = const_cast<char*>(rest.data()), *to = bytes;  // iconv's type; it only reads
    std::size_t left = 0, room = sizeof bytes;
    for (std::size_t given = 0; given < rest.size();) {
      ++given;  // as few bytes as make a character
      ++left;
      const std::size_t failed = iconv(converter_, &from, &left, &to, &room);
      const auto used = static_cast<std::size_t>(from - rest.data());
      if (room == 0) {
        std::uint32_t code = 0;
        for (const char byte : bytes) code = code << 8 | static_cast<unsigned char>(byte);
        return {static_cast<std::int32_t>(code), static_cast<int>(used)};
      }
      if (failed == static_cast<std::size_t>(-1) && errno != EINVAL) return {kInvalid, static_cast<int>(given)};
    }
    return {from == rest.data() + rest.size() ? kNone : kInvalid, static_cast<int>(rest.size())};
  }

  iconv_t converter_ = nullptr;
#else
  static Utf8Character ReadOther(std::string_view, std::size_t) { return {kInvalid, 1}; }
#endif
  Charset charset_ = Charset::kUtf8;
  bool big_endian_ = true;
  bool marked_ = false;  // a byte order mark may come first
};

// Appends a character as UTF-8, or as UTF-16 or UTF-32 with the high byte first. `code` must be one that UTF-8 has.
inline void AppendEncoded(Charset charset, std::int32_t code, std::string* out) {
  if (charset == Charset::kUtf8) return AppendUtf8(code, out);
  const auto put = [out](std::int32_t value, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out->push_back(static_cast<char>(value >> shift & 0xff));
  };
  if (charset == Charset::kUtf32) return put(code, 4);
  if (code < 0x10000) return put(code, 2);
  put(0xd800 + ((code - 0x10000) >> 10), 2);
  put(0xdc00 + (code & 0x3ff), 2);
}

TENON_DETAIL_NAMESPACE_END
