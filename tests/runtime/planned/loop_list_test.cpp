// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned/loop_list.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/ops/list/tensor_list_element.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "runtime/graphs.hpp"
#include "runtime/while_graphs.hpp"

namespace loop_list_test {
using namespace tenon;
using namespace runtime_test;

namespace {

const AttrValue kFloats(DataType::kFloat), kInts(DataType::kInt32);
const SessionOptions kPlanned{.intra_op_threads = 1, .plan_after_runs = 1};
const SessionOptions kPlain{.intra_op_threads = 1, .plan_after_runs = 0};

// A WhileGraph whose x0 is a list.
WhileGraph WithList(int variables) {
  WhileGraph graph(variables);
  for (FunctionDef* f : {&graph.cond, &graph.body}) f->signature.input_arg[2].type = DataType::kVariant;
  graph.body.signature.output_arg[2].type = graph.types[2] = DataType::kVariant;
  return graph;
}
WhileGraph& Push(WhileGraph& graph, const std::string& item) {
  graph.body.node_def.push_back(
      function_test::MakeNode("push", "TensorListPushBack", {"x0", item}, {{"element_dtype", kFloats}}));
  return graph.Next(0, "push:output_handle:0");
}
// Gives "pop:tensor:0".
WhileGraph& Pop(WhileGraph& graph, const Tensor& shape = Tensor::Scalar(std::int32_t{-1})) {
  graph.body.node_def.push_back(ConstNode("any", shape));
  graph.body.node_def.push_back(
      function_test::MakeNode("pop", "TensorListPopBack", {"x0", "any:output:0"}, {{"element_dtype", kFloats}}));
  return graph.Next(0, "pop:output_handle:0");
}
Tensor ListOf(std::vector<Tensor> items, std::int32_t most = -1, PartialTensorShape shape = {}) {
  TensorList list;
  list.element_dtype = DataType::kFloat;
  list.element_shape = std::move(shape);
  list.max_num_elements = most;
  for (Tensor& item : items) list.tensors.push_back(std::move(item));
  Tensor variant(DataType::kVariant, TensorShape());
  variant.data<Variant>()[0] = Variant(std::move(list));
  return variant;
}
const TensorList& ItemsOf(const Tensor& variant) { return *variant.data<Variant>()[0].get<TensorList>(); }

bool SameItems(const Tensor& a, const Tensor& b) {
  if (a.dtype() == DataType::kVariant) {
    const TensorList &x = ItemsOf(a), &y = ItemsOf(b);
    if (x.size() != y.size()) return false;
    for (Index i = 0; i < x.size(); ++i)
      if (!SameItems(x.at(i), y.at(i))) return false;
    return true;
  }
  return a.dtype() == b.dtype() && a.shape() == b.shape() && a.tensor_data() == b.tensor_data();
}

// The graph with and without plans, side by side.
struct Both {
  explicit Both(const GraphDef& graph)
      : planned(Session::FromGraphDef(graph, kPlanned)), plain(Session::FromGraphDef(graph, kPlain)) {
    REQUIRE_MESSAGE(planned.ok(), planned.status().message());
  }
  // Whether both give the same, also later.
  bool Agree(std::int32_t n, const std::vector<Tensor>& x) {
    std::vector<NamedTensor> feeds{{"n", Tensor::Scalar(n)}};
    std::vector<std::string> fetches{"loop:0"};
    for (std::size_t v = 0; v < x.size(); ++v) {
      feeds.push_back({StrCat("x", v), x[v]});
      fetches.push_back(StrCat("loop:", v + 2));
    }
    auto a = planned->Run(feeds, fetches), b = plain->Run(feeds, fetches);
    if (!a.ok() || !b.ok()) {
      last = a.status();
      CHECK_MESSAGE(a.status() == b.status(), a.status().message());
      return a.status() == b.status();
    }
    last = OkStatus();
    kept.emplace_back(*std::move(a), *std::move(b));
    for (const auto& [mine, right] : kept)
      for (std::size_t i = 0; i < mine.size(); ++i)
        if (!SameItems(mine[i], right[i])) return false;
    return true;
  }
  Result<Session> planned, plain;
  std::vector<std::pair<std::vector<Tensor>, std::vector<Tensor>>> kept;
  Status last;
};

Tensor Vector(Index size, float first) {
  Tensor out(DataType::kFloat, TensorShape({size}));
  for (Index i = 0; i < size; ++i) out.data<float>()[i] = first + static_cast<float>(i);
  return out;
}

}  // namespace

TEST_SUITE("LoopList") {
  TEST_CASE("a node of a loop pushes a copy or the item, and pops") {
    const Tensor shared = ListOf({Vector(2, 1)});
    for (const bool pushes : {true, false}) {
      const auto* const row =
          pushes ? &ops::TensorListPushBack::kernel<Cpu>::list_step : &ops::TensorListPopBack::kernel<Cpu>::list_step;
      detail::LoopList list;
      list.step = row;
      list.dtype = DataType::kFloat;
      REQUIRE(row->item_shape(shared, &list.shape));
      CHECK(list.shape == TensorShape({2}));
      CHECK(list.Fits(shared));
      CHECK_FALSE(list.Fits(Vector(2, 1)));
      CHECK_FALSE(list.Fits(Tensor(DataType::kVariant, TensorShape())));
      CHECK_FALSE(list.Fits(ListOf({}, -1, PartialTensorShape({3}))));
      list.Open(Tensor(shared));
      Tensor item = Vector(2, 5);
      if (pushes) {
        for (Allocator* const copies : {static_cast<Allocator*>(nullptr), DefaultAllocator()}) {
          REQUIRE(detail::ListNode{&list, &item, copies}.Run().ok());
          const Tensor& last = static_cast<TensorList*>(list.list)->tensors.back();
          CHECK(last.SharesBufferWith(item) == (copies == nullptr));
          CHECK(SameItems(last, item));
        }
      } else {
        // The item's place stays where it is, and gets a copy.
        const void* const place = item.raw_data();
        REQUIRE(detail::ListNode{&list, &item, DefaultAllocator()}.Run().ok());
        CHECK(item.raw_data() == place);
        CHECK(SameItems(item, ItemsOf(shared).at(0)));
        list.Close();
        list.Open(Tensor(shared));
        REQUIRE(detail::ListNode{&list, &item, nullptr}.Run().ok());
        CHECK(item.SharesBufferWith(ItemsOf(shared).at(0)));
        CHECK(detail::ListNode{&list, &item, nullptr}.Run().code() == Code::kInvalidArgument);
      }
      CHECK(ItemsOf(list.Close()).size() == (pushes ? 3 : 0));
      CHECK(ItemsOf(shared).size() == 1);
    }
  }

  TEST_CASE("loops that push give what they give without a plan, whatever the items are") {
    // x1 is a computed variable, x2 an unchanged one, x3 becomes x1.
    for (const char* const item : {"x1", "x2", "x3", "sum:z:0", "fixed:output:0", "same:output:0"})
      for (const Index size : {1, 7, 3000}) {
        CAPTURE(item);
        CAPTURE(size);
        WhileGraph graph = WithList(4);
        graph.body.node_def.push_back(ConstNode("fixed", Vector(size, 0.5f)));
        graph.Add("sum", "AddV2", {"x1", "x2"}).Add("same", "Identity", {"sum:z:0"});
        Push(graph, item).Next(1, "sum:z:0").Next(3, "x1");
        Both both(graph.Graph());
        for (const std::int32_t n : {5, 4, 1, 0, 9})
          CHECK(both.Agree(n, {ListOf({}), Vector(size, 1), Vector(size, 2), Vector(size, 3)}));
        CHECK(both.Agree(6, {ListOf({Vector(size, 8)}), Vector(size, 1), Vector(size, 2), Vector(size, 3)}));
        CHECK(both.last.ok());
      }
  }

  TEST_CASE("loops that pop, from lists of the caller's and of shapes that change") {
    WhileGraph graph = WithList(2);
    graph.body.node_def.push_back(ConstNode("axis", Tensor::Scalar(std::int32_t{0})));
    graph.body.node_def.push_back(
        function_test::MakeNode("total", "Sum", {"pop:tensor:0", "axis:output:0"},
                                {{"T", kFloats}, {"Tidx", kInts}, {"keep_dims", AttrValue(false)}}));
    Pop(graph).Add("sum", "AddV2", {"x1", "total:output:0"}).Next(1, "sum:z:0");
    Both both(graph.Graph());
    std::vector<Tensor> same, other;
    for (int i = 0; i < 8; ++i) {
      same.push_back(Vector(3, static_cast<float>(i)));
      other.push_back(Vector(i < 4 ? 5 : 3, static_cast<float>(i)));
    }
    const Tensor list = ListOf(same), mixed = ListOf(other);
    for (const std::int32_t n : {8, 3, 1, 0, 7}) {
      CHECK(both.Agree(n, {list, Tensor::Scalar(1.0f)}));
      CHECK(both.last.ok());
      CHECK(both.Agree(n, {mixed, Tensor::Scalar(2.0f)}));
      CHECK(both.last.ok());
    }
    CHECK(ItemsOf(list).size() == 8);
    CHECK(both.Agree(9, {list, Tensor::Scalar(1.0f)}));
    CHECK_MESSAGE(Contains(both.last.message(), "Trying to pop from an empty list. [node 'pop', CPU:0]"),
                  both.last.message());
    CHECK(both.Agree(8, {list, Tensor::Scalar(1.0f)}));
    CHECK(both.last.ok());
  }

  TEST_CASE("items that are not set are zeros, and serialised lists are read") {
    WhileGraph graph = WithList(2);
    Pop(graph, MakeTensor<std::int32_t>({1}, {2})).Add("sum", "AddV2", {"x1", "pop:tensor:0"}).Next(1, "sum:z:0");
    Both both(graph.Graph());
    std::vector<Tensor> items(6, Tensor(DataType::kInvalid));
    items[5] = items[4] = items[1] = Vector(2, 3);
    for (const std::int32_t n : {2, 6, 5}) CHECK(both.Agree(n, {ListOf(items), Vector(2, 1)}));
    CHECK(both.last.ok());
    VariantTensorData data;
    ItemsOf(ListOf(std::vector<Tensor>(6, Vector(2, 4)))).Encode(&data);
    data.type_name = "tensorflow::TensorList";
    Tensor serialised(DataType::kVariant, TensorShape());
    serialised.data<Variant>()[0] = Variant(std::move(data));
    for (const std::int32_t n : {6, 3}) CHECK(both.Agree(n, {serialised, Vector(2, 1)}));
    CHECK_MESSAGE(both.last.ok(), both.last.message());
  }

  TEST_CASE("a full list and an item of another shape end the loop as without a plan") {
    // The item has Maximum(i, 4) elements.
    WhileGraph graph = WithList(2);
    graph.body.node_def.push_back(ConstNode("four", Tensor::Scalar(std::int32_t{4})));
    graph.body.node_def.push_back(ConstNode("zero", MakeTensor<std::int32_t>({1}, {0})));
    graph.body.node_def.push_back(ConstNode("axis", Tensor::Scalar(std::int32_t{0})));
    graph.Add("most", "Maximum", {"i", "four:output:0"}, {{"T", kInts}})
        .Add("size", "ExpandDims", {"most:z:0", "axis:output:0"}, {{"T", kInts}, {"Tdim", kInts}})
        .Add("part", "Slice", {"x1", "zero:output:0", "size:output:0"}, {{"T", kFloats}, {"Index", kInts}})
        .Add("twice", "AddV2", {"part:output:0", "part:output:0"});
    Push(graph, "twice:z:0");
    Both both(graph.Graph());
    for (const std::int32_t n : {4, 7, 9, 5, 3}) {
      CHECK(both.Agree(n, {ListOf({}), Vector(9, 1)}));
      CHECK(both.last.ok());
    }
    CHECK(both.Agree(5, {ListOf({}, -1, PartialTensorShape({4})), Vector(9, 1)}));
    CHECK(both.last.ok());
    CHECK(both.Agree(7, {ListOf({}, -1, PartialTensorShape({4})), Vector(9, 1)}));
    CHECK_MESSAGE(Contains(both.last.message(), "incompatible shape"), both.last.message());
    for (const std::int32_t n : {3, 4}) CHECK(both.Agree(n, {ListOf({}, 3), Vector(9, 1)}));
    CHECK_MESSAGE(Contains(both.last.message(), "full list"), both.last.message());
    CHECK(both.Agree(4, {ListOf({}), Vector(9, 1)}));
    CHECK(both.last.ok());
  }

  TEST_CASE("lists that the condition or a second node reads go from iteration to iteration") {
    for (const bool by_condition : {true, false}) {
      WhileGraph graph = WithList(3);
      Push(graph, "x1");
      if (by_condition) {
        graph.cond.node_def.push_back(function_test::MakeNode("length", "TensorListLength", {"x0"}, {}));
        graph.cond.node_def[0].input[0] = "length:length:0";
      } else {
        graph.body.node_def.push_back(function_test::MakeNode("length", "TensorListLength", {"x0"}, {}));
        graph.Add("number", "Cast", {"length:length:0"}, {{"SrcT", kInts}, {"DstT", kFloats}});
        graph.body.node_def.back().attr.erase("T");
        graph.Add("sum", "AddV2", {"x2", "number:y:0"}).Next(2, "sum:z:0");
      }
      Both both(graph.Graph());
      for (const std::int32_t n : {6, 3, 0, 8}) CHECK(both.Agree(n, {ListOf({}), Vector(2, 1), Tensor::Scalar(0.5f)}));
      CHECK_MESSAGE(both.last.ok(), both.last.message());
    }
  }
}

}  // namespace loop_list_test
