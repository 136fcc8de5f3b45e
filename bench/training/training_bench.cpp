// SPDX-License-Identifier: Apache-2.0
// Training steps beside TensorFlow, by its C API with the same graph, by tf.function and by XLA, and beside PyTorch,
// eager and compiled. A peer takes part if the losses of its first steps are Tenon's. Wanted: no step takes longer than
// that of the faster of TensorFlow and PyTorch. TENON_BENCH_TRAINING_VALUES names a folder for the first values of
// variables (default: that for temporary files).
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/tenon.hpp>

#include "harness.hpp"
#include "peers/peer.hpp"
#include "peers/training_peer.hpp"
#include "training/models.hpp"

namespace tenon::bench {
namespace {

// TensorFlow by its C API, which fetches the losses of its first steps.
class FirstLosses final : public PeerSession {
 public:
  explicit FirstLosses(std::unique_ptr<PeerSession> session) : session_(std::move(session)) {}
  Status Run(std::int64_t times) override { return session_->Run(times); }
  Result<std::vector<Tensor>> Fetch() override {
    Tensor losses(DataType::kFloat, {kFirstLosses});
    for (int i = 0; i < kFirstLosses; ++i) {
      TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> loss, session_->Fetch());
      losses.data<float>()[i] = loss[0].scalar<float>()();
    }
    return std::vector<Tensor>{losses};
  }

 private:
  std::unique_ptr<PeerSession> session_;
};

Status TimeTraining(State& state, const char* name) {
  const int threads = state.options().threads;
  TENON_ASSIGN_OR_RETURN(const TrainingModel model, MakeTrainingModel(name));
  state.SetFlops(model.flops);
  TENON_ASSIGN_OR_RETURN(const Session session, OpenTraining(model, threads));
  TENON_ASSIGN_OR_RETURN(const Callable step, MakeStep(session, model));
  std::vector<Tensor> feeds, fetches(1);
  for (const NamedTensor& feed : model.feeds) feeds.push_back(feed.tensor);
  Tensor losses(DataType::kFloat, {kFirstLosses});
  for (int i = 0; i < kFirstLosses; ++i) {
    TENON_RETURN_IF_ERROR(step.Run(feeds, fetches));
    losses.data<float>()[i] = fetches[0].scalar<float>()();
  }

  if (state.options().peers) {
    const char* const folder = std::getenv("TENON_BENCH_TRAINING_VALUES");
    const std::filesystem::path path = folder != nullptr ? folder : std::filesystem::temp_directory_path();
    const std::string values = (path / StrCat("tenon_bench_training_", name, ".npz")).string();
    TENON_RETURN_IF_ERROR(WriteFirstValues(model, values));
    const PeerGraph graph = TrainingGraph(model);
    const auto add = [&](const char* who, double error, const MakePeer& make) {
      AddPeer(state, who, make, {&losses, 1}, error);
    };
    // Momentum and norms of few elements make a network of this depth depend on rounding.
    const bool deep = std::string_view(name) == "resnet18";
    add("TensorFlow, same graph", deep ? 0.03 : 1e-3, [&]() -> Result<std::unique_ptr<PeerSession>> {
      TENON_ASSIGN_OR_RETURN(auto made, MakeTensorFlow(graph, {.intra_op_threads = threads}));
      return std::unique_ptr<PeerSession>(std::make_unique<FirstLosses>(std::move(made)));
    });
    for (const auto& [who, kind] : {std::pair("TensorFlow, tf.function", "function"), {"TensorFlow, XLA", "xla"}})
      add(who, deep ? 0.03 : 1e-3, [&, way = kind] { return MakeTrainingPeer(way, name, values, threads); });
    // Padding of strided convolutions and of a pool is on both sides in PyTorch: other numbers, and as much work.
    const double error = deep ? 0.3 : 1e-3;
    for (const auto& [who, kind] : {std::pair("PyTorch, eager", "eager"), {"PyTorch, torch.compile", "compile"}})
      add(who, error, [&, way = kind] { return MakeTrainingPeer(way, name, values, threads); });
    std::error_code ignored;
    std::filesystem::remove(values, ignored);
    state.Goal(1, "TensorFlow");
    state.Goal(1, "PyTorch");
  }
  for (auto _ : state) state.Check(step.Run(feeds, fetches));
  return OkStatus();
}

template <int I>
void TimeModel(State& state) {
  state.Check(TimeTraining(state, TrainingModels()[I]));
}
template <int... I>
bool AddModels(std::integer_sequence<int, I...>) {
  (Registration(TrainingModels()[I], &TimeModel<I>), ...);
  return true;
}
[[maybe_unused]] const bool models_added = AddModels(std::make_integer_sequence<int, kNumTrainingModels>());

}  // namespace
}  // namespace tenon::bench
