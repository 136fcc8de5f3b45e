// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/variable/variable_scatter_nd.hpp>

#include "ops/outputs.hpp"
#include "ops/state/state_test.hpp"

namespace state_variable_scatter_nd_test {
using namespace state_test;
using tenon::testing::Ints;
using tenon::testing::Make;
using tenon::testing::ShapesOf;

namespace {

// A variable "v" with nodes "Update", "Add", "Sub", "Min", "Max", all fed "at" and "x", and "value".
struct Scatters : Machine {
  explicit Scatters(bool by_handle, const Tensor& start, const char* policy = "") {
    const Output v = by_handle ? Handle("v", start) : Reference("v", start);
    const Output at = b.Placeholder("at", DataType::kInt32), x = b.Placeholder("x", start.dtype());
    for (const char* what : {"Update", "Add", "Sub", "Min", "Max"})
      b.Add(StrCat(by_handle ? "ResourceScatterNd" : "ScatterNd", what), what, {v, at, x},
            {{"bad_indices_policy", std::string(policy)}});
    if (by_handle)
      b.Add("ReadVariableOp", "value", {v}, {{"dtype", start.dtype()}});
    else
      b.Add("Identity", "value", {v});
    Start();
    REQUIRE(Do("v/init").ok());
  }
  std::string Try(const char* node, const Tensor& at, const Tensor& x) const {
    return std::string(Do(node, {{"at", at}, {"x", x}}).message());
  }
};
Tensor Pairs(std::initializer_list<std::int32_t> numbers) {
  return MakeTensor<std::int32_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}

}  // namespace

TEST_SUITE("parts of variables named by index vectors") {
  const Tensor start = Make<float>({2, 3}, {1, 2, 3, 4, 5, 6});

  TEST_CASE("every op by both kinds of variables, a place that comes twice, against a plain loop") {
    const std::int32_t places[] = {1, 2, 0, 0, 1, 2};
    const float updates[] = {10, -3, 0.5f};
    for (const bool by_handle : {false, true})
      for (const char* what : {"Update", "Add", "Sub", "Min", "Max"}) {
        CAPTURE(what);
        const Scatters m(by_handle, start);
        REQUIRE(m.Try(what, Pairs({1, 2, 0, 0, 1, 2}), Make<float>({3}, {10, -3, 0.5})) == "");
        Floats want = Machine::ToVector(start);
        for (int i = 0; i < 3; ++i) {
          float& at = want[static_cast<std::size_t>(places[2 * i] * 3 + places[2 * i + 1])];
          at = what[0] == 'U'   ? updates[i]
               : what[0] == 'A' ? at + updates[i]
               : what[0] == 'S' ? at - updates[i]
               : what[1] == 'i' ? std::min(at, updates[i])
                                : std::max(at, updates[i]);
        }
        CHECK(m.Floats("value") == want);
      }
  }
  TEST_CASE("rows, and the whole value by an empty index vector") {
    const Scatters m(true, start);
    REQUIRE(m.Try("Add", MakeTensor<std::int32_t>({1, 1}, {1}), Make<float>({1, 3}, {1, 1, 1})) == "");
    CHECK(m.Floats("value") == Floats{1, 2, 3, 5, 6, 7});
    REQUIRE(m.Try("Update", Tensor(DataType::kInt32, {0, 1}), Tensor(DataType::kFloat, {0, 3})) == "");
    CHECK(m.Floats("value") == Floats{1, 2, 3, 5, 6, 7});
  }
  TEST_CASE("a bad index vector is named; those that are good have been worked off, as in TensorFlow") {
    for (const bool by_handle : {false, true}) {
      const Scatters m(by_handle, start);
      CHECK(m.Try("Update", Pairs({0, 0, 2, 0, 1, 1, 0, -1}), Make<float>({4}, {7, 8, 9, 10})) ==
            "indices[1] = [2, 0] does not index into shape [2,3] [node 'Update', CPU:0]");
      CHECK(m.Floats("value") == Floats{7, 2, 3, 4, 9, 6});
    }
  }
  TEST_CASE("or passed over where the policy says so; other policies are refused") {
    const Scatters m(true, start, "IGNORE");
    CHECK(m.Try("Add", Pairs({0, 0, 2, 0, 1, 1}), Make<float>({3}, {10, 20, 30})) == "");
    CHECK(m.Floats("value") == Floats{11, 2, 3, 4, 35, 6});
    GraphBuilder b;
    const Output v =
        b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2, 3})}});
    b.Add("ResourceScatterNdAdd", "add", {v, b.Const("at", Pairs({0, 0})), b.Const("x", Make<float>({1}, {1}))},
          {{"bad_indices_policy", std::string("SOMETIMES")}});
    const Result<Session> session = Session::FromGraph(b);
    const Status status = session.ok() ? session->Run({}, {}, {"add"}).status() : session.status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() ==
          "Unknown bad indices handling attribute: SOMETIMES; there are '', 'DEFAULT', 'ERROR' and 'IGNORE' [node "
          "'add']");
  }
  TEST_CASE("shapes that do not fit each other change nothing") {
    const Scatters m(true, start);
    CHECK(m.Try("Update", Pairs({0, 0}), Make<float>({2}, {1, 2})) != "");
    CHECK(m.Try("Update", MakeTensor<std::int32_t>({1, 3}, {0, 0, 0}), Make<float>({1}, {1})) != "");
    CHECK(m.Try("Update", Ints({0, 0}), Make<float>({1}, {1})) != "");
    CHECK(m.Floats("value") == Machine::ToVector(start));
  }
  TEST_CASE("a value that was read before stays, by handle; text and bool too") {
    const Scatters m(true, start);
    const Tensor kept = m.Get({"value"})[0];
    REQUIRE(m.Try("Update", Pairs({0, 0}), Make<float>({1}, {100})) == "");
    CHECK(Machine::ToVector(kept) == Machine::ToVector(start));
    Machine texts;
    Tensor two(DataType::kString, {2}), one(DataType::kString, {1});
    one.data<tstring>()->assign("a text that is too long to be stored inline");
    const Output v = texts.Reference("v", two);
    texts.b.Add("ScatterNdUpdate", "put",
                {v, texts.b.Const("at", MakeTensor<std::int32_t>({1, 1}, {1})), texts.b.Const("x", one)});
    texts.b.Add("Identity", "value", {v});
    texts.Start();
    REQUIRE(texts.Do("v/init").ok());
    REQUIRE(texts.Do("put").ok());
    CHECK(texts.Get({"value"})[0].data<tstring>()[1].view() == one.data<tstring>()->view());
  }
  TEST_CASE("the shape function compares what is known") {
    CHECK(ShapesOf<ops::ScatterNdAdd>({{2, 3}, {4, 2}, {4}}) == "[2,3]");
    CHECK(ShapesOf<ops::ScatterNdAdd>({{2, 3}, {4, 2}, {5}}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ShapesOf<ops::ScatterNdAdd>({{2, 3}, {}, {4}}) ==
          "INVALID_ARGUMENT: Shape must be at least rank 1 but is rank 0");
  }
}
}  // namespace state_variable_scatter_nd_test
