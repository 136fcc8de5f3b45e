// SPDX-License-Identifier: Apache-2.0
#pragma once
// Texts: what string kernels do with the bytes of one element - UTF-8, white space, numbers, base64 - and a loop over
// all elements of a tensor with the device's threads.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/wire/base64.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// body(arg, begin, end) for ranges that together are [0, n); a text costs some `ns` nanoseconds.
inline void ForTexts(Cpu& device, Index n, double ns, void (*body)(void* arg, Index begin, Index end), void* arg) {
  ParallelFor(device, n, ns, [body, arg](Index begin, Index end) { body(arg, begin, end); });
}
// out[i] = map(in[i])
inline void MapTexts(Cpu& device, const tstring* in, tstring* out, Index n, double ns,
                     void (*map)(std::string_view in, tstring* out)) {
  ParallelFor(device, n, ns, [in, out, map](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) map(in[i].view(), out + i);
  });
}

// ---- ASCII

constexpr bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
constexpr std::string_view WithoutSpaces(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}
constexpr char AsciiLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }
constexpr char AsciiUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c; }

// ---- UTF-8

inline constexpr std::int32_t kReplacementCharacter = 0xfffd;
inline constexpr std::int32_t kLargestCodePoint = 0x10ffff;
constexpr bool IsSurrogate(std::int32_t c) { return c >= 0xd800 && c <= 0xdfff; }

// Whether a byte goes on with a character that began before it.
constexpr bool IsUtf8Trail(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes that begin a character: the number of characters in valid UTF-8.
constexpr Index CountUtf8(std::string_view text) {
  Index count = 0;
  for (const char c : text) count += IsUtf8Trail(c) ? 0 : 1;
  return count;
}

// One character from the front of a text: its number, or -1 for bytes that are no UTF-8; `bytes` are what it takes (of
// wrong ones the longest beginning of a character, at least one).
struct Utf8Character {
  std::int32_t code;
  int bytes;
};
constexpr Utf8Character ReadUtf8(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::int32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const int length = lead >= 0xc2 && lead < 0xe0   ? 2
                     : lead >= 0xe0 && lead < 0xf0 ? 3
                     : lead >= 0xf0 && lead < 0xf5 ? 4
                                                   : 0;
  if (length == 0) return {-1, 1};
  std::int32_t code = lead & (0x7f >> length);
  for (int i = 1; i < length; ++i) {
    const std::int32_t next = static_cast<std::size_t>(i) < text.size() ? byte(static_cast<std::size_t>(i)) : 0;
    // The second byte has a narrower range where a longer form, a surrogate or a number too large would begin.
    const std::int32_t low = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const std::int32_t high = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (next < low || next > high) return {-1, i};
    code = code << 6 | (next & 0x3f);
  }
  return {code, length};
}
// `code` must be one that UTF-8 has.
inline void AppendUtf8(std::int32_t code, std::string* out) {
  const auto put = [out](std::int32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xc0 | code >> 6), put(0x80 | (code & 0x3f));
  if (code < 0x10000) return put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 0x3f)), put(0x80 | (code & 0x3f));
  put(0xf0 | code >> 18);
  put(0x80 | (code >> 12 & 0x3f));
  put(0x80 | (code >> 6 & 0x3f));
  put(0x80 | (code & 0x3f));
}

// ---- numbers. Spaces around are allowed, a '+' too.

// Decimal digits, all of them, for T = int32, int64, uint32, uint64; false also for a number that T cannot hold.
inline bool ReadInteger(std::string_view text, bool is_signed, int bits, std::uint64_t* value) {
  text = WithoutSpaces(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || (negative && !is_signed)) return false;
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t limit = is_signed ? (all >> 1) + (negative ? 1 : 0) : all;
  std::uint64_t magnitude = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (magnitude > (limit - digit) / 10 || digit > limit) return false;
    magnitude = magnitude * 10 + digit;
  }
  *value = negative ? ~magnitude + 1 : magnitude;
  return true;
}
// Reads a decimal number whose digits and power of ten are exact doubles: then one step rounds once. False for any
// other text, which may be a number, too.
inline bool ReadShortReal(std::string_view text, double* value) {
  constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr int kMostPower = 22, kMostDigits = 15;
  const char *at = text.data(), *const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  std::uint64_t digits = 0;
  int power = 0, count = 0;
  const auto read = [&](int step) {
    const char* const first = at;
    for (; at != end && *at >= '0' && *at <= '9'; ++at, power += step) {
      digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
      if (digits != 0 && ++count > kMostDigits) return false;
    }
    return at != first;
  };
  bool any = read(0);
  if (count > kMostDigits) return false;
  if (at != end && *at == '.') {
    ++at;
    any = read(-1) || any;
  }
  if (count > kMostDigits || !any) return false;
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    const bool small = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    if (end - at < 1 || end - at > 2) return false;
    int exponent = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) exponent = exponent * 10 + (*at - '0');
    power += small ? -exponent : exponent;
  }
  if (at != end || power > kMostPower || power < -kMostPower) return false;
  const auto exact = static_cast<double>(digits);
  const double magnitude = power < 0 ? exact / kPowers[-power] : exact * kPowers[power];
  *value = negative ? -magnitude : magnitude;
  return true;
}
// Decimal, hexadecimal, "inf", "infinity", "nan", "nan(...)" in any case; numbers too large become infinite.
inline bool ReadReal(std::string_view text, double* value) {
  text = WithoutSpaces(text);
  if (ReadShortReal(text, value)) return true;
  if (text.empty() || text.find('\0') != text.npos) return false;
  if (IsSpace(text.front())) return false;
  const std::string copy(text);
  char* end = nullptr;
  *value = std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size();
}

// ---- base64, the form for addresses: '-' and '_' for 62 and 63

inline std::string EncodeBase64(std::string_view bytes, bool pad) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const std::size_t groups = bytes.size() / 3, rest = bytes.size() % 3;
  std::string out;
  out.resize(groups * 4 + (rest == 0 ? 0 : pad ? 4 : rest + 1), '=');
  char* to = out.data();
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  for (std::size_t i = 0; i < groups; ++i, from += 3, to += 4) {
    const std::uint32_t group = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
    to[0] = kDigits[group >> 18];
    to[1] = kDigits[group >> 12 & 63];
    to[2] = kDigits[group >> 6 & 63];
    to[3] = kDigits[group & 63];
  }
  if (rest == 0) return out;
  const std::uint32_t group = std::uint32_t{from[0]} << 16 | (rest == 2 ? std::uint32_t{from[1]} << 8 : 0);
  for (std::size_t k = 0; k <= rest; ++k) to[k] = kDigits[group >> (18 - 6 * k) & 63];
  return out;
}
// Both padded and not; null when it worked, otherwise what is wrong.
inline const char* DecodeBase64(std::string_view text, std::string* bytes) {
  constexpr const char* kInvalid = "Invalid character found in base64.";
  bytes->clear();
  if (text.size() % 4 == 0 && !text.empty())
    for (int k = 0; k < 2 && text.back() == '='; ++k) text.remove_suffix(1);
  if (text.size() % 4 == 1) return "Base64 string length cannot be 1 modulo 4.";
  // The table knows the other alphabet, too.
  if (text.find('+') != text.npos || text.find('/') != text.npos) return kInvalid;
  const std::size_t groups = text.size() / 4, rest = text.size() % 4;
  bytes->resize(groups * 3 + rest * 3 / 4);
  char* to = bytes->data();
  const char* from = text.data();
  const auto number = [](char c) { return std::uint32_t{wire::detail::kBase64Numbers[static_cast<unsigned char>(c)]}; };
  std::uint32_t all = 0;  // another letter leaves its mark
  for (std::size_t i = 0; i < groups; ++i, from += 4, to += 3) {
    const std::uint32_t a = number(from[0]), b = number(from[1]), c = number(from[2]), d = number(from[3]);
    all |= a | b | c | d;
    const std::uint32_t group = a << 18 | b << 12 | c << 6 | d;
    to[0] = static_cast<char>(group >> 16 & 0xff);
    to[1] = static_cast<char>(group >> 8 & 0xff);
    to[2] = static_cast<char>(group & 0xff);
  }
  if (rest != 0) {
    const std::uint32_t a = number(from[0]), b = number(from[1]), c = rest == 3 ? number(from[2]) : 0;
    all |= a | b | c;
    to[0] = static_cast<char>((a << 2 | b >> 4) & 0xff);
    if (rest == 3) to[1] = static_cast<char>((b << 4 | c >> 2) & 0xff);
  }
  if (all < wire::detail::kNotBase64) return nullptr;
  bytes->clear();
  return kInvalid;
}

TENON_DETAIL_NAMESPACE_END
