// SPDX-License-Identifier: Apache-2.0
#pragma once
// TableReader, TableWriter: sorted tables of keys and values in a file (LevelDB's format), the index of a checkpoint.
//
// A file is data blocks, an empty block of meta data, an index block and a footer of 48 bytes. The index has per data
// block a key that is not less than its last one, and its handle. A block is entries, restart points and their
// number; its compression and a check sum follow it. An entry is the number of key bytes shared with the entry
// before, the number of other key bytes, the value's size, the other key bytes, the value.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/io/compression/crc32.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/compression/snappy.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline constexpr std::size_t kTableFooter = 48, kBlockTrailer = 5;
inline constexpr std::uint64_t kTableMagic = 0xdb4775248b80fb57u;

inline std::uint32_t LittleEndian32(const char* bytes) {
  std::uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}
inline void AppendLittleEndian32(std::string* out, std::uint32_t value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}
inline void AppendVarint(std::string* out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>(value | 0x80));
  out->push_back(static_cast<char>(value));
}
// Takes a number off `text`. Returns false where `text` ends first or the number is longer than 64 bits.
inline bool TakeVarint(std::string_view* text, std::uint64_t* value) {
  *value = 0;
  for (std::size_t i = 0; i < text->size() && i < 10; ++i) {
    const auto byte = static_cast<unsigned char>((*text)[i]);
    *value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      text->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// Offset and size of a block in the file, without its trailer.
struct BlockHandle {
  std::uint64_t offset = 0, size = 0;

  bool Take(std::string_view* text) { return TakeVarint(text, &offset) && TakeVarint(text, &size); }
  void AppendTo(std::string* out) const {
    AppendVarint(out, offset);
    AppendVarint(out, size);
  }
};

// The entries of one block, one after the other. one thread. Borrows the bytes.
class BlockCursor {
 public:
  // DataLoss when the restart points do not fit.
  Status Open(std::string_view block) {
    if (block.size() < 4) return errors::DataLoss("table block: ", block.size(), " bytes are too few");
    restarts_ = LittleEndian32(block.data() + block.size() - 4);
    if (restarts_ > (block.size() - 4) / 4)
      return errors::DataLoss("table block: ", block.size(), " bytes are too few for ", restarts_, " restart points");
    entries_ = block.substr(0, block.size() - 4 * (std::size_t{restarts_} + 1));
    restart_at_ = block.data() + entries_.size();
    rest_ = {};
    return OkStatus();
  }
  // Moves to the first entry. False at the end (of an empty block) and where the block is damaged: status() tells.
  bool First() {
    rest_ = entries_;
    key_.clear();
    return restarts_ > 0 && Next();
  }
  bool Next() {
    std::uint64_t shared, unshared, value;
    if (rest_.empty()) return false;
    if (!TakeVarint(&rest_, &shared) || !TakeVarint(&rest_, &unshared) || !TakeVarint(&rest_, &value) ||
        shared > key_.size() || unshared > rest_.size() || value > rest_.size() - unshared)
      return Damaged();
    key_.resize(static_cast<std::size_t>(shared));
    key_.append(rest_.substr(0, static_cast<std::size_t>(unshared)));
    value_ = rest_.substr(static_cast<std::size_t>(unshared), static_cast<std::size_t>(value));
    rest_.remove_prefix(static_cast<std::size_t>(unshared + value));
    return true;
  }
  // Moves to the first entry whose key is not less than `key`, as far as the keys are in order.
  bool Seek(std::string_view key) {
    std::uint32_t low = 0, high = restarts_ > 0 ? restarts_ - 1 : 0;
    while (low < high) {  // the last restart point with a smaller key
      const std::uint32_t middle = low + (high - low + 1) / 2;
      if (!ToRestart(middle) || !Next()) return false;
      if (std::string_view(key_) < key)
        low = middle;
      else
        high = middle - 1;
    }
    if (restarts_ == 0 || !ToRestart(low)) return false;
    while (Next())
      if (std::string_view(key_) >= key) return true;
    return false;
  }

  std::string_view key() const { return key_; }  // until the next move
  std::string_view value() const { return value_; }
  Status status() const { return damaged_ ? errors::DataLoss("table block: bad entry in block") : OkStatus(); }

 private:
  bool Damaged() {
    damaged_ = true;
    rest_ = {};
    return false;
  }
  bool ToRestart(std::uint32_t i) {
    const std::uint32_t at = LittleEndian32(restart_at_ + 4 * std::size_t{i});
    if (at > entries_.size()) return Damaged();
    rest_ = entries_.substr(at);
    key_.clear();
    return true;
  }

  std::string_view entries_, rest_, value_;
  const char* restart_at_ = nullptr;
  std::uint32_t restarts_ = 0;
  std::string key_;
  bool damaged_ = false;
};

}  // namespace detail

// thread-safe: a look-up has its own state.
//
//   TENON_ASSIGN_OR_RETURN(const TableReader table, TableReader::Open("model.index"));
//   TENON_ASSIGN_OR_RETURN(const bool found, table.Find("dense/kernel", &value));
class TableReader {
 public:
  // NotFound and the like from the system. DataLoss: the file is not a table.
  static Result<TableReader> Open(const std::string& path, FileAccess access = FileAccess::kMap) {
    TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path, access));
    TableReader table(std::move(file), path);
    TENON_RETURN_IF_ERROR(table.Named(table.ReadIndex()));
    return table;
  }

  // Returns whether the key is there; *value is then its value. DataLoss: the block that would hold it is damaged.
  Result<bool> Find(std::string_view key, std::string* value) const {
    bool found = false;
    TENON_RETURN_IF_ERROR(Named(FindIn(key, value, &found)));
    return found;
  }

  // Gets the value of the first entry. DataLoss: there is none.
  Status First(std::string* value) const { return Named(FirstIn(value)); }
  // Calls visit(state, key, value) for all entries in the order of the file until it returns an error.
  // ResourceExhausted: the keys are too many to be kept; each may share most of its bytes with the one before.
  using Visit = Status (*)(void* state, std::string_view key, std::string_view value);
  Status ForEach(Visit visit, void* state) const {
    detail::BlockCursor index, entries;
    TENON_RETURN_IF_ERROR(Named(index.Open(index_block())));
    std::uint64_t end = 0, key_bytes = 0;
    for (bool block = index.First(); block; block = index.Next()) {
      std::string uncompressed;
      TENON_RETURN_IF_ERROR(Named(OpenBlock(index.value(), &uncompressed, &entries, &end)));
      for (bool more = entries.First(); more; more = entries.Next()) {
        key_bytes += entries.key().size();
        if (key_bytes / kMostKeyBytes > file_bytes())
          return Named(errors::ResourceExhausted("sstable: its keys have more than ", kMostKeyBytes, " times the ",
                                                 file_bytes(), " bytes of the file"));
        TENON_RETURN_IF_ERROR(visit(state, entries.key(), entries.value()));
      }
      TENON_RETURN_IF_ERROR(Named(entries.status()));
    }
    return Named(index.status());
  }

  const std::string& path() const { return path_; }
  std::size_t file_bytes() const { return file_.bytes().size(); }

 private:
  static constexpr std::uint64_t kMostKeyBytes = 1024;  // per byte of the file

  TableReader(MappedFile file, std::string path) : path_(std::move(path)), file_(std::move(file)) {}

  // Adds the name of the file to an error.
  Status Named(const Status& status) const {
    return status.ok() ? status : Status(status.code(), StrCat(status.message(), ": '", path_, "'"));
  }
  Status FindIn(std::string_view key, std::string* value, bool* found) const {
    detail::BlockCursor index, entries;
    TENON_RETURN_IF_ERROR(index.Open(index_block()));
    std::uint64_t end = 0;
    for (bool more = index.Seek(key); more; more = index.Next()) {
      std::string uncompressed;
      TENON_RETURN_IF_ERROR(OpenBlock(index.value(), &uncompressed, &entries, &end));
      if (!entries.Seek(key)) {  // the next block has the first key behind it, as the index says
        TENON_RETURN_IF_ERROR(entries.status());
        continue;
      }
      *found = entries.key() == key;
      if (*found) value->assign(entries.value());
      return OkStatus();
    }
    return index.status();
  }
  Status FirstIn(std::string* value) const {
    detail::BlockCursor index, entries;
    std::string uncompressed;
    std::uint64_t end = 0;
    TENON_RETURN_IF_ERROR(index.Open(index_block()));
    for (bool more = index.First(); more; more = index.Next()) {
      TENON_RETURN_IF_ERROR(OpenBlock(index.value(), &uncompressed, &entries, &end));
      if (entries.First()) {
        value->assign(entries.value());
        return OkStatus();
      }
      TENON_RETURN_IF_ERROR(entries.status());
    }
    TENON_RETURN_IF_ERROR(index.status());
    return errors::DataLoss("the table has no entry");
  }

  std::string_view bytes() const { return {reinterpret_cast<const char*>(file_.bytes().data()), file_.bytes().size()}; }
  // A string moves with its object, so no view of it is kept.
  std::string_view index_block() const { return uncompressed_index_.empty() ? index_ : uncompressed_index_; }
  Status ReadIndex() {
    const std::string_view file = bytes();
    if (file.size() < detail::kTableFooter)
      return errors::DataLoss("file is too short to be an sstable: ", file.size(), " bytes, the footer alone has ",
                              detail::kTableFooter);
    std::string_view footer = file.substr(file.size() - detail::kTableFooter);
    std::uint64_t magic;
    std::memcpy(&magic, footer.data() + detail::kTableFooter - sizeof magic, sizeof magic);
    if (magic != detail::kTableMagic) return errors::DataLoss("not an sstable (bad magic number)");
    footer.remove_suffix(sizeof magic);
    detail::BlockHandle meta, index;
    if (!meta.Take(&footer) || !index.Take(&footer)) return errors::DataLoss("sstable footer: bad block handle");
    TENON_ASSIGN_OR_RETURN(const std::string_view block, Block(index, &uncompressed_index_));
    if (uncompressed_index_.empty()) index_ = block;
    return detail::BlockCursor().Open(block);
  }
  // The block's bytes, in the file or in *uncompressed.
  Result<std::string_view> Block(detail::BlockHandle handle, std::string* uncompressed) const {
    const std::string_view file = bytes();
    if (handle.offset > file.size() || file.size() - handle.offset < detail::kBlockTrailer ||
        handle.size > file.size() - handle.offset - detail::kBlockTrailer)
      return errors::DataLoss("truncated block read: ", handle.size, " bytes at offset ", handle.offset,
                              " of a file of ", file.size());
    const auto size = static_cast<std::size_t>(handle.size);
    const std::string_view block = file.substr(static_cast<std::size_t>(handle.offset), size + 1);
    const std::uint32_t stored = detail::LittleEndian32(block.data() + block.size());
    if (stored != MaskCrc(Crc32c(block)))
      return errors::DataLoss("block checksum mismatch: ", handle.size, " bytes at offset ", handle.offset);
    if (block[size] == 0) return block.substr(0, size);
    if (block[size] != 1)
      return errors::DataLoss("bad block type ", static_cast<int>(static_cast<unsigned char>(block[size])),
                              " of the block at offset ", handle.offset, "; 0 and 1 are known");
    TENON_ASSIGN_OR_RETURN(*uncompressed, Unsnap(block.substr(0, size)));
    return std::string_view(*uncompressed);
  }
  // *end: end of the block before, then of this one. Without it a short index could name one block many times.
  Status OpenBlock(std::string_view handle_text, std::string* uncompressed, detail::BlockCursor* cursor,
                   std::uint64_t* end) const {
    detail::BlockHandle handle;
    if (!handle.Take(&handle_text)) return errors::DataLoss("sstable index: bad block handle");
    if (handle.offset < *end)
      return errors::DataLoss("sstable index: the block at offset ", handle.offset,
                              " begins before the end of the one before it, which is ", *end);
    TENON_ASSIGN_OR_RETURN(const std::string_view block, Block(handle, uncompressed));
    *end = handle.offset + handle.size + detail::kBlockTrailer;
    *cursor = detail::BlockCursor();
    return cursor->Open(block);
  }

  std::string path_;
  MappedFile file_;
  std::string_view index_;  // in the file
  std::string uncompressed_index_;
};

// Makes a table in memory: keys in increasing order, no key twice. one thread.
class TableWriter {
 public:
  // `block_bytes`: a block is closed when it has as many.
  explicit TableWriter(std::size_t block_bytes = 262144) : block_bytes_(block_bytes) {}

  // InvalidArgument when the key is not greater than the one before.
  Status Add(std::string_view key, std::string_view value) {
    if (!first_ && key <= std::string_view(last_key_))
      return errors::InvalidArgument("TableWriter: keys must come in order: '", key, "' after '", last_key_, "'");
    if (pending_) {  // the block before ends somewhere between its last key and this one
      AddIndexEntry(Between(last_key_, key));
      pending_ = false;
    }
    data_.Add(key, value);
    last_key_.assign(key);
    first_ = false;
    if (data_.size() >= block_bytes_) Flush();
    return OkStatus();
  }
  // The whole file. Nothing can be added afterwards.
  std::string Finish() {
    Flush();
    const detail::BlockHandle meta = Write(Block().Finish());
    if (pending_) AddIndexEntry(After(last_key_));
    const detail::BlockHandle index = Write(index_.Finish());
    std::string footer;
    meta.AppendTo(&footer);
    index.AppendTo(&footer);
    footer.resize(detail::kTableFooter - sizeof detail::kTableMagic);
    file_ += footer;
    const std::uint64_t magic = detail::kTableMagic;
    file_.append(reinterpret_cast<const char*>(&magic), sizeof magic);
    return std::move(file_);
  }

 private:
  class Block {
   public:
    explicit Block(int restart_interval = 16) : interval_(restart_interval) {}
    void Add(std::string_view key, std::string_view value) {
      std::size_t shared = 0;
      if (since_restart_ == interval_) {
        restarts_.push_back(static_cast<std::uint32_t>(entries_.size()));
        since_restart_ = 0;
      } else {
        while (shared < key.size() && shared < last_key_.size() && key[shared] == last_key_[shared]) ++shared;
      }
      detail::AppendVarint(&entries_, shared);
      detail::AppendVarint(&entries_, key.size() - shared);
      detail::AppendVarint(&entries_, value.size());
      entries_.append(key.substr(shared)).append(value);
      last_key_.assign(key);
      ++since_restart_;
    }
    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size() + 4 * (restarts_.size() + 1) + 4; }
    std::string Finish() {
      detail::AppendLittleEndian32(&entries_, 0);
      for (const std::uint32_t restart : restarts_) detail::AppendLittleEndian32(&entries_, restart);
      detail::AppendLittleEndian32(&entries_, static_cast<std::uint32_t>(restarts_.size() + 1));
      return std::move(entries_);
    }

   private:
    int interval_, since_restart_ = 0;
    std::string entries_, last_key_;
    SlimVector<std::uint32_t> restarts_;  // behind the first, which is 0
  };

  // A short key that is not less than `a` and less than `b`.
  static std::string Between(std::string_view a, std::string_view b) {
    std::size_t same = 0;
    while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
    if (same < a.size() && same < b.size()) {
      const auto byte = static_cast<unsigned char>(a[same]);
      if (byte < 0xff && byte + 1 < static_cast<unsigned char>(b[same]))
        return std::string(a.substr(0, same)) + static_cast<char>(byte + 1);
    }
    return std::string(a);
  }
  static std::string After(std::string_view a) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto byte = static_cast<unsigned char>(a[i]);
      if (byte != 0xff) return std::string(a.substr(0, i)) + static_cast<char>(byte + 1);
    }
    return std::string(a);
  }
  detail::BlockHandle Write(const std::string& block) {
    const detail::BlockHandle handle{file_.size(), block.size()};
    file_ += block;
    file_ += '\0';  // not compressed
    detail::AppendLittleEndian32(&file_,
                                 MaskCrc(Crc32c(std::string_view(file_).substr(file_.size() - block.size() - 1))));
    return handle;
  }
  void Flush() {
    if (data_.empty()) return;
    last_block_ = Write(data_.Finish());
    data_ = Block();
    pending_ = true;
  }
  void AddIndexEntry(const std::string& key) {
    std::string handle;
    last_block_.AppendTo(&handle);
    index_.Add(key, handle);
  }

  std::size_t block_bytes_;
  std::string file_, last_key_;
  Block data_, index_{1};
  detail::BlockHandle last_block_;
  bool first_ = true;
  bool pending_ = false;  // the index lacks the last block
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
