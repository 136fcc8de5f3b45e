// SPDX-License-Identifier: Apache-2.0
// Fine-tunes a SavedModel of Keras. The network of 08_classify_images learned filled shapes; this program draws thin
// outlines with noise, of which it takes one in five for another shape. Its last layer learns them; all other layers
// stay as they are.
//
//   fine_tune [FOLDER]   writes the model into a new FOLDER: TensorFlow loads it, too

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/prune.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/saved_model.hpp>
#include <tenon/training.hpp>

using namespace tenon;

namespace {

constexpr int kShapes = 4, kSize = 48, kBatch = 32, kSteps = 150;

// Pictures uint8 [count, kSize, kSize, 3] and which shape each has: the outline of a circle, cross, square or triangle.
struct Pictures {
  Tensor images, labels;
};

// The distance from a place to the shape's edge, below 0 inside.
double Distance(int shape, double x, double y, double r) {
  const double dx = std::abs(x), dy = std::abs(y);
  switch (shape) {
    case 0: return std::hypot(dx, dy) - r;
    case 1: return std::min(std::max(dx - 0.3 * r, dy - r), std::max(dy - 0.3 * r, dx - r));
    case 2: return std::max(dx, dy) - 0.85 * r;
    default: return std::max(y - 0.8 * r, dx - 0.55 * (y + r));
  }
}

Pictures Draw(int count, unsigned seed) {
  std::mt19937 random(seed);  // its numbers are equal everywhere; those of distributions are not
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  Pictures made{Tensor::Zeros<std::uint8_t>({count, kSize, kSize, 3}), Tensor::Zeros<std::int32_t>({count})};
  std::uint8_t* to = made.images.data<std::uint8_t>();
  for (int i = 0; i < count; ++i) {
    const int shape = made.labels.data<std::int32_t>()[i] = static_cast<int>(random() % kShapes);
    const double cx = uniform(0.35, 0.65) * kSize, cy = uniform(0.35, 0.65) * kSize, r = uniform(0.2, 0.33) * kSize;
    double back[3], front[3], contrast = 0;
    while (contrast < 180) {
      contrast = 0;
      for (int c = 0; c < 3; ++c) {
        back[c] = uniform(0, 255);
        front[c] = uniform(0, 255);
        contrast += std::abs(back[c] - front[c]);
      }
    }
    for (int y = 0; y < kSize; ++y)
      for (int x = 0; x < kSize; ++x) {
        const bool line = std::abs(Distance(shape, x - cx, y - cy, r)) < 0.7;
        for (int c = 0; c < 3; ++c)
          *to++ = static_cast<std::uint8_t>(std::clamp((line ? front : back)[c] + uniform(-40, 40), 0.0, 255.0));
      }
  }
  return made;
}

// The share of pictures that the model takes for their shape.
Result<double> Accuracy(const ModelSignature& signature, const Pictures& pictures) {
  TENON_ASSIGN_OR_RETURN(const auto outputs, signature({pictures.images}));
  const auto scores = outputs[0].matrix<float>();
  const std::int32_t* const labels = pictures.labels.data<std::int32_t>();
  int right = 0;
  for (Index i = 0; i < pictures.labels.NumElements(); ++i) {
    Index best = 0;
    for (Index k = 1; k < kShapes; ++k)
      if (scores(i, k) > scores(i, best)) best = k;
    right += best == labels[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(pictures.labels.NumElements());
}

Status Run(const char* folder) {
  // Both sessions, of the model and of its training, share these variables.
  ResourceMgr variables;
  TENON_ASSIGN_OR_RETURN(const SavedModel model,
                         SavedModel::Load(FOLDER "/shapes", {.session = {.resources = &variables}}));
  TENON_ASSIGN_OR_RETURN(const ModelSignature signature, model.signature());
  const std::string image = signature.inputs()[0].tensor, scores = signature.outputs()[0].tensor;

  // The part of the model's graph that its answers need, with a loss and the training of one layer.
  TENON_ASSIGN_OR_RETURN(GraphDef graph, Prune(model.meta_graph().graph_def, {scores}));
  GraphBuilder labels;
  labels.Placeholder("labels", DataType::kInt32, {-1});
  graph.node.push_back(labels.graph_def().node[0]);
  TENON_ASSIGN_OR_RETURN(const std::string loss,
                         AddLoss(&graph, "labels", scores, losses::SparseCategoricalCrossentropy{}));
  TENON_ASSIGN_OR_RETURN(const auto trained, FindVariables(graph, loss, {.include = {"shape/*"}}));
  TENON_ASSIGN_OR_RETURN(const TrainingNames names, AddTraining(&graph, loss, trained, Adam{.learning_rate = 0.01}));
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(graph, {.resources = &variables}));
  TENON_RETURN_IF_ERROR(session.Run({}, {}, {names.initialize}).status());
  TENON_ASSIGN_OR_RETURN(
      const Callable step,
      session.MakeCallable({.feeds = {image, "labels"}, .fetches = {loss}, .targets = {names.step}}));

  const Pictures test = Draw(400, 1);
  TENON_ASSIGN_OR_RETURN(const double before, Accuracy(signature, test));
  std::vector<Tensor> fetches(1);
  for (int i = 0; i < kSteps; ++i) {
    const Pictures batch = Draw(kBatch, 100 + static_cast<unsigned>(i));
    const Tensor feeds[] = {batch.images, batch.labels};
    TENON_RETURN_IF_ERROR(step.Run(feeds, fetches));
    if (i % 25 == 24)
      std::fprintf(stderr, "step %3d: loss %.4f\n", i + 1, static_cast<double>(fetches[0].scalar<float>()()));
  }
  TENON_ASSIGN_OR_RETURN(const double after, Accuracy(signature, test));
  std::fprintf(stderr, "accuracy %.3f before, %.3f after\n", before, after);
  const auto nine_of_ten = [](double accuracy) { return accuracy >= 0.9 ? "yes" : "no"; };
  std::printf("at least 9 of 10 outlines are recognised: before %s, after %s\n", nine_of_ten(before),
              nine_of_ten(after));
  return folder == nullptr ? OkStatus() : model.Save(folder);
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = Run(argc > 1 ? argv[1] : nullptr);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
