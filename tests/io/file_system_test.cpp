// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/file_system.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

#include <temp_folder.hpp>

namespace file_system_test {
using namespace tenon;
using namespace tenon::detail;

namespace {

void Write(const char* name, std::string_view text) {
  std::FILE* const file = std::fopen(name, "wb");
  REQUIRE(file != nullptr);
  CHECK(std::fwrite(text.data(), 1, text.size(), file) == text.size());
  std::fclose(file);
}
std::string Read(const char* name) {
  std::FILE* const file = std::fopen(name, "rb");
  if (file == nullptr) return "none";
  char text[16] = {};
  const std::size_t size = std::fread(text, 1, sizeof text, file);
  std::fclose(file);
  return std::string(text, size);
}

}  // namespace

TEST_CASE("files and folders are told apart") {
  const InTempFolder here;
  Write("file", "x");
  CHECK(MakeFolder("folder") == 0);
  CHECK(MakeFolder("folder") == EEXIST);
  CHECK(MakeFolder("none/folder") == ENOENT);
  CHECK(KindOf("file") == detail::PathKind::kFile);
  CHECK(KindOf("folder") == detail::PathKind::kFolder);
  CHECK(KindOf("folder/") == detail::PathKind::kFolder);
  CHECK(KindOf("none") == detail::PathKind::kNone);
  CHECK(KindOf("file/") == detail::PathKind::kNone);
  CHECK(KindOf("/") == detail::PathKind::kFolder);
}

TEST_CASE("a file gets a second name") {
  const InTempFolder here;
  Write("file", "x");
  REQUIRE(LinkFile("file", "other") == 0);
  CHECK(Read("other") == "x");
  CHECK(LinkFile("file", "other") != 0);
  CHECK(LinkFile("none", "third") != 0);
  CHECK(std::remove("file") == 0);
  CHECK(Read("other") == "x");
}

TEST_CASE("a folder lists its names, and goes when it is empty") {
  const InTempFolder here;
  CHECK(MakeFolder("folder") == 0);
  Write("folder/a", "");
  Write("folder/b", "");
  SlimVector<std::string> names;
  CHECK(ListFolder("folder/", &names) == 0);
  REQUIRE(names.size() == 2);
  CHECK(names[0] != names[1]);
  CHECK((names[0] == "a" || names[1] == "a"));
  CHECK(RemoveFolder("folder") != 0);
  std::remove("folder/a");
  std::remove("folder/b");
  names.clear();
  CHECK(ListFolder("folder/", &names) == 0);
  CHECK(names.empty());
  CHECK(ListFolder("", &names) == 0);
  REQUIRE(names.size() == 1);
  CHECK(names[0] == "folder");
  CHECK(RemoveFolder("folder") == 0);
  CHECK(ListFolder("folder/", &names) == ENOENT);
}

TEST_CASE("a file takes the name of another") {
  const InTempFolder here;
  Write("old", "1");
  Write("new", "2");
  CHECK(RenameOver("new", "old") == 0);
  CHECK(Read("old") == "2");
  CHECK(Read("new") == "none");
  CHECK(RenameOver("old", "third") == 0);
  CHECK(Read("third") == "2");
  CHECK(RenameOver("none", "third") == ENOENT);
  CHECK(RenameOver("third", "none/third") == ENOENT);
  CHECK(Read("third") == "2");
}

TEST_CASE("patterns without the system") {
  CHECK(MatchesWithoutSystem("", ""));
  CHECK(MatchesWithoutSystem("*", ""));
  CHECK(MatchesWithoutSystem("a*b*c", "a-b-b-c"));
  CHECK_FALSE(MatchesWithoutSystem("a*b*c", "a-b-b"));
  CHECK(MatchesWithoutSystem("[]a]", "]"));
  CHECK(MatchesWithoutSystem("[a-c][!a-c]", "bd"));
  CHECK_FALSE(MatchesWithoutSystem("[^a]", "a"));
  CHECK(MatchesWithoutSystem("[a", "[a"));
  CHECK(MatchesWithoutSystem("\\*", "*"));
  CHECK_FALSE(MatchesWithoutSystem("\\*", "a"));
  CHECK_FALSE(MatchesWithoutSystem("\\", ""));
}

#if defined(__GLIBC__)
TEST_CASE("patterns without the system give fnmatch()'s answers") {
  std::minstd_rand random(1);
  const auto draw = [&](std::string_view letters, std::size_t most) {
    std::string text(random() % (most + 1), ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    return text;
  };
  int matches = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::string pattern = draw("ab*?[]!^-\\", 7), name = draw("ab[]-!", 4);
    const std::size_t bracket = pattern.rfind('[');
    // glibc says no to any name for an open range without its end, "[a-".
    if (bracket != pattern.npos && pattern.find(']', bracket) == pattern.npos) continue;
    const bool expected = ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    matches += expected ? 1 : 0;
    const bool got = MatchesWithoutSystem(pattern, name);
    if (got != expected) CHECK_MESSAGE(got == expected, pattern << " on " << name);
  }
  CHECK(matches > 1000);
}
#endif
}  // namespace file_system_test
