// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/device_rendezvous.hpp>

#include <string>

#include <doctest/doctest.h>

#include <tenon/base/notification.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/device/simulated_device.hpp>
#include <tenon/memory/cpu_allocator.hpp>

namespace device_rendezvous_test {
using namespace tenon;

namespace {

constexpr const char* kTask = "/job:localhost/replica:0/task:0/device:";

Owned<StaticDeviceMgr> MakeMgr() {
  SlimVector<Owned<Device>> devices;
  for (const char* name : {"CPU:0", "CPU:1"})
    devices.push_back(MakeOwned<CpuDevice>(StrCat(kTask, name), CpuAllocator(), nullptr));
  for (const char* name : {"SIM:0", "SIM:1"})
    devices.push_back(SimulatedDevice::Create(StrCat(kTask, name), {.memory_limit_bytes = 8192}).value());
  return StaticDeviceMgr::Create(std::move(devices)).value();
}
RendezvousKey Key(const char* from, const char* to) {
  return RendezvousKey::Parse(RendezvousKey::Create(StrCat(kTask, from), 1, StrCat(kTask, to), "x", {})).value();
}

struct Fixture {
  Owned<StaticDeviceMgr> devices = MakeMgr();
  Ref<DeviceRendezvous> rendezvous = Ref<DeviceRendezvous>::Adopt(new DeviceRendezvous(devices.get()));

  SimulatedDevice& Sim(const char* name) { return static_cast<SimulatedDevice&>(**devices->LookupDevice(name)); }
  // The tensor in the memory of a device.
  Tensor On(const char* name, const Tensor& host) {
    Tensor there;
    REQUIRE((*devices->LookupDevice(name))->CopyToDevice(host, &there).ok());
    return there;
  }
  Tensor Back(const char* name, const Tensor& there) {
    Tensor host;
    REQUIRE((*devices->LookupDevice(name))->CopyToHost(there, CpuAllocator(), &host).ok());
    return host;
  }
  Tensor Move(const char* from, const char* to, const Tensor& tensor, bool from_host, bool to_host,
              bool receive_first = false) {
    Rendezvous::Args send, recv;
    send.alloc_attributes.set_on_host(from_host);
    recv.alloc_attributes.set_on_host(to_host);
    Tensor result;
    Notification done;
    const auto receive = [&] {
      rendezvous->RecvAsync(Key(from, to), recv,
                            [&](const Status& status, const Rendezvous::Args& s, const Rendezvous::Args& r,
                                const Tensor& value, bool dead) {
                              CHECK_MESSAGE(status.ok(), status.ToString());
                              CHECK(s.alloc_attributes.on_host() == from_host);
                              CHECK(r.alloc_attributes.on_host() == to_host);
                              CHECK_FALSE(dead);
                              result = value;
                              done.Notify();
                            });
    };
    if (receive_first) receive();
    REQUIRE(rendezvous->Send(Key(from, to), send, tensor, false).ok());
    if (!receive_first) receive();
    done.WaitForNotification();
    return result;
  }
};

}  // namespace

TEST_SUITE("DeviceRendezvous") {
  TEST_CASE_FIXTURE(Fixture, "within host memory the tensor is handed over") {
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    CHECK(Move("CPU:0", "CPU:1", x, false, false).SharesBufferWith(x));
    CHECK(Move("SIM:0", "SIM:1", x, true, true).SharesBufferWith(x));
    CHECK(Move("SIM:0", "CPU:1", x, true, false, true).SharesBufferWith(x));
    const Tensor text = Tensor::Scalar("text");
    CHECK(Move("CPU:0", "SIM:1", text, false, true).SharesBufferWith(text));
  }

  TEST_CASE_FIXTURE(Fixture, "between memories it is copied") {
    const Tensor x = MakeTensor<float>({3}, {1, 2, 3});
    for (const bool first : {false, true}) {
      const Tensor there = Move("CPU:0", "SIM:0", x, false, false, first);
      CHECK(Sim("SIM:0").memory().Contains(there.raw_data()));
      const Tensor peer = Move("SIM:0", "SIM:1", there, false, false, first);
      CHECK(Sim("SIM:1").memory().Contains(peer.raw_data()));
      CHECK(Move("SIM:1", "CPU:1", peer, false, false, first).vec<float>()(2) == 3);
      CHECK(Move("SIM:1", "SIM:0", peer, false, true, first).vec<float>()(1) == 2);
      CHECK(Back("SIM:1", Move("SIM:0", "SIM:1", x, true, false, first)).vec<float>()(0) == 1);
    }
  }

  TEST_CASE_FIXTURE(Fixture, "what cannot come says why") {
    Tensor value;
    bool dead = false;
    REQUIRE(rendezvous->Send(Key("CPU:0", "SIM:0"), {}, Tensor::Scalar("text"), false).ok());
    const Status text = rendezvous->Recv(Key("CPU:0", "SIM:0"), {}, &value, &dead);
    CHECK(text.code() == Code::kInvalidArgument);
    CHECK(text.message() ==
          StrCat("Non-DMA-safe string tensor may not be copied from/to a device. Key: ", Key("CPU:0", "SIM:0").text));
    REQUIRE(rendezvous->Send(Key("CPU:0", "SIM:0"), {}, Tensor(DataType::kFloat, {4000}), false).ok());
    const Status memory = rendezvous->Recv(Key("CPU:0", "SIM:0"), {}, &value, &dead);
    CHECK(memory.code() == Code::kResourceExhausted);
    CHECK(memory.message().find("SIM:0_bfc") != std::string::npos);
    CHECK(memory.message().find("SameWorkerRecvDone unable to allocate output tensor. Key: ") != std::string::npos);
    CHECK(rendezvous->Recv(Key("CPU:0", "GPU:0"), {}, &value, &dead).message().find("GPU:0 unknown device.") !=
          std::string::npos);
    Sim("SIM:1").InjectFailure(2, errors::DataLoss("cable"));
    REQUIRE(rendezvous->Send(Key("SIM:1", "CPU:0"), {}, On("SIM:1", Tensor::Scalar(1.0f)), false).ok());
    CHECK(rendezvous->Recv(Key("SIM:1", "CPU:0"), {}, &value, &dead).code() == Code::kDataLoss);
  }

  TEST_CASE_FIXTURE(Fixture, "a wait that gave up and the error of a key leave other receivers alone") {
    Tensor value;
    bool dead = false;
    const RendezvousKey key = Key("CPU:0", "SIM:0");
    CHECK(rendezvous->Recv(key, {}, &value, &dead, 2).code() == Code::kDeadlineExceeded);
    REQUIRE(rendezvous->Send(key, {}, Tensor::Scalar(2.0f), false).ok());
    REQUIRE(rendezvous->Recv(key, {}, &value, &dead, 60'000).ok());
    CHECK(Back("SIM:0", value).scalar<float>()() == 2);
    CHECK(rendezvous->SendError(key, errors::DataLoss("no more")).ok());
    CHECK(rendezvous->Recv(key, {}, &value, &dead) == errors::DataLoss("no more"));
    CHECK(rendezvous->Send(key, {}, Tensor::Scalar(2.0f), false) == errors::DataLoss("no more"));
    CHECK(rendezvous->Send(Key("CPU:0", "SIM:1"), {}, Tensor::Scalar(2.0f), false).ok());
  }

  TEST_CASE_FIXTURE(Fixture, "dead values and aborts pass through") {
    Tensor value;
    bool dead = false;
    REQUIRE(rendezvous->Send(Key("SIM:0", "SIM:1"), {}, Tensor(), true).ok());
    REQUIRE(rendezvous->Recv(Key("SIM:0", "SIM:1"), {}, &value, &dead).ok());
    CHECK(dead);
    rendezvous->StartAbort(errors::Internal("stop"));
    CHECK(rendezvous->Recv(Key("SIM:0", "SIM:1"), {}, &value, &dead) == errors::Internal("stop"));
    CHECK(rendezvous->Send(Key("SIM:0", "SIM:1"), {}, Tensor(), true) == errors::Internal("stop"));
  }

  TEST_CASE("tensors for and from another task go through the peers' rendezvous, in host memory") {
    const Owned<StaticDeviceMgr> devices = MakeMgr();
    const auto wire = Ref<LocalRendezvous>::Adopt(new LocalRendezvous);
    const auto rendezvous = Ref<DeviceRendezvous>::Adopt(new DeviceRendezvous(devices.get(), wire.get()));
    const std::string sim = StrCat(kTask, "SIM:0"), peer = "/job:localhost/replica:0/task:3/device:CPU:0";
    const auto to_peer = RendezvousKey::Parse(RendezvousKey::Create(sim, 1, peer, "x", {})).value();
    const auto from_peer = RendezvousKey::Parse(RendezvousKey::Create(peer, 1, sim, "x", {})).value();
    Device* const device = *devices->LookupDevice(sim);
    Tensor there, value;
    bool dead = false;
    REQUIRE(device->CopyToDevice(Tensor::Scalar(4.0f), &there).ok());
    REQUIRE(rendezvous->Send(to_peer, {}, there, false).ok());
    REQUIRE(wire->Recv(to_peer, {}, &value, &dead, 1000).ok());
    CHECK(value.scalar<float>()() == 4);
    REQUIRE(rendezvous->Send(to_peer, {}, Tensor(), true).ok());
    REQUIRE(wire->Recv(to_peer, {}, &value, &dead, 1000).ok());
    CHECK(dead);
    REQUIRE(wire->Send(from_peer, {}, Tensor::Scalar(5.0f), false).ok());
    REQUIRE(rendezvous->Recv(from_peer, {}, &there, &dead, 1000).ok());
    REQUIRE(device->CopyToHost(there, CpuAllocator(), &value).ok());
    CHECK(value.scalar<float>()() == 5);
    REQUIRE(rendezvous->SendError(to_peer, errors::DataLoss("no x")).ok());
    CHECK(wire->Recv(to_peer, {}, &value, &dead, 1000) == errors::DataLoss("no x"));
    rendezvous->StartAbort(errors::Aborted("stop"));
    CHECK(wire->Send(from_peer, {}, Tensor::Scalar(5.0f), false) == errors::Aborted("stop"));
  }
}
}  // namespace device_rendezvous_test
