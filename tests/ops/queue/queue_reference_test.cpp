// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/queue_reference.hpp>

#include "ops/outputs.hpp"
#include "ops/state/state_test.hpp"

namespace state_queue_reference_test {
using namespace state_test;
using tenon::testing::ShapesOf;

namespace {

using Types = SlimVector<DataType>;
using Shapes = SlimVector<PartialTensorShape>;

// A queue of scalar floats by reference: nodes "put" (x), "get", "some" (n), "size", "closed", "close".
struct Queue : Machine {
  explicit Queue(const char* op, std::vector<GraphBuilder::Attr> more = {}) {
    const Types types{DataType::kFloat};
    more.push_back({"component_types", types});
    more.push_back({"shapes", Shapes{PartialTensorShape(TensorShape())}});
    q = b.AddNode(op, "q", {}, more);
    AddOps("", q);
  }
  void AddOps(const std::string& prefix, Output queue) {
    const Types types{DataType::kFloat};
    b.Add("QueueEnqueue", prefix + "put", {queue, {b.Placeholder(prefix + "x", DataType::kFloat)}});
    b.Add("QueueDequeue", prefix + "get", {queue}, {{"component_types", types}});
    b.Add("QueueDequeueUpTo", prefix + "some", {queue, b.Placeholder(prefix + "n", DataType::kInt32)},
          {{"component_types", types}});
    b.Add("QueueSize", prefix + "size", {queue});
    b.Add("QueueIsClosed", prefix + "closed", {queue});
    b.Add("QueueClose", prefix + "close", {queue});
  }
  Output q;
};

}  // namespace

TEST_SUITE("queues by reference") {
  TEST_CASE("of every kind: rows stay from run to run, and after closing until they are taken") {
    for (const char* op : {"FIFOQueue", "PaddingFIFOQueue", "RandomShuffleQueue"}) {
      CAPTURE(op);
      Queue m(op);
      m.Start();
      for (const float x : {1.0f, 2.0f}) REQUIRE(m.Do("put", {{"x", Tensor::Scalar(x)}}).ok());
      CHECK(*m.Get({"size"})[0].data<std::int32_t>() == 2);
      CHECK(!*m.Get({"closed"})[0].data<bool>());
      REQUIRE(m.Do("close").ok());
      CHECK(*m.Get({"closed"})[0].data<bool>());
      CHECK(m.Do("put", {{"x", Tensor::Scalar(3.0f)}}).message() == StrCat(op, " 'q' is closed. [node 'put', CPU:0]"));
      const Floats left = m.Floats("some", {{"n", Tensor::Scalar(9)}});
      REQUIRE(left.size() == 2);
      CHECK(left[0] + left[1] == 3);
      CHECK(
          m.Try({"get"}).message() ==
          StrCat(op, " 'q' is closed and has insufficient elements (requested 1, current size 0) [node 'get', CPU:0]"));
    }
  }
  TEST_CASE("a priority queue has int64 priorities before its components") {
    Machine m;
    const Types types{DataType::kInt64, DataType::kFloat};
    const Output q =
        m.b.Add("PriorityQueue", "q", {},
                {{"component_types", Types{DataType::kFloat}}, {"shapes", Shapes{PartialTensorShape(TensorShape())}}});
    m.b.Add("QueueEnqueueMany", "put",
            {q,
             {m.b.Const("p", MakeTensor<std::int64_t>({3}, {5, -5, 0})),
              m.b.Const("x", MakeTensor<float>({3}, {1, 2, 3}))}});
    m.b.Add("QueueDequeueMany", "get", {q, m.b.Const("n", Tensor::Scalar(3))}, {{"component_types", types}});
    m.Start();
    REQUIRE(m.Do("put").ok());
    CHECK(m.Floats("get:1") == Floats{2, 3, 1});
  }
  TEST_CASE("FakeQueue is a reference to the queue of a handle") {
    Machine m;
    const Types types{DataType::kFloat};
    const Output handle = m.b.Add("FIFOQueueV2", "q", {}, {{"component_types", types}});
    const Output fake = m.b.Add("FakeQueue", "fake", {handle});
    m.b.Add("QueueEnqueue", "put", {fake, {m.b.Const("x", Tensor::Scalar(4.0f))}});
    m.b.Add("QueueDequeueV2", "get", {handle}, {{"component_types", types}});
    m.b.Add("FakeQueue", "of_fed", {m.b.Placeholder("h", DataType::kResource)});
    m.b.Add("QueueSize", "size_of_fed", {m.b.Add("FakeQueue", "other", {m.b.Placeholder("g", DataType::kResource)})});
    m.Start();
    REQUIRE(m.Do("put").ok());
    CHECK(m.Floats("get") == Floats{4});
    CHECK(m.Do("of_fed", {{"h", Tensor(DataType::kResource, {0})}}).message() ==
          "A resource handle must be one element of type resource, got resource of shape [0] [node 'of_fed', CPU:0]");
    CHECK(*m.Get({"size_of_fed"}, {{"g", m.Get({"q"})[0]}})[0].data<std::int32_t>() == 0);
  }
  TEST_CASE("two nodes under one name must ask for the same queue") {
    Queue m("FIFOQueue", {{"shared_name", "s"}, {"capacity", 3}});
    const Types types{DataType::kFloat};
    const Output other = m.b.Add("FIFOQueue", "other", {},
                                 {{"component_types", types},
                                  {"shapes", Shapes{PartialTensorShape(TensorShape())}},
                                  {"shared_name", "s"},
                                  {"capacity", 4}});
    m.AddOps("other_", other);
    const Output padding = m.b.Add("PaddingFIFOQueue", "padding", {},
                                   {{"component_types", types},
                                    {"shapes", Shapes{PartialTensorShape(TensorShape())}},
                                    {"shared_name", "s"},
                                    {"capacity", 3}});
    m.AddOps("padding_", padding);
    m.Start();
    CHECK(*m.Get({"size"})[0].data<std::int32_t>() == 0);
    CHECK(m.Try({"other_size"}).message() ==
          "Shared queue 's' has capacity 3 but requested capacity was 4 [node 'other', CPU:0]");
    CHECK(m.Try({"padding_size"}).message() ==
          "Shared queue 's' has type 'FIFOQueue' that does not match type of Node 'padding': PaddingFIFOQueue [node "
          "'padding', CPU:0]");
  }
  TEST_CASE("a tensor in place of the reference is refused") {
    Queue m("FIFOQueue");
    m.Start();
    const Status status = m.Try({"size"}, {{"q", Tensor(DataType::kString, {2})}});
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() ==
          "Input 0 of node size was passed string incompatible with expected string_ref. [node 'size', CPU:0]");
  }
  TEST_CASE("shapes: a reference has two elements") {
    CHECK(ShapesOf<ops::FIFOQueue>({}, {{"component_types", {DataType::kFloat}}}) == "[2]");
    CHECK(ShapesOf<ops::QueueSize>({{2}}) == "[]");
    CHECK(ShapesOf<ops::QueueIsClosed>({{1}}) == "INVALID_ARGUMENT: Dimension must be 2 but is 1");
    CHECK(ShapesOf<ops::FakeQueue>({{}}) == "[2]");
  }
}
}  // namespace state_queue_reference_test
