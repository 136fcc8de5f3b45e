// SPDX-License-Identifier: Apache-2.0
// Reading and writing a graph as text and as JSON, beside its binary form and a copy of the text. The graph has about
// ten megabytes of text: small nodes with attrs, and constants that are long texts.
#include <cstdint>
#include <cstring>
#include <string>

#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/op/graph_def/graph_text.hpp>

#include "harness.hpp"

namespace tenon::bench {

namespace {

// kNodes: nodes without constants. kConstants: a tenth of the bytes are nodes.
enum Mix : std::int64_t { kNodes, kConstants };

GraphDef MakeGraph(Mix mix) {
  GraphDef graph;
  const int nodes = mix == kNodes ? 20000 : 2000;
  for (int i = 0; i < nodes; ++i) {
    NodeDef node;
    node.name = StrCat("model/block_", i / 10, "/dense_", i, "/MatMul");
    node.op = "MatMul";
    node.input.push_back(StrCat("model/block_", i / 10, "/dense_", i - 1, "/MatMul"));
    node.input.push_back(StrCat("model/block_", i / 10, "/dense_", i, "/kernel"));
    node.attr["T"] = AttrValue(DataType::kFloat);
    node.attr["transpose_a"] = AttrValue(false);
    node.attr["transpose_b"] = AttrValue(i % 2 == 0);
    AttrList shapes;
    shapes.shape.push_back(PartialTensorShape({-1, 16 * i}));
    node.attr["_output_shapes"] = AttrValue(std::move(shapes));
    graph.node.push_back(std::move(node));
  }
  std::uint32_t state = 7;
  for (int i = 0; mix == kConstants && i < 20; ++i) {
    Tensor tensor(DataType::kFloat, {300, 256});
    for (std::int64_t j = 0; j < tensor.NumElements(); ++j) {
      state = state * 1664525u + 1013904223u;
      tensor.data<float>()[j] = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
    }
    NodeDef node;
    node.name = StrCat("model/dense_", i, "/kernel");
    node.op = "Const";
    node.attr["dtype"] = AttrValue(DataType::kFloat);
    node.attr["value"] = AttrValue(std::move(tensor));
    graph.node.push_back(std::move(node));
  }
  return graph;
}
void AddCopy(State& state, const std::string& text) {
  state.SetBytes(static_cast<double>(text.size()));
  state.Peer("memcpy", [&text, to = text]() mutable {
    std::memcpy(to.data(), text.data(), text.size());
    Keep(to[0]);
  });
}

}  // namespace

TENON_BENCH(graph_text_read, {kNodes, kConstants}) {
  const std::string text = ToText(MakeGraph(static_cast<Mix>(state.arg())));
  AddCopy(state, text);
  for (auto _ : state) Keep(ParseTextGraphDef(text)->node.size());
}
TENON_BENCH(graph_text_write, {kNodes, kConstants}) {
  const GraphDef graph = MakeGraph(static_cast<Mix>(state.arg()));
  const std::string text = ToText(graph);
  AddCopy(state, text);
  for (auto _ : state) Keep(ToText(graph).size());
}
TENON_BENCH(graph_json_read, {kNodes, kConstants}) {
  const std::string json = ToJson(MakeGraph(static_cast<Mix>(state.arg())));
  AddCopy(state, json);
  for (auto _ : state) Keep(ParseJsonGraphDef(json)->node.size());
}
TENON_BENCH(graph_json_write, {kNodes, kConstants}) {
  const GraphDef graph = MakeGraph(static_cast<Mix>(state.arg()));
  const std::string json = ToJson(graph);
  AddCopy(state, json);
  for (auto _ : state) Keep(ToJson(graph).size());
}
TENON_BENCH(graph_binary_read, {kNodes, kConstants}) {
  const std::string bytes = SerializeGraphDef(MakeGraph(static_cast<Mix>(state.arg())));
  AddCopy(state, bytes);
  for (auto _ : state) Keep(ParseGraphDef(wire::AsBytes(bytes))->node.size());
}

}  // namespace tenon::bench
