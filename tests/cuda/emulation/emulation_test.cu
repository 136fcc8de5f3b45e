// SPDX-License-Identifier: Apache-2.0
// The emulation finds the mistakes that it is for. Each is made here on purpose.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include <in_child.hpp>

#include "cuda_runtime.h"

namespace emulation_test {
namespace {

std::string_view Mode() {
  const char* const mode = std::getenv("TENON_CUDA_EMULATION");
  return mode != nullptr ? mode : "";
}
bool Has(std::string_view word) { return Mode().find(word) != std::string_view::npos; }
bool WithoutDevices() { return Has("devices=0"); }

template <class... Params, class... Args>
cudaError_t Launch(void (*kernel)(Params...), unsigned blocks, unsigned threads, cudaStream_t stream, Args... args) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...);
}

struct Stream {
  Stream() { REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess); }
  ~Stream() { (void)cudaStreamDestroy(stream); }
  cudaStream_t stream = nullptr;
};
struct Memory {
  explicit Memory(std::size_t bytes) { REQUIRE(cudaMalloc(&data, bytes) == cudaSuccess); }
  ~Memory() { (void)cudaFree(data); }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  void* data = nullptr;
};
std::vector<int> Down(const int* from, std::size_t n) {
  std::vector<int> values(n);
  REQUIRE(cudaMemcpy(values.data(), from, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  return values;
}

__global__ void Fill(int* out, int n, int value) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = value;
}
__global__ void ReverseInBlock(const int* in, int* out) {
  __shared__ int all[64];
  all[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = all[63 - threadIdx.x];
}
__global__ void ReverseWithoutBarrier(const int* in, int* out) {
  __shared__ int all[64];
  all[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = all[63 - threadIdx.x];
}
__global__ void HalfWait() {
  if (threadIdx.x < 5)
    __syncthreads();
  else
    __syncwarp();
}
__global__ void SomeLeave() {
  if (threadIdx.x < 5) return;
  __syncthreads();
}
__global__ void SumOfLanes(int* out) {
  int sum = static_cast<int>(threadIdx.x);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  const int down = __shfl_down_sync(~0u, static_cast<int>(threadIdx.x), 3), up = __shfl_up_sync(~0u, sum, 1);
  const int first = __shfl_sync(~0u, static_cast<int>(threadIdx.x) + 7, 0);
  const unsigned odd = __ballot_sync(~0u, threadIdx.x % 2);
  int* const mine = out + threadIdx.x * 5;
  mine[0] = sum;
  mine[1] = down;
  mine[2] = up;
  mine[3] = first;
  mine[4] = static_cast<int>(odd);
}
__global__ void TwoHalves(int* out) {  // each half of the warp by itself
  const unsigned mask = threadIdx.x < 16 ? 0xFFFFu : 0xFFFF0000u;
  int sum = 1;
  for (int d = 8; d > 0; d /= 2) sum += __shfl_xor_sync(mask, sum, d);
  out[threadIdx.x] = sum;
}
__global__ void CountUp(unsigned* count) { atomicAdd(count, 1u); }
__global__ void WriteAt(int* out, long at) { out[at] = 1; }
__global__ void Stop() { __trap(); }
__global__ void WhereAmI(int* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned i = block * blockDim.x * blockDim.y * blockDim.z + thread;
  out[i] = static_cast<int>(i);
}

}  // namespace

TEST_SUITE("CUDA emulation" * doctest::skip(WithoutDevices())) {
  TEST_CASE("threads and blocks have their numbers in three dimensions") {
    constexpr int kCount = 3 * 2 * 2 * 4 * 3 * 2;
    const Memory out(kCount * sizeof(int));
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(3, 2, 2);
    config.blockDim = dim3(4, 3, 2);
    CHECK(cudaLaunchKernelEx(&config, &WhereAmI, out.as<int>()) == cudaSuccess);
    const std::vector<int> values = Down(out.as<int>(), kCount);
    for (int i = 0; i < kCount; ++i) CHECK(values[static_cast<std::size_t>(i)] == i);
  }
  TEST_CASE("a barrier orders the threads of a block, and its lack shows") {
    std::vector<int> in(64);
    for (int i = 0; i < 64; ++i) in[static_cast<std::size_t>(i)] = i + 1;
    const Memory from(256), to(256);
    REQUIRE(cudaMemcpy(from.data, in.data(), 256, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(Launch(&ReverseInBlock, 1, 64, nullptr, from.as<const int>(), to.as<int>()) == cudaSuccess);
    std::vector<int> out = Down(to.as<int>(), 64);
    for (int i = 0; i < 64; ++i) CHECK(out[static_cast<std::size_t>(i)] == 64 - i);
    const Memory other(256);  // shared memory keeps what the block before left there: another input
    for (int& x : in) x += 100;
    REQUIRE(cudaMemcpy(from.data, in.data(), 256, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(Launch(&ReverseWithoutBarrier, 1, 64, nullptr, from.as<const int>(), other.as<int>()) == cudaSuccess);
    out = Down(other.as<int>(), 64);
    int wrong = 0;
    for (int i = 0; i < 64; ++i) wrong += out[static_cast<std::size_t>(i)] != 164 - i;
    CHECK(wrong > 0);
  }
  TEST_CASE("warp operations move values between lanes, also of half a warp") {
    const Memory out(32 * 5 * sizeof(int));
    CHECK(Launch(&SumOfLanes, 1, 32, nullptr, out.as<int>()) == cudaSuccess);
    std::vector<int> values = Down(out.as<int>(), 160);
    for (int lane = 0; lane < 32; ++lane) {
      const int* const mine = values.data() + lane * 5;
      CHECK(mine[0] == 496);
      CHECK(mine[1] == (lane + 3 < 32 ? lane + 3 : lane));
      CHECK(mine[2] == 496);
      CHECK(mine[3] == 7);
      CHECK(static_cast<unsigned>(mine[4]) == 0xAAAAAAAAu);
    }
    CHECK(Launch(&TwoHalves, 1, 32, nullptr, out.as<int>()) == cudaSuccess);
    values = Down(out.as<int>(), 32);
    for (int lane = 0; lane < 32; ++lane) CHECK(values[static_cast<std::size_t>(lane)] == 16);
  }
  TEST_CASE("atomics count all threads of all blocks") {
    const Memory count(4);
    REQUIRE(cudaMemset(count.data, 0, 4) == cudaSuccess);
    CHECK(Launch(&CountUp, 7, 100, nullptr, count.as<unsigned>()) == cudaSuccess);
    CHECK(Down(count.as<int>(), 1)[0] == 700);
  }
  TEST_CASE("a launch that no GPU could do is refused") {
    CHECK(Launch(&Stop, 1, 1025, nullptr) == cudaErrorInvalidConfiguration);
    CHECK(Launch(&Stop, 0, 1, nullptr) == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaSuccess);  // it is no error that stays
  }
#if TENON_TEST_FORKS
  // As InChild, without doctest's report of a crash.
  template <class Body>
  int InQuietChild(const Body& body) {
    return tenon::test::InChild([&] {
      for (const int number : {SIGSEGV, SIGABRT, SIGBUS}) (void)signal(number, SIG_DFL);
      return body();
    });
  }
  // Runs the launch in a child and returns the error that its stream has then, which later calls repeat.
  template <class Make>
  int ErrorOf(const Make& make) {
    return InQuietChild([&] {
      if (make() != cudaSuccess && !Has("eager")) return 125;
      const cudaError_t error = cudaDeviceSynchronize();
      void* block = nullptr;
      if (cudaMalloc(&block, 4) != error || cudaGetLastError() != error || cudaGetLastError() != error) return 124;
      return error == cudaErrorLaunchFailure ? 1 : error == cudaErrorIllegalAddress ? 2 : 0;
    });
  }
  TEST_CASE("a barrier that not all threads reach ends the kernel, and the error stays") {
    CHECK(ErrorOf([] { return Launch(&HalfWait, 1, 64, nullptr); }) == 1);
    CHECK(ErrorOf([] { return Launch(&SomeLeave, 1, 64, nullptr); }) == 1);
    CHECK(ErrorOf([] { return Launch(&Stop, 1, 1, nullptr); }) == 1);
  }
  TEST_CASE("a kernel that leaves its device's memory ends with an illegal address") {
    CHECK(ErrorOf([] {
            void* block = nullptr;
            if (cudaMalloc(&block, 64) != cudaSuccess) return cudaErrorMemoryAllocation;
            return Launch(&WriteAt, 1, 1, nullptr, static_cast<int*>(block), 1l << 30);
          }) == 2);
    CHECK(ErrorOf([] { return Launch(&WriteAt, 1, 1, nullptr, reinterpret_cast<int*>(std::uintptr_t{4096}), 0l); }) ==
          2);
  }
  TEST_CASE("an element past the end of a block is found when the block is freed") {
    CHECK(InQuietChild([] {
            void* block = nullptr;
            if (cudaMalloc(&block, 64) != cudaSuccess) return 0;
            if (Launch(&WriteAt, 1, 1, nullptr, static_cast<int*>(block), 16l) != cudaSuccess) return 0;
            (void)cudaFree(block);
            return 0;
          }) == 126);
  }
  TEST_CASE("the host cannot touch the memory of a device, nor free a block twice") {
    CHECK(InQuietChild([] {
            void* block = nullptr;
            if (cudaMalloc(&block, 64) != cudaSuccess) return 0;
            *static_cast<volatile int*>(block) = 1;
            return 0;
          }) == 126);
    CHECK(InQuietChild([] {
            void* block = nullptr;
            if (cudaMalloc(&block, 64) != cudaSuccess) return 0;
            (void)cudaFree(block);
            (void)cudaFree(block);
            return 0;
          }) == 126);
  }
  TEST_CASE("another device's memory needs peer access" * doctest::skip(WithoutDevices() || !Has("devices=2"))) {
    const auto write = [](bool peers) {
      return ErrorOf([peers] {
        void* block = nullptr;
        if (cudaSetDevice(1) != cudaSuccess || cudaMalloc(&block, 64) != cudaSuccess) return cudaErrorInvalidDevice;
        (void)cudaSetDevice(0);
        if (peers && cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess) return cudaErrorInvalidDevice;
        return Launch(&WriteAt, 1, 1, nullptr, static_cast<int*>(block), 0l);
      });
    };
    CHECK(write(false) == 2);
    CHECK(write(true) == 0);
  }
#endif
  TEST_CASE("memory comes filled with ones, is given again to its stream, and has a limit") {
    const Stream s;
    void *first = nullptr, *again = nullptr;
    REQUIRE(cudaMallocAsync(&first, 400, s.stream) == cudaSuccess);
    CHECK(Launch(&Fill, 1, 100, s.stream, static_cast<int*>(first), 100, 3) == cudaSuccess);
    CHECK(cudaFreeAsync(first, s.stream) == cudaSuccess);
    REQUIRE(cudaMallocAsync(&again, 400, s.stream) == cudaSuccess);
    if (!Has("eager")) CHECK(again == first);
    REQUIRE(cudaStreamSynchronize(s.stream) == cudaSuccess);
    CHECK(Down(static_cast<int*>(again), 1)[0] == -1);
    CHECK(cudaFreeAsync(again, s.stream) == cudaSuccess);
    CHECK(cudaMallocAsync(&again, std::size_t{1} << 50, s.stream) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    emulation::FailAllocations(1, 1);
    REQUIRE(cudaMalloc(&first, 4) == cudaSuccess);
    CHECK(cudaMalloc(&again, 4) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    emulation::FailAllocations(-1, 0);
    CHECK(cudaFree(first) == cudaSuccess);
  }
  TEST_CASE("a stream works when somebody waits for it; page-locked memory is read then" *
            doctest::skip(WithoutDevices() || Has("eager") || Has("mixed"))) {
    const Stream s;
    const Memory to(2 * sizeof(int));
    void* pinned = nullptr;
    REQUIRE(cudaHostAlloc(&pinned, 4, cudaHostAllocDefault) == cudaSuccess);
    int pageable = 5;
    *static_cast<int*>(pinned) = 5;
    CHECK(cudaMemcpyAsync(to.data, &pageable, 4, cudaMemcpyHostToDevice, s.stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(to.as<int>() + 1, pinned, 4, cudaMemcpyHostToDevice, s.stream) == cudaSuccess);
    pageable = 6;  // was read during the call
    *static_cast<int*>(pinned) = 6;
    CHECK(cudaStreamQuery(s.stream) == cudaErrorNotReady);
    CHECK(cudaStreamSynchronize(s.stream) == cudaSuccess);
    CHECK(Down(to.as<int>(), 2) == std::vector<int>{5, 6});
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
  }
  TEST_CASE("copies have a direction and stay in their blocks") {
    const Memory block(8);
    int host[4] = {};
    CHECK(cudaMemcpy(block.data, host, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidMemcpyDirection);
    CHECK(cudaMemcpy(block.data, host, 12, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host, block.data, 8, cudaMemcpyDefault) == cudaSuccess);
    (void)cudaGetLastError();
  }
  TEST_CASE("an event keeps one stream behind another, and knows its time") {
    const Stream first, second;
    const Memory at(4);
    cudaEvent_t start = nullptr, done = nullptr;
    REQUIRE(cudaEventCreateWithFlags(&start, cudaEventDefault) == cudaSuccess);
    REQUIRE(cudaEventCreateWithFlags(&done, cudaEventDefault) == cudaSuccess);
    CHECK(cudaEventRecord(start, first.stream) == cudaSuccess);
    CHECK(Launch(&Fill, 1, 1, first.stream, at.as<int>(), 1, 1) == cudaSuccess);
    CHECK(cudaEventRecord(done, first.stream) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(second.stream, done) == cudaSuccess);
    CHECK(Launch(&Fill, 1, 1, second.stream, at.as<int>(), 1, 2) == cudaSuccess);
    CHECK(cudaStreamSynchronize(second.stream) == cudaSuccess);
    CHECK(cudaEventQuery(done) == cudaSuccess);
    CHECK(Down(at.as<int>(), 1)[0] == 2);
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, done) == cudaSuccess);
    CHECK(ms >= 0);
    CHECK(cudaEventDestroy(start) == cudaSuccess);
    CHECK(cudaEventDestroy(done) == cudaSuccess);
  }
  TEST_CASE("a captured stream is replayed with other streams' parts, and counts as one launch") {
    const Stream s, side;
    const Memory at(8);
    cudaEvent_t fork = nullptr, join = nullptr;
    REQUIRE(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming) == cudaSuccess);
    REQUIRE(cudaEventCreateWithFlags(&join, cudaEventDisableTiming) == cudaSuccess);
    const auto capture = [&](bool joins, cudaGraph_t* graph) {
      REQUIRE(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
      CHECK(Launch(&Fill, 1, 1, s.stream, at.as<int>(), 1, 4) == cudaSuccess);
      CHECK(cudaEventRecord(fork, s.stream) == cudaSuccess);
      CHECK(cudaStreamWaitEvent(side.stream, fork) == cudaSuccess);
      CHECK(Launch(&Fill, 1, 1, side.stream, at.as<int>() + 1, 1, 5) == cudaSuccess);
      CHECK(cudaEventRecord(join, side.stream) == cudaSuccess);
      if (joins) CHECK(cudaStreamWaitEvent(s.stream, join) == cudaSuccess);
      return cudaStreamEndCapture(s.stream, graph);
    };
    cudaGraph_t graph = nullptr;
    CHECK(capture(false, &graph) == cudaErrorStreamCaptureUnjoined);
    REQUIRE(capture(true, &graph) == cudaSuccess);
    REQUIRE(cudaMemset(at.data, 0, 8) == cudaSuccess);
    CHECK(Down(at.as<int>(), 2) == std::vector<int>{0, 0});  // captured, not done
    cudaGraphExec_t runnable = nullptr;
    REQUIRE(cudaGraphInstantiate(&runnable, graph) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    const emulation::Counters before = emulation::Count();
    CHECK(cudaGraphLaunch(runnable, s.stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(s.stream) == cudaSuccess);
    const emulation::Counters did = emulation::Count() - before;
    CHECK(did.graph_launches == 1);
    CHECK(did.launches == 0);
    CHECK(did.waits == 1);
    CHECK(Down(at.as<int>(), 2) == std::vector<int>{4, 5});
    CHECK(cudaGraphExecDestroy(runnable) == cudaSuccess);

    REQUIRE(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(cudaStreamSynchronize(s.stream) == cudaErrorStreamCaptureUnsupported);  // and the capture is lost
    CHECK(cudaStreamEndCapture(s.stream, &graph) == cudaErrorStreamCaptureInvalidated);
    CHECK(cudaEventDestroy(fork) == cudaSuccess);
    CHECK(cudaEventDestroy(join) == cudaSuccess);
    (void)cudaGetLastError();
  }
}
}  // namespace emulation_test
