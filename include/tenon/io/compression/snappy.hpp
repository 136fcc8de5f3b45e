// SPDX-License-Identifier: Apache-2.0
#pragma once
// Snap and Unsnap: blocks in Snappy's format, as tables and record files may hold them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Decompresses a block: its size as a variable-length number, then literals and copies of bytes before them.
// DataLoss: it is not a block, or not exactly of that size. ResourceExhausted: more than `max_bytes`.
inline Result<std::string> Unsnap(std::string_view block, std::size_t max_bytes = std::size_t{1} << 30) {
  const auto* at = reinterpret_cast<const unsigned char*>(block.data());
  const unsigned char* const end = at + block.size();
  std::uint64_t size = 0;
  for (int shift = 0;; shift += 7) {
    if (at == end || shift > 28) return errors::DataLoss("Snappy block: its size is not a number of 32 bits");
    size |= static_cast<std::uint64_t>(*at & 0x7f) << shift;
    if (*at++ < 0x80) break;
  }
  if (size > max_bytes)
    return errors::ResourceExhausted("Snappy block: its ", size, " bytes are more than the limit of ", max_bytes);
  // A copy of three bytes makes at most 64: no more memory than the block can fill.
  if (size > static_cast<std::uint64_t>(end - at) * 64)
    return errors::DataLoss("Snappy block: ", block.size(), " bytes cannot make the ", size, " that it says");
  std::string out;
  out.reserve(static_cast<std::size_t>(size));
  while (at < end) {
    const unsigned tag = *at++;
    std::size_t length = (tag >> 2) + 1, distance = 0;
    int more = 0;  // bytes that follow the tag
    switch (tag & 3) {
      case 0: more = length > 60 ? static_cast<int>(length) - 60 : 0; break;
      case 1:
        length = (tag >> 2 & 7) + 4;
        more = 1;
        break;
      case 2: more = 2; break;
      default: more = 4; break;
    }
    if (end - at < more) return errors::DataLoss("Snappy block: it ends inside an element");
    std::size_t number = 0;
    for (int i = 0; i < more; ++i) number |= static_cast<std::size_t>(*at++) << (8 * i);
    if ((tag & 3) == 0) {
      if (more > 0) length = number + 1;
      if (length > static_cast<std::size_t>(end - at) || length > size - out.size())
        return errors::DataLoss("Snappy block: a literal of ", length, " bytes goes beyond its end");
      out.append(reinterpret_cast<const char*>(at), length);
      at += length;
      continue;
    }
    distance = (tag & 3) == 1 ? (static_cast<std::size_t>(tag >> 5) << 8) | number : number;
    if (distance == 0 || distance > out.size() || length > size - out.size())
      return errors::DataLoss("Snappy block: a copy of ", length, " bytes at distance ", distance, " after ",
                              out.size(), " of ", size, " bytes");
    for (std::size_t from = out.size() - distance; length > 0; --length) out.push_back(out[from++]);
  }
  if (out.size() != size) return errors::DataLoss("Snappy block: ", out.size(), " bytes instead of ", size);
  return out;
}

namespace detail {

// Appends a literal of Snappy's format.
inline void SnapLiteral(std::string_view bytes, std::string* out) {
  while (!bytes.empty()) {
    const std::size_t size = bytes.size() < 65536 ? bytes.size() : 65536, last = size - 1;
    if (last < 60) {
      out->push_back(static_cast<char>(last << 2));
    } else {
      out->push_back(static_cast<char>(61 << 2));  // two bytes of length follow
      out->push_back(static_cast<char>(last));
      out->push_back(static_cast<char>(last >> 8));
    }
    out->append(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
}
// Appends copies of `length` bytes at a distance below 65,536.
inline void SnapCopy(std::size_t length, std::size_t distance, std::string* out) {
  while (length > 0) {
    const std::size_t size = length < 64 ? length : 64;
    out->push_back(static_cast<char>((size - 1) << 2 | 2));
    out->push_back(static_cast<char>(distance));
    out->push_back(static_cast<char>(distance >> 8));
    length -= size;
  }
}

}  // namespace detail

// Compresses less than 4 GiB to a block: bytes that came before within 64 KiB become copies.
inline std::string Snap(std::string_view in) {
  constexpr std::size_t kLeast = 8, kFar = 65535, kHashes = std::size_t{1} << 14;
  std::string out;
  std::size_t left = in.size();
  for (; left >= 0x80; left >>= 7) out.push_back(static_cast<char>(left | 0x80));
  out.push_back(static_cast<char>(left));
  SlimVector<std::uint32_t> seen(kHashes, 0);  // places by the hash of the bytes there
  std::size_t literal = 0, at = 0;
  while (in.size() - at >= kLeast) {
    std::uint64_t word, other;
    std::memcpy(&word, in.data() + at, sizeof word);
    std::uint32_t& place = seen[(word * 0x9e3779b97f4a7c15u) >> 50];
    const std::size_t from = place;
    place = static_cast<std::uint32_t>(at);
    std::memcpy(&other, in.data() + from, sizeof other);
    if (from >= at || at - from > kFar || word != other) {
      ++at;
      continue;
    }
    std::size_t length = kLeast;
    while (at + length < in.size() && in[at + length] == in[from + length]) ++length;
    detail::SnapLiteral(in.substr(literal, at - literal), &out);
    detail::SnapCopy(length, at - from, &out);
    literal = at += length;
  }
  detail::SnapLiteral(in.substr(literal), &out);
  return out;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
