// SPDX-License-Identifier: Apache-2.0
#pragma once
// The format of TFRecord files: length, its masked CRC-32C, the record, its masked CRC-32C; and their compressions.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/compression/crc32.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

enum class RecordCompression : std::uint8_t { kNone, kZlib, kGzip, kSnappy, kAuto };

// "", "ZLIB", "GZIP", "SNAPPY" as TensorFlow's compression_type, or "AUTO", which does not find Snappy.
// InvalidArgument: any other text.
inline Result<RecordCompression> ParseRecordCompression(std::string_view text) {
  if (text.empty()) return RecordCompression::kNone;
  if (text == "ZLIB") return RecordCompression::kZlib;
  if (text == "GZIP") return RecordCompression::kGzip;
  if (text == "SNAPPY") return RecordCompression::kSnappy;
  if (text == "AUTO") return RecordCompression::kAuto;
  return errors::InvalidArgument("Unsupported compression_type: '", text,
                                 "'; use '', 'ZLIB', 'GZIP', 'SNAPPY', or 'AUTO'");
}

namespace detail {

inline constexpr std::size_t kRecordHeader = 12, kRecordFooter = 4;

inline std::uint32_t RecordSum(std::string_view bytes) { return MaskCrc(Crc32c(bytes)); }
// The length of a record from the kRecordHeader bytes before it. Returns false when their check sum is wrong.
inline bool ReadRecordHeader(const char* header, std::uint64_t* length) {
  std::uint32_t sum;
  std::memcpy(length, header, sizeof *length);
  std::memcpy(&sum, header + sizeof *length, sizeof sum);
  return sum == RecordSum({header, sizeof *length});
}
inline void WriteRecordHeader(std::uint64_t length, char* header) {
  std::memcpy(header, &length, sizeof length);
  const std::uint32_t sum = RecordSum({header, sizeof length});
  std::memcpy(header + sizeof length, &sum, sizeof sum);
}

// The compression of a file that begins with `bytes`. A right check sum of the first length decides for none.
inline RecordCompression FindRecordCompression(std::string_view bytes) {
  std::uint64_t length;
  if (bytes.size() >= kRecordHeader && ReadRecordHeader(bytes.data(), &length)) return RecordCompression::kNone;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() >= 3 && byte(0) == 0x1f && byte(1) == 0x8b && byte(2) == 8) return RecordCompression::kGzip;
  if (bytes.size() >= 2 && (byte(0) & 15) == 8 && byte(0) >> 4 <= 7 && (byte(0) << 8 | byte(1)) % 31 == 0)
    return RecordCompression::kZlib;
  return RecordCompression::kNone;
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
