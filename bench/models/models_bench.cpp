// SPDX-License-Identifier: Apache-2.0
// Whole models: one run, batch and all. Two small ones come with the tests (tests/golden/models), their number is the
// batch; the others are those of TENON_BENCH_MODELS (models.hpp), which tools/bench_models.sh makes and runs.
// TENON_BENCH_OPTIMIZE=0: the peers run the graph of those as it is. TENON_BENCH_MORE_PEERS=1: XLA, OpenVINO and LiteRT
// take part, too.
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Tenon with the optimizer, as a peer of Tenon without it.
class OptimizedTenon final : public PeerSession {
 public:
  OptimizedTenon(Callable callable, Tensor feed) : callable_(std::move(callable)), feed_(std::move(feed)) {}
  static Result<std::unique_ptr<PeerSession>> Make(const std::string& file, const Tensor& feed, int threads) {
    SessionOptions options;
    options.intra_op_threads = threads;
    options.optimizer.level = OptimizerLevel::kFast;
    TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphFile(file, options));
    TENON_ASSIGN_OR_RETURN(Callable callable, session.MakeCallable({{"x:0"}, {"y:0"}}));
    return std::unique_ptr<PeerSession>(std::make_unique<OptimizedTenon>(std::move(callable), feed));
  }
  Status Run(std::int64_t times) override {
    for (; times > 0; --times) TENON_RETURN_IF_ERROR(callable_.Run({&feed_, 1}, {&output_, 1}));
    return OkStatus();
  }
  Result<std::vector<Tensor>> Fetch() override {
    TENON_RETURN_IF_ERROR(Run(1));
    return std::vector<Tensor>{output_};
  }

 private:
  Callable callable_;
  Tensor feed_, output_;
};

template <int I>
void TimeModel(State& state) {
  const Model model = ModelAt(I);
  PeerGraph graph = ModelGraph(model);
  graph.graph_def = ReadFile(ModelFile(model.name, ".pb"));
  state.SetFlops(model.flops);
  const std::string file = ModelFile(model.name, ".pb");
  const Tensor feed = graph.feeds[0].tensor;
  const int threads = state.options().threads;
  std::vector<std::pair<std::string, MakePeer>> others{
      {"Tenon, optimizer", [=] { return OptimizedTenon::Make(file, feed, threads); }}};
  const char* const more = std::getenv("TENON_BENCH_MORE_PEERS");
  if (more != nullptr && std::string_view(more) == "1") {
    others.push_back({"TensorFlow, XLA", [=] { return MakePythonPeer("xla", file, feed, threads); }});
    others.push_back({"OpenVINO", [=] { return MakePythonPeer("openvino", file, feed, threads); }});
    others.push_back({"LiteRT", [=] { return MakePythonPeer("litert", file, feed, threads); }});
  }
  // TensorFlow's single-threaded executor knows no loops, and is no faster where kernels take the time.
  const char* const optimize = std::getenv("TENON_BENCH_OPTIMIZE");
  TimeGraph(state, {.graph = std::move(graph),
                    .optimize = optimize == nullptr || std::string_view(optimize) != "0",
                    .single_threaded = false,
                    .relative_error = std::string_view(model.name) == "mobilenet_qat" ? 0.05 : 1e-3,  // steps of 1/255
                    .others = std::move(others)});
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
