// SPDX-License-Identifier: Apache-2.0
// A training moves between TensorFlow and Tenon. TensorFlow trained a network with Keras's AdamW and wrote its
// tf.train.Checkpoint and its losses (tools/make_training_checkpoint.py). The program
//
// - restores TensorFlow's checkpoint of step 30, with the optimizer's slots, trains on, and compares the losses;
// - trains the first 30 steps itself and writes the checkpoint that TensorFlow restores.
//
//   checkpoint_transfer [PREFIX]   PREFIX: where the checkpoint is written, for make_training_checkpoint.py --continue

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/io/npy.hpp>
#include <tenon/io/object_checkpoint_writer.hpp>
#include <tenon/runtime/session/saved_variables.hpp>
#include <tenon/tenon.hpp>
#include <tenon/training.hpp>

using namespace tenon;

namespace {

constexpr int kSteps = 60, kSaved = 30, kBatch = 25;
const std::string kWeights[] = {"w0", "b0", "w1", "b1"};

// Each variable and its path from the root of the tf.train.Checkpoint.
SlimVector<std::pair<std::string, std::string>> Paths() {
  SlimVector<std::pair<std::string, std::string>> paths{{"training/iteration", "optimizer/_iterations"}};
  int number = 2;  // Keras counts its variables: iterations, learning rate, then two for each weight
  for (const std::string& weight : kWeights) {
    paths.push_back({weight, "net/" + weight});
    paths.push_back({"training/" + weight + "/momentum", "optimizer/_variables/" + std::to_string(number++)});
    paths.push_back({"training/" + weight + "/velocity", "optimizer/_variables/" + std::to_string(number++)});
  }
  return paths;
}

struct Training {
  Session session;
  Callable step;  // feeds images and labels; fetches the loss before the step
};

// 64 pixels to 10 logits, by one hidden layer.
Result<Training> Network() {
  GraphBuilder b;
  const auto variable = [&](const std::string& name, const TensorShape& shape) -> Output {
    const Result<NewVariable> made = AddVariable(&b, name, DataType::kFloat, shape, initializers::Zeros{});
    return made.ok() ? made->value : Output();  // b.status() says why
  };
  const Output images = b.Placeholder("images", DataType::kFloat, {-1, 64});
  b.Placeholder("labels", DataType::kInt32, {-1});
  const Output sums = b.Add("AddV2", {b.Add("MatMul", {images, variable("w0", {64, 32})}), variable("b0", {32})});
  const Output products = b.Add("MatMul", {b.Add("Relu", {sums}), variable("w1", {32, 10})});
  b.Add("AddV2", "logits", {products, variable("b1", {10})});
  TENON_RETURN_IF_ERROR(b.status());
  GraphDef graph = b.graph_def();
  TENON_ASSIGN_OR_RETURN(const std::string loss, AddLoss(&graph, "labels", "logits",
                                                         losses::SparseCategoricalCrossentropy{.from_logits = true}));
  TENON_ASSIGN_OR_RETURN(const TrainingNames names, AddTraining(&graph, loss, kWeights, AdamW{.learning_rate = 0.01}));
  Training made;
  TENON_ASSIGN_OR_RETURN(made.session, Session::FromGraphDef(graph));
  TENON_ASSIGN_OR_RETURN(made.step, made.session.MakeCallable(
                                        {.feeds = {"images", "labels"}, .fetches = {loss}, .targets = {names.step}}));
  return made;
}

Status Restore(const Session& session, const std::string& prefix) {
  RestoreVariablesOptions options;
  for (const auto& [variable, path] : Paths()) options.keys.push_back({variable, path + "/.ATTRIBUTES/VARIABLE_VALUE"});
  return RestoreVariables(session, prefix, options);
}

// Trains and compares with the losses of TensorFlow; returns the largest difference.
Result<double> Train(const Callable& step, int first, int last) {
  TENON_ASSIGN_OR_RETURN(const Tensor pixels, ReadNpy(DIGITS "/images.npy"));
  TENON_ASSIGN_OR_RETURN(const Tensor classes, ReadNpy(DIGITS "/labels.npy"));
  TENON_ASSIGN_OR_RETURN(const Tensor losses, ReadNpy(FOLDER "/losses.npy"));
  double largest = 0;
  std::vector<Tensor> fetches(1);
  for (int i = first; i < last; ++i) {
    Tensor images = Tensor::Zeros<float>({kBatch, 64}), labels = Tensor::Zeros<std::int32_t>({kBatch});
    for (int k = 0; k < kBatch * 64; ++k)
      images.data<float>()[k] = static_cast<float>(pixels.data<std::uint8_t>()[i * kBatch * 64 + k]) / 16;
    for (int k = 0; k < kBatch; ++k) labels.data<std::int32_t>()[k] = classes.data<std::uint8_t>()[i * kBatch + k];
    const Tensor feeds[] = {images, labels};
    TENON_RETURN_IF_ERROR(step.Run(feeds, fetches));
    const double loss = static_cast<double>(fetches[0].scalar<float>()());
    largest = std::max(largest, std::abs(loss - static_cast<double>(losses.data<float>()[i])));
    if (i % 10 == 9) std::fprintf(stderr, "step %2d: loss %.6f\n", i + 1, loss);
  }
  return largest;
}

Status Run(const char* prefix) {
  TENON_ASSIGN_OR_RETURN(const Training training, Network());
  TENON_RETURN_IF_ERROR(Restore(training.session, FOLDER "/tensorflow/step_30"));
  TENON_ASSIGN_OR_RETURN(const double onward, Train(training.step, kSaved, kSteps));
  TENON_RETURN_IF_ERROR(Restore(training.session, FOLDER "/tensorflow/step_0"));
  TENON_ASSIGN_OR_RETURN(const double whole, Train(training.step, 0, kSaved));
  std::fprintf(stderr, "largest differences of a loss: %.2g after TensorFlow's 30 steps, %.2g in Tenon's\n", onward,
               whole);
  std::printf("the losses are TensorFlow's: %s\n", onward < 5e-5 && whole < 5e-5 ? "yes" : "no");
  if (prefix == nullptr) return OkStatus();
  std::vector<ObjectValue> values{{"optimizer/_learning_rate", Tensor::Scalar(0.01f)}};
  for (const auto& [variable, path] : Paths()) {
    TENON_ASSIGN_OR_RETURN(const Tensor value, ReadVariable(training.session, variable));
    values.push_back({path, value});
  }
  return WriteObjectCheckpoint(prefix, values);
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = Run(argc > 1 ? argv[1] : nullptr);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
