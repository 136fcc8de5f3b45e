// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reader/file_records.hpp>

#include <limits>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tenon/io/record_writer.hpp>

#include "ops/reader/readers.hpp"

namespace file_records_test {
using namespace reader_test;
using namespace tenon::ops::detail;

namespace {

// All values of a file, each with a '|' behind it, and the code of an error other than the end.
std::string All(FileRecords& records, const std::string& path) {
  std::string text, key, value;
  Status status = records.Open(path);
  while (status.ok()) {
    status = records.Read(&key, &value);
    if (status.ok()) StrAppend(&text, value, "|");
    if (text.size() > 100) break;
  }
  records.Close();
  if (!status.ok() && status.code() != Code::kOutOfRange) StrAppend(&text, static_cast<int>(status.code()));
  return text;
}

}  // namespace

TEST_SUITE("records of files") {
  TEST_CASE("lines") {
    const Files files;
    LineRecords lines(0), later(2);
    const std::string path = files.Write("a", "a\r\r\nb\rc\r\n\r\n\nd\r");
    CHECK(All(lines, path) == "a\r|b\rc|||d|");
    CHECK(All(later, path) == "||d|");
    CHECK(All(later, files.Write("b", "x\n")).empty());
    CHECK(All(lines, files.Write("c", "\r")).empty());
    CHECK(All(lines, files.folder / "none") == "5");
    CHECK(All(lines, files.folder.path()) == "9");
  }
  TEST_CASE("records of one size") {
    const Files files;
    const std::string path = files.Write("a", "HHabcdefghijFF");
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    FixedSizeRecords plain(2, 3, 2, 0, ""), overlapping(2, 3, 0, 2, "x"), apart(0, 3, 0, 5, ""),
        one(kMost, 1, 0, 0, "");
    FixedSizeRecords huge(0, kMost, kMost, kMost, ""), far(0, 1, 0, kMost, ""), none(0, 0, 0, 0, "");
    CHECK(All(plain, path) == "abc|def|ghi|");
    CHECK(All(overlapping, path) == "abc|cde|efg|ghi|ijF|");
    CHECK(All(apart, path) == "HHa|def|ijF|");
    CHECK(All(one, path).empty());
    CHECK(All(huge, path).empty());
    CHECK(All(far, path) == "H|");
    CHECK(All(none, path).size() == 101);
    CHECK(none.is_endless());
    FixedSizeRecords packed(0, 1, 0, 0, "GZIP");
    CHECK(All(packed, path) == StrCat(static_cast<int>(Code::kDataLoss)));
  }
  TEST_CASE("records of TFRecord files; names and whole files") {
    const Files files;
    const std::string path = files.folder / "r";
    {
      Result<RecordWriter> writer = RecordWriter::Open(path);
      REQUIRE(writer.ok());
      for (const char* record : {"abc", "", "d"}) REQUIRE(writer->Write(record).ok());
    }
    TfRecordRecords records(""), other("x");
    CHECK(All(records, path) == "abc||d|");
    CHECK(All(other, path) == "abc||d|");
    CHECK(All(records, files.folder / "none") == "5");
    CHECK(All(records, files.Write("b", "abcdefghijklmnop")) == StrCat(static_cast<int>(Code::kDataLoss)));
    NameRecords names;
    WholeFiles whole;
    std::string key, value;
    REQUIRE(names.Open("n").ok());
    REQUIRE(names.Read(&key, &value).ok());
    CHECK(value == "n");
    REQUIRE(whole.Open(files.Write("c", "cc")).ok());
    REQUIRE(whole.Read(&key, &value).ok());
    CHECK(value == "cc");
    CHECK(whole.is_single());
    CHECK(whole.can_be_saved());
  }
}
}  // namespace file_records_test
