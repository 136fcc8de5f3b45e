// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bookkeeping of a BFCAllocator: regions, the chunks they are divided into, and where to find a free one that fits.

#include <bit>
#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/slim_vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// One piece of a region. Chunk number 0 stands for none. One cache line.
struct alignas(64) BFCChunk {
  using Handle = std::uint32_t;

  bool in_use() const { return allocation_id >= 0; }

  char* ptr = nullptr;
  std::size_t bytes = 0;  // a multiple of 256
  std::size_t requested_bytes = 0;
  std::int64_t allocation_id = -1;  // -1: free
  std::uint64_t freed_at = 0;  // free, and joined with nothing until that count is safe; 0: no such count
  Handle prev = 0, next = 0;  // neighbours in memory; `next` of a spare chunk: the next spare one
  Handle left = 0, right = 0;  // children of a free chunk in its tree
  Handle earlier = 0, later = 0;  // neighbours in the list of free chunks with freed_at, in the order of freed_at
};

struct BFCRegion {
  char* end() const { return ptr + bytes; }
  BFCChunk::Handle& HandleAt(const void* p) const {
    return handles[static_cast<std::size_t>(static_cast<const char*>(p) - ptr) / 256];
  }

  char* ptr = nullptr;
  std::size_t bytes = 0;  // that chunks are made of: a multiple of 256
  std::size_t received_bytes = 0;  // as the sub-allocator counts them
  BFCChunk::Handle* handles = nullptr;  // one for each 256 bytes; 0 where no chunk begins. From calloc: most of a large
                                        // region's pages are never touched
};

// externally synchronised.
//
// Free chunks are in 21 bins: bin b has those of 256 << b bytes and more, but less than twice that; the last has no
// upper end. A bin is 16 trees (treaps in the order of size, then address) by the size's next four bits, in the last
// bin by its magnitude: so no tree is deep, and below 8 KiB each size has its own.
class BFCChunks {
 public:
  using Chunk = BFCChunk;
  using Region = BFCRegion;
  using Handle = Chunk::Handle;

  static constexpr std::size_t kMinAllocationSize = 256;  // bytes; chunks are multiples of it and aligned to it
  static constexpr int kNumBins = 21;
  static constexpr int kTreesPerBin = 16;

  static constexpr int BinOf(std::size_t bytes) {
    const int bin = static_cast<int>(std::bit_width(bytes / kMinAllocationSize)) - 1;
    return bin < kNumBins ? bin : kNumBins - 1;
  }
  // Ascends with the size: kTreesPerBin * bin and what follows.
  static constexpr int TreeOf(std::size_t bytes) {
    const std::size_t units = bytes / kMinAllocationSize;
    const int bin = static_cast<int>(std::bit_width(units)) - 1;
    if (bin >= kNumBins - 1) [[unlikely]] {
      const int over = bin - (kNumBins - 1);
      return kTreesPerBin * (kNumBins - 1) + (over < kTreesPerBin ? over : kTreesPerBin - 1);
    }
    const std::size_t next_bits = bin >= 4 ? units >> (bin - 4) : units << (4 - bin);
    return kTreesPerBin * bin + static_cast<int>(next_bits & (kTreesPerBin - 1));
  }

  BFCChunks() { chunks_.resize(1); }  // none

  Chunk& At(Handle h) { return chunks_[h]; }
  const Chunk& At(Handle h) const { return chunks_[h]; }
  // By address. Code that adds or removes one does so for its chunks too.
  SlimVector<Region>& regions() { return regions_; }
  const SlimVector<Region>& regions() const { return regions_; }

  Handle NewChunk() noexcept;  // 0: no memory for it
  void DeleteChunk(Handle h);
  const Region* FindRegion(const void* ptr) const;
  Handle FindHandle(const void* ptr) const;

  // A chunk in no tree: cut in two, joined with its neighbours.
  bool Split(Handle h, std::size_t bytes);
  Handle Coalesce(Handle h);

  // The trees of free chunks.
  void Insert(Handle h);
  void Erase(Handle h);
  Handle FindFit(std::size_t bytes, std::uint64_t freed_before) const;
  std::size_t LargestFree() const;

  // The list of free chunks with a stamp, the earliest first.
  bool HasStamped() const { return earliest_ != 0; }
  Handle earliest() const { return earliest_; }
  void Stamp(Handle h, Handle before);
  void Unstamp(Handle h);
  void MergeSafe(std::uint64_t safe_frontier);
  bool MergeUnsafe(std::size_t needed);

  // For self-examination.
  Handle root(int tree) const { return trees_[tree]; }
  bool IsMarked(int tree) const {
    return (used_trees_[tree / kTreesPerBin] >> tree % kTreesPerBin & 1) != 0 &&
           (used_bins_ >> tree / kTreesPerBin & 1) != 0;
  }
  static std::uint32_t Priority(Handle h) { return h * 0x9e3779b9u; }  // no two handles have the same
  Handle FindInTree(int tree, std::size_t bytes, const char* after) const;

 private:
  static bool Precedes(const Chunk& a, const Chunk& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.ptr < b.ptr;
  }
  int NextTree(int tree) const;
  void Merge(Handle h, Handle next);

  SlimVector<Chunk> chunks_;
  Handle spare_ = 0;  // a list of chunks that stand for nothing
  Handle earliest_ = 0, latest_ = 0;  // ends of the list of stamped chunks
  SlimVector<Region> regions_;
  std::uint32_t used_bins_ = 0;  // bit b: a tree of bin b has a chunk
  std::uint16_t used_trees_[kNumBins] = {};  // bit t: tree t of the bin has one
  Handle trees_[kNumBins * kTreesPerBin] = {};
};

inline BFCChunks::Handle BFCChunks::NewChunk() noexcept {
  if (spare_ == 0) {
    if (!Succeeds([&] { chunks_.emplace_back(); })) return 0;
    return static_cast<Handle>(chunks_.size() - 1);
  }
  const Handle h = spare_;
  spare_ = At(h).next;
  At(h) = Chunk();
  return h;
}
inline void BFCChunks::DeleteChunk(Handle h) {
  At(h).ptr = nullptr;
  At(h).next = spare_;
  spare_ = h;
}

// Null if the pointer is in no region.
inline const BFCChunks::Region* BFCChunks::FindRegion(const void* ptr) const {
  const auto* const p = static_cast<const char*>(ptr);
  std::size_t first = 0;
  for (std::size_t count = regions_.size(); count > 0;) {  // the first one that ends after p
    const std::size_t half = count / 2;
    if (regions_[first + half].end() <= p) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first < regions_.size() && regions_[first].ptr <= p ? &regions_[first] : nullptr;
}
// Returns the handle of the chunk that begins there, or 0.
inline BFCChunks::Handle BFCChunks::FindHandle(const void* ptr) const {
  const Region* const region = FindRegion(ptr);
  if (region == nullptr || reinterpret_cast<std::uintptr_t>(ptr) % kMinAllocationSize != 0) return 0;
  return region->HandleAt(ptr);
}

// ------------------------------------------------------------------------------------------------- chunks

// The chunk, which is in no tree, keeps its first `bytes` bytes; the rest is a chunk after it, in its tree. False:
// there is no memory for another chunk, and this one stays whole.
inline bool BFCChunks::Split(Handle h, std::size_t bytes) {
  const Handle rest_handle = NewChunk();
  if (rest_handle == 0) return false;
  Chunk& chunk = At(h);
  Chunk& rest = At(rest_handle);
  rest.ptr = chunk.ptr + bytes;
  rest.bytes = chunk.bytes - bytes;
  rest.prev = h;
  rest.next = chunk.next;
  chunk.bytes = bytes;
  chunk.next = rest_handle;
  if (rest.next != 0) At(rest.next).prev = rest_handle;
  FindRegion(rest.ptr)->HandleAt(rest.ptr) = rest_handle;
  if (chunk.freed_at != 0) {
    rest.freed_at = chunk.freed_at;
    Stamp(rest_handle, h);
  }
  Insert(rest_handle);
  return true;
}

// Joins a free chunk without a stamp, which is in no tree, with its free neighbours that have none either.
inline BFCChunks::Handle BFCChunks::Coalesce(Handle h) {
  const auto may_join = [this](Handle other) { return other != 0 && !At(other).in_use() && At(other).freed_at == 0; };
  if (const Handle next = At(h).next; may_join(next)) {
    Erase(next);
    Merge(h, next);
  }
  if (const Handle prev = At(h).prev; may_join(prev)) {
    Erase(prev);
    Merge(prev, h);
    return prev;
  }
  return h;
}

// Both are free and in no tree; `next` ends, and `h` has the later stamp of the two.
inline void BFCChunks::Merge(Handle h, Handle next) {
  Chunk& chunk = At(h);
  const Chunk& other = At(next);
  if (other.freed_at > chunk.freed_at) {
    if (chunk.freed_at != 0) Unstamp(h);
    chunk.freed_at = other.freed_at;
    Stamp(h, next);
  }
  if (other.freed_at != 0) Unstamp(next);
  chunk.bytes += other.bytes;
  chunk.next = other.next;
  if (chunk.next != 0) At(chunk.next).prev = h;
  FindRegion(other.ptr)->HandleAt(other.ptr) = 0;
  DeleteChunk(next);
}

// Chunks behind the safe frontier lose their stamps.
inline void BFCChunks::MergeSafe(std::uint64_t safe_frontier) {
  while (earliest_ != 0 && At(earliest_).freed_at < safe_frontier) {
    const Handle h = earliest_;
    Erase(h);
    Unstamp(h);
    At(h).freed_at = 0;
    Insert(Coalesce(h));
  }
}

// Joins free neighbours whatever their stamps until there is a chunk of `needed` bytes.
TENON_DETAIL_COLD inline bool BFCChunks::MergeUnsafe(std::size_t needed) {
  if (earliest_ == 0) return false;
  for (const Region& region : regions_) {
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const auto next_is_free = [this, h] { return At(h).next != 0 && !At(At(h).next).in_use(); };
      if (At(h).in_use() || !next_is_free()) continue;
      Erase(h);
      while (next_is_free()) {
        Erase(At(h).next);
        Merge(h, At(h).next);
      }
      Insert(h);
      if (At(h).bytes >= needed) return true;
    }
  }
  return false;
}

// ------------------------------------------------------------------------------------------------- trees

// By size and address from left to right, by priority from the root down.
inline void BFCChunks::Insert(Handle h) {
  Chunk& chunk = At(h);
  const int tree = TreeOf(chunk.bytes);
  const std::uint32_t priority = Priority(h);
  Handle* link = &trees_[tree];
  if (*link == 0) {
    used_trees_[tree / kTreesPerBin] |= static_cast<std::uint16_t>(1u << tree % kTreesPerBin);
    used_bins_ |= 1u << tree / kTreesPerBin;
  }
  while (*link != 0 && Priority(*link) > priority) {
    Chunk& other = At(*link);
    link = Precedes(chunk, other) ? &other.left : &other.right;
  }
  Handle below = *link;
  *link = h;
  Handle* smaller = &chunk.left;  // where the next chunk of `below` that is smaller, or larger, goes
  Handle* larger = &chunk.right;
  while (below != 0) {
    Chunk& other = At(below);
    if (Precedes(other, chunk)) {
      *smaller = below;
      smaller = &other.right;
      below = other.right;
    } else {
      *larger = below;
      larger = &other.left;
      below = other.left;
    }
  }
  *smaller = *larger = 0;
}

inline void BFCChunks::Erase(Handle h) {
  const Chunk& chunk = At(h);
  const int tree = TreeOf(chunk.bytes);
  Handle* link = &trees_[tree];
  while (*link != h) {
    Chunk& other = At(*link);
    link = Precedes(chunk, other) ? &other.left : &other.right;
  }
  Handle a = chunk.left;
  Handle b = chunk.right;
  while (a != 0 && b != 0) {
    if (Priority(a) > Priority(b)) {
      *link = a;
      link = &At(a).right;
      a = *link;
    } else {
      *link = b;
      link = &At(b).left;
      b = *link;
    }
  }
  *link = a != 0 ? a : b;
  if (trees_[tree] != 0) return;
  std::uint16_t& used = used_trees_[tree / kTreesPerBin];
  used = static_cast<std::uint16_t>(used & ~(1u << tree % kTreesPerBin));
  if (used == 0) used_bins_ &= ~(1u << tree / kTreesPerBin);
}

// The first chunk of the tree with `bytes` bytes and an address after `after`, or with more bytes.
inline BFCChunks::Handle BFCChunks::FindInTree(int tree, std::size_t bytes, const char* after) const {
  Handle best = 0;
  for (Handle h = trees_[tree]; h != 0;) {
    const Chunk& chunk = At(h);
    if (chunk.bytes > bytes || (chunk.bytes == bytes && chunk.ptr > after)) {
      best = h;
      h = chunk.left;
    } else {
      h = chunk.right;
    }
  }
  return best;
}

// The first tree after that one that is not empty, or -1.
inline int BFCChunks::NextTree(int tree) const {
  int bin = tree / kTreesPerBin;
  const std::uint32_t trees = used_trees_[bin] & (~1u << tree % kTreesPerBin);
  if (trees != 0) return kTreesPerBin * bin + std::countr_zero(trees);
  const std::uint32_t bins = used_bins_ & (~1u << bin);
  if (bins == 0) return -1;
  bin = std::countr_zero(bins);
  return kTreesPerBin * bin + std::countr_zero(used_trees_[bin]);
}

// The smallest free chunk of at least `bytes` bytes, of equal ones the first in memory, with no stamp after
// `freed_before` unless that is 0. 0: none.
inline BFCChunks::Handle BFCChunks::FindFit(std::size_t bytes, std::uint64_t freed_before) const {
  for (int tree = TreeOf(bytes); tree >= 0; tree = NextTree(tree)) {
    Handle h = FindInTree(tree, bytes, nullptr);
    if (freed_before != 0) [[unlikely]] {
      while (h != 0 && At(h).freed_at > freed_before) h = FindInTree(tree, At(h).bytes, At(h).ptr);
    }
    if (h != 0) return h;
  }
  return 0;
}

inline std::size_t BFCChunks::LargestFree() const {
  if (used_bins_ == 0) return 0;
  const int bin = static_cast<int>(std::bit_width(used_bins_)) - 1;
  const int tree = kTreesPerBin * bin + static_cast<int>(std::bit_width(used_trees_[bin])) - 1;
  std::size_t largest = 0;
  for (Handle h = trees_[tree]; h != 0; h = At(h).right) largest = At(h).bytes;
  return largest;
}

// ------------------------------------------------------------------------------------------------- stamps

// Puts the chunk into the list of stamped ones: before `before`, or at the end.
inline void BFCChunks::Stamp(Handle h, Handle before) {
  Chunk& chunk = At(h);
  chunk.later = before;
  chunk.earlier = before != 0 ? At(before).earlier : latest_;
  (chunk.earlier != 0 ? At(chunk.earlier).later : earliest_) = h;
  (before != 0 ? At(before).earlier : latest_) = h;
}
inline void BFCChunks::Unstamp(Handle h) {
  const Chunk& chunk = At(h);
  (chunk.earlier != 0 ? At(chunk.earlier).later : earliest_) = chunk.later;
  (chunk.later != 0 ? At(chunk.later).earlier : latest_) = chunk.earlier;
}

}  // namespace detail
TENON_DETAIL_NAMESPACE_END
