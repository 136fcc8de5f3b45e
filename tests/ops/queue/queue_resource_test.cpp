// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/queue_resource.hpp>

#include <atomic>
#include <thread>

#include "ops/support.hpp"

namespace state_queue_resource_test {
using namespace tenon;
using namespace tenon::testing;
using ops::detail::QueueKind;
using ops::detail::TensorQueue;

namespace {

// One attempt: "waits", its error, or the int64s that it got.
struct Trying {
  struct Keeper final : TensorQueue::Receiver {
    explicit Keeper(Trying* t) : to(t) {}
    void Finish(const TensorQueue&, const Status& status, SlimVector<TensorQueue::Row> rows) override {
      to->text = status.ToString();
      for (const TensorQueue::Row& row : rows) StrAppend(&to->text, " ", *row[0].data<std::int64_t>());
    }
    Trying* to;
  };
  Ref<TensorQueue::Receiver> Receiver() { return Ref<Keeper>::Adopt(new Keeper(this)); }
  void Cancel() { cancellation.StartCancel(); }
  std::string text = "waits";
  CancellationManager cancellation;
};
struct Put : Trying {
  Put(TensorQueue& queue, std::initializer_list<std::int64_t> values) {
    SlimVector<TensorQueue::Row> rows;
    for (const std::int64_t x : values) rows.push_back({Tensor::Scalar(x)});
    queue.Enqueue(std::move(rows), &cancellation, Receiver());
  }
};
struct Get : Trying {
  Get(TensorQueue& queue, Index count, bool up_to = false) { queue.Dequeue(count, up_to, &cancellation, Receiver()); }
};
struct Close : Trying {
  explicit Close(TensorQueue& queue, bool cancel_pending = false) {
    queue.Close(cancel_pending, &cancellation, Receiver());
  }
};

Ref<TensorQueue> New(QueueKind kind, Index capacity = -1, Index stay = 0) {
  TensorQueue::Options options;
  options.kind = kind;
  options.name = "q";
  options.types = {DataType::kInt64};
  options.capacity = capacity;
  options.min_after_dequeue = stay;
  options.seed = 1;
  return Ref<TensorQueue>::Adopt(new TensorQueue(std::move(options)));
}

}  // namespace

TEST_SUITE("TensorQueue") {
  TEST_CASE("rows of one enqueue go in as there is room, and out to whoever came first") {
    const Ref<TensorQueue> q = New(QueueKind::kFifo, 2);
    const Put five(*q, {1, 2, 3, 4, 5}), six(*q, {6});
    CHECK(five.text == "waits");
    CHECK(q->Size() == 2);
    const Get three(*q, 3);
    CHECK(three.text == "OK 1 2 3");
    CHECK(five.text == "OK");
    CHECK(six.text == "waits");  // behind it
    const Get two(*q, 2), one(*q, 1);
    CHECK(two.text == "OK 4 5");
    CHECK(one.text == "OK 6");
    CHECK(q->Size() == 0);
  }
  TEST_CASE("none are enqueued and taken at once, also from a closed queue") {
    const Ref<TensorQueue> q = New(QueueKind::kFifo, 1);
    CHECK(Put(*q, {}).text == "OK");
    CHECK(Get(*q, 0).text == "OK");
    CHECK(Close(*q).text == "OK");
    CHECK(Get(*q, 0).text == "OK");
    CHECK(Put(*q, {}).text == "CANCELLED: FIFOQueue 'q' is closed.");
  }
  TEST_CASE("a dequeue that is given up puts its rows back, in every kind of queue") {
    for (const QueueKind kind : {QueueKind::kFifo, QueueKind::kPadding, QueueKind::kShuffle, QueueKind::kPriority}) {
      const Ref<TensorQueue> q = New(kind);
      Put(*q, {3, 1, 2});
      Get four(*q, 4), one(*q, 1);
      CHECK(q->Size() == 0);
      CHECK(one.text == "waits");
      four.Cancel();
      CHECK(four.text == "CANCELLED: Dequeue operation was cancelled");
      CHECK(q->Size() == 2);
      if (kind == QueueKind::kPriority) CHECK(one.text == "OK 1");
      if (kind == QueueKind::kFifo || kind == QueueKind::kPadding) CHECK(one.text == "OK 3");
      const Get rest(*q, 2);
      std::int64_t sum = 0;
      for (const std::string& text : {one.text, rest.text})
        for (const char c : text) sum += c >= '1' && c <= '9' ? c - '0' : 0;
      CHECK(sum == 6);
    }
  }
  TEST_CASE("of an enqueue that is given up the rows that were in stay") {
    const Ref<TensorQueue> q = New(QueueKind::kFifo, 2);
    Put three(*q, {1, 2, 3});
    three.Cancel();
    CHECK(three.text == "CANCELLED: Enqueue operation was cancelled");
    CHECK(Get(*q, 2).text == "OK 1 2");
    CHECK(Get(*q, 1, true).text == "waits");
  }
  TEST_CASE("who comes with a run that is over is turned away, even where there is a row") {
    const Ref<TensorQueue> q = New(QueueKind::kFifo);
    Put(*q, {1});
    Trying late;
    late.Cancel();
    q->Dequeue(1, false, &late.cancellation, late.Receiver());
    CHECK(late.text == "CANCELLED: Dequeue operation was cancelled");
    Trying nobodys;  // a run that cannot be cancelled
    q->Dequeue(1, false, nullptr, nobodys.Receiver());
    CHECK(nobodys.text == "OK 1");
  }
  TEST_CASE("closing: after those who wait, once, and what is left may be taken") {
    const Ref<TensorQueue> q = New(QueueKind::kFifo, 1);
    const Put two(*q, {1, 2});
    const Close close(*q), again(*q);
    const Put late(*q, {3});
    CHECK(!q->IsClosed());
    CHECK(Get(*q, 1).text == "OK 1");
    CHECK(two.text == "OK");
    CHECK(close.text == "OK");
    CHECK(again.text == "CANCELLED: Queue 'q' is already closed.");
    CHECK(late.text == "CANCELLED: FIFOQueue 'q' is closed.");
    CHECK(Get(*q, 2).text ==
          "OUT_OF_RANGE: FIFOQueue 'q' is closed and has insufficient elements (requested 2, current size 1)");
    CHECK(Get(*q, 2, true).text == "OK 2");
    CHECK(Get(*q, 2, true).text ==
          "OUT_OF_RANGE: FIFOQueue 'q' is closed and has insufficient elements (requested 2, current size 0)");
  }
  TEST_CASE("closing that cancels ends the enqueues that wait, and a dequeue that can get no more") {
    const Ref<TensorQueue> q = New(QueueKind::kShuffle, 2, 1);
    const Put four(*q, {1, 2, 3, 4});
    const Get many(*q, 9);  // 3 rows: one stays
    CHECK(q->Size() == 1);
    CHECK(four.text == "OK");
    const Put three(*q, {5, 6, 7});
    CHECK(three.text == "OK");  // the dequeue takes them
    CHECK(Close(*q, true).text == "OK");
    CHECK(q->IsClosed());
    CHECK(many.text ==
          "OUT_OF_RANGE: RandomShuffleQueue 'q' is closed and has insufficient elements (requested 9, current size 7)");
    CHECK(q->Size() == 7);  // all were put back, beyond its capacity
    CHECK(Close(*q, true).text == "OK");

    const Ref<TensorQueue> full = New(QueueKind::kPriority, 1);
    const Put two(*full, {8, 9});
    CHECK(Close(*full, true).text == "OK");
    CHECK(two.text == "CANCELLED: Enqueue operation was cancelled");
    CHECK(Get(*full, 1).text == "OK 8");
  }
  TEST_CASE("a priority queue gives the least first, at the ends of int64 too") {
    const Ref<TensorQueue> q = New(QueueKind::kPriority);
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                           kLeast = std::numeric_limits<std::int64_t>::min();
    Put(*q, {0, kMost, kLeast, -1});
    CHECK(Get(*q, 4).text == StrCat("OK ", kLeast, " -1 0 ", kMost));
  }
  TEST_CASE("a closed priority queue fails and loses its rows when more are wanted, even up to a number") {
    const Ref<TensorQueue> q = New(QueueKind::kPriority);
    const Put three(*q, {3, 1, 2});
    CHECK(Close(*q).text == "OK");
    CHECK(Get(*q, 1, true).text == "OK 1");
    CHECK(Get(*q, 3).text ==
          "OUT_OF_RANGE: PriorityQueue 'q' is closed and has insufficient elements (requested 3, current size 2)");
    CHECK(q->Size() == 2);
    CHECK(Get(*q, 3, true).text ==
          "OUT_OF_RANGE: PriorityQueue 'q' is closed and has insufficient elements (requested 3, current size 0)");
    CHECK(q->Size() == 0);
  }
  TEST_CASE("threads that put and take, in every kind, lose and repeat nothing") {
    for (const QueueKind kind : {QueueKind::kFifo, QueueKind::kShuffle, QueueKind::kPriority}) {
      const Ref<TensorQueue> q = New(kind, 3);
      std::atomic<std::int64_t> sum{0};
      struct Adder final : TensorQueue::Receiver {
        explicit Adder(std::atomic<std::int64_t>* s) : to(s) {}
        void Finish(const TensorQueue&, const Status&, SlimVector<TensorQueue::Row> rows) override {
          for (const TensorQueue::Row& row : rows) *to += *row[0].data<std::int64_t>();
        }
        std::atomic<std::int64_t>* to;
      };
      std::thread putter([&] {
        for (std::int64_t i = 1; i <= 300; ++i)
          q->Enqueue({{Tensor::Scalar(i)}}, nullptr, Ref<Adder>::Adopt(new Adder(&sum)));
      });
      for (int i = 0; i < 100; ++i) q->Dequeue(3, false, nullptr, Ref<Adder>::Adopt(new Adder(&sum)));
      putter.join();
      CHECK(sum == 300 * 301 / 2);
      CHECK(q->Size() == 0);
    }
  }
}
}  // namespace state_queue_resource_test
