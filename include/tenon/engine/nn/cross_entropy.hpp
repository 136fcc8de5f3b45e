// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax cross entropy and its gradient, row by row, on the CPU: of float and double.

#include <cmath>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A matrix whose rows or columns may be one for all: elements between neighbours, 0 where they repeat.
template <class C>
struct StridedMatrix {
  const C* data;
  Index row, column;

  C operator()(Index r, Index c) const { return data[r * row + c * column]; }
};

namespace detail {

// out[c] = logits(r, c) - the largest of the row; the logarithm of the sum of their exponentials.
template <class C>
C ShiftLogits(const StridedMatrix<C>& logits, Index r, Index classes, C* out) {
  C largest = classes == 0 ? C(0) : logits(r, 0), sum = 0;
  for (Index c = 1; c < classes; ++c) largest = logits(r, c) > largest ? logits(r, c) : largest;
  for (Index c = 0; c < classes; ++c) {
    out[c] = logits(r, c) - largest;
    sum += std::exp(out[c]);
  }
  return std::log(sum);
}

template <class C>
double CrossEntropyNs(Index classes) {
  return 8.0 * static_cast<double>(classes) + 20;
}

}  // namespace detail

// loss[r] = sum over c of labels(r, c) * -log(softmax(logits)(r, c)); backprop[r, c] = softmax(logits)(r, c) -
// labels(r, c), [rows, classes].
template <class C>
void CrossEntropy(Cpu& device, Index rows, Index classes, const StridedMatrix<C>& logits,
                  const StridedMatrix<C>& labels, C* loss, C* backprop) {
  ParallelFor(device, rows, detail::CrossEntropyNs<C>(classes), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      C* const out = backprop + r * classes;
      const C log_sum = detail::ShiftLogits(logits, r, classes, out);
      C sum = 0;
      for (Index c = 0; c < classes; ++c) {
        sum += labels(r, c) * (log_sum - out[c]);
        out[c] = std::exp(out[c] - log_sum) - labels(r, c);
      }
      loss[r] = sum;
    }
  });
}

// CrossEntropy where labels[r] is the one class of row r: in [0, classes).
template <class C>
void SparseCrossEntropy(Cpu& device, Index rows, Index classes, const C* logits, const Index* labels, C* loss,
                        C* backprop) {
  const StridedMatrix<C> matrix{logits, classes, 1};
  ParallelFor(device, rows, detail::CrossEntropyNs<C>(classes), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      C* const out = backprop + r * classes;
      const C log_sum = detail::ShiftLogits(matrix, r, classes, out);
      loss[r] = log_sum - out[labels[r]];
      for (Index c = 0; c < classes; ++c) out[c] = std::exp(out[c] - log_sum);
      out[labels[r]] -= 1;
    }
  });
}

TENON_DETAIL_NAMESPACE_END
