// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/cuda_recorder.cuh>

#include <doctest/doctest.h>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/device/device.hpp>

namespace cuda_recorder_test {
using tenon::Index;
using tenon::Owned;
using tenon::RecordedWork;
using tenon::Tensor;
using tenon::WorkRecorder;

namespace {

struct AddOne {
  float* x;
  TENON_HD void operator()(Index i) const { x[i] += 1; }
};

}  // namespace

TEST_CASE("recorded kernels run when they are started, each time" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  Tensor there = gpu.Up(Pattern<float>({5}));
  const float first = gpu.Down(there).data<float>()[0];
  CHECK(gpu.device().can_record());
  Owned<WorkRecorder> recorder;
  Owned<RecordedWork> work;
  REQUIRE(gpu.device().MakeRecorder(gpu.device().allocator(), &recorder).ok());
  auto* const cuda = static_cast<tenon::Cuda*>(recorder->kernel_device());
  if (tenon::detail::WaitsForKernels()) {  // no kernel can be recorded whose launch waits
    CHECK(!ForEach(*cuda, 5, AddOne{there.data<float>()}).ok());
    CHECK(!recorder->End(&work).ok());
    return;
  }
  for (int i = 0; i < 3; ++i) REQUIRE(ForEach(*cuda, 5, AddOne{there.data<float>()}).ok());
  REQUIRE(recorder->End(&work).ok());
  recorder.reset();
  CHECK(gpu.Down(there).data<float>()[0] == first);
  REQUIRE(work->Start().ok());
  REQUIRE(work->Start().ok());
  CHECK(gpu.Down(there).data<float>()[0] == first + 6);
}
TEST_CASE("a recording that waits is refused, and the next one works" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool ends : {true, false}) {
    Owned<WorkRecorder> recorder;
    Owned<RecordedWork> work;
    REQUIRE(gpu.device().MakeRecorder(gpu.device().allocator(), &recorder).ok());
    CHECK(cudaStreamSynchronize(static_cast<tenon::Cuda*>(recorder->kernel_device())->stream) != cudaSuccess);
    if (ends) CHECK(!recorder->End(&work).ok());
    CHECK(work == nullptr);
  }
  Tensor there = gpu.Up(Pattern<float>({5}));
  const float first = gpu.Down(there).data<float>()[0];
  REQUIRE(ForEach(gpu.cuda(), 5, AddOne{there.data<float>()}).ok());
  CHECK(gpu.Down(there).data<float>()[0] == first + 1);
}

}  // namespace cuda_recorder_test
