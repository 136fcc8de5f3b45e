// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <tenon/io/record_format.hpp>

#include <doctest/doctest.h>

namespace record_format_test {
using namespace tenon;

TEST_SUITE("record format") {
  TEST_CASE("ParseRecordCompression") {
    CHECK(*ParseRecordCompression("") == RecordCompression::kNone);
    CHECK(*ParseRecordCompression("ZLIB") == RecordCompression::kZlib);
    CHECK(*ParseRecordCompression("GZIP") == RecordCompression::kGzip);
    CHECK(*ParseRecordCompression("AUTO") == RecordCompression::kAuto);
    const auto bad = ParseRecordCompression("gzip");
    CHECK(bad.status().code() == Code::kInvalidArgument);
    CHECK(bad.status().message() ==
          "Unsupported compression_type: 'gzip'; use '', 'ZLIB', 'GZIP', 'SNAPPY', or 'AUTO'");
  }
  TEST_CASE("the header of TensorFlow's event files") {
    char header[detail::kRecordHeader];
    detail::WriteRecordHeader(0x18, header);
    CHECK(std::string(header, sizeof header) == std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12));
    std::uint64_t length = 0;
    CHECK(detail::ReadRecordHeader(header, &length));
    CHECK(length == 0x18);
    header[1] = 1;
    CHECK_FALSE(detail::ReadRecordHeader(header, &length));
  }
  TEST_CASE("FindRecordCompression: a length that looks like gzip is a length") {
    char header[detail::kRecordHeader];
    detail::WriteRecordHeader(0x088b1f, header);
    CHECK(detail::FindRecordCompression({header, sizeof header}) == RecordCompression::kNone);
    header[11] = 0;
    CHECK(detail::FindRecordCompression({header, sizeof header}) == RecordCompression::kGzip);
    CHECK(detail::FindRecordCompression("\x78\x9c") == RecordCompression::kZlib);
    CHECK(detail::FindRecordCompression("\x78\x01") == RecordCompression::kZlib);
    CHECK(detail::FindRecordCompression("x") == RecordCompression::kNone);
    CHECK(detail::FindRecordCompression("") == RecordCompression::kNone);
    CHECK(detail::FindRecordCompression("text, not records") == RecordCompression::kNone);
  }
}
}  // namespace record_format_test
