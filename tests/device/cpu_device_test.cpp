// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/cpu_device.hpp>

#include <doctest/doctest.h>

#include <tenon/device/thread_pool.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

namespace cpu_device_test {
using namespace tenon;

namespace {
constexpr const char* kName = "/job:localhost/replica:0/task:0/device:CPU:0";
}

TEST_SUITE("CpuDevice") {
  TEST_CASE("is a CPU in host memory") {
    CpuDevice device(kName, CpuAllocator(), nullptr);
    const Device& base = device;
    CHECK(base.type() == "CPU");
    CHECK(base.type() == Cpu::type);
    CHECK(base.name() == kName);
    CHECK(base.short_name() == "CPU:0");
    CHECK(base.uses_host_memory());
    CHECK(base.allocator() == CpuAllocator());
    CHECK(device.Synchronize().ok());
  }

  TEST_CASE("takes the default allocator where none is named") {
    CpuDevice device(kName, nullptr, nullptr);
    CHECK(device.allocator() == DefaultAllocator());
  }

  TEST_CASE("gives its kernels the pool and the allocator") {
    TrackingAllocator memory(CpuAllocator());
    ThreadPool pool(2, "test");
    CpuDevice device(kName, &memory, &pool);
    Cpu* const cpu = static_cast<Cpu*>(device.kernel_device());
    CHECK(cpu->pool == &pool);
    CHECK(cpu->allocator == &memory);
    CHECK(device.allocator() == &memory);
    CHECK(device.kernel_device() == cpu);
    CpuDevice other(kName, &memory, nullptr);
    CHECK(other.kernel_device() != cpu);
    CHECK(static_cast<Cpu*>(other.kernel_device())->pool == nullptr);
  }

  TEST_CASE("copies by sharing: there and back is the same buffer, without new memory") {
    TrackingAllocator memory(CpuAllocator());
    {
      CpuDevice device(kName, &memory, nullptr);
      Tensor host(&memory, DataType::kFloat, {2, 3});
      host.flat<float>()[5] = 7;
      Tensor there = Tensor::Scalar(1.0f), back;
      REQUIRE(device.CopyToDevice(host, &there).ok());
      REQUIRE(device.CopyToHost(there, &memory, &back).ok());
      CHECK(there.SharesBufferWith(host));
      CHECK(back.SharesBufferWith(host));
      CHECK(back.shape() == host.shape());
      CHECK(back.flat<float>()[5] == 7);
      CHECK(memory.num_allocations() == 1);
    }
    CHECK(memory.blocks_in_use() == 0);
  }

  TEST_CASE("copies strings, tensors without elements, and a tensor onto itself") {
    CpuDevice device(kName, CpuAllocator(), nullptr);
    Tensor to;
    REQUIRE(device.CopyToDevice(Tensor::Scalar("some text"), &to).ok());
    CHECK(to.scalar<tstring>()[0] == "some text");
    REQUIRE(device.CopyToHost(to, nullptr, &to).ok());
    CHECK(to.scalar<tstring>()[0] == "some text");
    REQUIRE(device.CopyToHost(Tensor(DataType::kInt8, {0, 4}), nullptr, &to).ok());
    CHECK(to.dtype() == DataType::kInt8);
    CHECK(to.shape() == TensorShape({0, 4}));
  }
}
}  // namespace cpu_device_test
