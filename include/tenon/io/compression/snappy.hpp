// SPDX-License-Identifier: Apache-2.0
#pragma once
// Unsnap: decompresses a block in Snappy's format, as tables may hold them.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
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

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
