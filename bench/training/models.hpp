// SPDX-License-Identifier: Apache-2.0
#pragma once
// Training steps as graphs: a forward pass, its gradients and an optimizer, all by the public API. The same graphs are
// run by TensorFlow's C API; bench/peers/training_peer.py writes the same models for TensorFlow and PyTorch.

#include <span>
#include <string>
#include <vector>

#include <tenon/base/status.hpp>
#include <tenon/tenon.hpp>

#include "peers/peer.hpp"

namespace tenon::bench {

// A model that is ready to train.
struct TrainingModel {
  GraphDef graph;
  std::vector<NamedTensor> feeds;
  std::vector<std::string> initializers;  // nodes to run once, in this order
  std::vector<std::string> variables;     // handles of the variables that the optimizer changes
  std::vector<std::string> targets;       // nodes of a step
  std::string loss;                       // before the step
  double flops = 0;  // products and convolutions of a step, three times those of the forward pass
};

// Names of the models.
inline constexpr int kNumTrainingModels = 8;
std::span<const char* const, kNumTrainingModels> TrainingModels();

// Makes a model by its name. NotFound: there is no such model.
Result<TrainingModel> MakeTrainingModel(std::string_view name);

// A session of a model whose initialisers have run, with the optimizer of graphs on.
Result<Session> OpenTraining(const TrainingModel& model, int threads);
Result<Callable> MakeStep(const Session& session, const TrainingModel& model);

// Writes the feeds and the first values of the variables as an .npz file for Python.
Status WriteFirstValues(const TrainingModel& model, const std::string& path);

// The losses of the first kFirstLosses steps of a session or peer that has just been made: float [kFirstLosses].
inline constexpr int kFirstLosses = 4;

// TensorFlow's C API with the graph of the model.
PeerGraph TrainingGraph(const TrainingModel& model);

}  // namespace tenon::bench
