// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/cuda_runtime.cuh>

#include <doctest/doctest.h>

#include <tenon/device/cuda_device.cuh>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace cuda_runtime_test {
using tenon::CudaRuntime;

TEST_CASE("without a GPU there is no runtime, and the reason is told" * doctest::skip(HasGpu())) {
  CHECK(CudaRuntime::Get(0).status().code() == tenon::Code::kFailedPrecondition);
}

TEST_CASE("a GPU has one runtime, which its devices share" * doctest::skip(WithoutGpu())) {
  const auto runtime = CudaRuntime::Get(0);
  REQUIRE(runtime.ok());
  CHECK(*CudaRuntime::Get(0) == *runtime);
  Gpu first, second;
  CHECK(first.cuda().stream == (*runtime)->stream().get());
  CHECK(second.device().allocator() == (*runtime)->allocator());
  CHECK(CudaRuntime::Get(-1).status().code() == tenon::Code::kNotFound);
  CHECK(CudaRuntime::Get(*tenon::CudaDeviceCount()).status().code() == tenon::Code::kNotFound);
}
}  // namespace cuda_runtime_test
