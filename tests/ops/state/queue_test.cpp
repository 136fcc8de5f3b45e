// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/state/queue.hpp>
#include <tenon/ops/state/queue_access.hpp>

#include "ops/state/state_test.hpp"

namespace state_queue_test {
using namespace state_test;

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
