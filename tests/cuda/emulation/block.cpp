// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "language.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#if !defined(__x86_64__)
#error "The CUDA emulation switches stacks by x86-64 instructions."
#endif

// Saves the registers that a call preserves on the stack, stores its address in *save, and goes on at `to`.
extern "C" void EmulationSwitch(void** save, void* to);
asm(R"(.globl EmulationSwitch
.type EmulationSwitch, @function
EmulationSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");

namespace emulation {
namespace {

constexpr std::size_t kStackBytes = 256 << 10, kPage = 4096;
constexpr int kWarp = 32;

enum class State { kIdle, kReady, kAtBarrier, kInWarp };

struct Fiber {
  void* top = nullptr;  // saved stack pointer
  char* stack = nullptr;
  int thread = -1;
  State state = State::kIdle;
  unsigned mask = 0;         // of the warp operation it waits in
  std::uint64_t given = 0;   // to that operation
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
#endif
#if defined(__SANITIZE_THREAD__)
  void* tsan = nullptr;
#endif
};

struct Warp {
  std::uint64_t seen[kWarp];
  unsigned present;
};

// What a host thread needs to run blocks.
struct Runner {
  const std::function<void()>* body = nullptr;
  int count = 0, next = 0, done = 0;  // threads of the block; started; ended
  std::vector<int> order;
  std::vector<Fiber*> of_thread;  // of a thread that has started and not ended
  std::vector<std::unique_ptr<Fiber>> fibers;
  std::vector<Fiber*> idle;
  std::vector<Warp> warps;
  std::vector<unsigned char> shared;
  Fiber* running = nullptr;
  void* scheduler = nullptr;  // saved stack pointer of RunBlock
  bool in_kernel = false;
  sigjmp_buf escape;
#if defined(__SANITIZE_ADDRESS__)
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t size = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* tsan = nullptr;
#endif

  ~Runner() { ForgetFibers(); }
  void ForgetFibers() {
    for (const auto& fiber : fibers) {
      munmap(fiber->stack, kStackBytes);
#if defined(__SANITIZE_THREAD__)
      __tsan_destroy_fiber(fiber->tsan);
#endif
    }
    fibers.clear();
    idle.clear();
    of_thread.clear();
  }
};
thread_local Runner runner;

void SetThread(int thread) {
  const auto t = static_cast<unsigned>(thread);
  threadIdx.x = t % blockDim.x;
  threadIdx.y = t / blockDim.x % blockDim.y;
  threadIdx.z = t / blockDim.x / blockDim.y;
}

void ToScheduler(Fiber* self) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&self->fake_stack, runner.bottom, runner.size);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(runner.tsan, 0);
#endif
  EmulationSwitch(&self->top, runner.scheduler);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(self->fake_stack, &runner.bottom, &runner.size);
#endif
}
void ToFiber(Fiber* fiber) {
  runner.running = fiber;
  if (fiber->thread >= 0) SetThread(fiber->thread);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&runner.fake_stack, fiber->stack, kStackBytes);
#endif
#if defined(__SANITIZE_THREAD__)
  runner.tsan = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber->tsan, 0);
#endif
  EmulationSwitch(&runner.scheduler, fiber->top);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(runner.fake_stack, nullptr, nullptr);
#endif
}

// The first function of a fiber: runs threads that have not started, until one of them waits, or all have.
void FiberMain() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &runner.bottom, &runner.size);
#endif
  for (;;) {
    Fiber* const self = runner.running;
    while (runner.next < runner.count) {
      self->thread = runner.order[static_cast<std::size_t>(runner.next++)];
      runner.of_thread[static_cast<std::size_t>(self->thread)] = self;
      SetThread(self->thread);
      (*runner.body)();
      runner.of_thread[static_cast<std::size_t>(self->thread)] = nullptr;
      ++runner.done;
    }
    self->state = State::kIdle;
    runner.idle.push_back(self);
    ToScheduler(self);
  }
}

Fiber* TakeFiber() {
  if (!runner.idle.empty()) {
    Fiber* const fiber = runner.idle.back();
    runner.idle.pop_back();
    return fiber;
  }
  auto fiber = std::make_unique<Fiber>();
  void* const stack =
      mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED) {
    std::fprintf(stderr, "CUDA emulation: no memory for the stack of a thread\n");
    std::abort();
  }
  (void)mprotect(stack, kPage, PROT_NONE);
  fiber->stack = static_cast<char*>(stack);
  // As after a call: the stack is 8 bytes short of a multiple of 16 when FiberMain begins.
  void** top = reinterpret_cast<void**>(fiber->stack + kStackBytes) - 3;
  *--top = reinterpret_cast<void*>(&FiberMain);
  fiber->top = top - 6;
#if defined(__SANITIZE_THREAD__)
  fiber->tsan = __tsan_create_fiber(0);
#endif
  runner.fibers.push_back(std::move(fiber));
  return runner.fibers.back().get();
}

// Lets the warp operation of warp w happen where all that take part have come. Returns whether one happened.
bool ReleaseWarp(int w) {
  const int first = w * kWarp, last = first + kWarp < runner.count ? first + kWarp : runner.count;
  unsigned waiting = 0, alive = 0;
  for (int t = first; t < last; ++t) {
    const Fiber* const fiber = runner.of_thread[static_cast<std::size_t>(t)];
    if (fiber == nullptr) continue;
    alive |= 1u << (t - first);
    if (fiber->state == State::kInWarp) waiting |= 1u << (t - first);
  }
  for (int t = first; t < last; ++t) {
    Fiber* const fiber = runner.of_thread[static_cast<std::size_t>(t)];
    if (fiber == nullptr || fiber->state != State::kInWarp) continue;
    const unsigned mask = fiber->mask, wanted = mask & alive;
    bool all = (wanted & ~waiting) == 0;
    for (int u = first; all && u < last; ++u)
      if (wanted >> (u - first) & 1) all = runner.of_thread[static_cast<std::size_t>(u)]->mask == mask;
    if (!all) continue;
    Warp& warp = runner.warps[static_cast<std::size_t>(w)];
    warp.present = wanted;
    for (int u = first; u < last; ++u)
      if (wanted >> (u - first) & 1) {
        Fiber* const other = runner.of_thread[static_cast<std::size_t>(u)];
        warp.seen[u - first] = other->given;
        other->state = State::kReady;
      }
    return true;
  }
  return false;
}
// Lets go on those that nothing holds any more. False: all wait for ever.
bool Release() {
  bool any = false;
  for (int w = 0; w * kWarp < runner.count; ++w) any = ReleaseWarp(w) || any;
  if (any) return true;
  for (const Fiber* fiber : runner.of_thread)
    if (fiber != nullptr && fiber->state != State::kAtBarrier) return false;
  if (runner.done != 0 && runner.done != runner.count) return false;  // some have ended without the barrier
  for (Fiber* fiber : runner.of_thread)
    if (fiber != nullptr) fiber->state = State::kReady;
  return true;
}

bool RunBlock() {
  runner.next = runner.done = 0;
  runner.of_thread.assign(static_cast<std::size_t>(runner.count), nullptr);
  runner.warps.resize(static_cast<std::size_t>(runner.count + kWarp - 1) / kWarp);
  while (runner.done < runner.count) {
    if (runner.next < runner.count) {
      Fiber* const fiber = TakeFiber();
      fiber->thread = -1;
      ToFiber(fiber);
      continue;
    }
    bool ran = false;
    for (const int thread : runner.order) {
      Fiber* const fiber = runner.of_thread[static_cast<std::size_t>(thread)];
      if (fiber == nullptr || fiber->state != State::kReady) continue;
      ToFiber(fiber);
      ran = true;
    }
    if (!ran && !Release()) return false;
  }
  return true;
}

template <class T>
void Shuffle(std::vector<T>& order, std::uint32_t& seed) {
  for (std::size_t i = order.size(); i > 1; --i) {
    seed = seed * 1664525u + 1013904223u;
    std::swap(order[i - 1], order[(seed >> 8) % i]);
  }
}

// While it lives, an access fault inside a kernel ends the grid. A fault elsewhere is the program's own.
class FaultCatcher {
 public:
  FaultCatcher() {
    struct sigaction action{};
    action.sa_sigaction = &OnFault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    (void)sigaction(SIGSEGV, &action, &segv_);
    (void)sigaction(SIGBUS, &action, &bus_);
  }
  ~FaultCatcher() { PutBack(); }
  FaultCatcher(const FaultCatcher&) = delete;
  FaultCatcher& operator=(const FaultCatcher&) = delete;

 private:
  static void PutBack() {
    (void)sigaction(SIGSEGV, &segv_, nullptr);
    (void)sigaction(SIGBUS, &bus_, nullptr);
  }
  static void OnFault(int, siginfo_t*, void*) {
    if (runner.in_kernel) siglongjmp(runner.escape, 1 + static_cast<int>(GridEnd::kIllegalAddress));
    PutBack();  // the access is repeated
  }
  static inline struct sigaction segv_, bus_;  // what was there before; grids run one at a time
};

void Wait(State state) {
  Fiber* const self = runner.running;
  self->state = state;
  ToScheduler(self);
}

// False: the threads of a block wait for ever.
bool RunBlocks(std::size_t shared_bytes, Order order) {
  runner.order.resize(static_cast<std::size_t>(runner.count));
  for (int i = 0; i < runner.count; ++i)
    runner.order[static_cast<std::size_t>(i)] = order == Order::kReverse ? runner.count - 1 - i : i;
  const std::uint64_t all = std::uint64_t{gridDim.x} * gridDim.y * gridDim.z;
  static thread_local std::uint32_t seed = 1;
  const std::uint64_t start = order == Order::kShuffled ? (seed = seed * 1664525u + 1013904223u) % all : 0;
  for (std::uint64_t i = 0; i < all; ++i) {
    const std::uint64_t b = order == Order::kReverse ? all - 1 - i : (i + start) % all;
    blockIdx.x = static_cast<unsigned>(b % gridDim.x);
    blockIdx.y = static_cast<unsigned>(b / gridDim.x % gridDim.y);
    blockIdx.z = static_cast<unsigned>(b / gridDim.x / gridDim.y);
    if (order == Order::kShuffled) Shuffle(runner.order, seed);
    runner.shared.assign(shared_bytes, 0xFF);
    runner.in_kernel = true;
    const bool done = RunBlock();
    runner.in_kernel = false;
    if (done) continue;
    std::fprintf(stderr, "CUDA emulation: block %u,%u,%u: threads wait for each other for ever\n", blockIdx.x,
                 blockIdx.y, blockIdx.z);
    return false;
  }
  return true;
}

}  // namespace

GridEnd RunGrid(Extent blocks, Extent threads, std::size_t shared_bytes, Order order,
                const std::function<void()>& body) {
  runner.body = &body;
  runner.count = static_cast<int>(threads.x * threads.y * threads.z);
  gridDim = dim3(blocks.x, blocks.y, blocks.z);
  blockDim = dim3(threads.x, threads.y, threads.z);
  const FaultCatcher catcher;
  const int end = sigsetjmp(runner.escape, 0);
  const bool done = end == 0 && RunBlocks(shared_bytes, order);
  runner.in_kernel = false;
  if (!done) runner.ForgetFibers();
  return done ? GridEnd::kDone : end == 0 ? GridEnd::kDeadlock : static_cast<GridEnd>(end - 1);
}

void WaitForBlock() { Wait(State::kAtBarrier); }

const std::uint64_t* Exchange(unsigned mask, std::uint64_t value, unsigned* present) {
  Fiber* const self = runner.running;
  self->mask = mask;
  self->given = value;
  Wait(State::kInWarp);
  const Warp& warp = runner.warps[static_cast<std::size_t>(self->thread / kWarp)];
  if (present != nullptr) *present = warp.present;
  return warp.seen;
}
unsigned Lane() { return static_cast<unsigned>(runner.running->thread % kWarp); }
void* DynamicShared() { return runner.shared.data(); }
void Trap() { siglongjmp(runner.escape, 1 + static_cast<int>(GridEnd::kTrap)); }
bool IsInKernel() { return runner.in_kernel; }

}  // namespace emulation
