// SPDX-License-Identifier: Apache-2.0
#pragma once
// TensorFlow's TF_CPU_ALLOCATOR_USE_BFC: a binary that includes this in one file lets its environment choose a
// BFCAllocator for all memory for which no allocator is given (DefaultAllocator()), sessions' included.
//
//   TF_CPU_ALLOCATOR_USE_BFC=true TF_CPU_BFC_MEM_LIMIT_IN_MB=4096 ./program

#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/env.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/allocator_registry.hpp>
#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/sub_allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A BFCAllocator "bfc_cpu_allocator_for_gpu" over CpuAllocator(), as TensorFlow's ProcessState makes it: its regions
// grow as needed, up to `limit_bytes` in all.
class BFCCpuAllocatorFactory final : public AllocatorFactory {
 public:
  static constexpr std::int64_t kDefaultLimitMiB = 65536;

  explicit BFCCpuAllocatorFactory(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  Allocator* CreateAllocator() override {
    if (made_ == nullptr) {
      made_ = MakeOwned<BFCAllocator>(CreateSubAllocator(-1), limit_bytes_, "bfc_cpu_allocator_for_gpu");
    }
    return made_.get();
  }
  Owned<SubAllocator> CreateSubAllocator(int) override { return MakeOwned<BaseSubAllocator>(CpuAllocator()); }

 private:
  const std::size_t limit_bytes_;
  Owned<BFCAllocator> made_;
};

// Returns the limit in bytes of a BFCAllocator for the processor's memory, if the environment asks for one, else 0.
// InvalidArgument for a variable that makes no sense.
inline Result<std::size_t> BFCLimitFromEnvironment() {
  bool wanted = false;
  std::int64_t mebibytes = BFCCpuAllocatorFactory::kDefaultLimitMiB;
  TENON_RETURN_IF_ERROR(GetEnvBool("TF_CPU_ALLOCATOR_USE_BFC", false, &wanted));
  if (!wanted) return std::size_t{0};
  TENON_RETURN_IF_ERROR(
      GetEnvInt64("TF_CPU_BFC_MEM_LIMIT_IN_MB", BFCCpuAllocatorFactory::kDefaultLimitMiB, &mebibytes));
  constexpr std::int64_t kMost = std::int64_t{1} << 27;  // 128 TiB, as much as a BFCAllocator takes
  if (mebibytes < 1 || mebibytes > kMost) {
    return errors::InvalidArgument("TF_CPU_BFC_MEM_LIMIT_IN_MB must be between 1 and ", kMost, ", got ", mebibytes);
  }
  return static_cast<std::size_t>(mebibytes) << 20;
}

// Registers the allocator that the environment asks for, before every other one; nothing if it asks for none. Errors as
// BFCLimitFromEnvironment and AllocatorRegistry::Register.
inline Status RegisterAllocatorFromEnvironment(AllocatorRegistry& registry) {
  TENON_ASSIGN_OR_RETURN(const std::size_t limit_bytes, BFCLimitFromEnvironment());
  if (limit_bytes == 0) return OkStatus();
  constexpr int kBeforeAll = INT32_MAX;
  return registry.Register("bfc_cpu_allocator_for_gpu", kBeforeAll, MakeOwned<BFCCpuAllocatorFactory>(limit_bytes));
}

namespace detail {
// Before main, once. Errors in the environment are logged, and the choice is as if it asked for nothing.
inline const bool environment_allocator_registered = [] {
  const Status status = RegisterAllocatorFromEnvironment(AllocatorRegistry::Global());
  if (!status.ok()) TENON_LOG(kError, "env_allocator.hpp: ", status.message());
  return status.ok();
}();
}  // namespace detail

TENON_DETAIL_NAMESPACE_END
