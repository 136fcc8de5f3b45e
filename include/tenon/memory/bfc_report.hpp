// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reports of a BFCAllocator about its memory: the bins and chunks as a string, a picture of the regions, the
// fragmentation, and, for tests, any defect of the structure.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <tenon/base/config.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/bfc_chunks.hpp>
#include <tenon/memory/stats.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// "1.50GiB"
inline std::string HumanReadableBytes(std::size_t bytes) {
  if (bytes < 1024) return StrCat(bytes, "B");
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%ciB", value, " KMGTPE"[unit]);
  return text;
}

// externally synchronised. Lives no longer than the chunks.
class BFCReport {
 public:
  explicit BFCReport(const BFCChunks& chunks) : chunks_(chunks) {}

  // How much of `free_bytes`, all that is free, is not in the largest free chunk: 0 is one piece, near 1 is dust.
  double Fragmentation(std::int64_t free_bytes) const {
    const auto free = static_cast<double>(free_bytes);
    return free > 0 ? (free - static_cast<double>(chunks_.LargestFree())) / free : 0;
  }
  // The regions as one line of 100 characters: '*' in use, 'x' in use but not asked for, '_' free.
  std::string Occupancy() const;
  // One line a bin; one line a chunk and a summary.
  void DumpBins(std::string* text) const;
  void DumpChunks(std::string* text) const;
  // Describes a defect of the structure, or a difference from the stats; empty without one. Looks at every chunk.
  std::string FindDefect(const AllocatorStats& stats) const;

 private:
  using Chunk = BFCChunk;
  using Region = BFCRegion;
  using Handle = Chunk::Handle;

  const Chunk& At(Handle h) const { return chunks_.At(h); }
  std::string FindDefectInRegion(const Region& region, std::int64_t* in_use, std::size_t* num_free,
                                 std::size_t* num_stamped) const;
  std::string FindDefectInTree(int tree, Handle root, std::size_t* num_free) const;

  const BFCChunks& chunks_;
};

TENON_DETAIL_COLD inline std::string BFCReport::Occupancy() const {
  constexpr std::size_t kColumns = 100;
  std::size_t total = 0;
  for (const Region& region : chunks_.regions()) total += region.bytes;
  std::string line(kColumns, '_');
  // Used chunks are drawn as a whole first, then the requested bytes over them.
  const auto draw = [&](std::size_t begin, std::size_t bytes, char mark) {
    const auto column = [&](std::size_t at) {
      return static_cast<std::size_t>(static_cast<double>(at) * kColumns / static_cast<double>(total));
    };
    for (std::size_t i = column(begin); i < kColumns && (i == column(begin) || i < column(begin + bytes)); ++i) {
      line[i] = mark;
    }
  };
  for (const char mark : {'x', '*'}) {
    std::size_t region_begin = 0;
    for (const Region& region : chunks_.regions()) {
      for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
        const Chunk& chunk = At(h);
        if (!chunk.in_use()) continue;
        draw(region_begin + static_cast<std::size_t>(chunk.ptr - region.ptr),
             mark == 'x' ? chunk.bytes : chunk.requested_bytes, mark);
      }
      region_begin += region.bytes;
    }
  }
  return line;
}

TENON_DETAIL_COLD inline void BFCReport::DumpBins(std::string* text) const {
  struct Sum {
    std::size_t chunks, chunks_in_use, bytes, bytes_in_use, requested_bytes;
  };
  Sum sums[BFCChunks::kNumBins] = {};
  for (const Region& region : chunks_.regions()) {
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const Chunk& chunk = At(h);
      Sum& sum = sums[BFCChunks::BinOf(chunk.bytes)];
      ++sum.chunks;
      sum.bytes += chunk.bytes;
      if (!chunk.in_use()) continue;
      ++sum.chunks_in_use;
      sum.bytes_in_use += chunk.bytes;
      sum.requested_bytes += chunk.requested_bytes;
    }
  }
  for (int bin = 0; bin < BFCChunks::kNumBins; ++bin) {
    const Sum& sum = sums[bin];
    StrAppend(text, "Bin (", BFCChunks::kMinAllocationSize << bin, "): Total Chunks: ", sum.chunks,
              ", Chunks in use: ", sum.chunks_in_use, ". ", HumanReadableBytes(sum.bytes), " allocated for chunks. ",
              HumanReadableBytes(sum.bytes_in_use), " in use in bin. ", HumanReadableBytes(sum.requested_bytes),
              " client-requested in use in bin.\n");
  }
}

TENON_DETAIL_COLD inline void BFCReport::DumpChunks(std::string* text) const {
  FlatMap<std::size_t, std::size_t> counts;  // size -> chunks in use
  for (const Region& region : chunks_.regions()) {
    StrAppend(text, "Next region of size ", region.bytes, "\n");
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const Chunk& chunk = At(h);
      char address[24];
      std::snprintf(address, sizeof address, "%p", static_cast<const void*>(chunk.ptr));
      StrAppend(text, chunk.in_use() ? "InUse at " : "Free  at ", address, " of size ", chunk.bytes);
      if (chunk.in_use()) {
        StrAppend(text, " requested ", chunk.requested_bytes, " id ", chunk.allocation_id);
        ++counts[chunk.bytes];
      } else if (chunk.freed_at != 0) {
        StrAppend(text, " freed_at_count ", chunk.freed_at);
      }
      text->push_back('\n');
    }
  }
  text->append("     Summary of in-use Chunks by size:\n");
  std::size_t total = 0;
  for (const auto& [size, count] : counts) {
    StrAppend(text, count, " Chunks of size ", size, " totalling ", HumanReadableBytes(size * count), "\n");
    total += size * count;
  }
  StrAppend(text, "Sum Total of in-use chunks: ", HumanReadableBytes(total), "\n");
}

TENON_DETAIL_COLD inline std::string BFCReport::FindDefect(const AllocatorStats& stats) const {
  std::size_t num_free = 0, num_stamped = 0, received = 0;
  const char* end = nullptr;
  std::int64_t in_use = 0;
  for (const Region& region : chunks_.regions()) {
    if (region.ptr < end) return "regions overlap or are not in order";
    end = region.ptr + region.received_bytes;
    received += region.received_bytes;
    if (std::string text = FindDefectInRegion(region, &in_use, &num_free, &num_stamped); !text.empty()) return text;
  }
  if (static_cast<std::int64_t>(received) != stats.bytes_reserved)
    return "bytes_reserved is not the sum of the regions";
  if (in_use != stats.bytes_in_use) return "bytes_in_use is not the sum of the chunks in use";
  std::size_t num_in_trees = 0;
  for (int tree = 0; tree < BFCChunks::kNumBins * BFCChunks::kTreesPerBin; ++tree) {
    if ((chunks_.root(tree) != 0) != chunks_.IsMarked(tree)) return StrCat("tree ", tree, " is not marked as it is");
    if (std::string text = FindDefectInTree(tree, chunks_.root(tree), &num_in_trees); !text.empty()) return text;
  }
  if (num_in_trees != num_free) return StrCat(num_free, " free chunks, but ", num_in_trees, " in the trees");
  std::uint64_t count = 0;
  for (Handle h = chunks_.earliest(); h != 0; h = At(h).later, --num_stamped) {
    if (At(h).in_use() || At(h).freed_at < count || num_stamped == 0) return "the list of stamped chunks is wrong";
    count = At(h).freed_at;
  }
  return num_stamped == 0 ? "" : "a stamped chunk is not in the list";
}

TENON_DETAIL_COLD inline std::string BFCReport::FindDefectInRegion(const Region& region, std::int64_t* in_use,
                                                                   std::size_t* num_free,
                                                                   std::size_t* num_stamped) const {
  const char* end = region.ptr;
  std::size_t num_chunks = 0;
  Handle before = 0;
  for (Handle h = region.handles[0]; h != 0; before = h, h = At(h).next, ++num_chunks) {
    const Chunk& chunk = At(h);
    if (chunk.ptr != end || chunk.bytes == 0 || chunk.bytes % BFCChunks::kMinAllocationSize != 0)
      return "chunks leave gaps";
    end += chunk.bytes;
    if (end > region.end() || region.HandleAt(chunk.ptr) != h || chunk.prev != before) return "a chunk is linked wrong";
    if (chunk.in_use()) {
      if (chunk.requested_bytes > chunk.bytes || chunk.freed_at != 0) return "a chunk in use is too small or stamped";
      *in_use += static_cast<std::int64_t>(chunk.bytes);
      continue;
    }
    ++*num_free;
    if (chunk.freed_at != 0) {
      ++*num_stamped;
    } else if (before != 0 && !At(before).in_use() && At(before).freed_at == 0) {
      return "two free neighbours are not joined";
    }
  }
  if (end != region.end()) return "the chunks of a region do not fill it";
  for (std::size_t i = 0; i < region.bytes / BFCChunks::kMinAllocationSize; ++i)
    num_chunks -= region.handles[i] != 0 ? 1 : 0;
  return num_chunks == 0 ? "" : "a handle stands where no chunk begins";
}

// The depth of the recursion is that of the tree.
TENON_DETAIL_COLD inline std::string BFCReport::FindDefectInTree(int tree, Handle root, std::size_t* num_free) const {
  if (root == 0) return "";
  const Chunk& chunk = At(root);
  ++*num_free;
  if (chunk.in_use() || BFCChunks::TreeOf(chunk.bytes) != tree) {
    return StrCat("tree ", tree, " has a chunk that is not for it");
  }
  if (chunks_.FindInTree(tree, chunk.bytes, chunk.ptr - 1) != root) {
    return StrCat("tree ", tree, " does not find its chunk");
  }
  for (const Handle child : {chunk.left, chunk.right}) {
    if (child != 0 && BFCChunks::Priority(child) >= BFCChunks::Priority(root))
      return StrCat("tree ", tree, " is no heap");
    if (std::string text = FindDefectInTree(tree, child, num_free); !text.empty()) return text;
  }
  return "";
}

}  // namespace detail
TENON_DETAIL_NAMESPACE_END
