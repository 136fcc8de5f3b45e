// SPDX-License-Identifier: Apache-2.0
// Ops that move elements. The number is the side of the matrix, or what the name says.
#include "cases.hpp"

namespace tenon::bench {
namespace {

Tensor Ints(std::initializer_list<std::int32_t> values) {
  return Tensor::From<std::int32_t>(values, {static_cast<Index>(values.size())});
}
void TimeTranspose(State& state, const TensorShape& shape, std::initializer_list<std::int32_t> order) {
  TimeOp(state, {.op = "Transpose", .fed = {Numbers(shape)}, .constants = {Ints(order)}});
}
void TimeConcat(State& state, std::int32_t axis) {
  const TensorShape shape{1024, state.arg()};
  TimeOp(state, {.op = "ConcatV2",
                 .fed = {Numbers(shape), Numbers(shape, -1, 1, 2)},
                 .constants = {Tensor::Scalar(axis)},
                 .attrs = {{"N", 2}, {"T", DataType::kFloat}},
                 .goal = 1 / 0.8});
}
// Rows of 768, as of words.
void TimeGather(State& state) {
  Tensor rows(DataType::kInt32, {state.arg()});
  const Tensor where = Numbers({state.arg()}, 0, 30522);
  for (Index i = 0; i < state.arg(); ++i)
    rows.flat<std::int32_t>()[i] = static_cast<std::int32_t>(where.flat<float>()[i]);
  TimeOp(state, {.op = "GatherV2",
                 .fed = {Numbers({30522, 768}), rows},
                 .constants = {Tensor::Scalar<std::int32_t>(0)},
                 .ceiling = Ceiling::kNone});
}

}  // namespace

TENON_BENCH(transpose, {64, 1024}) { TimeTranspose(state, {state.arg(), state.arg()}, {1, 0}); }
TENON_BENCH(transpose_heads_1xNx12x64, {128}) { TimeTranspose(state, {1, state.arg(), 12, 64}, {0, 2, 1, 3}); }
TENON_BENCH(transpose_to_nchw_8xNxNx64, {56}) { TimeTranspose(state, {8, state.arg(), state.arg(), 64}, {0, 3, 1, 2}); }
TENON_BENCH(transpose_to_nhwc_8x64xNxN, {56}) { TimeTranspose(state, {8, 64, state.arg(), state.arg()}, {0, 2, 3, 1}); }
TENON_BENCH(concat_rows_1024xN, {512}) { TimeConcat(state, 0); }
TENON_BENCH(concat_columns_1024xN, {512}) { TimeConcat(state, 1); }
TENON_BENCH(gather_rows_of_768, {128, 8192}) { TimeGather(state); }
TENON_BENCH(pad_1xNxNx64, {112}) {
  TimeOp(state, {.op = "Pad",
                 .fed = {Numbers({1, state.arg(), state.arg(), 64})},
                 .constants = {Tensor::From<std::int32_t>({0, 0, 1, 1, 1, 1, 0, 0}, {4, 2})},
                 .goal = 1 / 0.8});
}
TENON_BENCH(slice_columns_1024xN, {1024}) {
  TimeOp(state, {.op = "Slice",
                 .fed = {Numbers({1024, state.arg()})},
                 .constants = {Ints({0, 128}), Ints({1024, static_cast<std::int32_t>(state.arg() / 2)})},
                 .ceiling = Ceiling::kNone});
}
TENON_BENCH(tile_2x2, {512}) {
  TimeOp(state, {.op = "Tile", .fed = {Numbers({state.arg(), state.arg()})}, .constants = {Ints({2, 2})}});
}
TENON_BENCH(reverse_rows, {1024}) {
  TimeOp(state, {.op = "ReverseV2", .fed = {Numbers({state.arg(), state.arg()})}, .constants = {Ints({1})}});
}

}  // namespace tenon::bench
