// SPDX-License-Identifier: Apache-2.0
// Reading and writing TFRecord files in the page cache, for records of the given bytes, beside a copy of their bytes
// and beside their check sums alone. The sum of a record is its reader's and writer's least work.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include <unistd.h>

#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/record_reader.hpp>
#include <tenon/io/record_writer.hpp>

#include "harness.hpp"

namespace tenon::bench {

namespace {

constexpr std::size_t kFileBytes = std::size_t{16} << 20;

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
std::size_t ReadFileOf(const std::string& path, const std::string& compression) {
  std::size_t count = 0;
  Result<RecordReader> reader = RecordReader::Open(path, {.compression = compression});
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

}  // namespace

TENON_BENCH(record_read, {100, 4096, 65536, 4 << 20}) {
  const auto size = static_cast<std::size_t>(state.arg());
  const std::size_t count = kFileBytes / size;
  const std::string record = Bytes(size), path = PathOf("_read");
  WriteFileOf(path, record, "", count);
  state.SetBytes(static_cast<double>(size * count));
  AddPeers(state, record, count);
  for (auto _ : state) Keep(ReadFileOf(path, ""));
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
  for (auto _ : state) Keep(ReadFileOf(path, "GZIP"));
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
