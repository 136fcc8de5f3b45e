// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/flow/send_recv.hpp>

#include <string>
#include <thread>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/runtime/executor/local_rendezvous.hpp>
#include <tenon/runtime/api/session.hpp>

namespace flow_send_recv_test {
using namespace tenon;

namespace {

constexpr const char* kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";

NodeDef Transfer(const char* op, const char* device = kCpu) {
  NodeDef def;
  def.name = "n";
  def.op = op;
  def.attr.Set(std::string_view(op).find("Send") != std::string_view::npos ? "T" : "tensor_type", DataType::kFloat);
  def.attr.Set("tensor_name", std::string("edge"));
  def.attr.Set("send_device", std::string(device));
  def.attr.Set("recv_device", std::string(kCpu));
  def.attr.Set("send_device_incarnation", std::int64_t{1});
  return def;
}

// The kernel of one node, and its run.
struct Kernel {
  NodeDef def;
  DataType type = DataType::kFloat;
  Tensor value{DataType::kInvalid};
  Owned<OpKernel> kernel;
  Status created;
  OpKernelContext context;
  Ref<LocalRendezvous> rendezvous = Ref<LocalRendezvous>::Adopt(new LocalRendezvous);
  CancellationManager cancellation;
  RunServices services{nullptr, nullptr, &cancellation, rendezvous.get()};
  StepEnvironment env;
  Tensor* inputs[1] = {&value};
  std::uint8_t flags[1] = {};
  OpKernelContext::NodeFrame frame{};

  explicit Kernel(NodeDef node) : def(std::move(node)) {
    const bool sends = def.attr.Find("T") != nullptr;
    const std::span<const DataType> types(&type, 1);
    OpKernelConstruction construction(&def, Registry::Global().FindOp(def.op), "CPU", sends ? types : types.subspan(1),
                                      sends ? types.subspan(1) : types, CpuAllocator());
    Result<Owned<OpKernel>> made = CreateKernel(*Registry::Global().FindForNode(def, "CPU")->row, &construction);
    created = made.status();
    if (created.ok()) kernel = *std::move(made);
    env.services = &services;
    frame = {kernel.get(), inputs, flags, &value, flags, nullptr, &env};
    context.Enter(&frame);
  }
  Status Run() {
    kernel->Compute(&context);
    return context.TakeStatus();
  }
  static RendezvousKey Key(FrameAndIteration where = {}) {
    return RendezvousKey::Parse(RendezvousKey::Create(kCpu, 1, kCpu, "edge", where)).value();
  }
};

}  // namespace

TEST_SUITE("_Send and _Recv") {
  TEST_CASE("meet under the edge's key") {
    for (const char* op : {"Send", "_Send", "_HostSend"}) {
      Kernel send(Transfer(op));
      send.value = Tensor::Scalar(4.0f);
      REQUIRE(send.Run().ok());
      bool ended = false;
      send.rendezvous->RecvAsync(Kernel::Key(), {},
                                 [&](const Status& status, const Rendezvous::Args& args, const Rendezvous::Args&,
                                     const Tensor& tensor, bool dead) {
                                   CHECK(status.ok());
                                   CHECK_FALSE(dead);
                                   CHECK(tensor.scalar<float>()() == 4);
                                   CHECK(args.alloc_attributes.on_host() == (std::string_view(op) == "_HostSend"));
                                   ended = true;
                                 });
      CHECK(ended);
    }
    for (const char* op : {"Recv", "_Recv", "_HostRecv"}) {
      Kernel recv(Transfer(op));
      REQUIRE(recv.kernel->AsAsync() != nullptr);
      std::thread sender([&] { CHECK(recv.rendezvous->Send(Kernel::Key(), {}, Tensor::Scalar(5.0f), false).ok()); });
      REQUIRE(recv.Run().ok());
      sender.join();
      CHECK(recv.value.scalar<float>()() == 5);
    }
  }

  TEST_CASE("a loop's turn has a key of its own") {
    Kernel send(Transfer("_Send")), recv(Transfer("_Recv"));
    send.env.frame_id = recv.env.frame_id = 77;
    send.env.iteration = recv.env.iteration = 3;
    send.value = Tensor::Scalar(4.0f);
    REQUIRE(send.Run().ok());
    Tensor value;
    bool dead = false;
    CHECK(send.rendezvous->Recv(Kernel::Key(), {}, &value, &dead, 1).code() == Code::kDeadlineExceeded);
    CHECK(send.rendezvous->Recv(Kernel::Key({77, 3}), {}, &value, &dead).ok());
    REQUIRE(recv.rendezvous->Send(Kernel::Key({77, 3}), {}, Tensor::Scalar(6.0f), false).ok());
    REQUIRE(recv.Run().ok());
    CHECK(recv.value.scalar<float>()() == 6);
  }

  TEST_CASE("an input without a value is sent as dead, and a dead one leaves no output") {
    Kernel send(Transfer("_Send")), recv(Transfer("_Recv"));
    REQUIRE(send.Run().ok());
    Tensor value;
    bool dead = false;
    REQUIRE(send.rendezvous->Recv(Kernel::Key(), {}, &value, &dead).ok());
    CHECK(dead);
    REQUIRE(recv.rendezvous->Send(Kernel::Key(), {}, Tensor(), true).ok());
    REQUIRE(recv.Run().ok());
    CHECK(recv.value.dtype() == DataType::kInvalid);
  }

  TEST_CASE("cancellation and abort end the wait") {
    Kernel cancelled(Transfer("_Recv")), aborted(Transfer("_Recv"));
    std::thread cancel([&] { cancelled.cancellation.StartCancel(); });
    CHECK(cancelled.Run() == errors::Cancelled("RecvAsync is cancelled."));
    cancel.join();
    aborted.rendezvous->StartAbort(errors::Internal("stop"));
    CHECK(aborted.Run() == errors::Internal("stop"));
    Kernel send(Transfer("_Send"));
    send.rendezvous->StartAbort(errors::Internal("stop"));
    CHECK(send.Run() == errors::Internal("stop"));
  }

  TEST_CASE("devices must be complete names") {
    const Status status = Kernel(Transfer("_Recv", "CPU:0")).created;
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("Invalid  rendezvous key: CPU:0;0000000000000001;") != std::string::npos);
  }

  TEST_CASE("without a rendezvous there is TensorFlow's error") {
    for (const char* op : {"_Send", "_Recv"}) {
      Kernel kernel(Transfer(op));
      kernel.services.rendezvous = nullptr;
      CHECK(kernel.Run() == errors::Internal("Op kernel context needs to provide a rendezvous."));
      kernel.env.services = nullptr;
      CHECK(kernel.Run() == errors::Internal("Op kernel context needs to provide a rendezvous."));
    }
    GraphBuilder b;
    const NodeDef recv = Transfer("_Recv");
    SlimVector<std::pair<std::string_view, AttrValue>> attrs;
    for (const auto& [name, value] : recv.attr) attrs.emplace_back(name, value);
    b.Add("_Recv", "recv", SlimVector<Output>(), attrs);
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    const auto session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const Status status = session->Run({}, {"recv"}).status();
    CHECK(status.code() == Code::kInternal);
    CHECK(status.message().find("Op kernel context needs to provide a rendezvous.") == 0);
  }
}
}  // namespace flow_send_recv_test
