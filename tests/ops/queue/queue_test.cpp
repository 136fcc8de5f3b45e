// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/queue.hpp>
#include <tenon/ops/queue/queue_access.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/kernel/cancellation.hpp>

#include "ops/state/state_test.hpp"

namespace state_queue_test {
using namespace state_test;

namespace {

// Queues of every kind, for one element: nodes "put" (x), "get", "some" (n), "up_to" (n), "size", "close", "cancel".
struct Queue : Machine {
  explicit Queue(std::string_view op, Index capacity = 1, std::vector<GraphBuilder::Attr> attrs = {}) {
    has_priority = op == "PriorityQueueV2";
    const SlimVector<DataType> floats{DataType::kFloat};
    const SlimVector<PartialTensorShape> scalars{PartialTensorShape(TensorShape())};
    attrs.push_back({"capacity", capacity});
    attrs.push_back({"component_types", floats});
    attrs.push_back({"shapes", scalars});
    const Output q = b.AddNode(op, "q", {}, attrs);
    const Output x = b.Placeholder("x", DataType::kFloat), n = b.Placeholder("n", DataType::kInt32);
    SlimVector<DataType> types = floats;
    SlimVector<Output> row{x};
    if (has_priority) {
      types.insert(types.begin(), DataType::kInt64);
      row.insert(row.begin(), b.Placeholder("priority", DataType::kInt64));
    }
    b.Add("QueueEnqueueV2", "put", {q, GraphBuilder::Input(row)});
    b.Add("QueueDequeueV2", "get", {q}, {{"component_types", types}});
    b.Add("QueueDequeueManyV2", "some", {q, n}, {{"component_types", types}});
    b.Add("QueueDequeueUpToV2", "up_to", {q, n}, {{"component_types", types}});
    b.Add("QueueSizeV2", "size", {q});
    b.Add("QueueCloseV2", "close", {q});
    b.Add("QueueCloseV2", "cancel", {q}, {{"cancel_pending_enqueues", true}});
    Start();
  }
  std::vector<NamedTensor> Row(float x, std::int64_t priority) const {
    std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(x)}};
    if (has_priority) feeds.push_back({"priority", Tensor::Scalar(priority)});
    return feeds;
  }
  Status Put(float x, std::int64_t priority = 0) const { return Do("put", Row(x, priority)); }
  // The float of a node that takes rows.
  std::string Taken(const char* node) const { return StrCat(node, has_priority ? ":1" : ":0"); }
  std::vector<float> Take(const char* node, std::int32_t n = 1) const {
    return Floats(Taken(node), {{"n", Tensor::Scalar(n)}});
  }
  int Size() const { return Get({"size"})[0].data<std::int32_t>()[0]; }
  bool has_priority = false;
};

// A run in a thread of its own, which may be given up.
struct InBackground {
  InBackground(const Queue& q, std::vector<std::string> fetches, std::vector<std::string> targets,
               std::vector<NamedTensor> feeds)
      : thread([&q, this, fetches = std::move(fetches), targets = std::move(targets), feeds = std::move(feeds)] {
          status = q.session.Run(feeds, fetches, targets, {.cancellation = &cancellation}).status();
          over = true;
        }) {}
  static InBackground Putting(const Queue& q, float x) { return {q, {}, {"put"}, q.Row(x, 0)}; }
  static InBackground Taking(const Queue& q, const char* node, std::int32_t n = 1) {
    return {q, {q.Taken(node)}, {}, {{"n", Tensor::Scalar(n)}}};
  }
  bool Waits() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !over;
  }
  Status Join() {
    thread.join();
    return status;
  }
  Status Cancel() {
    cancellation.StartCancel();
    return Join();
  }
  CancellationManager cancellation;
  Status status;
  std::atomic<bool> over{false};
  std::thread thread;
};

}  // namespace

TEST_SUITE("queues and tables") {
  TEST_CASE("a dequeue waits for an enqueue of the same run") {
    Machine m;
    const Output q = m.b.Add("FIFOQueueV2", "q", {}, {{"component_types", SlimVector<DataType>{DataType::kFloat}}});
    m.b.Add("QueueDequeueV2", "get", {q}, {{"component_types", SlimVector<DataType>{DataType::kFloat}}});
    m.b.Add("QueueEnqueueV2", "put", {q, {m.b.Placeholder("x", DataType::kFloat)}});
    m.b.Add("QueueSizeV2", "size", {q});
    m.b.Add("QueueCloseV2", "close", {q});
    m.Start();
    const Tensor x = MakeTensor<float>({1}, {7});
    Result<std::vector<Tensor>> out = m.session.Run(std::vector<NamedTensor>{{"x", x}}, std::vector<std::string>{"get"},
                                                    std::vector<std::string>{"put"});
    REQUIRE(out.ok());
    CHECK(Machine::ToVector((*out)[0]) == Floats{7});
    REQUIRE(m.Do("put", {{"x", x}}).ok());
    REQUIRE(m.Do("close").ok());
    CHECK(m.Do("close").code() == Code::kCancelled);
    CHECK(m.Do("put", {{"x", x}}).message().find("FIFOQueue 'q' is closed.") != std::string::npos);
    CHECK(m.Get({"size"})[0].data<std::int32_t>()[0] == 1);
    CHECK(m.Floats("get") == Floats{7});
    const Status status = m.Try({"get"});
    CHECK(status.code() == Code::kOutOfRange);
    CHECK(status.message().find("is closed and has insufficient elements (requested 1, current size 0)") !=
          std::string::npos);
  }
  TEST_CASE("who waits is told when the run fails elsewhere") {
    Machine m;
    const Output q = m.b.Add("FIFOQueueV2", "q", {}, {{"component_types", SlimVector<DataType>{DataType::kFloat}}});
    m.b.Add("QueueDequeueV2", "get", {q}, {{"component_types", SlimVector<DataType>{DataType::kFloat}}});
    const Output v = m.Handle("v", MakeTensor<float>({1}, {1}));
    static_cast<void>(v);
    m.Start();
    CHECK(m.Try({"get", "v/read"}).code() == Code::kFailedPrecondition);
  }
  TEST_CASE("of every kind: who waits for room, or for a row, goes on when there is, or is given up without a trace") {
    for (const char* op : {"FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2", "PriorityQueueV2"}) {
      CAPTURE(op);
      const Queue q(op);
      REQUIRE(q.Put(1).ok());
      {
        InBackground second = InBackground::Putting(q, 2), third = InBackground::Putting(q, 3);
        CHECK(second.Waits());
        CHECK(third.Waits());
        CHECK(third.Cancel() == errors::Cancelled("Enqueue operation was cancelled [node 'put', CPU:0]"));
        CHECK(q.Take("get") == Floats{1});
        CHECK(second.Join().ok());
      }
      CHECK(q.Take("get") == Floats{2});
      CHECK(q.Size() == 0);
      {
        InBackground getter = InBackground::Taking(q, "get");
        CHECK(getter.Waits());
        REQUIRE(q.Put(4).ok());
        CHECK(getter.Join().ok());
      }
      InBackground nobody = InBackground::Taking(q, "get");
      CHECK(nobody.Waits());
      CHECK(nobody.Cancel() == errors::Cancelled("Dequeue operation was cancelled [node 'get', CPU:0]"));
      REQUIRE(q.Put(5).ok());
      CHECK(q.Take("get") == Floats{5});
    }
  }
  TEST_CASE("a dequeue of many that is given up puts back what it had got, to the front") {
    const Queue q("FIFOQueueV2", 10);
    REQUIRE(q.Put(1).ok());
    REQUIRE(q.Put(2).ok());
    InBackground three = InBackground::Taking(q, "some", 3);
    CHECK(three.Waits());
    CHECK(q.Size() == 0);
    CHECK(three.Cancel().code() == Code::kCancelled);
    REQUIRE(q.Put(3).ok());
    CHECK(q.Take("some", 3) == Floats{1, 2, 3});
  }
  TEST_CASE("closing waits for the enqueues before it, or cancels them; dequeues get what is left") {
    const Queue patient("FIFOQueueV2");
    REQUIRE(patient.Put(1).ok());
    InBackground put = InBackground::Putting(patient, 2);
    CHECK(put.Waits());
    InBackground close(patient, {}, {"close"}, {});
    CHECK(close.Waits());
    InBackground given_up(patient, {}, {"close"}, {});
    CHECK(given_up.Waits());
    CHECK(given_up.Cancel() == errors::Cancelled("Close operation was cancelled [node 'close', CPU:0]"));
    CHECK(patient.Take("get") == Floats{1});
    CHECK(put.Join().ok());
    CHECK(close.Join().ok());
    CHECK(patient.Do("close") == errors::Cancelled("Queue 'q' is already closed. [node 'close', CPU:0]"));
    CHECK(patient.Take("up_to", 5) == Floats{2});
    CHECK(patient.Try({"up_to"}, {{"n", Tensor::Scalar(5)}}).code() == Code::kOutOfRange);

    const Queue strict("FIFOQueueV2");
    REQUIRE(strict.Put(1).ok());
    InBackground waits = InBackground::Putting(strict, 2);
    InBackground two = InBackground::Taking(strict, "some", 3);
    CHECK(two.Waits());
    CHECK(waits.Join().ok());  // the dequeue took row after row
    REQUIRE(strict.Do("cancel").ok());
    CHECK(two.Join().code() == Code::kOutOfRange);
    CHECK(strict.Take("some", 2) == Floats{1, 2});

    const Queue full("FIFOQueueV2");
    REQUIRE(full.Put(1).ok());
    InBackground cancelled = InBackground::Putting(full, 2);
    CHECK(cancelled.Waits());
    REQUIRE(full.Do("cancel").ok());
    CHECK(cancelled.Join() == errors::Cancelled("Enqueue operation was cancelled [node 'put', CPU:0]"));
    CHECK(full.Take("get") == Floats{1});
    CHECK(full.Try({full.Taken("get")}).code() == Code::kOutOfRange);
  }
  TEST_CASE(
      "a shuffled queue keeps its least number of rows until it is closed; a priority queue gives the least first") {
    const Queue shuffled("RandomShuffleQueueV2", 10, {{"min_after_dequeue", 2}, {"seed", 3}, {"seed2", 4}});
    REQUIRE(shuffled.Put(1).ok());
    REQUIRE(shuffled.Put(2).ok());
    InBackground getter = InBackground::Taking(shuffled, "get");
    CHECK(getter.Waits());
    REQUIRE(shuffled.Put(3).ok());
    CHECK(getter.Join().ok());
    InBackground rest = InBackground::Taking(shuffled, "some", 2);
    CHECK(rest.Waits());
    REQUIRE(shuffled.Do("close").ok());
    CHECK(rest.Join().ok());
    CHECK(shuffled.Size() == 0);

    const Queue sorted("PriorityQueueV2", 10);
    for (const int priority : {5, 1, 3}) REQUIRE(sorted.Put(static_cast<float>(priority), priority).ok());
    CHECK(sorted.Take("some", 3) == Floats{1, 3, 5});
  }
  TEST_CASE("a table keeps its values while keys come and go") {
    Machine m;
    const Output t =
        m.b.Add("MutableHashTableV2", "t", {}, {{"key_dtype", DataType::kInt64}, {"value_dtype", DataType::kFloat}});
    const Output k = m.b.Placeholder("k", DataType::kInt64), x = m.b.Placeholder("x", DataType::kFloat);
    m.b.Add("LookupTableInsertV2", "insert", {t, k, x});
    m.b.Add("LookupTableRemoveV2", "remove", {t, k});
    m.b.Add("LookupTableFindV2", "find", {t, k, m.b.Const("none", Tensor::Scalar(-1.0f))});
    m.b.Add("LookupTableSizeV2", "size", {t});
    m.Start();
    std::vector<float> reference(64, -1.0f);
    std::uint32_t random = 1;
    Tensor all(DataType::kInt64, TensorShape({64}));
    for (int i = 0; i < 64; ++i) all.data<std::int64_t>()[i] = i * 1000;
    for (int round = 0; round < 200; ++round) {
      random = random * 1664525u + 1013904223u;
      const auto at = static_cast<std::size_t>(random >> 26);
      const Tensor key = MakeTensor<std::int64_t>({1}, {static_cast<std::int64_t>(at) * 1000});
      const float value = (random >> 8 & 3) == 0 ? -1.0f : static_cast<float>(round);
      if (value < 0)
        REQUIRE(m.Do("remove", {{"k", key}}).ok());
      else
        REQUIRE(m.Do("insert", {{"k", key}, {"x", MakeTensor<float>({1}, {value})}}).ok());
      reference[at] = value;
    }
    CHECK(m.Floats("find", {{"k", all}}) == reference);
    CHECK(m.Try({"find"}, {{"k", MakeTensor<std::int32_t>({1}, {1})}}).code() == Code::kInvalidArgument);
  }
}
}  // namespace state_queue_test
