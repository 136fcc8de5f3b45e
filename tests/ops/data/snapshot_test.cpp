// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/data/snapshot.hpp>

#include "ops/data/pipeline.hpp"
#include "temp_folder.hpp"

namespace data_snapshot_test {
using namespace data_test;
using namespace std::string_literals;

namespace {

// 0, 1 and 2 as TensorFlow writes them.
const std::string kElements =
    "\x0e\0\0\0\0\0\0\0\xc5\xe5\x69\x3f\x08\x09\x12\0\"\x08\0\0\0\0\0\0\0\0\x88\x2b\x95\xea"
    "\x0e\0\0\0\0\0\0\0\xc5\xe5\x69\x3f\x08\x09\x12\0\"\x08\x01\0\0\0\0\0\0\0\xa0\xbd\xdf\x54"
    "\x0e\0\0\0\0\0\0\0\xc5\xe5\x69\x3f\x08\x09\x12\0\"\x08\x02\0\0\0\0\0\0\0\x19\x4f\x12\x5f"s;

void Write(const std::string& path, std::string_view bytes) {
  REQUIRE(MakeFoldersOf(path).message() == "");
  REQUIRE(WriteFile(path, bytes).message() == "");
}
void Shard(Pipeline& p, const std::string& folder, std::int64_t start) {
  p.Iterate(p.b.Add("SnapshotDatasetReader", "shard",
                    {p.b.Const("folder", Tensor::Scalar(std::string_view(folder))), p.Number("start", start)},
                    {{"output_types", TypesOf({DataType::kInt64})},
                     {"output_shapes", AnyShapes(1)},
                     {"version", AttrValue(std::int64_t{2})}}));
  p.Start();
}

}  // namespace

TEST_SUITE("saved datasets") {
  TEST_CASE("a shard of several files, from an element on, and a saved position") {
    const TempFolder folder;
    Write(folder.path() + "/00000000.snapshot", kElements);
    Write(folder.path() + "/00000001.snapshot", kElements);
    for (const std::int64_t start : {0, 1, 4, 6, 9}) {
      Pipeline p;
      Shard(p, folder.path(), start);
      Numbers all = {0, 1, 2, 0, 1, 2};
      all.erase(all.begin(), all.begin() + (start < 6 ? start : 6));
      const Numbers first = p.Take(1);
      CHECK(first.size() == (all.empty() ? 0 : 1));
      const Result<std::vector<Tensor>> saved = p.session.Run({}, std::vector<std::string>{"save"});
      REQUIRE(saved.status().message() == "");
      const Numbers rest = p.Take(9);
      p.Do("restore", {{"saved", (*saved)[0]}});
      CHECK(p.Take(9) == rest);
      Numbers both = first;
      both.insert(both.end(), rest.begin(), rest.end());
      CHECK(both == all);
    }
  }
  TEST_CASE("metadata as TensorFlow writes and reads it") {
    const TempFolder folder;
    const std::string bytes =
        "\x12\x01"
        "7\x18\x05\x20\x02*\x01\x09\x30\x07\xc0\x3e\x01"s;
    Write(folder.path() + "/snapshot.metadata", bytes);
    ops::detail::SnapshotMetadata metadata;
    REQUIRE(ops::detail::ReadSnapshotMetadata(folder.path(), &metadata).message() == "");
    CHECK(metadata.run_id == "7");
    CHECK(metadata.creation_timestamp == 5);
    CHECK(metadata.version == 2);
    CHECK(metadata.dtypes.size() == 1);
    CHECK(metadata.num_elements == 7);
    CHECK(metadata.finalized);
    std::string again;
    wire::SerializeTo(metadata, &again);
    CHECK(again == bytes);
    CHECK(ops::detail::ReadSnapshotMetadata(folder.path() + "/none", &metadata).code() == Code::kNotFound);
  }
  TEST_CASE("numbers of shards and files have eight digits or more") {
    CHECK(ops::detail::NumberedName(7, ".shard") == "00000007.shard");
    CHECK(ops::detail::NumberedName(1234567890, ".shard") == "1234567890.shard");
  }
}
}  // namespace data_snapshot_test
