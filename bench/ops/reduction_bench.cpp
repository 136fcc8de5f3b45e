// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and what works row by row. The number is the side of the matrix, or what the name says.
#include "agree.hpp"
#include "cases.hpp"

namespace tenon::bench {
namespace {

Tensor Axes(std::initializer_list<std::int32_t> axes) {
  return Tensor::From<std::int32_t>(axes, {static_cast<Index>(axes.size())});
}
// Of positive numbers, so that a sum is no smaller than what its roundings are measured by.
void TimeReduction(State& state, std::string_view op, const TensorShape& shape,
                   std::initializer_list<std::int32_t> axes) {
  Index terms = 1;
  for (const std::int32_t axis : axes) terms *= shape.dim_size(axis);
  TimeOp(state, {.op = op,
                 .fed = {Numbers(shape, 0, 1)},
                 .constants = {Axes(axes)},
                 .ceiling = Ceiling::kReading,
                 .goal = 1 / 0.8,
                 .relative_error = SumError<float>(terms)});
}
void TimeMatrix(State& state, std::string_view op, std::initializer_list<std::int32_t> axes) {
  TimeReduction(state, op, {state.arg(), state.arg()}, axes);
}

}  // namespace

TENON_BENCH(sum_rows, {64, 1024}) { TimeMatrix(state, "Sum", {1}); }
TENON_BENCH(sum_columns, {64, 1024}) { TimeMatrix(state, "Sum", {0}); }
TENON_BENCH(sum_all, {64, 1024}) { TimeMatrix(state, "Sum", {0, 1}); }
TENON_BENCH(sum_middle_64xNx512, {128}) { TimeReduction(state, "Sum", {64, state.arg(), 512}, {1}); }
TENON_BENCH(sum_outer_and_inner_64xNx512, {128}) { TimeReduction(state, "Sum", {64, state.arg(), 512}, {0, 2}); }
TENON_BENCH(mean_of_images_1xNxNx2048, {7}) {
  TimeReduction(state, "Mean", {1, state.arg(), state.arg(), 2048}, {1, 2});
}
TENON_BENCH(max_rows, {1024}) { TimeMatrix(state, "Max", {1}); }
TENON_BENCH(prod_rows, {1024}) { TimeMatrix(state, "Prod", {1}); }
TENON_BENCH(sum_short_rows_Nx8, {65536}) { TimeReduction(state, "Sum", {state.arg(), 8}, {1}); }
TENON_BENCH(arg_max_Nx30522, {128}) {
  TimeOp(state, {.op = "ArgMax",
                 .fed = {Numbers({state.arg(), 30522})},
                 .constants = {Tensor::Scalar<std::int32_t>(1)},
                 .ceiling = Ceiling::kReading,
                 .goal = 1 / 0.8});
}
TENON_BENCH(top_8_of_Nx30522, {128}) {
  TimeOp(state, {.op = "TopKV2",
                 .fed = {Numbers({state.arg(), 30522})},
                 .constants = {Tensor::Scalar<std::int32_t>(8)},
                 .ceiling = Ceiling::kReading});
}
TENON_BENCH(cumsum_rows, {1024}) {
  TimeOp(
      state,
      {.op = "Cumsum", .fed = {Numbers({state.arg(), state.arg()})}, .constants = {Tensor::Scalar<std::int32_t>(1)}});
}
TENON_BENCH(cumsum_columns, {1024}) {
  TimeOp(
      state,
      {.op = "Cumsum", .fed = {Numbers({state.arg(), state.arg()})}, .constants = {Tensor::Scalar<std::int32_t>(0)}});
}

TENON_BENCH(softmax_1536xN, {128}) { TimeOp(state, {.op = "Softmax", .fed = {Numbers({1536, state.arg()}, -4, 4)}}); }
TENON_BENCH(softmax_64xN, {1000}) { TimeOp(state, {.op = "Softmax", .fed = {Numbers({64, state.arg()}, -4, 4)}}); }
TENON_BENCH(softmax_128xN, {30522}) { TimeOp(state, {.op = "Softmax", .fed = {Numbers({128, state.arg()}, -4, 4)}}); }
TENON_BENCH(softmax_4096xN, {10}) { TimeOp(state, {.op = "Softmax", .fed = {Numbers({4096, state.arg()}, -4, 4)}}); }
TENON_BENCH(log_softmax_64xN, {1000}) {
  TimeOp(state, {.op = "LogSoftmax", .fed = {Numbers({64, state.arg()}, -4, 4)}});
}
TENON_BENCH(batch_norm_1x56x56xN, {256}) {
  const TensorShape depth{state.arg()};
  TimeOp(state, {.op = "FusedBatchNormV3",
                 .fed = {Numbers({1, 56, 56, state.arg()}), Numbers(depth, 0.5, 1.5, 2), Numbers(depth, -1, 1, 3),
                         Numbers(depth, -1, 1, 4), Numbers(depth, 0.5, 1.5, 5)},
                 .attrs = {{"is_training", false}, {"T", DataType::kFloat}, {"U", DataType::kFloat}}});
}
TENON_BENCH(max_pool_3x3_stride_2_1xNxNx64, {112}) {
  TimeOp(state, {.op = "MaxPool",
                 .fed = {Numbers({1, state.arg(), state.arg(), 64})},
                 .attrs = {{"ksize", std::vector<std::int64_t>{1, 3, 3, 1}},
                           {"strides", std::vector<std::int64_t>{1, 2, 2, 1}},
                           {"padding", "SAME"}}});
}
TENON_BENCH(avg_pool_3x3_stride_2_1xNxNx64, {112}) {
  TimeOp(state, {.op = "AvgPool",
                 .fed = {Numbers({1, state.arg(), state.arg(), 64})},
                 .attrs = {{"ksize", std::vector<std::int64_t>{1, 3, 3, 1}},
                           {"strides", std::vector<std::int64_t>{1, 2, 2, 1}},
                           {"padding", "SAME"}}});
}

}  // namespace tenon::bench
