// SPDX-License-Identifier: Apache-2.0
// A convolutional network learns to read handwritten digits. The program reads 1797 images of 8 x 8 pixels from .npy
// files, trains with 1500 of them and their moved copies, in a new random order each epoch, and tests with the rest.
//
//   train_digits [CURVE.svg]   writes the losses as a picture, too

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <tenon/dataset.hpp>
#include <tenon/gradients.hpp>
#include <tenon/tenon.hpp>
#include <tenon/training.hpp>

using namespace tenon;

namespace {

constexpr int kTraining = 1500, kBatch = 32, kEpochs = 10;

// Losses and accuracies of an epoch, in training and in the test after it.
struct Epoch {
  double loss = 0, right = 0, test_loss = 0, test_right = 0;
};

// "pixels" uint8 [batch, 8, 8, 1] to "logits" [batch, digit]: two convolutions, a maximum over 2 x 2 places, a product.
Result<GraphDef> Network(std::vector<std::string>* initializers, std::vector<std::string>* variables) {
  const SlimVector<std::int64_t> ones{1, 1, 1, 1}, twos{1, 2, 2, 1};  // steps along batch, height, width, channel
  GraphBuilder b;
  const auto variable = [&](const std::string& name, const TensorShape& shape, const auto& first) -> Output {
    const Result<NewVariable> made = AddVariable(&b, name, DataType::kFloat, shape, first);
    if (!made.ok()) return {};  // b.status() says why
    initializers->push_back(made->initializer);
    variables->push_back(name);
    return made->value;
  };
  const auto convolution = [&](const std::string& name, const Output& x, Index inputs, Index outputs, int seed) {
    const Output filter = variable(name + "/filter", {3, 3, inputs, outputs}, initializers::HeUniform{seed});
    const Output bias = variable(name + "/bias", {outputs}, initializers::Zeros{});
    const Output sums = b.Add("Conv2D", {x, filter}, {{"strides", ones}, {"padding", "SAME"}});
    return b.Add("Relu", {b.Add("BiasAdd", {sums, bias})});
  };
  const Output pixels = b.Placeholder("pixels", DataType::kUint8, {-1, 8, 8, 1});
  b.Placeholder("labels", DataType::kUint8, {-1});
  const Output numbers = b.Add("Cast", {pixels}, {{"DstT", DataType::kFloat}});
  const Output images = b.Add("Mul", {numbers, b.Const("scale", Tensor::Scalar(1.0f / 16))});
  const Output second = convolution("second", convolution("first", images, 1, 16, 1), 16, 32, 2);
  const Output pooled = b.Add("MaxPool", {second}, {{"ksize", twos}, {"strides", twos}, {"padding", "VALID"}});
  const Output rows = b.Add("Reshape", {pooled, b.Const("row", Tensor::From<std::int32_t>({-1, 4 * 4 * 32}, {2}))});
  const Output top = variable("top", {4 * 4 * 32, 10}, initializers::GlorotUniform{3});
  b.Add("BiasAdd", "logits", {b.Add("MatMul", {rows, top}), variable("top/bias", {10}, initializers::Zeros{})});
  TENON_RETURN_IF_ERROR(b.status());
  return b.graph_def();
}

// The first kTraining images and labels, and copies of the images that are moved by one pixel to each side.
Result<Dataset> MovedImages() {
  constexpr std::ptrdiff_t kMoves[][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  TENON_ASSIGN_OR_RETURN(const Tensor images, ReadNpy(FOLDER "/images.npy"));
  TENON_ASSIGN_OR_RETURN(const Tensor labels, ReadNpy(FOLDER "/labels.npy"));
  Tensor moved = Tensor::Zeros<std::uint8_t>({5 * kTraining, 8, 8, 1});
  Tensor repeated = Tensor::Zeros<std::uint8_t>({5 * kTraining});
  std::uint8_t *to = moved.data<std::uint8_t>(), *label = repeated.data<std::uint8_t>();
  for (const auto& move : kMoves)
    for (std::ptrdiff_t i = 0; i < kTraining; ++i, to += 64) {
      const std::uint8_t* const from = images.data<std::uint8_t>() + 64 * i;
      for (std::ptrdiff_t y = 0; y < 8; ++y)
        for (std::ptrdiff_t x = 0; x < 8; ++x) {
          const std::ptrdiff_t v = y + move[0], u = x + move[1];
          if (v >= 0 && v < 8 && u >= 0 && u < 8) to[8 * y + x] = from[8 * v + u];
        }
      *label++ = labels.data<std::uint8_t>()[i];
    }
  return Dataset::FromTensorSlices({moved, repeated});
}

// Runs `run` for each batch; *loss and *right become the means of its two fetches over all images.
Status RunAll(const Callable& run, const Dataset& batches, double* loss, double* right) {
  TENON_ASSIGN_OR_RETURN(DatasetIterator iterator, batches.MakeIterator());
  std::vector<Tensor> element, fetches(2);
  double images = 0;
  *loss = *right = 0;
  for (bool end = false;;) {
    TENON_RETURN_IF_ERROR(iterator.Next(&element, &end));
    if (end) break;
    TENON_RETURN_IF_ERROR(run.Run(element, fetches));
    const double count = static_cast<double>(element[0].dim_size(0));
    images += count;
    *loss += count * static_cast<double>(fetches[0].scalar<float>()());
    *right += count * static_cast<double>(fetches[1].scalar<float>()());
  }
  *loss /= images;
  *right /= images;
  return OkStatus();
}

// A picture of both losses over the epochs, which needs no other file.
Status WriteCurve(const char* path, const std::vector<Epoch>& epochs) {
  constexpr double kLeft = 50, kTop = 40, kWidth = 560, kHeight = 280;
  double highest = 0;
  for (const Epoch& epoch : epochs) highest = std::max({highest, epoch.loss, epoch.test_loss});
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return errors::PermissionDenied("WriteCurve: '", path, "' cannot be written");
  const auto x = [&](std::size_t i) {
    return kLeft + kWidth * static_cast<double>(i + 1) / static_cast<double>(epochs.size());
  };
  const auto y = [&](double loss) { return kTop + kHeight * (1 - loss / highest); };
  std::fprintf(file,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 360\" font-family=\"sans-serif\" "
               "font-size=\"12\">\n<rect width=\"640\" height=\"360\" fill=\"white\"/>\n");
  for (int i = 0; i <= 4; ++i)
    std::fprintf(file,
                 "<path d=\"M%g %gh%g\" stroke=\"#ddd\"/><text x=\"44\" y=\"%g\" text-anchor=\"end\">%.2f</text>\n",
                 kLeft, y(highest * i / 4), kWidth, y(highest * i / 4) + 4, highest * i / 4);
  for (std::size_t i = 0; i < epochs.size(); ++i)
    std::fprintf(file, "<text x=\"%g\" y=\"338\" text-anchor=\"middle\">%zu</text>\n", x(i), i + 1);
  const auto line = [&](const char* name, const char* colour, double at, double Epoch::* loss) {
    std::fprintf(file,
                 "<text x=\"%g\" y=\"24\" fill=\"%s\">%s</text>\n<polyline fill=\"none\" stroke=\"%s\" "
                 "stroke-width=\"2\" points=\"",
                 at, colour, name, colour);
    for (std::size_t i = 0; i < epochs.size(); ++i) std::fprintf(file, "%g,%g ", x(i), y(epochs[i].*loss));
    std::fprintf(file, "\"/>\n");
  };
  line("loss in training", "#1f77b4", 60, &Epoch::loss);
  line("loss in the test", "#d62728", 200, &Epoch::test_loss);
  std::fprintf(file, "<text x=\"340\" y=\"354\" text-anchor=\"middle\">epoch</text>\n</svg>\n");
  return std::fclose(file) == 0 ? OkStatus() : errors::DataLoss("WriteCurve: '", path, "' is not whole");
}

Status Run(const char* curve) {
  std::vector<std::string> initializers, variables;
  TENON_ASSIGN_OR_RETURN(GraphDef graph, Network(&initializers, &variables));
  TENON_ASSIGN_OR_RETURN(const std::string loss, AddLoss(&graph, "labels", "logits",
                                                         losses::SparseCategoricalCrossentropy{.from_logits = true}));
  TENON_ASSIGN_OR_RETURN(const std::string right,
                         AddMetric(&graph, "labels", "logits", metrics::SparseCategoricalAccuracy{}));
  TENON_ASSIGN_OR_RETURN(const TrainingNames names, AddTraining(&graph, loss, variables, Adam{.learning_rate = 0.001}));
  TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(graph, {.intra_op_threads = 1}));
  TENON_RETURN_IF_ERROR(session.Run({}, {}, std::span<const std::string>(initializers)).status());
  TENON_RETURN_IF_ERROR(session.Run({}, {}, {names.initialize}).status());
  TENON_ASSIGN_OR_RETURN(
      const Callable train,
      session.MakeCallable({.feeds = {"pixels", "labels"}, .fetches = {loss, right}, .targets = {names.step}}));
  TENON_ASSIGN_OR_RETURN(const Callable test,
                         session.MakeCallable({.feeds = {"pixels", "labels"}, .fetches = {loss, right}}));

  TENON_ASSIGN_OR_RETURN(const Dataset moved, MovedImages());
  // Each iterator has another random order.
  const Dataset training = moved.Shuffle(5 * kTraining, 1).Batch(kBatch).Prefetch(2);
  const Dataset testing = Dataset::FromNpy({FOLDER "/images.npy", FOLDER "/labels.npy"}).Skip(kTraining).Batch(100);
  std::vector<Epoch> epochs;
  for (int number = 1; number <= kEpochs; ++number) {
    Epoch& epoch = epochs.emplace_back();
    TENON_RETURN_IF_ERROR(RunAll(train, training, &epoch.loss, &epoch.right));
    TENON_RETURN_IF_ERROR(RunAll(test, testing, &epoch.test_loss, &epoch.test_right));
    std::fprintf(stderr, "epoch %2d: loss %.4f, accuracy %.4f; test: loss %.4f, accuracy %.4f\n", number, epoch.loss,
                 epoch.right, epoch.test_loss, epoch.test_right);
  }
  std::printf("at least 98 of 100 test images are read right: %s\n", epochs.back().test_right >= 0.98 ? "yes" : "no");
  return curve == nullptr ? OkStatus() : WriteCurve(curve, epochs);
}

}  // namespace

int main(int argc, char** argv) {
  const Status status = Run(argc > 1 ? argv[1] : nullptr);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
