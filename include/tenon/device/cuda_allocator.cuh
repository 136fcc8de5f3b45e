// SPDX-License-Identifier: Apache-2.0
#pragma once
// CudaAllocator: memory of a GPU, taken and freed in the order of one stream. CudaHostAllocator: host memory that a GPU
// copies from and to at full speed.

#if !defined(__CUDACC__)
#error "Include <tenon/device/cuda_allocator.cuh> only from files that nvcc compiles."
#endif

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/device/cuda.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Counts for GetStats. thread-safe.
class AllocationCounter {
 public:
  void Add(std::size_t bytes) {
    SpinLockHolder hold(lock_);
    const auto added = static_cast<std::int64_t>(bytes);
    ++stats_.num_allocs;
    stats_.bytes_in_use += added;
    if (stats_.bytes_in_use > stats_.peak_bytes_in_use) stats_.peak_bytes_in_use = stats_.bytes_in_use;
    if (added > stats_.largest_alloc_size) stats_.largest_alloc_size = added;
  }
  void Remove(std::size_t bytes) {
    SpinLockHolder hold(lock_);
    stats_.bytes_in_use -= static_cast<std::int64_t>(bytes);
  }
  AllocatorStats Get() const {
    SpinLockHolder hold(lock_);
    return stats_;
  }
  void Clear() {
    SpinLockHolder hold(lock_);
    stats_.num_allocs = stats_.largest_alloc_size = 0;
    stats_.peak_bytes_in_use = stats_.bytes_in_use;
  }

 private:
  mutable SpinLock lock_;
  AllocatorStats stats_;
};

inline constexpr std::size_t kCudaAlignment = 256;  // bytes; alignment of every block that CUDA gives

}  // namespace detail

// Memory of one GPU. A block that is freed may be given out again at once: its next owner uses it on the same stream,
// so after all work queued before. Where the GPU has memory pools, blocks come from a pool of this allocator, which
// keeps memory that it once had; elsewhere from cudaMalloc. thread-safe. Must outlive its blocks.
class CudaAllocator final : public Allocator {
 public:
  // `stream` outlives the allocator.
  static Result<Owned<CudaAllocator>> Create(int ordinal, cudaStream_t stream) {
    Owned<CudaAllocator> allocator(new CudaAllocator(ordinal, stream));
    const CudaDeviceScope scope(ordinal);
    TENON_RETURN_IF_ERROR(CudaStatus(scope.error(), ordinal, "cannot use the GPU's memory"));
    int has_pools = 0;
    const cudaError_t asked = cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, ordinal);
    TENON_RETURN_IF_ERROR(CudaStatus(asked, ordinal, "cannot use the GPU's memory"));
    if (has_pools != 0) TENON_RETURN_IF_ERROR(allocator->MakePool());
    return allocator;
  }
  ~CudaAllocator() override {
    if (pool_ == nullptr) return;
    const CudaDeviceScope scope(ordinal_);
    (void)cudaStreamSynchronize(stream_);
    (void)cudaMemPoolDestroy(pool_);
  }

  std::string_view Name() const override { return name_; }
  AllocatorMemoryType GetMemoryType() const override { return AllocatorMemoryType::kDevice; }
  bool HostAccessible() const override { return false; }

  // Null without memory, and for alignments above 256.
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    if (alignment > detail::kCudaAlignment) return nullptr;
    const CudaDeviceScope scope(ordinal_);
    if (scope.error() != cudaSuccess) return nullptr;
    void* block = Take(bytes);
    if (block == nullptr && attributes.retry_on_failure && GiveBackFreeMemory()) block = Take(bytes);
    if (block != nullptr) counter_.Add(bytes);
    return block;
  }
  void DeallocateRaw(void* ptr, std::size_t, std::size_t bytes) override {
    if (ptr == nullptr) return;
    const CudaDeviceScope scope(ordinal_);
    (void)(pool_ != nullptr ? cudaFreeAsync(ptr, stream_)
                            : cudaFree(ptr));  // after a failed kernel nothing can be freed
    counter_.Remove(bytes);
  }

  std::optional<AllocatorStats> GetStats() const override {
    AllocatorStats stats = counter_.Get();
    stats.bytes_reserved = stats.bytes_in_use;
    stats.peak_bytes_reserved = stats.peak_bytes_in_use;
    if (pool_ != nullptr) {
      std::uint64_t reserved = 0, peak = 0;
      if (cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess &&
          cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrReservedMemHigh, &peak) == cudaSuccess) {
        stats.bytes_reserved = static_cast<std::int64_t>(reserved);
        stats.peak_bytes_reserved = static_cast<std::int64_t>(peak);
      }
    }
    return stats;
  }
  bool ClearStats() override {
    counter_.Clear();
    return true;
  }

 private:
  CudaAllocator(int ordinal, cudaStream_t stream)
      : ordinal_(ordinal), stream_(stream), name_(StrCat("GPU_", ordinal, "_pool")) {}

  Status MakePool() {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = ordinal_;
    TENON_RETURN_IF_ERROR(CudaStatus(cudaMemPoolCreate(&pool_, &properties), ordinal_, "cannot make a memory pool"));
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    return CudaStatus(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep), ordinal_,
                      "cannot set up a memory pool");
  }
  void* Take(std::size_t bytes) {
    void* block = nullptr;
    if (bytes == 0) bytes = 1;  // CUDA gives no block for nothing
    const cudaError_t error =
        pool_ != nullptr ? cudaMallocFromPoolAsync(&block, bytes, pool_, stream_) : cudaMalloc(&block, bytes);
    if (error == cudaSuccess) return block;
    (void)cudaGetLastError();
    return nullptr;
  }
  // Gives the pool's unused memory back to the GPU. Returns true if a second attempt makes sense.
  bool GiveBackFreeMemory() {
    return pool_ != nullptr && cudaStreamSynchronize(stream_) == cudaSuccess &&
           cudaMemPoolTrimTo(pool_, 0) == cudaSuccess;
  }

  const int ordinal_;
  const cudaStream_t stream_;
  const std::string name_;
  cudaMemPool_t pool_ = nullptr;
  detail::AllocationCounter counter_;
};

// Page-locked host memory: the GPU reads and writes it itself. Each block costs a call of the driver, so it is used
// through PinnedAllocator(). thread-safe.
class CudaHostAllocator final : public Allocator {
 public:
  std::string_view Name() const override { return "cuda_host"; }
  AllocatorMemoryType GetMemoryType() const override { return AllocatorMemoryType::kHostPinned; }

  // Null without memory or GPU, and for alignments above 256.
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& = {}) override {
    if (alignment > detail::kCudaAlignment) return nullptr;
    void* block = nullptr;
    if (cudaHostAlloc(&block, bytes == 0 ? 1 : bytes, cudaHostAllocPortable) != cudaSuccess) {
      (void)cudaGetLastError();
      return nullptr;
    }
    counter_.Add(bytes);
    return block;
  }
  void DeallocateRaw(void* ptr, std::size_t, std::size_t bytes) override {
    if (ptr == nullptr) return;
    (void)cudaFreeHost(ptr);
    counter_.Remove(bytes);
  }
  std::optional<AllocatorStats> GetStats() const override { return counter_.Get(); }
  bool ClearStats() override {
    counter_.Clear();
    return true;
  }

 private:
  detail::AllocationCounter counter_;
};

// The process's page-locked memory, with freed blocks kept for reuse. Never destroyed. For tensors that are fed often:
//   Tensor input(PinnedAllocator(), DataType::kFloat, TensorShape{64, 784});
inline Allocator* PinnedAllocator() {
  static CachingAllocator* const allocator = CachingAllocator::Create(new CudaHostAllocator);
  return allocator;
}

TENON_DETAIL_NAMESPACE_END
