// SPDX-License-Identifier: Apache-2.0
// What it costs to derive a graph of so many nodes. Wanted: at most 50 ms for 10,000 nodes, and ten times as much for
// ten times as many.
#include <cstddef>
#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/gradients.hpp>

#include "harness.hpp"

namespace tenon::bench {
namespace {

struct Derived {
  GraphDef graph;
  SlimVector<std::string> ys, xs;
};

// Dense layers with a residual, eight nodes each: x + scale * tanh(x * w + b). Weights and biases are the xs.
Result<Derived> Layers(int nodes, Index batch) {
  constexpr Index kWidth = 64;
  GraphBuilder b;
  Derived derived;
  Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({batch, kWidth}));
  for (int i = 0; i < nodes / 8; ++i) {
    const std::string layer = StrCat("layer_", i, "/");
    const Output w = b.Placeholder(layer + "w", DataType::kFloat, PartialTensorShape({kWidth, kWidth}));
    const Output bias = b.Placeholder(layer + "b", DataType::kFloat, PartialTensorShape({kWidth}));
    const Output product = b.Add("MatMul", layer + "product", {x, w});
    const Output sum = b.Add("BiasAdd", layer + "sum", {product, bias});
    const Output tanh = b.Add("Tanh", layer + "tanh", {sum});
    const Output scaled = b.Add("Mul", layer + "scaled", {tanh, b.Const(layer + "scale", Tensor::Scalar(0.5f))});
    x = b.Add("AddV2", layer + "out", {x, scaled});
    derived.xs.push_back(b.Name(w));
    derived.xs.push_back(b.Name(bias));
  }
  derived.ys.push_back(b.Name(x));
  TENON_RETURN_IF_ERROR(b.status());
  derived.graph = b.graph_def();
  return derived;
}

// Scalars: each node adds two of the values before it, or takes the smaller.
Result<Derived> Sums(int nodes) {
  GraphBuilder b;
  Derived derived;
  SlimVector<Output> values{b.Placeholder("x", DataType::kFloat, TensorShape{}),
                            b.Placeholder("y", DataType::kFloat, TensorShape{})};
  while (static_cast<int>(values.size()) < nodes) {
    const std::size_t i = values.size();
    values.push_back(
        b.Add(i % 2 == 0 ? "AddV2" : "Minimum", StrCat("n", i), {values[i - 1], values[i - 1 - i % 7 % (i - 1)]}));
  }
  derived.ys.push_back(b.Name(values.back()));
  derived.xs = {"x", "y"};
  TENON_RETURN_IF_ERROR(b.status());
  derived.graph = b.graph_def();
  return derived;
}

// Derives the graph again and again, without the nodes of the time before.
Status TimeDeriving(State& state, Result<Derived> made) {
  TENON_ASSIGN_OR_RETURN(Derived derived, std::move(made));
  const std::size_t nodes = derived.graph.node.size();
  state.SetItems(static_cast<double>(nodes), "node");
  for (auto _ : state) {
    derived.graph.node.resize(nodes);
    state.Check(AddGradients(&derived.graph, derived.ys, derived.xs).status());
  }
  return OkStatus();
}

}  // namespace

TENON_BENCH(derive_layers, {1000, 10000, 100000}) {
  state.Check(TimeDeriving(state, Layers(static_cast<int>(state.arg()), 32)));
}
TENON_BENCH(derive_layers_any_batch, {1000, 10000, 100000}) {
  state.Check(TimeDeriving(state, Layers(static_cast<int>(state.arg()), -1)));
}
TENON_BENCH(derive_sums, {1000, 10000, 100000}) {
  state.Check(TimeDeriving(state, Sums(static_cast<int>(state.arg()))));
}

}  // namespace tenon::bench
