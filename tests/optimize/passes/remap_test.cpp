// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/remap.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "optimize/optimizing.hpp"

namespace remap_test {
using namespace optimize_test;

namespace {

const Names kPass{"remap", "products"};

Tensor Ramp(const TensorShape& shape, float scale) {
  Tensor out(DataType::kFloat, shape);
  for (Index i = 0; i < out.NumElements(); ++i)
    out.data<float>()[i] = scale * (static_cast<float>((7 * i) % 11) - 5) + 0.01f * static_cast<float>(i);
  return out;
}

struct Layers {
  explicit Layers(PartialTensorShape shape = {4, 5}) : x(b.Placeholder("x", DataType::kFloat, std::move(shape))) {}
  GraphBuilder b;
  Output x;
  Output MatMul(const char* name) { return b.Add("MatMul", name, {x, b.Const("w", Ramp({5, 6}, 0.1f))}); }
  Output Conv(const char* name) {
    return b.Add("Conv2D", name, {x, b.Const("w", Ramp({3, 3, 2, 6}, 0.1f))},
                 {{"strides", SlimVector<std::int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}});
  }
  Output Bias() { return b.Const("bias", Ramp({6}, 0.3f)); }
  GraphDef def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
};

}  // namespace

TEST_SUITE("remap") {
  TEST_CASE("a product or convolution, its bias and its activation are one node, with equal bits") {
    for (const bool conv : {false, true}) {
      const char* const fused = conv ? "_FusedConv2D" : "_FusedMatMul";
      for (const char* sum : {"BiasAdd", "AddV2", "Add"}) {
        for (const char* activation : {"", "Relu", "Relu6", "LeakyRelu"}) {
          CAPTURE(fused);
          CAPTURE(sum);
          CAPTURE(activation);
          Layers layers(conv ? PartialTensorShape{2, 5, 4, 2} : PartialTensorShape{4, 5});
          const Output product = conv ? layers.Conv("m") : layers.MatMul("m");
          const std::string name = *activation == '\0' ? "y" : "s";
          const Output s = layers.b.Add(sum, name, {product, layers.Bias()});
          if (*activation != '\0') layers.b.Add(activation, "y", {s});
          const Tensor value = conv ? Ramp({2, 5, 4, 2}, 1) : Ramp({4, 5}, 1);
          CHECK(Text(CheckExact(layers.def(), {{"x"}, {"y"}}, {value}, kPass).def) ==
                StrCat("x = Placeholder(); y = ", fused, "(x, w, bias)"));
        }
      }
    }
  }

  TEST_CASE("activations that round in another way are for the level that allows it") {
    for (const char* activation : {"Elu", "Tanh", "Sigmoid"}) {
      Layers layers;
      layers.b.Add(activation, "y", {layers.b.Add("BiasAdd", "s", {layers.MatMul("m"), layers.Bias()})});
      CHECK(After(layers.def(), {{"x"}, {"y"}}, kPass) == "x = Placeholder(); y = _FusedMatMul(x, w, bias)");
      CHECK(After(layers.def(), {{"x"}, {"y"}}, kPass, OptimizerLevel::kExact) ==
            StrCat("s = _FusedMatMul(x, w, bias); x = Placeholder(); y = ", activation, "(s)"));
    }
  }

  TEST_CASE("a transposed operand is an attr of the product") {
    for (const bool first : {true, false}) {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {5, 4}), w = b.Const("w", Ramp({5, 6}, 0.1f));
      const Output t = b.Add("Transpose", "t", {first ? x : w, b.Const("p", Tensor::From<std::int32_t>({1, 0}, {2}))});
      b.Add("MatMul", "y", {first ? t : x, first ? w : t}, {{"transpose_a", !first}, {"transpose_b", false}});
      const GraphDef def = b.graph_def();
      if (first)
        CHECK(Text(CheckExact(def, {{"x"}, {"y"}}, {Ramp({5, 4}, 1)}, kPass).def) ==
              "x = Placeholder(); y = MatMul(x, w)");
    }
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3, 5, 4}), w = b.Const("w", Ramp({3, 6, 5}, 0.1f));
    const Output p = b.Const("p", Tensor::From<std::int32_t>({0, 2, 1}, {3}));
    b.Add("BatchMatMulV2", "y", {b.Add("Transpose", "t", {x, p}), b.Add("Transpose", "u", {w, p})});
    const Optimized optimized = CheckExact(b.graph_def(), {{"x"}, {"y"}}, {Ramp({3, 5, 4}, 1)}, kPass);
    CHECK(Text(optimized.def) == "x = Placeholder(); y = BatchMatMulV2(x, w)");
  }

  TEST_CASE("what may not fit stays") {
    Layers wide;
    wide.b.Add("AddV2", "y", {wide.MatMul("m"), wide.b.Const("bias", Ramp({4, 6}, 1))});
    CHECK(After(wide.def(), {{"x"}, {"y"}}, kPass) == "m = MatMul(x, w); x = Placeholder(); y = AddV2(m, bias)");
    GraphBuilder empty;
    empty.Add("BiasAdd", "y",
              {empty.Add("MatMul", "m",
                         {empty.Placeholder("x", DataType::kFloat, {4, 0}),
                          empty.Const("w", Tensor(DataType::kFloat, {0, 6}))}),
               empty.Const("bias", Ramp({6}, 1))});
    CHECK(After(empty.graph_def(), {{"x"}, {"y"}}, kPass) ==
          "m = MatMul(x, w); x = Placeholder(); y = BiasAdd(m, bias)");
    GraphBuilder doubles;
    doubles.Add("BiasAdd", "y",
                {doubles.Add("MatMul", "m",
                             {doubles.Placeholder("x", DataType::kDouble, {4, 1}),
                              doubles.Const("w", Tensor::From<double>({1.0}, {1, 1}))}),
                 doubles.Const("bias", Tensor::From<double>({1.0}, {1}))});
    CHECK(After(doubles.graph_def(), {{"x"}, {"y"}}, kPass) ==
          "m = MatMul(x, w); x = Placeholder(); y = BiasAdd(m, bias)");
    Layers read_twice;
    const Output m = read_twice.MatMul("m");
    read_twice.b.Add("BiasAdd", "y", {m, read_twice.Bias()});
    read_twice.b.Add("Neg", "z", {m});
    CHECK(After(read_twice.def(), {{"x"}, {"y", "z"}}, kPass) ==
          "m = MatMul(x, w); x = Placeholder(); y = BiasAdd(m, bias); z = Neg(m)");
  }

  TEST_CASE("it leaves alone a product that ...") {
    const auto graph = [](bool control) {
      Layers layers;
      const Output m = layers.MatMul("m");
      if (control) layers.b.AddControlInput(m, layers.b.Add("Exp", "e", {layers.x}));
      layers.b.Add("BiasAdd", "y", {m, layers.Bias()});
      return layers.def();
    };
    const std::string same = "m = MatMul(x, w); x = Placeholder(); y = BiasAdd(m, bias)";
    SUBCASE("is fed") { CHECK(After(graph(false), {{"m"}, {"y"}}, kPass) == "m = MatMul(); y = BiasAdd(m, bias)"); }
    SUBCASE("is fetched") { CHECK(After(graph(false), {{"x"}, {"y", "m"}}, kPass) == same); }
    SUBCASE("is a target") { CHECK(After(graph(false), {{"x"}, {"y"}, {"m"}}, kPass) == same); }
    SUBCASE("waits for a node") {
      CHECK(After(graph(true), {{"x"}, {"y"}}, kPass) ==
            "e = Exp(x); m = MatMul(x, w, ^e); x = Placeholder(); y = BiasAdd(m, bias)");
    }
    SUBCASE("is in another frame") {
      Layers layers({4, 6});
      const Output out = Loop(layers.b, layers.x, [&](Output v, Output one) {
        const Output w = layers.b.Const("w", Ramp({6, 6}, 0.1f));
        layers.b.AddControlInput(w, one);
        return layers.b.Add("MatMul", "m", {v, w});
      });
      layers.b.Add("BiasAdd", "y", {out, layers.Bias()});
      const std::string text = After(CloseLoop(layers.def()), {{"x"}, {"y"}}, kPass);
      CHECK(text.find("m = MatMul(loop/switch:1, w)") != std::string::npos);
      CHECK(text.find("y = BiasAdd(loop/exit, bias)") != std::string::npos);
    }
  }
}

}  // namespace remap_test
