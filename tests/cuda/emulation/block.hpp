// SPDX-License-Identifier: Apache-2.0
#pragma once
// The threads of a block on one thread of the host. They run one after the other on one stack until one of them waits
// for others, at a barrier or in a warp operation; only then each gets a stack of its own (a fiber).

#include <cstddef>
#include <cstdint>
#include <functional>

namespace emulation {

struct Extent {
  unsigned x, y, z;
};

// The order in which the threads of a block and the blocks of a grid run.
enum class Order { kForward, kReverse, kShuffled };

enum class GridEnd {
  kDone,
  kDeadlock,        // a barrier or warp operation that not all threads reach
  kIllegalAddress,  // a thread touched memory that its device does not have
  kTrap,            // a thread called __trap()
};

// Calls `body` once for each thread, with threadIdx, blockIdx, blockDim and gridDim set. Blocks run one after the
// other. Not to be called from a body. `shared_bytes`: of dynamic shared memory, filled with 0xFF for each block.
GridEnd RunGrid(Extent blocks, Extent threads, std::size_t shared_bytes, Order order,
                const std::function<void()>& body);

// What follows is for threads of a running block.

void WaitForBlock();
// All threads of the warp in `mask` that have not ended bring a value. Returns their values by lane; valid until the
// thread's next call. `*present`: the lanes that brought one.
const std::uint64_t* Exchange(unsigned mask, std::uint64_t value, unsigned* present);
unsigned Lane();
void* DynamicShared();
[[noreturn]] void Trap();

// Returns whether the calling thread runs a thread of a block. For all callers.
bool IsInKernel();

}  // namespace emulation
