// SPDX-License-Identifier: Apache-2.0
// A While of 1,000 iterations, forward alone and with its gradient. Wanted: at most three times the time of the forward
// loop. Scalars show what the runtime costs, matrices what a small network costs.
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/gradients.hpp>

#include "executor/graph_node.hpp"
#include "graph_case.hpp"

namespace tenon::bench {
namespace {

constexpr std::int32_t kIterations = 1000;
const AttrValue kFloats(DataType::kFloat), kInts(DataType::kInt32);

FunctionDef Function(std::string name, SlimVector<NodeDef> nodes,
                     SlimVector<std::pair<std::string, std::string>> results) {
  FunctionDef def;
  def.signature.name = std::move(name);
  for (const char* arg : {"i", "x", "w"}) {
    def.signature.input_arg.emplace_back();
    def.signature.input_arg.back().name = arg;
    def.signature.input_arg.back().type = def.signature.input_arg.size() == 1 ? DataType::kInt32 : DataType::kFloat;
  }
  for (auto& [output, tensor] : results) {
    def.signature.output_arg.emplace_back();
    def.signature.output_arg.back().name = output;
    def.signature.output_arg.back().type = results.size() == 1                    ? DataType::kBool
                                           : def.signature.output_arg.size() == 1 ? DataType::kInt32
                                                                                  : DataType::kFloat;
    def.ret.push_back({output, tensor});
  }
  def.node_def = std::move(nodes);
  return def;
}
NodeDef Constant(std::string name, DataType type, Tensor value) {
  return Node(std::move(name), "Const", {}, {{"dtype", AttrValue(type)}, {"value", AttrValue(std::move(value))}});
}

// for 1,000 times: x = x + 0.01 * tanh(x * w). `product` is Mul or MatMul; `shape` that of x and w.
GraphDef Loop(const char* product, const PartialTensorShape& shape) {
  GraphDef graph;
  graph.versions.producer = kGraphDefVersion;
  graph.library.function.push_back(Function("more",
                                            {Constant("limit", DataType::kInt32, Tensor::Scalar(kIterations)),
                                             Node("less", "Less", {"i", "limit:output:0"}, {{"T", kInts}})},
                                            {{"go_on", "less:z:0"}}));
  const bool is_matrix = std::string(product) == "MatMul";
  graph.library.function.push_back(
      Function("step",
               {Constant("one", DataType::kInt32, Tensor::Scalar(std::int32_t{1})),
                Constant("rate", DataType::kFloat, Tensor::Scalar(0.01f)),
                Node("next", "AddV2", {"i", "one:output:0"}, {{"T", kInts}}),
                Node("product", product, {"x", "w"}, {{"T", kFloats}}),
                Node("tanh", "Tanh", {is_matrix ? "product:product:0" : "product:z:0"}, {{"T", kFloats}}),
                Node("scaled", "Mul", {"tanh:y:0", "rate:output:0"}, {{"T", kFloats}}),
                Node("sum", "AddV2", {"x", "scaled:z:0"}, {{"T", kFloats}})},
               {{"i_out", "next:z:0"}, {"w_out", "w"}, {"x_out", "sum:z:0"}}));
  // The results stand in the order of the arguments; `ret` is sorted by name.
  auto& outputs = graph.library.function.back().signature.output_arg;
  std::swap(outputs[1], outputs[2]);
  for (const char* name : {"x", "w"})
    graph.node.push_back(Node(name, "Placeholder", {}, {{"dtype", kFloats}, {"shape", AttrValue(shape)}}));
  graph.node.push_back(Constant("zero", DataType::kInt32, Tensor::Scalar(std::int32_t{0})));
  AttrValue types;
  types.mutable_list()->type = {DataType::kInt32, DataType::kFloat, DataType::kFloat};
  graph.node.push_back(Node(
      "loop", "StatelessWhile", {"zero", "x", "w"},
      {{"T", types}, {"cond", AttrValue(NameAttrList{"more", {}})}, {"body", AttrValue(NameAttrList{"step", {}})}}));
  graph.node.push_back(Node("result", "Identity", {"loop:1"}, {{"T", kFloats}}));
  return graph;
}

Status TimeLoop(State& state, const char* product, const TensorShape& shape, bool gradient) {
  GraphDef graph = Loop(product, shape);
  const std::string ys[] = {"result"}, xs[] = {"x", "w"};
  SlimVector<std::string> fetches{"result"};
  if (gradient) {
    TENON_ASSIGN_OR_RETURN(const SlimVector<GradientNames> names, AddGradients(&graph, ys, xs));
    for (const GradientNames& name : names) fetches.push_back(name.tensor);
  }
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(std::move(graph), {.intra_op_threads = 1}));
  CallableOptions signature;
  signature.feeds = {"x", "w"};
  signature.fetches = {fetches.begin(), fetches.end()};
  TENON_ASSIGN_OR_RETURN(const Callable callable, session.MakeCallable(signature));
  TENON_ASSIGN_OR_RETURN(Tensor value, Tensor::Make(DataType::kFloat, shape));
  for (Index i = 0; i < value.NumElements(); ++i) value.data<float>()[i] = 0.1f;
  const std::vector<Tensor> feeds{value, value};
  std::vector<Tensor> results(fetches.size());
  state.SetItems(kIterations, "iteration");
  for (auto _ : state) state.Check(callable.Run(feeds, results));
  return OkStatus();
}

}  // namespace

// `gradient` also with the forward loop.
TENON_BENCH(while_scalars_forward) { state.Check(TimeLoop(state, "Mul", TensorShape(), false)); }
TENON_BENCH(while_scalars_gradient) { state.Check(TimeLoop(state, "Mul", TensorShape(), true)); }
TENON_BENCH(while_vectors_forward) { state.Check(TimeLoop(state, "Mul", TensorShape({64}), false)); }
TENON_BENCH(while_vectors_gradient) { state.Check(TimeLoop(state, "Mul", TensorShape({64}), true)); }
TENON_BENCH(while_matrices_forward, {32, 64}) {
  state.Check(TimeLoop(state, "MatMul", TensorShape({state.arg(), state.arg()}), false));
}
TENON_BENCH(while_matrices_gradient, {32, 64}) {
  state.Check(TimeLoop(state, "MatMul", TensorShape({state.arg(), state.arg()}), true));
}

}  // namespace tenon::bench
