// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/attention.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "optimize/optimizing.hpp"

namespace attention_pass_test {
using namespace optimize_test;

namespace {

const Names kPass{"remap"};

Tensor Ramp(const TensorShape& shape, float scale) {
  Tensor out(DataType::kFloat, shape);
  for (Index i = 0; i < out.NumElements(); ++i)
    out.data<float>()[i] = scale * (static_cast<float>((7 * i) % 11) - 5) + 0.01f * static_cast<float>(i % 13);
  return out;
}
Output Order(GraphBuilder& b, const char* name, Output x, std::vector<std::int32_t> order) {
  const TensorShape shape{static_cast<Index>(order.size())};
  return b.Add("Transpose", name, {x, b.Const(StrCat(name, "/order"), Tensor::From<std::int32_t>(order, shape))});
}
// Both graphs give about the same result, whatever the sizes of the feeds.
void CheckSame(const GraphDef& def, const RunEnds& signature, const std::vector<Tensor>& feeds, std::string_view text) {
  const Optimized optimized = Optimize(def, signature, kPass);
  REQUIRE(optimized.status.ok());
  CHECK(Text(optimized.def) == text);
  const auto want = RunGraph(def, signature, feeds), got = RunGraph(optimized.def, signature, feeds);
  REQUIRE_MESSAGE(want.ok(), want.status().ToString());
  REQUIRE_MESSAGE(got.ok(), got.status().ToString());
  REQUIRE((*want)[0].shape() == (*got)[0].shape());
  for (Index i = 0; i < (*want)[0].NumElements(); ++i) {
    const float a = (*want)[0].data<float>()[i], b = (*got)[0].data<float>()[i];
    CHECK((std::fabs(a - b) < 2e-6f * (1 + std::fabs(a)) || (std::isnan(a) && std::isnan(b))));
  }
  CHECK(Text(Optimize(optimized.def, signature, kPass).def) == text);
}

// [2, 3 or 4 positions, 2 heads, 5] as BERT has it: transposes, a scale, a mask.
struct Bert {
  Bert(const char* op = "BatchMatMulV2", const PartialTensorShape& mask_shape = {2, 1, 1, 4}) {
    q = Order(b, "tq", b.Placeholder("q", DataType::kFloat, {-1, 3, 2, 5}), {0, 2, 1, 3});
    k = Order(b, "tk", b.Placeholder("k", DataType::kFloat, {-1, 4, 2, 5}), {0, 2, 1, 3});
    v = Order(b, "tv", b.Placeholder("v", DataType::kFloat, {-1, 4, 2, 6}), {0, 2, 1, 3});
    mask = b.Placeholder("mask", DataType::kFloat, mask_shape);
    scores = b.Add(op, "scores", {q, k}, {{"adj_y", true}});
    scaled = b.Add("Mul", "scaled", {scores, b.Const("scale", Tensor::Scalar(0.4f))});
    sum = b.Add("AddV2", "sum", {scaled, mask});
    softmax = b.Add("Softmax", "softmax", {sum});
    Order(b, "y", b.Add(op, "products", {softmax, v}), {0, 2, 1, 3});
  }
  GraphBuilder b;
  Output q, k, v, mask, scores, scaled, sum, softmax;
  GraphDef def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
};
const RunEnds kEnds{{"q", "k", "v", "mask"}, {"y"}};
const char* const kFused =
    "k = Placeholder(); mask = Placeholder(); q = Placeholder(); v = Placeholder(); y = _FusedAttention(q, k, v, "
    "mask, scale)";
std::vector<Tensor> Feeds(Index batch, const TensorShape& mask) {
  return {Ramp({batch, 3, 2, 5}, 0.3f), Ramp({batch, 4, 2, 5}, 0.2f), Ramp({batch, 4, 2, 6}, 0.5f), Ramp(mask, 2)};
}
bool Stays(const GraphDef& def, const RunEnds& ends) {
  return Count(Optimize(def, ends, kPass).def, "_FusedAttention") == 0;
}

struct Einsums {
  Einsums(const char* first, const char* second, bool swap = false) {
    const Output q = b.Placeholder("q", DataType::kFloat, {2, 3, 2, 5}),
                 k = b.Placeholder("k", DataType::kFloat, {2, 4, 2, 5}),
                 v = b.Placeholder("v", DataType::kFloat, {2, 4, 2, 6}),
                 mask = b.Placeholder("mask", DataType::kBool, {2, 1, 1, 4});
    const auto einsum = [&](const char* name, const char* equation, Output x, Output y) {
      return b.Add("Einsum", name, {{x, y}}, {{"equation", equation}});
    };
    const Output scores = swap ? einsum("scores", first, k, q) : einsum("scores", first, q, k);
    const Output scaled = b.Add("Mul", "scaled", {b.Const("scale", Tensor::Scalar(0.4f)), scores});
    const Output chosen = b.Add("SelectV2", "chosen", {mask, scaled, b.Const("hidden", Tensor::Scalar(-1e9f))});
    const Output softmax = b.Add("Softmax", "softmax", {chosen});
    swap ? einsum("y", second, v, softmax) : einsum("y", second, softmax, v);
  }
  GraphBuilder b;
};

}  // namespace

TEST_SUITE("attention pass") {
  TEST_CASE("products, scale, mask, softmax and transposes are one node") {
    CheckSame(Bert().def(), kEnds, Feeds(2, {2, 1, 1, 4}), kFused);
    CheckSame(Bert("BatchMatMulV2", {1, 2, 3, 4}).def(), kEnds, Feeds(2, {1, 2, 3, 4}), kFused);
    CheckSame(Bert("BatchMatMulV2", {2, 2, 3, 1}).def(), kEnds, Feeds(2, {2, 2, 3, 1}), kFused);
    CheckSame(Bert("BatchMatMulV2", {4}).def(), kEnds, Feeds(3, {4}), kFused);
    CheckSame(Bert("BatchMatMulV2", {-1, 1, 1, 4}).def(), kEnds, Feeds(1, {3, 1, 1, 4}), kFused);  // makes more
    CheckSame(Bert("BatchMatMul").def(), kEnds, Feeds(2, {2, 1, 1, 4}), kFused);
    CheckSame(Bert("BatchMatMulV2", {1, 1, 1, 4}).def(), kEnds, Feeds(0, {1, 1, 1, 4}), kFused);
  }
  TEST_CASE("scores that are hidden or not numbers stay so") {
    std::vector<Tensor> feeds = Feeds(2, {2, 1, 1, 4});
    for (Index i = 0; i < 4; ++i) feeds[3].data<float>()[i] = -INFINITY;
    feeds[3].data<float>()[6] = -INFINITY;
    CheckSame(Bert().def(), kEnds, feeds, kFused);
    feeds[0].data<float>()[0] = NAN;
    CheckSame(Bert().def(), kEnds, feeds, kFused);
  }
  TEST_CASE("einsums with a boolean mask are one node") {
    Tensor mask(DataType::kBool, {2, 1, 1, 4});
    for (Index i = 0; i < 8; ++i) mask.data<bool>()[i] = i != 2 && i < 5;
    const std::vector<Tensor> feeds{Ramp({2, 3, 2, 5}, 0.3f), Ramp({2, 4, 2, 5}, 0.2f), Ramp({2, 4, 2, 6}, 0.5f), mask};
    const char* const fused =
        "k = Placeholder(); mask = Placeholder(); q = Placeholder(); v = Placeholder(); y = _FusedAttention(q, k, v, "
        "mask, scale)";
    CheckSame(Einsums("btnh,bsnh->bnts", "bnts,bsnh->btnh").b.graph_def(), kEnds, feeds, fused);
    CheckSame(Einsums("aecd,abcd->acbe", "aecd,acbe->abcd", true).b.graph_def(), kEnds, feeds, fused);
    CHECK(Stays(Einsums("btnh,bsnh->bnts", "bnts,bsnh->bhtn").b.graph_def(), kEnds));  // rows would not stay whole
    CHECK(Stays(Einsums("btnh,bsnh->bnts", "bnts,bsnh->bsnh").b.graph_def(), kEnds));  // another product
  }
  TEST_CASE("products of three axes, chains of steps and plain scores") {
    GraphBuilder b;
    const Output q = b.Placeholder("q", DataType::kFloat, {2, 3, 5}),
                 k = b.Placeholder("k", DataType::kFloat, {2, 5, 4}),
                 v = b.Placeholder("v", DataType::kFloat, {2, 4, 6}),
                 m = b.Placeholder("mask", DataType::kFloat, {3, 4});
    Output s = b.Add("BatchMatMulV2", "s", {q, k});
    s = b.Add("RealDiv", "d", {s, b.Const("c", Tensor::Scalar(2.0f))});
    s = b.Add("Tanh", "t", {s});
    s = b.Add("Sub", "u", {m, s});
    b.Add("BatchMatMulV2", "y", {b.Add("Softmax", "p", {s}), v});
    CheckSame(
        b.graph_def(), kEnds, {Ramp({2, 3, 5}, 0.3f), Ramp({2, 5, 4}, 0.2f), Ramp({2, 4, 6}, 0.5f), Ramp({3, 4}, 1)},
        "k = Placeholder(); mask = Placeholder(); q = Placeholder(); v = Placeholder(); y = _FusedAttention(q, k, "
        "v, mask, c)");
    GraphBuilder plain;
    const Output x = plain.Placeholder("q", DataType::kFloat, {2, 3, 5});
    plain.Add("BatchMatMulV2", "y",
              {plain.Add("Softmax", "p", {plain.Add("BatchMatMulV2", "s", {x, x}, {{"adj_y", true}})}), x});
    CheckSame(plain.graph_def(), {{"q"}, {"y"}}, {Ramp({2, 3, 5}, 0.3f)},
              "q = Placeholder(); y = _FusedAttention(q, q, q)");
  }
  TEST_CASE("other ranks, other types and exact runs stay") {
    CHECK(Stays(Bert("BatchMatMulV2", {}).def(), kEnds));
    CHECK(Stays(Bert("BatchMatMulV2", {1, 2, 1, 1, 4}).def(), kEnds));
    Bert bert;
    CHECK(Count(Optimize(bert.def(), kEnds, OptimizerOptions{.level = OptimizerLevel::kExact}).def,
                "_FusedAttention") == 0);
  }
  TEST_CASE("it leaves alone an attention with an inner node that ...") {
    SUBCASE("is fed") { CHECK(Stays(Bert().def(), {{"q", "k", "v", "mask", "scaled"}, {"y"}})); }
    SUBCASE("is fetched") { CHECK(Stays(Bert().def(), {{"q", "k", "v", "mask"}, {"y", "softmax"}})); }
    SUBCASE("is a target") { CHECK(Stays(Bert().def(), {{"q", "k", "v", "mask"}, {"y"}, {"scores"}})); }
    SUBCASE("waits for a node") {
      Bert bert;
      bert.b.AddControlInput(bert.sum, bert.b.Add("Exp", "e", {bert.mask}));
      CHECK(Stays(bert.def(), kEnds));
    }
    SUBCASE("is read elsewhere") {
      Bert bert;
      bert.b.Add("Neg", "z", {bert.scores});
      CHECK(Stays(bert.def(), {{"q", "k", "v", "mask"}, {"y", "z"}}));
    }
    SUBCASE("is in another frame") {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {2, 3, 3});
      const Output y = Loop(b, x, [&](Output in, Output) {
        return b.Add("Softmax", "p", {b.Add("BatchMatMulV2", "s", {in, in}, {{"adj_y", true}})});
      });
      b.Add("BatchMatMulV2", "y", {y, x});
      CHECK(Stays(CloseLoop(b.graph_def()), {{"x"}, {"y"}}));
    }
  }
}

}  // namespace attention_pass_test
