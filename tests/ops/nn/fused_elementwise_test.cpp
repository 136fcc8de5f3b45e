// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/fused_elementwise.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace fused_elementwise_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

template <class T>
Tensor Ramp(const TensorShape& shape, double scale, double shift = 0) {
  Tensor out(dtype_of_v<T>, shape);
  for (Index i = 0; i < out.NumElements(); ++i)
    out.data<T>()[i] = static_cast<T>(scale * static_cast<double>((7 * i) % 11 - 5) + shift);
  return out;
}
Output Placeholder(GraphBuilder* b, const std::string& name, const Tensor& value) {
  return b->Placeholder(name, value.dtype(), PartialTensorShape());
}
Result<Tensor> RunNode(GraphBuilder& b, const std::vector<Tensor>& values) {
  TENON_RETURN_IF_ERROR(b.status());
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraph(b, {.intra_op_threads = 1}));
  std::vector<NamedTensor> feeds;
  for (std::size_t i = 0; i < values.size(); ++i) feeds.push_back({StrCat("in", i), values[i]});
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> out, session.Run(feeds, Names{"y"}));
  return out[0];
}
AttrArgs StepsOf(const Names& steps, const Numbers& operands) {
  return {{"steps", steps}, {"operands", operands}, {"alphas", std::vector<float>(steps.size(), 0.3f)}};
}
Result<Tensor> Fused(const AttrArgs& attrs, const std::vector<Tensor>& values) {
  GraphBuilder b;
  SlimVector<Output> others;
  Output x = Placeholder(&b, "in0", values[0]);
  for (std::size_t i = 1; i < values.size(); ++i) others.push_back(Placeholder(&b, StrCat("in", i), values[i]));
  AttrArgs all = attrs;
  all.push_back({"T", values[0].dtype()});
  all.push_back({"N", static_cast<std::int64_t>(values.size()) - 1});
  b.Add("_FusedElementwise", "y", std::vector<GraphBuilder::Input>{x, others}, all);
  return RunNode(b, values);
}
Result<Tensor> Producer(const NodeDef& producer, const AttrArgs& attrs, const std::vector<Tensor>& values) {
  GraphBuilder b;
  SlimVector<Output> inputs;
  std::vector<DataType> types;
  for (std::size_t i = 0; i < values.size(); ++i) {
    inputs.push_back(Placeholder(&b, StrCat("in", i), values[i]));
    types.push_back(values[i].dtype());
  }
  AttrArgs all = attrs;
  all.push_back({"Tin", types});
  all.push_back({"T", values[0].dtype()});
  all.push_back({"producer", SerializeNodeDef(producer)});
  all.push_back({"num_producer_inputs", std::int64_t{2}});
  b.Add("_FusedProducer", "y", std::vector<GraphBuilder::Input>{GraphBuilder::Input(inputs)}, all);
  return RunNode(b, values);
}
NodeDef MatMulDef(DataType type) {
  NodeDef def;
  def.op = "MatMul";
  def.attr.Set("T", type);
  def.attr.Set("transpose_a", false);
  def.attr.Set("transpose_b", true);
  return def;
}

template <class T>
void CheckSteps() {
  const Tensor x = Ramp<T>({3, 5}, 0.31, 0.05), y = Ramp<T>({5}, 0.2, 2.5);
  for (const char* op : {"Abs",
                         "Ceil",
                         "Elu",
                         "Erf",
                         "Erfc",
                         "Exp",
                         "Expm1",
                         "Floor",
                         "LeakyRelu",
                         "Log",
                         "Log1p",
                         "Neg",
                         "Reciprocal",
                         "Relu",
                         "Relu6",
                         "Rsqrt",
                         "Selu",
                         "Sigmoid",
                         "Softplus",
                         "Softsign",
                         "Sqrt",
                         "Square",
                         "Tanh",
                         "Add",
                         "AddV2",
                         "Div",
                         "Maximum",
                         "Minimum",
                         "Mul",
                         "RealDiv",
                         "SquaredDifference",
                         "Sub"}) {
    CAPTURE(op);
    const OpView* const known = Registry::Global().FindOp(op);
    REQUIRE(known != nullptr);
    const bool binary = known->inputs.size() == 2;
    GraphBuilder b;
    const Output in = Placeholder(&b, "in0", x), other = Placeholder(&b, "in1", y);
    const Output sum = b.Add("AddV2", "sum", {in, other});
    AttrArgs attrs;
    if (std::string(op) == "LeakyRelu") attrs.push_back({"alpha", 0.3f});
    const Output z =
        binary ? b.Add(op, "z", {sum, other}) : b.Add(op, "z", std::vector<GraphBuilder::Input>{sum}, attrs);
    b.Add("Mul", "y", {z, sum});
    const Result<Tensor> want = RunNode(b, {x, y});
    const Result<Tensor> got = Fused(StepsOf({"AddV2", op, "Mul"}, {0, 1, 2, binary ? 1 : -1, 3, 2}), {x, y});
    REQUIRE_MESSAGE(want.ok(), want.status().ToString());
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    CHECK(SameTensor(*want, *got));
  }
}

}  // namespace

TEST_SUITE("fused element-wise ops") {
  TEST_CASE("each step gives the bits of its op") {
    CheckSteps<float>();
    CheckSteps<double>();
  }

  TEST_CASE("a producer and its steps give the bits of the nodes") {
    const Tensor a = Ramp<float>({4, 3}, 0.3), w = Ramp<float>({6, 3}, 0.2), bias = Ramp<float>({6}, 0.4),
                 other = Ramp<float>({4, 6}, 0.1);
    GraphBuilder b;
    const Output product =
        b.Add("MatMul", "m", {Placeholder(&b, "in0", a), Placeholder(&b, "in1", w)}, {{"transpose_b", true}});
    const Output moved = b.Add("AddV2", "s", {product, Placeholder(&b, "in2", bias)});
    b.Add("Relu", "y", {b.Add("Sub", "d", {Placeholder(&b, "in3", other), moved})});
    const Result<Tensor> want = RunNode(b, {a, w, bias, other});
    const Result<Tensor> got = Producer(MatMulDef(DataType::kFloat),
                                        StepsOf({"AddV2", "Sub", "Relu"}, {0, 1, 2, 3, 4, -1}), {a, w, bias, other});
    REQUIRE_MESSAGE(want.ok(), want.status().ToString());
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    CHECK(SameTensor(*want, *got));
  }

  TEST_CASE("a hard swish of a product gives the bits of the nodes, and so do lists that are nearly one") {
    const Tensor a = Ramp<float>({9, 4}, 0.7), w = Ramp<float>({37, 4}, 0.9), bias = Ramp<float>({37}, 0.4),
                 three = Tensor::Scalar(3.0f), six = Tensor::Scalar(6.0f), sixth = Tensor::Scalar(1.0f / 6);
    struct Case {
      Names steps;
      Numbers operands;  // values: the product, the bias, 3, 6, 1/6; then the steps
      bool is_gate;
    };
    for (const Case& c :
         std::vector<Case>{{{"AddV2", "AddV2", "Relu6", "RealDiv", "Mul"}, {0, 1, 5, 2, 6, -1, 7, 3, 5, 8}, true},
                           {{"AddV2", "AddV2", "Relu6", "Mul", "Mul"}, {1, 0, 2, 5, 6, -1, 4, 7, 8, 5}, true},
                           {{"AddV2", "Relu6", "Mul", "Mul"}, {0, 2, 5, -1, 6, 4, 7, 0}, true},
                           {{"AddV2", "AddV2", "Relu6", "RealDiv", "Mul"}, {0, 1, 5, 2, 6, -1, 3, 7, 5, 8}, false},
                           {{"AddV2", "AddV2", "Relu6", "RealDiv", "Mul"}, {0, 1, 5, 1, 6, -1, 7, 3, 5, 8}, false},
                           {{"AddV2", "AddV2", "Relu6", "RealDiv", "Mul"}, {0, 1, 5, 2, 6, -1, 7, 3, 0, 8}, false},
                           {{"AddV2", "AddV2", "Relu6", "RealDiv", "Mul"}, {0, 1, 5, 2, 5, -1, 7, 3, 5, 8}, false}}) {
      CAPTURE(StrJoin(c.steps, " "));
      CAPTURE(StrJoin(c.operands, " "));
      const std::vector<Tensor> values{a, w, bias, three, six, sixth};
      GraphBuilder b;
      const Output product =
          b.Add("MatMul", "m", {Placeholder(&b, "in0", a), Placeholder(&b, "in1", w)}, {{"transpose_b", true}});
      std::vector<Output> known{product};
      for (std::size_t i = 2; i < values.size(); ++i) known.push_back(Placeholder(&b, StrCat("in", i), values[i]));
      for (std::size_t i = 0; i < c.steps.size(); ++i) {
        const std::string name = i + 1 == c.steps.size() ? "y" : StrCat("s", i);
        const Output x = known[static_cast<std::size_t>(c.operands[2 * i])];
        const std::int64_t other = c.operands[2 * i + 1];
        known.push_back(other < 0 ? b.Add(c.steps[i], name, {x})
                                  : b.Add(c.steps[i], name, {x, known[static_cast<std::size_t>(other)]}));
      }
      const Result<Tensor> want = RunNode(b, values);
      const Result<Tensor> got = Producer(MatMulDef(DataType::kFloat), StepsOf(c.steps, c.operands), values);
      REQUIRE_MESSAGE(want.ok(), want.status().ToString());
      REQUIRE_MESSAGE(got.ok(), got.status().ToString());
      CHECK(SameTensor(*want, *got));
      const TensorShape shape{9, 37};
      const StepInput inputs[] = {{a.raw_data(), &shape},
                                  {bias.raw_data(), &bias.shape()},
                                  {three.raw_data(), &three.shape()},
                                  {six.raw_data(), &six.shape()},
                                  {sixth.raw_data(), &sixth.shape()}};
      const std::vector<std::int64_t> operands(c.operands.begin(), c.operands.end());
      const std::vector<std::string> steps(c.steps.begin(), c.steps.end());
      CpuEpilogue epilogue;
      CHECK(ops::detail::StepsAsEpilogue<float>({steps, operands, {}}, Span<const StepInput>(inputs, 5), shape,
                                                &epilogue) == c.is_gate);
    }
  }

  TEST_CASE("the result may be larger than the product") {
    const Tensor a = Ramp<double>({1, 3}, 0.3), w = Ramp<double>({6, 3}, 0.2), other = Ramp<double>({4, 6}, 0.1);
    GraphBuilder b;
    b.Add("AddV2", "y",
          {b.Add("MatMul", "m", {Placeholder(&b, "in0", a), Placeholder(&b, "in1", w)}, {{"transpose_b", true}}),
           Placeholder(&b, "in2", other)});
    const Result<Tensor> want = RunNode(b, {a, w, other});
    const Result<Tensor> got = Producer(MatMulDef(DataType::kDouble), StepsOf({"AddV2"}, {0, 1}), {a, w, other});
    REQUIRE_MESSAGE(want.ok(), want.status().ToString());
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    CHECK(SameTensor(*want, *got));
  }

  TEST_CASE("errors") {
    const Tensor x = Ramp<float>({2}, 1), y = Ramp<float>({3}, 1);
    CHECK(Fused(StepsOf({"Cumsum"}, {0, -1}), {x}).status().ToString().find("'Cumsum' is not a step") !=
          std::string::npos);
    CHECK(errors::IsInvalidArgument(Fused(StepsOf({"Relu"}, {2, -1}), {x}).status()));
    CHECK(errors::IsInvalidArgument(Fused(StepsOf({"AddV2"}, {0, 1}), {x, y}).status()));
    const Tensor a = Ramp<float>({4, 3}, 1);
    CHECK(
        errors::IsInvalidArgument(Producer(MatMulDef(DataType::kFloat), StepsOf({"Relu"}, {0, -1}), {a, x}).status()));
    NodeDef unknown;
    unknown.op = "NoSuchOp";
    CHECK_FALSE(Producer(unknown, StepsOf({"Relu"}, {0, -1}), {a, a}).ok());
  }
}

}  // namespace fused_elementwise_test
