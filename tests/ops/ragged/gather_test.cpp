// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/ragged/gather.hpp>

#include "ops/outputs.hpp"

namespace ragged_gather_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The outputs of RaggedGather with these splits, outermost first, and values [n] or [n, ...].
std::string Gathered(const std::vector<Tensor>& splits, const Tensor& values, const Tensor& indices,
                     std::int64_t output_rank) {
  GraphBuilder b;
  SlimVector<Output> nested;
  for (std::size_t i = 0; i < splits.size(); ++i) nested.push_back(b.Const(StrCat("splits", i), splits[i]));
  b.Add("RaggedGather", "call", {{nested}, b.Const("values", values), b.Const("indices", indices)},
        {{"OUTPUT_RAGGED_RANK", output_rank}});
  const Result<Session> session = Session::FromGraph(b, {.constant_folding = false});
  if (!session.ok()) return session.status().ToString();
  std::vector<std::string> fetches;
  for (std::int64_t i = 0; i <= output_rank; ++i) fetches.push_back(StrCat("call:", i));
  const Result<std::vector<Tensor>> out = session->Run({}, fetches);
  if (!out.ok()) return std::string(out.status().message().substr(0, out.status().message().find(" [node")));
  std::string text;
  for (const Tensor& t : *out) StrAppend(&text, text.empty() ? "" : " | ", t.SummarizeValue(30));
  return text;
}

}  // namespace

TEST_SUITE("RaggedGather") {
  // [[1 2] [] [3 4 5]] and [[[1] [2 3]] [] [[] [4 5]]]
  const Tensor rows = Longs({0, 2, 2, 5}), values = Make<float>({5}, {1, 2, 3, 4, 5});
  const Tensor outer = Longs({0, 2, 2, 4}), inner = Longs({0, 1, 3, 3, 5});

  TEST_CASE("rows may come again, be empty, or be all there is") {
    CHECK(Gathered({rows}, values, Ints({2, 0, 1, 2}), 1) == "0 3 5 5 8 | 3 4 5 1 2 3 4 5");
    CHECK(Gathered({rows}, values, Ints({1}), 1) == "0 0 | ");
    CHECK(Gathered({rows}, values, Ints({}), 1) == "0 | ");
    CHECK(Gathered({outer, inner}, values, Ints({2, 0}), 2) == "0 2 4 | 0 0 2 3 5 | 4 5 1 2 3");
  }
  TEST_CASE("a scalar takes one dimension away, a matrix adds one") {
    CHECK(Gathered({rows}, values, Int(2), 0) == "3 4 5");
    CHECK(Gathered({outer, inner}, values, Int(0), 1) == "0 1 3 | 1 2 3");
    CHECK(Gathered({rows}, values, MakeTensor<std::int32_t>({2, 2}, {0, 1, 1, 2}), 2) ==
          "0 2 4 | 0 2 2 2 5 | 1 2 3 4 5");
    CHECK(Gathered({rows}, values, Tensor(DataType::kInt32, {0, 3}), 2) == "0 | 0 | ");
  }
  TEST_CASE("values with dimensions of their own stay whole") {
    CHECK(Gathered({Longs({0, 1, 2})}, Make<float>({2, 2}, {1, 2, 3, 4}), Ints({1, 0}), 1) == "0 1 2 | [3 4][1 2]");
  }
  TEST_CASE("what is wrong is named with its place") {
    CHECK(Gathered({rows}, values, Ints({0, 3}), 1) == "RaggedGather: indices[1] = 3 is not in [0, 3)");
    CHECK(Gathered({rows}, values, Longs({-1}), 1) == "RaggedGather: indices[0] = -1 is not in [0, 3)");
    CHECK(Gathered({Longs({})}, values, Ints({0}), 1) == "RaggedGather: indices[0] = 0 is not in [0, 0)");
    CHECK(Gathered({Longs({})}, values, Ints({}), 1) ==
          "RaggedGather: Ragged splits may not be empty: params_nested_splits[0]");
    CHECK(Gathered({outer, Longs({-1, 1, 3, 3, 5})}, values, Ints({0}), 2) ==
          "RaggedGather: Ragged splits must be non-negative, got params_nested_splits[1][0] = -1");
    CHECK(Gathered({Longs({0, 2, 6})}, values, Ints({0}), 1) ==
          "RaggedGather: Ragged splits must not point past values: params_nested_splits[0] ends with 6 > 5");
    CHECK(Gathered({Longs({0, 3, 2})}, values, Ints({0}), 1) ==
          "RaggedGather: Ragged splits must be sorted: params_nested_splits[0][2] = 2 is smaller than 3 before it");
  }
  TEST_CASE("a row that is repeated until int32 splits cannot count it is refused, before memory is taken") {
    // 2^16 rows of 2^15 + 1 elements of no bytes
    constexpr std::int32_t kWidth = (1 << 15) + 1;
    Tensor many(DataType::kInt32, {1 << 16});
    for (Index i = 0; i < many.NumElements(); ++i) many.data<std::int32_t>()[i] = 0;
    CHECK(Gathered({Ints({0, kWidth})}, Tensor(DataType::kFloat, {kWidth, 0}), many, 1) ==
          "RaggedGather: the output has 2147549184 rows, too many for int32 splits");
  }
  TEST_CASE("the shape function knows the ranks") {
    const StaticAttr one("PARAMS_RAGGED_RANK", 1);
    CHECK(ShapesOf<ops::RaggedGather>({{4}, {5, 2}, {3}}, {one, {"OUTPUT_RAGGED_RANK", 1}}) == "[?] [?,2]");
    CHECK(ShapesOf<ops::RaggedGather>({{4}, {5}, {2, 2}}, {one, {"OUTPUT_RAGGED_RANK", 2}}) == "[?] [?] [?]");
    CHECK(ShapesOf<ops::RaggedGather>({{4}, {5}, {2, 2}}, {one, {"OUTPUT_RAGGED_RANK", 1}}) ==
          "INVALID_ARGUMENT: Shape must be rank 1 but is rank 2");
  }
}
}  // namespace ragged_gather_test
