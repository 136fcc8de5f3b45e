// SPDX-License-Identifier: Apache-2.0
// Any bytes as the table of a checkpoint, of either format: an error or entries, and tensors of them that may be read.
// Behind the bytes of the table stand, after their number in the last four, those of a data file.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>
#include <tenon/io/checkpoint.hpp>

#include "temp_folder.hpp"

#if defined(TENON_FUZZ_STANDALONE)
#include "standalone.hpp"
#endif

namespace {

void Expect(bool condition) {
  if (!condition) std::abort();
}

// Makes the check sums of all blocks right, as far as the footer says where they are: otherwise nearly every change
// would end at the first of them.
void Seal(std::string* table, tenon::detail::BlockHandle handle) {
  if (handle.offset > table->size() || handle.size > table->size() || handle.offset + handle.size + 5 > table->size())
    return;
  const std::uint32_t sum = tenon::MaskCrc(tenon::Crc32c(std::string_view(*table).substr(
      static_cast<std::size_t>(handle.offset), static_cast<std::size_t>(handle.size) + 1)));
  std::memcpy(table->data() + handle.offset + handle.size + 1, &sum, sizeof sum);
}
void SealAll(std::string* table) {
  if (table->size() < tenon::detail::kTableFooter) return;
  const std::string footer = table->substr(table->size() - tenon::detail::kTableFooter);
  std::string_view at = footer;
  tenon::detail::BlockHandle meta, index;
  if (!meta.Take(&at) || !index.Take(&at)) return;
  Seal(table, index);
  if (index.offset > table->size() || index.size > table->size() - index.offset) return;
  tenon::detail::BlockCursor cursor;
  const std::string block = table->substr(static_cast<std::size_t>(index.offset), static_cast<std::size_t>(index.size));
  if (!cursor.Open(block).ok()) return;
  int blocks = 0;
  for (bool more = cursor.First(); more && ++blocks < 100; more = cursor.Next()) {
    std::string_view value = cursor.value();
    tenon::detail::BlockHandle handle;
    if (handle.Take(&value)) Seal(table, handle);
  }
}

void ReadAll(const std::string& prefix) {
  static tenon::LimitedAllocator memory(tenon::CpuAllocator(), std::size_t{16} << 20, "fuzz");
  tenon::Result<tenon::CheckpointReader> reader = tenon::CheckpointReader::Open(prefix);
  if (!reader.ok()) return Expect(!reader.status().message().empty());
  const tenon::Result<tenon::SlimVector<std::string>> names = reader->Names();
  if (!names.ok()) return;
  int count = 0;
  for (const std::string& name : *names) {
    if (++count > 50) break;
    const tenon::Result<tenon::Tensor> tensor = reader->Read(name, &memory);
    Expect(tensor.ok() || !tensor.status().message().empty());
    if (tensor.ok()) Expect(tensor->NumElements() == 0 || tensor->raw_data() != nullptr);
    static_cast<void>(reader->ReadSlice(name, *tenon::TensorSlice::Parse("0,1:-"), &memory));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TempFolder folder;
  static const std::string prefix = folder / "checkpoint";
  const std::string index = prefix + ".index", values = tenon::detail::BundleDataName(prefix, 0, 1);
  std::uint32_t data_bytes = 0;
  if (size >= sizeof data_bytes) {
    std::memcpy(&data_bytes, data + size - sizeof data_bytes, sizeof data_bytes);
    size -= sizeof data_bytes;
  }
  if (data_bytes > size) data_bytes = static_cast<std::uint32_t>(size / 2);
  std::string table(reinterpret_cast<const char*>(data), size - data_bytes);
  for (const bool sealed : {false, true}) {
    if (sealed) SealAll(&table);
    Expect(tenon::WriteFile(index, table).ok());
    Expect(tenon::WriteFile(values, {reinterpret_cast<const char*>(data) + size - data_bytes, data_bytes}).ok());
    ReadAll(prefix);
    std::remove(index.c_str());
    std::remove(values.c_str());
    Expect(tenon::WriteFile(prefix, table).ok());
    ReadAll(prefix);
    std::remove(prefix.c_str());
  }
  static_cast<void>(tenon::Unsnap({reinterpret_cast<const char*>(data), size}, std::size_t{1} << 16));
  static_cast<void>(tenon::ShapeAndSlice::Parse({reinterpret_cast<const char*>(data), size}));
  return 0;
}
