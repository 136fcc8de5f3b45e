// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/slice.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace sparse_slice_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}
Tensor Floats(std::initializer_list<float> numbers) {
  return MakeTensor<float>({static_cast<Index>(numbers.size())}, numbers);
}
// All outputs, or "CODE: text".
std::string Shown(const Result<std::vector<Tensor>>& out) {
  if (!out.ok()) return out.status().ToString();
  std::string text;
  for (const Tensor& t : *out) StrAppend(&text, text.empty() ? "" : " | ", t.SummarizeValue(30));
  return text;
}
bool Says(const std::string& text, std::string_view phrase) { return text.find(phrase) != std::string::npos; }

// [4, 5]: 1 at (0, 1), 2 at (2, 0), 3 at (2, 1), 4 at (3, 4)
Tensor AllPlaces() { return Places({0, 1, 2, 0, 2, 1, 3, 4}); }
Tensor AllValues() { return Floats({1, 2, 3, 4}); }
Tensor AllSizes() { return Longs({4, 5}); }

std::string Split(std::int64_t axis, std::int64_t parts) {
  return Shown(CallOp("SparseSplit", {{"num_split", parts}},
                      {Tensor::Scalar(axis), AllPlaces(), AllValues(), AllSizes()}, static_cast<int>(3 * parts)));
}
// The other: [4, 2] with 5 at (0, 0) and 6 at (3, 1).
std::string Concat(std::int64_t axis) {
  GraphBuilder b;
  b.Add("SparseConcat", "call",
        {{b.Const("p0", AllPlaces()), b.Const("p1", Places({0, 0, 3, 1}))},
         {b.Const("v0", AllValues()), b.Const("v1", Floats({5, 6}))},
         {b.Const("s0", AllSizes()), b.Const("s1", Longs({4, 2}))}},
        {{"concat_dim", axis}});
  const Result<Session> session = Session::FromGraph(b);
  if (!session.ok()) return session.status().ToString();
  return Shown(session->Run({}, std::vector<std::string>{"call:0", "call:1", "call:2"}));
}

}  // namespace

TEST_SUITE("parts of sparse tensors, with TensorFlow's answers") {
  TEST_CASE("SparseSlice") {
    const auto slice = [](const Tensor& start, const Tensor& size) {
      return Shown(Call<ops::SparseSlice>({}, {AllPlaces(), AllValues(), AllSizes(), start, size}));
    };
    CHECK(slice(Longs({2, 0}), Longs({9, 2})) == "[0 0][0 1] | 2 3 | 2 2");
    CHECK(slice(Longs({0, 0}), Longs({4, 5})) == "[0 1][2 0][2 1][3 4] | 1 2 3 4 | 4 5");
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    CHECK(Call<ops::SparseSlice>({}, {AllPlaces(), AllValues(), AllSizes(), Longs({kMost, kMost}), Longs({kMost, 1})})
              .ok());
    CHECK(Says(slice(Longs({2, 0}), Longs({1, -1})), "Expected a non-negative size, got -1"));
    CHECK(Says(slice(Longs({2}), Longs({9, 2})), "Expected start to be a vector of length 2 but got length 1"));
  }
  TEST_CASE("SparseSliceGrad gives the gradients of the part to the whole") {
    const auto grad = [](const Tensor& of_part, const Tensor& part) {
      return Shown(Call<ops::SparseSliceGrad>({}, {of_part, AllPlaces(), Longs({2, 0}), part}));
    };
    CHECK(grad(Floats({7, 8}), Places({0, 0, 1, 4})) == "0 7 0 8");
    const std::string lost = grad(Floats({7}), Places({0, 3}));
    CHECK(lost.find("INTERNAL: ") == 0);
    CHECK(Says(lost, "Elements of backprop_val_grad aren't all propagated. Num elements:1, used: 0"));
    CHECK(grad(Floats({7, 8}), Places({0, 3})).find("INVALID_ARGUMENT: ") == 0);
  }
  TEST_CASE("SparseSplit: the first parts are the longer ones") {
    CHECK(Split(0, 2) == "[0 1] | [0 0][0 1][1 4] | 1 | 2 3 4 | 2 5 | 2 5");
    CHECK(Split(1, 2) == "[0 1][2 0][2 1] | [3 1] | 1 2 3 | 4 | 4 3 | 4 2");
    CHECK(Split(-1, 2) == Split(1, 2));
    CHECK(Says(Split(2, 1), "Input axis should be in range [-2, 2), got 2"));
    CHECK(Says(Split(0, 5), "Input num_split should be between 1 and the splitting dimension size (4), got 5"));
  }
  TEST_CASE("SparseConcat: in the order of the whole") {
    CHECK(Concat(1) == "[0 1][0 5][2 0][2 1][3 4][3 6] | 1 5 2 3 4 6 | 4 7");
    CHECK(Concat(-1) == Concat(1));
    CHECK(Says(Concat(0), "Input shapes must match: expected 5 for dimension 1 but got 2 at position 1"));
    CHECK(Says(Concat(-3), "-3"));
    CHECK(Says(Concat(2), "INVALID_ARGUMENT: "));
  }
}
}  // namespace sparse_slice_test
