// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/local_rendezvous.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace local_rendezvous_test {
using namespace tenon;

namespace {

constexpr const char* kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";

RendezvousKey Key(std::string_view edge) {
  return RendezvousKey::Parse(RendezvousKey::Create(kCpu, 1, kCpu, edge, {})).value();
}
Ref<LocalRendezvous> Make() { return Ref<LocalRendezvous>::Adopt(new LocalRendezvous); }

// What one RecvAsync was told.
struct Answer {
  std::atomic<int> calls{0};
  Status status;
  std::int64_t value = -1;
  bool dead = false, sender_on_host = false, receiver_on_host = false;
  Rendezvous::DoneCallback Callback() {
    return [this](const Status& s, const Rendezvous::Args& send, const Rendezvous::Args& recv, const Tensor& tensor,
                  bool is_dead) {
      status = s;
      dead = is_dead;
      sender_on_host = send.alloc_attributes.on_host();
      receiver_on_host = recv.alloc_attributes.on_host();
      if (s.ok() && !is_dead) value = tensor.scalar<std::int64_t>()();
      ++calls;
    };
  }
};
Tensor Int(std::int64_t value) { return Tensor::Scalar(value); }

}  // namespace

TEST_SUITE("LocalRendezvous") {
  TEST_CASE("a value waits for its receiver") {
    const auto rendezvous = Make();
    REQUIRE(rendezvous->Send(Key("x"), {}, Int(7), false).ok());
    Tensor value;
    bool dead = true;
    REQUIRE(rendezvous->Recv(Key("x"), {}, &value, &dead).ok());
    CHECK(value.scalar<std::int64_t>()() == 7);
    CHECK_FALSE(dead);
  }

  TEST_CASE("a receiver waits for its value, and both know each other's memory") {
    const auto rendezvous = Make();
    Answer answer;
    Rendezvous::Args host;
    host.alloc_attributes.set_on_host(true);
    rendezvous->RecvAsync(Key("x"), host, answer.Callback());
    CHECK(rendezvous->Send(Key("y"), {}, Int(1), false).ok());
    CHECK(answer.calls == 0);
    CHECK(rendezvous->Send(Key("x"), {}, Int(2), false).ok());
    CHECK(answer.calls == 1);
    CHECK(answer.value == 2);
    CHECK_FALSE(answer.sender_on_host);
    CHECK(answer.receiver_on_host);
    Answer other;
    CHECK(rendezvous->Send(Key("z"), host, Int(3), false).ok());
    rendezvous->RecvAsync(Key("z"), {}, other.Callback());
    CHECK(other.sender_on_host);
    CHECK_FALSE(other.receiver_on_host);
  }

  TEST_CASE("dead values arrive as such") {
    const auto rendezvous = Make();
    Answer before, after;
    rendezvous->RecvAsync(Key("x"), {}, before.Callback());
    CHECK(rendezvous->Send(Key("x"), {}, Tensor(), true).ok());
    CHECK(before.dead);
    CHECK(rendezvous->Send(Key("x"), {}, Tensor(), true).ok());
    rendezvous->RecvAsync(Key("x"), {}, after.Callback());
    CHECK(after.dead);
    CHECK(after.status.ok());
  }

  TEST_CASE("values, and receivers, of one key keep their order") {
    const auto rendezvous = Make();
    for (int i = 0; i < 5; ++i) REQUIRE(rendezvous->Send(Key("x"), {}, Int(i), false).ok());
    for (int i = 0; i < 5; ++i) {
      Answer answer;
      rendezvous->RecvAsync(Key("x"), {}, answer.Callback());
      CHECK(answer.value == i);
    }
    Answer answers[5];
    for (Answer& answer : answers) rendezvous->RecvAsync(Key("x"), {}, answer.Callback());
    for (int i = 0; i < 5; ++i) REQUIRE(rendezvous->Send(Key("x"), {}, Int(10 + i), false).ok());
    for (int i = 0; i < 5; ++i) CHECK(answers[i].value == 10 + i);
  }

  TEST_CASE("many keys") {
    const auto rendezvous = Make();
    constexpr int kKeys = 1000;
    for (int i = 0; i < kKeys; ++i) REQUIRE(rendezvous->Send(Key(StrCat("k", i)), {}, Int(i), false).ok());
    for (int i = kKeys - 1; i >= 0; --i) {
      Answer answer;
      rendezvous->RecvAsync(Key(StrCat("k", i)), {}, answer.Callback());
      CHECK(answer.value == i);
    }
  }

  TEST_CASE("abort ends all waits and everything later, with the first error") {
    const auto rendezvous = Make();
    Answer waiting[3], late;
    for (Answer& answer : waiting) rendezvous->RecvAsync(Key("x"), {}, answer.Callback());
    REQUIRE(rendezvous->Send(Key("y"), {}, Int(1), false).ok());
    rendezvous->StartAbort(errors::Internal("broken"));
    rendezvous->StartAbort(errors::Aborted("later"));
    for (const Answer& answer : waiting) {
      CHECK(answer.calls == 1);
      CHECK(answer.status == errors::Internal("broken"));
    }
    rendezvous->RecvAsync(Key("y"), {}, late.Callback());
    CHECK(late.status == errors::Internal("broken"));
    CHECK(rendezvous->Send(Key("x"), {}, Int(1), false) == errors::Internal("broken"));
  }

  TEST_CASE("a receiver that throws keeps no other from being told of an abort") {
    struct Lines : LogSink {
      Lines() { SetLogSink(this); }
      ~Lines() override { SetLogSink(nullptr); }
      void Send(const LogEntry& entry) override { text += entry.text; }
      std::string text;
    } lines;
    const auto rendezvous = Make();
    Answer answer;
    rendezvous->RecvAsync(Key("x"), {},
                          [](const Status&, const Rendezvous::Args&, const Rendezvous::Args&, const Tensor&, bool) {
                            throw std::runtime_error("out of luck");
                          });
    rendezvous->RecvAsync(Key("x"), {}, answer.Callback());
    rendezvous->StartAbort(errors::Aborted("stop"));
    CHECK(answer.calls == 1);
    CHECK(answer.status.message() == "stop");
    CHECK(lines.text == "a callback of a receive threw: out of luck");
  }

  TEST_CASE("whoever waits when it goes is told") {
    Answer answer;
    Tensor held = Int(4);
    {
      const auto rendezvous = Make();
      rendezvous->RecvAsync(Key("x"), {}, answer.Callback());
      CHECK(rendezvous->Send(Key("y"), {}, held, false).ok());
    }
    CHECK(answer.calls == 1);
    CHECK(answer.status == errors::Cancelled("LocalRendezvous deleted"));
    CHECK(held.RefCountIsOne());
  }

  TEST_CASE("cancellation takes one receiver out") {
    const auto rendezvous = Make();
    CancellationManager cancellation;
    Rendezvous::Args args;
    args.cancellation = &cancellation;
    Answer first, second, third, late;
    rendezvous->RecvAsync(Key("x"), {}, first.Callback());
    rendezvous->RecvAsync(Key("x"), args, second.Callback());
    rendezvous->RecvAsync(Key("x"), {}, third.Callback());
    cancellation.StartCancel();
    CHECK(first.calls == 0);
    CHECK(second.status == errors::Cancelled("RecvAsync is cancelled."));
    for (int i = 0; i < 2; ++i) CHECK(rendezvous->Send(Key("x"), {}, Int(i), false).ok());
    CHECK(first.value == 0);
    CHECK(third.value == 1);
    CHECK(second.calls == 1);
    rendezvous->RecvAsync(Key("x"), args, late.Callback());
    CHECK(late.status == errors::Cancelled("RecvAsync is cancelled."));
  }

  TEST_CASE("a wait that ended leaves nothing with the cancellation") {
    Ref<LocalRendezvous> rendezvous = Make();
    CancellationManager cancellation;
    Rendezvous::Args args;
    args.cancellation = &cancellation;
    Answer answer;
    rendezvous->RecvAsync(Key("x"), args, answer.Callback());
    CHECK(rendezvous->Send(Key("x"), {}, Int(1), false).ok());
    CHECK(rendezvous->RefCountIsOne());
    cancellation.StartCancel();
    CHECK(answer.calls == 1);
  }

  TEST_CASE("waiting has an end") {
    const auto rendezvous = Make();
    Tensor value;
    bool dead = false;
    CHECK(rendezvous->Recv(Key("x"), {}, &value, &dead, 5).code() == Code::kDeadlineExceeded);
    CHECK(rendezvous->RefCountIsOne());
    CHECK(rendezvous->Send(Key("x"), {}, Int(1), false).ok());
    REQUIRE(rendezvous->Recv(Key("x"), {}, &value, &dead, 5).ok());
    CHECK(value.scalar<std::int64_t>()() == 1);
    CHECK(rendezvous->Recv(Key("x"), {}, &value, &dead, 5).code() == Code::kDeadlineExceeded);
  }

  TEST_CASE("a wait with an end: cancelled by its run, answered in time, and no tensor is lost at its end") {
    const auto rendezvous = Make();
    CancellationManager cancellation;
    Rendezvous::Args args;
    args.cancellation = &cancellation;
    Tensor value;
    bool dead = false;
    REQUIRE(rendezvous->Send(Key("x"), {}, Int(1), false).ok());
    CHECK(rendezvous->Recv(Key("x"), args, &value, &dead, 1000).ok());
    std::thread stopper([&] { cancellation.StartCancel(); });
    CHECK(rendezvous->Recv(Key("x"), args, &value, &dead, 60'000) == errors::Cancelled("RecvAsync is cancelled."));
    stopper.join();

    constexpr int kValues = 60;
    std::thread sender([&] {
      for (int i = 0; i < kValues; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        CHECK(rendezvous->Send(Key("y"), {}, Int(i), false).ok());
      }
    });
    for (int received = 0; received < kValues;) {
      const Status status = rendezvous->Recv(Key("y"), {}, &value, &dead, 1);
      if (status.ok())
        REQUIRE(value.scalar<std::int64_t>()() == received++);
      else
        REQUIRE(status.code() == Code::kDeadlineExceeded);
    }
    sender.join();
  }

  TEST_CASE("cancellation takes the receiver of its own run out, also where two runs have equal tokens") {
    const auto rendezvous = Make();
    CancellationManager one, two;
    Rendezvous::Args of_one, of_two;
    of_one.cancellation = &one;
    of_two.cancellation = &two;
    Answer first, second;
    rendezvous->RecvAsync(Key("x"), of_one, first.Callback());
    rendezvous->RecvAsync(Key("x"), of_two, second.Callback());
    two.StartCancel();
    CHECK(first.calls == 0);
    CHECK(second.status == errors::Cancelled("RecvAsync is cancelled."));
    CHECK(rendezvous->Send(Key("x"), {}, Int(5), false).ok());
    CHECK(first.value == 5);
  }

  TEST_CASE("the error of a key ends its receivers, those of now and later, and no other key's") {
    const auto rendezvous = Make();
    Answer waiting[3], other, late;
    for (Answer& answer : waiting) rendezvous->RecvAsync(Key("x"), {}, answer.Callback());
    rendezvous->RecvAsync(Key("y"), {}, other.Callback());
    CHECK(rendezvous->SendError(Key("x"), errors::DataLoss("no more of x")).ok());
    CHECK(rendezvous->SendError(Key("x"), errors::Internal("later")).ok());
    for (const Answer& answer : waiting) {
      CHECK(answer.calls == 1);
      CHECK(answer.status == errors::DataLoss("no more of x"));
    }
    CHECK(other.calls == 0);
    for (int i = 0; i < 100; ++i)  // the table grows meanwhile
      REQUIRE(rendezvous->Send(Key(StrCat("k", i)), {}, Int(i), false).ok());
    rendezvous->RecvAsync(Key("x"), {}, late.Callback());
    CHECK(late.status == errors::DataLoss("no more of x"));
    Tensor value;
    bool dead = false;
    CHECK(rendezvous->Recv(Key("x"), {}, &value, &dead, 1000) == errors::DataLoss("no more of x"));
    CHECK(rendezvous->Send(Key("x"), {}, Int(1), false) == errors::DataLoss("no more of x"));
    CHECK(rendezvous->Send(Key("y"), {}, Int(2), false).ok());
    CHECK(other.value == 2);
    rendezvous->StartAbort(errors::Aborted("stop"));
    CHECK(rendezvous->SendError(Key("z"), errors::Internal("later")) == errors::Aborted("stop"));
    CHECK(rendezvous->Recv(Key("x"), {}, &value, &dead) == errors::Aborted("stop"));
  }

  TEST_CASE("the loss of a peer ends its keys, those of now and later, and no other key") {
    const std::string here = "/job:worker/replica:0/task:0/device:CPU:0", peer = "/job:worker/replica:0/task:1",
                      other = "/job:worker/replica:0/task:11/device:CPU:0", there = peer + "/device:CPU:0";
    const auto key = [](const std::string& from, const std::string& to, std::string_view edge) {
      return RendezvousKey::Parse(RendezvousKey::Create(from, 1, to, edge, {})).value();
    };
    const auto rendezvous = Make();
    Answer from_peer, from_other, within, late;
    rendezvous->RecvAsync(key(there, here, "a"), {}, from_peer.Callback());
    rendezvous->RecvAsync(key(other, here, "a"), {}, from_other.Callback());
    rendezvous->RecvAsync(key(there, there, "a"), {}, within.Callback());
    const Tensor held = Int(4);
    REQUIRE(rendezvous->Send(key(here, there, "b"), {}, held, false).ok());
    REQUIRE(rendezvous->Send(key(here, other, "b"), {}, Int(6), false).ok());
    CHECK(rendezvous->num_values() == 2);
    rendezvous->AbortPeer(peer, errors::Unavailable("task 1 is gone"));
    rendezvous->AbortPeer(peer, errors::Internal("later"));
    CHECK(from_peer.calls == 1);
    CHECK(from_peer.status == errors::Unavailable("task 1 is gone"));
    CHECK(from_other.calls == 0);
    CHECK(within.calls == 0);
    CHECK(held.RefCountIsOne());
    CHECK(rendezvous->num_values() == 1);
    rendezvous->RecvAsync(key(there, here, "c"), {}, late.Callback());
    CHECK(late.status == errors::Unavailable("task 1 is gone"));
    CHECK(rendezvous->Send(key(here, there, "c"), {}, Int(1), false) == errors::Unavailable("task 1 is gone"));
    CHECK(rendezvous->SendError(key(here, there, "c"), errors::Internal("x")) == errors::Unavailable("task 1 is gone"));
    CHECK(rendezvous->Send(key(other, here, "a"), {}, Int(2), false).ok());
    CHECK(from_other.value == 2);
    CHECK(rendezvous->Send(key(there, there, "a"), {}, Int(3), false).ok());
    CHECK(within.value == 3);
    rendezvous->AbortPeer("/job:worker/replica:0/task:11", OkStatus());
    CHECK(rendezvous->num_values() == 0);
    CHECK(rendezvous->Send(key(here, other, "b"), {}, Int(1), false).code() == Code::kInternal);
  }

  TEST_CASE("the loss of a peer takes its receivers out of their cancellation, and leaves the order of others") {
    const std::string here = "/job:a/replica:0/task:0/device:CPU:0", there = "/job:b/replica:0/task:0/device:CPU:0";
    const auto remote = RendezvousKey::Parse(RendezvousKey::Create(there, 1, here, "x", {})).value();
    const auto rendezvous = Make();
    CancellationManager cancellation;
    Rendezvous::Args args;
    args.cancellation = &cancellation;
    Answer answer;
    rendezvous->RecvAsync(remote, args, answer.Callback());
    for (int i = 0; i < 40; ++i) REQUIRE(rendezvous->Send(Key("y"), {}, Int(i), false).ok());
    rendezvous->AbortPeer("/job:b", errors::Aborted("gone"));
    cancellation.StartCancel();
    CHECK(answer.calls == 1);
    CHECK(answer.status == errors::Aborted("gone"));
    CHECK(rendezvous->RefCountIsOne());
    for (int i = 0; i < 40; ++i) {
      Answer value;
      rendezvous->RecvAsync(Key("y"), {}, value.Callback());
      CHECK(value.value == i);
    }
  }

  TEST_CASE("values that nobody receives have a limit") {
    const auto count = Ref<LocalRendezvous>::Adopt(new LocalRendezvous({.max_values = 2}));
    for (int i = 0; i < 2; ++i) REQUIRE(count->Send(Key("x"), {}, Int(i), false).ok());
    const Status full = count->Send(Key("y"), {}, Int(2), false);
    CHECK(full.code() == Code::kResourceExhausted);
    CHECK(full.message().find("2 values wait for their receivers, the limit is 2") != std::string::npos);
    Answer first, waiting;
    count->RecvAsync(Key("x"), {}, first.Callback());
    CHECK(first.value == 0);
    CHECK(count->Send(Key("y"), {}, Int(2), false).ok());
    count->RecvAsync(Key("z"), {}, waiting.Callback());
    CHECK(count->Send(Key("z"), {}, Int(3), false).ok());  // it does not wait
    CHECK(waiting.value == 3);
    const auto bytes = Ref<LocalRendezvous>::Adopt(new LocalRendezvous({.max_bytes = 20}));
    for (int i = 0; i < 2; ++i) REQUIRE(bytes->Send(Key("x"), {}, Int(i), false).ok());
    CHECK(bytes->Send(Key("x"), {}, Int(2), false).code() == Code::kResourceExhausted);
    CHECK(bytes->Send(Key("x"), {}, Tensor(), true).ok());  // without bytes
    Answer again;
    bytes->RecvAsync(Key("x"), {}, again.Callback());
    CHECK(bytes->Send(Key("x"), {}, Int(2), false).ok());
    CHECK(bytes->num_values() == 3);
  }

  TEST_CASE("the error of a key comes after the values sent before it") {
    const auto rendezvous = Make();
    for (int i = 0; i < 2; ++i) REQUIRE(rendezvous->Send(Key("x"), {}, Int(i), false).ok());
    CHECK(rendezvous->SendError(Key("x"), OkStatus()).ok());
    CHECK(rendezvous->Send(Key("x"), {}, Int(2), false).code() == Code::kInternal);
    for (int i = 0; i < 2; ++i) {
      Answer answer;
      rendezvous->RecvAsync(Key("x"), {}, answer.Callback());
      CHECK(answer.value == i);
    }
    Answer answer;
    rendezvous->RecvAsync(Key("x"), {}, answer.Callback());
    CHECK(answer.status == errors::Internal("LocalRendezvous: SendError was called without an error"));
  }

  TEST_CASE("the error of a key takes its receivers out of their cancellation") {
    const auto rendezvous = Make();
    CancellationManager cancellation;
    Rendezvous::Args args;
    args.cancellation = &cancellation;
    Answer answer;
    rendezvous->RecvAsync(Key("x"), args, answer.Callback());
    CHECK(rendezvous->SendError(Key("x"), errors::DataLoss("cable")).ok());
    CHECK(rendezvous->RefCountIsOne());
    cancellation.StartCancel();
    CHECK(answer.calls == 1);
  }

  TEST_CASE("a callback may use the rendezvous") {
    const auto rendezvous = Make();
    Answer answer;
    rendezvous->RecvAsync(
        Key("x"), {}, [&](const Status&, const Rendezvous::Args&, const Rendezvous::Args&, const Tensor& tensor, bool) {
          CHECK(rendezvous->Send(Key("y"), {}, tensor, false).ok());
        });
    rendezvous->RecvAsync(Key("y"), {}, answer.Callback());
    CHECK(rendezvous->Send(Key("x"), {}, Int(9), false).ok());
    CHECK(answer.value == 9);
  }

  TEST_CASE("many threads: every value arrives once, those of one sender in order") {
    constexpr int kPairs = 4, kMessages = 500;
    const auto rendezvous = Make();
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int p = 0; p < kPairs; ++p) {
      const RendezvousKey there = Key(StrCat("there", p)), back = Key(StrCat("back", p));
      threads.emplace_back([&, there, back] {
        for (int i = 0; i < kMessages; ++i) {
          Tensor value;
          bool dead = false;
          wrong += !rendezvous->Send(there, {}, Int(i), false).ok();
          wrong += !rendezvous->Recv(back, {}, &value, &dead).ok() || value.scalar<std::int64_t>()() != 2 * i;
        }
      });
      threads.emplace_back([&, there, back] {
        for (int i = 0; i < kMessages; ++i) {
          Tensor value;
          bool dead = false;
          wrong += !rendezvous->Recv(there, {}, &value, &dead).ok() || value.scalar<std::int64_t>()() != i;
          wrong += !rendezvous->Send(back, {}, Int(2 * i), false).ok();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }

  TEST_CASE("many threads, one key: as many answers as questions, each value once") {
    constexpr int kThreads = 4, kEach = 300;
    const auto rendezvous = Make();
    const RendezvousKey key = Key("x");
    std::vector<Answer> answers(kThreads * kEach);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i) CHECK(rendezvous->Send(key, {}, Int(t * kEach + i), false).ok());
      });
      threads.emplace_back([&, t] {
        for (int i = 0; i < kEach; ++i)
          rendezvous->RecvAsync(key, {}, answers[static_cast<std::size_t>(t * kEach + i)].Callback());
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<std::int64_t> values;
    for (const Answer& answer : answers) {
      CHECK(answer.calls == 1);
      values.push_back(answer.value);
    }
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == static_cast<std::int64_t>(i));
  }

  TEST_CASE("abort and cancellation at any moment: every receiver is answered exactly once") {
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
      CancellationManager cancellation;
      std::vector<Answer> answers(40);
      {
        const auto rendezvous = Make();
        Rendezvous::Args args;
        args.cancellation = &cancellation;
        std::thread receiver([&] {
          for (std::size_t i = 0; i < answers.size(); ++i)
            rendezvous->RecvAsync(Key(StrCat(i % 4)), i % 2 == 0 ? args : Rendezvous::Args(), answers[i].Callback());
        });
        std::thread sender([&] {
          for (int i = 0; i < 20; ++i) (void)rendezvous->Send(Key(StrCat(i % 4)), {}, Int(i), false);
          (void)rendezvous->SendError(Key("3"), errors::DataLoss("no more"));
        });
        std::thread stopper([&, yields = random() % 40] {
          for (unsigned i = 0; i < yields; ++i) std::this_thread::yield();
          if (round % 2 == 0) cancellation.StartCancel();
          rendezvous->StartAbort(errors::Aborted("stop"));
        });
        receiver.join();
        sender.join();
        stopper.join();
      }
      for (const Answer& answer : answers) CHECK(answer.calls == 1);
    }
  }
}
}  // namespace local_rendezvous_test
