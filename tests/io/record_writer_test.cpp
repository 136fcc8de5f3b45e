// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include <tenon/io/record_writer.hpp>

#include <doctest/doctest.h>

#include "temp_file.hpp"

namespace record_writer_test {
using namespace tenon;

namespace {

std::vector<std::string> Records() {
  std::vector<std::string> records;
  for (const std::size_t size : {5u, 0u, 30u, 48u, 49u, 300u, 200000u, 3u}) {
    std::string& record = records.emplace_back();
    for (std::size_t i = 0; i < size; ++i) record += static_cast<char>(i * i + size);
  }
  return records;
}
Status WriteAll(const std::string& path, const std::vector<std::string>& records, const RecordWriterOptions& options) {
  TENON_ASSIGN_OR_RETURN(RecordWriter writer, RecordWriter::Open(path, options));
  for (const std::string& record : records) TENON_RETURN_IF_ERROR(writer.Write(record));
  return writer.Close();
}
std::vector<std::string> ReadAll(const std::string& path, const std::string& compression) {
  std::vector<std::string> all;
  Result<RecordReader> reader = RecordReader::Open(path, {.compression = compression});
  REQUIRE(reader.ok());
  for (std::string_view record; reader->Next(&record);) all.emplace_back(record);
  CHECK_MESSAGE(reader->status().ok(), reader->status().message());
  CHECK_FALSE(reader->ends_early());
  return all;
}

}  // namespace

TEST_SUITE("RecordWriter") {
  TEST_CASE("writes what RecordReader reads") {
    for (const char* compression : {"", "ZLIB", "GZIP", "SNAPPY"}) {
      for (const std::size_t buffer : {1u, 64u, 1u << 18}) {
        const TempFile file("records");
        const Status s = WriteAll(file.path(), Records(), {.compression = compression, .buffer_bytes = buffer});
        CHECK_MESSAGE(s.ok(), s.message());
        CHECK((ReadAll(file.path(), compression) == Records()));
      }
    }
  }
  TEST_CASE("has the bytes of the format") {
    const TempFile file("bytes");
    REQUIRE(WriteAll(file.path(), {std::string(0x18, 'x')}, {}).ok());
    const std::string bytes = file.Read();
    REQUIRE(bytes.size() == 12 + 0x18 + 4);
    CHECK(bytes.substr(0, 12) == std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12));
  }
  TEST_CASE("Flush: readers get all records before the file is closed") {
    for (const char* compression : {"", "ZLIB", "GZIP", "SNAPPY"}) {
      const TempFile file("flushed");
      Result<RecordWriter> writer = RecordWriter::Open(file.path(), {.compression = compression});
      REQUIRE(writer.ok());
      REQUIRE(writer->Write("one").ok());
      REQUIRE(writer->Write("two").ok());
      REQUIRE(writer->Flush().ok());
      Result<RecordReader> reader = RecordReader::Open(file.path(), {.compression = compression});
      REQUIRE(reader.ok());
      std::string_view record;
      REQUIRE(reader->Next(&record));
      CHECK(record == "one");
      REQUIRE(reader->Next(&record));
      CHECK(record == "two");
      CHECK_FALSE(reader->Next(&record));
      REQUIRE(writer->Write("three").ok());
      REQUIRE(writer->Close().ok());
      CHECK(ReadAll(file.path(), compression).size() == 3);
      CHECK(writer->Write("four").code() == Code::kFailedPrecondition);
      CHECK(writer->Flush().code() == Code::kFailedPrecondition);
      CHECK(writer->Close().code() == Code::kFailedPrecondition);
    }
  }
  TEST_CASE("appends behind whole records only") {
    for (const char* compression : {"", "GZIP"}) {
      const TempFile file("appended");
      for (int times = 0; times < 3; ++times)
        REQUIRE(WriteAll(file.path(), {"a", "b"}, {.compression = compression, .append = true}).ok());
      CHECK((ReadAll(file.path(), compression) == std::vector<std::string>{"a", "b", "a", "b", "a", "b"}));
      const std::string whole = file.Read();
      file.Write(whole.substr(0, whole.size() - 7));
      const Status s = WriteAll(file.path(), {"c"}, {.compression = compression, .append = true});
      CHECK(s.code() == Code::kDataLoss);
      CHECK_MESSAGE(s.message().find(file.path()) != std::string_view::npos, s.message());
      CHECK(file.Read().size() == whole.size() - 7);
      REQUIRE(WriteAll(file.path(), {"new"}, {.compression = compression}).ok());
      CHECK((ReadAll(file.path(), compression) == std::vector<std::string>{"new"}));
    }
    const TempFile tail("tail");
    REQUIRE(WriteAll(tail.path(), {"a"}, {}).ok());
    tail.Write(tail.Read() + "xyz");
    const Status s = WriteAll(tail.path(), {"b"}, {.append = true});
    CHECK(s.message().find("the last record ends at 17, and bytes behind it are not a record") != std::string::npos);
    const TempFile zlib("zlib");
    CHECK(WriteAll(zlib.path(), {}, {.compression = "ZLIB", .append = true}).code() == Code::kInvalidArgument);
    CHECK(WriteAll(zlib.path(), {}, {.compression = "AUTO"}).code() == Code::kInvalidArgument);
  }
  TEST_CASE("a full disk leaves whole records and an error that stays") {
    const TempFile file("limited");
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before;
    limit.rlim_cur = 10000;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    Status first, second, closed;
    int written = 0;
    {
      Result<RecordWriter> writer = RecordWriter::Open(file.path(), {.buffer_bytes = 600});
      if (writer.ok()) {
        const std::string record(4000, 'r');
        while (written < 100 && (first = writer->Write(record)).ok()) ++written;
        second = writer->Write("more");
        closed = writer->Close();
      }
    }
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, handler);
    CHECK(written == 2);
    CHECK_FALSE(first.ok());
    CHECK(second.message() == first.message());
    CHECK(closed.message() == first.message());
    CHECK(ReadAll(file.path(), "").size() == 2);
  }
  TEST_CASE("moving, and the destructor closes") {
    const TempFile file("moved");
    {
      Result<RecordWriter> writer = RecordWriter::Open(file.path(), {.compression = "GZIP"});
      REQUIRE(writer.ok());
      REQUIRE(writer->Write("one").ok());
      RecordWriter moved = std::move(*writer);
      REQUIRE(moved.Write("two").ok());
      CHECK(moved.path() == file.path());
    }
    CHECK(ReadAll(file.path(), "GZIP").size() == 2);
    CHECK(RecordWriter::Open("/nowhere/file").status().code() == Code::kNotFound);
  }
}
}  // namespace record_writer_test
