// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/quantization.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "optimize/optimizing.hpp"

namespace quantization_test {
using namespace optimize_test;

namespace {

const Names kPass{"quantization"};

Tensor Ramp(const TensorShape& shape, float scale, float shift = 0) {
  Tensor out(DataType::kFloat, shape);
  for (Index i = 0; i < out.NumElements(); ++i)
    out.data<float>()[i] = scale * (static_cast<float>((7 * i) % 23) - 11) + shift;
  return out;
}

struct Net {
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {2, 6, 5, 4});

  Output Fake(const std::string& name, Output in, float low, float high,
              std::string_view op = "FakeQuantWithMinMaxVars") {
    if (op == "FakeQuantWithMinMaxArgs") return b.Add(op, name, {in}, {{"min", low}, {"max", high}});
    return b.Add(op, name,
                 {in, b.Const(name + "/low", Tensor::Scalar(low)), b.Const(name + "/high", Tensor::Scalar(high))});
  }
  Output Conv(const std::string& name, Output in, Output w, std::string_view op = "Conv2D", std::int64_t stride = 1) {
    return b.Add(op, name, {in, w}, {{"strides", SlimVector<std::int64_t>{1, stride, stride, 1}}, {"padding", "SAME"}});
  }
  Output xq;
  // A convolution as it is trained for 8 bits, of FakeQuant "xq" by "wq".
  Output Layer(std::string_view op = "Conv2D") {
    const bool depthwise = op == "DepthwiseConv2dNative";
    const Output w = b.Const("w", Ramp({3, 3, 4, depthwise ? 1 : 6}, 0.04f));
    xq = Fake("xq", x, -2, 2);
    return Conv("m", xq, Fake("wq", w, -0.5f, 0.5f), op);
  }
  GraphDef def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
};

// The part of the elements that differ by more than rounding, and the largest difference.
void Compare(const GraphDef& before, const GraphDef& after, const Tensor& value, double* part, double* most) {
  const RunEnds ends{{"x"}, {"y"}};
  const auto want = RunGraph(before, ends, {value}), got = RunGraph(after, ends, {value});
  REQUIRE_MESSAGE(want.ok(), want.status().ToString());
  REQUIRE_MESSAGE(got.ok(), got.status().ToString());
  REQUIRE((*want)[0].shape() == (*got)[0].shape());
  Index far = 0;
  float largest = 0;
  for (Index i = 0; i < (*want)[0].NumElements(); ++i)
    largest = std::max(largest, std::fabs((*want)[0].data<float>()[i]));
  CHECK(largest > 0.5f);
  for (Index i = 0; i < (*want)[0].NumElements(); ++i) {
    const double difference = std::fabs(static_cast<double>((*want)[0].data<float>()[i] - (*got)[0].data<float>()[i]));
    *most = std::max(*most, difference);
    far += difference > static_cast<double>(largest) * 2e-6 ? 1 : 0;
  }
  *part = static_cast<double>(far) / static_cast<double>((*want)[0].NumElements());
}
const char* const kSame =
    "m = Conv2D(xq, wq); wq = FakeQuantWithMinMaxVars(w, wq/low, wq/high); x = Placeholder(); "
    "xq = FakeQuantWithMinMaxVars(x, xq/low, xq/high); y = Relu(m)";

}  // namespace

TEST_SUITE("quantization") {
  TEST_CASE("a layer with its bias, normalisation and activation multiplies bytes; results differ by rounding alone") {
    if (!HasFastInt8()) return;
    for (const std::string_view op : {"Conv2D", "DepthwiseConv2dNative"}) {
      const Index channels = op == "Conv2D" ? 6 : 4;
      for (const bool normalised : {false, true}) {
        Net net;
        Output n = net.b.Add("BiasAdd", "bias", {net.Layer(op), net.b.Const("c", Ramp({channels}, 0.1f))});
        if (normalised) {
          n = net.b.Add(
              "FusedBatchNormV3", "n",
              {n, net.b.Const("scale", Ramp({channels}, 0.05f, 1)), net.b.Const("offset", Ramp({channels}, 0.2f)),
               net.b.Const("mean", Ramp({channels}, 0.05f)), net.b.Const("variance", Ramp({channels}, 0.1f, 2))},
              {{"is_training", false}, {"epsilon", 0.001f}});
        } else {
          n = net.b.Add("Mul", "s", {net.b.Const("factor", Ramp({1, 1, 1, channels}, 0.05f, 1)), n});
        }
        net.b.Add("Relu6", "y", {n});
        const Optimized optimized = Optimize(net.def(), {{"x"}, {"y"}}, kPass);
        const std::string made = op == "Conv2D" ? "_Int8Conv2D" : "_Int8DepthwiseConv2D";
        CHECK_MESSAGE(
            Text(optimized.def).find("x = Placeholder(); xq/opt_0 = _QuantizeUint8(x); y = " + made + "(xq/opt_0") == 0,
            Text(optimized.def));
        double part = 0, most = 0;
        Compare(net.def(), optimized.def, Ramp({2, 6, 5, 4}, 0.21f), &part, &most);
        CHECK(part == 0);
        const Optimized again = Optimize(optimized.def, {{"x"}, {"y"}}, kPass);
        CHECK(Text(again.def) == Text(optimized.def));
      }
    }
  }

  TEST_CASE("a network keeps bytes from layer to layer; few numbers fall one step beside") {
    if (!HasFastInt8()) return;
    Net net;
    Output n =
        net.b.Add("Relu6", "r1", {net.b.Add("BiasAdd", "b1", {net.Layer(), net.b.Const("c1", Ramp({6}, 0.1f))})});
    n = net.Fake("q1", n, 0, 6);
    const Output d = net.b.Const("d", Ramp({3, 3, 6, 1}, 0.04f));
    n = net.Conv("m2", n, net.Fake("dq", d, -0.5f, 0.5f, "FakeQuantWithMinMaxArgs"), "DepthwiseConv2dNative", 2);
    n = net.Fake("q2", n, -3, 5, "FakeQuantWithMinMaxArgs");
    const Output p = net.b.Const("p", Ramp({1, 1, 6, 8}, 0.04f));
    const Output pq =
        net.b.Add("FakeQuantWithMinMaxVarsPerChannel", "pq",
                  {p, net.b.Const("lows", Ramp({8}, 0.001f, -0.5f)), net.b.Const("highs", Ramp({8}, -0.001f, 0.5f))},
                  {{"narrow_range", true}});
    n = net.Conv("m3", n, pq);
    const Output shape = net.b.Const("shape", Tensor::From<std::int32_t>({2, 72}, TensorShape{2}));
    n = net.b.Add("Reshape", "flat", {net.b.Add("Identity", "i", {n}), shape});
    const Output f = net.b.Const("f", Ramp({72, 5}, 0.04f));
    n = net.b.Add("MatMul", "m4", {net.Fake("q4", n, -4, 4), net.Fake("fq", f, -0.5f, 0.5f)});
    net.b.Add("AddV2", "y", {n, net.b.Const("c4", Ramp({5}, 0.1f))});
    const Optimized optimized = Optimize(net.def(), {{"x"}, {"y"}}, {"pruning", "quantization"});
    CHECK(Count(optimized.def, "_Int8Conv2D") == 2);
    CHECK(Count(optimized.def, "_Int8DepthwiseConv2D") == 1);
    CHECK(Count(optimized.def, "_Int8MatMul") == 1);
    CHECK(Count(optimized.def, "_QuantizeUint8") == 2);  // of x, and behind the Reshape
    CHECK(Count(optimized.def, "_DequantizeUint8") == 0);
    CHECK(Count(optimized.def, "FakeQuantWithMinMaxVars") == 0);
    double part = 0, most = 0;
    Compare(net.def(), optimized.def, Ramp({2, 6, 5, 4}, 0.21f), &part, &most);
    CHECK(most < 0.2);  // a step is 8 / 255 and less, a weight 0.5 at most
  }

  TEST_CASE("numbers that other nodes read come from the bytes, with their bits") {
    if (!HasFastInt8()) return;
    Net net;
    const Output m = net.Layer();
    net.b.Add("Relu", "y", {m});
    net.b.Add("Neg", "z", {net.xq});
    const RunEnds ends{{"x"}, {"xq", "z"}};
    const GraphDef def = net.def();
    const Optimized optimized = Optimize(def, {{"x"}, {"y", "xq", "z"}}, kPass);
    CHECK(Text(optimized.def).find("xq = _DequantizeUint8(xq/opt_0); xq/opt_0 = _QuantizeUint8(x); y = _Int8Conv2D(") !=
          std::string::npos);
    const Tensor value = Ramp({2, 6, 5, 4}, 0.21f);
    const auto want = RunGraph(def, ends, {value}), got = RunGraph(optimized.def, ends, {value});
    REQUIRE(want.ok());
    REQUIRE(got.ok());
    for (std::size_t i = 0; i < 2; ++i) CHECK(SameTensor((*want)[i], (*got)[i]));
  }

  TEST_CASE("bits stay where they must") {
    Net net;
    net.b.Add("Relu", "y", {net.Layer()});
    CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, OptimizerOptions{.level = OptimizerLevel::kExact}).def, "Conv2D") +
              Count(Optimize(net.def(), {{"x"}, {"y"}}, OptimizerOptions{.level = OptimizerLevel::kExact}).def,
                    "_FusedProducer") ==
          1);
  }

  TEST_CASE("it leaves alone a layer that ...") {
    Net net;
    net.b.Add("Relu", "y", {net.Layer()});
    const GraphDef def = net.def();
    SUBCASE("is fed") { CHECK(After(def, {{"m"}, {"y"}}, kPass) == "m = Conv2D(); y = Relu(m)"); }
    SUBCASE("reads fed bytes or weights") {
      CHECK(Count(Optimize(def, {{"xq"}, {"y"}}, kPass).def, "Conv2D") == 1);
      CHECK(After(def, {{"x", "w"}, {"y"}}, kPass) == kSame);
      CHECK(After(def, {{"x", "xq/low"}, {"y"}}, kPass) == kSame);
    }
    SUBCASE("waits for another layer") {
      net.b.AddControlInput(net.xq, net.b.Add("Exp", "e", {net.x}));
      CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, kPass).def, "Conv2D") == 1);
    }
    SUBCASE("has weights of more than 8 bits, or beyond them") {
      for (const std::int64_t bits : {8, 9}) {
        Net other;
        const Output w = other.b.Const("w", Ramp({3, 3, 4, 6}, 0.08f));
        const Output wq = other.b.Add("FakeQuantWithMinMaxArgs", "wq", {w},
                                      {{"min", -0.1f}, {"max", bits == 8 ? 0.9f : 0.1f}, {"num_bits", bits}});
        other.b.Add("Relu", "y", {other.Conv("m", other.Fake("xq", other.x, -2, 2), wq)});
        CHECK(Count(Optimize(other.def(), {{"x"}, {"y"}}, kPass).def, "Conv2D") == 1);
      }
    }
    SUBCASE("is in another frame") {
      Net other;
      const Output out = Loop(other.b, other.x, [&](Output v, Output) {
        const Output w = other.b.Const("w", Ramp({3, 3, 4, 4}, 0.04f));
        other.b.AddControlInput(w, v);
        return other.Conv("m", other.Fake("xq", v, -2, 2, "FakeQuantWithMinMaxArgs"),
                          other.Fake("wq", w, -0.5f, 0.5f, "FakeQuantWithMinMaxArgs"));
      });
      other.b.Add("Relu", "y", {out});
      const Optimized optimized = Optimize(CloseLoop(other.def()), {{"x"}, {"y"}}, kPass);
      CHECK_MESSAGE(optimized.status.ok(), optimized.status.ToString());
      CHECK(Count(optimized.def, "Conv2D") == 1);
    }
  }

  TEST_CASE("a layer keeps what follows when another node reads its sums, or they are a target") {
    if (!HasFastInt8()) return;
    Net net;
    const Output m = net.Layer();
    net.b.Add("Relu", "y", {m});
    net.b.Add("Neg", "z", {m});
    CHECK(Count(Optimize(net.def(), {{"x"}, {"y", "z"}}, kPass).def, "Relu") == 1);
    CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}, {"m"}}, kPass).def, "Relu") == 1);
    CHECK(Count(Optimize(net.def(), {{"x"}, {"y", "m"}}, kPass).def, "_Int8Conv2D") == 1);
  }
}

}  // namespace quantization_test
