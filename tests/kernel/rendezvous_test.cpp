// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/rendezvous.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace rendezvous_test {
using namespace tenon;

namespace {

constexpr const char* kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr const char* kGpu = "/job:localhost/replica:0/task:0/device:GPU:1";

// Keeps what it is given; a test plays the other side.
class Recording final : public Rendezvous {
 public:
  Status Send(const RendezvousKey&, const Args&, const Tensor&, bool) override { return OkStatus(); }
  Status SendError(const RendezvousKey&, const Status&) override { return OkStatus(); }
  void RecvAsync(const RendezvousKey&, const Args& args, DoneCallback done) override {
    if (answer_at_once) return done(OkStatus(), {}, {}, Tensor::Scalar(3), false);
    if (args.cancellation != nullptr)
      REQUIRE(args.cancellation->Register(args.cancellation->NewToken(), [this] {
        ++cancelled;
        if (answer_when_cancelled) return Answer(OkStatus());
        Answer(errors::Cancelled("given up"));
      }));
    waiting.push_back(std::move(done));
    num_waiting = static_cast<int>(waiting.size());
  }
  void Answer(const Status& status) {
    std::vector<DoneCallback> all = std::exchange(waiting, {});
    for (DoneCallback& done : all) done(status, {}, {}, Tensor::Scalar(4), false);
  }
  void StartAbort(const Status& status) override {
    for (DoneCallback& done : waiting) done(status, {}, {}, Tensor(), false);
    waiting.clear();
  }
  bool answer_at_once = false, answer_when_cancelled = false;
  int cancelled = 0;
  std::atomic<int> num_waiting{0};
  std::vector<DoneCallback> waiting;
};

}  // namespace

TEST_SUITE("RendezvousKey") {
  TEST_CASE("has TensorFlow's form") {
    CHECK(RendezvousKey::Create(kCpu, 1, kGpu, "edge_7_x", {}) ==
          StrCat(kCpu, ";0000000000000001;", kGpu, ";edge_7_x;0:0"));
    CHECK(RendezvousKey::Create("a", 0xfedcba9876543210, "b", "n", {18446744073709551615u, -1}) ==
          "a;fedcba9876543210;b;n;18446744073709551615:-1");
  }

  TEST_CASE("is read again") {
    const std::string text = RendezvousKey::Create(kCpu, 0xabc, kGpu, "edge_7_x", {5, 6});
    const Result<RendezvousKey> key = RendezvousKey::Parse(text);
    REQUIRE(key.ok());
    CHECK(key->text == text);
    CHECK(key->src_device == kCpu);
    CHECK(key->dst_device == kGpu);
    CHECK(key->edge_name == "edge_7_x");
    CHECK(key->src.type == "CPU");
    CHECK(key->dst.id == 1);
    CHECK(key->src_incarnation == 0xabc);
    CHECK(key->hash == Hash64(text));
  }

  TEST_CASE("copies read their own text") {
    RendezvousKey copy;
    {
      const RendezvousKey key = *RendezvousKey::Parse(RendezvousKey::Create(kCpu, 1, kGpu, "x", {}));
      copy = key;
      CHECK(copy.edge_name.data() != key.edge_name.data());
    }
    CHECK(copy.src_device == kCpu);
    CHECK(copy.dst_device == kGpu);
    CHECK(copy.edge_name == "x");
    const RendezvousKey empty, copy_of_empty(empty);
    CHECK(copy_of_empty.edge_name.empty());
  }

  TEST_CASE("anything else is none") {
    const std::string cpu = kCpu, gpu = kGpu;
    for (const std::string& text :
         {std::string(), std::string(";;;;"), cpu + ";1;" + gpu + ";x", cpu + ";1;" + gpu + ";x;0:0;",
          cpu + ";g;" + gpu + ";x;0:0", cpu + ";;" + gpu + ";x;0:0", cpu + ";00000000000000001;" + gpu + ";x;0:0",
          cpu + ";1;" + gpu + ";;0:0", cpu + ";1;" + gpu + ";x;", "/job:a;1;" + gpu + ";x;0:0",
          cpu + ";1;/device:GPU:0;x;0:0", "CPU:0;1;" + gpu + ";x;0:0"}) {
      const Status status = RendezvousKey::Parse(text).status();
      CHECK(status == Status(Code::kInvalidArgument, "Invalid  rendezvous key: " + text));
    }
    CHECK(RendezvousKey::Parse(cpu + ";1;" + gpu + ";x;anything").ok());
  }
}

TEST_SUITE("Rendezvous") {
  TEST_CASE("Recv waits for what RecvAsync says") {
    const auto rendezvous = Ref<Recording>::Adopt(new Recording);
    Tensor value;
    bool dead = true;
    rendezvous->answer_at_once = true;
    REQUIRE(rendezvous->Recv(RendezvousKey(), {}, &value, &dead).ok());
    CHECK(value.scalar<int>()() == 3);
    CHECK_FALSE(dead);
  }

  TEST_CASE("Recv cancels its receiver after its time") {
    const auto rendezvous = Ref<Recording>::Adopt(new Recording);
    Tensor value = Tensor::Scalar(5);
    bool dead = true;
    CHECK(rendezvous->Recv(RendezvousKey(), {}, &value, &dead, 1) ==
          Status(Code::kDeadlineExceeded, "Timed out waiting for notification"));
    CHECK(value.scalar<int>()() == 5);
    CHECK(dead);
    CHECK(rendezvous->cancelled == 1);
    CHECK(rendezvous->waiting.empty());
  }

  TEST_CASE("Recv returns a tensor that arrives when its time is over") {
    const auto rendezvous = Ref<Recording>::Adopt(new Recording);
    rendezvous->answer_when_cancelled = true;
    Tensor value;
    bool dead = true;
    CHECK(rendezvous->Recv(RendezvousKey(), {}, &value, &dead, 1).ok());
    CHECK(value.scalar<int>()() == 4);
    CHECK_FALSE(dead);
  }

  TEST_CASE("Recv with a time still ends with its caller's cancellation") {
    const auto rendezvous = Ref<Recording>::Adopt(new Recording);
    CancellationManager cancellation;
    Rendezvous::Args args;
    args.cancellation = &cancellation;
    Status status;
    std::thread receiver([&] {
      Tensor value;
      bool dead = true;
      status = rendezvous->Recv(RendezvousKey(), args, &value, &dead, std::numeric_limits<std::int64_t>::max());
    });
    while (rendezvous->num_waiting == 0) std::this_thread::yield();
    cancellation.StartCancel();
    receiver.join();
    CHECK(status == errors::Cancelled("given up"));
  }
}
}  // namespace rendezvous_test
