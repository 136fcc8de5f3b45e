// SPDX-License-Identifier: Apache-2.0
#pragma once
// Base64 of bytes in protobuf's JSON.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace wire {
namespace detail {

inline constexpr std::string_view kBase64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr std::uint32_t kNotBase64 = 0x100;

// Numbers of the letters of both alphabets, "+/" and "-_".
inline constexpr std::array<std::uint16_t, 256> kBase64Numbers = [] {
  std::array<std::uint16_t, 256> numbers{};
  for (auto& number : numbers) number = kNotBase64;
  for (std::size_t i = 0; i < 64; ++i)
    numbers[static_cast<unsigned char>(kBase64Letters[i])] = static_cast<std::uint16_t>(i);
  numbers['-'] = 62;
  numbers['_'] = 63;
  return numbers;
}();

// Bytes that DecodeBase64 writes at most.
constexpr std::size_t Base64Room(std::string_view text) { return text.size() / 4 * 3 + 3; }

// Decodes letters of either alphabet, padded or not. Returns the end of the bytes in `to`, or null for another text.
inline char* DecodeBase64(std::string_view text, char* to) {
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  if (padding != 0 && text.size() % 4 != 0) return nullptr;
  text.remove_suffix(padding);
  if (text.size() % 4 == 1) return nullptr;
  const char* from = text.data();
  const auto next = [&from] { return std::uint32_t{kBase64Numbers[static_cast<unsigned char>(*from++)]}; };
  std::uint32_t all = 0;  // a letter of neither alphabet leaves its mark
  for (std::size_t i = 0; i < text.size() / 4; ++i) {
    const std::uint32_t a = next(), b = next(), c = next(), d = next();
    all |= a | b | c | d;
    const std::uint32_t bits = a << 18 | b << 12 | c << 6 | d;
    *to++ = static_cast<char>(bits >> 16 & 0xff);
    *to++ = static_cast<char>(bits >> 8 & 0xff);
    *to++ = static_cast<char>(bits & 0xff);
  }
  if (text.size() % 4 != 0) {
    const std::uint32_t a = next(), b = next(), c = text.size() % 4 == 3 ? next() : 0;
    all |= a | b | c;
    *to++ = static_cast<char>((a << 2 | b >> 4) & 0xff);
    if (text.size() % 4 == 3) *to++ = static_cast<char>((b << 4 | c >> 2) & 0xff);
  }
  return all < kNotBase64 ? to : nullptr;
}

// Appends the letters of the standard alphabet, padded.
inline void AppendBase64(std::string_view bytes, std::string* out) {
  const std::size_t old = out->size();
  out->resize(old + (bytes.size() + 2) / 3 * 4);
  char* to = out->data() + old;
  const auto at = [bytes](std::size_t i) {
    return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0u;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::uint32_t bits = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6) *to++ = kBase64Letters[bits >> shift & 63];
  }
  if (bytes.size() % 3 != 0) to[-1] = '=';
  if (bytes.size() % 3 == 1) to[-2] = '=';
}

}  // namespace detail
}  // namespace wire

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
