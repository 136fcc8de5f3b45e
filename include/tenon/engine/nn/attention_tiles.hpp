// SPDX-License-Identifier: Apache-2.0
#pragma once
// AttentionTiles: softmax(steps(q k^T)) v, a block of queries after the other. The scores of a block meet the
// element-wise steps, the mask and the softmax while they are in the cache.

#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/elementwise/fused.hpp>
#include <tenon/engine/elementwise/steps.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/engine/nn/softmax.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr int kMostAttentionAxes = 8;

// A tensor read as [batch..., rows, columns]: sizes, and strides in elements. A stride of 0 repeats.
struct AttentionView {
  const void* data = nullptr;
  Index size[kMostAttentionAxes] = {}, stride[kMostAttentionAxes] = {};

  // axes[i]: the tensor's axis that is axis i of the view; empty: all in order. A tensor of fewer axes than `rank` gets
  // leading ones. InvalidArgument: the axes are not a permutation of the tensor's.
  Status Make(const void* from, const TensorShape& shape, Span<const std::int64_t> axes, int rank) {
    data = from;
    if (rank > kMostAttentionAxes || shape.dims() > rank || (!axes.empty() && axes.size() != ToSize(shape.dims())))
      return errors::InvalidArgument("Attention: axes do not fit a tensor of shape ", shape);
    Index strides[kMostAttentionAxes];
    Index step = 1;
    for (int d = shape.dims(); d-- > 0; step *= shape.dim_size(d)) strides[d] = step;
    unsigned seen = 0;
    for (int i = 0; i < rank; ++i) {
      const int own = i - (rank - shape.dims());
      size[i] = 1;
      stride[i] = 0;
      if (own < 0) continue;
      const std::int64_t axis = axes.empty() ? own : axes[ToSize(own)];
      if (axis < 0 || axis >= shape.dims() || (seen >> axis & 1) != 0)
        return errors::InvalidArgument("Attention: axes are not a permutation of those of ", shape);
      seen |= 1u << axis;
      size[i] = shape.dim_size(static_cast<int>(axis));
      stride[i] = strides[axis];
    }
    return OkStatus();
  }
};

// Operands of one call; views have `rank` axes. immutable during Run.
struct AttentionOperands {
  int rank = 3;
  AttentionView q, k, v,
      y;  // [.., queries, depth] [.., keys, depth] [.., keys, value_depth] [.., queries, value_depth]
  // Further operands of the steps, and booleans, for scores [.., queries, keys].
  InlinedVector<AttentionView, 4> others;
  AttentionView mask;
  bool has_mask = false;
  double masked = 0;  // the score where the mask is false
  Span<const ElementwiseStep> steps;  // value 0: the scores; then `others`
  bool broadcast = true;  // false: q, k and v must have one batch
  Index queries = 0, keys = 0;

  // Lets every operand repeat as the others ask. InvalidArgument: they do not fit.
  Status Arrange() {
    const int row = rank - 2, column = rank - 1;
    Index all[kMostAttentionAxes];
    for (int d = 0; d < row; ++d) {
      if (!broadcast && (q.size[d] != k.size[d] || v.size[d] != q.size[d])) return DoNotFit();
      all[d] = q.size[d];
      if (!Join(k.size[d], &all[d])) return DoNotFit();
    }
    all[row] = q.size[row];
    all[column] = k.size[row];
    for (const AttentionView& other : others)
      for (int d = 0; d < rank; ++d)
        if (!Join(other.size[d], &all[d])) return DoNotFit();
    for (int d = 0; d < rank && has_mask; ++d)
      if (!Join(mask.size[d], &all[d])) return DoNotFit();
    queries = all[row];
    keys = all[column];
    for (int d = 0; d < row; ++d) {
      if (!broadcast && v.size[d] != all[d]) return DoNotFit();
      if (!Join(v.size[d], &all[d])) return DoNotFit();
    }
    if (q.size[column] != k.size[column] || v.size[row] != keys || y.size[row] != queries ||
        y.size[column] != v.size[column] || (y.stride[column] != 1 && y.size[column] != 1))
      return DoNotFit();
    for (int d = 0; d < row; ++d)
      if (y.size[d] != all[d]) return DoNotFit();
    const auto repeat = [](AttentionView* view, int d) {
      if (view->size[d] == 1) view->stride[d] = 0;
    };
    for (AttentionView* view : {&q, &k, &v, &mask})
      for (int d = 0; d < row; ++d) repeat(view, d);
    repeat(&q, row);
    repeat(&k, row);
    repeat(&mask, row);
    repeat(&mask, column);
    for (AttentionView& other : others)
      for (int d = 0; d < rank; ++d) repeat(&other, d);
    return OkStatus();
  }

 private:
  static bool Join(Index size, Index* all) {
    if (size == *all || size == 1) return true;
    if (*all != 1) return false;
    *all = size;
    return true;
  }
  TENON_DETAIL_COLD static Status DoNotFit() {
    return errors::InvalidArgument("Attention: shapes of q, k, v, the mask and the operands of the scores do not fit");
  }
};

// y = softmax(steps(q k^T)) v. `operands` are arranged. InvalidArgument: a step's operands. ResourceExhausted: scratch
// memory, a quarter of a MiB or 4 rows of scores for each thread. (nvcc does not compile the definition.)
template <class T>
Status RunAttention(Cpu& device, const AttentionOperands& operands);

#if !defined(__NVCC__)

namespace detail {

template <class T>
class AttentionTiles {
 public:
  explicit AttentionTiles(const AttentionOperands& operands)
      : o_(operands),
        row_(operands.rank - 2),
        column_(operands.rank - 1),
        depth_(operands.q.size[column_]),
        value_depth_(operands.v.size[column_]) {
    const Index fit = kTileBytes / (o_.keys > 0 ? o_.keys : 1) / static_cast<Index>(sizeof(T));
    rows_ = fit < 4 ? 4 : fit > 64 ? 64 : fit;
    rows_ = rows_ < o_.queries ? rows_ : o_.queries;
    blocks_ = (o_.queries + rows_ - 1) / rows_;
    items_ = 1;
    for (int d = 0; d < row_; ++d) items_ *= o_.y.size[d];
    if (!o_.steps.empty()) MakeProgram();
  }
  Index tiles() const { return items_ * blocks_; }
  double ns_of_tile() const {
    return 0.05 * static_cast<double>(rows_ * o_.keys) * static_cast<double>(depth_ + value_depth_ + 16);
  }
  std::size_t scratch_bytes() const { return ScratchBytes<T>(rows_ * o_.keys); }

  Status RunTile(Cpu& device, Index tile, T* scores) const {
    const Index item = tile / blocks_, begin = tile % blocks_ * rows_;
    const Index rows = o_.queries - begin < rows_ ? o_.queries - begin : rows_;
    const T* const q = At<T>(o_.q, item, begin);
    T* const y = const_cast<T*>(At<T>(o_.y, item, begin));
    TENON_RETURN_IF_ERROR(
        Multiply(device, {rows, o_.keys, depth_, q, o_.q.stride[row_], o_.q.stride[column_], At<T>(o_.k, item, 0),
                          o_.k.stride[column_], o_.k.stride[row_], scores, o_.keys}));
    if (!o_.steps.empty()) TENON_RETURN_IF_ERROR(RunStepsOfTile(device, item, begin, rows, scores));
    if (o_.has_mask) ApplyMask(At<bool>(o_.mask, item, begin), rows, scores);
    TENON_RETURN_IF_ERROR(Softmax<T>(device, scores, scores, rows, o_.keys));
    return Multiply(device, {rows, value_depth_, o_.keys, scores, o_.keys, 1, At<T>(o_.v, item, 0), o_.v.stride[row_],
                             o_.v.stride[column_], y, o_.y.stride[row_]});
  }

 private:
  static constexpr Index kTileBytes = 1 << 18;

  // One program of the steps for all tiles, if operands repeat by whole rows.
  void MakeProgram() {
    const auto bytes = static_cast<int>(sizeof(T));
    one_program_ = 1 + o_.others.size() + o_.steps.size() <= ToSize(FusedElementwise::kMostValues);
    program_.AddInput(FusedElementwise::Repeat::kNone, bytes);
    for (const AttentionView& other : o_.others) {
      const bool has_rows = other.size[row_] != 1, has_columns = other.size[column_] != 1;
      one_program_ = one_program_ && (has_columns || !has_rows);
      program_.AddInput(has_rows      ? FusedElementwise::Repeat::kNone
                        : has_columns ? FusedElementwise::Repeat::kRows
                                      : FusedElementwise::Repeat::kAll,
                        bytes);
    }
    for (const ElementwiseStep& step : o_.steps) {
      if (step.unary != nullptr)
        program_.AddUnary(*step.unary, step.attrs, step.a);
      else
        program_.AddBinary(*step.binary, step.attrs, step.a, step.b);
    }
    one_program_ = one_program_ && program_.Finish().ok();
  }
  // The matrix of an item, from a row on.
  template <class E>
  const E* At(const AttentionView& view, Index item, Index row) const {
    Index offset = row * view.stride[row_];
    for (int d = row_; d-- > 0; item /= o_.y.size[d]) offset += item % o_.y.size[d] * view.stride[d];
    return static_cast<const E*>(view.data) + offset;
  }
  Status RunStepsOfTile(Cpu& device, Index item, Index begin, Index rows, T* scores) const {
    if (one_program_) {
      InlinedVector<const void*, 8> data;
      data.push_back(scores);
      for (const AttentionView& other : o_.others) data.push_back(At<T>(other, item, begin));
      return program_.Run(device, Span<const void* const>(data.data(), data.size()), scores, rows, o_.keys);
    }
    InlinedVector<TensorShape, 4> shapes;
    shapes.reserve(o_.others.size() + 1);
    InlinedVector<StepInput, 4> inputs;
    shapes.push_back(TensorShape{rows, o_.keys});
    for (const AttentionView& other : o_.others) {
      if (other.size[row_] == 1 && other.size[column_] == 1)
        shapes.push_back(TensorShape{});
      else
        shapes.push_back(TensorShape{other.size[row_] == 1 ? 1 : rows, other.size[column_]});
    }
    inputs.push_back({scores, &shapes[0]});
    for (std::size_t i = 0; i < o_.others.size(); ++i)
      inputs.push_back({At<T>(o_.others[i], item, begin), &shapes[i + 1]});
    return RunSteps(device, o_.steps, Span<const StepInput>(inputs.data(), inputs.size()), scores, shapes[0]);
  }
  void ApplyMask(const bool* mask, Index rows, T* scores) const {
    const T masked = static_cast<T>(o_.masked);
    const Index step = o_.mask.stride[column_];
    for (Index r = 0; r < rows; ++r, mask += o_.mask.stride[row_], scores += o_.keys)
      for (Index i = 0; i < o_.keys; ++i) scores[i] = mask[i * step] ? scores[i] : masked;
  }
  static Status Multiply(Cpu& device, const GemmArgs<T>& g) {
    if (g.k > 0 && g.n > 0) return GemmArranged(device, g);
    for (Index i = 0; i < g.m; ++i)
      for (Index j = 0; j < g.n; ++j) g.c[i * g.c_row + j] = T(0);
    return OkStatus();
  }

  const AttentionOperands& o_;
  const int row_, column_;
  const Index depth_, value_depth_;
  Index rows_, blocks_, items_;
  FusedElementwise program_;
  bool one_program_ = false;
};

}  // namespace detail

template <class T>
Status RunAttention(Cpu& device, const AttentionOperands& operands) {
  for (int d = 0; d < operands.rank; ++d)
    if (operands.y.size[d] == 0) return OkStatus();
  const detail::AttentionTiles<T> work(operands);
  return detail::RunWithScratch(
      device, work.tiles(), work.ns_of_tile(), work.scratch_bytes(), "Attention",
      [&](Cpu& on, Index tile, char* memory) { return work.RunTile(on, tile, reinterpret_cast<T*>(memory)); });
}

#endif  // !__NVCC__

TENON_DETAIL_NAMESPACE_END
