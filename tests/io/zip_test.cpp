// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/zip.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace zip_test {
using namespace tenon;
using namespace std::string_literals;

namespace {

std::span<const std::byte> Bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
void Put(std::string* out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes && i < 8; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}
std::string Numbers(std::initializer_list<std::pair<std::uint64_t, int>> numbers) {
  std::string out;
  for (const auto& [value, bytes] : numbers) Put(&out, value, bytes);
  return out;
}

// A member as a test wants it, right or wrong.
struct Part {
  std::string name = "a.npy", data = "hello";
  unsigned method = 0, flags = 0;
  std::uint64_t bytes = 5;
  std::uint32_t crc = Crc32("hello");
  std::string local_name = "", list_extra = "", behind = "";
  std::uint64_t list_bytes = 0, list_at = ~std::uint64_t{0};  // where they differ
};
std::string Zip(const std::vector<Part>& parts, bool zip64 = false) {
  std::string out, list;
  for (const Part& p : parts) {
    const std::uint64_t at = p.list_at != ~std::uint64_t{0} ? p.list_at : out.size();
    const std::string& local = p.local_name.empty() ? p.name : p.local_name;
    const bool behind = (p.flags & 8) != 0;
    out += Numbers({{0x04034b50, 4},
                    {20, 2},
                    {p.flags, 2},
                    {p.method, 2},
                    {0, 4},
                    {behind ? 0 : p.crc, 4},
                    {behind ? 0 : p.data.size(), 4},
                    {behind ? 0 : p.bytes, 4},
                    {local.size(), 2},
                    {0, 2}});
    out += local + p.data + p.behind;
    list += Numbers({{0x02014b50, 4},
                     {20, 2},
                     {20, 2},
                     {p.flags, 2},
                     {p.method, 2},
                     {0, 4},
                     {p.crc, 4},
                     {p.data.size(), 4},
                     {p.list_bytes != 0 ? p.list_bytes : p.bytes, 4},
                     {p.name.size(), 2},
                     {p.list_extra.size(), 2},
                     {0, 8},
                     {0, 2},
                     {at, 4}});
    list += p.name + p.list_extra;
  }
  const std::uint64_t at = out.size(), n = parts.size();
  out += list;
  if (zip64) {
    const std::uint64_t record = out.size();
    out += Numbers({{0x06064b50, 4}, {44, 8}, {45, 2}, {45, 2}, {0, 8}, {n, 8}, {n, 8}, {list.size(), 8}, {at, 8}});
    out += Numbers({{0x07064b50, 4}, {0, 4}, {record, 8}, {1, 4}});
    return out + Numbers({{0x06054b50, 4}, {0, 4}, {0xffff, 2}, {0xffff, 2}, {~0u, 4}, {~0u, 4}, {0, 2}});
  }
  return out + Numbers({{0x06054b50, 4}, {0, 4}, {n, 2}, {n, 2}, {list.size(), 4}, {at, 4}, {0, 2}});
}

Result<std::string> First(const std::string& file, const ZipLimits& limits = {}) {
  SlimVector<ZipMember> members;
  TENON_RETURN_IF_ERROR(ReadZipMembers(Bytes(file), "here", &members));
  if (members.empty()) return std::string();
  Tensor made;
  TENON_ASSIGN_OR_RETURN(const auto bytes, ReadZipMember(Bytes(file), members[0], "here", limits, &made));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
void Refused(const std::string& file, Code code, std::string_view text, const ZipLimits& limits = {}) {
  const Status s = First(file, limits).status();
  CHECK_MESSAGE(s.code() == code, s.ToString());
  CHECK_MESSAGE(s.message().find(text) != std::string_view::npos, s.message());
  CHECK(StartsWith(s.message(), "here"));
}
const std::string kPacked = "\xcb\x48\xcd\xc9\xc9\x07\x00"s;  // "hello"
Part Packed() { return {.data = kPacked, .method = 8}; }

}  // namespace

TEST_SUITE("ReadZipMembers") {
  TEST_CASE("stored and deflated members, in the order of the list") {
    const std::string file = Zip({{.name = "b"}, Packed(), {.name = "dir/c:0", .data = "", .bytes = 0, .crc = 0}});
    SlimVector<ZipMember> members;
    REQUIRE(ReadZipMembers(Bytes(file), "here", &members).ok());
    REQUIRE(members.size() == 3);
    CHECK(members[0].name == "b");
    CHECK(members[1].deflated);
    CHECK(members[2].name == "dir/c:0");
    CHECK(*First(file) == "hello");
    CHECK(*First(Zip({Packed()})) == "hello");
    CHECK(*First(Zip({})) == "");
    CHECK(*First(Zip({{}}, true)) == "hello");
    std::string commented = Zip({{}});
    commented[commented.size() - 2] = 3;
    CHECK(*First(commented + "abc") == "hello");
  }
  TEST_CASE("sizes behind the data, in four forms") {
    const std::uint32_t crc = Crc32("hello");
    for (const std::string& behind :
         {Numbers({{0x08074b50, 4}, {crc, 4}, {7, 4}, {5, 4}}), Numbers({{crc, 4}, {7, 4}, {5, 4}}),
          Numbers({{0x08074b50, 4}, {crc, 4}, {7, 8}, {5, 8}}), Numbers({{crc, 4}, {7, 8}, {5, 8}})}) {
      CHECK(*First(Zip({{.data = kPacked, .method = 8, .flags = 8, .behind = behind}, {.name = "b"}})) == "hello");
      Refused(Zip({{.data = kPacked, .method = 8, .flags = 8, .behind = behind.substr(1)}}), Code::kDataLoss,
              "what follows the data of member 'a.npy' does not have the check sum and sizes");
    }
  }
  TEST_CASE("sizes and places of 64 bits") {
    Part p;
    p.list_bytes = 0xffffffff;
    p.list_extra = Numbers({{7, 2}, {1, 2}, {9, 1}, {1, 2}, {8, 2}, {5, 8}});
    CHECK(*First(Zip({p})) == "hello");
    p.list_extra = Numbers({{1, 2}, {4, 2}, {5, 4}});
    Refused(Zip({p}), Code::kDataLoss, "the zip64 field is too short");
    p.list_extra = Numbers({{1, 2}, {8, 2}, {5, 4}});
    Refused(Zip({p}), Code::kDataLoss, "an extra field goes beyond its entry's end");
    p.list_extra = "";
    Refused(Zip({p}), Code::kDataLoss, "a size or place of more than 32 bits is missing");
    std::string far = Zip({{}}, true);
    far[far.size() - 22 - 20 + 8] ^= 1;
    Refused(far, Code::kDataLoss, "there is no zip64 record at byte");
    far = Zip({{}}, true);
    far[far.size() - 22 + 10] = 9, far[far.size() - 22 + 11] = 0;
    Refused(far, Code::kDataLoss, "differ");
  }
  TEST_CASE("every cut and every changed byte is an error or harmless") {
    const std::string good = Zip({Packed(), {.name = "b"}});
    for (std::size_t n = 0; n < good.size(); ++n) {
      CHECK(First(good.substr(0, n)).status().code() == Code::kDataLoss);
      for (const int change : {1, 0x80, 0xff}) {
        std::string bad = good;
        bad[n] = static_cast<char>(bad[n] ^ change);
        if (const Result<std::string> s = First(bad); s.ok()) CHECK(*s == "hello");
      }
    }
    Refused("hello", Code::kDataLoss, " is not a zip file: it has 5 bytes");
    Refused(std::string(100000, 'x'), Code::kDataLoss, "is not a zip file or cut short");
  }
  TEST_CASE("names that lead out of a folder, and names twice") {
    for (const char* name : {"../a", "a/../b", "..", "a/..", "/etc/passwd", "C:/a", "a\\b", "a\nb", "\x7f"})
      Refused(Zip({{.name = name}}), Code::kInvalidArgument, "' is refused: it ");
    Refused(Zip({{.name = ""}}), Code::kInvalidArgument, "it is empty");
    Refused(Zip({{.name = "a\0b"s}}), Code::kInvalidArgument, "it has a control character");
    CHECK(First(Zip({{.name = "a..b/...c"}})).ok());
    for (const char* name : {"x:0.npy", "C:a", "c:", "a/C:/b"}) CHECK(First(Zip({{.name = name}})).ok());
    Refused(Zip({{}, {}}), Code::kDataLoss, "there are two members 'a.npy'; the other one is at byte 0");
  }
  TEST_CASE("bytes of two members") {
    Refused(Zip({{}, {.name = "a.npy2", .local_name = "a.npy", .list_at = 0}}), Code::kDataLoss, "differ");
    // The second header lies in the data of the first.
    const std::string inner = Zip({{.name = "b"}}).substr(0, 36);
    Part outer{.name = "a", .data = inner, .bytes = inner.size(), .crc = Crc32(inner)};
    Refused(Zip({outer, {.name = "b", .list_at = 31}}), Code::kDataLoss, "members 'a' and 'b' overlap");
  }
  TEST_CASE("a header and the list that differ") {
    Refused(Zip({{.local_name = "b.npy"}}), Code::kDataLoss,
            "the header of member 'a.npy' and the list of members differ");
    Refused(Zip({{.data = kPacked, .method = 8, .list_bytes = 6}}), Code::kDataLoss, "different sizes or check sums");
    Refused(Zip({{.list_at = 3}}), Code::kDataLoss, "at byte 3: there is no header of member 'a.npy'");
    Refused(Zip({{.list_at = 0xfffffff0}}), Code::kDataLoss, "there is no header");
    Refused(Zip({{.bytes = 6}}), Code::kDataLoss, "is stored, and its two sizes differ");
  }
  TEST_CASE("what cannot be read") {
    Refused(Zip({{.flags = 1}}), Code::kInvalidArgument, "is encrypted");
    Refused(Zip({{.flags = 0x20}}), Code::kInvalidArgument, "is a patch of another file");
    Refused(Zip({{.method = 12}}), Code::kInvalidArgument,
            "is compressed by method 12; stored (0) and deflated (8) ones can be read");
    std::string parts = Zip({{}});
    parts[parts.size() - 22 + 4] = 1;
    Refused(parts, Code::kInvalidArgument, "a zip file in several parts");
  }
}

TEST_SUITE("ReadZipMember") {
  TEST_CASE("damaged data") {
    Part p;
    p.crc ^= 1;
    Refused(Zip({p}), Code::kDataLoss,
            "member 'a.npy' at byte 35 is damaged: its check sum is 907060870, and 907060871 is declared");
    CHECK(*First(Zip({p}), {.check_crc = false}) == "hello");
    p = Packed();
    p.data[0] = 7;
    Refused(Zip({p}), Code::kDataLoss, "member 'a.npy' at byte 35: at byte 1 of the compressed data: ");
  }
  TEST_CASE("bombs: the declared size counts before there is memory for it, and no more is made") {
    const std::string zeros = Deflate(std::string(1 << 20, '\0'));
    Part p{.data = zeros, .method = 8, .bytes = 1 << 20, .crc = Crc32(std::string(1 << 20, '\0'))};
    CHECK(First(Zip({p}))->size() == 1 << 20);
    Refused(Zip({p}), Code::kResourceExhausted, "has 1048576 bytes, and the limit is 1000", {.max_bytes = 1000});
    Refused(Zip({p}), Code::kResourceExhausted, "more than the ratio of 10 that is allowed", {.max_ratio = 10});
    p.bytes = 1000;  // a lie
    Refused(Zip({p}), Code::kDataLoss, "they make more bytes than are declared");
    p.bytes = 0xfffffff0;
    Refused(Zip({p}), Code::kDataLoss, "deflated bytes cannot make the 4294967280 that are declared");
  }
}

TEST_SUITE("ZipWriter") {
  TEST_CASE("what it writes is read, at multiples of 64") {
    ZipWriter writer;
    const std::string text(1000, 'x');
    REQUIRE(writer.Add("one", "head", "data", false).ok());
    REQUIRE(writer.Add("two", "", text, true).ok());
    REQUIRE(writer.Add("three", "", "abc", true).ok());  // stored: nothing to gain
    std::string file;
    const auto pieces = writer.Pieces();
    REQUIRE(pieces.ok());
    for (const std::string_view piece : *pieces) file += piece;
    SlimVector<ZipMember> members;
    const Status s = ReadZipMembers(Bytes(file), "here", &members);
    REQUIRE_MESSAGE(s.ok(), s.message());
    const std::string expected[] = {"headdata", text, "abc"};
    for (std::size_t i = 0; i < 3; ++i) {
      Tensor made;
      const auto bytes = ReadZipMember(Bytes(file), members[i], "here", {}, &made);
      REQUIRE_MESSAGE(bytes.ok(), bytes.status().message());
      CHECK((std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size()) == expected[i]));
      CHECK(members[i].data_at % 64 == 0);
      CHECK(members[i].deflated == (i == 1));
    }
  }
  TEST_CASE("more members than 16 bits count") {
    ZipWriter writer;
    for (int i = 0; i < 65536; ++i) REQUIRE(writer.Add(std::to_string(i), "", "", false).ok());
    std::string file;
    const auto pieces = writer.Pieces();
    REQUIRE(pieces.ok());
    for (const std::string_view piece : *pieces) file += piece;
    SlimVector<ZipMember> members;
    const Status s = ReadZipMembers(Bytes(file), "here", &members);
    REQUIRE_MESSAGE(s.ok(), s.message());
    CHECK(members.size() == 65536);
  }
  TEST_CASE("refuses what it would not read") {
    ZipWriter writer;
    CHECK(writer.Add("../a", "", "", false).code() == Code::kInvalidArgument);
    CHECK(writer.Add(std::string(70000, 'a'), "", "", false).code() == Code::kInvalidArgument);
    REQUIRE(writer.Add("a", "", "", false).ok());
    REQUIRE(writer.Add("a", "", "", false).ok());
    CHECK(writer.Pieces().status().code() == Code::kAlreadyExists);
  }
}
}  // namespace zip_test
