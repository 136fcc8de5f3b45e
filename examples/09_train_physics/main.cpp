// SPDX-License-Identifier: Apache-2.0
// A network that learns a differential equation, without data: u'' = -u with u(0) = 0 and u'(0) = 1, whose solution is
// the sine. The program derives the network twice with respect to the time, adds a loss, derives that with respect to
// the weights, and trains them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/training.hpp>
#include <tenon/gradients/edited_graph.hpp>

using namespace tenon;

namespace {

constexpr Index kPoints = 32, kUnits = 16;

// A variable with numbers in [-scale, scale]; its name joins `initializers`.
Output Variable(GraphBuilder& b, const std::string& name, const TensorShape& shape, float scale,
                std::vector<std::string>* initializers) {
  Tensor start = Tensor::Zeros<float>(shape);
  std::uint32_t state = 1 + static_cast<std::uint32_t>(name.back());
  for (Index i = 0; i < start.NumElements(); ++i) {
    state = state * 1664525u + 1013904223u;
    start.data<float>()[i] = scale * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f);
  }
  const Output handle =
      b.Add("VarHandleOp", name, {}, {{"dtype", DataType::kFloat}, {"shape", shape}, {"shared_name", name}});
  b.Add("AssignVariableOp", name + "/init", {handle, b.Const(name + "/start", start)});
  initializers->push_back(name + "/init");
  return b.Add("ReadVariableOp", name + "/value", {handle}, {{"dtype", DataType::kFloat}});
}

// u(t) = t + t^2 network(t), which has the right beginning for any weights.
Result<GraphDef> Network(std::vector<std::string>* initializers) {
  GraphBuilder b;
  const Output t = b.Placeholder("t", DataType::kFloat, {kPoints, 1});
  const Output hidden = b.Add("MatMul", "hidden", {t, Variable(b, "w1", {1, kUnits}, 2, initializers)});
  const Output bias = b.Add("AddV2", "bias", {hidden, Variable(b, "b1", {kUnits}, 1, initializers)});
  const Output bent = b.Add("Tanh", "bent", {bias});
  const Output out = b.Add("MatMul", "out", {bent, Variable(b, "w2", {kUnits, 1}, 0.5f, initializers)});
  const Output square = b.Add("Mul", "square", {t, t});
  b.Add("AddV2", "u", {t, b.Add("Mul", "part", {square, out})});
  TENON_RETURN_IF_ERROR(b.status());
  return b.graph_def();
}

// Adds the gradient of the sum of a tensor with respect to t: each point has its own derivative.
Result<std::string> Derivative(GraphDef* graph, const std::string& of) {
  const std::vector<std::string> ys{of}, xs{"t"};
  TENON_ASSIGN_OR_RETURN(const auto names, AddGradients(graph, ys, xs));
  return names[0].tensor;
}

// Adds the mean of (u'' + u)^2.
Result<std::string> AddLoss(GraphDef* graph) {
  TENON_ASSIGN_OR_RETURN(const std::string velocity, Derivative(graph, "u"));
  TENON_ASSIGN_OR_RETURN(const std::string acceleration, Derivative(graph, velocity));
  EditedGraph edited(graph, Registry::Global().ops());
  TENON_RETURN_IF_ERROR(edited.Open(false));
  SlimVector<InEdge> tensors;
  const std::vector<std::string> names{acceleration, "u"};
  TENON_RETURN_IF_ERROR(edited.Find("AddLoss", names, &tensors));
  GraphEditor& editor = edited.editor();
  editor.set_scope("equation");
  const Symbol residual = editor.At(tensors[0]) + editor.At(tensors[1]);
  const Symbol loss = editor.Add("Mean", {residual * residual, editor.Ints({0, 1})});
  TENON_RETURN_IF_ERROR(editor.status());
  const int roots[] = {loss.node};
  std::string name = edited.Name(loss.edge());
  edited.Store(roots);
  return name;
}

Status Run() {
  std::vector<std::string> initializers;
  TENON_ASSIGN_OR_RETURN(GraphDef graph, Network(&initializers));
  TENON_ASSIGN_OR_RETURN(const std::string loss, AddLoss(&graph));
  const std::vector<std::string> variables{"w1", "b1", "w2"};
  TENON_ASSIGN_OR_RETURN(const TrainingNames names, AddTraining(&graph, loss, variables, Adam{.learning_rate = 0.01}));

  Tensor t = Tensor::Zeros<float>({kPoints, 1});
  for (Index i = 0; i < kPoints; ++i) t.data<float>()[i] = 3.0f * static_cast<float>(i) / (kPoints - 1);
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(graph, {.intra_op_threads = 1}));
  TENON_RETURN_IF_ERROR(session.Run({}, {}, std::span<const std::string>(initializers)).status());
  TENON_RETURN_IF_ERROR(session.Run({}, {}, {names.initialize}).status());
  for (int step = 0; step < 10000; ++step) TENON_RETURN_IF_ERROR(session.Run({{"t", t}}, {}, {names.step}).status());

  TENON_ASSIGN_OR_RETURN(const auto results, session.Run({{"t", t}}, {loss, "u"}, {}));
  float worst = 0;
  for (Index i = 0; i < kPoints; ++i)
    worst = std::max(worst, std::abs(results[1].data<float>()[i] - std::sin(t.data<float>()[i])));
  std::printf("the equation holds within 0.001: %s\n", results[0].data<float>()[0] < 1e-3f ? "yes" : "no");
  std::printf("u(t) is sin(t) within 0.02 for t in [0, 3]: %s\n", worst < 0.02f ? "yes" : "no");
  std::fprintf(stderr, "loss %g, largest error %g\n", static_cast<double>(results[0].data<float>()[0]),
               static_cast<double>(worst));
  return OkStatus();
}

}  // namespace

int main() {
  const Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
