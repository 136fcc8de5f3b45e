// SPDX-License-Identifier: Apache-2.0
#pragma once
// The files of a new tensor bundle: NewFile, BundleEntries, and PublishBundle, which gives them their names so that a
// reader sees the old checkpoint or the new one at any moment.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/bundle_entry.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/table.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// A file that takes its name only when it is whole. one thread.
class NewFile {
 public:
  NewFile() = default;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() { Drop(); }

  Status Open(const std::string& path) {
    Drop();
    path_ = path;
    temporary_ = TemporaryName(path);
    error_ = 0;
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (file_ == nullptr) return FileError("checkpoint", path, errno);
    is_there_ = true;
    return OkStatus();
  }
  Status Append(const void* bytes, std::size_t size) {
    if (file_ == nullptr) return NotOpen();
    if (size == 0 || std::fwrite(bytes, 1, size, file_) == size) return OkStatus();
    if (error_ == 0) error_ = errno != 0 ? errno : EIO;
    return FileError("checkpoint", path_, error_);
  }
  // Nothing can be appended afterwards. Also returns the error of an earlier Append: the file lacks bytes.
  Status Close() {
    if (file_ == nullptr) return NotOpen();
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0) return OkStatus();
    Drop();
    return FileError("checkpoint", path_, error_);
  }
  const std::string& temporary() const { return temporary_; }  // its name until TakeName
  // After Close: replaces the file that has the name.
  Status TakeName() {
    if (const int error = RenameOver(temporary_, path_); error != 0) return FileError("checkpoint", path_, error);
    is_there_ = false;
    return OkStatus();
  }
  // Removes the file, unless it has another name by now.
  void Drop() {
    if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
    if (std::exchange(is_there_, false)) std::remove(temporary_.c_str());
  }

 private:
  static Status NotOpen() {
    return errors::FailedPrecondition("BundleWriter: Open must come first, and nothing after Finish");
  }

  std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  bool is_there_ = false;  // under its temporary name
  int error_ = 0;  // the first errno of writing
};

// Writes a file under a temporary name; TakeName gives it its own.
inline Status WriteUnnamed(const std::string& path, std::string_view bytes, NewFile* file) {
  TENON_RETURN_IF_ERROR(file->Open(path));
  TENON_RETURN_IF_ERROR(file->Append(bytes.data(), bytes.size()));
  return file->Close();
}

// The entries of an index by key. one thread.
class BundleEntries {
 public:
  // The entry, or null. Valid until the next one is added.
  BundleEntry* Find(std::string_view key) {
    const std::size_t* const at = places_.FindValue(key);
    return at == nullptr ? nullptr : &entries_[*at];
  }
  // Adds an entry. The key must not be there.
  BundleEntry* Add(std::string_view key) {
    places_.try_emplace(std::string(key), entries_.size());
    entries_.emplace_back();
    return &entries_[entries_.size() - 1];
  }
  // The table of an index with these entries.
  Result<std::string> MakeIndex(std::int64_t shards, bool big_endian = false) const {
    TableWriter table;
    BundleHeader header{.shards = shards, .big_endian = big_endian, .version = {}};
    header.version.producer = kCheckpointVersion;
    TENON_RETURN_IF_ERROR(table.Add("", header.Serialize()));
    for (const auto& [key, place] : places_) TENON_RETURN_IF_ERROR(table.Add(key, entries_[place].Serialize()));
    return table.Finish();
  }

 private:
  FlatMap<std::string, std::size_t> places_;
  SlimVector<BundleEntry> entries_;
};

// Returns the number of data files of the checkpoint that has this index; 0: there is none, or it is damaged. Other
// errors are the errors of MappedFile::Open.
inline Result<std::int64_t> ShardsOfIndex(const std::string& index) {
  const Result<TableReader> table = TableReader::Open(index, FileAccess::kRead);
  if (!table.ok() && !errors::IsNotFound(table.status()) && !errors::IsDataLoss(table.status())) return table.status();
  std::string bytes;
  if (!table.ok() || !table->First(&bytes).ok()) return 0;
  const Result<BundleHeader> header = BundleHeader::Parse(bytes);
  return header.ok() ? header->shards : 0;
}

// Removes the data files of a checkpoint of so many, as far as they are there one after the other.
inline void RemoveData(const std::string& prefix, std::int64_t shards) {
  for (std::int64_t i = 0; i < shards; ++i)
    if (std::remove(BundleDataName(prefix, i, shards).c_str()) != 0) return;
}

// Gives the data files their names and writes the index of `entries`. The index is replaced in one step, and until then
// all files of a checkpoint that has the prefix already stay. To that end new data files that would get the names of
// old ones are numbered as if there were one more; when the new index is there they get their own names, as a second
// link, and an index that says so. They keep the first names where the file system has no links.
inline Status PublishBundle(const std::string& prefix, Span<const std::string> files, const BundleEntries& entries,
                            bool big_endian = false) {
  const std::string index = BundleIndexName(prefix);
  const auto count = static_cast<std::int64_t>(files.size());
  TENON_ASSIGN_OR_RETURN(const std::int64_t before, ShardsOfIndex(index));
  const std::int64_t shards = before == count && count > 0 ? count + 1 : count;
  NewFile first_index, own_index;
  TENON_ASSIGN_OR_RETURN(std::string bytes, entries.MakeIndex(shards, big_endian));
  TENON_RETURN_IF_ERROR(WriteUnnamed(index, bytes, &first_index));
  if (shards != count) {
    TENON_ASSIGN_OR_RETURN(bytes, entries.MakeIndex(count, big_endian));
    TENON_RETURN_IF_ERROR(WriteUnnamed(index, bytes, &own_index));
    TENON_RETURN_IF_ERROR(WriteFile(BundleDataName(prefix, count, shards), ""));  // a checkpoint has all its files
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string& file = files[static_cast<std::size_t>(i)];
    if (const int error = RenameOver(file, BundleDataName(prefix, i, shards)); error != 0)
      return FileError("checkpoint", file, error);
  }
  TENON_RETURN_IF_ERROR(first_index.TakeName());
  if (shards == count) {
    RemoveData(prefix, before);
    return OkStatus();
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string name = BundleDataName(prefix, i, count), link = TemporaryName(name);
    int error = LinkFile(BundleDataName(prefix, i, shards), link);
    if (error == 0 && (error = RenameOver(link, name)) != 0) std::remove(link.c_str());
    if (error != 0) {
      RemoveData(prefix, count);
      return OkStatus();
    }
  }
  TENON_RETURN_IF_ERROR(own_index.TakeName());
  RemoveData(prefix, shards);
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
