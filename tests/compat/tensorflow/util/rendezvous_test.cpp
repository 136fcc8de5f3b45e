// SPDX-License-Identifier: Apache-2.0
// Keys, values in their order, receivers that give up.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include <tenon/compat/tensorflow/util/rendezvous.hpp>

namespace compat_rendezvous_test {
using namespace tensorflow;
namespace {
RendezvousInterface::ParsedKey Key(const std::string& edge) {
  RendezvousInterface::ParsedKey key;
  const std::string text = Rendezvous::CreateKey("/job:j/replica:1/task:2/CPU:0", 7890,
                                                 "/job:j/replica:1/task:2/device:GPU:0", edge, FrameAndIter{0, 3});
  CHECK(Rendezvous::ParseKey(text, &key).ok());
  return key;
}
int ValueOf(const Tensor& tensor) { return tensor.scalar<int32>()(); }
struct Carried : DeviceContext {};
}  // namespace

TEST_SUITE("TensorFlow's Rendezvous") {
  TEST_CASE("keys of rendezvous") {
    RendezvousInterface::ParsedKey key;
    {
      const auto made = Key("var0");
      key = made;
    }
    CHECK(key.FullKey() ==
          "/job:j/replica:1/task:2/CPU:0;0000000000001ed2;/job:j/replica:1/task:2/device:GPU:0;var0;0:3");
    CHECK(key.src_device == "/job:j/replica:1/task:2/CPU:0");
    CHECK(key.src_incarnation == 7890);
    CHECK(key.src.type == "CPU");
    CHECK(key.dst.type == "GPU");
    CHECK(key.dst.task == 2);
    CHECK(key.edge_name == "var0");
    CHECK_FALSE(Rendezvous::ParseKey("foo;bar;baz", &key).ok());
    CHECK_FALSE(Rendezvous::ParseKey(std::string(key.FullKey()) + ";" + std::string(key.FullKey()), &key).ok());
  }
  TEST_CASE("rendezvous") {
    const core::RefCountPtr<Rendezvous> meet(NewLocalRendezvous());
    Tensor value;
    bool is_dead = false;
    CHECK(meet->Send(Key("a"), {}, Tensor(1), false).ok());
    CHECK(meet->Send(Key("a"), {}, Tensor(2), true).ok());
    CHECK(meet->Recv(Key("a"), {}, &value, &is_dead).ok());
    CHECK(ValueOf(value) == 1);
    CHECK_FALSE(is_dead);
    CHECK(meet->Recv(Key("a"), {}, &value, &is_dead).ok());
    CHECK(ValueOf(value) == 2);
    CHECK(is_dead);
    CHECK(errors::IsDeadlineExceeded(meet->Recv(Key("late"), {}, &value, &is_dead, 1)));
    std::thread sender([&] { CHECK(meet->Send(Key("b"), {}, Tensor(3), false).ok()); });
    CHECK(meet->Recv(Key("b"), {}, &value, &is_dead).ok());
    CHECK(ValueOf(value) == 3);
    sender.join();

    const core::RefCountPtr<Carried> here(new Carried), there(new Carried);
    RendezvousInterface::Args send, receive;
    send.device_context = here.get();
    receive.device_context = there.get();
    CHECK(meet->Send(Key("c"), send, Tensor(4), false).ok());
    bool was_called = false;
    meet->RecvAsync(Key("c"), receive, [&](const Status& status, const auto& s, const auto& r, const Tensor&, bool) {
      was_called = status.ok() && s.device_context == here.get() && r.device_context == there.get();
    });
    CHECK(was_called);
    CHECK(here->RefCountIsOne());
  }
  TEST_CASE("receivers that give up") {
    const core::RefCountPtr<Rendezvous> meet(NewLocalRendezvous());
    Tensor value;
    bool is_dead = false;
    CancellationManager manager;
    RendezvousInterface::Args args;
    args.cancellation_manager = &manager;
    std::vector<Status> ends;
    const auto end = [&](const Status& status, const auto&, const auto&, const Tensor&, bool) {
      ends.push_back(status);
    };
    meet->RecvAsync(Key("a"), {}, end);
    meet->RecvAsync(Key("a"), args, end);
    manager.StartCancel();
    REQUIRE(ends.size() == 1);
    CHECK(errors::IsCancelled(ends[0]));
    CHECK(errors::IsCancelled(meet->Recv(Key("a"), args, &value, &is_dead)));
    CHECK(meet->Send(Key("a"), {}, Tensor(1), false).ok());
    REQUIRE(ends.size() == 2);
    CHECK(ends[1].ok());
    meet->RecvAsync(Key("a"), {}, end);
    meet->StartAbort(errors::Aborted("over"));
    CHECK(errors::IsAborted(ends[2]));
    CHECK(errors::IsAborted(meet->Send(Key("a"), {}, value, false)));
    CHECK(errors::IsAborted(meet->Recv(Key("a"), {}, &value, &is_dead)));
  }
}
}  // namespace compat_rendezvous_test
