// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeflateStream: compresses data in pieces, as a gzip file (RFC 1952), a zlib stream (RFC 1950) or a raw
// stream (RFC 1951).

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/compression/deflate.hpp>
#include <tenon/io/compression/inflate_stream.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// one thread.
//
//   DeflateStream stream(InflateFormat::kGzip);
//   stream.Add(piece);
//   file.Write(stream.out());  // and stream.out().clear(), as often as wanted
//   stream.Finish();
class DeflateStream {
 public:
  explicit DeflateStream(InflateFormat format) : format_(format) {
    sum_ = format == InflateFormat::kGzip ? 0 : 1;
    constexpr char kGzip[] = "\x1f\x8b\x08\0\0\0\0\0\0\xff", kZlib[] = "\x78\x01";
    if (format == InflateFormat::kGzip)
      out().append(kGzip, 10);
    else if (format == InflateFormat::kZlib)
      out().append(kZlib, 2);
  }
  DeflateStream(const DeflateStream&) = delete;
  DeflateStream& operator=(const DeflateStream&) = delete;

  // Repetitions are found inside one piece only: pieces of 64 KiB and more compress well.
  void Add(std::string_view piece) {
    if (piece.empty()) return;
    sum_ = format_ == InflateFormat::kGzip ? Crc32(piece, sum_) : Adler32(piece, sum_);
    size_ += static_cast<std::uint32_t>(piece.size());
    deflater_.Block(piece, false);
  }
  // Readers of the bytes so far get all pieces so far.
  void Sync() { deflater_.Sync(); }
  // Ends the stream; nothing may follow.
  void Finish() {
    deflater_.Block({}, true);
    if (format_ == InflateFormat::kRaw) return;
    const bool gzip = format_ == InflateFormat::kGzip;
    for (int i = 0; i < 4; ++i) out().push_back(static_cast<char>(sum_ >> 8 * (gzip ? i : 3 - i)));
    for (int i = 0; gzip && i < 4; ++i) out().push_back(static_cast<char>(size_ >> 8 * i));
  }
  // Compressed bytes that are ready; the caller may take them away.
  std::string& out() { return deflater_.out(); }

 private:
  detail::Deflater deflater_;
  InflateFormat format_;
  std::uint32_t sum_, size_ = 0;
};

TENON_DETAIL_NAMESPACE_END
