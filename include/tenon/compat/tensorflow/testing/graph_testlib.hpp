// SPDX-License-Identifier: Apache-2.0
#pragma once
// test::graph: nodes of common ops by one call each. test::Benchmark: accepted, not run. A mistake ends the program.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/graph/graph.hpp>
#include <tenon/compat/tensorflow/testing/benchmark.hpp>

namespace tensorflow {
namespace test {

class Benchmark {
 public:
  template <class... T>
  explicit Benchmark(const std::string&, T&&...) {}
  template <class T>
  void Run(T&&) {}
};

namespace graph {

inline void ToGraphDef(Graph* g, GraphDef* graph) { g->ToGraphDef(graph); }

namespace internal {
inline Node* Made(Graph* g, NodeBuilder& builder) {
  Node* node = nullptr;
  TF_CHECK_OK(builder.Finalize(g, &node));
  return node;
}
inline NodeBuilder Builder(Graph* g, const std::string& op, std::initializer_list<NodeBuilder::NodeOut> inputs = {}) {
  NodeBuilder builder(g->NewName("n"), op, g->op_registry());
  for (const NodeBuilder::NodeOut& input : inputs) builder.Input(input);
  return builder;
}
inline Node* Plain(Graph* g, const std::string& op, std::initializer_list<NodeBuilder::NodeOut> inputs) {
  NodeBuilder builder = Builder(g, op, inputs);
  return Made(g, builder);
}
inline std::vector<NodeBuilder::NodeOut> Outs(gtl::ArraySlice<Node*> nodes) { return {nodes.begin(), nodes.end()}; }
}  // namespace internal

inline Node* Constant(Graph* g, const Tensor& tensor, const std::string& name) {
  return internal::Made(g, NodeBuilder(name, "Const").Attr("dtype", tensor.dtype()).Attr("value", tensor));
}
inline Node* Constant(Graph* g, const Tensor& tensor) { return Constant(g, tensor, g->NewName("n")); }
inline Node* HostConstant(Graph* g, const Tensor& tensor, const std::string& name) { return Constant(g, tensor, name); }
inline Node* HostConstant(Graph* g, const Tensor& tensor) { return Constant(g, tensor); }
inline Node* Var(Graph* g, DataType type, const TensorShape& shape, const std::string& name) {
  return internal::Made(g, NodeBuilder(name, "Variable").Attr("dtype", type).Attr("shape", shape));
}
inline Node* Var(Graph* g, DataType type, const TensorShape& shape) { return Var(g, type, shape, g->NewName("n")); }
inline Node* Assign(Graph* g, Node* var, Node* value) {
  return internal::Made(g, internal::Builder(g, "Assign", {var, value}).Attr("use_locking", true));
}
inline Node* Send(Graph* g, Node* input, const std::string& tensor, const std::string& sender, uint64_t incarnation,
                  const std::string& receiver) {
  return internal::Made(g, internal::Builder(g, "_Send", {input})
                               .Attr("tensor_name", tensor)
                               .Attr("send_device", sender)
                               .Attr("send_device_incarnation", static_cast<int64_t>(incarnation))
                               .Attr("recv_device", receiver));
}
inline Node* Recv(Graph* g, const std::string& tensor, const std::string& type, const std::string& sender,
                  uint64_t incarnation, const std::string& receiver) {
  DataType dtype = DT_INVALID;
  CHECK(DataTypeFromString(type, &dtype));
  return internal::Made(g, internal::Builder(g, "_Recv")
                               .Attr("tensor_type", dtype)
                               .Attr("tensor_name", tensor)
                               .Attr("send_device", sender)
                               .Attr("send_device_incarnation", static_cast<int64_t>(incarnation))
                               .Attr("recv_device", receiver));
}

inline Node* Unary(Graph* g, const std::string& op, Node* input, int index = 0) {
  return internal::Plain(g, op, {{input, index}});
}
inline Node* Binary(Graph* g, const std::string& op, Node* a, Node* b) { return internal::Plain(g, op, {a, b}); }
inline Node* Multi(Graph* g, const std::string& op, gtl::ArraySlice<Node*> inputs) {
  NodeBuilder builder = internal::Builder(g, op);
  for (Node* const input : inputs) builder.Input(input);
  return internal::Made(g, builder);
}
inline Node* Identity(Graph* g, Node* input, int index = 0) { return Unary(g, "Identity", input, index); }
inline Node* Add(Graph* g, Node* a, Node* b) { return Binary(g, "Add", a, b); }
inline Node* Less(Graph* g, Node* a, Node* b) { return Binary(g, "Less", a, b); }
inline Node* Reverse(Graph* g, Node* tensor, Node* axis) { return Binary(g, "ReverseV2", tensor, axis); }
inline Node* BiasAdd(Graph* g, Node* value, Node* bias) { return Binary(g, "BiasAdd", value, bias); }
inline Node* Relu(Graph* g, Node* in) { return Unary(g, "Relu", in); }
inline Node* Relu6(Graph* g, Node* in) { return Unary(g, "Relu6", in); }
inline Node* Diag(Graph* g, Node* in, DataType) { return Unary(g, "Diag", in); }
inline Node* DiagPart(Graph* g, Node* in, DataType) { return Unary(g, "DiagPart", in); }
inline Node* Select(Graph* g, Node* c, Node* a, Node* b) { return internal::Plain(g, "Select", {c, a, b}); }
inline Node* Gather(Graph* g, Node* in, Node* indices, Node* axis) {
  return internal::Plain(g, "GatherV2", {in, indices, axis});
}
inline Node* Roll(Graph* g, Node* in, Node* shift, Node* axis) { return internal::Plain(g, "Roll", {in, shift, axis}); }
inline Node* Cast(Graph* g, Node* in, DataType to) {
  return internal::Made(g, internal::Builder(g, "Cast", {in}).Attr("DstT", to));
}
inline Node* CheckNumerics(Graph* g, Node* in, const std::string& message) {
  return internal::Made(g, internal::Builder(g, "CheckNumerics", {in}).Attr("message", message));
}
inline Node* Cumsum(Graph* g, Node* data, Node* axes, bool exclusive = false, bool reverse = false) {
  return internal::Made(
      g, internal::Builder(g, "Cumsum", {data, axes}).Attr("exclusive", exclusive).Attr("reverse", reverse));
}
inline Node* Reduce(Graph* g, const std::string& op, Node* data, Node* axes, bool keep_dims = false) {
  return internal::Made(g, internal::Builder(g, op, {data, axes}).Attr("keep_dims", keep_dims));
}
inline Node* Matmul(Graph* g, Node* a, Node* b, bool transpose_a, bool transpose_b) {
  return internal::Made(
      g, internal::Builder(g, "MatMul", {a, b}).Attr("transpose_a", transpose_a).Attr("transpose_b", transpose_b));
}
inline Node* BatchMatmul(Graph* g, Node* a, Node* b, bool adj_x, bool adj_y) {
  return internal::Made(g, internal::Builder(g, "BatchMatMul", {a, b}).Attr("adj_x", adj_x).Attr("adj_y", adj_y));
}
inline Node* Conv2D(Graph* g, Node* in, Node* filter) {
  return internal::Made(
      g, internal::Builder(g, "Conv2D", {in, filter}).Attr("strides", {1, 1, 1, 1}).Attr("padding", "SAME"));
}
inline Node* Concat(Graph* g, Node* axis, gtl::ArraySlice<Node*> tensors) {
  return internal::Made(g, internal::Builder(g, "Concat", {axis}).Input(internal::Outs(tensors)));
}
inline Node* ConcatV2(Graph* g, gtl::ArraySlice<Node*> tensors, Node* axis) {
  return internal::Made(g, internal::Builder(g, "ConcatV2").Input(internal::Outs(tensors)).Input(axis));
}
inline Node* Random(Graph* g, const std::string& op, Node* shape, DataType type) {
  return internal::Made(g, internal::Builder(g, op, {shape}).Attr("dtype", type).Attr("seed", 0));
}
inline Node* RandomUniform(Graph* g, Node* shape, DataType type) { return Random(g, "RandomUniform", shape, type); }
inline Node* RandomGaussian(Graph* g, Node* shape, DataType type) {
  return Random(g, "RandomStandardNormal", shape, type);
}
inline Node* TruncatedNormal(Graph* g, Node* shape, DataType type) { return Random(g, "TruncatedNormal", shape, type); }
inline Node* RandomGamma(Graph* g, Node* shape, Node* alpha) {
  return internal::Made(g, internal::Builder(g, "RandomGamma", {shape, alpha}).Attr("seed", 0));
}
inline Node* RandomPoisson(Graph* g, Node* shape, Node* rate) {
  return internal::Made(g, internal::Builder(g, "RandomPoisson", {shape, rate}).Attr("seed", 0));
}

inline Node* NoOp(Graph* g, const std::vector<Node*>& control_inputs) {
  return internal::Made(g, internal::Builder(g, "NoOp").ControlInputs(control_inputs));
}
inline Node* Switch(Graph* g, Node* data, Node* predicate) { return Binary(g, "Switch", data, predicate); }
inline Node* Enter(Graph* g, Node* input, const std::string& frame) {
  return internal::Made(g, internal::Builder(g, "Enter", {input}).Attr("frame_name", frame));
}
inline Node* Exit(Graph* g, Node* input) { return Unary(g, "Exit", input); }
inline Node* LoopCond(Graph* g, Node* input) { return Unary(g, "LoopCond", input); }
inline Node* Next(Graph* g, const std::string& name, Node* input) {
  return internal::Made(g, NodeBuilder(name, "NextIteration").Input(input));
}
inline Node* Merge(Graph* g, Node* a, Node* b) {
  const std::vector<NodeBuilder::NodeOut> inputs = {a, b};
  return internal::Made(g, internal::Builder(g, "Merge").Input(inputs));
}
// The other inputs are nodes that come later.
inline Node* Merge(Graph* g, Node* a, gtl::ArraySlice<std::string> others) {
  std::vector<NodeBuilder::NodeOut> inputs = {a};
  for (const std::string& name : others) inputs.emplace_back(name, 0, inputs[0].dt);
  return internal::Made(g, internal::Builder(g, "Merge").Input(inputs));
}
inline Node* Arg(Graph* g, int64_t index, DataType type) {
  return internal::Made(g, internal::Builder(g, "_Arg").Attr("T", type).Attr("index", index));
}
inline Node* Retval(Graph* g, int64_t index, Node* in, int64_t output = 0) {
  return internal::Made(g, internal::Builder(g, "_Retval", {{in, static_cast<int>(output)}}).Attr("index", index));
}

}  // namespace graph
}  // namespace test
}  // namespace tensorflow
