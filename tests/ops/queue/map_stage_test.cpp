// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/queue/map_stage.hpp>

#include <thread>

#include "ops/state/state_test.hpp"

namespace state_map_stage_test {
using namespace state_test;

namespace {

using Types = SlimVector<DataType>;

// A map of a float and an int64: nodes "put" (k, x, y), "part" (k, i, x), "get", "peek" (k), "any", "size", "parts",
// "clear".
struct Maps : Machine {
  explicit Maps(const std::string& kind, std::int64_t capacity = 0) {
    const Types types{DataType::kFloat, DataType::kInt64};
    const std::vector<GraphBuilder::Attr> attrs{{"dtypes", types}, {"shared_name", "m"}, {"capacity", capacity}};
    const Output k = b.Placeholder("k", DataType::kInt64),
                 both = b.Const("both", MakeTensor<std::int32_t>({2}, {0, 1}));
    const Output x = b.Placeholder("x", DataType::kFloat), y = b.Placeholder("y", DataType::kInt64);
    Node(kind + "Stage", "put", {k, both, {x, y}}, attrs);
    Node(kind + "Stage", "part", {k, b.Placeholder("i", DataType::kInt32), {x}}, attrs);
    Node(kind + "Unstage", "get", {k, both}, attrs);
    Node(kind + "Peek", "peek", {k, both}, attrs);
    Node(kind + "UnstageNoKey", "any", {both}, attrs);
    Node(kind + "Size", "size", {}, attrs);
    Node(kind + "IncompleteSize", "parts", {}, attrs);
    Node(kind + "Clear", "clear", {}, attrs);
    Start();
  }
  void Node(const std::string& op, const char* name, std::vector<GraphBuilder::Input> inputs,
            const std::vector<GraphBuilder::Attr>& attrs) {
    b.AddNode(op, name, inputs, attrs);
  }
  static NamedTensor Key(std::int64_t key) { return {"k", Tensor::Scalar(key)}; }
  Status Put(std::int64_t key, float x, std::int64_t y) const {
    return Do("put", {Key(key), {"x", Tensor::Scalar(x)}, {"y", Tensor::Scalar(y)}});
  }
  Status Part(std::int64_t key, const Tensor& indices) const {
    return Do("part", {Key(key), {"i", indices}, {"x", Tensor::Scalar(1.0f)}});
  }
  std::string Shown(const std::string& node, const std::vector<NamedTensor>& feeds = {}) const {
    std::string text;
    for (const Tensor& t : Get({node + ":0", node + ":1"}, feeds)) StrAppend(&text, t.SummarizeValue(5), " ");
    return text;
  }
  int Count(const char* node) const { return *Get({node})[0].data<std::int32_t>(); }
};

}  // namespace

TEST_SUITE("staging maps in graphs") {
  TEST_CASE("both kinds: peek leaves, unstage takes, no key means the smallest, clear drops all") {
    for (const char* kind : {"Map", "OrderedMap"}) {
      CAPTURE(kind);
      const Maps m(kind);
      REQUIRE(m.Put(4, 0.5f, 40).ok());
      REQUIRE(m.Put(-9, 1.5f, 90).ok());
      CHECK(m.Shown("peek", {Maps::Key(4)}) == "0.5 40 ");
      CHECK(m.Count("size") == 2);
      CHECK(m.Shown("any") == "-9 1.5 ");
      CHECK(m.Shown("get", {Maps::Key(4)}) == "0.5 40 ");
      REQUIRE(m.Put(1, 0, 0).ok());
      REQUIRE(m.Part(2, MakeTensor<std::int32_t>({1}, {0})).ok());
      CHECK(m.Count("parts") == 1);
      REQUIRE(m.Do("clear").ok());
      CHECK(m.Count("size") + m.Count("parts") == 0);
    }
  }
  TEST_CASE("the two kinds are different things under one name") {
    Machine m;
    m.b.Add("MapSize", "map", {}, {{"dtypes", Types{}}, {"shared_name", "m"}});
    m.b.Add("OrderedMapSize", "ordered", {}, {{"dtypes", Types{}}, {"shared_name", "m"}});
    m.Start();
    CHECK(m.Get({"map", "ordered"}).size() == 2);
  }
  TEST_CASE("inputs that do not fit, with the node") {
    const Maps m("Map");
    CHECK(m.Part(2, MakeTensor<std::int32_t>({2}, {1, 0})).message() ==
          "Indices are not strictly ordered: 1 is followed by 0 [node 'part', CPU:0]");
    CHECK(m.Part(2, MakeTensor<std::int32_t>({2}, {0, 1})).message() ==
          "number of indices and values must agree, got 2 and 1 [node 'part', CPU:0]");
    CHECK(m.Part(2, MakeTensor<std::int32_t>({1}, {2})).message() ==
          "Index '2' for key '2' was out of bounds '2'. [node 'part', CPU:0]");
    CHECK(m.Try({"peek:0"}, {{"k", MakeTensor<std::int64_t>({2}, {1, 2})}}).message() ==
          "key must be an int64 scalar, got tensor with shape: [2] [node 'peek', CPU:0]");
    CHECK(m.Try({"peek:0"}, {{"k", MakeTensor<std::int64_t>({1}, {1})}}).message() ==
          "key must be an int64 scalar, got tensor with shape: [1] [node 'peek', CPU:0]");
    CHECK(m.Count("parts") == 0);
  }
  TEST_CASE("a tuple with a tensor of another type is refused where it is taken") {
    const Maps m("Map");
    REQUIRE(m.Part(3, MakeTensor<std::int32_t>({1}, {0})).ok());
    REQUIRE(m.Part(3, MakeTensor<std::int32_t>({1}, {1})).ok());
    CHECK(m.Try({"peek:0"}, {Maps::Key(3)}).message() ==
          "Tensor at index '1' for key '3' is float, but output 1 is int64 [node 'peek', CPU:0]");
  }
  TEST_CASE("producers and a consumer in threads, through a map with one place") {
    const Maps m("OrderedMap", 1);
    constexpr int kEach = 50;
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&m, t] {
        for (int i = 0; i < kEach; ++i)
          if (!m.Put(t * kEach + i, 1, 1).ok()) return;
      });
    std::int64_t keys = 0;
    for (int i = 0; i < 2 * kEach; ++i) keys += *m.Get({"any:0"})[0].data<std::int64_t>();
    for (std::thread& thread : threads) thread.join();
    CHECK(keys == kEach * (2 * kEach - 1));
    CHECK(m.Count("size") == 0);
  }
}
}  // namespace state_map_stage_test
