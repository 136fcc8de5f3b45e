// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax cross entropy and its gradient, row by row, on the CPU: of float and double.

#include <cmath>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/half_conversion.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A matrix whose rows or columns may be one for all: elements between neighbours, 0 where they repeat.
template <class C>
struct StridedMatrix {
  const C* data;
  Index row, column;

  TENON_HD C operator()(Index r, Index c) const { return data[r * row + c * column]; }
};
template <>
struct StridedMatrix<void> {
  const void* data;
  Index row, column;
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

namespace detail {

// A matrix of half or bfloat16 as float, in memory of the call. one thread.
class WideMatrix {
 public:
  WideMatrix(Cpu& device, DataType type, Index rows, Index classes, const StridedMatrix<void>& from)
      : from_(from),
        elements_((from.row == 0 ? 1 : rows) * (from.column == 0 ? 1 : classes)),
        copy_(device, IsSmallFloat(type) ? ScratchBytes<float>(elements_) : 0) {
    if (copy_.As<float>() != nullptr) WidenFloats(device, type, from.data, copy_.As<float>(), elements_);
  }
  Status status() const { return copy_.status("CrossEntropy"); }
  template <class C>
  StridedMatrix<C> As() const {
    const void* const data = copy_.As<float>() != nullptr ? copy_.As<void>() : from_.data;
    return {static_cast<const C*>(data), from_.row, from_.column};
  }

 private:
  const StridedMatrix<void>& from_;
  Index elements_;
  Scratch copy_;
};

// Losses and gradients of half or bfloat16 as float, in memory of the call. one thread.
class WideLosses {
 public:
  WideLosses(Cpu& device, DataType type, Index rows, Index classes)
      : rows_(rows),
        classes_(classes),
        memory_(device, IsSmallFloat(type) ? ScratchBytes<float>(rows) + ScratchBytes<float>(rows * classes) : 0) {}
  Status status() const { return memory_.status("CrossEntropy"); }
  float* loss() const { return memory_.As<float>(); }
  float* backprop() const { return memory_.As<float>(ScratchBytes<float>(rows_)); }
  void Round(Cpu& device, DataType type, void* loss_out, void* backprop_out) const {
    NarrowFloats(device, loss(), type, loss_out, rows_);
    NarrowFloats(device, backprop(), type, backprop_out, rows_ * classes_);
  }

 private:
  Index rows_, classes_;
  Scratch memory_;
};

}  // namespace detail

// CrossEntropy of elements of half, bfloat16 (both computed in float), float or double. ResourceExhausted without
// scratch memory.
inline Status CrossEntropy(Cpu& device, DataType type, Index rows, Index classes, const StridedMatrix<void>& logits,
                           const StridedMatrix<void>& labels, void* loss, void* backprop) {
  const detail::WideMatrix x(device, type, rows, classes, logits), y(device, type, rows, classes, labels);
  TENON_RETURN_IF_ERROR(x.status());
  TENON_RETURN_IF_ERROR(y.status());
  if (type == DataType::kDouble) {
    CrossEntropy(device, rows, classes, x.As<double>(), y.As<double>(), static_cast<double*>(loss),
                 static_cast<double*>(backprop));
    return OkStatus();
  }
  if (type == DataType::kFloat) {
    CrossEntropy(device, rows, classes, x.As<float>(), y.As<float>(), static_cast<float*>(loss),
                 static_cast<float*>(backprop));
    return OkStatus();
  }
  const detail::WideLosses wide(device, type, rows, classes);
  TENON_RETURN_IF_ERROR(wide.status());
  CrossEntropy(device, rows, classes, x.As<float>(), y.As<float>(), wide.loss(), wide.backprop());
  wide.Round(device, type, loss, backprop);
  return OkStatus();
}
// SparseCrossEntropy of such elements; the labels are in host memory.
inline Status SparseCrossEntropy(Cpu& device, DataType type, Index rows, Index classes, const void* logits,
                                 const Index* labels, void* loss, void* backprop) {
  const StridedMatrix<void> matrix{logits, classes, 1};
  const detail::WideMatrix x(device, type, rows, classes, matrix);
  TENON_RETURN_IF_ERROR(x.status());
  if (type == DataType::kDouble) {
    SparseCrossEntropy(device, rows, classes, x.As<double>().data, labels, static_cast<double*>(loss),
                       static_cast<double*>(backprop));
    return OkStatus();
  }
  if (type == DataType::kFloat) {
    SparseCrossEntropy(device, rows, classes, x.As<float>().data, labels, static_cast<float*>(loss),
                       static_cast<float*>(backprop));
    return OkStatus();
  }
  const detail::WideLosses wide(device, type, rows, classes);
  TENON_RETURN_IF_ERROR(wide.status());
  SparseCrossEntropy(device, rows, classes, x.As<float>().data, labels, wide.loss(), wide.backprop());
  wide.Round(device, type, loss, backprop);
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
