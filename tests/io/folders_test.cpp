// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/folders.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <temp_folder.hpp>

#include "base/sized_thread.hpp"

namespace folders_test {
using namespace tenon;

namespace {

std::string Found(std::string_view pattern) {
  const Result<SlimVector<std::string>> names = MatchFiles(pattern);
  REQUIRE_MESSAGE(names.ok(), names.status().ToString());
  return StrJoin(*names, " ");
}
void Make(const std::string& path) {
  REQUIRE(MakeFoldersOf(path).ok());
  REQUIRE(WriteFile(path, "x").ok());
}

}  // namespace

TEST_SUITE("MatchFiles") {
  TEST_CASE("patterns, with TensorFlow's answers") {
    const InTempFolder here;
    for (const char* path : {"d/b.txt", "d/a.txt", "d/c.log", "e/a.txt", "d/.hidden", "top"}) Make(path);
    CHECK(Found("d/*.txt") == "d/a.txt d/b.txt");
    CHECK(Found("d/?.log") == "d/c.log");
    CHECK(Found("*/a.txt") == "./d/a.txt ./e/a.txt");
    CHECK(Found("**/a.txt") == "./d/a.txt ./e/a.txt");
    CHECK(Found("d/[ab].txt") == "d/a.txt d/b.txt");
    CHECK(Found("d/[a-b].txt") == "d/a.txt d/b.txt");
    CHECK(Found("d/[!a]*.txt") == "d/b.txt");
    CHECK(Found("d/[^a].txt") == "d/b.txt");
    CHECK(Found("d/\\a.txt") == "d/a.txt");
    CHECK(Found("d/\\*").empty());
    CHECK(Found("d/none*").empty());
    CHECK(Found("none/*").empty());
    CHECK(Found("top/*").empty());
    CHECK(Found("d/[").empty());
    CHECK(Found("[").empty());
    CHECK(Found("").empty());
    CHECK(Found("d/a.txt") == "d/a.txt");
    CHECK(Found("d//a.txt") == "d//a.txt");
    CHECK(Found("d/../d/a.txt") == "d/../d/a.txt");
    CHECK(Found("d") == "d");
    CHECK(Found("d/") == "d/");
    CHECK(Found("nothing").empty());
    CHECK(Found("*") == "./d ./e ./top");
    CHECK(Found("d/*") == "d/.hidden d/a.txt d/b.txt d/c.log");
    CHECK(Found(here.path() + "/e/*") == here.path() + "/e/a.txt");
    CHECK(Found(std::string(5000, 'a')).empty());
    CHECK(Found(std::string(5000, '*')) == "./d ./e ./top");
    std::string deep;
    for (int i = 0; i < 500000; ++i) deep += "d/";
    CHECK(Found(deep + "a.txt").empty());
#if !defined(_WIN32)  // the name is too long there, so there is no such folder
    CHECK(!MatchFiles(deep + "*").ok());
#endif
    sized_thread::OnShortStack([] { CHECK(errors::IsResourceExhausted(MatchFiles("*/*").status())); });
  }
}

TEST_SUITE("MakeFoldersOf") {
  TEST_CASE("folders that are there and that are not") {
    const InTempFolder here;
    CHECK(MakeFoldersOf("file").ok());
    CHECK(Found("*").empty());
    CHECK(MakeFoldersOf("a/b/file").ok());
    CHECK(MakeFoldersOf("a/b/file").ok());
    CHECK(Found("*/*") == "./a/b");
    CHECK(MakeFoldersOf(here.path() + "/c/file").ok());
    CHECK(Found("*") == "./a ./c");
    CHECK(MakeFoldersOf("/proc/none/file").code() != Code::kOk);
  }
  TEST_CASE("the parts of names") {
    CHECK(detail::FolderOf("a/b/c") == "a/b");
    CHECK(detail::FolderOf("c").empty());
    CHECK(detail::FileExists("/"));
    CHECK(!detail::FileExists("/nowhere"));
    CHECK(detail::TemporaryName("a").find("a.") == 0);
    CHECK(detail::TemporaryName("a") != detail::TemporaryName("a"));
  }
}
}  // namespace folders_test
