// SPDX-License-Identifier: Apache-2.0
// Reading and writing TFRecord files in the page cache, for records of the given bytes. The sum of a record is its
// reader's and writer's least work. Peers: the sums of bytes in memory, and of bytes that read() or mmap() give in the
// same pieces, which is what reading a file and its sums costs at least.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/record_reader.hpp>
#include <tenon/io/record_writer.hpp>

#include "harness.hpp"

namespace tenon::bench {

namespace {

constexpr std::size_t kFileBytes = std::size_t{64} << 20;

std::string PathOf(std::string_view name) {
  return std::string("/tmp/tenon_record_bench_") + std::to_string(::getpid()) + std::string(name);
}
std::string Bytes(std::size_t count) {
  std::string bytes;
  for (std::uint32_t state = 3; bytes.size() < count;)
    bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24 & 0x3f);
  return bytes;
}
void WriteFileOf(const std::string& path, std::string_view record, const std::string& compression, std::size_t count) {
  Result<RecordWriter> writer = RecordWriter::Open(path, {.compression = compression});
  for (std::size_t i = 0; writer.ok() && i < count; ++i) static_cast<void>(writer->Write(record));
  if (writer.ok()) static_cast<void>(writer->Close());
}
std::size_t ReadFileOf(const std::string& path, const RecordReaderOptions& options) {
  std::size_t count = 0;
  Result<RecordReader> reader = RecordReader::Open(path, options);
  for (std::string_view record; reader.ok() && reader->Next(&record);) count += record.size();
  return count;
}
void AddPeers(State& state, const std::string& record, std::size_t count) {
  state.Peer("crc32c", [&record, count] {
    for (std::size_t i = 0; i < count; ++i) Keep(Crc32c(record));
  });
  state.Peer("memcpy", [&record, count, to = std::string(record)]() mutable {
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(to.data(), record.data(), record.size());
      Keep(to[0]);
    }
  });
}
// Sums of the file's bytes in pieces of `size`.
std::uint32_t SumsOf(std::string_view bytes, std::size_t size) {
  std::uint32_t all = 0;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) all ^= Crc32c(bytes.substr(0, size));
  return all;
}
void AddFilePeers(State& state, const std::string& path, std::size_t size) {
  state.Peer("crc32c of memory", [bytes = Bytes(kFileBytes), size] { Keep(SumsOf(bytes, size)); });
  state.Peer("read and crc32c",
             [path, size, buffer = std::string(std::max(size, std::size_t{256} << 10), '\0')]() mutable {
               const int fd = ::open(path.c_str(), O_RDONLY);
               for (ssize_t n; (n = ::read(fd, buffer.data(), buffer.size())) > 0;)
                 Keep(SumsOf({buffer.data(), static_cast<std::size_t>(n)}, size));
               ::close(fd);
             });
  state.Peer("mmap and crc32c", [path, size] {
    const Result<MappedFile> file = MappedFile::Open(path);
    const auto bytes = file->bytes();
    Keep(SumsOf({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, size));
  });
}

}  // namespace

TENON_BENCH(record_read, {100, 4096, 65536, 4 << 20}) {
  const auto size = static_cast<std::size_t>(state.arg());
  const std::size_t count = kFileBytes / size;
  const std::string record = Bytes(size), path = PathOf("_read");
  WriteFileOf(path, record, "", count);
  state.SetBytes(static_cast<double>(size * count));
  AddFilePeers(state, path, size);
  for (auto _ : state) Keep(ReadFileOf(path, {}));
  std::remove(path.c_str());
}

TENON_BENCH(record_read_mapped, {100, 4096, 65536, 4 << 20}) {
  const auto size = static_cast<std::size_t>(state.arg());
  const std::size_t count = kFileBytes / size;
  const std::string record = Bytes(size), path = PathOf("_mapped");
  WriteFileOf(path, record, "", count);
  state.SetBytes(static_cast<double>(size * count));
  AddFilePeers(state, path, size);
  for (auto _ : state) Keep(ReadFileOf(path, {.access = FileAccess::kMap}));
  std::remove(path.c_str());
}

TENON_BENCH(record_write, {100, 4096, 65536, 4 << 20}) {
  const auto size = static_cast<std::size_t>(state.arg());
  const std::size_t count = kFileBytes / size;
  const std::string record = Bytes(size), path = PathOf("_write");
  state.SetBytes(static_cast<double>(size * count));
  AddPeers(state, record, count);
  for (auto _ : state) WriteFileOf(path, record, "", count);
  std::remove(path.c_str());
}

TENON_BENCH(record_read_gzip, {4096}) {
  const auto size = static_cast<std::size_t>(state.arg());
  const std::size_t count = kFileBytes / size / 8;
  const std::string record = Bytes(size), path = PathOf("_gzip");
  WriteFileOf(path, record, "GZIP", count);
  state.SetBytes(static_cast<double>(size * count));
  for (auto _ : state) Keep(ReadFileOf(path, {.compression = "GZIP"}));
  std::remove(path.c_str());
}

TENON_BENCH(record_write_gzip, {4096}) {
  const auto size = static_cast<std::size_t>(state.arg());
  const std::size_t count = kFileBytes / size / 8;
  const std::string record = Bytes(size), path = PathOf("_gzip_write");
  state.SetBytes(static_cast<double>(size * count));
  for (auto _ : state) WriteFileOf(path, record, "GZIP", count);
  std::remove(path.c_str());
}

}  // namespace tenon::bench
