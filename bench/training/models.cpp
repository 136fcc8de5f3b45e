// SPDX-License-Identifier: Apache-2.0
#include "training/models.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/training.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/io/npz.hpp>
#include <tenon/op/graph_def/proto_io.hpp>

namespace tenon::bench {
namespace {

using initializers::GlorotUniform, initializers::HeUniform, initializers::Ones, initializers::RandomUniform,
    initializers::Zeros;
using Ints = SlimVector<std::int64_t>;

// Numbers in [low, high), the same on every machine.
class Numbers {
 public:
  double Next(double low, double high) {
    state_ = state_ * 1664525u + 1013904223u;
    return low + (high - low) * static_cast<double>(state_ >> 8) / (1 << 24);
  }
  Tensor Floats(const TensorShape& shape, double low, double high) {
    Tensor t(DataType::kFloat, shape);
    for (float& x : t.flat<float>()) x = static_cast<float>(Next(low, high));
    return t;
  }
  Tensor Labels(const TensorShape& shape, int classes) {
    Tensor t(DataType::kInt32, shape);
    for (std::int32_t& x : t.flat<std::int32_t>()) x = static_cast<std::int32_t>(Next(0, classes));
    return t;
  }

 private:
  std::uint32_t state_ = 1;
};

// A forward pass in the making.
struct Maker {
  GraphBuilder b = GraphBuilder();
  TrainingModel model = {};
  Numbers numbers = {};
  std::vector<std::string> updates = {};  // of moving averages
  int seed = 0;

  // A variable and what reads it.
  template <class First>
  NewVariable Add(const std::string& name, const TensorShape& shape, const First& first) {
    const Result<NewVariable> made = AddVariable(&b, name, DataType::kFloat, shape, first);
    if (!made.ok()) return {};  // b.status() says why
    model.initializers.push_back(made->initializer);
    return *made;
  }
  template <class First>
  Output Variable(const std::string& name, const TensorShape& shape, const First& first) {
    model.variables.push_back(name);
    return Add(name, shape, first).value;
  }
  Output Feed(const char* name, Tensor value) {
    const Output placeholder = b.Placeholder(name, value.dtype(), value.shape());
    model.feeds.push_back({StrCat(name, ":0"), std::move(value)});
    return placeholder;
  }
  Output Int(std::int32_t value) { return b.Const(StrCat("int_", constants_++), Tensor::Scalar(value)); }
  Output IntList(std::initializer_list<std::int32_t> values) {
    return b.Const(StrCat("int_", constants_++),
                   Tensor::From<std::int32_t>(values, {static_cast<Index>(values.size())}));
  }
  Output Number(double value) {
    return b.Const(StrCat("number_", constants_++), Tensor::Scalar(static_cast<float>(value)));
  }
  Output Reshape(Output x, std::initializer_list<std::int32_t> shape) { return b.Add("Reshape", {x, IntList(shape)}); }

  // [rows, inputs] to [rows, outputs]: name/w and name/b.
  Output Dense(const std::string& name, Output x, Index rows, Index inputs, Index outputs) {
    model.flops += 3 * 2.0 * static_cast<double>(rows * inputs * outputs);
    const Output w = Variable(name + "/w", {inputs, outputs}, GlorotUniform{++seed});
    return b.Add("BiasAdd", {b.Add("MatMul", {x, w}), Variable(name + "/b", {outputs}, Zeros{})});
  }
  // A square image [batch, size, size, inputs] in SAME padding.
  Output Convolution(const std::string& name, Output x, Index batch, Index size, Index inputs, Index outputs,
                     Index width, Index stride) {
    const Index pixels = (size + stride - 1) / stride * ((size + stride - 1) / stride);
    model.flops += 3 * 2.0 * static_cast<double>(batch * pixels * width * width * inputs * outputs);
    const Output w = Variable(name + "/w", {width, width, inputs, outputs}, HeUniform{++seed});
    return b.Add("Conv2D", {x, w}, {{"strides", Ints{1, stride, stride, 1}}, {"padding", "SAME"}});
  }
  Output Bias(const std::string& name, Output x, Index channels) {
    return b.Add("BiasAdd", {x, Variable(name + "/b", {channels}, Zeros{})});
  }
  // Batch normalisation of training. Moving averages follow by a tenth.
  Output Norm(const std::string& name, Output x, Index channels) {
    const Output scale = Variable(name + "/scale", {channels}, Ones{});
    const Output offset = Variable(name + "/offset", {channels}, Zeros{});
    const Output none = b.Const(name + "/none", Tensor::Zeros<float>({0}));
    const Output y = b.Add("FusedBatchNormV3", {x, scale, offset, none, none}, {{"epsilon", 1e-5f}});
    for (const int i : {1, 2}) {
      const std::string average = StrCat(name, i == 1 ? "/mean" : "/variance");
      const NewVariable v = i == 1 ? Add(average, {channels}, Zeros{}) : Add(average, {channels}, Ones{});
      const Output step = b.Add("Mul", {b.Add("Sub", {v.value, y[i]}), Number(0.1)});
      updates.push_back(b.Name(b.Add("AssignSubVariableOp", {v.handle, step})));
    }
    return y;
  }
  // Layer normalisation of the last dimension, as Keras writes it.
  Output LayerNorm(const std::string& name, Output x, Index size) {
    const Output scale = Variable(name + "/scale", {size}, Ones{}),
                 offset = Variable(name + "/offset", {size}, Zeros{});
    const Output mean = b.Add("Mean", {x, Int(-1)}, {{"keep_dims", true}});
    const Output variance = b.Add("Mean", {b.Add("SquaredDifference", {x, mean}), Int(-1)}, {{"keep_dims", true}});
    const Output root = b.Add("Rsqrt", {b.Add("AddV2", {variance, Number(1e-5)})});
    const Output factor = b.Add("Mul", {root, scale});
    return b.Add("AddV2", {b.Add("Mul", {x, factor}), b.Add("Sub", {offset, b.Add("Mul", {mean, factor})})});
  }

 private:
  int constants_ = 0;
};

template <class Loss, class Optimizer>
Result<TrainingModel> Finish(Maker* maker, Output predictions, const Loss& loss, const Optimizer& optimizer) {
  TENON_RETURN_IF_ERROR(maker->b.status());
  TrainingModel& model = maker->model;
  model.graph = maker->b.graph_def();
  TENON_ASSIGN_OR_RETURN(model.loss, AddLoss(&model.graph, "labels", maker->b.Name(predictions), loss));
  TENON_ASSIGN_OR_RETURN(const TrainingNames names, AddTraining(&model.graph, model.loss, model.variables, optimizer));
  model.initializers.push_back(names.initialize);
  model.targets = maker->updates;
  model.targets.push_back(names.step);
  return std::move(model);
}

constexpr losses::SparseCategoricalCrossentropy kClasses{.from_logits = true};

Result<TrainingModel> Mlp() {
  constexpr Index kBatch = 128;
  Maker m;
  Output x = m.Feed("x", m.numbers.Floats({kBatch, 784}, 0, 1));
  m.Feed("labels", m.numbers.Labels({kBatch}, 10));
  x = m.b.Add("Relu", {m.Dense("dense_0", x, kBatch, 784, 512)});
  x = m.b.Add("Relu", {m.Dense("dense_1", x, kBatch, 512, 512)});
  return Finish(&m, m.Dense("dense_2", x, kBatch, 512, 10), kClasses, Adam{.learning_rate = 0.001});
}

Result<TrainingModel> Cnn() {
  constexpr Index kBatch = 64;
  const Ints twos{1, 2, 2, 1};
  Maker m;
  Output x = m.Feed("x", m.numbers.Floats({kBatch, 28, 28, 1}, 0, 1));
  m.Feed("labels", m.numbers.Labels({kBatch}, 10));
  x = m.b.Add("Relu", {m.Bias("conv_0", m.Convolution("conv_0", x, kBatch, 28, 1, 32, 3, 1), 32)});
  x = m.b.Add("MaxPool", {x}, {{"ksize", twos}, {"strides", twos}, {"padding", "VALID"}});
  x = m.b.Add("Relu", {m.Bias("conv_1", m.Convolution("conv_1", x, kBatch, 14, 32, 64, 3, 1), 64)});
  x = m.b.Add("MaxPool", {x}, {{"ksize", twos}, {"strides", twos}, {"padding", "VALID"}});
  x = m.Reshape(x, {-1, 7 * 7 * 64});
  x = m.b.Add("Relu", {m.Dense("dense_0", x, kBatch, 7 * 7 * 64, 128)});
  return Finish(&m, m.Dense("dense_1", x, kBatch, 128, 10), kClasses, Adam{.learning_rate = 0.001});
}

Result<TrainingModel> ResNet18() {
  constexpr Index kBatch = 16;
  Maker m;
  Output x = m.Feed("x", m.numbers.Floats({kBatch, 64, 64, 3}, -1, 1));
  m.Feed("labels", m.numbers.Labels({kBatch}, 200));
  x = m.b.Add("Relu", {m.Norm("stem", m.Convolution("stem", x, kBatch, 64, 3, 64, 7, 2), 64)});
  x = m.b.Add("MaxPool", {x}, {{"ksize", Ints{1, 3, 3, 1}}, {"strides", Ints{1, 2, 2, 1}}, {"padding", "SAME"}});
  Index size = 16, channels = 64;
  for (int block = 0; block < 8; ++block) {
    const std::string name = StrCat("block_", block);
    const Index outputs = Index{64} << block / 2, stride = block % 2 == 0 && block > 0 ? 2 : 1;
    Output shortcut = x;
    if (stride == 2)
      shortcut = m.Norm(name + "/s", m.Convolution(name + "/s", x, kBatch, size, channels, outputs, 1, 2), outputs);
    x = m.Norm(name + "/0", m.Convolution(name + "/0", x, kBatch, size, channels, outputs, 3, stride), outputs);
    size /= stride;
    x = m.b.Add("Relu", {x});
    x = m.Norm(name + "/1", m.Convolution(name + "/1", x, kBatch, size, outputs, outputs, 3, 1), outputs);
    x = m.b.Add("Relu", {m.b.Add("AddV2", {x, shortcut})});
    channels = outputs;
  }
  x = m.b.Add("Mean", {x, m.IntList({1, 2})});
  return Finish(&m, m.Dense("top", x, kBatch, 512, 200), kClasses, Momentum{.learning_rate = 0.01, .momentum = 0.9});
}

Result<TrainingModel> Lstm() {
  constexpr Index kSteps = 50, kBatch = 32, kInputs = 64, kUnits = 128;
  Maker m;
  const Output x = m.Feed("x", m.numbers.Floats({kSteps, kBatch, kInputs}, -1, 1));
  m.Feed("labels", m.numbers.Labels({kBatch}, 10));
  m.model.flops += 3 * 2.0 * kSteps * kBatch * (kInputs + kUnits) * 4 * kUnits;
  const Output w = m.Variable("lstm/w", {kInputs + kUnits, 4 * kUnits}, GlorotUniform{++m.seed});
  const Output bias = m.Variable("lstm/b", {4 * kUnits}, Zeros{});
  const Output zeros = m.b.Const("zeros", Tensor::Zeros<float>({kBatch, kUnits}));
  const Output peephole = m.b.Const("peephole", Tensor::Zeros<float>({kUnits}));
  const Output steps = m.b.Const("steps", Tensor::Scalar<std::int64_t>(kSteps));
  const Output all = m.b.Add("BlockLSTM", {steps, x, zeros, zeros, w, peephole, peephole, peephole, bias},
                             {{"forget_bias", 1.0f}, {"cell_clip", -1.0f}});
  const Output last = m.b.Add("StridedSlice", {all[6], m.IntList({-1}), m.IntList({0}), m.IntList({1})},
                              {{"end_mask", 1}, {"shrink_axis_mask", 1}});
  return Finish(&m, m.Dense("top", last, kBatch, kUnits, 10), kClasses, Adam{.learning_rate = 0.001});
}

Result<TrainingModel> Transformer() {
  constexpr Index kBatch = 8, kLength = 128, kWidth = 256, kHeads = 8, kRows = kBatch * kLength;
  constexpr auto kInts = [](Index i) { return static_cast<std::int32_t>(i); };
  Maker m;
  GraphBuilder& b = m.b;
  const Output x = m.Feed("x", m.numbers.Floats({kBatch, kLength, kWidth}, -1, 1));
  m.Feed("labels", m.numbers.Floats({kBatch, kLength, kWidth}, -1, 1));
  m.model.flops += 3 * 2.0 * 2 * kBatch * kLength * kLength * kWidth;
  const auto rows = [&](Output o) { return m.Reshape(o, {kInts(kRows), kInts(kWidth)}); };
  const auto heads = [&](const char* name, Output o) {
    const Output made = m.Dense(name, o, kRows, kWidth, kWidth);
    const Output split = m.Reshape(made, {kInts(kBatch), kInts(kLength), kInts(kHeads), kInts(kWidth / kHeads)});
    return b.Add("Transpose", {split, m.IntList({0, 2, 1, 3})});
  };
  const Output h = rows(m.LayerNorm("norm_0", x, kWidth));
  const Output q = heads("query", h), k = heads("key", h), v = heads("value", h);
  const Output scores =
      b.Add("Mul", {b.Add("BatchMatMulV2", {q, k}, {{"adj_y", true}}), m.Number(0.17677669529663687)});
  const Output context = b.Add("BatchMatMulV2", {b.Add("Softmax", {scores}), v});
  const Output joined = rows(b.Add("Transpose", {context, m.IntList({0, 2, 1, 3})}));
  const Output attended =
      m.Reshape(m.Dense("joined", joined, kRows, kWidth, kWidth), {kInts(kBatch), kInts(kLength), kInts(kWidth)});
  const Output middle = b.Add("AddV2", {x, attended});
  const Output wide = m.Dense("wide", rows(m.LayerNorm("norm_1", middle, kWidth)), kRows, kWidth, 4 * kWidth);
  const Output half = b.Add("Mul", {wide, m.Number(0.5)});
  const Output erf = b.Add("Erf", {b.Add("Mul", {wide, m.Number(0.70710678118654752)})});
  const Output gelu = b.Add("Mul", {half, b.Add("AddV2", {erf, m.Number(1)})});
  const Output narrow =
      m.Reshape(m.Dense("narrow", gelu, kRows, 4 * kWidth, kWidth), {kInts(kBatch), kInts(kLength), kInts(kWidth)});
  return Finish(&m, b.Add("AddV2", {middle, narrow}), losses::MeanSquaredError{}, Adam{.learning_rate = 0.001});
}

template <class Optimizer>
Result<TrainingModel> Embedding(const Optimizer& optimizer) {
  constexpr Index kBatch = 1024, kRows = 100000, kWidth = 64;
  Maker m;
  const Output ids = m.Feed("x", m.numbers.Labels({kBatch}, kRows));
  m.Feed("labels", m.numbers.Labels({kBatch}, 10));
  m.model.variables.emplace_back("table");
  const NewVariable table = m.Add("table", {kRows, kWidth}, RandomUniform{-0.5, 0.5, ++m.seed});
  const Output x = m.b.Add("ResourceGather", {table.handle, ids}, {{"dtype", DataType::kFloat}});
  return Finish(&m, m.Dense("top", x, kBatch, kWidth, 10), kClasses, optimizer);
}

constexpr const char* kModels[kNumTrainingModels] = {
    "mlp", "cnn", "resnet18", "lstm", "transformer", "embedding_sgd", "embedding_adagrad", "embedding_adam"};

}  // namespace

std::span<const char* const, kNumTrainingModels> TrainingModels() { return kModels; }

Result<TrainingModel> MakeTrainingModel(std::string_view name) {
  if (name == "mlp") return Mlp();
  if (name == "cnn") return Cnn();
  if (name == "resnet18") return ResNet18();
  if (name == "lstm") return Lstm();
  if (name == "transformer") return Transformer();
  if (name == "embedding_sgd") return Embedding(Sgd{.learning_rate = 0.1});
  if (name == "embedding_adagrad") return Embedding(Adagrad{.learning_rate = 0.1});
  if (name == "embedding_adam") return Embedding(Adam{.learning_rate = 0.001});
  return errors::NotFound("MakeTrainingModel: there is no model '", name, "'; there are ", StrJoin(kModels, ", "));
}

Result<Session> OpenTraining(const TrainingModel& model, int threads) {
  SessionOptions options;
  options.intra_op_threads = threads;
  options.optimizer.level = OptimizerLevel::kFast;
  options.check_kernels = true;
  TENON_ASSIGN_OR_RETURN(Session session, Session::FromGraphDef(model.graph, options));
  for (const std::string& node : model.initializers) TENON_RETURN_IF_ERROR(session.Run({}, {}, {node}).status());
  return session;
}

Result<Callable> MakeStep(const Session& session, const TrainingModel& model) {
  CallableOptions signature{{}, {model.loss}, model.targets};
  for (const NamedTensor& feed : model.feeds) signature.feeds.push_back(feed.name);
  return session.MakeCallable(signature);
}

Status WriteFirstValues(const TrainingModel& model, const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const Session session, OpenTraining(model, 1));
  std::vector<std::string> values;
  for (const std::string& name : model.variables) values.push_back(name + "/value");
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> tensors, session.Run({}, values));
  SlimVector<NamedArray> arrays;
  for (std::size_t i = 0; i < values.size(); ++i) arrays.push_back({model.variables[i], tensors[i]});
  for (const NamedTensor& feed : model.feeds)
    arrays.push_back({std::string(feed.name.substr(0, feed.name.find(':'))), feed.tensor});
  return WriteNpz(path, arrays);
}

PeerGraph TrainingGraph(const TrainingModel& model) {
  PeerGraph graph;
  graph.graph_def = SerializeGraphDef(model.graph);
  graph.feeds = model.feeds;
  graph.fetches = {model.loss};
  graph.targets = model.targets;
  for (const std::string& node : model.initializers) graph.before.push_back({{}, {node}});
  return graph;
}

}  // namespace tenon::bench
