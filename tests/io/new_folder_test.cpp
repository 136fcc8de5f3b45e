// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/new_folder.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "temp_folder.hpp"

namespace new_folder_test {
using namespace tenon;
using tenon::detail::FileExists;
using tenon::detail::NewFolder;

namespace {
SlimVector<std::string> NamesIn(const std::string& folder) {
  SlimVector<std::string> names;
  REQUIRE(tenon::detail::ListFolder(folder + "/", &names) == 0);
  return names;
}
}  // namespace

TEST_SUITE("NewFolder") {
  TEST_CASE("appears whole, or not at all") {
    const TempFolder parent;
    const std::string path = parent / "deep/er/model";
    {
      Result<NewFolder> folder = NewFolder::Make(path + "/");
      REQUIRE(folder.ok());
      REQUIRE(MakeFoldersOf(folder->path() + "/variables/x").ok());
      REQUIRE(WriteFile(folder->path() + "/variables/x", "bytes").ok());
      CHECK_FALSE(FileExists(path));
    }
    CHECK(NamesIn(parent / "deep/er").empty());
    Result<NewFolder> folder = NewFolder::Make(path);
    REQUIRE(folder.ok());
    REQUIRE(WriteFile(folder->path() + "/x", "bytes").ok());
    REQUIRE(folder->Finish().ok());
    CHECK(FileExists(path + "/x"));
    CHECK(NamesIn(parent / "deep/er").size() == 1);
  }
  TEST_CASE("takes the place of an empty folder only") {
    const TempFolder parent;
    REQUIRE(MakeFoldersOf(parent / "empty/").ok());
    Result<NewFolder> folder = NewFolder::Make(parent / "empty");
    REQUIRE(folder.ok());
    REQUIRE(WriteFile(folder->path() + "/x", "bytes").ok());
    REQUIRE(folder->Finish().ok());
    const Status again = NewFolder::Make(parent / "empty").status();
    CHECK(again.code() == Code::kAlreadyExists);
    CHECK(again.message().find("a new or an empty folder is wanted") != std::string::npos);
    CHECK(NewFolder::Make(parent / "empty/x").status().code() == Code::kAlreadyExists);
  }
  TEST_CASE("another one came first") {
    const TempFolder parent;
    Result<NewFolder> folder = NewFolder::Make(parent / "m");
    REQUIRE(folder.ok());
    REQUIRE(MakeFoldersOf(parent / "m/").ok());
    REQUIRE(WriteFile(parent / "m/x", "other").ok());
    CHECK(folder->Finish().code() == Code::kAlreadyExists);
  }
}
}  // namespace new_folder_test
