// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/fold_batch_norms.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "optimize/optimizing.hpp"

namespace fold_batch_norms_test {
using namespace optimize_test;

namespace {

const Names kPass{"fold_batch_norms"};

Tensor Ramp(const TensorShape& shape, float scale, float shift = 0) {
  Tensor out(DataType::kFloat, shape);
  for (Index i = 0; i < out.NumElements(); ++i)
    out.data<float>()[i] = scale * (static_cast<float>((7 * i) % 11) - 5) + shift;
  return out;
}

struct Net {
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {2, 5, 4, 2});
  Output Conv(bool depthwise) {
    return b.Add(depthwise ? "DepthwiseConv2dNative" : "Conv2D", "m",
                 {x, b.Const("w", Ramp(depthwise ? TensorShape{3, 3, 2, 3} : TensorShape{3, 3, 2, 6}, 0.1f))},
                 {{"strides", SlimVector<std::int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}});
  }
  Output Norm(Output in, bool training = false) {
    return b.Add("FusedBatchNormV3", "n",
                 {in, b.Const("scale", Ramp({6}, 0.1f, 1)), b.Const("offset", Ramp({6}, 0.2f)),
                  b.Const("mean", Ramp({6}, 0.05f)), b.Const("variance", Ramp({6}, 0.1f, 2))},
                 {{"is_training", training}, {"epsilon", 0.001f}});
  }
  GraphDef def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
};
const char* const kSame =
    "m = Conv2D(x, w); n = FusedBatchNormV3(m, scale, offset, mean, variance); x = Placeholder(); y = Relu(n)";

}  // namespace

TEST_SUITE("batch norms") {
  TEST_CASE("they become weights and a bias; the results differ by rounding alone") {
    for (const bool depthwise : {false, true}) {
      Net net;
      net.b.Add("Relu", "y", {net.Norm(net.Conv(depthwise))});
      const Optimized optimized = Optimize(net.def(), {{"x"}, {"y"}}, {"fold_batch_norms", "constant_folding"});
      CHECK(Count(optimized.def, "FusedBatchNormV3") == 0);
      CHECK(Count(optimized.def, "Mul") == 0);
      CHECK(Count(optimized.def, "BiasAdd") == 1);
      const Tensor value = Ramp({2, 5, 4, 2}, 1);
      const auto want = RunGraph(net.def(), {{"x"}, {"y"}}, {value}),
                 got = RunGraph(optimized.def, {{"x"}, {"y"}}, {value});
      REQUIRE(want.ok());
      REQUIRE(got.ok());
      float largest = 0, difference = 0;
      for (Index i = 0; i < (*want)[0].NumElements(); ++i) {
        largest = std::max(largest, std::fabs((*want)[0].data<float>()[i]));
        difference = std::max(difference, std::fabs((*want)[0].data<float>()[i] - (*got)[0].data<float>()[i]));
      }
      CHECK(difference <= 4 * largest * 1.2e-7f);
      CHECK(largest > 1);
    }
  }

  TEST_CASE("factors of channels become part of the weights, and constants behind a bias part of it") {
    struct Case {
      const char* op;
      TensorShape x, w, factor;
      bool biased;
    };
    for (const Case& c : std::vector<Case>{{"Conv2D", {2, 5, 4, 2}, {3, 3, 2, 6}, {6}, false},
                                           {"Conv2D", {2, 5, 4, 2}, {3, 3, 2, 6}, {1, 1, 1, 6}, true},
                                           {"Conv2D", {2, 5, 4, 2}, {3, 3, 2, 6}, {}, true},
                                           {"DepthwiseConv2dNative", {2, 5, 4, 2}, {3, 3, 2, 3}, {1, 6}, false},
                                           {"DepthwiseConv2dNative", {2, 5, 4, 2}, {3, 3, 2, 3}, {6}, true},
                                           {"MatMul", {4, 5}, {5, 6}, {1, 6}, false},
                                           {"MatMul", {4, 5}, {5, 6}, {1}, true}}) {
      CAPTURE(c.op);
      CAPTURE(c.factor.DebugString());
      CAPTURE(c.biased);
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape(c.x)), w = b.Const("w", Ramp(c.w, 0.1f));
      Output n =
          std::string_view(c.op) == "MatMul"
              ? b.Add(c.op, "m", {x, w})
              : b.Add(c.op, "m", {x, w}, {{"strides", SlimVector<std::int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}});
      if (c.biased) n = b.Add("BiasAdd", "b", {n, b.Const("before", Ramp({6}, 0.3f))});
      n = b.Add("Mul", "s", {b.Const("c", Ramp(c.factor, 0.4f, 3)), n});
      b.Add("Relu", "y", {b.Add("AddV2", "a", {n, b.Const("d", Ramp({1, 6}, 0.7f))})});
      REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
      const Optimized optimized = Optimize(b.graph_def(), {{"x"}, {"y"}}, {"fold_batch_norms", "constant_folding"});
      CHECK(Count(optimized.def, "Mul") == 0);
      CHECK(Count(optimized.def, "AddV2") == (c.biased ? 0 : 1));
      const Tensor value = Ramp(c.x, 1);
      const auto want = RunGraph(b.graph_def(), {{"x"}, {"y"}}, {value}),
                 got = RunGraph(optimized.def, {{"x"}, {"y"}}, {value});
      REQUIRE(want.ok());
      REQUIRE(got.ok());
      float largest = 0, difference = 0;
      for (Index i = 0; i < (*want)[0].NumElements(); ++i) {
        largest = std::max(largest, std::fabs((*want)[0].data<float>()[i]));
        difference = std::max(difference, std::fabs((*want)[0].data<float>()[i] - (*got)[0].data<float>()[i]));
      }
      CHECK(difference <= 8 * largest * 1.2e-7f);
      CHECK(largest > 1);
    }
  }
  TEST_CASE("a factor stays that ...") {
    Net net;
    const Output m = net.Conv(false);
    const auto kept = [&](const Names& feeds, const Names& fetches, std::string_view op = "Mul") {
      REQUIRE_MESSAGE(net.b.status().ok(), net.b.status().ToString());
      return Count(Optimize(net.b.graph_def(), {feeds, fetches}, kPass).def, op) == 1;
    };
    const auto times = [&](const Tensor& c) {
      net.b.Add("Relu", "y", {net.b.Add("Mul", "s", {m, net.b.Const("c", c)})});
    };
    SUBCASE("is fed") {
      times(Ramp({6}, 1));
      CHECK(kept({"x", "c"}, {"y"}));
    }
    SUBCASE("is fetched, or whose product is") {
      times(Ramp({6}, 1));
      CHECK(kept({"x"}, {"y", "s"}));
      CHECK(kept({"x"}, {"y", "m"}));
    }
    SUBCASE("is not one number for a channel") {
      times(Ramp({5, 4, 6}, 1));
      CHECK(kept({"x"}, {"y"}));
    }
    SUBCASE("adds an axis") {
      times(Ramp({1, 1, 1, 1, 6}, 1));
      CHECK(kept({"x"}, {"y"}));
    }
    SUBCASE("multiplies what another node reads") {
      times(Ramp({6}, 1));
      net.b.Add("Neg", "z", {m});
      CHECK(kept({"x"}, {"y", "z"}));
    }
  }

  TEST_CASE("they stay where bits must stay, in training, and where statistics are read") {
    Net net;
    net.b.Add("Relu", "y", {net.Norm(net.Conv(false))});
    CHECK(Text(Optimize(net.def(), {{"x"}, {"y"}}, OptimizerOptions{.level = OptimizerLevel::kExact}).def) ==
          "m = Conv2D(x, w); n = FusedBatchNormV3(m, scale, offset, mean, variance); x = Placeholder(); y = Relu(n)");
    Net training;
    training.b.Add("Relu", "y", {training.Norm(training.Conv(false), true)});
    CHECK(After(training.def(), {{"x"}, {"y"}}, kPass) == kSame);
    Net statistics;
    const Output n = statistics.Norm(statistics.Conv(false));
    statistics.b.Add("Relu", "y", {n});
    statistics.b.Add("Neg", "z", {n[1]});
    CHECK(Count(Optimize(statistics.def(), {{"x"}, {"y", "z"}}, kPass).def, "FusedBatchNormV3") == 1);
  }

  TEST_CASE("it leaves alone a convolution or normalisation that ...") {
    Net net;
    const Output m = net.Conv(false), n = net.Norm(m);
    net.b.Add("Relu", "y", {n});
    SUBCASE("is fed") { CHECK(Count(Optimize(net.def(), {{"m"}, {"y"}}, kPass).def, "FusedBatchNormV3") == 1); }
    SUBCASE("has fed weights") { CHECK(After(net.def(), {{"x", "w"}, {"y"}}, kPass) == kSame); }
    SUBCASE("is fetched") {
      CHECK(After(net.def(), {{"x"}, {"y", "m"}}, kPass) == kSame);
      CHECK(After(net.def(), {{"x"}, {"y", "n"}}, kPass) == kSame);
    }
    SUBCASE("is a target") { CHECK(After(net.def(), {{"x"}, {"y"}, {"n"}}, kPass) == kSame); }
    SUBCASE("waits for a node") {
      net.b.AddControlInput(m, net.b.Add("Exp", "e", {net.x}));
      CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, kPass).def, "FusedBatchNormV3") == 1);
    }
    SUBCASE("is in another frame") {
      Net loop;
      const Output out = Loop(loop.b, loop.Conv(false), [&](Output v, Output) { return loop.b.Add("Neg", "k", {v}); });
      loop.b.Add("Relu", "y", {loop.Norm(out)});
      CHECK(Count(Optimize(CloseLoop(loop.def()), {{"x"}, {"y"}}, kPass).def, "FusedBatchNormV3") == 1);
    }
  }
}

}  // namespace fold_batch_norms_test
