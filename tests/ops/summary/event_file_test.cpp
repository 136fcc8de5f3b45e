// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/summary/event_file.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tenon/io/folders.hpp>
#include <tenon/io/record_reader.hpp>

#include "temp_folder.hpp"

namespace summary_event_file_test {
using namespace tenon;
using ops::detail::EventFile;
using ops::detail::EventMessage;

namespace {

int CountRecords(const std::string& pattern) {
  const Result<SlimVector<std::string>> files = MatchFiles(pattern);
  REQUIRE(files.ok());
  REQUIRE(files->size() == 1);
  Result<RecordReader> reader = RecordReader::Open((*files)[0]);
  REQUIRE(reader.ok());
  int count = 0;
  for (std::string_view record; reader->Next(&record); ++count)
    if (count == 0) CHECK(record.find("brain.Event:2") != record.npos);
  CHECK(reader->status().ok());
  return count;
}

}  // namespace

TEST_SUITE("EventFile") {
  TEST_CASE("events wait in the queue") {
    const TempFolder folder;
    const std::string path = StrCat(folder.path(), "/a/b");
    {
      Ref<EventFile> file;
      REQUIRE(EventFile::Open(path, 2, 1000000, "v2", &file).ok());
      const std::string pattern = path + "/events.out.tfevents.*.v2";
      CHECK(CountRecords(pattern) == 1);
      for (int i = 0; i < 2; ++i) CHECK(file->Write(EventMessage(i, ops::detail::kEventSummary, "")).ok());
      CHECK(CountRecords(pattern) == 1);
      CHECK(file->Write(EventMessage(3, 0, "")).ok());
      CHECK(CountRecords(pattern) == 4);
      CHECK(file->Write(EventMessage(4, 0, "")).ok());
      CHECK(file->Flush().ok());
      CHECK(CountRecords(pattern) == 5);
      CHECK(file->Write(EventMessage(5, 0, "")).ok());
    }
    CHECK(CountRecords(path + "/events.out.tfevents.*.v2") == 6);
  }
  TEST_CASE("each file has a name of its own") {
    const TempFolder folder;
    Ref<EventFile> first, second;
    REQUIRE(EventFile::Open(folder.path(), 0, 0, ".x", &first).ok());
    REQUIRE(EventFile::Open(folder.path(), 0, 0, ".x", &second).ok());
    CHECK(MatchFiles(StrCat(folder.path(), "/*.x"))->size() == 2);
    Ref<EventFile> none;
    CHECK_FALSE(EventFile::Open("/proc/none", 0, 0, "", &none).ok());
  }
}
}  // namespace summary_event_file_test
