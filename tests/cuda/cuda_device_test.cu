// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/cuda_device.cuh>

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>

namespace cuda_device_test {
using tenon::CudaDevice;
using tenon::DataType;
using tenon::Status;
using tenon::Tensor;

namespace {

const tenon::DeviceFactory* FindFactory(std::string_view type) {
  for (tenon::DeviceFactory* f = tenon::detail::device_factories.load(); f != nullptr; f = f->next)
    if (f->type == type) return f;
  return nullptr;
}
constexpr const char* kName = "/job:localhost/replica:0/task:0/device:GPU:0";

}  // namespace

TEST_CASE("including the device makes 'GPU' known, once for all files") {
  const tenon::DeviceFactory* factory = FindFactory("GPU");
  REQUIRE(factory != nullptr);
  CHECK((factory->create == &CudaDevice::Create));
  int factories = 0;
  for (tenon::DeviceFactory* f = tenon::detail::device_factories.load(); f != nullptr; f = f->next)
    factories += f->type == "GPU";
  CHECK(factories == 1);
}

TEST_CASE("without a GPU the device says what is missing" * doctest::skip(HasGpu())) {
  const Status status = FindFactory("GPU")->create(kName, 0).status();
  CHECK(status.code() == tenon::Code::kFailedPrecondition);
  CHECK(status.message().starts_with("CUDA: cannot use a GPU of this machine: "));
  CHECK(status.message().ends_with("; a GPU and a driver that knows this CUDA version are needed"));
}

TEST_CASE("a GPU that is not there is not found, and those that are there are named" * doctest::skip(WithoutGpu())) {
  const int count = *tenon::CudaDeviceCount();
  const Status status = CudaDevice::Create(kName, count).status();
  CHECK(status.code() == tenon::Code::kNotFound);
  const std::string start = "CudaDevice: there is no 'GPU:" + std::to_string(count) + "'; this machine has 'GPU:0'";
  CHECK(status.message().starts_with(start));
  CHECK(CudaDevice::Create(kName, -1).status().code() == tenon::Code::kNotFound);
}

TEST_CASE("a device knows its name, its type and its memory" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CHECK(gpu.device().name() == kName);
  CHECK(gpu.device().short_name() == "GPU:0");
  CHECK(gpu.device().type() == "GPU");
  CHECK(!gpu.device().uses_host_memory());
  CHECK(gpu.cuda().allocator == gpu.device().allocator());
  CHECK(gpu.cuda().multiprocessors > 0);
  CHECK(gpu.cuda().stream != nullptr);
}

TEST_CASE("tensors of every plain type come back as they went, from pageable and page-locked memory" *
          doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const DataType dtype : tenon::kPlainTypes) {
    for (tenon::Allocator* from : {static_cast<tenon::Allocator*>(tenon::CpuAllocator()), tenon::PinnedAllocator()}) {
      Tensor host(from, dtype, {3, 5});
      REQUIRE(host.IsInitialized());
      auto* bytes = static_cast<unsigned char*>(host.raw_data());
      for (std::size_t i = 0; i < host.TotalBytes(); ++i) bytes[i] = static_cast<unsigned char>(i * 3 + 1);
      const Tensor there = gpu.Up(host);
      CHECK(!there.HostAccessible());
      CHECK(there.dtype() == dtype);
      CHECK(there.shape() == host.shape());
      CHECK(gpu.Down(there).tensor_data() == host.tensor_data());
    }
  }
}

TEST_CASE("a host tensor may go as soon as it is copied" * doctest::skip(WithoutGpu())) {
  constexpr tenon::Index kCount = 1 << 20;
  Gpu gpu;
  std::vector<Tensor> there;
  for (int round = 0; round < 8; ++round) {
    Tensor host(tenon::PinnedAllocator(), DataType::kInt32, {kCount});
    for (std::int32_t& x : host.flat<std::int32_t>()) x = round;
    there.push_back(gpu.Up(host));
    CHECK(!host.RefCountIsOne());  // so that nobody computes in it while it is read
  }
  CHECK(gpu.device().Synchronize().ok());
  for (int round = 0; round < 8; ++round) {
    const Tensor back = gpu.Down(there[static_cast<std::size_t>(round)]);
    CHECK(back.flat<std::int32_t>()[0] == round);
    CHECK(back.flat<std::int32_t>()[kCount - 1] == round);
  }
}

TEST_CASE("an empty tensor needs no copy, and a string stays at home" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  const Tensor none = gpu.Down(gpu.Up(Tensor(DataType::kFloat, {0, 3})));
  CHECK(none.shape() == tenon::TensorShape{0, 3});
  Tensor to;
  const Status status = gpu.device().CopyToDevice(Tensor::Scalar("text"), &to);
  CHECK(status.message() ==
        "GPU:0: a tensor of type string cannot be copied between host and GPU; it lives in host memory only");
  CHECK(status.code() == tenon::Code::kInvalidArgument);
}

TEST_CASE("a tensor that does not fit on the GPU is an error that names it" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  float one = 1;  // never read: the memory for the copy is not there
  const Tensor huge = Tensor::FromMemory(DataType::kFloat, {tenon::Index{1} << 48}, &one);
  Tensor to;
  const Status status = gpu.device().CopyToDevice(huge, &to);
  CHECK(status.code() == tenon::Code::kResourceExhausted);
  const auto begin = std::string("OOM when allocating tensor with shape[281474976710656] and type float on ") + kName +
                     " by allocator GPU_0_pool, which was asked for 1125899906842624 bytes; ";
  CHECK(status.message().substr(0, begin.size()) == begin);
}

TEST_CASE("many threads may copy and wait at once" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n)
    threads.emplace_back([&gpu, &wrong, n] {
      for (int round = 0; round < 50; ++round) {
        const Tensor host = Tensor::Scalar<std::int32_t>(n * 1000 + round);
        Tensor there, back;
        const bool ok = gpu.device().CopyToDevice(host, &there).ok() && gpu.device().Synchronize().ok() &&
                        gpu.device().CopyToHost(there, tenon::CpuAllocator(), &back).ok();
        if (!ok || back.scalar<std::int32_t>()() != n * 1000 + round) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}
}  // namespace cuda_device_test
