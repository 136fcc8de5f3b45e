// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/io/compression/deflate_stream.hpp>
#include <tenon/io/compression/inflate_stream.hpp>

#include <doctest/doctest.h>

namespace inflate_stream_test {
using namespace tenon;

namespace {

// Gives the bytes away in pieces of `step`.
struct Pieces {
  std::string_view bytes;
  std::size_t step = 1 << 20;

  static std::size_t Read(void* from, unsigned char* to, std::size_t room) {
    Pieces& self = *static_cast<Pieces*>(from);
    const std::size_t count = std::min({room, self.step, self.bytes.size()});
    std::memcpy(to, self.bytes.data(), count);
    self.bytes.remove_prefix(count);
    return count;
  }
};

Status Unpack(InflateFormat format, std::string_view packed, std::string* out, std::size_t step = 1 << 20,
              std::size_t room = 4096) {
  Pieces pieces{packed, step};
  InflateStream stream(format, &Pieces::Read, &pieces);
  std::string block(room, '\0');
  out->clear();
  for (std::size_t got = 1; got != 0;) {
    if (const Status s = stream.Read(block.data(), room, &got); !s.ok()) return s;
    out->append(block, 0, got);
  }
  return OkStatus();
}
std::string Pack(InflateFormat format, std::string_view bytes, std::size_t piece = 1 << 16) {
  DeflateStream stream(format);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) stream.Add(bytes.substr(0, piece));
  stream.Finish();
  return stream.out();
}
std::string Words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "word " + std::to_string(i * 7919 % 1000) + ", ";
  return text;
}

// A gzip header with all fields but its check sum; Python's zlib.compress of "records, records, records!".
constexpr char kGzipFields[] =
    "\x1f\x8b\x08\x1e\x00\x00\x00\x00\x02\xff\x04\x00\x41\x42\x00\x00"
    "name\0comment\0";
constexpr unsigned char kZlib[] = {0x78, 0x9c, 0x2b, 0x4a, 0x4d, 0xce, 0x2f, 0x4a, 0x29, 0xd6, 0x51,
                                   0x28, 0x42, 0x63, 0x28, 0x02, 0x00, 0x84, 0x1b, 0x09, 0x90};

}  // namespace

TEST_SUITE("InflateStream") {
  TEST_CASE("makes what DeflateStream took, in pieces of any size") {
    for (const InflateFormat format : {InflateFormat::kGzip, InflateFormat::kZlib, InflateFormat::kRaw}) {
      for (const int words : {0, 1, 100, 60000}) {
        const std::string text = Words(words), packed = Pack(format, text);
        std::string out;
        for (const std::size_t step : {1u, 7u, 1u << 20}) {
          const Status s = Unpack(format, packed, &out, step, step == 7 ? 1000 : 65536);
          CHECK_MESSAGE(s.ok(), s.message());
          CHECK((out == text));
        }
      }
    }
  }
  TEST_CASE("zeros: more than the window, from few bytes") {
    const std::string zeros(std::size_t{3} << 20, '\0'), packed = Pack(InflateFormat::kGzip, zeros);
    std::string out;
    REQUIRE(Unpack(InflateFormat::kGzip, packed, &out).ok());
    CHECK((out == zeros));
    CHECK(packed.size() < 40000);
  }
  TEST_CASE("files of several gzip members, and bytes behind a zlib stream") {
    std::string out;
    REQUIRE(Unpack(InflateFormat::kGzip, Pack(InflateFormat::kGzip, "one ") + Pack(InflateFormat::kGzip, "two"), &out)
                .ok());
    CHECK(out == "one two");
    CHECK(Unpack(InflateFormat::kGzip, Pack(InflateFormat::kGzip, "one") + "rubbish", &out).code() == Code::kDataLoss);
    CHECK(out == "one");
    std::string bad = Pack(InflateFormat::kGzip, "two");
    bad.back() = static_cast<char>(bad.back() ^ 1);
    CHECK(Unpack(InflateFormat::kGzip, Pack(InflateFormat::kGzip, "one") + bad, &out).code() == Code::kDataLoss);
    CHECK(out == "one");  // and not what the damaged member has
    REQUIRE(Unpack(InflateFormat::kZlib, Pack(InflateFormat::kZlib, "one") + "rubbish", &out).ok());
    CHECK(out == "one");
  }
  TEST_CASE("streams of zlib, and headers with all fields") {
    std::string out;
    const std::string zlib(reinterpret_cast<const char*>(kZlib), sizeof kZlib);
    const Status s = Unpack(InflateFormat::kZlib, zlib, &out);
    CHECK_MESSAGE(s.ok(), s.message());
    CHECK(out == "records, records, records!");
    std::string header(kGzipFields, sizeof kGzipFields - 1);
    const std::uint32_t sum = Crc32(header);
    header += {static_cast<char>(sum), static_cast<char>(sum >> 8)};
    const std::string body = Pack(InflateFormat::kGzip, "abc").substr(10);
    REQUIRE(Unpack(InflateFormat::kGzip, header + body, &out).ok());
    CHECK(out == "abc");
    header.back() = static_cast<char>(header.back() ^ 1);
    CHECK(Unpack(InflateFormat::kGzip, header + body, &out).message().find("header crc mismatch") != std::string::npos);
  }
  TEST_CASE("every end too early is OutOfRange, after the bytes before it") {
    const std::string text = Words(2000), packed = Pack(InflateFormat::kGzip, text);
    std::string out;
    for (std::size_t size = 1; size < packed.size(); size += size < 20 || size + 20 > packed.size() ? 1 : 97) {
      CHECK(Unpack(InflateFormat::kGzip, std::string_view(packed).substr(0, size), &out).code() == Code::kOutOfRange);
      CHECK((out == text.substr(0, out.size())));
    }
    CHECK(Unpack(InflateFormat::kGzip, "", &out).ok());
    const std::string raw = Pack(InflateFormat::kRaw, "abcabc");
    CHECK(Unpack(InflateFormat::kRaw, std::string_view(raw).substr(0, raw.size() - 1), &out).code() ==
          Code::kOutOfRange);
    CHECK(Unpack(InflateFormat::kRaw, "", &out).code() == Code::kOutOfRange);
    REQUIRE(Unpack(InflateFormat::kRaw, raw + "rubbish", &out).ok());
    CHECK(out == "abcabc");
  }
  TEST_CASE("wrong sums and headers are DataLoss") {
    const std::string packed = Pack(InflateFormat::kGzip, "some text");
    std::string out;
    for (const std::size_t at :
         {packed.size() - 1, packed.size() - 5, std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
      std::string bad = packed;
      bad[at] = static_cast<char>(bad[at] ^ 0x80);
      CHECK(Unpack(InflateFormat::kGzip, bad, &out).code() == Code::kDataLoss);
      CHECK(out.empty());
    }
    std::string bad = Pack(InflateFormat::kZlib, "some text");
    bad.back() = static_cast<char>(bad.back() ^ 1);
    const Status s = Unpack(InflateFormat::kZlib, bad, &out);
    CHECK(s.message().find("inflate() failed with error -3: incorrect data check") == 0);
    CHECK(Unpack(InflateFormat::kZlib, "\x79\x9c..", &out).code() == Code::kDataLoss);
    CHECK(Unpack(InflateFormat::kZlib, "\x78\xbb....", &out).code() == Code::kDataLoss);
  }
  TEST_CASE("a distance does not reach into the member before") {
    // One length of 3 at distance 1, by the fixed code: 257 is 0000001, distance 0 is 00000, then 256.
    std::string bad = Pack(InflateFormat::kGzip, "abc") + Pack(InflateFormat::kGzip, "").substr(0, 10);
    bad += std::string("\x03\x02\x00", 3) + std::string(8, '\0');
    std::string out;
    const Status s = Unpack(InflateFormat::kGzip, bad, &out);
    CHECK(s.code() == Code::kDataLoss);
    CHECK(s.message().find("a distance to before the first byte") != std::string::npos);
  }
  TEST_CASE("Adler32") {
    CHECK(Adler32("") == 1);
    CHECK(Adler32("Wikipedia") == 0x11e60398u);
    const std::string bytes(20000, '\xff');
    CHECK(Adler32(std::string_view(bytes).substr(7000), Adler32(std::string_view(bytes).substr(0, 7000))) ==
          Adler32(bytes));
  }
}
}  // namespace inflate_stream_test
