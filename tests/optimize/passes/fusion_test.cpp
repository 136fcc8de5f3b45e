// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/fusion.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace fusion_test {
using namespace optimize_test;

namespace {

const Names kPass{"fusion"};

Tensor Ramp(const TensorShape& shape, float scale) {
  Tensor out(DataType::kFloat, shape);
  for (Index i = 0; i < out.NumElements(); ++i)
    out.data<float>()[i] = scale * (static_cast<float>((7 * i) % 11) - 5) + 0.01f * static_cast<float>(i);
  return out;
}

struct Net {
  explicit Net(PartialTensorShape shape = {4, 6}) : x(b.Placeholder("x", DataType::kFloat, std::move(shape))) {}
  GraphBuilder b;
  Output x;
  Output Const(const char* name, const TensorShape& shape, float scale = 0.2f) {
    return b.Const(name, Ramp(shape, scale));
  }
  Output Conv(const char* name, Output in, bool depthwise = false) {
    return b.Add(depthwise ? "DepthwiseConv2dNative" : "Conv2D", name,
                 {in, Const(StrCat(name, "/w").c_str(), depthwise ? TensorShape{3, 3, 4, 1} : TensorShape{3, 3, 4, 4})},
                 {{"strides", SlimVector<std::int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}});
  }
  GraphDef def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
};

}  // namespace

TEST_SUITE("fusion") {
  TEST_CASE("five element-wise ops are one node, with equal bits") {
    Net net;
    const Output s = net.b.Add("AddV2", "s", {net.b.Add("Mul", "m", {net.x, net.Const("c", {6})}), net.Const("d", {})});
    net.b.Add("Tanh", "y", {net.b.Add("Square", "q", {net.b.Add("Sigmoid", "g", {s})})});
    CHECK(Text(CheckExact(net.def(), {{"x"}, {"y"}}, {Ramp({4, 6}, 0.3f)}, kPass).def) ==
          "x = Placeholder(); y = _FusedElementwise(x, c, d)");
  }

  TEST_CASE("a value that two of the nodes read is computed once") {
    Net net;
    const Output half = net.b.Add("Mul", "h", {net.x, net.Const("c", {})});
    const Output erf = net.b.Add("Erf", "e", {net.b.Add("RealDiv", "d", {half, net.Const("r", {})})});
    net.b.Add("Mul", "y", {half, net.b.Add("AddV2", "p", {erf, net.Const("one", {})})});
    CHECK(Text(CheckExact(net.def(), {{"x"}, {"y"}}, {Ramp({4, 6}, 0.3f)}, kPass).def) ==
          "x = Placeholder(); y = _FusedElementwise(x, c, r, one)");
  }

  TEST_CASE("convolutions and products take up all that follows, residual sums too") {
    for (const bool depthwise : {false, true}) {
      for (const char* activation : {"Relu", "Relu6", "Elu", "LeakyRelu", "Tanh", "Sigmoid", "Softplus", "Selu"}) {
        CAPTURE(activation);
        Net net({2, 5, 4, 4});
        const Output biased = net.b.Add("BiasAdd", "s", {net.Conv("m", net.x, depthwise), net.Const("bias", {4})});
        net.b.Add(activation, "y", {net.b.Add("AddV2", "r", {biased, net.x})});
        CHECK(Text(CheckExact(net.def(), {{"x"}, {"y"}}, {Ramp({2, 5, 4, 4}, 0.3f)}, kPass).def) ==
              "x = Placeholder(); y = _FusedProducer(x, m/w, bias, x)");
      }
    }
    Net swish;
    const Output product = swish.b.Add("MatMul", "m", {swish.x, swish.Const("w", {6, 3})});
    const Output s = swish.b.Add("BiasAdd", "s", {product, swish.Const("bias", {3})});
    swish.b.Add("Mul", "y", {s, swish.b.Add("Sigmoid", "g", {s})});
    CHECK(Text(CheckExact(swish.def(), {{"x"}, {"y"}}, {Ramp({4, 6}, 0.3f)}, kPass).def) ==
          "x = Placeholder(); y = _FusedProducer(x, w, bias)");
    Net batch({3, 4, 6});
    batch.b.Add("Mul", "y",
                {batch.b.Add("BatchMatMulV2", "m", {batch.x, batch.x}, {{"adj_y", true}}), batch.Const("scale", {})});
    CHECK(Text(CheckExact(batch.def(), {{"x"}, {"y"}}, {Ramp({3, 4, 6}, 0.3f)}, kPass).def) ==
          "x = Placeholder(); y = _FusedProducer(x, x, scale)");
  }

  TEST_CASE("two convolutions and their sum: the later one takes it up") {
    Net net({2, 5, 4, 4});
    const Output first = net.b.Add("BiasAdd", "s", {net.Conv("m", net.x), net.Const("bias", {4})});
    net.b.Add("Relu", "y", {net.b.Add("AddV2", "r", {first, net.Conv("n", net.x)})});
    CHECK(Text(CheckExact(net.def(), {{"x"}, {"y"}}, {Ramp({2, 5, 4, 4}, 0.3f)}, kPass).def) ==
          "s = _FusedProducer(x, m/w, bias); x = Placeholder(); y = _FusedProducer(x, n/w, s)");
  }

  TEST_CASE("a bias stays with its own convolution") {
    Net net({2, 5, 4, 4});
    const Output first = net.b.Add("BiasAdd", "s", {net.Conv("m", net.x), net.Const("bias", {4})});
    const Output second = net.b.Add("BiasAdd", "t", {net.Conv("n", net.x), net.Const("other", {4})});
    net.b.Add("Relu", "y", {net.b.Add("AddV2", "r", {first, second})});
    CHECK(Text(CheckExact(net.def(), {{"x"}, {"y"}}, {Ramp({2, 5, 4, 4}, 0.3f)}, kPass).def) ==
          "s = _FusedProducer(x, m/w, bias); x = Placeholder(); y = _FusedProducer(x, n/w, other, s)");
  }

  TEST_CASE("the value of a variable may be read before the convolution or after it") {
    for (const bool before : {false, true}) {
      CAPTURE(before);
      Net net({2, 5, 4, 4});
      const auto read = [&net] {
        const Output handle = net.b.Add("VarHandleOp", "v", std::initializer_list<GraphBuilder::Input>{},
                                        {{"dtype", DataType::kFloat}, {"shape", TensorShape{4}}});
        return net.b.Add("ReadVariableOp", "bias", {handle}, {{"dtype", DataType::kFloat}});
      };
      const Output first = before ? read() : Output();
      const Output product = net.Conv("m", net.x);
      net.b.Add("Relu", "y", {net.b.Add("BiasAdd", "s", {product, before ? first : read()})});
      CHECK(After(net.def(), {{"x"}, {"y"}}, kPass) ==
            "bias = ReadVariableOp(v); v = VarHandleOp(); x = Placeholder(); y = _FusedProducer(x, m/w, bias)");
    }
  }

  TEST_CASE("a size that is not known may still broadcast in a run") {
    Net net({-1, 6});
    const Output z = net.b.Placeholder("z", DataType::kFloat, {-1, 6});
    net.b.Add("Tanh", "y", {net.b.Add("AddV2", "s", {net.x, z})});
    const GraphDef def = net.def();
    const Optimized optimized = CheckExact(def, {{"x", "z"}, {"y"}}, {Ramp({4, 6}, 0.3f), Ramp({1, 6}, 0.1f)}, kPass);
    CHECK(Count(optimized.def, "_FusedElementwise") == 1);
    const RunEnds ends{{"x", "z"}, {"y"}};
    CHECK_FALSE(RunGraph(optimized.def, ends, {Ramp({4, 6}, 1), Ramp({3, 6}, 1)}).ok());
    CHECK(RunGraph(def, ends, {Ramp({4, 6}, 1), Ramp({3, 6}, 1)}).status().code() ==
          RunGraph(optimized.def, ends, {Ramp({4, 6}, 1), Ramp({3, 6}, 1)}).status().code());
  }

  TEST_CASE("other types, axes and readers stay") {
    GraphBuilder ints;
    ints.Add("Neg", "y", {ints.Add("Abs", "a", {ints.Placeholder("x", DataType::kInt32, {4})})});
    CHECK(After(ints.graph_def(), {{"x"}, {"y"}}, kPass) == "a = Abs(x); x = Placeholder(); y = Neg(a)");
    Net column;
    column.b.Add("Relu", "y", {column.b.Add("Mul", "m", {column.x, column.Const("c", {4, 1})})});
    CHECK(After(column.def(), {{"x"}, {"y"}}, kPass) == "m = Mul(x, c); x = Placeholder(); y = Relu(m)");
    Net twice;
    const Output m = twice.b.Add("Exp", "m", {twice.x});
    twice.b.Add("Relu", "y", {twice.b.Add("Neg", "n", {m})});
    twice.b.Add("Rank", "z", {m});
    CHECK(After(twice.def(), {{"x"}, {"y", "z"}}, kPass) ==
          "m = Exp(x); x = Placeholder(); y = _FusedElementwise(m); z = Rank(m)");
    Net bias;
    bias.b.Add("Relu", "y", {bias.b.Add("BiasAdd", "s", {bias.x, bias.b.Placeholder("v", DataType::kFloat, {-1})})});
    CHECK(After(bias.def(), {{"x", "v"}, {"y"}}, kPass) ==
          "s = BiasAdd(x, v); v = Placeholder(); x = Placeholder(); y = Relu(s)");
  }

  TEST_CASE("shapes need not be known where one value gives them all") {
    Net net{PartialTensorShape()};
    const Output half = net.b.Add("Mul", "h", {net.Const("c", {}), net.x});
    net.b.Add("Mul", "y", {half, net.b.Add("Tanh", "t", {net.b.Add("AddV2", "s", {net.x, net.Const("d", {})})})});
    CHECK(Text(CheckExact(net.def(), {{"x"}, {"y"}}, {Ramp({4, 6}, 0.3f)}, kPass).def) ==
          "x = Placeholder(); y = _FusedElementwise(x, c, d)");
    Net two{PartialTensorShape()};
    const Output z = two.b.Placeholder("z", DataType::kFloat, PartialTensorShape());
    two.b.Add("Tanh", "y", {two.b.Add("AddV2", "s", {two.x, z})});
    CHECK(Count(Optimize(two.def(), {{"x", "z"}, {"y"}}, kPass).def, "_FusedElementwise") == 0);
  }

  TEST_CASE("a node that asks for a kernel by its label stays") {
    Net net;
    net.b.Add("Relu", "y", {net.b.Add("Exp", "m", {net.x}, {{"_kernel", "own"}})});
    CHECK(After(net.def(), {{"x"}, {"y"}}, kPass) == "m = Exp(x); x = Placeholder(); y = Relu(m)");
  }

  TEST_CASE("three tensors are not held where one was") {
    Net net;
    const Output a = net.b.Add("Mul", "a",
                               {net.b.Add("Cumsum", "p", {net.x, net.b.Const("axis", Tensor::Scalar(0))}),
                                net.b.Add("Cumprod", "q", {net.x, net.b.Const("a1", Tensor::Scalar(0))})});
    const Output late = net.b.Add("Cumsum", "l",
                                  {net.b.Add("Cumprod", "k", {net.x, net.b.Const("a2", Tensor::Scalar(1))}),
                                   net.b.Const("a3", Tensor::Scalar(1))});
    net.b.Add("AddV2", "y", {a, late});
    CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, kPass).def, "Mul") == 1);
  }

  TEST_CASE("a loop keeps the shape of what it carries round") {
    Net net({-1, 6});
    const Output w =
        net.b.Add("Enter", "w", {net.Const("weights", {6, 6})}, {{"frame_name", "loop"}, {"is_constant", true}});
    const Output out = Loop(net.b, net.x, [&](Output v, Output) {
      const Output s = net.b.Add("Sigmoid", "s", {net.b.Add("MatMul", "m", {v, w})});
      return net.b.Add("AddV2", "a", {net.b.Add("Mul", "g", {s, v}), v});
    });
    net.b.Add("Neg", "y", {out});
    const GraphDef def = CloseLoop(net.def());
    CHECK(Text(CheckExact(def, {{"x"}, {"y"}}, {Ramp({4, 6}, 0.3f)}, kPass).def)
              .find("a = _FusedProducer(loop/switch:1, w, loop/switch:1)") != std::string::npos);
  }
  TEST_CASE("a loop that changes the shape of what it carries round keeps its nodes") {
    Net net(PartialTensorShape({1, 6}));
    const Output c =
        net.b.Add("Enter", "c", {net.Const("rows", {4, 6})}, {{"frame_name", "loop"}, {"is_constant", true}});
    const Output out =
        Loop(net.b, net.x, [&](Output v, Output) { return net.b.Add("AddV2", "a", {net.b.Add("Tanh", "t", {v}), c}); });
    net.b.Add("Neg", "y", {out});
    const GraphDef def = CloseLoop(net.def());
    CHECK(Text(CheckExact(def, {{"x"}, {"y"}}, {Ramp({1, 6}, 0.3f)}, kPass).def).find("a = AddV2(t, c)") !=
          std::string::npos);
  }

  TEST_CASE("an LSTM cell is two products, a split and two element-wise nodes") {
    Net net;
    GraphBuilder& b = net.b;
    const Output h = b.Placeholder("h", DataType::kFloat, {4, 5}), c = b.Placeholder("c", DataType::kFloat, {4, 5});
    const Output of_x = b.Add("MatMul", "of_x", {net.x, net.Const("w", {6, 20})});
    const Output of_h = b.Add("MatMul", "of_h", {h, net.Const("u", {5, 20})});
    const Output z = b.Add("BiasAdd", "z", {b.Add("AddV2", "both", {of_x, of_h}), net.Const("bias", {20})});
    const Output gates =
        b.Add("Split", "gates", {b.Const("axis", Tensor::Scalar<std::int32_t>(1)), z}, {{"num_split", 4}});
    const Output kept = b.Add("Mul", "kept", {b.Add("Sigmoid", "f", {gates[1]}), c});
    const Output fresh = b.Add("Mul", "fresh", {b.Add("Sigmoid", "i", {gates}), b.Add("Tanh", "g", {gates[2]})});
    const Output state = b.Add("AddV2", "state", {kept, fresh});
    b.Add("Mul", "y", {b.Add("Sigmoid", "o", {gates[3]}), b.Add("Tanh", "t", {state})});
    const std::string text = Text(CheckExact(net.def(), {{"x", "h", "c"}, {"y", "state"}},
                                             {Ramp({4, 6}, 0.1f), Ramp({4, 5}, 0.2f), Ramp({4, 5}, 0.3f)}, kPass)
                                      .def);
    CHECK(text.find("z = _FusedProducer(h, u, of_x, bias)") != std::string::npos);
    CHECK(text.find("state = _FusedElementwise(c, gates:1, gates, gates:2)") != std::string::npos);
    CHECK(text.find("y = _FusedElementwise(state, gates:3)") != std::string::npos);
  }

  TEST_CASE("it leaves alone an inner node that ...") {
    const auto graph = [](bool control) {
      Net net;
      const Output m = net.b.Add("Mul", "m", {net.x, net.Const("c", {6})});
      if (control) net.b.AddControlInput(m, net.b.Add("Cumsum", "e", {net.x, net.b.Const("axis", Tensor::Scalar(0))}));
      net.b.Add("Relu", "y", {m});
      return net.def();
    };
    const std::string same = "m = Mul(x, c); x = Placeholder(); y = Relu(m)";
    SUBCASE("is fed") { CHECK(After(graph(false), {{"m"}, {"y"}}, kPass) == "m = Mul(); y = Relu(m)"); }
    SUBCASE("is fetched") { CHECK(After(graph(false), {{"x"}, {"y", "m"}}, kPass) == same); }
    SUBCASE("is a target") { CHECK(After(graph(false), {{"x"}, {"y"}, {"m"}}, kPass) == same); }
    SUBCASE("waits for a node") {
      CHECK(After(graph(true), {{"x"}, {"y"}}, kPass) ==
            "e = Cumsum(x, axis); m = Mul(x, c, ^e); x = Placeholder(); y = Relu(m)");
    }
    SUBCASE("is in another frame") {
      Net loop;
      const Output out = Loop(loop.b, loop.x, [&](Output v, Output) { return loop.b.Add("Neg", "k", {v}); });
      loop.b.Add("Relu", "y", {out});
      const std::string text = After(CloseLoop(loop.def()), {{"x"}, {"y"}}, kPass);
      CHECK(text.find("k = Neg(loop/switch:1)") != std::string::npos);
      CHECK(text.find("y = Relu(loop/exit)") != std::string::npos);
    }
  }
}

}  // namespace fusion_test
