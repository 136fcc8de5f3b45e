// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/cuda.cuh>

#include <doctest/doctest.h>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace cuda_test {
using tenon::Cuda;
using tenon::Index;
using tenon::LinearGrid;
using tenon::Status;

namespace {

struct CountUp {
  std::int32_t* out;
  TENON_HD void operator()(Index i) const { out[i] += static_cast<std::int32_t>(i); }
};

// Takes a while, so that a copy queued too early would show.
__global__ void SlowlyFill(std::int32_t* out, Index n, std::int32_t value) {
  for (Index i = 0; i < n; ++i) out[i] = value;
}

}  // namespace

TEST_CASE("a grid has a block for every 256 units of work, up to what fills the GPU") {
  Cuda device;
  device.multiprocessors = 4;
  const auto blocks = [&](Index units) { return LinearGrid(device, units).blocks; };
  CHECK(LinearGrid(device, 1).threads == 256);
  CHECK(blocks(0) == 1);
  CHECK(blocks(1) == 1);
  CHECK(blocks(256) == 1);
  CHECK(blocks(257) == 2);
  CHECK(blocks(100 * 256) == 100);
  CHECK(blocks(128 * 256) == 128);
  CHECK(blocks(Index{1} << 40) == 128);
  device.multiprocessors = 0;
  CHECK(blocks(Index{1} << 40) == 32);
}

TEST_CASE("CUDA's errors become statuses with its own words") {
  CHECK(tenon::CudaStatus(cudaSuccess, 0, "anything").ok());
  const Status address = tenon::CudaStatus(cudaErrorIllegalAddress, 1, "a kernel or copy failed");
  CHECK(address.ToString() ==
        "INTERNAL: GPU:1: a kernel or copy failed: an illegal memory access was encountered (cudaErrorIllegalAddress)");
  CHECK(tenon::CudaStatus(cudaErrorMemoryAllocation, 0, "x").ToString() ==
        "RESOURCE_EXHAUSTED: GPU:0: x: out of memory (cudaErrorMemoryAllocation)");
  CHECK(tenon::CudaStatus(cudaErrorInvalidDevice, 9, "x").code() == tenon::Code::kNotFound);
  CHECK(
      tenon::CudaStatus(cudaErrorNoDevice, -1, "cannot use a GPU of this machine").ToString() ==
      "FAILED_PRECONDITION: CUDA: cannot use a GPU of this machine: no CUDA-capable device is detected (cudaErrorNoDevice); a GPU and a driver "
      "that knows this CUDA version are needed");
  const Status image = tenon::CudaStatus(cudaErrorNoKernelImageForDevice, 0, "cannot start a kernel");
  CHECK(image.code() == tenon::Code::kFailedPrecondition);
  CHECK(image.message().find("compile for this GPU") != std::string_view::npos);
}

TEST_CASE("ForEach over nothing is done at once, with or without a GPU") {
  Cuda device;
  CHECK(ForEach(device, 0, CountUp{nullptr}).ok());
  CHECK(ForEach(device, -1, CountUp{nullptr}).ok());
}

TEST_CASE("without a GPU every call of CUDA is a status, not a crash" * doctest::skip(HasGpu())) {
  Cuda device;
  CHECK(tenon::CudaDeviceCount().status().code() == tenon::Code::kFailedPrecondition);
  CHECK(ForEach(device, 1, CountUp{nullptr}).code() == tenon::Code::kFailedPrecondition);
  CHECK(tenon::CudaStream::Create(0).status().code() == tenon::Code::kFailedPrecondition);
  CHECK(tenon::CudaEvent::Create(0).status().code() == tenon::Code::kFailedPrecondition);
  CHECK(tenon::CudaDeviceScope(0).error() != cudaSuccess);
}

TEST_CASE("ForEach calls the body once for every index, however many there are" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const Index n : {Index{1}, Index{255}, Index{257}, Index{100003}, Index{20000000}}) {
    const tenon::Tensor on_gpu =
        gpu.Up(tenon::Tensor::From<std::int32_t>(std::vector<std::int32_t>(static_cast<std::size_t>(n), 5), {n}));
    tenon::Tensor t = on_gpu;
    REQUIRE(ForEach(gpu.cuda(), n, CountUp{t.data<std::int32_t>()}).ok());
    const tenon::Tensor back = gpu.Down(t);
    Index wrong = 0;
    for (Index i = 0; i < n; ++i) wrong += back.flat<std::int32_t>()[i] != static_cast<std::int32_t>(i) + 5;
    CHECK(wrong == 0);
  }
}

TEST_CASE("an event keeps one stream behind another and tells the time between" * doctest::skip(WithoutGpu())) {
  constexpr Index kCount = 1 << 16;
  Gpu gpu;
  tenon::Tensor t = gpu.New(tenon::DataType::kInt32, {kCount});
  auto first = *tenon::CudaStream::Create(0);
  auto second = *tenon::CudaStream::Create(0);
  auto start = *tenon::CudaEvent::Create(0, true);
  auto written = *tenon::CudaEvent::Create(0, true);
  REQUIRE(gpu.device().Synchronize().ok());
  Cuda on_first = gpu.cuda();
  on_first.stream = first.get();
  CHECK(start.Record(first.get()).ok());
  REQUIRE(LaunchCuda(on_first, {1, 1}, &SlowlyFill, t.data<std::int32_t>(), kCount, 3).ok());
  CHECK(written.Record(first.get()).ok());
  CHECK(second.WaitFor(written).ok());
  Cuda on_second = gpu.cuda();
  on_second.stream = second.get();
  REQUIRE(ForEach(on_second, kCount, CountUp{t.data<std::int32_t>()}).ok());
  REQUIRE(second.Synchronize().ok());
  CHECK(written.Synchronize().ok());
  CHECK(*written.MillisecondsSince(start) > 0);
  const tenon::Tensor back = gpu.Down(t);
  CHECK(back.flat<std::int32_t>()[0] == 3);
  CHECK(back.flat<std::int32_t>()[kCount - 1] == 3 + kCount - 1);
}

TEST_CASE("a launch leaves the thread's current GPU as it was" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  int before = -1, after = -1;
  REQUIRE(cudaGetDevice(&before) == cudaSuccess);
  tenon::Tensor t = gpu.New(tenon::DataType::kInt32, {1});
  CHECK(ForEach(gpu.cuda(), 1, CountUp{t.data<std::int32_t>()}).ok());
  REQUIRE(cudaGetDevice(&after) == cudaSuccess);
  CHECK(before == after);
  CHECK(gpu.device().Synchronize().ok());
}
}  // namespace cuda_test
