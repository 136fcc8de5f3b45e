// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax cross entropy and its gradient, row by row, on the CPU: of float and double.

#include <cmath>
#include <cstddef>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
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

// A row whose classes lie together, [n] with n >= 1. `labels`: one for each class, or, where it is null, the class
// `label` alone. NaN as by the formulas. `out` must not be an input.
template <class C>
struct CrossEntropyRow {
  const C* logits;
  const C* labels;
  Index label;
  Index n;
  C* loss;
  C* out;
};
#if TENON_DETAIL_LANES
template <class C>
struct CrossEntropyBody {
  template <int bytes>
  TENON_HD static void Run(const CrossEntropyRow<C>& row) {
    using L = simd::Lanes<C, bytes>;
    constexpr Index kSize = L::size;
    const Index whole = row.n / kSize * kSize, left = row.n - whole;
    C rest[L::size];  // the end of the row: -infinity changes neither the largest nor the sum
    for (Index i = 0; i < kSize; ++i) rest[i] = i < left ? row.logits[whole + i] : -std::numeric_limits<C>::infinity();
    L largest = L::Load(rest);
    for (Index i = 0; i < whole; i += kSize) largest = Greater(largest, L::Load(row.logits + i));
    const C most = simd::Fold<simd::GreaterLanes>(largest);
    const L shift = L::Repeat(most);
    const L last = simd::ExpOfNegative(L::Load(rest) - shift);
    L sum = last;
    for (Index i = 0; i < whole; i += kSize) {
      const L y = simd::ExpOfNegative(L::Load(row.logits + i) - shift);
      y.Store(row.out + i);
      sum = sum + y;
    }
    const C total = simd::Fold<simd::AddLanes>(sum), log_sum = std::log(total);
    const L factor = L::Repeat(C(1) / total);
    (last * factor).Store(rest);
    if (row.labels == nullptr) {
      for (Index i = 0; i < whole; i += kSize) (L::Load(row.out + i) * factor).Store(row.out + i);
      for (Index i = 0; i < left; ++i) row.out[whole + i] = rest[i];
      row.out[row.label] -= 1;
      *row.loss = log_sum - (row.logits[row.label] - most);
      return;
    }
    const L logs = L::Repeat(log_sum);
    L losses = L::Zero();
    for (Index i = 0; i < whole; i += kSize) {
      const L label = L::Load(row.labels + i);
      losses = Fma(label, logs - (L::Load(row.logits + i) - shift), losses);
      (L::Load(row.out + i) * factor - label).Store(row.out + i);
    }
    C loss = simd::Fold<simd::AddLanes>(losses);
    for (Index i = whole; i < row.n; ++i) {
      loss += row.labels[i] * (log_sum - (row.logits[i] - most));
      row.out[i] = rest[i - whole] - row.labels[i];
    }
    *row.loss = loss;
  }
};
template <class C>
auto CrossEntropyFunction() {
  return simd::detail::ForLevels<CrossEntropyBody<C>, simd::Compiled, const CrossEntropyRow<C>&>::Best();
}
#else
template <class C>
void RunCrossEntropyRow(const CrossEntropyRow<C>& row) {
  const C log_sum = ShiftLogits<C>({row.logits, row.n, 1}, 0, row.n, row.out);
  C sum = 0;
  for (Index c = 0; c < row.n; ++c) {
    const C label = row.labels != nullptr ? row.labels[c] : c == row.label ? C(1) : C(0);
    if (row.labels != nullptr || c == row.label) sum += label * (log_sum - row.out[c]);
    row.out[c] = std::exp(row.out[c] - log_sum) - label;
  }
  *row.loss = sum;
}
template <class C>
auto CrossEntropyFunction() {
  return &RunCrossEntropyRow<C>;
}
#endif

template <class C>
double CrossEntropyNs(Index classes) {
  return 2.0 * static_cast<double>(classes) + 30;
}

}  // namespace detail

// loss[r] = sum over c of labels(r, c) * -log(softmax(logits)(r, c)); backprop[r, c] = softmax(logits)(r, c) -
// labels(r, c), [rows, classes].
template <class C>
void CrossEntropy(Cpu& device, Index rows, Index classes, const StridedMatrix<C>& logits,
                  const StridedMatrix<C>& labels, C* loss, C* backprop) {
  const bool together = classes > 0 && logits.column == 1 && labels.column == 1;
  const auto run = detail::CrossEntropyFunction<C>();
  ParallelFor(device, rows, detail::CrossEntropyNs<C>(classes), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r) {
      C* const out = backprop + r * classes;
      if (together) {
        run({logits.data + r * logits.row, labels.data + r * labels.row, 0, classes, loss + r, out});
        continue;
      }
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
  const auto run = detail::CrossEntropyFunction<C>();
  ParallelFor(device, rows, detail::CrossEntropyNs<C>(classes), [&](Index begin, Index end) {
    for (Index r = begin; r < end; ++r)
      run({logits + r * classes, nullptr, labels[r], classes, loss + r, backprop + r * classes});
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
