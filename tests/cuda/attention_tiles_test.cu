// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/attention_tiles.cuh>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <cuda/fixture.cuh>
#include <cuda/gpu.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/trigonometric.hpp>

namespace attention_tiles_test {
using tenon::AttentionOperands;
using tenon::ElementwiseStep;
using tenon::Index;
using tenon::Span;
using tenon::Tensor;
using tenon::TensorShape;

namespace {

using Unary = tenon::StepOps<tenon::ops::Neg, tenon::ops::Tanh>;
using Binary = tenon::StepOps<tenon::ops::Mul, tenon::ops::Sub>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two batches and three heads. Queries lie as [batch, queries, heads, depth], keys and values by heads.
struct Sizes {
  Index queries, keys, depth, columns;
};
constexpr Index kBatch = 2, kHeads = 3;

// Scores become (bias - score / 4) of the key's bias, or tanh of that too; then the mask.
template <class T>
double Score(const Sizes& s, const Tensor& q, const Tensor& k, const Tensor& bias, const Tensor& mask, bool masked,
             bool longer, Index b, Index h, Index i, Index j) {
  if (masked && !mask.data<bool>()[b * s.keys + j]) return -1e9;
  double score = 0;
  for (Index d = 0; d < s.depth; ++d)
    score += static_cast<double>(q.data<T>()[((b * s.queries + i) * kHeads + h) * s.depth + d]) *
             static_cast<double>(k.data<T>()[((b * kHeads + h) * s.keys + j) * s.depth + d]);
  score = static_cast<double>(bias.data<T>()[h * s.keys + j]) - 0.25 * score;
  return longer ? std::tanh(score) : score;
}

template <class T>
void CheckAttention(Gpu& gpu, const Sizes& s, bool masked, bool longer, double tolerance, double odd = 0) {
  CAPTURE(s.queries);
  CAPTURE(s.keys);
  CAPTURE(s.depth);
  CAPTURE(s.columns);
  Tensor q = Pattern<T>({kBatch, s.queries, kHeads, s.depth}, 7, 13, -6),
         k = Pattern<T>({kBatch, kHeads, s.keys, s.depth}, 5, 11, -5),
         v = Pattern<T>({kBatch, kHeads, s.keys, s.columns}, 3, 7, -3),
         bias = Pattern<T>({kHeads, 1, s.keys}, 3, 5, -2);
  for (Index i = 0; i < q.NumElements(); ++i) q.data<T>()[i] = static_cast<T>(static_cast<float>(q.data<T>()[i]) / 8);
  Tensor mask(tenon::DataType::kBool, {kBatch, 1, 1, s.keys});
  for (Index i = 0; i < mask.NumElements(); ++i) mask.data<bool>()[i] = i % 3 != 1;
  if (odd != 0) bias.data<T>()[s.keys / 2] = static_cast<T>(static_cast<float>(odd));  // of the first head
  if (odd == -kInfinity)
    for (Index j = 0; j < s.keys; ++j) bias.data<T>()[s.keys + j] = static_cast<T>(-static_cast<float>(kInfinity));
  Tensor scale = Pattern<T>({1}, 0, 1, 0);
  scale.data<T>()[0] = static_cast<T>(0.25f);
  const Tensor q_there = gpu.Up(q), k_there = gpu.Up(k), v_there = gpu.Up(v), bias_there = gpu.Up(bias),
               mask_there = gpu.Up(mask), scale_there = gpu.Up(scale);
  Tensor there = gpu.New(tenon::dtype_of_v<T>, {kBatch, s.queries, kHeads, s.columns});
  AttentionOperands o;
  o.rank = 4;
  const std::int64_t by_heads[] = {0, 2, 1, 3};
  const Span<const std::int64_t> swapped(by_heads, 4);
  REQUIRE(o.q.Make(q_there.raw_data(), q.shape(), swapped, 4).ok());
  REQUIRE(o.k.Make(k_there.raw_data(), k.shape(), {}, 4).ok());
  REQUIRE(o.v.Make(v_there.raw_data(), v.shape(), {}, 4).ok());
  REQUIRE(o.y.Make(there.raw_data(), there.shape(), swapped, 4).ok());
  o.has_mask = masked;
  o.masked = -1e9;
  REQUIRE(o.mask.Make(mask_there.raw_data(), mask.shape(), {}, 4).ok());
  o.others.resize(2);
  REQUIRE(o.others[0].Make(scale_there.raw_data(), TensorShape{}, {}, 4).ok());
  REQUIRE(o.others[1].Make(bias_there.raw_data(), bias.shape(), {}, 4).ok());
  const ElementwiseStep steps[] = {{.a = 0, .b = 1, .number = 0}, {.a = 2, .b = 3, .number = 1}, {.a = 4, .number = 1}};
  o.steps = Span<const ElementwiseStep>(steps, longer ? 3 : 2);
  REQUIRE(o.Arrange().ok());
  tenon::Cuda device = gpu.cuda();
  REQUIRE(tenon::RunAttention<T, Unary, Binary>(device, o).ok());
  const Tensor y = gpu.Down(there);
  Index wrong = 0;
  std::vector<double> scores(static_cast<std::size_t>(s.keys));
  for (Index b = 0; b < kBatch; ++b)
    for (Index h = 0; h < kHeads; ++h)
      for (Index i = 0; i < s.queries; ++i) {
        double most = -kInfinity, total = 0;
        for (Index j = 0; j < s.keys; ++j) {
          const double score = Score<T>(s, q, k, bias, mask, masked, longer, b, h, i, j);
          scores[static_cast<std::size_t>(j)] = score;
          most = score > most ? score : most;
        }
        for (double& score : scores) total += score = std::exp(score - most);
        for (Index c = 0; c < s.columns; ++c) {
          double wanted = 0;
          for (Index j = 0; j < s.keys; ++j)
            wanted += scores[static_cast<std::size_t>(j)] / total *
                      static_cast<double>(v.data<T>()[((b * kHeads + h) * s.keys + j) * s.columns + c]);
          const double got = static_cast<double>(y.data<T>()[((b * s.queries + i) * kHeads + h) * s.columns + c]);
          wrong += wanted != wanted ? got == got : !(std::abs(got - wanted) <= tolerance * (1 + std::abs(wanted)));
        }
      }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("attention of any size and type is softmax(steps(q k^T)) v" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  for (const bool masked : {false, true}) {
    CheckAttention<float>(gpu, {1, 1, 1, 1}, masked, false, 1e-5);
    CheckAttention<float>(gpu, {17, 33, 8, 5}, masked, true, 1e-5);
    CheckAttention<float>(gpu, {3, 70, 65, 130}, masked, false, 1e-5);  // two parts of the depth and of the columns
    CheckAttention<double>(gpu, {5, 40, 6, 7}, masked, true, 1e-12);
    CheckAttention<tenon::half>(gpu, {4, 35, 9, 6}, masked, false, 2e-3);
    CheckAttention<tenon::bfloat16>(gpu, {2, 5, 64, 33}, masked, true, 2e-2);
  }
  CheckAttention<float>(gpu, {3, 4, 0, 2}, false, false, 1e-5);  // scores of nothing are 0
  CheckAttention<float>(gpu, {3, 0, 2, 2}, false, false, 1e-5);  // no keys: zeros
  CheckAttention<float>(gpu, {0, 3, 2, 2}, false, false, 1e-5);
}
TEST_CASE("hidden keys have no weight; rows without a score are not numbers" * doctest::skip(WithoutGpu())) {
  Gpu gpu;
  CheckAttention<float>(gpu, {3, 70, 4, 2}, false, false, 1e-5, -kInfinity);
  CheckAttention<float>(gpu, {3, 70, 4, 2}, false, false, 1e-5, kInfinity);
  CheckAttention<float>(gpu, {3, 70, 4, 2}, false, false, 1e-5, std::numeric_limits<double>::quiet_NaN());
}
TEST_CASE("steps must be a chain of at most eight") {
  tenon::Cuda device;
  const float x = 0;
  AttentionOperands o;
  for (tenon::AttentionView* view : {&o.q, &o.k, &o.v, &o.y}) REQUIRE(view->Make(&x, TensorShape{1, 1, 1}, {}, 3).ok());
  REQUIRE(o.Arrange().ok());
  const ElementwiseStep twice[] = {{.a = 0, .number = 0}, {.a = 0, .number = 0}};
  o.steps = Span<const ElementwiseStep>(twice, 2);
  CHECK(tenon::RunAttention<float, Unary, Binary>(device, o).code() == tenon::Code::kUnimplemented);
  const ElementwiseStep square[] = {{.a = 0, .b = 0, .number = 0}};
  o.steps = Span<const ElementwiseStep>(square, 1);
  CHECK(tenon::RunAttention<float, Unary, Binary>(device, o).code() == tenon::Code::kUnimplemented);
  ElementwiseStep many[9];
  for (int i = 0; i < 9; ++i) many[i] = {.a = i, .number = 0};
  o.steps = Span<const ElementwiseStep>(many, 9);
  CHECK(tenon::RunAttention<float, Unary, Binary>(device, o).code() == tenon::Code::kUnimplemented);
}
}  // namespace attention_tiles_test
