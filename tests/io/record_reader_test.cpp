// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include <tenon/io/compression/deflate_stream.hpp>
#include <tenon/io/record_reader.hpp>

#include <doctest/doctest.h>

#include "temp_file.hpp"

namespace record_reader_test {
using namespace tenon;

namespace {

std::string Packed(std::string_view record) {
  std::string bytes(detail::kRecordHeader, '\0');
  detail::WriteRecordHeader(record.size(), bytes.data());
  bytes += record;
  const std::uint32_t sum = detail::RecordSum(record);
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
}
std::string Compressed(InflateFormat format, std::string_view bytes) {
  DeflateStream stream(format);
  stream.Add(bytes);
  stream.Finish();
  return stream.out();
}
// Short ones, an empty one, and some longer than the buffer of 64 bytes that the tests ask for.
std::vector<std::string> Records() {
  std::vector<std::string> records;
  for (const std::size_t size : {5u, 0u, 48u, 49u, 60u, 64u, 65u, 1000u, 1u, 200000u, 3u}) {
    std::string& record = records.emplace_back();
    for (std::size_t i = 0; i < size; ++i) record += static_cast<char>(i * 7 + size);
  }
  return records;
}
std::string FileOf(const std::vector<std::string>& records) {
  std::string bytes;
  for (const std::string& record : records) bytes += Packed(record);
  return bytes;
}
std::vector<std::string> All(RecordReader* reader) {
  std::vector<std::string> all;
  for (std::string_view record; reader->Next(&record);) all.emplace_back(record);
  CHECK_MESSAGE(reader->status().ok(), reader->status().message());
  return all;
}
// The error by both kinds of access.
std::string Error(const std::string& path, RecordReaderOptions options = {}) {
  std::string mapped;
  if (options.access == FileAccess::kRead) {
    RecordReaderOptions other = options;
    other.access = FileAccess::kMap;
    mapped = Error(path, other);
  }
  Result<RecordReader> reader = RecordReader::Open(path, options);
  std::string text = reader.status().ToString();
  if (reader.ok()) {
    for (std::string_view record; reader->Next(&record);) {
    }
    text = reader->status().ToString();
  }
  if (options.access == FileAccess::kRead) CHECK(text == mapped);
  return text;
}
bool Has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_SUITE("RecordReader") {
  TEST_CASE("reads all records, in each compression and with each size of buffer") {
    const std::vector<std::string> records = Records();
    const std::string bytes = FileOf(records);
    const TempFile plain("plain", bytes), gzip("gzip", Compressed(InflateFormat::kGzip, bytes)),
        zlib("zlib", Compressed(InflateFormat::kZlib, bytes));
    const std::pair<const TempFile*, std::string> files[] = {{&plain, ""},     {&gzip, "GZIP"}, {&zlib, "ZLIB"},
                                                             {&plain, "AUTO"}, {&gzip, "AUTO"}, {&zlib, "AUTO"}};
    for (const auto& [file, compression] : files) {
      for (const std::size_t buffer : {0u, 64u, 100u, 1u << 18}) {  // 0: mapped
        RecordReaderOptions options = {.compression = compression, .buffer_bytes = buffer};
        if (buffer == 0) options.access = FileAccess::kMap;
        Result<RecordReader> reader = RecordReader::Open(file->path(), options);
        REQUIRE(reader.ok());
        CHECK((reader->mapping() != nullptr) == (buffer == 0 && file == &plain));
        CHECK((All(&*reader) == records));
        CHECK_FALSE(reader->ends_early());
        CHECK(reader->offset() == bytes.size());
        std::string_view record;
        const Status end = reader->Read(&record);
        CHECK(end.code() == Code::kOutOfRange);
        CHECK(Has(end.message(), StrCat("eof: the records end at ", bytes.size())));
        REQUIRE(reader->Rewind().ok());
        CHECK((All(&*reader) == records));
      }
    }
  }
  TEST_CASE("records by their offsets, in any order; Skip") {
    const std::vector<std::string> records = Records();
    const std::string bytes = FileOf(records);
    const TempFile plain("plain", bytes), gzip("gzip", Compressed(InflateFormat::kGzip, bytes));
    using Way = std::pair<const TempFile*, FileAccess>;
    for (const auto& [file, access] :
         {Way(&plain, FileAccess::kRead), Way(&gzip, FileAccess::kRead), Way(&plain, FileAccess::kMap)}) {
      Result<RecordReader> reader =
          RecordReader::Open(file->path(), {.compression = "AUTO", .buffer_bytes = 64, .access = access});
      REQUIRE(reader.ok());
      std::vector<std::uint64_t> offsets = {0};
      for (const std::string& record : records) offsets.push_back(offsets.back() + record.size() + 16);
      for (const std::size_t i : {3u, 9u, 0u, 10u, 7u, 7u, 8u}) {
        std::uint64_t offset = offsets[i];
        std::string_view record;
        const Status s = reader->ReadRecord(&offset, &record);
        CHECK_MESSAGE(s.ok(), s.message());
        CHECK((record == records[i]));
        CHECK(offset == offsets[i + 1]);
      }
      REQUIRE(reader->Rewind().ok());
      CHECK(*reader->Skip(10) == 10);
      std::string_view record;
      REQUIRE(reader->Read(&record).ok());
      CHECK(record == records[10]);
      CHECK(*reader->Skip(3) == 0);
      REQUIRE(reader->Rewind().ok());
      CHECK(*reader->Skip(100) == records.size());
      CHECK(reader->Seek(bytes.size() + 5).code() == (file == &plain ? Code::kOk : Code::kOutOfRange));
      std::uint64_t inside = 3;
      CHECK(reader->ReadRecord(&inside, &record).code() == Code::kDataLoss);
      CHECK(inside == 3);
    }
  }
  TEST_CASE("wrong check sums, and going on behind them") {
    for (const std::size_t size : {20u, 500u}) {
      std::string bytes = Packed(std::string(size, 'a')) + Packed(std::string(size, 'b')) + Packed("end");
      bytes[size + 16 + 15] = 'x';
      const TempFile file("wrong", bytes), gzip("gzip", Compressed(InflateFormat::kGzip, bytes));
      for (const TempFile* f : {&file, &gzip}) {
        Result<RecordReader> reader = RecordReader::Open(f->path(), {.compression = "AUTO", .buffer_bytes = 64});
        REQUIRE(reader.ok());
        std::string_view record;
        REQUIRE(reader->Read(&record).ok());
        for (int again = 0; again < 2; ++again) {
          const Status s = reader->Read(&record);
          CHECK(s.code() == Code::kDataLoss);
          CHECK(Has(s.message(), StrCat("'", f->path(), "': corrupted record at ", size + 16 + 12)));
          CHECK(record.empty());
          CHECK(reader->offset() == size + 16);
        }
        CHECK(*reader->Skip(1) == 1);
        REQUIRE(reader->Read(&record).ok());
        CHECK(record == "end");
      }
      bytes[0] = 'x';
      file.Write(bytes);
      CHECK(Has(Error(file.path()), "corrupted record at 0 (Is this even a TFRecord file?"));
    }
  }
  TEST_CASE("an end inside a header is the end, as for TensorFlow; inside a body it is DataLoss") {
    const std::string bytes = Packed("first") + Packed(std::string(300, 's'));
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const TempFile file("cut", std::string_view(bytes).substr(0, size));
      Result<RecordReader> reader = RecordReader::Open(file.path(), {.buffer_bytes = size % 2 == 0 ? 64u : 4096u});
      REQUIRE(reader.ok());
      std::string_view record;
      std::size_t count = 0;
      while (reader->Next(&record)) ++count;
      const bool in_body = (size >= 12 && size < 21) || (size >= 33 && size < bytes.size());
      CHECK(reader->status().code() == (in_body ? Code::kDataLoss : Code::kOk));
      CHECK(count == (size < 21 ? 0u : size < bytes.size() ? 1u : 2u));
      CHECK(reader->ends_early() == (size != 0 && size != 21 && size != bytes.size()));
      if (in_body) {
        CHECK(Has(reader->status().message(),
                  StrCat("truncated record at ", size < 21 ? 0 : 21, "' failed with Read less bytes than requested")));
      }
    }
  }
  TEST_CASE("compressed files that end too early or are damaged") {
    const std::string bytes = FileOf(Records()), packed = Compressed(InflateFormat::kGzip, bytes);
    const TempFile cut("cut", std::string_view(packed).substr(0, packed.size() / 2));
    CHECK(Has(Error(cut.path(), {.compression = "GZIP"}), "' failed with EOF reached"));
    std::string bad = packed;
    bad[bad.size() - 6] = static_cast<char>(bad[bad.size() - 6] ^ 1);
    const TempFile wrong("wrong", bad);
    CHECK(Has(Error(wrong.path(), {.compression = "GZIP"}), "inflate() failed with error -3: incorrect data check"));
    CHECK(Has(Error(wrong.path(), {.compression = "ZLIB"}), "incorrect header check (not a zlib stream)"));
    CHECK(Has(Error(cut.path()), "corrupted record at 0 (Is this even a TFRecord file?); if it is compressed"));
    // The trailer is missing: all records are there, and the reader says that the file is not whole.
    const TempFile tail("tail", std::string_view(packed).substr(0, packed.size() - 3));
    Result<RecordReader> reader = RecordReader::Open(tail.path(), {.compression = "GZIP"});
    REQUIRE(reader.ok());
    CHECK((All(&*reader) == Records()));
    CHECK(reader->ends_early());
  }
  TEST_CASE("huge lengths are refused before memory is asked for") {
    std::string header(12, '\0');
    detail::WriteRecordHeader(std::uint64_t{1} << 60, header.data());
    const TempFile file("huge", header + "some bytes"),
        gzip("huge_gzip", Compressed(InflateFormat::kGzip, header + "some bytes"));
    CHECK(Has(Error(file.path()), "RESOURCE_EXHAUSTED"));
    CHECK(Has(Error(file.path()), "has 1152921504606846976 bytes, and the limit is 1073741824"));
    for (const TempFile* f : {&file, &gzip}) {
      const std::string error = Error(f->path(), {.compression = "AUTO", .max_record_bytes = UINT64_MAX});
      CHECK_MESSAGE(Has(error, "truncated record at 0"), error);
    }
    detail::WriteRecordHeader(UINT64_MAX - 3, header.data());
    file.Write(header + "some bytes");
    CHECK(Has(Error(file.path(), {.max_record_bytes = UINT64_MAX}), "record size too large"));
    file.Write(Packed("12345"));
    CHECK(Has(Error(file.path(), {.max_record_bytes = 4}), "raise RecordReaderOptions::max_record_bytes"));
    // A bomb: 16 MiB out of 103 KiB. The limit holds for what comes out.
    const std::string bomb = Compressed(InflateFormat::kGzip, Packed(std::string(std::size_t{16} << 20, '\0')));
    CHECK(bomb.size() < 200000);
    gzip.Write(bomb);
    CHECK(Has(Error(gzip.path(), {.compression = "GZIP", .max_record_bytes = 1 << 20}),
              "has 16777216 bytes, and the limit is 1048576"));
  }
  TEST_CASE("records of a mapped file stay valid and go through no copy") {
    const std::vector<std::string> records = Records();
    const TempFile file("mapped", FileOf(records)), empty("empty", "");
    std::vector<std::string_view> views;
    Buffer* mapping = nullptr;
    {
      Result<RecordReader> reader = RecordReader::Open(file.path(), {.access = FileAccess::kMap});
      REQUIRE(reader.ok());
      for (std::string_view record; reader->Next(&record);) views.push_back(record);
      CHECK(reader->status().ok());
      mapping = reader->mapping();
      REQUIRE(mapping != nullptr);
      mapping->Ref();
    }
    REQUIRE(views.size() == records.size());
    const char* const begin = static_cast<const char*>(mapping->data());
    for (std::size_t i = 0; i < views.size(); ++i) {
      CHECK(views[i] == records[i]);
      CHECK(views[i].data() >= begin + detail::kRecordHeader);
      CHECK(views[i].data() + views[i].size() <= begin + mapping->size() - detail::kRecordFooter);
    }
    mapping->Unref();
    CHECK(Has(Error(empty.path(), {.access = FileAccess::kMap}), "OK"));
  }
  TEST_CASE("a file that grows is read on") {
    const TempFile file("growing", Packed("one") + Packed("two").substr(0, 5));
    Result<RecordReader> reader = RecordReader::Open(file.path());
    REQUIRE(reader.ok());
    std::string_view record;
    CHECK(reader->Next(&record));
    CHECK_FALSE(reader->Next(&record));
    CHECK(reader->status().ok());
    CHECK(reader->ends_early());
    file.Write(Packed("one") + Packed("two"));
    REQUIRE(reader->Next(&record));
    CHECK(record == "two");
    CHECK_FALSE(reader->Next(&record));
    CHECK_FALSE(reader->ends_early());
  }
  TEST_CASE("pipes are read once") {
    const TempFile file("pipe");
    REQUIRE(::mkfifo(file.path().c_str(), 0600) == 0);
    const std::vector<std::string> records = Records();
    std::thread writer([&] { file.Write(FileOf(records)); });
    Result<RecordReader> reader = RecordReader::Open(file.path(), {.buffer_bytes = 64});
    REQUIRE(reader.ok());
    CHECK((All(&*reader) == records));
    writer.join();
    CHECK(reader->Rewind().code() == Code::kFailedPrecondition);
  }
  TEST_CASE("what cannot be opened; moving") {
    const TempFile none("none");
    CHECK(Has(Error(none.path()), "NOT_FOUND: RecordReader: '" + none.path() + "': No such file"));
    CHECK(Has(Error(none.path(), {.compression = "LZ4"}), "Unsupported compression_type: 'LZ4'"));
    const TempFile file("file", Packed("one") + Packed("two"));
    Result<RecordReader> opened = RecordReader::Open(file.path());
    REQUIRE(opened.ok());
    std::string_view record;
    REQUIRE(opened->Read(&record).ok());
    RecordReader moved = std::move(*opened);
    REQUIRE(moved.Read(&record).ok());
    CHECK(record == "two");
    CHECK(moved.path() == file.path());
  }
}
}  // namespace record_reader_test
