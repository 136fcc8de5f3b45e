// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small model and its training, as tools/training_numbers.py has it.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/training.hpp>
#include <tenon/base/str.hpp>
#include <tenon/gradients/edited_graph.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace tenon::testing {

// loss = sum((w - {3, 0.25, 0.5})^2 x) of a variable w that begins at {1, -2, 0.5}; x is fed, 1 by default.
inline GraphDef TrainedModel(DataType type = DataType::kFloat) {
  GraphBuilder b;
  const Output w = b.Add("VarHandleOp", "w", {},
                         {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({3})}, {"shared_name", "w"}});
  b.Add("AssignVariableOp", "init", {w, b.Const("start", Tensor::From<float>({1, -2, 0.5f}, {3}))});
  const Output value = b.Add("ReadVariableOp", "value", {w}, {{"dtype", DataType::kFloat}});
  Output d = b.Add("Sub", "d", {value, b.Const("goal", Tensor::From<float>({3, 0.25f, 0.5f}, {3}))});
  if (type != DataType::kFloat) d = b.Add("Cast", "typed", {d}, {{"DstT", type}});
  const Output one = b.Const("one", Tensor::Scalar(1.f));
  Output x = b.Add("PlaceholderWithDefault", "x", {one}, {{"shape", PartialTensorShape({})}});
  if (type != DataType::kFloat) x = b.Add("Cast", "typed_x", {x}, {{"DstT", type}});
  const Output scaled = b.Add("Mul", "scaled", {b.Add("Square", "square", {d}), x});
  b.Add("Sum", "loss", {scaled, b.Const("axis", Tensor::Scalar(0))});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return b.graph_def();
}

// A session with the training step of the model.
struct Trained {
  GraphDef graph;
  TrainingNames names;
  Session session;

  template <class Optimizer>
  explicit Trained(const Optimizer& optimizer, GraphDef model = TrainedModel()) : graph(std::move(model)) {
    const std::vector<std::string> variables{"w"};
    const auto added = AddTraining(&graph, "loss", variables, optimizer);
    REQUIRE_MESSAGE(added.ok(), added.status().ToString());
    names = *added;
    AddReads();
    auto made = Session::FromGraphDef(graph, {.intra_op_threads = 1});
    REQUIRE_MESSAGE(made.ok(), made.status().ToString());
    session = std::move(*made);
    REQUIRE(session.Run({}, {}, {"init"}).ok());
    const Status status = session.Run({}, {}, {names.initialize}).status();
    REQUIRE_MESSAGE(status.ok(), status.ToString());
  }
  Status Step(float x = 1) { return session.Run({{"x", Tensor::Scalar(x)}}, {}, {names.step}).status(); }
  void Steps(int count) {
    for (int i = 0; i < count; ++i) {
      const Status status = Step();
      REQUIRE_MESSAGE(status.ok(), status.ToString());
    }
  }
  // A node "read_of/NAME" for every variable.
  void AddReads() {
    const GraphDef all = graph;
    for (const NodeDef& node : all.node) {
      if (node.op != "VarHandleOp") continue;
      NodeDef read;
      read.name = "read_of/" + node.attr.Find("shared_name")->s();
      read.op = "ReadVariableOp";
      read.input.push_back(node.name);
      read.attr.Set("dtype", *node.attr.Find("dtype"));
      graph.node.push_back(read);
    }
  }
  // The numbers of a variable of float or int64 whose name ends with `name`.
  std::vector<double> Variable(const std::string& name) const {
    for (const NodeDef& node : graph.node) {
      if (node.op != "ReadVariableOp" || !StartsWith(node.name, "read_of/") || !EndsWith(node.name, "/" + name))
        continue;
      const std::vector<std::string> fetches{node.name};
      const auto result = session.Run({}, fetches, {});
      REQUIRE_MESSAGE(result.ok(), result.status().ToString());
      const Tensor& value = (*result)[0];
      std::vector<double> numbers;
      for (Index i = 0; i < value.NumElements(); ++i)
        numbers.push_back(value.dtype() == DataType::kInt64 ? static_cast<double>(value.data<std::int64_t>()[i])
                                                            : static_cast<double>(value.data<float>()[i]));
      return numbers;
    }
    FAIL("no variable " << name);
    return {};
  }
};

// make(symbols) of placeholders with these values.
template <class Make>
Tensor Evaluate(const std::vector<Tensor>& values, Make make) {
  GraphBuilder b;
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < values.size(); ++i) {
    feeds.push_back({StrCat("x", i), values[i]});
    b.Placeholder(feeds[i].name, values[i].dtype(), PartialTensorShape(values[i].shape()));
  }
  GraphDef def = b.graph_def();
  EditedGraph edited(&def, Registry::Global().ops());
  REQUIRE(edited.Open(false).ok());
  std::vector<Symbol> symbols;
  for (std::size_t i = 0; i < values.size(); ++i) symbols.push_back(edited.editor().At(static_cast<int>(i)));
  const Symbol made = make(edited.editor(), symbols);
  REQUIRE_MESSAGE(edited.editor().status().ok(), edited.editor().status().ToString());
  const int roots[] = {made.node};
  const std::vector<std::string> fetches{edited.Name(made.edge())};
  edited.Store(roots);
  const auto session = Session::FromGraphDef(def, {.intra_op_threads = 1});
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  const auto result = session->Run(feeds, fetches, {});
  REQUIRE_MESSAGE(result.ok(), result.status().ToString());
  return (*result)[0];
}
// The numbers of a tensor of float.
inline std::vector<double> Numbers(const Tensor& t) { return {t.data<float>(), t.data<float>() + t.NumElements()}; }
// A tensor of float.
inline Tensor Floats(const std::vector<float>& values, const TensorShape& shape) {
  return Tensor::From<float>(std::span<const float>(values), shape);
}

// Compares with recorded numbers.
inline void CheckNear(const std::vector<double>& got, std::initializer_list<double> want, double tolerance = 2e-6) {
  REQUIRE(got.size() == want.size());
  std::size_t i = 0;
  for (const double one : want) {
    CHECK_MESSAGE(std::abs(got[i] - one) <= tolerance * (1 + std::abs(one)), i << ": " << got[i] << ", want " << one);
    ++i;
  }
}

}  // namespace tenon::testing
