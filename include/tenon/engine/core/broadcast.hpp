// SPDX-License-Identifier: Apache-2.0
#pragma once
// Broadcasting of shapes as NumPy and TensorFlow define it, and the plan by which an engine walks over broadcast
// operands: neighbouring dimensions that all operands treat alike become one, dimensions of size 1 vanish.

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
TENON_DETAIL_COLD inline Status IncompatibleShapes(const TensorShape& a, const TensorShape& b) {
  return errors::InvalidArgument("Incompatible shapes: ", a.DebugString(), " vs. ", b.DebugString());
}
// The size of dimension d of `shape` when it is written with `rank` dimensions.
inline Index AlignedDim(const TensorShape& shape, int d, int rank) {
  const int own = d - (rank - shape.dims());
  return own < 0 ? 1 : shape.dim_size(own);
}
}  // namespace detail

// The shape of an element-wise operation on a and b; dimensions are aligned at the last, and a size of 1 repeats.
inline Status BroadcastShape(const TensorShape& a, const TensorShape& b, TensorShape* out) {
  const int rank = a.dims() > b.dims() ? a.dims() : b.dims();
  Index sizes[kMaxTensorRank];
  for (int d = 0; d < rank; ++d) {
    const Index m = detail::AlignedDim(a, d, rank);
    const Index n = detail::AlignedDim(b, d, rank);
    if (m != n && m != 1 && n != 1) return detail::IncompatibleShapes(a, b);
    sizes[d] = m == 1 ? n : m;
  }
  return TensorShape::Build({sizes, static_cast<std::size_t>(rank)}, out);
}

// How to read two operands while the output is written from front to back.
struct BroadcastPlan {
  int rank = 0;  // dimensions of the collapsed output, at least 1
  // Outermost first; strides in elements, 0 where the operand repeats. Innermost strides are 0 or 1.
  Index size[kMaxTensorRank + 1];
  Index stride_a[kMaxTensorRank + 1];
  Index stride_b[kMaxTensorRank + 1];

  // a and b must be broadcastable to `out`, which has elements, and in each dimension one of them must have its size.
  Status Make(const TensorShape& a, const TensorShape& b, const TensorShape& out) {
    const int dims = out.dims();
    if (a.dims() > dims || b.dims() > dims) return detail::IncompatibleShapes(a, b);
    rank = 0;
    Index next_a = 1, next_b = 1;  // strides of the next dimension that is not repeated
    for (int d = dims - 1; d >= 0; --d) {  // innermost first; turned round below
      const Index n = out.dim_size(d);
      const Index from_a = detail::AlignedDim(a, d, dims), from_b = detail::AlignedDim(b, d, dims);
      if ((from_a != n && from_a != 1) || (from_b != n && from_b != 1) || (from_a != n && from_b != n)) {
        return detail::IncompatibleShapes(a, b);
      }
      if (n == 1) continue;
      const bool reads_a = from_a == n, reads_b = from_b == n;
      if (rank > 0 && reads_a == (stride_a[rank - 1] != 0) && reads_b == (stride_b[rank - 1] != 0)) {
        size[rank - 1] = MultiplySizes(size[rank - 1], n);
      } else {
        size[rank] = n;
        stride_a[rank] = reads_a ? next_a : 0;
        stride_b[rank] = reads_b ? next_b : 0;
        ++rank;
      }
      if (reads_a) next_a = MultiplySizes(next_a, n);
      if (reads_b) next_b = MultiplySizes(next_b, n);
    }
    if (rank == 0) {
      size[0] = stride_a[0] = stride_b[0] = 1;
      rank = 1;
    }
    for (int i = 0, j = rank - 1; i < j; ++i, --j) {
      Swap(size, i, j);
      Swap(stride_a, i, j);
      Swap(stride_b, i, j);
    }
    return OkStatus();
  }

  Index inner() const { return size[rank - 1]; }

 private:
  static void Swap(Index* values, int i, int j) {
    const Index t = values[i];
    values[i] = values[j];
    values[j] = t;
  }
};

// A position in the output of a plan: its row (run of plan.inner() elements) and where the operands' rows begin.
// `Advance` is for one thread; each thread has a walk of its own.
class BroadcastWalk {
 public:
  BroadcastWalk(const BroadcastPlan& plan, Index row) : plan_(plan) {
    for (int d = plan.rank - 2; d >= 0; --d) {
      at_[d] = row % plan.size[d];
      row /= plan.size[d];
      a += at_[d] * plan.stride_a[d];
      b += at_[d] * plan.stride_b[d];
    }
  }
  // Rows that are left in the innermost outer dimension, this one included. Needs plan.rank >= 2.
  Index RowsLeft() const { return plan_.size[plan_.rank - 2] - at_[plan_.rank - 2]; }
  // `rows` further, at most RowsLeft().
  void Advance(Index rows) {
    for (int d = plan_.rank - 2; d >= 0; --d, rows = 1) {
      at_[d] += rows;
      a += rows * plan_.stride_a[d];
      b += rows * plan_.stride_b[d];
      if (at_[d] < plan_.size[d]) return;
      at_[d] = 0;
      a -= plan_.size[d] * plan_.stride_a[d];
      b -= plan_.size[d] * plan_.stride_b[d];
    }
  }

  Index a = 0;  // element of the operand at which the row begins
  Index b = 0;

 private:
  const BroadcastPlan& plan_;
  Index at_[kMaxTensorRank];
};

TENON_DETAIL_NAMESPACE_END
