// SPDX-License-Identifier: Apache-2.0
// Whole models from tests/golden/models: one run, batch and all. The number is the batch.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "graph_case.hpp"

namespace tenon::bench {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Grey values between 0 and 1.
Tensor Images(const TensorShape& shape) {
  Tensor images(DataType::kFloat, shape);
  unsigned state = 1;
  for (float& pixel : images.flat<float>()) {
    state = state * 1664525u + 1013904223u;
    pixel = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
  }
  return images;
}

// TENON_BENCH_ONNX names the folder with the same models for ONNX Runtime.
void TimeModel(State& state, const std::string& name, const std::string& input, const TensorShape& shape) {
  PeerGraph graph;
  graph.graph_def = ReadFile(StrCat(TENON_TEST_DATA, "/models/", name, "/graph.pb"));
  const char* onnx = std::getenv("TENON_BENCH_ONNX");
  graph.onnx_file = StrCat(onnx != nullptr ? onnx : "onnx", "/", name, ".onnx");
  graph.feeds = {{input, Images(shape)}};
  graph.fetches = {"probabilities:0"};
  state.SetItems(static_cast<double>(state.arg()), "image");
  TimeGraph(state, {.graph = std::move(graph), .optimize = true});
}

}  // namespace

TENON_BENCH(mlp_digits, {1, 64}) { TimeModel(state, "mlp_digits", "pixels:0", {state.arg(), 784}); }
TENON_BENCH(cnn_digits, {1, 64}) { TimeModel(state, "cnn_digits", "image:0", {state.arg(), 28, 28, 1}); }

}  // namespace tenon::bench
