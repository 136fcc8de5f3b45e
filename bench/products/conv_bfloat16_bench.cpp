// SPDX-License-Identifier: Apache-2.0
// Convolutions of bfloat16 beside those that sum in floats without tiles. NHWC, padded like SAME; the number is the
// side of the images.
#include <vector>

#include <tenon/types/numeric.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/conv/conv.hpp>

#include "harness.hpp"
#include "one_thread.hpp"

namespace tenon::bench {
namespace {

void TimeConv(State& state, Index window, Index depth, Index out_depth, Index stride = 1) {
  const Index side = state.arg(), sizes[] = {1, side, side, depth}, filter[] = {window, window, depth, out_depth},
              strides[] = {1, stride, stride, 1}, dilations[] = {1, 1, 1, 1};
  Conv2DGeometry g;
  state.Check(MakeConv2DGeometry(TensorShape(sizes), TensorShape(filter), strides, dilations, Padding::kSame, {}, &g));
  std::uint32_t seed = 1;
  const auto fill = [&](Index n) {
    std::vector<bfloat16> numbers(static_cast<std::size_t>(n));
    for (bfloat16& x : numbers)
      x = bfloat16(static_cast<float>(static_cast<std::int32_t>(seed = seed * 1664525u + 1013904223u)) * 0x1p-31f);
    return numbers;
  };
  const std::vector<bfloat16> x = fill(side * side * depth), w = fill(window * window * depth * out_depth);
  const Index outputs = g.rows.output * g.columns.output;
  std::vector<bfloat16> y(static_cast<std::size_t>(outputs * out_depth)), z(y.size());
  ThreadPool pool(state.options().threads, "bench");
  Cpu device{.pool = state.options().threads > 1 ? &pool : nullptr}, one;
  state.Peer("as float", [&] { state.Check(detail::RunConv2D(device, g, x.data(), w.data(), z.data(), nullptr)); });
  state.SetFlops(2.0 * static_cast<double>(outputs * window * window * depth * out_depth));
  AddOneThread(state, outputs * out_depth, [&] { state.Check(Conv2D(one, g, x.data(), w.data(), y.data())); });
  for (auto _ : state) state.Check(Conv2D(device, g, x.data(), w.data(), y.data()));
}

}  // namespace

TENON_BENCH(conv_bfloat16_3x3_64_to_64, {56}) { TimeConv(state, 3, 64, 64); }
TENON_BENCH(conv_bfloat16_3x3_256_to_256, {14}) { TimeConv(state, 3, 256, 256); }
TENON_BENCH(conv_bfloat16_1x1_256_to_64, {56}) { TimeConv(state, 1, 256, 64); }
TENON_BENCH(conv_bfloat16_7x7_3_to_64, {224}) { TimeConv(state, 7, 3, 64, 2); }

}  // namespace tenon::bench
