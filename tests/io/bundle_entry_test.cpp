// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/bundle_entry.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

  TEST_CASE("slices of which none overlaps another, and any two that do") {
    // Cut along rows, along columns, and a grid, in an order of its own.
    const auto grid = [](Index rows, Index columns) {
      SlimVector<TensorSlice> slices;
      for (Index i = 0; i < rows * columns; ++i) {
        const Index at = i * 7 % (rows * columns);
        TensorSlice slice;
        slice.Add(at / columns * 3, 3);
        slice.Add(at % columns * 2, 2);
        slices.push_back(slice);
      }
      return slices;
    };
    for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{1, 50}, std::pair{50, 1}, std::pair{11, 13}}) {
      const TensorShape shape{3 * rows, 2 * columns};
      SlimVector<TensorSlice> slices = grid(rows, columns);
      CHECK(detail::CheckSlices("k", shape, slices).ok());
      for (int at = 0; at < rows * columns; at += 7) {
        TensorSlice one;  // the last element of that part
        one.Add(at / columns * 3 + 2, 1);
        one.Add(at % columns * 2 + 1, 1);
        slices.push_back(one);
        CHECK(detail::CheckSlices("k", shape, slices).message().find("new slice = " + one.DebugString()) !=
              std::string::npos);
        slices.pop_back();
      }
      slices.push_back(TensorSlice(2));
      CHECK(detail::CheckSlices("k", shape, slices).code() == Code::kInternal);
    }
    CHECK(detail::CheckSlices("k", {}, {}).ok());
    CHECK(detail::CheckSlices("k", {}, {TensorSlice(0)}).ok());
    CHECK(detail::CheckSlices("k", {}, {TensorSlice(0), TensorSlice(0)}).code() == Code::kInternal);
    TensorSlice none, all;  // no elements, between those of the other
    none.Add(1, 0);
    all.Add(0, 3);
    CHECK(detail::CheckSlices("k", {3}, {all, none}).ok());
    // As far as the numbers go.
    TensorSlice last;
    last.Add(INT64_MAX, 0);
    CHECK(detail::CheckSlices("k", {INT64_MAX}, {last, last}).ok());
  }

  TEST_CASE("very many slices") {
    SlimVector<TensorSlice> slices;
    for (Index i = 0; i < 200000; ++i) {
      TensorSlice slice;
      slice.Add(199999 - i, 1);
      slice.Add(0, TensorSlice::kFull);
      slices.push_back(slice);
    }
    CHECK(detail::CheckSlices("k", {200000, 4}, slices).ok());
    // None overlaps, but each has a place in common with half of the others in every dimension.
    slices.clear();
    for (Index i = 0; i < 1 << 14; ++i) {
      TensorSlice slice;
      for (int d = 0; d < 14; ++d) slice.Add(i >> d & 1, 1);
      slices.push_back(slice);
    }
    const Status status = detail::CheckSlices("k", {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, slices);
    CHECK(status.code() == Code::kResourceExhausted);
    CHECK(status.message().find("the 16384 slices of 'k'") == 0);
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
