// SPDX-License-Identifier: Apache-2.0
#pragma once
// InflateStream: decompresses gzip files (RFC 1952), zlib streams (RFC 1950) and raw streams (RFC 1951) in pieces, with
// memory that does not depend on their size.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/compression/inflate.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Continues the check sum `before` of a zlib stream with `bytes`.
inline std::uint32_t Adler32(std::string_view bytes, std::uint32_t before = 1) {
  std::uint32_t low = before & 0xffff, high = before >> 16;
  while (!bytes.empty()) {
    const std::size_t count = bytes.size() < 5552 ? bytes.size() : 5552;  // as many as 32 bits can add up
    for (const char c : bytes.substr(0, count)) high += low += static_cast<unsigned char>(c);
    low %= 65521;
    high %= 65521;
    bytes.remove_prefix(count);
  }
  return high << 16 | low;
}

enum class InflateFormat : std::uint8_t { kZlib, kGzip, kRaw };

// one thread. `more` and `from` give the compressed bytes; `more` returns 0 at their end.
class InflateStream {
 public:
  using ReadMore = detail::Inflater::ReadMore;

  InflateStream(InflateFormat format, ReadMore more, void* from)
      : buffers_(new Buffers),
        inflater_({buffers_->in, sizeof buffers_->in}, more, from, {buffers_->out, sizeof buffers_->out}),
        format_(format) {}
  InflateStream(const InflateStream&) = delete;
  InflateStream& operator=(const InflateStream&) = delete;

  // Writes the next bytes, at most `room` of them, to `to`; *got = 0 at the end. Errors are final. DataLoss: the
  // compressed data are damaged. OutOfRange: they end too early; the bytes before that come first.
  Status Read(char* to, std::size_t room, std::size_t* got) {
    *got = 0;
    while (taken_ == end_ && status_.ok() && !is_done_) Fill();
    if (taken_ == end_) return status_;
    const std::size_t left = end_ - taken_;
    *got = left < room ? left : room;
    std::memcpy(to, buffers_->out + taken_, *got);
    taken_ += *got;
    return OkStatus();
  }

 private:
  // As much as TensorFlow's reader decompresses at a time: a wrong check sum behind less than that is found before any
  // byte of its stream is returned.
  static constexpr std::size_t kPiece = std::size_t{256} << 10;
  struct Buffers {
    std::byte in[std::size_t{64} << 10];
    std::byte out[detail::Inflater::kWindow + kPiece + detail::Inflater::kLongest];
  };

  void Fill() {
    inflater_.Slide();
    taken_ = inflater_.made();
    const std::size_t whole = FillOut(taken_);
    end_ = status_.code() == Code::kDataLoss ? whole : inflater_.made();
  }
  // Returns where the last stream ended that was right, or `whole`.
  std::size_t FillOut(std::size_t whole) {
    std::size_t summed = whole;
    while (status_.ok() && !is_done_) {
      if (!in_stream_ && !ReadHeader()) break;
      inflater_.Decode();
      const std::string_view made(reinterpret_cast<const char*>(buffers_->out) + summed, inflater_.made() - summed);
      sum_ = format_ == InflateFormat::kGzip ? Crc32(made, sum_) : Adler32(made, sum_);
      size_ += static_cast<std::uint32_t>(made.size());
      summed += made.size();
      if (inflater_.error() != nullptr) {
        inflater_.is_cut() ? FailCut() : Fail(inflater_.error());
      } else if (inflater_.AtEnd()) {
        ReadTrailer();
        if (status_.ok()) whole = summed;
      } else {
        break;  // no room
      }
    }
    return whole;
  }

  TENON_DETAIL_COLD void Fail(std::string_view why) {
    if (status_.ok())
      status_ = errors::DataLoss("inflate() failed with error -3: ", why, ", at byte ", inflater_.offset(),
                                 " of the compressed data");
  }
  TENON_DETAIL_COLD void FailCut() {
    if (status_.ok())
      status_ = errors::OutOfRange("EOF reached: the compressed data end after ", inflater_.offset(),
                                   " bytes, before the end of their stream");
  }
  // The next `count` bytes beside the stream as a number, lowest first.
  bool Take(int count, std::uint32_t* value) {
    *value = 0;
    for (int i = 0; i < count; ++i) {
      std::uint8_t byte;
      if (!inflater_.TakeByte(&byte)) return FailCut(), false;
      if (in_header_) header_sum_ = Crc32({reinterpret_cast<const char*>(&byte), 1}, header_sum_);
      *value |= static_cast<std::uint32_t>(byte) << (8 * i);
    }
    return true;
  }
  bool SkipText() {
    for (std::uint32_t byte = 1; byte != 0;) {
      if (!Take(1, &byte)) return false;
    }
    return true;
  }

  // Returns false at the end of the data and at a mistake.
  bool ReadHeader() {
    if (format_ != InflateFormat::kRaw) {
      std::uint8_t first;
      if (!inflater_.TakeByte(&first)) {
        is_done_ = true;
        return false;
      }
      std::uint32_t second;
      if (!Take(1, &second)) return false;
      if (format_ == InflateFormat::kGzip ? !ReadGzipHeader(first, second) : !CheckZlibHeader(first, second))
        return false;
    }
    inflater_.Restart();
    in_stream_ = true;
    sum_ = format_ == InflateFormat::kGzip ? 0 : 1;
    size_ = 0;
    return true;
  }
  bool CheckZlibHeader(std::uint32_t first, std::uint32_t second) {
    if ((first << 8 | second) % 31 != 0) return Fail("incorrect header check (not a zlib stream)"), false;
    if ((first & 15) != 8) return Fail("unknown compression method"), false;
    if (first >> 4 > 7) return Fail("invalid window size"), false;
    if ((second & 0x20) != 0) return Fail("the stream needs a dictionary of its own"), false;
    return true;
  }
  bool ReadGzipHeader(std::uint8_t first, std::uint32_t second) {
    if (first != 0x1f || second != 0x8b) return Fail("incorrect header check (not a gzip file)"), false;
    header_sum_ = Crc32("\x1f\x8b");
    in_header_ = true;
    std::uint32_t method, flags, ignored, count;
    bool good = Take(1, &method) && Take(1, &flags) && Take(4, &ignored) && Take(2, &ignored);
    if (good && method != 8) return Fail("unknown compression method"), false;
    if (good && (flags & 0xe0) != 0) return Fail("unknown header flags set"), false;
    if (good && (flags & 4) != 0) {
      for (good = Take(2, &count); good && count > 0; --count) good = Take(1, &ignored);
    }
    if (good && (flags & 8) != 0) good = SkipText();
    if (good && (flags & 16) != 0) good = SkipText();
    in_header_ = false;
    const std::uint32_t sum = header_sum_ & 0xffff;
    if (good && (flags & 2) != 0) {
      good = Take(2, &ignored);
      if (good && ignored != sum) return Fail("header crc mismatch"), false;
    }
    return good;
  }
  void ReadTrailer() {
    in_stream_ = false;
    if (format_ == InflateFormat::kRaw) {
      is_done_ = true;
      return;
    }
    std::uint32_t sum, size;
    if (!Take(4, &sum)) return;
    if (format_ == InflateFormat::kZlib) {
      sum = sum >> 24 | (sum >> 8 & 0xff00) | (sum << 8 & 0xff0000) | sum << 24;
      if (sum != sum_) return Fail("incorrect data check");
      is_done_ = true;  // bytes behind it are ignored, as by TensorFlow
      return;
    }
    if (sum != sum_) return Fail("incorrect data check");
    if (!Take(4, &size)) return;
    if (size != size_) return Fail("incorrect length check");
  }

  Owned<Buffers> buffers_;
  detail::Inflater inflater_;
  InflateFormat format_;
  bool in_stream_ = false, in_header_ = false, is_done_ = false;
  std::uint32_t sum_ = 0, header_sum_ = 0, size_ = 0;
  std::size_t taken_ = 0, end_ = 0;  // bytes of `out` that were returned, and that can be
  Status status_;
};

TENON_DETAIL_NAMESPACE_END
