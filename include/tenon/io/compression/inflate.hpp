// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inflate: the decompression of zip files (RFC 1951), for untrusted data: it never reads or writes outside of its
// arguments, and refuses every stream that zlib refuses. io/compression/inflate_stream.hpp decompresses data in pieces.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A canonical Huffman code: short codes are found by one look, longer ones bit by bit.
class HuffmanCode {
 public:
  static constexpr int kMaxBits = 15;
  static constexpr unsigned kFastBits = 10;

  // lengths[s]: bits of the code of symbol s, 0 if there is none; at most 288 symbols. False if that is not a code:
  // more codes than bits allow, or fewer where more than one bit is used (as zlib; `whole`: not even then).
  bool Build(const std::uint8_t* lengths, int symbols, bool whole) {
    std::memset(count_, 0, sizeof count_);
    std::memset(fast_, 0, sizeof fast_);
    for (int s = 0; s < symbols; ++s) ++count_[lengths[s]];
    count_[0] = 0;
    int left = 1, used = 0, longest = 0;
    std::uint16_t first[kMaxBits + 2] = {}, next_code[kMaxBits + 2] = {};
    for (int bits = 1; bits <= kMaxBits; ++bits) {
      left = 2 * left - count_[bits];
      if (left < 0) return false;
      used += count_[bits];
      if (count_[bits] != 0) longest = bits;
      first[bits + 1] = static_cast<std::uint16_t>(used);
      next_code[bits + 1] = static_cast<std::uint16_t>((next_code[bits] + count_[bits]) << 1);
    }
    if (left > 0 && (whole || longest > 1)) return false;
    for (int s = 0; s < symbols; ++s) {
      const unsigned bits = lengths[s];
      if (bits == 0) continue;
      symbol_[first[bits]++] = static_cast<std::uint16_t>(s);
      const unsigned code = next_code[bits]++;
      if (bits > kFastBits) continue;
      unsigned reversed = 0;  // the first bit of a code is the lowest of the stream
      for (unsigned b = 0; b < bits; ++b) reversed |= ((code >> b) & 1) << (bits - 1 - b);
      for (; reversed < (1u << kFastBits); reversed += 1u << bits)
        fast_[reversed] = static_cast<std::uint16_t>(static_cast<unsigned>(s) << 4 | bits);
    }
    return true;
  }

  // The symbol whose code `bits` start with, lowest bit first, and the code's length; -1 if there is none.
  int Find(std::uint64_t bits, unsigned* length) const {
    const unsigned entry = fast_[bits & ((1u << kFastBits) - 1)];
    if (entry != 0) {
      *length = entry & 15;
      return static_cast<int>(entry >> 4);
    }
    int code = 0, first = 0, index = 0;
    for (unsigned n = 1; n <= kMaxBits; ++n) {
      code |= static_cast<int>(bits & 1);
      bits >>= 1;
      if (code - count_[n] < first) {
        *length = n;
        return symbol_[index + code - first];
      }
      index += count_[n];
      first = (first + count_[n]) << 1;
      code <<= 1;
    }
    return -1;
  }

 private:
  std::uint16_t fast_[1 << kFastBits];  // symbol << 4 | length; 0: no short code
  std::uint16_t count_[kMaxBits + 1];  // codes of each length
  std::uint16_t symbol_[288];  // in the order of their codes
};

class Inflater {
 public:
  // Reads up to `room` bytes; 0 at the end of all.
  using ReadMore = std::size_t (*)(void* from, unsigned char* to, std::size_t room);

  static constexpr std::size_t kWindow = 32768, kLongest = 258;  // most bytes of a distance and of a length

  // All of the data at once.
  Inflater(Span<const std::byte> in, Span<std::byte> out)
      : in_(reinterpret_cast<unsigned char*>(const_cast<std::byte*>(in.data()))),
        in_size_(in.size()),
        out_(reinterpret_cast<unsigned char*>(out.data())),
        out_size_(out.size()) {}
  // In pieces. `in` gets the compressed data of `more`; `out`, longer than kWindow + kLongest, the data that are made.
  Inflater(Span<std::byte> in, ReadMore more, void* from, Span<std::byte> out)
      : in_(reinterpret_cast<unsigned char*>(in.data())),
        in_capacity_(in.size()),
        more_(more),
        from_(from),
        out_(reinterpret_cast<unsigned char*>(out.data())),
        out_size_(out.size()),
        full_(out.size() - kLongest) {}

  Status Run() {
    Decode();
    const std::size_t used = at_ - count_ / 8;
    if (error_ != nullptr) return errors::DataLoss("at byte ", used, " of the compressed data: ", error_);
    if (made_ != out_size_)
      return errors::DataLoss("the compressed data make ", made_, " bytes, and ", out_size_, " are declared");
    if (used != in_size_)
      return errors::DataLoss("the compressed data end after ", used, " bytes, and ", in_size_, " are declared");
    return OkStatus();
  }

  // Goes on to the end of the stream, to a mistake, or until `out` has no room for one more length.
  void Decode() {
    while (error_ == nullptr && part_ != Part::kEnd && made_ <= full_) {
      switch (part_) {
        case Part::kHeader: Header(); break;
        case Part::kStored: CopyStored(); break;
        default: Codes();
      }
    }
  }
  bool AtEnd() const { return part_ == Part::kEnd; }  // the stream has ended
  const char* error() const { return error_; }  // null without a mistake
  bool is_cut() const { return is_cut_; }  // the mistake is that the data end too early
  std::uint64_t offset() const { return before_in_ + at_ - count_ / 8; }  // offset of the next compressed byte

  // The data that are made end at out[made()].
  std::size_t made() const { return made_; }
  // Moves the last kWindow bytes that are made to the beginning of `out`.
  void Slide() {
    if (made_ <= kWindow) return;
    const std::size_t gone = made_ - kWindow;
    std::memmove(out_, out_ + gone, kWindow);
    made_ = kWindow;
    first_ = first_ > gone ? first_ - gone : 0;
  }
  // After the end: a new stream begins at the next byte.
  void Restart() {
    part_ = Part::kHeader;
    is_last_ = false;
    first_ = made_;
  }
  // The next byte beside the stream, before or after it; false at the end of the data.
  bool TakeByte(std::uint8_t* byte) {
    Drop(count_ % 8);
    Refill();
    if (count_ == 0) return false;
    *byte = static_cast<std::uint8_t>(Take(8));
    return true;
  }

 private:
  enum class Part : std::uint8_t { kHeader, kStored, kCodes, kEnd };

  void Header() {
    Refill();
    is_last_ = Take(1) != 0;
    switch (Take(2)) {
      case 0: return Stored();
      case 1: return Fixed();
      case 2: return Dynamic();
      default: Fail("a block of the unknown kind 3");
    }
  }
  void EndBlock() { part_ = is_last_ ? Part::kEnd : Part::kHeader; }
  void FailCut() {
    if (error_ == nullptr) is_cut_ = true;
    Fail("they end too early");
  }
  void Fail(const char* error) {
    if (error_ == nullptr) error_ = error;
  }
  // Loads at least 56 bits, or all that are left. Bits above count_ are 0 or the bits that come next.
  void Refill() {
    if (in_size_ - at_ < 8 && more_ != nullptr) [[unlikely]]
      FetchMore();
    if (in_size_ - at_ >= 8) {
      std::uint64_t word = 0;
      for (int i = 0; i < 8; ++i) word |= static_cast<std::uint64_t>(in_[at_ + static_cast<std::size_t>(i)]) << (8 * i);
      bits_ |= word << count_;
      at_ += (63 - count_) >> 3;
      count_ |= 56;
    } else {
      for (; count_ <= 56 && at_ < in_size_; count_ += 8) bits_ |= static_cast<std::uint64_t>(in_[at_++]) << count_;
    }
  }
  // Moves the bytes that are left, and the up to 8 in bits_, to the beginning of `in`, and reads bytes behind them.
  TENON_DETAIL_COLD void FetchMore() {
    const std::size_t gone = at_ < 8 ? 0 : at_ - 8;
    std::memmove(in_, in_ + gone, in_size_ - gone);
    at_ -= gone;
    in_size_ -= gone;
    before_in_ += gone;
    while (in_size_ - at_ < 8 && more_ != nullptr) {
      const std::size_t count = more_(from_, in_ + in_size_, in_capacity_ - in_size_);
      if (count == 0) more_ = nullptr;
      in_size_ += count;
    }
  }
  void Drop(unsigned count) {
    if (count > count_) return FailCut();
    bits_ >>= count;
    count_ -= count;
  }
  unsigned Take(unsigned count) {
    const unsigned value = static_cast<unsigned>(bits_ & ((std::uint64_t{1} << count) - 1));
    Drop(count);
    return value;
  }
  int Symbol(const HuffmanCode& code) {
    unsigned length = 0;
    const int symbol = code.Find(bits_, &length);
    if (symbol < 0) return Fail("no code of the block starts like this"), -1;
    Drop(length);
    return error_ == nullptr ? symbol : -1;
  }

  void Stored() {
    Drop(count_ % 8);
    at_ -= count_ / 8;
    bits_ = 0;
    count_ = 0;
    if (in_size_ - at_ < 8 && more_ != nullptr) FetchMore();
    if (in_size_ - at_ < 4) return FailCut();
    const unsigned size = in_[at_] | static_cast<unsigned>(in_[at_ + 1]) << 8;
    const unsigned check = in_[at_ + 2] | static_cast<unsigned>(in_[at_ + 3]) << 8;
    if ((size ^ check) != 0xffff) return Fail("the two sizes of a stored block differ");
    at_ += 4;
    stored_ = size;
    part_ = Part::kStored;
  }
  void CopyStored() {
    std::size_t count = stored_;
    if (full_ != SIZE_MAX) {  // in pieces
      if (in_size_ - at_ < 8 && more_ != nullptr) FetchMore();
      if (count > in_size_ - at_) count = in_size_ - at_;
      if (count > out_size_ - made_) count = out_size_ - made_;
      if (count == 0 && stored_ != 0) return FailCut();
    }
    if (count > in_size_ - at_) return FailCut();
    if (count > out_size_ - made_) return Fail("they make more bytes than are declared");
    if (count != 0) std::memcpy(out_ + made_, in_ + at_, count);
    at_ += count;
    made_ += count;
    stored_ -= count;
    if (stored_ == 0) EndBlock();
  }
  void Fixed() {
    std::uint8_t lengths[288];
    for (int s = 0; s < 288; ++s) lengths[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    static_cast<void>(literals_.Build(lengths, 288, true));
    for (int s = 0; s < 32; ++s) lengths[s] = 5;
    static_cast<void>(distances_.Build(lengths, 32, true));
    part_ = Part::kCodes;
  }
  void Dynamic() {
    static constexpr std::uint8_t kOrder[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const int literals = static_cast<int>(Take(5)) + 257, distances = static_cast<int>(Take(5)) + 1;
    const unsigned count = Take(4) + 4;
    if (literals > 286 || distances > 30) return Fail("a block has more codes than there are lengths and distances");
    std::uint8_t lengths[286 + 30] = {};
    for (unsigned i = 0; i < count; ++i) {
      Refill();
      lengths[kOrder[i]] = static_cast<std::uint8_t>(Take(3));
    }
    if (!literals_.Build(lengths, 19, true)) return Fail("the lengths of the codes of code lengths fit no code");
    std::memset(lengths, 0, 19);
    for (int i = 0; i < literals + distances;) {
      Refill();
      const int symbol = Symbol(literals_);
      if (symbol < 0) return;
      if (symbol < 16) {
        lengths[i++] = static_cast<std::uint8_t>(symbol);
        continue;
      }
      if (symbol == 16 && i == 0) return Fail("a code length is repeated before there is one");
      const std::uint8_t repeated = symbol == 16 ? lengths[i - 1] : std::uint8_t{0};
      int times = symbol == 16   ? 3 + static_cast<int>(Take(2))
                  : symbol == 17 ? 3 + static_cast<int>(Take(3))
                                 : 11 + static_cast<int>(Take(7));
      if (times > literals + distances - i) return Fail("more code lengths than there are codes");
      for (; times > 0; --times) lengths[i++] = repeated;
    }
    if (error_ != nullptr) return;
    if (lengths[256] == 0) return Fail("a block has no code for its end");
    if (!literals_.Build(lengths, literals, false)) return Fail("the code lengths of a block fit no code");
    if (!distances_.Build(lengths + literals, distances, false))
      return Fail("the code lengths of distances fit no code");
    part_ = Part::kCodes;
  }
  void Codes() {
    static constexpr std::uint16_t kLength[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static constexpr std::uint16_t kDistance[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                  33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                  1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (error_ == nullptr && made_ <= full_) {
      Refill();  // enough for a length and a distance with their extra bits: 48
      int symbol = Symbol(literals_);
      if (symbol < 0) return;
      if (symbol == 256) return EndBlock();
      if (symbol < 256) {
        if (made_ == out_size_) return Fail("they make more bytes than are declared");
        out_[made_++] = static_cast<unsigned char>(symbol);
        continue;
      }
      symbol -= 257;
      if (symbol > 28) return Fail("a length that does not exist");
      const unsigned length_bits = symbol < 8 || symbol == 28 ? 0 : static_cast<unsigned>(symbol / 4 - 1);
      const std::size_t length = kLength[symbol] + Take(length_bits);
      symbol = Symbol(distances_);
      if (symbol < 0) return;
      if (symbol > 29) return Fail("a distance that does not exist");
      const unsigned distance_bits = symbol < 4 ? 0 : static_cast<unsigned>(symbol / 2 - 1);
      const std::size_t distance = kDistance[symbol] + Take(distance_bits);
      if (error_ != nullptr) return;
      if (distance > made_ - first_) return Fail("a distance to before the first byte");
      if (length > out_size_ - made_) return Fail("they make more bytes than are declared");
      Repeat(length, distance);
    }
  }
  void Repeat(std::size_t length, std::size_t distance) {
    unsigned char* const to = out_ + made_;
    if (distance >= length) {
      std::memcpy(to, to - distance, length);
    } else if (distance == 1) {
      std::memset(to, to[-1], length);
    } else {
      for (std::size_t i = 0; i < length; ++i) to[i] = (to - distance)[i];
    }
    made_ += length;
  }

  unsigned char* in_;  // written to with more_ only
  std::size_t in_size_ = 0, in_capacity_ = 0, at_ = 0;
  ReadMore more_ = nullptr;  // null at the end of the compressed data, too
  void* from_ = nullptr;
  std::uint64_t before_in_ = 0;  // compressed bytes before in_[0]
  std::uint64_t bits_ = 0;
  unsigned count_ = 0;  // number of valid bits
  unsigned char* out_;
  std::size_t out_size_, made_ = 0;
  std::size_t full_ = SIZE_MAX;  // Decode() returns when more bytes than this are made
  std::size_t first_ = 0;  // first byte of the stream in `out`: no distance goes beyond it
  std::size_t stored_ = 0;  // bytes left of a stored block
  Part part_ = Part::kHeader;
  bool is_last_ = false, is_cut_ = false;
  const char* error_ = nullptr;
  HuffmanCode literals_, distances_;
};

}  // namespace detail

// Decompresses all of `in` to exactly out.size() bytes. DataLoss: one of the two is not possible; `out` then has any
// content.
inline Status Inflate(Span<const std::byte> in, Span<std::byte> out) { return detail::Inflater(in, out).Run(); }

TENON_DETAIL_NAMESPACE_END
