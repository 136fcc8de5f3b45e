// SPDX-License-Identifier: Apache-2.0
#pragma once
// FftPlan: the data of Fourier transforms of one length - its factors and the roots of one - made once and kept for the
// next transforms of that length.
//
// Several lines of numbers are transformed at once, one in each lane of a vector. One line alone is made a matrix of
// n1 rows and n2 columns: its columns are transformed, one in each lane, multiplied by roots, and then the rows (W. M.
// Gentleman and G. Sande, "Fast Fourier transforms: for fun and profit", 1966). Lengths with large prime factors are a
// convolution, which two transforms of a longer length calculate (L. I. Bluestein, "A linear filtering approach to the
// computation of discrete Fourier transform", 1970).

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/fft/passes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Numbers that vectors are loaded from; null when there was no memory. Zeros at first.
template <class T>
class FftTable {
 public:
  FftTable() = default;
  explicit FftTable(Index n) : size_(n) {
    data_ = static_cast<T*>(operator new(static_cast<std::size_t>(n) * sizeof(T), kAlignment, std::nothrow));
    for (Index i = 0; data_ != nullptr && i < n; ++i) data_[i] = 0;
  }
  FftTable(FftTable&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  FftTable& operator=(FftTable&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~FftTable() { operator delete(data_, kAlignment); }

  bool ok() const { return data_ != nullptr || size_ == 0; }
  Index size() const { return size_; }
  const T* data() const { return data_; }
  T* data() { return data_; }
  void Set(Index i, T re, T im) {
    data_[i] = re;
    data_[i + 1] = im;
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  T* data_ = nullptr;
  Index size_ = 0;
};

// exp(-2 pi i k / n), more exact than T: the product of one of a few powers far apart and one of a few successive
// powers, each calculated with an angle of at most pi / 4.
template <class T>
class FftRoots {
 public:
  using Real = std::conditional_t<sizeof(T) == 4, double, long double>;
  struct Root {
    Real re, im;
  };

  explicit FftRoots(Index n) : n_(n) {
    while ((Index{1} << (2 * shift_)) < n) ++shift_;
    const Index near = Index{1} << shift_, far = (n >> shift_) + 1;
    near_ = FftTable<Real>(2 * near);
    far_ = FftTable<Real>(2 * far);
    if (!ok()) return;
    for (Index i = 0; i < near; ++i) Fill(near_, i, i);
    for (Index i = 0; i < far; ++i) Fill(far_, i, i << shift_);
  }
  bool ok() const { return near_.ok() && far_.ok(); }

  // 0 <= k < n
  Root operator()(Index k) const {
    const Real* const a = near_.data() + 2 * (k & ((Index{1} << shift_) - 1));
    const Real* const b = far_.data() + 2 * (k >> shift_);
    return {a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
  }

 private:
  void Fill(FftTable<Real>& table, Index i, Index k) {
    constexpr Real kPi = Real(3.14159265358979323846264338327950288L);
    Index eighths = 8 * (k % n_);  // eighths of a circle, times n
    const bool below = eighths > 4 * n_;
    if (below) eighths = 8 * n_ - eighths;
    const bool left = eighths > 2 * n_;
    if (left) eighths = 4 * n_ - eighths;
    const bool swapped = eighths > n_;
    if (swapped) eighths = 2 * n_ - eighths;
    const Real angle = kPi * static_cast<Real>(eighths) / static_cast<Real>(4 * n_);
    Real re = std::cos(angle), im = std::sin(angle);
    if (swapped) std::swap(re, im);
    table.Set(2 * i, left ? -re : re, below ? im : -im);
  }

  Index n_;
  int shift_ = 0;
  FftTable<Real> near_, far_;
};

// The passes of transforms in lanes. There are two at least: the first reads from memory, the last writes there.
template <class T>
struct FftLanesPlan {
  struct Pass {
    Index radix, m, s, twiddles, roots;  // the last two are positions in `table`
  };
  Index n = 0;
  InlinedVector<Pass, 8> passes;
  FftTable<T> table;

  bool Make(Index length) {
    n = length;
    Index rest = n, s = 1, numbers = 0;
    while (rest > 1 || passes.size() < 2) {
      const Index radix = NextRadix(rest);
      rest /= radix;
      passes.push_back({radix, rest, s, numbers, numbers + 2 * rest * (radix - 1)});
      numbers += 2 * rest * (radix - 1) + (FftRadixCode(radix) == kFftRadices - 1 ? 2 * radix : 0);
      s *= radix;
    }
    const FftRoots<T> roots(n);
    table = FftTable<T>(numbers);
    if (!table.ok() || !roots.ok()) return false;
    for (const Pass& pass : passes) {
      for (Index p = 0; p < pass.m; ++p)
        for (Index k = 1; k < pass.radix; ++k)
          SetRoot(pass.twiddles + 2 * ((pass.radix - 1) * p + k - 1), roots(p * k * pass.s));
      if (FftRadixCode(pass.radix) == kFftRadices - 1)
        for (Index k = 0; k < pass.radix; ++k) SetRoot(pass.roots + 2 * k, roots(k * (n / pass.radix)));
    }
    return true;
  }
  // Odd ones first: fewer of the other passes' products are left. Of powers of two, eights but for what is left over.
  static Index NextRadix(Index rest) {
    for (Index radix = kFftMostRadix; radix >= 3; radix -= 2)
      if (rest % radix == 0 && (radix <= 7 || IsPrime(radix))) return radix;
    int twos = 0;
    for (; rest > 1; rest /= 2) ++twos;
    if (twos == 0) return 1;
    return twos == 1 ? 2 : twos == 2 || twos == 4 ? 4 : 8;
  }
  static bool IsPrime(Index radix) {
    for (Index i = 3; i * i <= radix; i += 2)
      if (radix % i == 0) return false;
    return true;
  }

 private:
  void SetRoot(Index place, const typename FftRoots<T>::Root& root) {
    table.Set(place, static_cast<T>(root.re), static_cast<T>(root.im));
  }
};

// Work of a transform in lanes, in operations of vectors; kFftImpossible where a prime factor is too large. (Not
// infinity, which -ffast-math does not know.)
inline constexpr double kFftImpossible = 1e200;
inline double FftLanesCost(Index n) {
  double each = 0;
  for (Index rest = n; rest > 1;) {
    const Index radix = FftLanesPlan<float>::NextRadix(rest);
    if (radix == 1 || rest % radix != 0) return kFftImpossible;
    if (radix == 2 && rest % 2 != 0) return kFftImpossible;
    constexpr double kKnown[] = {0, 8, 13, 12, 18, 24, 14};
    const int code = FftRadixCode(radix);
    each += code < kFftRadices - 1 ? kKnown[code] : 2 * static_cast<double>(radix) + 20;
    rest /= radix;
  }
  if (FftLanesPlan<float>::NextRadix(n) == n) each += 9;  // two passes at least
  return each * static_cast<double>(n);
}
constexpr Index FftRoundUp(Index n, Index width) { return (n + width - 1) / width * width; }

template <class T>
class FftPlan;
// In place; false when there was no memory. engine/fft/lines.hpp
template <class T>
bool TransformFftKernel(const FftPlan<T>& plan, const FftKernels<T>& kernels, T* kernel);

// Transforms of one length by vectors of `width` lanes: forward with exp(-2 pi i j k / n). immutable once made.
template <class T>
class FftPlan : public RefCounted {
 public:
  enum class Method {
    kLanes,  // one lane of several
    kSplit,  // a matrix of n1 rows and n2 columns
    kConvolution,
  };

  Index n, width;
  Method method = Method::kLanes;  // method for a line by itself
  bool has_lanes = false;  // `lanes` is there
  FftLanesPlan<T> lanes;  // passes of length n
  Index n1 = 1, n2 = 1;
  FftLanesPlan<T> columns, rows;  // passes of lengths n1 and n2
  FftTable<T> twist;  // [column / width][row][2][width]
  Ref<const FftPlan> padded;  // plan of the convolution's transforms
  FftTable<T> chirp, kernel;
  FftTable<T> halves;  // -i exp(-pi i k / n) for k to n / 2: for 2 n real numbers
  double line_cost = 0, lanes_cost = 0;  // vector operations for one line by itself, and for as many as there are lanes

  FftPlan(Index length, Index lanes_of_vector) : n(length), width(lanes_of_vector) {}

  // Columns of the matrix that are transformed together are `width`, from this one on.
  Index FirstColumn(Index group) const {
    const Index first = group * width;
    return first + width <= n2 || n2 < width ? first : n2 - width;
  }
  // From row to row of the matrix once it is turned, in numbers of type T. Not a power of two, whose rows would push
  // each other out of the cache.
  Index turned_step() const { return 2 * FftRoundUp(n1, width) + 2 * width; }

  // Bytes of its tables.
  Index bytes() const {
    return (lanes.table.size() + columns.table.size() + rows.table.size() + twist.size() + chirp.size() +
            kernel.size() + halves.size()) *
               static_cast<Index>(sizeof(T)) +
           (padded ? padded->bytes() : 0);
  }

  // The cost of a line as a matrix of so many rows.
  static double SplitCost(Index n, Index rows, Index width) {
    const Index columns = n / rows;
    const double w = static_cast<double>(width);
    const auto vectors = [w, width](Index size) { return static_cast<double>(FftRoundUp(size, width)) / w; };
    const double partial = (columns < width ? 10 : 0) * static_cast<double>(rows) +
                           (rows % width != 0 ? 20 : 0) * static_cast<double>(columns);
    return vectors(columns) * FftLanesCost(rows) + vectors(rows) * FftLanesCost(columns) + partial +
           vectors(columns) * vectors(rows) * 10 * w;
  }
  // The least, and the number of rows; 1: in one lane.
  static double BestSplit(Index n, Index width, Index* rows) {
    *rows = 1;
    double best = FftLanesCost(n) + 6 * static_cast<double>(n);
    if (!(best < kFftImpossible)) return best;
    for (Index i = 2; i * i <= n; ++i) {
      if (n % i != 0) continue;
      for (const Index candidate : {i, n / i}) {
        const double cost = SplitCost(n, candidate, width);
        if (cost < best) {
          best = cost;
          *rows = candidate;
        }
      }
    }
    return best;
  }
  // The best length for a convolution of n numbers: 2 n - 1 at least, of small factors.
  static Index PaddedLength(Index n, Index width, double* cost) {
    Index best = 0;
    for (Index odd : {1, 3, 5, 7, 9, 15, 21, 25, 27, 35, 45}) {
      Index length = odd;
      while (length < 2 * n - 1) length *= 2;
      Index unused;
      const double of_this = BestSplit(length, width, &unused);
      if (best != 0 && of_this >= *cost) continue;
      best = length;
      *cost = of_this;
    }
    return best;
  }

  // False when there was no memory.
  bool Make(const FftKernels<T>& kernels) {
    lanes_cost = FftLanesCost(n) + 6 * static_cast<double>(n);
    has_lanes = lanes_cost < kFftImpossible;
    line_cost = BestSplit(n, width, &n1);
    n2 = n / n1;
    double convolution = 0;
    const Index length = n > 7 ? PaddedLength(n, width, &convolution) : 0;
    if (length != 0) convolution = 2 * convolution + 12 * static_cast<double>(n + length) / static_cast<double>(width);
    if (length != 0 && convolution < line_cost) {
      method = Method::kConvolution;
      line_cost = convolution;
      if (!MakeConvolution(length, kernels)) return false;
    } else if (n1 > 1) {
      method = Method::kSplit;
      if (!columns.Make(n1) || !rows.Make(n2) || !MakeTwist()) return false;
    }
    return MakeHalves() && (!has_lanes || lanes.Make(n));
  }

 private:
  bool MakeTwist() {
    const Index groups = (n2 + width - 1) / width;
    twist = FftTable<T>(groups * n1 * 2 * width);
    const FftRoots<T> roots(n);
    if (!twist.ok() || !roots.ok()) return false;
    for (Index group = 0; group < groups; ++group)
      for (Index row = 0; row < n1; ++row) {
        T* const to = twist.data() + (group * n1 + row) * 2 * width;
        for (Index lane = 0; lane < width; ++lane) {
          const Index column = FirstColumn(group) + FftNumberOfLane<T>(static_cast<int>(width), static_cast<int>(lane));
          if (column >= n2) continue;
          const auto root = roots(column * row);
          to[lane] = static_cast<T>(root.re);
          to[width + lane] = static_cast<T>(root.im);
        }
      }
    return true;
  }
  bool MakeConvolution(Index length, const FftKernels<T>& kernels);
  bool MakeHalves() {
    halves = FftTable<T>(2 * (n / 2 + 1));
    const FftRoots<T> roots(2 * n);
    if (!halves.ok() || !roots.ok()) return false;
    for (Index k = 0; 2 * k <= n; ++k) {
      const auto root = roots(k);
      halves.Set(2 * k, static_cast<T>(root.im), static_cast<T>(-root.re));
    }
    return true;
  }
};

// Plans in use and the last ones that were: as many as fit into 16 MiB, and not more than 32. thread-safe.
template <class T>
class FftPlans {
 public:
  // Null when there was no memory.
  static Ref<const FftPlan<T>> Find(Index n, const FftKernels<T>& kernels) {
    static FftPlans plans;
    const Index width = kernels.width;
    {
      MutexLock lock(plans.mutex_);
      for (std::size_t i = 0; i < plans.kept_.size(); ++i) {
        if (plans.kept_[i]->n != n || plans.kept_[i]->width != width) continue;
        plans.MoveToFront(i);
        return plans.kept_[0];
      }
    }
    FftPlan<T>* const made = new (std::nothrow) FftPlan<T>(n, width);
    auto plan = Ref<const FftPlan<T>>::Adopt(made);
    if (made == nullptr || !made->Make(kernels)) return {};
    MutexLock lock(plans.mutex_);
    plans.Keep(plan);
    return plan;
  }

 private:
  static constexpr std::size_t kMost = 32;
  static constexpr Index kMostBytes = Index{16} << 20;

  void Keep(const Ref<const FftPlan<T>>& plan) {
    if (plan->bytes() > kMostBytes) return;
    bytes_ += plan->bytes();
    while (!kept_.empty() && (kept_.size() == kMost || bytes_ > kMostBytes)) {
      bytes_ -= kept_.back()->bytes();
      kept_.pop_back();
    }
    kept_.push_back(plan);
    MoveToFront(kept_.size() - 1);
  }
  // Keeps plans in the order of their last use: the one that was not used for longest is the last.
  void MoveToFront(std::size_t i) {
    for (; i > 0; --i) std::swap(kept_[i], kept_[i - 1]);
  }

  Mutex mutex_;
  InlinedVector<Ref<const FftPlan<T>>, 1> kept_;
  Index bytes_ = 0;
};

// chirp: exp(-pi i j^2 / n). kernel: the transform of its conjugate laid round, divided by the length.
template <class T>
bool FftPlan<T>::MakeConvolution(Index length, const FftKernels<T>& kernels) {
  padded = FftPlans<T>::Find(length, kernels);
  chirp = FftTable<T>(2 * n);
  kernel = FftTable<T>(2 * length);
  const FftRoots<T> roots(2 * n);
  if (!padded || !chirp.ok() || !kernel.ok() || !roots.ok()) return false;
  const T scale = T(1) / static_cast<T>(length);
  Index square = 0;  // j^2 modulo 2 n
  for (Index j = 0; j < n; ++j) {
    const auto root = roots(square);
    chirp.Set(2 * j, static_cast<T>(root.re), static_cast<T>(root.im));
    const T re = static_cast<T>(root.re) * scale, im = -static_cast<T>(root.im) * scale;
    kernel.Set(2 * j, re, im);
    if (j > 0) kernel.Set(2 * (length - j), re, im);
    square = (square + 2 * j + 1) % (2 * n);
  }
  return TransformFftKernel(*padded, kernels, kernel.data());
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
