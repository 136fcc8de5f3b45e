// SPDX-License-Identifier: Apache-2.0
#pragma once
// NumaSubAllocator: whole pages of the memory near one NUMA node. By Linux' system calls alone, so that no library is
// needed; elsewhere, and where the system forbids them, ordinary pages.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__linux__) && defined(SYS_mbind) && defined(SYS_get_mempolicy)
#define TENON_DETAIL_NUMA 1
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/huge_pages.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/sub_allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace numa {

inline constexpr int kNoNode = -1;
inline constexpr std::size_t kMaxNodes = 1024;

// The nodes whose memory this process may have; one bit a node. All 0 where the system does not say.
struct Nodes {
  bool contains(int node) const {
    return node >= 0 && static_cast<std::size_t>(node) < kMaxNodes && (words[node / kBits] >> node % kBits & 1) != 0;
  }
  int count() const {
    int n = 0;
    for (int node = 0; node < static_cast<int>(kMaxNodes); ++node) n += contains(node) ? 1 : 0;
    return n;
  }

  static constexpr int kBits = static_cast<int>(8 * sizeof(unsigned long));
  unsigned long words[kMaxNodes / (8 * sizeof(unsigned long))] = {};
};

inline Nodes AllowedNodes() {
  Nodes nodes;
#if defined(TENON_DETAIL_NUMA)
  constexpr unsigned long kMemsAllowed = 4;  // MPOL_F_MEMS_ALLOWED
  if (::syscall(SYS_get_mempolicy, nullptr, nodes.words, kMaxNodes, nullptr, kMemsAllowed) != 0) return Nodes();
#endif
  return nodes;
}
// How many nodes there are; 1 where the system does not say.
inline int NumNodes() {
  const int count = AllowedNodes().count();
  return count > 0 ? count : 1;
}
// The node of the page at `ptr`, which must have been touched; kNoNode where the system does not say.
inline int NodeOf([[maybe_unused]] const void* ptr) {
#if defined(TENON_DETAIL_NUMA)
  constexpr unsigned long kNode = 1, kAddress = 2;  // MPOL_F_NODE, MPOL_F_ADDR
  int node = kNoNode;
  if (::syscall(SYS_get_mempolicy, &node, nullptr, 0ul, ptr, kNode | kAddress) == 0) return node;
#endif
  return kNoNode;
}

}  // namespace numa

// externally synchronised, as every SubAllocator. Its visitors are told the node as index.
//
//   BFCAllocator near(MakeOwned<NumaSubAllocator>(1), std::size_t{8} << 30, "cpu_node_1");
class NumaSubAllocator final : public SubAllocator {
 public:
  // kNoNode: wherever the thread that touches a page runs.
  explicit NumaSubAllocator(int node, SlimVector<Visitor> alloc_visitors = {}, SlimVector<Visitor> free_visitors = {})
      : SubAllocator(std::move(alloc_visitors), std::move(free_visitors)), node_(node) {
    if (node == numa::kNoNode) return;
#if defined(TENON_DETAIL_NUMA)
    if (!numa::AllowedNodes().contains(node)) why_not_ = StrCat("this process may not use memory of node ", node);
#else
    why_not_ = "this system has no calls for it";
#endif
    Warn();
  }

  int node() const { return node_; }
  // Empty while memory comes from the node; else why it is ordinary memory instead.
  const std::string& why_not() const { return why_not_; }

  void* Alloc(std::size_t alignment, std::size_t bytes, std::size_t* bytes_received) override {
    *bytes_received = 0;
    void* const ptr = AllocatePages(alignment, bytes, bytes_received);
    if (ptr == nullptr) return nullptr;
    Bind(ptr, *bytes_received);
    VisitAlloc(ptr, node_, *bytes_received);
    return ptr;
  }
  void Free(void* ptr, std::size_t bytes) override {
    if (ptr == nullptr) return;
    VisitFree(ptr, node_, bytes);
#if defined(TENON_DETAIL_NUMA)
    ::munmap(ptr, bytes);
#else
    CpuAllocator()->DeallocateRaw(ptr, kPage, bytes);
#endif
  }
  AllocatorMemoryType GetMemoryType() const override { return AllocatorMemoryType::kHostPageable; }

 private:
  static constexpr std::size_t kPage = 4096;  // that alignments up to here cost nothing is true of larger pages too

#if defined(TENON_DETAIL_NUMA)
  // Bytes rounded up to pages. More is mapped for a larger alignment, and what is too much goes back.
  static void* AllocatePages(std::size_t alignment, std::size_t bytes, std::size_t* received) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    if (bytes > detail::kMaxBlockBytes || alignment > detail::kMaxBlockBytes) return nullptr;
    const std::size_t rounded = (bytes == 0 ? page : bytes + page - 1) / page * page;
    const bool is_large = rounded >= HostAllocator::kHugePageThreshold;
    if (is_large && alignment < HostAllocator::kHugePage) alignment = HostAllocator::kHugePage;
    const std::size_t extra = alignment > page ? alignment : 0;
    void* const mapped =
        ::mmap(nullptr, rounded + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    char* ptr = static_cast<char*>(mapped);
    if (extra != 0) {
      const auto before = static_cast<std::size_t>(-reinterpret_cast<std::uintptr_t>(ptr) & (alignment - 1));
      if (before != 0) ::munmap(ptr, before);
      ptr += before;
      if (extra != before) ::munmap(ptr + rounded, extra - before);
    }
    if (is_large) detail::AskForHugePages(ptr, rounded);
    *received = rounded;
    return ptr;
  }
  // From now on, pages that are touched come from the node.
  void Bind(void* ptr, std::size_t bytes) {
    if (node_ == numa::kNoNode || !why_not_.empty()) return;
    constexpr unsigned long kPreferred = 1;  // MPOL_PREFERRED: another node's memory is better than none
    numa::Nodes nodes;
    nodes.words[node_ / numa::Nodes::kBits] = 1ul << node_ % numa::Nodes::kBits;
    if (::syscall(SYS_mbind, ptr, bytes, kPreferred, nodes.words, numa::kMaxNodes, 0ul) == 0) return;
    why_not_ = StrCat("the system refused it (errno ", errno, ")");
    Warn();
  }
#else
  static void* AllocatePages(std::size_t alignment, std::size_t bytes, std::size_t* received) {
    if (alignment > kPage) return nullptr;
    void* const ptr = CpuAllocator()->AllocateRaw(kPage, bytes);
    *received = ptr == nullptr ? 0 : bytes;
    return ptr;
  }
  void Bind(void*, std::size_t) {}
#endif
  void Warn() const {
    if (why_not_.empty()) return;
    TENON_LOG(kWarning, "NumaSubAllocator: memory for node ", node_, " comes from anywhere: ", why_not_, ".");
  }

  const int node_;
  std::string why_not_;
};

TENON_DETAIL_NAMESPACE_END

#undef TENON_DETAIL_NUMA
