// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/cuda_allocator.cuh>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <memory>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/tensor/buffer.hpp>

namespace cuda_allocator_test {
using tenon::Allocator;
using tenon::AllocatorMemoryType;
using tenon::CudaAllocator;
using tenon::PinnedAllocator;

TEST_CASE("page-locked memory is host memory that says what it is") {
  CHECK(PinnedAllocator() == PinnedAllocator());
  CHECK(PinnedAllocator()->Name() == "cuda_host");
  CHECK(PinnedAllocator()->HostAccessible());
  CHECK(PinnedAllocator()->GetMemoryType() == AllocatorMemoryType::kHostPinned);
  CHECK(PinnedAllocator()->AllocateRaw(4096, 64) == nullptr);  // CUDA aligns to 256 bytes
  PinnedAllocator()->DeallocateRaw(nullptr, 64, 64);
}

TEST_CASE("without a GPU its allocators have nothing to give" * doctest::skip(HasGpu())) {
  CHECK(PinnedAllocator()->AllocateRaw(64, 64) == nullptr);
  CHECK(CudaAllocator::Create(0, nullptr).status().code() == tenon::Code::kFailedPrecondition);
  const tenon::Tensor t(PinnedAllocator(), tenon::DataType::kFloat, {2});
  CHECK(!t.IsInitialized());
}

TEST_CASE("page-locked blocks are written by the host and used again" * doctest::skip(WithoutGpu())) {
  void* block = PinnedAllocator()->AllocateRaw(64, 1000);
  REQUIRE(block != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 64 == 0);
  std::memset(block, 1, 1000);
  PinnedAllocator()->DeallocateRaw(block, 64, 1000);
  CHECK(PinnedAllocator()->AllocateRaw(64, 1000) == block);
  PinnedAllocator()->DeallocateRaw(block, 64, 1000);
}

TEST_CASE("device memory is counted, aligned and given again" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  Allocator* allocator = gpu.device().allocator();
  REQUIRE(allocator->GetStats()->bytes_in_use == 0);
  REQUIRE(allocator->ClearStats());  // all devices of this GPU count here
  CHECK(allocator->Name() == "GPU_0_pool");
  CHECK(!allocator->HostAccessible());
  CHECK(allocator->GetMemoryType() == AllocatorMemoryType::kDevice);
  void* blocks[8];
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    blocks[i] = allocator->AllocateRaw(64, i * 1000);
    REQUIRE(blocks[i] != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(blocks[i]) % 64 == 0);
    bytes += static_cast<std::int64_t>(i) * 1000;
  }
  CHECK(allocator->GetStats()->num_allocs == 8);
  CHECK(allocator->GetStats()->bytes_in_use == bytes);
  CHECK(allocator->GetStats()->largest_alloc_size == 7000);
  CHECK(allocator->GetStats()->bytes_reserved >= bytes);
  for (std::size_t i = 0; i < 8; ++i) allocator->DeallocateRaw(blocks[i], 64, i * 1000);
  CHECK(allocator->GetStats()->bytes_in_use == 0);
  CHECK(allocator->GetStats()->peak_bytes_in_use == bytes);
  CHECK(allocator->ClearStats());
  CHECK(allocator->GetStats()->peak_bytes_in_use == 0);
  CHECK(allocator->AllocateRaw(4096, 64) == nullptr);
}

TEST_CASE("what does not fit on the GPU is null, and what fits is still given afterwards" *
          doctest::skip(WithoutGpu())) {
  Gpu gpu;
  Allocator* allocator = gpu.device().allocator();
  CHECK(allocator->AllocateRaw(64, std::size_t{1} << 50) == nullptr);
  void* block = allocator->AllocateRaw(64, 1 << 20);
  CHECK(block != nullptr);
  allocator->DeallocateRaw(block, 64, 1 << 20);
  CHECK(gpu.device().Synchronize().ok());
}
}  // namespace cuda_allocator_test
