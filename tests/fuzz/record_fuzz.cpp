// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of records, in each compression: an error or records, which are the same when they are read by
// their offsets, and after they were written. Once more with the check sums made right, so that a change comes further.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/io/record_reader.hpp>
#include <tenon/io/record_writer.hpp>

#include <sys/mman.h>
#include <unistd.h>

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

constexpr std::size_t kMostBytes = 1 << 17;  // of all records that one run keeps

constexpr const char* kNames[] = {"", "ZLIB", "GZIP", "SNAPPY"};  // by RecordCompression

void Expect(bool condition) {
  if (!condition) std::abort();
}

// A file that is nowhere on a disk.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("records", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(fd_)) {
    Expect(fd_ >= 0);
  }
  const std::string& path() const { return path_; }
  void Put(const std::string& bytes) const {
    Expect(::ftruncate(fd_, 0) == 0);
    Expect(::pwrite(fd_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

 private:
  int fd_;
  std::string path_;
};

// Makes the check sums of the records right, as far as their lengths go.
void Seal(std::string* bytes) {
  using tenon::detail::kRecordFooter;
  using tenon::detail::kRecordHeader;
  for (std::size_t at = 0; bytes->size() - at >= kRecordHeader;) {
    std::uint64_t length;
    std::memcpy(&length, bytes->data() + at, sizeof length);
    tenon::detail::WriteRecordHeader(length, bytes->data() + at);
    at += kRecordHeader;
    if (bytes->size() - at < kRecordFooter || length > bytes->size() - at - kRecordFooter) return;
    const std::uint32_t sum =
        tenon::detail::RecordSum(std::string_view(*bytes).substr(at, static_cast<std::size_t>(length)));
    std::memcpy(bytes->data() + at + length, &sum, sizeof sum);
    at += static_cast<std::size_t>(length) + kRecordFooter;
  }
}

void Written(const std::string& path, const std::vector<std::string>& records, const std::string& compression) {
  {
    tenon::Result<tenon::RecordWriter> writer =
        tenon::RecordWriter::Open(path, {.compression = compression, .buffer_bytes = 100});
    Expect(writer.ok());
    for (const std::string& record : records) Expect(writer->Write(record).ok());
    Expect(writer->Close().ok());
  }
  tenon::Result<tenon::RecordReader> reader =
      tenon::RecordReader::Open(path, {.compression = compression, .buffer_bytes = 64});
  Expect(reader.ok());
  std::size_t count = 0;
  for (std::string_view record; reader->Next(&record); ++count)
    Expect(count < records.size() && record == records[count]);
  Expect(reader->status().ok() && count == records.size() && !reader->ends_early());
}

// Returns the compression of the file.
tenon::RecordCompression ReadAll(const std::string& path, const std::string& compression, std::size_t buffer) {
  tenon::Result<tenon::RecordReader> reader = tenon::RecordReader::Open(
      path, {.compression = compression, .buffer_bytes = buffer, .max_record_bytes = kMostBytes});
  Expect(reader.ok());
  std::vector<std::string> records;
  std::vector<std::uint64_t> offsets = {0};
  std::size_t total = 0;
  for (std::string_view record; total < kMostBytes && reader->Next(&record);) {
    records.emplace_back(record);
    offsets.push_back(reader->offset());
    total += record.size() + 16;
  }
  Expect(reader->status().ok() || !reader->status().message().empty());
  for (std::size_t i = 0; i < records.size() && i < 3; ++i) {
    std::uint64_t offset = offsets[i];
    std::string_view record;
    Expect(reader->ReadRecord(&offset, &record).ok() && record == records[i] && offset == offsets[i + 1]);
  }
  Expect(reader->Rewind().ok());
  const tenon::Result<std::uint64_t> skipped = reader->Skip(records.size());
  Expect(skipped.ok() && *skipped == records.size());
  static_cast<void>(reader->Skip(2));
  if (!records.empty()) {
    static const MemoryFile copy;
    Written(copy.path(), records, kNames[static_cast<std::size_t>(reader->compression())]);
  }
  return reader->compression();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFile file;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  file.Put(bytes);
  // Of other bytes each size is read in one compression, since a decompression costs more than the rest of a run.
  if (ReadAll(file.path(), "AUTO", 64) == tenon::RecordCompression::kNone)
    ReadAll(file.path(), kNames[1 + size % 3], 200);
  Seal(&bytes);
  file.Put(bytes);
  ReadAll(file.path(), "", 64);
  ReadAll(file.path(), "", 4096);
  return 0;
}
