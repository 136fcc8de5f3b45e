// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/bundle_entry.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace bundle_entry_test {
using namespace tenon;
using namespace std::string_literals;

TEST_SUITE("BundleEntry") {
  TEST_CASE("names of files") {
    CHECK(detail::BundleIndexName("/a/model") == "/a/model.index");
    CHECK(detail::BundleDataName("/a/model", 3, 10) == "/a/model.data-00003-of-00010");
    CHECK(detail::ShardName("m", 123456, 1234567) == "m-123456-of-1234567");
    CHECK(detail::ShardName("m", -1, 3) == "m--0001-of-00003");
    CHECK(detail::ShardName("m", INT64_MIN, INT64_MIN) == "m--9223372036854775808-of--9223372036854775808");
  }

  TEST_CASE("an entry of a file that TensorFlow wrote") {
    const std::string bytes = "\x08\x01\x12\x08\x12\x02\x08\x04\x12\x02\x08\x03\x28\x30\x35\x5f\xc1\x8b\xcc"s;
    const Result<BundleEntry> entry = BundleEntry::Parse(bytes);
    REQUIRE(entry.ok());
    TensorShape shape;
    CHECK(entry->GetDtype() == DataType::kFloat);
    CHECK(entry->DtypeName() == "float");
    REQUIRE(entry->GetShape("k", &shape).ok());
    CHECK(shape == TensorShape({4, 3}));
    CHECK(entry->size == 48);
    CHECK(entry->offset == 0);
    CHECK(entry->shard == 0);
    CHECK(entry->crc == 0xcc8bc15f);
    CHECK(entry->slices.empty());
    CHECK(entry->Serialize() == bytes);
  }

  TEST_CASE("an entry with slices") {
    const std::string bytes =
        "\x08\x01\x12\x08\x12\x02\x08\x03\x12\x02\x08\x06\x3a\x08\x0a\x02\x10\x03\x0a\x02\x10\x03"
        "\x3a\x0a\x0a\x02\x10\x03\x0a\x04\x08\x03\x10\x03"s;
    const Result<BundleEntry> entry = BundleEntry::Parse(bytes);
    REQUIRE(entry.ok());
    REQUIRE(entry->slices.size() == 2);
    CHECK(entry->slices[0].DebugString() == "0,3:0,3");
    CHECK(entry->slices[1].DebugString() == "0,3:3,3");
    CHECK(entry->Serialize() == bytes);
    CHECK(detail::CheckSlices("k", {3, 6}, entry->slices).ok());
    CHECK(detail::CheckSlices("k", {3, 5}, entry->slices).code() == Code::kInternal);
    SlimVector<TensorSlice> slices = entry->slices;
    slices.push_back(slices[0]);
    CHECK(detail::CheckSlices("k", {3, 6}, slices).message().find("Overlapping slices") == 0);
    TensorSlice negative;
    negative.Add(-1, 2);
    slices.clear();
    slices.push_back(negative);
    CHECK(detail::CheckSlices("k", {6}, slices).code() == Code::kDataLoss);
  }

  TEST_CASE("numbers that are no types and no shapes") {
    const BundleEntry none = *BundleEntry::Parse("");
    CHECK(none.GetDtype() == DataType::kInvalid);
    CHECK(none.DtypeName() == "INVALID");
    const BundleEntry odd =
        *BundleEntry::Parse("\x08\x4d\x12\x0d\x12\x0b\x08\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01"s);
    CHECK(odd.GetDtype() == DataType::kInvalid);
    CHECK(odd.DtypeName() == "unknown dtype enum (77)");
    TensorShape shape;
    const Status status = odd.GetShape("k", &shape);
    CHECK(status.code() == Code::kDataLoss);
    CHECK(status.message().find("Invalid tensor shape: k") == 0);
    std::string long_shape;
    for (int i = 0; i < 300; ++i) long_shape += "\x12\x02\x08\x01"s;
    const std::string bytes = "\x12"s + "\xb0\x09" + long_shape;
    REQUIRE(BundleEntry::Parse(bytes).ok());
    CHECK(BundleEntry::Parse(bytes)->GetShape("k", &shape).code() == Code::kDataLoss);
  }

  TEST_CASE("every beginning of an entry, and every byte changed: an entry or DataLoss") {
    const std::string bytes =
        "\x08\x01\x12\x08\x12\x02\x08\x03\x12\x02\x08\x06\x18\x02\x20\x81\x01\x28\x30\x35\x5f\xc1\x8b\xcc"
        "\x3a\x08\x0a\x02\x10\x03\x0a\x02\x10\x03"s;
    REQUIRE(BundleEntry::Parse(bytes).ok());
    for (std::size_t keep = 0; keep < bytes.size(); ++keep) {
      const Status status = BundleEntry::Parse(std::string_view(bytes).substr(0, keep)).status();
      CHECK((status.ok() || status.code() == Code::kDataLoss));
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = bytes;
        changed[at] = static_cast<char>(byte);
        const Result<BundleEntry> entry = BundleEntry::Parse(changed);
        if (!entry.ok()) CHECK(entry.status().code() == Code::kDataLoss);
      }
    }
  }

  TEST_CASE("BundleHeader") {
    const std::string bytes = "\x08\x03\x1a\x02\x08\x01"s;
    const Result<BundleHeader> header = BundleHeader::Parse(bytes);
    REQUIRE(header.ok());
    CHECK(header->shards == 3);
    CHECK(!header->big_endian);
    CHECK(header->version.producer == 1);
    CHECK(header->Serialize() == bytes);
    const BundleHeader other = *BundleHeader::Parse("\x08\x01\x10\x01\x1a\x07\x08\x02\x10\x03\x1a\x01\x05"s);
    CHECK(other.big_endian);
    CHECK(other.version.min_consumer == 3);
    REQUIRE(other.version.bad_consumers.size() == 1);
    CHECK(other.version.bad_consumers[0] == 5);
    CHECK(BundleHeader::Parse("\xff"s).status().code() == Code::kDataLoss);
    CHECK(BundleHeader::Parse("\x1a\x05"s).status().code() == Code::kDataLoss);
  }
}
}  // namespace bundle_entry_test
