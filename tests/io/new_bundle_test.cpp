// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/new_bundle.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/io/bundle_writer.hpp>
#include <tenon/io/folders.hpp>

#include <temp_folder.hpp>

namespace new_bundle_test {
using namespace tenon;
using namespace tenon::detail;

TEST_SUITE("NewFile") {
  TEST_CASE("a file has its name when it takes it, and goes when it does not") {
    const TempFolder folder;
    const std::string path = folder / "file";
    {
      NewFile file;
      REQUIRE(WriteUnnamed(path, "one", &file).ok());
      CHECK(!FileExists(path));
      CHECK(FileExists(file.temporary()));
      CHECK(FolderOf(file.temporary()) == folder.path());
    }
    CHECK(MatchFiles(folder / "*")->empty());
    NewFile file;
    REQUIRE(WriteUnnamed(path, "two", &file).ok());
    REQUIRE(file.TakeName().ok());
    file.Drop();
    CHECK(MatchFiles(folder / "*")->size() == 1);
    CHECK(WriteUnnamed("/none/file", "x", &file).code() == Code::kNotFound);
  }
}

TEST_SUITE("PublishBundle") {
  TEST_CASE("the number of data files that an index names") {
    const TempFolder folder;
    CHECK(*ShardsOfIndex(folder / "m.index") == 0);
    REQUIRE(WriteFile(folder / "m.index", "rubbish").ok());
    CHECK(*ShardsOfIndex(folder / "m.index") == 0);
    BundleWriter writer(folder / "m");
    REQUIRE(writer.Open().ok());
    REQUIRE(writer.Finish().ok());
    CHECK(*ShardsOfIndex(folder / "m.index") == 1);
    CHECK(ShardsOfIndex(folder.path()).status().code() == Code::kFailedPrecondition);  // a folder
  }

  TEST_CASE("a data file that is missing leaves the old checkpoint") {
    const TempFolder folder;
    BundleWriter writer(folder / "m");
    REQUIRE(writer.Open().ok());
    REQUIRE(writer.Finish().ok());
    const std::string none[] = {folder / "none"};
    CHECK(PublishBundle(folder / "m", none, BundleEntries()).code() == Code::kNotFound);
    CHECK(*ShardsOfIndex(folder / "m.index") == 1);
    CHECK(FileExists(folder / "m.data-00000-of-00001"));
  }
}
}  // namespace new_bundle_test
