// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/simulated_device.hpp>

#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/base/notification.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include "dies.hpp"

namespace simulated_device_test {
using namespace tenon;
using device_test::Dies;

namespace {

Owned<Device> MakeSim(int id, const SimulatedDeviceOptions& options = {}) {
  return SimulatedDevice::Create(StrCat("/job:localhost/replica:0/task:0/device:SIM:", id), options).value();
}
SimulatedDevice& Sim(const Owned<Device>& device) { return static_cast<SimulatedDevice&>(*device); }

Tensor Numbers(std::int64_t count, int first = 0) {
  Tensor tensor(DataType::kInt32, {count});
  std::iota(tensor.data<std::int32_t>(), tensor.data<std::int32_t>() + count, first);
  return tensor;
}
void CheckNumbers(const Tensor& tensor, std::int64_t count, int first = 0) {
  REQUIRE(tensor.NumElements() == count);
  for (std::int64_t i = 0; i < count; ++i) REQUIRE(tensor.flat<std::int32_t>()(i) == first + static_cast<int>(i));
}

}  // namespace

TEST_SUITE("SimulatedDevice") {
  TEST_CASE("is a device with memory of its own") {
    const Owned<Device> device = MakeSim(0, {.memory_limit_bytes = 1 << 20});
    CHECK(device->type() == "SIM");
    CHECK(device->short_name() == "SIM:0");
    CHECK_FALSE(device->uses_host_memory());
    CHECK_FALSE(device->allocator()->HostAccessible());
    CHECK(device->allocator()->Name() == "SIM:0_bfc");
    CHECK(device->allocator()->GetStats()->bytes_limit == 1 << 20);
    CHECK(static_cast<Cpu*>(device->kernel_device())->pool == nullptr);
    CHECK((device->kernel_wrapper() == nullptr));
  }

  TEST_CASE("copies there and back") {
    const Owned<Device> device = MakeSim(0);
    Tensor there, back;
    {
      const Tensor host = Numbers(1000);
      REQUIRE(device->CopyToDevice(host, &there).ok());
    }
    CHECK(Sim(device).memory().Contains(there.raw_data()));
    REQUIRE(device->CopyToHost(there, CpuAllocator(), &back).ok());
    CheckNumbers(back, 1000);
    CHECK(device->Synchronize().ok());
    Tensor empty;
    REQUIRE(device->CopyToDevice(Tensor(DataType::kFloat, {0, 3}), &there).ok());
    REQUIRE(device->CopyToHost(there, CpuAllocator(), &empty).ok());
    CHECK(empty.shape() == TensorShape({0, 3}));
    CHECK(device->CopyToDevice(Tensor::Scalar("text"), &there).code() == Code::kInvalidArgument);
  }

  TEST_CASE("the host must not touch its tensors") {
    const Owned<Device> device = MakeSim(0);
    if (Sim(device).memory().protection() == ProtectedMemory::Protection::kNone) return;
    Tensor there;
    REQUIRE(device->CopyToDevice(Numbers(4), &there).ok());
    REQUIRE(device->Synchronize().ok());
    CHECK(Dies([&] { *static_cast<volatile int*>(const_cast<void*>(there.raw_data())) = 1; }));
  }

  TEST_CASE("only its own thread works on its memory") {
    const Owned<Device> device = MakeSim(0);
    Tensor there, back;
    REQUIRE(device->CopyToDevice(Numbers(10), &there).ok());
    Sim(device).Run([&] {
      CHECK(Sim(device).IsThisThread());
      for (int i = 0; i < 10; ++i) there.data<std::int32_t>()[i] += 100;
      Tensor inner;  // on the own thread at once
      CHECK(device->CopyToHost(there, CpuAllocator(), &inner).ok());
      CheckNumbers(inner, 10, 100);
    });
    REQUIRE(device->CopyToHost(there, CpuAllocator(), &back).ok());
    CheckNumbers(back, 10, 100);
  }

  TEST_CASE("does not wait: copies and work are done in the order they were queued") {
    const Owned<Device> device = MakeSim(0);
    Notification go, copied;
    Sim(device).Enqueue([&] { go.WaitForNotification(); });
    Tensor there, back;
    REQUIRE(device->CopyToDevice(Numbers(10), &there).ok());
    const WorkQueue::Event event = Sim(device).Record();
    Sim(device).CopyToHostAsync(there, CpuAllocator(), [&](const Status& status, const Tensor& copy) {
      CHECK(status.ok());
      back = copy;
      copied.Notify();
    });
    CHECK_FALSE(event.IsDone());
    CHECK_FALSE(copied.HasBeenNotified());
    go.Notify();
    event.Wait();
    copied.WaitForNotification();
    CheckNumbers(back, 10);
    CHECK(Sim(device).num_enqueued() == 3);
  }

  TEST_CASE("memory that was freed is used again after what is queued on it") {
    const Owned<Device> device = MakeSim(0, {.memory_limit_bytes = 4096});
    Notification go;
    Sim(device).Enqueue([&] { go.WaitForNotification(); });
    Tensor first, second, back;
    REQUIRE(device->CopyToDevice(Numbers(1024), &first).ok());
    const void* at = first.raw_data();
    first = Tensor();
    CHECK(device->CopyToDevice(Numbers(1024, 9), &second).code() == Code::kResourceExhausted);  // the copy holds it
    go.Notify();
    REQUIRE(device->Synchronize().ok());
    REQUIRE(device->CopyToDevice(Numbers(1024, 9), &second).ok());
    CHECK(second.raw_data() == at);
    REQUIRE(device->CopyToHost(second, CpuAllocator(), &back).ok());
    CheckNumbers(back, 1024, 9);
  }

  TEST_CASE("says so when its memory is out") {
    const Owned<Device> device = MakeSim(1, {.memory_limit_bytes = 8192});
    Tensor there, more;
    REQUIRE(device->CopyToDevice(Numbers(1500), &there).ok());
    const Status status = device->CopyToDevice(Numbers(1500), &more);
    CHECK(status.code() == Code::kResourceExhausted);
    const std::string text(status.message());
    CHECK(text.find("OOM when allocating tensor with shape[1500] and type int32 on "
                    "/job:localhost/replica:0/task:0/device:SIM:1 by allocator SIM:1_bfc") == 0);
    CHECK(text.find("limit 8192") != std::string::npos);
  }

  TEST_CASE("copies to another one, after what is queued on both") {
    const Owned<Device> a = MakeSim(0), b = MakeSim(1);
    Notification go, done;
    Sim(a).Enqueue([&] { go.WaitForNotification(); });
    Tensor on_a, on_b, back;
    REQUIRE(a->CopyToDevice(Numbers(100), &on_a).ok());
    CopyTensor({a.get(), false}, {b.get(), false}, CpuAllocator(), on_a, [&](const Status& status, const Tensor& copy) {
      CHECK(status.ok());
      on_b = copy;
      done.Notify();
    });
    CHECK_FALSE(done.HasBeenNotified());
    go.Notify();
    done.WaitForNotification();
    CHECK(Sim(b).memory().Contains(on_b.raw_data()));
    REQUIRE(b->CopyToHost(on_b, CpuAllocator(), &back).ok());
    CheckNumbers(back, 100);
    CopyTensor({a.get(), false}, {a.get(), true}, CpuAllocator(), on_a,
               [&](const Status&, const Tensor& copy) { back = copy; });
    a->Synchronize().ok();
    CheckNumbers(back, 100);
  }

  TEST_CASE("fails where a test wants it to") {
    const Owned<Device> device = MakeSim(0);
    Tensor first, second, back;
    Sim(device).InjectFailure(2, errors::Unavailable("the bus fell off"));
    REQUIRE(device->CopyToDevice(Numbers(4), &first).ok());
    REQUIRE(device->CopyToDevice(Numbers(4), &second).ok());
    CHECK(device->Synchronize() == errors::Unavailable("the bus fell off"));
    CHECK(device->Synchronize().ok());
    Sim(device).InjectFailure(1, errors::Unavailable("again"));
    CHECK(device->CopyToHost(first, CpuAllocator(), &back) == errors::Unavailable("again"));
    CHECK(device->CopyToHost(first, CpuAllocator(), &back).ok());
    CHECK(device->Synchronize().ok());
  }

  TEST_CASE("several threads copy to and fro") {
    const Owned<Device> devices[] = {MakeSim(0), MakeSim(1, {.protection = ProtectedMemory::Protection::kProcess})};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&devices, t] {
        for (int i = 0; i < 30; ++i) {
          Tensor there, other, back;
          REQUIRE(devices[t % 2]->CopyToDevice(Numbers(64, 1000 * t + i), &there).ok());
          Notification done;
          Sim(devices[t % 2])
              .CopyToPeer(there, &Sim(devices[(t + 1) % 2]), [&](const Status& status, const Tensor& copy) {
                CHECK(status.ok());
                other = copy;
                done.Notify();
              });
          done.WaitForNotification();
          REQUIRE(devices[(t + 1) % 2]->CopyToHost(other, CpuAllocator(), &back).ok());
          CheckNumbers(back, 64, 1000 * t + i);
        }
      });
    for (std::thread& thread : threads) thread.join();
  }
}
}  // namespace simulated_device_test
