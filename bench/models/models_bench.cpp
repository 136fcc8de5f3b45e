// SPDX-License-Identifier: Apache-2.0
// Whole models: one run, batch and all. Two small ones come with the tests (tests/golden/models), their number is the
// batch; the others are those of TENON_BENCH_MODELS (models.hpp), which tools/bench_models.sh makes and runs.
// TENON_BENCH_OPTIMIZE=0: the peers run the graph of those as it is.
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "graph_case.hpp"
#include "models/models.hpp"

namespace tenon::bench {
namespace {

// TENON_BENCH_ONNX names the folder with the same models for ONNX Runtime.
void TimeDigits(State& state, const std::string& name, const std::string& input, const TensorShape& shape) {
  PeerGraph graph;
  graph.graph_def = ReadFile(StrCat(TENON_TEST_DATA, "/models/", name, "/graph.pb"));
  const char* onnx = std::getenv("TENON_BENCH_ONNX");
  graph.onnx_file = StrCat(onnx != nullptr ? onnx : "onnx", "/", name, ".onnx");
  graph.feeds = {{input, Images(shape)}};
  graph.fetches = {"probabilities:0"};
  state.SetItems(static_cast<double>(state.arg()), "image");
  TimeGraph(state, {.graph = std::move(graph), .optimize = true});
}

template <int I>
void TimeModel(State& state) {
  const Model model = ModelAt(I);
  PeerGraph graph = ModelGraph(model);
  graph.graph_def = ReadFile(ModelFile(model.name, ".pb"));
  state.SetFlops(model.flops);
  // TensorFlow's single-threaded executor knows no loops, and is no faster where kernels take the time.
  const char* const optimize = std::getenv("TENON_BENCH_OPTIMIZE");
  TimeGraph(state, {.graph = std::move(graph),
                    .optimize = optimize == nullptr || std::string_view(optimize) != "0",
                    .single_threaded = false});
}

template <int... I>
bool AddModels(std::integer_sequence<int, I...>) {
  const auto add = [](const char* name, void (*run)(State&)) {
    if (HasModel(name)) Registration(name, run);
  };
  (add(ModelAt(I).name, &TimeModel<I>), ...);
  return true;
}
[[maybe_unused]] const bool models_added = AddModels(std::make_integer_sequence<int, kNumModels>());

}  // namespace

TENON_BENCH(mlp_digits, {1, 64}) { TimeDigits(state, "mlp_digits", "pixels:0", {state.arg(), 784}); }
TENON_BENCH(cnn_digits, {1, 64}) { TimeDigits(state, "cnn_digits", "image:0", {state.arg(), 28, 28, 1}); }

}  // namespace tenon::bench
