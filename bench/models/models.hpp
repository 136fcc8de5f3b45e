// SPDX-License-Identifier: Apache-2.0
#pragma once
// The models that bench/models/make_models.py writes, as graphs to run: input "x", output "y". The environment variable
// TENON_BENCH_MODELS names their folder; what is not there takes no part.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>

#include "peers/peer.hpp"

namespace tenon::bench {

struct Model {
  const char* name;
  TensorShape input;
  DataType dtype;
  double flops;  // a multiply-add is two; norms, activations and softmax are left out; 0: not counted
};

inline constexpr int kNumModels = 16;
inline Model ModelAt(int i) {
  constexpr double kBert = 12.0 * (2.0 * 128 * 768 * (4 * 768 + 2 * 3072) + 4.0 * 12 * 128 * 128 * 64);
  const Model models[kNumModels] = {
      {"mlp_1", {1, 784}, DataType::kFloat, 2.0 * (784 * 128 + 1280)},
      {"mlp_64", {64, 784}, DataType::kFloat, 64 * 2.0 * (784 * 128 + 1280)},
      {"cnn28", {1, 28, 28, 1}, DataType::kFloat, 2.0 * (26 * 26 * 32 * 9 + 11 * 11 * 64 * 288 + 1600 * 128 + 1280)},
      {"mobilenet_v2", {1, 224, 224, 3}, DataType::kFloat, 2 * 300.8e6},
      {"resnet50", {1, 224, 224, 3}, DataType::kFloat, 2 * 3.86e9},
      {"lstm", {1, 64, 256}, DataType::kFloat, 64 * 2 * 2.0 * 512 * 1024},
      {"bert_base", {1, 128}, DataType::kInt32, kBert},
      {"efficientnet_b0", {1, 224, 224, 3}, DataType::kFloat, 2 * 390e6},
      {"mobilenet_v3", {1, 224, 224, 3}, DataType::kFloat, 2 * 219e6},
      {"yolo", {1, 256, 256, 3}, DataType::kFloat, 0},
      {"unet", {1, 128, 128, 3}, DataType::kFloat, 0},
      {"wavenet", {1, 1, 1024, 1}, DataType::kFloat, 0},
      {"gpt_step", {1, 1}, DataType::kInt32, 0},
      {"mobilenet_qat", {1, 224, 224, 3}, DataType::kFloat, 2 * 569e6},
      {"dlrm", {64, 39}, DataType::kInt32, 0},
      {"text_cnn", {1}, DataType::kString, 0},
  };
  return models[i];
}

// Empty: the variable is not set.
inline std::string ModelFile(const char* name, const char* ending) {
  const char* folder = std::getenv("TENON_BENCH_MODELS");
  return folder == nullptr ? std::string() : StrCat(folder, "/", name, ending);
}
inline bool HasModel(const char* name) {
  std::error_code error;
  const std::string file = ModelFile(name, ".pb");
  return !file.empty() && std::filesystem::exists(file, error);
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Grey values between 0 and 1.
inline Tensor Images(const TensorShape& shape) {
  Tensor images(DataType::kFloat, shape);
  unsigned state = 1;
  for (float& pixel : images.flat<float>()) {
    state = state * 1664525u + 1013904223u;
    pixel = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
  }
  return images;
}
inline Tensor Words(const TensorShape& shape) {
  Tensor words(DataType::kInt32, shape);
  std::int32_t next = 7;
  for (std::int32_t& word : words.flat<std::int32_t>()) next = (next * 211 + 13) % 30011, word = next;
  return words;
}
// A sentence of 60 words.
inline Tensor Text() {
  constexpr const char* kWords[] = {"The",  "film",   "was", "long,", "yet",   "nobody",
                                    "left", "before", "its", "last",  "scene."};
  std::string text;
  for (int i = 0; i < 60; ++i) StrAppend(&text, i > 0 ? " " : "", kWords[i * 7 % 11]);
  Tensor sentence(DataType::kString, {1});
  sentence.flat<tstring>()[0] = text;
  return sentence;
}
inline Tensor ModelInput(const Model& model) {
  return model.dtype == DataType::kFloat   ? Images(model.input)
         : model.dtype == DataType::kInt32 ? Words(model.input)
                                           : Text();
}

// The graph itself is left out: graph_def is empty.
inline PeerGraph ModelGraph(const Model& model) {
  PeerGraph graph;
  graph.onnx_file = ModelFile(model.name, ".onnx");
  graph.feeds = {{"x:0", ModelInput(model)}};
  graph.fetches = {"y:0"};
  return graph;
}

}  // namespace tenon::bench
