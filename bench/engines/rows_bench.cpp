// SPDX-License-Identifier: Apache-2.0
// Reductions on every axis, softmax and layer normalisation. The number is the side of the matrix, or what the name
// says.
#include <tenon/engine/nn/layer_norm.hpp>
#include <tenon/engine/reduce/reduce.hpp>
#include <tenon/engine/nn/softmax.hpp>

#include "support.hpp"

namespace tenon::bench {
namespace {

// [outer, middle, inner], of which some axes are summed up.
void TimeSum(State& state, const TensorShape& shape, bool over_outer, bool over_middle, bool over_inner) {
  Machine machine(state);
  const Tensor x = Numbers(shape, 0, 1);
  AxisSet axes;
  const bool over[] = {over_outer, over_middle, over_inner};
  Index outputs = 1;
  for (int d = 0; d < 3; ++d) {
    if (over[d]) axes.Add(d);
    outputs *= over[d] ? 1 : shape.dim_size(d);
  }
  Tensor y(DataType::kFloat, {outputs});
  const auto once = [&](Cpu& device) {
    state.Check(Reduce(device, kReduceLoops<SumReducer, float>, x.data<float>(), shape, axes, y.data<float>()));
  };
  once(machine.cpu);
  const AxisSum sums{over_outer,        over_middle,       over_inner,        x.data<float>(),
                     shape.dim_size(0), shape.dim_size(1), shape.dim_size(2), y.data<float>()};
  AddEigen(state, sums);
  AddXtensor(state, sums);
  AddReadingGoal(state, static_cast<double>(x.TotalBytes()), 0.8);
  state.Goal(1 / 1.7, "Eigen");
  TimeOn(state, machine, shape.num_elements(), once);
}

void TimeSoftmax(State& state, Index rows) {
  const Index columns = state.arg();
  Machine machine(state);
  const Tensor x = Numbers({rows, columns}, -4, 4);
  Tensor y(DataType::kFloat, {rows, columns});
  const auto once = [&](Cpu& device) { state.Check(Softmax(device, x.data<float>(), y.data<float>(), rows, columns)); };
  once(machine.cpu);
  AddOneDnnSoftmax(state, {x.data<float>(), rows, columns, y.data<float>()});
  state.SetBytes(2.0 * static_cast<double>(x.TotalBytes()));
  state.SetItems(static_cast<double>(rows * columns), "element");
  state.Goal(1 / 1.2, "oneDNN");
  TimeOn(state, machine, rows * columns, once);
}

void TimeLayerNorm(State& state, Index rows) {
  constexpr float kEpsilon = 1e-3f;
  const Index columns = state.arg();
  Machine machine(state);
  const Tensor x = Numbers({rows, columns}, -4, 4);
  Tensor y(DataType::kFloat, {rows, columns});
  const auto once = [&](Cpu& device) {
    state.Check(LayerNorm(device, x.data<float>(), nullptr, nullptr, kEpsilon, y.data<float>(), rows, columns));
  };
  once(machine.cpu);
  AddOneDnnLayerNorm(state, {x.data<float>(), rows, columns, y.data<float>()}, kEpsilon);
  AddCopyingGoal(state, 2.0 * static_cast<double>(x.TotalBytes()), 0);
  state.Goal(1 / 0.9, "oneDNN");
  TimeOn(state, machine, rows * columns, once);
}

}  // namespace

TENON_BENCH(sum_rows, {64, 256, 1024}) { TimeSum(state, {1, state.arg(), state.arg()}, false, false, true); }
TENON_BENCH(sum_columns, {64, 256, 1024}) { TimeSum(state, {1, state.arg(), state.arg()}, false, true, false); }
TENON_BENCH(sum_all, {64, 256, 1024}) { TimeSum(state, {1, state.arg(), state.arg()}, false, true, true); }
TENON_BENCH(sum_short_rows_Nx8, {65536}) { TimeSum(state, {1, state.arg(), 8}, false, false, true); }
TENON_BENCH(sum_short_columns_Nx8, {65536}) { TimeSum(state, {1, state.arg(), 8}, false, true, false); }
TENON_BENCH(sum_middle_64xNx512, {32, 128}) { TimeSum(state, {64, state.arg(), 512}, false, true, false); }
TENON_BENCH(sum_outer_and_inner_64xNx512, {32, 128}) { TimeSum(state, {64, state.arg(), 512}, true, false, true); }

TENON_BENCH(softmax_1536xN, {64, 128, 1000}) { TimeSoftmax(state, 1536); }
TENON_BENCH(softmax_128xN, {30522}) { TimeSoftmax(state, 128); }
TENON_BENCH(softmax_4096xN, {10}) { TimeSoftmax(state, 4096); }
TENON_BENCH(layer_norm_128xN, {256, 768, 1024}) { TimeLayerNorm(state, 128); }

}  // namespace tenon::bench
