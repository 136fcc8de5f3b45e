// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>
#include <string_view>

#include <tenon/io/mapped_file.hpp>
#include <tenon/io/record_files.hpp>

#include <doctest/doctest.h>

#include "temp_folder.hpp"

namespace record_files_test {
using namespace tenon;

namespace {

std::string Text(const Result<SlimVector<std::string>>& files) {
  if (!files.ok()) return files.status().ToString();
  std::string text;
  for (const std::string& file : *files) text += (text.empty() ? "" : " ") + file.substr(file.rfind('/') + 1);
  return text;
}
bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_SUITE("ShardedFiles") {
  TEST_CASE("names of shards") {
    CHECK(ShardName("a/b", 3, 10) == "a/b-00003-of-00010");
    CHECK(ShardName("x", 123456, 1000000) == "x-123456-of-1000000");
    ShardParts parts;
    REQUIRE(ParseShardName("a-of-b-00003-of-00010", &parts));
    CHECK(parts.name == "a-of-b");
    CHECK((parts.shard == 3 && parts.shards == 10));
    for (const char* bad : {"", "a", "-of-", "a-0003-of-00010", "a-00010-of-00010", "a-00001-of-0001x",
                            "a-000001-of-00010", "a-00001-of-99999999", "00001-of-00002"})
      CHECK_FALSE(ParseShardName(bad, &parts));
  }
  TEST_CASE("all shards, or NotFound with the name of the missing one") {
    const TempFolder folder;
    for (int shard = 0; shard < 3; ++shard) REQUIRE(WriteFile(ShardName(folder / "d", shard, 3), "").ok());
    REQUIRE(WriteFile(folder / "other", "").ok());
    const std::string all = "d-00000-of-00003 d-00001-of-00003 d-00002-of-00003";
    CHECK(Text(ShardedFiles(folder / "d@3")) == all);
    CHECK(Text(ShardedFiles(folder / "d@*")) == all);
    CHECK(Text(ShardedFiles(folder / "d-*-of-00003")) == all);
    CHECK(Text(ShardedFiles(folder / "d-?*-of-?*")) == all);
    CHECK(Text(ShardedFiles(folder / "*")) == all + " other");
    CHECK(Text(ShardedFiles(folder / "d-00001-of-00003")) == "d-00001-of-00003");
    CHECK(Text(ShardedFiles(folder / "other")) == "other");
    std::remove((folder / "d-00001-of-00003").c_str());
    for (const char* name : {"d@3", "d@*", "d-*-of-00003", "*"}) {
      const std::string text = Text(ShardedFiles(folder / name));
      CHECK_MESSAGE(Has(text, "NOT_FOUND: ShardedFiles: shard 1 of 3 is missing: '" + (folder / "d-00001-of-00003")),
                    text);
    }
    // The pattern does not ask for the missing one.
    CHECK(Text(ShardedFiles(folder / "d-0000[02]-of-00003")) == "d-00000-of-00003 d-00002-of-00003");
    CHECK(Has(Text(ShardedFiles(folder / "d@4")), "shard 0 of 4 is missing"));
  }
  TEST_CASE("patterns without a folder") {
    const InTempFolder folder;
    REQUIRE(WriteFile("d-00000-of-00002", "").ok());
    CHECK(Has(Text(ShardedFiles("d*")), "is missing: './d-00001-of-00002'"));
    CHECK(Has(Text(ShardedFiles("d@2")), "is missing: 'd-00001-of-00002'"));
    CHECK(Has(Text(ShardedFiles("*@*")), "INVALID_ARGUMENT"));
    CHECK(Has(Text(ShardedFiles("d@*")), "is missing: 'd-00001-of-00002'"));
    REQUIRE(WriteFile("d-00001-of-00002", "").ok());
    for (const char* const name : {"d@*", "./d@*", "d@2", "d-*"})
      CHECK(Text(ShardedFiles(name)) == "d-00000-of-00002 d-00001-of-00002");
  }
  TEST_CASE("mistakes") {
    const TempFolder folder;
    CHECK(Has(Text(ShardedFiles(folder / "none")), "NOT_FOUND"));
    CHECK(Has(Text(ShardedFiles(folder / "none*")), "NOT_FOUND: ShardedFiles: no file matches"));
    CHECK(Has(Text(ShardedFiles(folder / "none@*")), "NOT_FOUND: ShardedFiles: no shards match"));
    CHECK(Has(Text(ShardedFiles(folder / "none@0")), "INVALID_ARGUMENT"));
    CHECK(Has(Text(ShardedFiles(folder / "none@99999999999999")), "INVALID_ARGUMENT"));
    REQUIRE(WriteFile(folder / "d-00000-of-00001", "").ok());
    REQUIRE(WriteFile(folder / "d-00000-of-00002", "").ok());
    CHECK(Has(Text(ShardedFiles(folder / "d@*")), "finds 1 and 2 shards; name one of the two numbers"));
  }
}
}  // namespace record_files_test
