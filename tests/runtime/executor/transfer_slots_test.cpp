// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/transfer_slots.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/base/errors.hpp>
#include <tenon/tensor/tensor.hpp>

namespace transfer_slots_test {
using namespace tenon;
using tenon::detail::TransferReceiver;
using tenon::detail::TransferSlots;

namespace {

// Notes the end of each wait.
struct Notes {
  std::atomic<int> arrived{0}, ended{0};
  std::atomic<std::int64_t> sum{0};

  static void Arrive(const TransferReceiver& receiver, Tensor* value, void*) noexcept {
    auto* const notes = static_cast<Notes*>(receiver.run);
    notes->sum += value->scalar<std::int64_t>()();
    ++notes->arrived;
  }
  static void End(const TransferReceiver& receiver, const Status& error) noexcept {
    CHECK(error.code() == Code::kAborted);
    ++static_cast<Notes*>(receiver.run)->ended;
  }
  static constexpr TransferReceiver::Calls kCalls{&Arrive, &End};
  TransferReceiver At(int node) { return {&kCalls, this, nullptr, node}; }
};

Tensor Number(std::int64_t value) { return Tensor::Scalar(value); }

}  // namespace

TEST_SUITE("TransferSlots") {
  TEST_CASE("a value waits for its node, and a node for its value") {
    TransferSlots slots(2);
    CHECK(slots.size() == 2);
    Notes notes;
    TransferReceiver waiting;
    Tensor value = Number(7), got;
    bool is_there = false;
    REQUIRE(slots.Send(0, {}, &value, &waiting).ok());
    CHECK(waiting.calls == nullptr);
    REQUIRE(slots.Receive(1, {}, notes.At(3), &got, &is_there).ok());
    CHECK_FALSE(is_there);
    REQUIRE(slots.Receive(0, {}, notes.At(4), &got, &is_there).ok());
    CHECK(is_there);
    CHECK(got.scalar<std::int64_t>()() == 7);
    value = Number(8);
    REQUIRE(slots.Send(1, {}, &value, &waiting).ok());
    REQUIRE(waiting.calls != nullptr);
    CHECK(waiting.node == 3);
    CHECK(value.scalar<std::int64_t>()() == 8);  // the caller's still
    waiting.calls->arrive(waiting, &value, nullptr);
    CHECK(notes.sum == 8);
  }

  TEST_CASE("iterations are told apart, in any order and number") {
    TransferSlots slots(1);
    Notes notes;
    for (int run = 0; run < 2; ++run) {
      for (std::int64_t i = 0; i < 100; ++i) {
        Tensor value = Number(i);
        TransferReceiver waiting;
        REQUIRE(slots.Send(0, {static_cast<std::uint64_t>(i % 3), i}, &value, &waiting).ok());
        CHECK(waiting.calls == nullptr);
      }
      for (std::int64_t i = 99; i >= 0; --i) {
        Tensor got;
        bool is_there = false;
        REQUIRE(slots.Receive(0, {static_cast<std::uint64_t>(i % 3), i}, notes.At(0), &got, &is_there).ok());
        REQUIRE(is_there);
        CHECK(got.scalar<std::int64_t>()() == i);
      }
    }
  }

  TEST_CASE("an abort ends all waits and later calls, until the next run") {
    TransferSlots slots(3);
    Notes notes;
    Tensor value = Number(1), got;
    bool is_there = false;
    TransferReceiver waiting;
    for (std::int64_t i = 0; i < 9; ++i) REQUIRE(slots.Receive(1, {1, i}, notes.At(0), &got, &is_there).ok());
    REQUIRE(slots.Receive(2, {}, notes.At(0), &got, &is_there).ok());
    REQUIRE(slots.Send(0, {}, &value, &waiting).ok());
    slots.Abort(errors::Aborted("over"));
    slots.Abort(errors::Internal("too late"));
    CHECK(notes.ended == 10);
    value = Number(2);
    CHECK(slots.Send(1, {1, 0}, &value, &waiting).message() == "over");
    CHECK(slots.Receive(0, {}, notes.At(0), &got, &is_there).code() == Code::kAborted);
    slots.Reset();
    REQUIRE(slots.Receive(0, {}, notes.At(0), &got, &is_there).ok());
    CHECK_FALSE(is_there);  // the value of the run before has gone
    REQUIRE(slots.Send(0, {}, &value, &waiting).ok());
    CHECK(waiting.calls != nullptr);
    CHECK(notes.ended == 10);
  }

  TEST_CASE("a sender, a receiver and an abort on three threads") {
    for (int round = 0; round < 20; ++round) {
      TransferSlots slots(1);
      Notes notes;
      std::atomic<int> received{0}, refused{0};
      std::thread sender([&] {
        for (std::int64_t i = 0; i < 200; ++i) {
          Tensor value = Number(1);
          TransferReceiver waiting;
          if (!slots.Send(0, {0, i}, &value, &waiting).ok()) return;
          if (waiting.calls != nullptr) waiting.calls->arrive(waiting, &value, nullptr);
        }
      });
      std::thread receiver([&] {
        for (std::int64_t i = 0; i < 200; ++i) {
          Tensor got;
          bool is_there = false;
          if (!slots.Receive(0, {0, i}, notes.At(0), &got, &is_there).ok())
            ++refused;
          else if (is_there)
            ++received;
        }
      });
      if (round % 2 == 0) slots.Abort(errors::Aborted("over"));
      sender.join();
      receiver.join();
      CHECK(notes.arrived + notes.ended + received + refused == 200);
    }
  }
}
}  // namespace transfer_slots_test
