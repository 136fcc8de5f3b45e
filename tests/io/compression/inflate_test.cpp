// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/compression/inflate.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace inflate_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

Status Run(std::string_view packed, std::string* out) {
  const std::string in(packed);  // a heap block of its own: a sanitizer sees what is read beyond it
  return Inflate({reinterpret_cast<const std::byte*>(in.data()), in.size()},
                 {reinterpret_cast<std::byte*>(out->data()), out->size()});
}
std::string Error(std::string_view packed, std::size_t size = 1000) {
  std::string out(size, '\0');
  const Status s = Run(packed, &out);
  CHECK(s.code() == Code::kDataLoss);
  return std::string(s.message());
}
// zlib.compressobj(9, zlib.DEFLATED, -15) of (i * i * 7 + i) % 251 % 23 + 97 for i in range(300): a dynamic code.
const unsigned char kDynamic[] = {
    0x95, 0xcf, 0x5b, 0x6e, 0x40, 0x21, 0x08, 0x45, 0xd1, 0xb1, 0xaa, 0x08, 0xa8, 0x08, 0x17, 0x9f, 0xd3, 0xaf, 0xfd,
    0xe8, 0x00, 0xfa, 0x49, 0x4e, 0x76, 0xb2, 0x08, 0x85, 0x77, 0x5c, 0xcc, 0x07, 0xa3, 0x7a, 0xf1, 0x0f, 0x6b, 0x56,
    0xcd, 0x15, 0xc7, 0x6c, 0xf3, 0x1d, 0x49, 0x24, 0x31, 0xa8, 0x51, 0x97, 0x1b, 0x17, 0xc0, 0xb7, 0x3d, 0xa6, 0x11,
    0x76, 0x69, 0xd0, 0xdb, 0xcd, 0x87, 0xf8, 0x42, 0x10, 0xcd, 0x52, 0x0f, 0x6c, 0xcc, 0x23, 0x4c, 0xa2, 0x4b, 0xc9,
    0x86, 0xac, 0x59, 0x3a, 0xfb, 0xac, 0xd6, 0x6f, 0x1a, 0x29, 0x9a, 0xcb, 0xde, 0xe2, 0xf6, 0xea, 0x74, 0xbb, 0xd5,
    0xe9, 0xdc, 0xcb, 0x5c, 0x32, 0x2c, 0xbd, 0x80, 0x66, 0x18, 0x19, 0x37, 0x9c, 0x2a, 0x59, 0x25, 0xc0, 0x65, 0x3a,
    0xf9, 0xb6, 0x0e, 0xad, 0xec, 0xf0, 0x6a, 0xdf, 0x1f, 0xc0, 0x8a, 0x57, 0x3a, 0x99, 0x02, 0xff, 0xaa, 0x2a, 0x7e,
    0x8f, 0x38, 0xfe, 0xbc, 0xdf, 0xc3, 0x6b, 0xc4, 0xc3, 0xbc, 0xe2, 0xe6, 0x12, 0x08, 0xcc, 0xab, 0x3b, 0xb6, 0x6c,
    0x8a, 0x52, 0xd6, 0xea, 0x6b, 0x15, 0x41, 0xb5, 0xdc, 0xd0, 0xdf, 0x62, 0x40, 0xe1, 0xbf, 0xaf, 0xff, 0x00,
};
const std::string kDynamicText(reinterpret_cast<const char*>(kDynamic), sizeof kDynamic);

}  // namespace

TEST_SUITE("Inflate") {
  TEST_CASE("stored, fixed and repeated bytes") {
    std::string out(5, '\0');
    CHECK(Run("\x01\x05\x00\xfa\xffhello"s, &out).ok());
    CHECK(out == "hello");
    CHECK(Run("\xcb\x48\xcd\xc9\xc9\x07\x00"s, &out).ok());  // zlib, fixed code
    CHECK(out == "hello");
    out.assign(300, '\0');
    CHECK(Run("\x4b\x4c\x1c\x05\xc4\x02\x00"s, &out).ok());  // 300 times 'a'
    CHECK(out == std::string(300, 'a'));
    REQUIRE(Run(kDynamicText, &out).ok());
    for (int i = 0; i < 300; ++i) CHECK(out[static_cast<std::size_t>(i)] == (i * i * 7 + i) % 251 % 23 + 97);
    out.clear();
    CHECK(Run("\x03\x00"s, &out).ok());
  }
  TEST_CASE("no stream is read too far, no byte too many is made") {
    const std::string good = "\x4b\x4c\x1c\x05\xc4\x02\x00"s;
    for (std::size_t n = 0; n < good.size(); ++n) Error(std::string_view(good).substr(0, n), 300);
    CHECK(Error(good, 299) == "at byte 6 of the compressed data: they make more bytes than are declared");
    CHECK(Error(good, 301) == "the compressed data make 300 bytes, and 301 are declared");
    CHECK(Error(good + "x", 300) == "the compressed data end after 7 bytes, and 8 are declared");
    CHECK(Error("", 0) == "at byte 0 of the compressed data: they end too early");
    CHECK(Error("\x01\x05\x00\xfa\xffhel"s, 5) == "at byte 5 of the compressed data: they end too early");
    for (std::size_t n = 0; n < kDynamicText.size(); ++n) {
      Error(std::string_view(kDynamicText).substr(0, n), 300);
      for (int change = 1; change < 256; change *= 2) {
        std::string bad = kDynamicText, out(300, '\0');
        bad[n] = static_cast<char>(bad[n] ^ change);
        const Status s = Run(bad, &out);
        CHECK((s.ok() || s.code() == Code::kDataLoss));
      }
    }
  }
  TEST_CASE("what is no deflate stream") {
    CHECK(Error("\x07").find("a block of the unknown kind 3") != std::string::npos);
    CHECK(Error("\x01\x05\x00\x05\x00hello"s).find("the two sizes of a stored block differ") != std::string::npos);
    CHECK(Error("\x03\x02\x00"s).find("a distance to before the first byte") != std::string::npos);
    CHECK(Error("\x1b\x07\x00"s).find("a length that does not exist") != std::string::npos);
    CHECK(Error("\xfd\xff\xff"s).find("more codes than there are lengths and distances") != std::string::npos);
    CHECK(Error("\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"s).find("fit no code") != std::string::npos);
  }
}
}  // namespace inflate_test
