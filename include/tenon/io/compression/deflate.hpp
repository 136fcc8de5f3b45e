// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deflate: compression for zip files (RFC 1951) by repetitions and the fixed code. Simple and quick; zlib's files are
// somewhat smaller. io/compression/deflate_stream.hpp writes data in pieces.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/owned.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

class Deflater {
 public:
  Deflater() : head_(kHashes), before_(kWindow) {}

  // Appends a block, the last one of its stream or not; a last block ends at a whole byte. Blocks refer to no other.
  void Block(std::string_view in, bool is_last) {
    in_ = in;
    for (std::size_t i = 0; i < kHashes; ++i) head_[i] = 0;
    Put(is_last ? 3 : 2, 3);  // a block of the fixed code
    for (std::size_t at = 0; at < in_.size();) {
      std::size_t distance = 0;
      const std::size_t length = Longest(at, &distance);
      if (length < kLeast) {
        Symbol(static_cast<unsigned char>(in_[at]));
        Remember(at++);
        continue;
      }
      Length(length);
      Distance(distance);
      for (const std::size_t end = at + length; at < end; ++at) Remember(at);
    }
    Symbol(256);
    if (is_last) EndByte();
  }
  // An empty stored block: readers can have all that was compressed before.
  void Sync() {
    Put(0, 3);
    EndByte();
    out_.append("\0\0\xff\xff", 4);
  }
  std::string& out() { return out_; }  // whole bytes; the caller may take them away

 private:
  static constexpr std::size_t kLeast = 4, kMost = 258, kWindow = 32768, kHashes = 1 << 15;
  static constexpr int kTries = 12;

  std::size_t Hash(std::size_t at) const {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(in_[at + i]);
    return (word * 0x9e3779b1u) >> 17;
  }
  void Remember(std::size_t at) {
    if (in_.size() - at < 4) return;
    std::size_t& head = head_[Hash(at)];
    before_[at % kWindow] = head;
    head = at + 1;
  }
  // Returns the length of the longest match among the last few offsets with the same hash as `at`; 0 without a match.
  std::size_t Longest(std::size_t at, std::size_t* distance) const {
    if (in_.size() - at < kLeast) return 0;
    const std::size_t most = in_.size() - at < kMost ? in_.size() - at : kMost;
    std::size_t longest = 0, place = head_[Hash(at)];
    for (int tries = 0; tries < kTries && place != 0 && at - (place - 1) < kWindow; ++tries) {
      const std::size_t from = place - 1;
      std::size_t length = 0;
      while (length < most && in_[from + length] == in_[at + length]) ++length;
      if (length > longest) {
        longest = length;
        *distance = at - from;
        if (longest == most) break;
      }
      const std::size_t next = before_[from % kWindow];
      if (next >= place) break;  // a later offset has taken its entry
      place = next;
    }
    return longest;
  }

  // The bits that are left over become a byte.
  void EndByte() {
    if (count_ != 0) Put(0, 8 - count_);
  }
  void Put(std::uint32_t bits, unsigned count) {
    bits_ |= static_cast<std::uint64_t>(bits) << count_;
    for (count_ += count; count_ >= 8; count_ -= 8, bits_ >>= 8) out_.push_back(static_cast<char>(bits_));
  }
  // A Huffman code starts with its highest bit.
  void PutCode(unsigned code, unsigned count) {
    unsigned reversed = 0;
    for (unsigned b = 0; b < count; ++b) reversed |= ((code >> b) & 1) << (count - 1 - b);
    Put(reversed, count);
  }
  void Symbol(unsigned symbol) {
    if (symbol < 144) return PutCode(symbol + 0x30, 8);
    if (symbol < 256) return PutCode(symbol - 144 + 0x190, 9);
    if (symbol < 280) return PutCode(symbol - 256, 7);
    PutCode(symbol - 280 + 0xc0, 8);
  }
  void Length(std::size_t length) {
    if (length == kMost) return Symbol(285);
    const auto value = static_cast<unsigned>(length - 3);
    unsigned extra = 0;
    while (value >> (extra + 3) != 0) ++extra;
    Symbol(257 + 4 * extra + (value >> extra));
    Put(value & ((1u << extra) - 1), extra);
  }
  void Distance(std::size_t distance) {
    const auto value = static_cast<unsigned>(distance - 1);
    unsigned extra = 0;
    while (value >> (extra + 2) != 0) ++extra;
    PutCode(2 * extra + (value >> extra), 5);
    Put(value & ((1u << extra) - 1), extra);
  }

  std::string_view in_;
  std::string out_;
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;
  Owned<std::size_t[]> head_, before_;  // offsets + 1 with the same hash: the last one, and the one before each
};

}  // namespace detail

// `bytes` as one deflate stream, for Inflate and every other reader of the format.
inline std::string Deflate(std::string_view bytes) {
  detail::Deflater deflater;
  deflater.Block(bytes, true);
  return static_cast<std::string&&>(deflater.out());
}

TENON_DETAIL_NAMESPACE_END
