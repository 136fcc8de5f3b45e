// SPDX-License-Identifier: Apache-2.0
// A recurrent network (LSTM) learns a song letter by letter. The program builds the network, adds a loss and a metric,
// trains with a schedule, clipping and weight decay, stops half way, and goes on in a new session from a checkpoint.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <tenon/tenon.hpp>
#include <tenon/training.hpp>
#include <tenon/runtime/session/saved_variables.hpp>

using namespace tenon;

namespace {

constexpr Index kLength = 24, kBatch = 16, kUnits = 48, kLetters = 28;  // a to z, space, end of line

std::string Song() {
  const char* const numbers[] = {"ten", "nine", "eight", "seven", "six", "five", "four", "three", "two", "one"};
  std::string song;
  for (const char* const number : numbers)
    song += std::string(number) + " green bottles hanging on the wall\nand if one bottle should accidentally fall\n";
  return song;
}
std::int32_t Code(char letter) { return letter == ' ' ? 26 : letter == '\n' ? 27 : letter - 'a'; }

// The graph of kLength steps of an LSTM over kBatch pieces of text: "letters" [time, batch] to "logits" [time, batch,
// letter].
Result<GraphDef> Network(std::vector<std::string>* initializers, std::vector<std::string>* variables) {
  GraphBuilder b;
  const auto variable = [&](const char* name, const TensorShape& shape, const auto& first) -> Result<Output> {
    TENON_ASSIGN_OR_RETURN(const NewVariable made, AddVariable(&b, name, DataType::kFloat, shape, first));
    initializers->push_back(made.initializer);
    variables->push_back(name);
    return made.value;
  };
  using namespace initializers;
  TENON_ASSIGN_OR_RETURN(const Output letters, variable("letter", {kLetters, kUnits}, RandomNormal{0, 0.3, 1}));
  TENON_ASSIGN_OR_RETURN(const Output kernel, variable("kernel", {2 * kUnits, 4 * kUnits}, GlorotUniform{2}));
  TENON_ASSIGN_OR_RETURN(const Output bias, variable("bias", {4 * kUnits}, Zeros{}));
  TENON_ASSIGN_OR_RETURN(const Output top, variable("top", {kUnits, kLetters}, GlorotUniform{3}));
  const Output codes = b.Placeholder("letters", DataType::kInt32, {kLength, kBatch});
  b.Placeholder("next", DataType::kInt32, {kLength, kBatch});
  const Output zero = b.Const("zero", Tensor::Scalar(0)), one = b.Const("one", Tensor::Scalar(1));
  const Output inputs = b.Add("Unpack", {b.Add("GatherV2", {letters, codes, zero})}, {{"num", kLength}});
  Output h = b.Const("h0", Tensor::Zeros<float>({kBatch, kUnits})), c = h;
  SlimVector<Output> all;
  for (int t = 0; t < kLength; ++t) {
    const Output both = b.Add("ConcatV2", {{inputs[t], h}, one});
    const Output gates = b.Add("BiasAdd", {b.Add("MatMul", {both, kernel}), bias});
    const Output gate = b.Add("Split", {one, gates}, {{"num_split", 4}});
    const Output kept = b.Add("Mul", {c, b.Add("Sigmoid", {gate[0]})});
    c = b.Add("AddV2", {kept, b.Add("Mul", {b.Add("Sigmoid", {gate[1]}), b.Add("Tanh", {gate[2]})})});
    h = b.Add("Mul", {b.Add("Sigmoid", {gate[3]}), b.Add("Tanh", {c})});
    all.push_back(b.Add("MatMul", {h, top}));
  }
  b.Add("Pack", "logits", {GraphBuilder::Input(all)});
  TENON_RETURN_IF_ERROR(b.status());
  return b.graph_def();
}

// Pieces of the song, at places that follow from the number of the step, and the letters that come next.
std::vector<NamedTensor> Piece(const std::string& song, int step) {
  Tensor letters = Tensor::Zeros<std::int32_t>({kLength, kBatch}),
         next = Tensor::Zeros<std::int32_t>({kLength, kBatch});
  for (Index k = 0; k < kBatch; ++k) {
    const std::size_t start = (static_cast<std::size_t>(step) * 131 + static_cast<std::size_t>(k) * 47) %
                              (song.size() - static_cast<std::size_t>(kLength) - 1);
    for (Index t = 0; t < kLength; ++t) {
      letters.data<std::int32_t>()[t * kBatch + k] = Code(song[start + static_cast<std::size_t>(t)]);
      next.data<std::int32_t>()[t * kBatch + k] = Code(song[start + static_cast<std::size_t>(t) + 1]);
    }
  }
  return {{"letters", letters}, {"next", next}};
}

Status Run() {
  std::vector<std::string> initializers, variables;
  TENON_ASSIGN_OR_RETURN(GraphDef graph, Network(&initializers, &variables));
  TENON_ASSIGN_OR_RETURN(const std::string loss,
                         AddLoss(&graph, "next", "logits", losses::SparseCategoricalCrossentropy{.from_logits = true}));
  TENON_ASSIGN_OR_RETURN(const std::string right,
                         AddMetric(&graph, "next", "logits", metrics::SparseCategoricalAccuracy{}));
  constexpr int kSteps = 160;
  TENON_ASSIGN_OR_RETURN(
      const TrainingNames names,
      AddTraining(&graph, loss, variables,
                  Chain{ClipByGlobalNorm{.norm = 1},
                        AdamW{.learning_rate = CosineDecay{.initial = 0.02, .decay_steps = kSteps}}}));

  const std::string song = Song();
  const std::vector<std::string> fetches{loss, right}, targets{names.step};
  const auto train = [&](const Session& session, int from, int to) -> Result<std::vector<float>> {
    std::vector<float> last;
    for (int step = from; step < to; ++step) {
      const std::vector<NamedTensor> feeds = Piece(song, step);
      TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> got, session.Run(feeds, fetches, targets));
      last = {got[0].data<float>()[0], got[1].data<float>()[0]};
      if (step % 50 == 0)
        std::fprintf(stderr, "step %d: loss %.3f, right %.3f\n", step, static_cast<double>(last[0]),
                     static_cast<double>(last[1]));
    }
    return last;
  };
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tenon_train_text";
  std::filesystem::create_directories(folder);
  const std::string prefix = (folder / "half").string();
  TENON_ASSIGN_OR_RETURN(const Session first, Session::FromGraphDef(graph, {.intra_op_threads = 1}));
  TENON_RETURN_IF_ERROR(first.Run({}, {}, std::span<const std::string>(initializers)).status());
  TENON_RETURN_IF_ERROR(first.Run({}, {}, {names.initialize}).status());
  TENON_RETURN_IF_ERROR(train(first, 0, kSteps / 2).status());
  TENON_RETURN_IF_ERROR(SaveVariables(first, prefix));
  TENON_ASSIGN_OR_RETURN(const std::vector<float> straight, train(first, kSteps / 2, kSteps));
  TENON_ASSIGN_OR_RETURN(const Session second, Session::FromGraphDef(graph, {.intra_op_threads = 1}));
  TENON_RETURN_IF_ERROR(RestoreVariables(second, prefix));
  TENON_ASSIGN_OR_RETURN(const std::vector<float> resumed, train(second, kSteps / 2, kSteps));
  std::filesystem::remove_all(folder);

  std::printf("more than 9 of 10 letters are right: %s\n", straight[1] > 0.9f ? "yes" : "no");
  std::printf("a restored training ends with the same bits: %s\n", resumed == straight ? "yes" : "no");
  return OkStatus();
}

}  // namespace

int main() {
  const Status status = Run();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
