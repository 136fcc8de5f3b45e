// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/convolutions.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/winograd_support.hpp"
#include "engine/support.hpp"
#include "optimize/optimizing.hpp"

namespace convolutions_test {
using namespace optimize_test;
using tenon::testing::RandomVector;

namespace {

const Names kPass{"convolutions"};
using List = SlimVector<std::int64_t>;

Tensor Numbers(const TensorShape& shape, std::uint64_t seed) {
  return Tensor::From<float>(RandomVector<float>(shape.num_elements(), seed), shape);
}

struct Net {
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {-1, 12, 10, 32});
  Output Conv(Output w, const List& strides = {1, 1, 1, 1}, const List& dilations = {1, 1, 1, 1}) {
    return b.Add("Conv2D", "m", {x, w}, {{"strides", strides}, {"dilations", dilations}, {"padding", "SAME"}});
  }
  Output Filter(const TensorShape& shape = {3, 3, 32, 40}) { return b.Const("w", Numbers(shape, 2)); }
  GraphDef def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
};
int Marked(const GraphDef& def) {
  return static_cast<int>(std::count_if(def.node.begin(), def.node.end(), [](const NodeDef& node) {
    return node.attr.Find(tenon::detail::kMayReassociateAttr) != nullptr;
  }));
}
int MarkedAfter(const GraphDef& def, const RunEnds& ends = {{"x"}, {"m"}}) {
  const Optimized optimized = Optimize(def, ends, kPass);
  REQUIRE(optimized.status.ok());
  return Marked(optimized.def);
}

}  // namespace

TEST_SUITE("convolutions") {
  TEST_CASE("a marked convolution runs by Winograd's algorithm, within its error") {
    Net net;
    net.Conv(net.Filter());
    const Optimized optimized = Optimize(net.def(), {{"x"}, {"m"}}, kPass);
    REQUIRE(Marked(optimized.def) == 1);
    const Tensor x = Numbers({2, 12, 10, 32}, 1), w = Numbers({3, 3, 32, 40}, 2);
    const auto exact = RunGraph(net.def(), {{"x"}, {"m"}}, {x}), got = RunGraph(optimized.def, {{"x"}, {"m"}}, {x});
    REQUIRE(exact.ok());
    REQUIRE(got.ok());
    CHECK(!SameTensor((*exact)[0], (*got)[0]));  // sums in another order
    const Conv2DGeometry g = testing::WinogradGeometry({2, 12, 10, 32, 40});
    CHECK(testing::WinogradError(g, x.data<float>(), w.data<float>(), (*got)[0].data<float>()) <=
          testing::kMostWinogradError);
    // Twice is once.
    const Optimized again = Optimize(optimized.def, {{"x"}, {"m"}}, kPass);
    CHECK(Marked(again.def) == 1);
    CHECK(Text(again.def) == Text(optimized.def));
    for (const PassReport& pass : again.report.passes) CHECK(pass.applied() == 0);
  }

  TEST_CASE("the mark goes along where fusion and products take the convolution up") {
    const Tensor x = Numbers({1, 12, 10, 32}, 1), w = Numbers({3, 3, 32, 40}, 2);
    double largest = 0, sum = 0;
    for (const float value : x.flat<float>()) largest = std::max(largest, std::fabs(static_cast<double>(value)));
    for (const float value : w.flat<float>()) sum += std::fabs(static_cast<double>(value)) / 40;
    const double allowed = 2 * testing::kMostWinogradError * 0x1p-24 * largest * sum;
    for (const char* const op : {"Relu", "Tanh", "Identity"}) {
      CAPTURE(op);
      for (const Names& passes : {Names{"convolutions", "fusion"}, Names{"convolutions", "products"}}) {
        Net net;
        const Output biased =
            net.b.Add("BiasAdd", "n", {net.Conv(net.Filter()), net.b.Const("bias", Numbers({40}, 3))});
        net.b.Add(op, "y", {biased});
        const Optimized optimized = Optimize(net.def(), {{"x"}, {"y"}}, passes);
        REQUIRE(optimized.status.ok());
        CHECK(Count(optimized.def, "Conv2D") == 0);
        const auto exact = RunGraph(net.def(), {{"x"}, {"y"}}, {x}), got = RunGraph(optimized.def, {{"x"}, {"y"}}, {x});
        REQUIRE_MESSAGE(exact.ok(), exact.status().ToString());
        REQUIRE_MESSAGE(got.ok(), got.status().ToString());
        int others = 0;
        for (Index i = 0; i < (*got)[0].NumElements(); ++i) {
          const float a = (*exact)[0].data<float>()[i], b = (*got)[0].data<float>()[i];
          CHECK(std::fabs(static_cast<double>(a) - static_cast<double>(b)) <= allowed);
          others += a != b ? 1 : 0;
        }
        CHECK(others > 0);
      }
    }
  }

  TEST_CASE("at kFast alone, among all passes too") {
    Net net;
    net.b.Add("Relu", "y", {net.Conv(net.Filter())});
    const RunEnds ends{{"x"}, {"y"}};
    const Tensor x = Numbers({1, 12, 10, 32}, 1);
    const auto exact = RunGraph(net.def(), ends, {x});
    const auto at = [&](OptimizerLevel level) {
      const Optimized optimized = Optimize(net.def(), ends, OptimizerOptions{.level = level});
      const auto got = RunGraph(optimized.def, ends, {x});
      REQUIRE(got.ok());
      return SameTensor((*exact)[0], (*got)[0]);
    };
    CHECK(at(OptimizerLevel::kExact));
    CHECK(!at(OptimizerLevel::kFast));
  }

  TEST_CASE("chosen algorithms") {
    GraphBuilder b;
    const Output x_of_any_size = b.Placeholder("x", DataType::kFloat, {-1, -1, -1, 32});
    const Output conv = b.Add("Conv2D", "m", {x_of_any_size, b.Const("w", Numbers({3, 3, 32, 40}, 2))},
                              {{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}});
    b.Add("Relu", "y", {conv});
    REQUIRE(b.status().ok());
    const GraphDef def = b.graph_def();
    const RunEnds ends{{"x"}, {"y"}};
    // Two images of 12 x 12 gain by Winograd's algorithm, one of 2 x 2 does not.
    for (const std::int64_t size : {12, 2}) {
      const Tensor x = Numbers({2, size, size, 32}, 1);
      const auto exact = RunGraph(def, ends, {x});
      REQUIRE(exact.ok());
      const auto differs = [&](std::vector<NodeChoice> choices) {
        OptimizerOptions options{.level = OptimizerLevel::kFast};
        options.choices = std::move(choices);
        const Optimized optimized = Optimize(def, ends, options);
        REQUIRE(optimized.status.ok());
        const auto got = RunGraph(optimized.def, ends, {x});
        REQUIRE(got.ok());
        return !SameTensor((*exact)[0], (*got)[0]);
      };
      CHECK(differs({}) == (size == 12));
      CHECK(differs({{"m", "size"}}) == (size == 12));
      CHECK(differs({{"other", "direct"}}) == (size == 12));
      CHECK_FALSE(differs({{"m", "direct"}}));
      CHECK(differs({{"m", "winograd"}}));
    }
    const Optimized optimized = Optimize(def, ends, kPass);
    const PassReport* const report = optimized.report.Find("convolutions");
    REQUIRE(report->choices.size() == 1);
    CHECK(report->choices[0].node == "m");
    CHECK(report->choices[0].algorithm == "size");
  }

  TEST_CASE("a filter that changes, and both gradients") {
    Net net;
    const Output w = net.b.Placeholder("w", DataType::kFloat, {3, 3, 32, 40});
    const Output conv = net.Conv(w);
    const Output dy = net.b.Add("Square", "dy", {conv});
    net.b.Add("Conv2DBackpropInput", "dx", {net.b.Add("Shape", "sizes", {net.x}), w, dy},
              {{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}});
    net.b.Add("Conv2DBackpropFilter", "dw",
              {net.x, net.b.Const("filter", MakeTensor<std::int32_t>({4}, {3, 3, 32, 40})), dy},
              {{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}});
    const GraphDef def = net.def();
    const RunEnds ends{{"x", "w"}, {"m", "dx", "dw"}};
    const Optimized optimized = Optimize(def, ends, kPass);
    REQUIRE(optimized.status.ok());
    CHECK(Marked(optimized.def) == 3);
    // Images that save the time of the filter's transform, and images that do not.
    for (const Index batch : {8, 1}) {
      const SlimVector<Tensor> fed{Numbers({batch, 12, 10, 32}, 1), Numbers({3, 3, 32, 40}, 2)};
      const auto exact = RunGraph(def, ends, {fed[0], fed[1]}), got = RunGraph(optimized.def, ends, {fed[0], fed[1]});
      REQUIRE(exact.ok());
      REQUIRE_MESSAGE(got.ok(), got.status().ToString());
      for (std::size_t i = 0; i < 3; ++i) {
        const Tensor &a = (*exact)[i], &b = (*got)[i];
        CHECK(SameTensor(a, b) == (batch == 1));
        double largest = 0, error = 0;
        for (Index k = 0; k < a.NumElements(); ++k) {
          const auto want = static_cast<double>(a.data<float>()[k]), is = static_cast<double>(b.data<float>()[k]);
          largest = std::max(largest, std::fabs(want));
          error = std::max(error, std::fabs(want - is));
        }
        CHECK(error <= 2e-6 * largest);
      }
    }
  }

  TEST_CASE("not marked ...") {
    Net net;
    SUBCASE("a filter of unknown shape") {
      Net other;
      other.Conv(other.Filter());
      CHECK(MarkedAfter(other.def(), {{"x", "w"}, {"m"}}) == 0);
      net.Conv(net.b.Placeholder("w", DataType::kFloat, {3, 3, 32, -1}));
      CHECK(MarkedAfter(net.def(), {{"x", "w"}, {"m"}}) == 0);
    }
    SUBCASE("other windows, strides and dilations") {
      net.Conv(net.Filter({3, 1, 32, 40}));
      CHECK(MarkedAfter(net.def()) == 0);
    }
    SUBCASE("strides") {
      net.Conv(net.Filter(), {1, 1, 2, 1});
      CHECK(MarkedAfter(net.def()) == 0);
    }
    SUBCASE("dilations") {
      net.Conv(net.Filter(), {1, 1, 1, 1}, {1, 2, 1, 1});
      CHECK(MarkedAfter(net.def()) == 0);
    }
    SUBCASE("groups") {
      net.Conv(net.Filter({3, 3, 16, 40}));
      CHECK(MarkedAfter(net.def()) == 0);
    }
    SUBCASE("few channels") {
      net.Conv(net.Filter({3, 3, 32, 2}));
      CHECK(MarkedAfter(net.def()) == 0);
    }
    SUBCASE("doubles") {
      const Output w = net.b.Const("w", Tensor::Zeros<double>({3, 3, 32, 40}));
      const Output y = net.b.Placeholder("y", DataType::kDouble, {1, 12, 10, 32});
      net.b.Add("Conv2D", "m", {y, w}, {{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}});
      CHECK(MarkedAfter(net.def(), {{"y"}, {"m"}}) == 0);
    }
  }
}

}  // namespace convolutions_test
