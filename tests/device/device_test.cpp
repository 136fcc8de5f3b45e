// SPDX-License-Identifier: Apache-2.0
#include <tenon/device/device.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/base/owned.hpp>
#include <tenon/memory/cpu_allocator.hpp>

namespace device_test {
using namespace tenon;

namespace {

class PlainDevice final : public Device {
 public:
  explicit PlainDevice(std::string name, bool* gone = nullptr) : Device(std::move(name)), gone_(gone) {}
  ~PlainDevice() override {
    if (gone_ != nullptr) *gone_ = true;
  }
  std::string_view type() const override { return "FAKE"; }
  Allocator* allocator() const override { return CpuAllocator(); }
  void* kernel_device() override { return this; }
  bool uses_host_memory() const override { return false; }
  Status CopyToDevice(const Tensor& host, Tensor* to) override {
    *to = host.DeepCopy();
    return OkStatus();
  }
  Status CopyToHost(const Tensor& from, Allocator*, Tensor* to) override {
    *to = from.DeepCopy();
    return OkStatus();
  }
  Status Synchronize() override { return OkStatus(); }

 private:
  bool* gone_;
};

Result<Owned<Device>> MakeFake(const std::string& name, int ordinal) {
  if (ordinal > 1) return errors::InvalidArgument("there is no FAKE:", ordinal);
  return Owned<Device>(new PlainDevice(name));
}

int TimesListed(const DeviceFactory* factory) {
  int times = 0;
  for (const DeviceFactory* f = detail::device_factories.load(); f != nullptr; f = f->next) times += f == factory;
  return times;
}
int NumFactories() {
  int count = 0;
  for (const DeviceFactory* f = detail::device_factories.load(); f != nullptr; f = f->next) ++count;
  return count;
}

}  // namespace

TEST_SUITE("Device") {
  TEST_CASE("has a full name and a short one") {
    const PlainDevice device("/job:localhost/replica:0/task:0/device:GPU:0");
    CHECK(device.name() == "/job:localhost/replica:0/task:0/device:GPU:0");
    CHECK(device.short_name() == "GPU:0");
    CHECK(PlainDevice("/job:device/replica:0/task:3/device:XLA_CPU:12").short_name() == "XLA_CPU:12");
    CHECK(PlainDevice("/device:CPU:0").short_name() == "CPU:0");
    CHECK(PlainDevice("/job:device:1/task:0/device:CPU:0").short_name() == "CPU:0");
  }

  TEST_CASE("is one object, owned through its base") {
    static_assert(std::has_virtual_destructor_v<Device> && std::is_abstract_v<Device>);
    static_assert(!std::is_copy_constructible_v<PlainDevice> && !std::is_copy_assignable_v<PlainDevice>);
    static_assert(!std::is_convertible_v<std::string, PlainDevice>);
    bool gone = false;
    std::unique_ptr<Device> device = std::make_unique<PlainDevice>("/device:FAKE:0", &gone);
    CHECK(device->type() == "FAKE");
    device.reset();
    CHECK(gone);
  }

  TEST_CASE("copies through its base, to it and back") {
    PlainDevice fake("/device:FAKE:0");
    Device& device = fake;
    const Tensor host = MakeTensor<float>({2}, {3, 4});
    Tensor there, back;
    REQUIRE(device.CopyToDevice(host, &there).ok());
    REQUIRE(device.CopyToHost(there, CpuAllocator(), &back).ok());
    CHECK_FALSE(back.SharesBufferWith(host));
    CHECK(back.vec<float>()(1) == 4);
    CHECK(device.Synchronize().ok());
  }
}

TEST_SUITE("DeviceFactory") {
  TEST_CASE("is linked once, however often it is linked") {
    static constinit DeviceFactory first{"FAKE", &MakeFake}, second{"FAKE2", &MakeFake};
    const int before = NumFactories();
    CHECK(TimesListed(&first) == 0);
    for (int i = 0; i < 3; ++i) {
      CHECK(detail::LinkDeviceFactory(&first));
      CHECK(detail::LinkDeviceFactory(&second));
    }
    CHECK(TimesListed(&first) == 1);
    CHECK(TimesListed(&second) == 1);
    CHECK(NumFactories() == before + 2);
  }

  TEST_CASE("makes devices by name and number, or says why not") {
    constexpr DeviceFactory factory{"FAKE", &MakeFake};
    const Result<Owned<Device>> device = factory.create("/device:FAKE:1", 1);
    REQUIRE(device.ok());
    CHECK((*device)->name() == "/device:FAKE:1");
    CHECK((*device)->type() == factory.type);
    CHECK(factory.create("/device:FAKE:2", 2).status().message() == "there is no FAKE:2");
  }

  TEST_CASE("may be linked by several threads at once") {
    static constinit DeviceFactory factories[8]{};
    const int before = NumFactories();
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
      threads.emplace_back([t] {
        detail::LinkDeviceFactory(&factories[2 * t]);
        detail::LinkDeviceFactory(&factories[2 * t + 1]);
      });
    for (std::thread& thread : threads) thread.join();
    for (const DeviceFactory& factory : factories) CHECK(TimesListed(&factory) == 1);
    CHECK(NumFactories() == before + 8);
  }
}
}  // namespace device_test
