// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/layer_norm.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "optimize/optimizing.hpp"

namespace layer_norm_test {
using namespace optimize_test;

namespace {

const Names kPass{"remap"};

Tensor Ramp(const TensorShape& shape, float scale) {
  Tensor out(DataType::kFloat, shape);
  for (Index i = 0; i < out.NumElements(); ++i)
    out.data<float>()[i] = scale * (static_cast<float>((7 * i) % 11) - 5) + 0.01f * static_cast<float>(i);
  return out;
}
struct Net {
  explicit Net(std::int32_t axis = -1, const TensorShape& scale = {6}) {
    const Output a = b.Const("a", Tensor::From<std::int32_t>({axis}, {1}));
    mean = b.Add("Mean", "mean", {x, a}, {{"keep_dims", true}});
    variance = b.Add("Mean", "variance", {b.Add("SquaredDifference", "d", {x, mean}), a}, {{"keep_dims", true}});
    const Output r = b.Add("Rsqrt", "r", {b.Add("AddV2", "e", {variance, b.Const("eps", Tensor::Scalar(0.001f))})});
    const Output m = b.Add("Mul", "m", {r, b.Const("gamma", Ramp(scale, 0.2f))});
    const Output shift = b.Add("Sub", "s", {b.Const("beta", Ramp(scale, 0.3f)), b.Add("Mul", "n", {mean, m})});
    b.Add("AddV2", "y", {b.Add("Mul", "p", {x, m}), shift});
  }
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {2, 3, 6});
  Output mean, variance;
  GraphDef def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
};
const char* const kFused = "x = Placeholder(); y = _LayerNorm(x, gamma, beta)";
bool Stays(const GraphDef& def, const RunEnds& signature) {
  return Count(Optimize(def, signature, kPass).def, "_LayerNorm") == 0;
}

}  // namespace

TEST_SUITE("layer norms") {
  TEST_CASE("a normalisation of the last axis is one node") {
    Net net;
    const Optimized optimized = Optimize(net.def(), {{"x"}, {"y"}}, kPass);
    CHECK(Text(optimized.def) == kFused);
    CHECK(After(Net(2).def(), {{"x"}, {"y"}}, kPass) == kFused);
    const Tensor value = Ramp({2, 3, 6}, 1);
    const auto want = RunGraph(net.def(), {{"x"}, {"y"}}, {value}),
               got = RunGraph(optimized.def, {{"x"}, {"y"}}, {value});
    REQUIRE(want.ok());
    REQUIRE(got.ok());
    for (Index i = 0; i < value.NumElements(); ++i)
      CHECK(std::fabs((*want)[0].data<float>()[i] - (*got)[0].data<float>()[i]) < 1e-5f);
  }
  TEST_CASE("so is one with a negated mean and scales of several axes") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3, 6});
    const Output axis = b.Const("a", Tensor::From<std::int32_t>({2}, {1}));
    const Output mean = b.Add("Mean", "mean", {x, axis}, {{"keep_dims", true}});
    const Output variance =
        b.Add("Mean", "variance", {b.Add("SquaredDifference", "d", {x, mean}), axis}, {{"keep_dims", true}});
    const Output r = b.Add("Rsqrt", "r", {b.Add("AddV2", "e", {variance, b.Const("eps", Tensor::Scalar(0.001f))})});
    const Output m = b.Add("Mul", "m", {r, b.Const("gamma", Ramp({1, 1, 6}, 0.2f))});
    const Output shift =
        b.Add("AddV2", "s", {b.Add("Mul", "n", {b.Add("Neg", "neg", {mean}), m}), b.Const("beta", Ramp({1, 6}, 0.3f))});
    b.Add("AddV2", "y", {b.Add("Mul", "p", {x, m}), shift});
    const RunEnds ends{{"x"}, {"y"}};
    const Optimized optimized = Optimize(b.graph_def(), ends, {"remap", "constant_folding"});
    REQUIRE(optimized.status.ok());
    CHECK(Count(optimized.def, "_LayerNorm") == 1);
    CHECK(Count(optimized.def, "Mul") == 0);
    const Tensor value = Ramp({2, 3, 6}, 1);
    const auto want = RunGraph(b.graph_def(), ends, {value}), got = RunGraph(optimized.def, ends, {value});
    REQUIRE(want.ok());
    REQUIRE(got.ok());
    for (Index i = 0; i < value.NumElements(); ++i)
      CHECK(std::fabs((*want)[0].data<float>()[i] - (*got)[0].data<float>()[i]) < 1e-5f);
  }
  TEST_CASE("other axes, other scales and exact runs stay") {
    CHECK(Stays(Net(1).def(), {{"x"}, {"y"}}));
    CHECK(Stays(Net(-1, {3, 6}).def(), {{"x"}, {"y"}}));
    Net net;
    CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, OptimizerOptions{.level = OptimizerLevel::kExact}).def,
                "_LayerNorm") == 0);
  }
  TEST_CASE("it leaves alone a normalisation with an inner node that ...") {
    SUBCASE("is fed") { CHECK(Stays(Net().def(), {{"x", "variance"}, {"y"}})); }
    SUBCASE("is fetched") { CHECK(Stays(Net().def(), {{"x"}, {"y", "variance"}})); }
    SUBCASE("is a target") { CHECK(Stays(Net().def(), {{"x"}, {"y"}, {"variance"}})); }
    SUBCASE("waits for a node") {
      Net net;
      net.b.AddControlInput(net.variance, net.b.Add("Exp", "k", {net.x}));
      CHECK(Stays(net.def(), {{"x"}, {"y"}}));
    }
    SUBCASE("is read elsewhere") {
      Net net;
      net.b.Add("Neg", "z", {net.variance});
      CHECK(Stays(net.def(), {{"x"}, {"y", "z"}}));
    }
  }
}

}  // namespace layer_norm_test
