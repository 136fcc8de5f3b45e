// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/parallel_stitch.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ops/support.hpp"

namespace parallel_stitch_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Result<Tensor> Stitched(std::string_view op, const std::vector<Tensor>& places, const std::vector<Tensor>& rows) {
  GraphBuilder b;
  SlimVector<Output> indices, data;
  for (std::size_t k = 0; k < places.size(); ++k) {
    indices.push_back(b.Const(StrCat("place", k), places[k]));
    data.push_back(b.Const(StrCat("row", k), rows[k]));
  }
  b.Add(op, "merged", {indices, data});
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b));
  const std::vector<std::string> fetch{"merged:0"};
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> merged, session.Run({}, fetch));
  return merged[0];
}
Tensor Stitch(const std::vector<Tensor>& places, const std::vector<Tensor>& rows) {
  const Result<Tensor> merged = Stitched("ParallelDynamicStitch", places, rows);
  REQUIRE_MESSAGE(merged.ok(), merged.status().ToString());
  return *merged;
}
void CheckRefused(const std::vector<Tensor>& places, const std::vector<Tensor>& rows) {
  CHECK(Stitched("ParallelDynamicStitch", places, rows).status().code() == Code::kInvalidArgument);
}

}  // namespace

TEST_SUITE("ParallelDynamicStitch") {
  TEST_CASE("rows go to their places, in every type that moves") {
    for (const DataType dtype : kMovedTypes) {
      const Tensor x = AnyBits(dtype, {5, 3});
      const Tensor first = Ints({4, 0}), second = MakeTensor<std::int32_t>({1, 3}, {2, 1, 3});
      const Tensor a = RunAll("GatherV2", {}, {x, first, Int(0)}, 1)[0];
      const Tensor b = RunAll("GatherV2", {}, {x, second, Int(0)}, 1)[0];
      CHECK(SameTensor(Stitch({first, second}, {a, b}), x));
      CHECK(SameTensor(*Stitched("DynamicStitch", {first, second}, {a, b}), x));
    }
  }
  TEST_CASE("scalars as indices; the last of several for one place; places that nothing goes to") {
    CHECK(SameTensor(Stitch({Int(1), Int(0)}, {Make<float>({2}, {3, 4}), Make<float>({2}, {1, 2})}),
                     Make<float>({2, 2}, {1, 2, 3, 4})));
    CHECK(SameTensor(Stitch({Ints({0}), Ints({0})}, {Make<float>({1}, {3}), Make<float>({1}, {7})}),
                     Make<float>({1}, {7})));
    CHECK(Stitch({Ints({3})}, {Make<float>({1, 2}, {3})}).shape() == TensorShape({4, 2}));
  }
  TEST_CASE("nothing") {
    CHECK(Stitch({Ints({})}, {Tensor(DataType::kFloat, {0, 3})}).shape() == TensorShape({0, 3}));
    CHECK(Stitch({Ints({1, 0})}, {Tensor(DataType::kFloat, {2, 0})}).shape() == TensorShape({2, 0}));
  }
  TEST_CASE("what is refused") {
    for (const std::int32_t bad : {-1, -2147483647 - 1}) CheckRefused({Ints({bad})}, {Make<float>({1}, {3})});
    CheckRefused({Ints({0, 1})}, {Make<float>({3}, {3})});
    CheckRefused({Ints({0}), Ints({1})}, {Make<float>({1, 2}, {3}), Make<float>({1, 3}, {3})});
    CheckRefused({Int(0), Ints({1})}, {Make<float>({}, {3}), Make<float>({1, 3}, {3})});
  }
}
}  // namespace parallel_stitch_test
