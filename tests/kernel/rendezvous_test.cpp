// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/rendezvous.hpp>

#include <string>
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
  void RecvAsync(const RendezvousKey&, const Args&, DoneCallback done) override {
    if (answer_at_once) return done(OkStatus(), {}, {}, Tensor::Scalar(3), false);
    waiting.push_back(std::move(done));
  }
  void StartAbort(const Status& status) override {
    for (DoneCallback& done : waiting) done(status, {}, {}, Tensor(), false);
    waiting.clear();
  }
  bool answer_at_once = false;
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

  TEST_CASE("Recv gives up after its time, and a late answer does no harm") {
    const auto rendezvous = Ref<Recording>::Adopt(new Recording);
    Tensor value = Tensor::Scalar(5);
    bool dead = true;
    CHECK(rendezvous->Recv(RendezvousKey(), {}, &value, &dead, 1) ==
          Status(Code::kDeadlineExceeded, "Timed out waiting for notification"));
    CHECK(value.scalar<int>()() == 5);
    REQUIRE(rendezvous->waiting.size() == 1);
    rendezvous->StartAbort(errors::Aborted("over"));
    CHECK(rendezvous->waiting.empty());
  }
}
}  // namespace rendezvous_test
