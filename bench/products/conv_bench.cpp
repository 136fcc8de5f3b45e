// SPDX-License-Identifier: Apache-2.0
// Convolutions of the shapes of ResNet-50 and MobileNet beside oneDNN. The number is the side of the images. Padded
// places count as work: who leaves them out may be above the peak. Filters are constants, as in a session: those of
// oneDNN are packed before the clock starts, ours too where there are few pixels, else in every run. Winograd's
// algorithm is beside the direct convolution, with all filters in turn of a network as large as the caches, and beside
// the direct gradients.
#include <cstdint>
#include <vector>

#include <tenon/tensor/tensor.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/conv/conv_gradient.hpp>
#include <tenon/engine/conv/depthwise.hpp>
#include <tenon/engine/core/packed_weights.hpp>

#include "one_thread.hpp"
#include "peers.hpp"

namespace tenon::bench {
namespace {

// Where tensors lie: at multiples of 64 bytes.
Tensor Numbers(Index count, std::uint32_t seed) {
  Tensor numbers(DataType::kFloat, {count});
  for (float& x : numbers.flat<float>()) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<std::int32_t>(seed)) / 2147483648.0f;
  }
  return numbers;
}

Window Place(Index input, Index size, Index stride) {
  Window w;
  w.input = input;
  w.size = size;
  w.stride = stride;
  return w;
}

// Runs it; on the device, that is.
Status Convolve(Cpu& device, const Convolution& c, float* output, PackedWeights* weights,
                ConvAlgorithm algorithm = ConvAlgorithm::kDirect) {
  Window rows = Place(c.rows, c.window, c.stride), columns = Place(c.columns, c.window, c.stride);
  TENON_RETURN_IF_ERROR(PlaceWindow(Padding::kSame, &rows));
  TENON_RETURN_IF_ERROR(PlaceWindow(Padding::kSame, &columns));
  if (c.groups == 1) {
    const Conv2DGeometry g{c.batch, rows, columns, c.depth, c.out_depth, 1};
    return Conv2D(device, g, c.input, c.filter, output, weights, algorithm);
  }
  const DepthwiseGeometry g{c.batch, rows, columns, c.depth, c.out_depth / c.depth};
  return DepthwiseConv2D(device, g, c.input, c.filter, output);
}

// `goal`: of oneDNN's speed.
void Time(State& state, Convolution c, double goal) {
  const double products =
      static_cast<double>(c.elements()) * static_cast<double>(c.window * c.window * c.depth / c.groups);
  state.SetFlops(2 * products);
  const Tensor input = Numbers(c.batch * c.rows * c.columns * c.depth, 1),
               filter = Numbers(c.window * c.window * c.depth / c.groups * c.out_depth, 2);
  Tensor output(DataType::kFloat, {c.elements()});
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr};
  c.input = input.data<float>();
  c.filter = filter.data<float>();
  PackedWeights weights;
  weights.Offer(filter, DefaultAllocator());
  if (!state.Check(Convolve(device, c, output.data<float>(), &weights))) return;
  const std::vector<float> answer(output.data<float>(), output.data<float>() + c.elements());
  c.output = answer.data();
  AddOneDnn(state, c);
  if (state.options().threads == 1) AddPeak(state, 0.0f, 2 * products);
  state.Goal(1 / goal, "oneDNN");
  Cpu one;
  AddOneThread(state, c.elements(), [&] { state.Check(Convolve(one, c, output.data<float>(), &weights)); });
  for (auto _ : state) state.Check(Convolve(device, c, output.data<float>(), &weights));
}

// One image of n x n.
void TimeConv(State& state, Index depth, Index out_depth, Index window, Index stride, double goal) {
  const Index n = state.arg();
  Time(
      state,
      {.batch = 1, .rows = n, .columns = n, .depth = depth, .out_depth = out_depth, .window = window, .stride = stride},
      goal);
}
void TimeDepthwise(State& state, Index stride) {
  const Index n = state.arg(), depth = n == 112 ? 32 : 7168 / n;
  Time(state,
       {.batch = 1,
        .rows = n,
        .columns = n,
        .depth = depth,
        .out_depth = depth,
        .window = 3,
        .stride = stride,
        .groups = depth},
       1.0);
}

// One image of n x n, by Winograd's algorithm; the peer is the direct convolution.
void TimeWinograd(State& state, Index depth, Index out_depth) {
  constexpr Index kBytes = Index{48} << 20;  // of the filters as they are
  const Index n = state.arg(), window = 9 * depth * out_depth;
  const Index filters = kBytes / (window * Index{sizeof(float)}) < 64 ? kBytes / (window * Index{sizeof(float)}) : 64;
  const Tensor input = Numbers(n * n * depth, 1);
  std::vector<Tensor> filter;
  std::vector<PackedWeights> direct(static_cast<std::size_t>(filters)), winograd(direct.size());
  for (std::size_t i = 0; i < direct.size(); ++i) {
    filter.push_back(Numbers(window, static_cast<std::uint32_t>(i + 2)));
    direct[i].Offer(filter[i], DefaultAllocator());
    winograd[i].Offer(filter[i], DefaultAllocator());
  }
  Convolution c{.batch = 1, .rows = n, .columns = n, .depth = depth, .out_depth = out_depth, .window = 3, .stride = 1};
  c.input = input.data<float>();
  Tensor output(DataType::kFloat, {c.elements()}), other(DataType::kFloat, {c.elements()});
  state.SetFlops(2 * static_cast<double>(c.elements()) * static_cast<double>(9 * depth));
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr};
  std::size_t at = 0;
  const auto run = [&](std::vector<PackedWeights>& weights, Tensor& to, ConvAlgorithm algorithm) {
    at = at + 1 == filter.size() ? 0 : at + 1;
    c.filter = filter[at].data<float>();
    state.Check(Convolve(device, c, to.data<float>(), &weights[at], algorithm));
  };
  for (std::size_t i = 0; i < filter.size(); ++i) run(winograd, output, ConvAlgorithm::kBySize);
  for (std::size_t i = 0; i < filter.size(); ++i) run(direct, other, ConvAlgorithm::kDirect);
  state.Peer("direct", [&] { run(direct, other, ConvAlgorithm::kDirect); });
  for (auto _ : state) run(winograd, output, ConvAlgorithm::kBySize);
}

// The gradients of a step of training with 16 images of n x n, by Winograd's algorithm; the peer is the direct one.
void TimeWinogradGradient(State& state, Index depth, Index out_depth, bool of_filter) {
  const Index n = state.arg(), pixels = 16 * n * n;
  Window side = Place(n, 3, 1);
  if (!state.Check(PlaceWindow(Padding::kSame, &side))) return;
  Conv3DGeometry g{.batch = 16, .rows = side, .columns = side, .in_depth = depth, .out_depth = out_depth};
  const Tensor other = Numbers(of_filter ? pixels * depth : 9 * depth * out_depth, 1),
               gradient = Numbers(pixels * out_depth, 2);
  Tensor output(DataType::kFloat, {of_filter ? 9 * depth * out_depth : pixels * depth});
  state.SetFlops(2 * static_cast<double>(pixels) * static_cast<double>(9 * depth * out_depth));
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr};
  const auto run = [&](ConvAlgorithm algorithm) {
    g.algorithm = algorithm;
    const auto convolve = of_filter ? &ConvBackpropFilter<float> : &ConvBackpropInput<float>;
    state.Check(convolve(device, g, other.data<float>(), gradient.data<float>(), output.data<float>()));
  };
  state.Peer("direct", [&] { run(ConvAlgorithm::kDirect); });
  for (auto _ : state) run(ConvAlgorithm::kBySize);
}

}  // namespace

// 64, 128, 256, 512 channels in a bottleneck, four times as many outside of it.
TENON_BENCH(conv_1x1_to_wide, {7, 14, 28, 56}) {
  TimeConv(state, 3584 / state.arg(), 4 * 3584 / state.arg(), 1, 1, 0.95);
}
TENON_BENCH(conv_1x1_to_narrow, {7, 14, 28, 56}) {
  TimeConv(state, 4 * 3584 / state.arg(), 3584 / state.arg(), 1, 1, 0.95);
}
TENON_BENCH(conv_1x1_mobilenet_32_to_64, {112}) { TimeConv(state, 32, 64, 1, 1, 0.95); }
// MobileNetV2's bottlenecks, whose channels fill no vectors or few: to wide and to narrow.
TENON_BENCH(conv_1x1_mobilenet_24_to_144, {56}) { TimeConv(state, 24, 144, 1, 1, 0.95); }
TENON_BENCH(conv_1x1_mobilenet_144_to_24, {56}) { TimeConv(state, 144, 24, 1, 1, 0.95); }
TENON_BENCH(conv_1x1_mobilenet_192_to_32, {28}) { TimeConv(state, 192, 32, 1, 1, 0.95); }
TENON_BENCH(conv_3x3, {7, 14, 28, 56}) { TimeConv(state, 3584 / state.arg(), 3584 / state.arg(), 3, 1, 0.85); }
TENON_BENCH(conv_3x3_stride_2, {14, 28, 56}) { TimeConv(state, 7168 / state.arg(), 7168 / state.arg(), 3, 2, 0.85); }
TENON_BENCH(conv_7x7_stride_2_stem, {224}) { TimeConv(state, 3, 64, 7, 2, 0.85); }
// ResNet-50's layers, then those of U-Net, yolo and cnn28.
TENON_BENCH(winograd_3x3, {7, 14, 28, 56}) { TimeWinograd(state, 3584 / state.arg(), 3584 / state.arg()); }
TENON_BENCH(winograd_3x3_unet, {8, 16, 32, 64, 128}) { TimeWinograd(state, 2048 / state.arg(), 2048 / state.arg()); }
TENON_BENCH(winograd_3x3_unet_joined, {16, 32, 64, 128}) {
  TimeWinograd(state, 4096 / state.arg(), 2048 / state.arg());
}
TENON_BENCH(winograd_3x3_yolo, {8, 16, 32, 64, 128}) { TimeWinograd(state, 1024 / state.arg(), 2048 / state.arg()); }
TENON_BENCH(winograd_3x3_cnn28, {11}) { TimeWinograd(state, 32, 64); }
// ResNet-18's for images of 64 x 64.
TENON_BENCH(winograd_3x3_filter_gradient, {4, 8, 16}) {
  TimeWinogradGradient(state, 1024 / state.arg(), 1024 / state.arg(), true);
}
TENON_BENCH(winograd_3x3_input_gradient, {4, 8, 16}) {
  TimeWinogradGradient(state, 1024 / state.arg(), 1024 / state.arg(), false);
}
TENON_BENCH(depthwise_3x3, {7, 14, 28, 56, 112}) { TimeDepthwise(state, 1); }
TENON_BENCH(depthwise_3x3_stride_2, {14, 28, 56, 112}) { TimeDepthwise(state, 2); }

}  // namespace tenon::bench
