// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrix products of few rows, and small ones. Every element of b is used once or a few times, so that reading b is the
// work: it is read where it lies and about in the order in which it lies. A transposed b by dot products; else a few
// rows of it at a time, in blocks of columns whose sums stay in registers.

#include <cstddef>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/blocking.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/core/result_epilogue.hpp>
#include <tenon/engine/core/scratch.hpp>

#if !defined(__NVCC__)  // vectors are for the host's compiler

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr Index kThinRowsAtOnce = 3;  // that share one read of b

// Kernels of one instruction set for T = float or double. Rows of b, x, y and c are contiguous.
template <class T>
struct ThinKernels {
  // c[j] = the sum of x[p] y[j * y_step + p], p in [0, k), for j in [0, n).
  void (*dot)(const T* x, const T* y, Index y_step, Index k, T* c, Index n);
  // c[i * c_row + j] = the sum of a[i * a_row + p * a_col] b[p * b_row + j], or that added to it, for i below `rows`,
  // one to kThinRowsAtOnce. A row's bits do not depend on `rows`.
  void (*rows)(const T* a, Index a_row, Index a_col, Index rows, const T* b, Index b_row, Index k, T* c, Index c_row,
               Index n, bool add);
  // c[j] = the sum of a[p * a_col] b[p * b_row + j], for at most kStreamBytes of columns. Reads b strictly in order. A
  // column's bits do not depend on n.
  void (*stream)(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n);
};

// The dot product of x and y, k elements.
template <class T, int bytes>
TENON_HD T DotProduct(const T* x, const T* y, Index k) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr Index kLanes = GnuVector<T, bytes>::lanes;
  V sums[4] = {};
  Index p = 0;
  for (; p + 4 * kLanes <= k; p += 4 * kLanes) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      sums[i] += *reinterpret_cast<const InMemory*>(x + p + i * kLanes) *
                 *reinterpret_cast<const InMemory*>(y + p + i * kLanes);
    }
  }
  for (; p + kLanes <= k; p += kLanes)
    sums[0] += *reinterpret_cast<const InMemory*>(x + p) * *reinterpret_cast<const InMemory*>(y + p);
  sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
#if TENON_DETAIL_LANES
  T sum = simd::Fold<simd::AddLanes>(simd::Lanes<T, bytes>(sums[0]));
#else
  T sum = T(0);
  for (Index i = 0; i < kLanes; ++i) sum += sums[0][i];
#endif
  for (; p < k; ++p) sum += x[p] * y[p];
  return sum;
}

// c[0 .. width vectors) = one row of a times so many columns of b, or that added to c. Eight sums in registers, so that
// no addition waits for another: of narrow blocks, several for each column.
template <class T, int bytes, int width>
TENON_HD void RowTimesColumns(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, bool add) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr int kLanes = GnuVector<T, bytes>::lanes, kChains = 8 / width;
  V sums[kChains][width];
#pragma GCC unroll 8
  for (int chain = 0; chain < kChains; ++chain) {
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) sums[chain][v] = V{};
  }
  Index p = 0;
  for (; p + kChains <= k; p += kChains, a += kChains * a_col, b += kChains * b_row) {
#pragma GCC unroll 8
    for (int chain = 0; chain < kChains; ++chain) {
      const T x = a[chain * a_col];
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v)
        sums[chain][v] += x * *reinterpret_cast<const InMemory*>(b + chain * b_row + v * kLanes);
    }
  }
  for (; p < k; ++p, a += a_col, b += b_row) {
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) sums[0][v] += *a * *reinterpret_cast<const InMemory*>(b + v * kLanes);
  }
#pragma GCC unroll 8
  for (int v = 0; v < width; ++v) {
#pragma GCC unroll 8
    for (int chain = 1; chain < kChains; ++chain) sums[0][v] += sums[chain][v];
    InMemory* const to = reinterpret_cast<InMemory*>(c + v * kLanes);
    *to = add ? sums[0][v] + *to : sums[0][v];
  }
}

// Multiplies several rows of a by four vectors of columns, each of which is read once. There are so many rows that no
// addition waits for another.
template <class T, int bytes, int rows>
TENON_HD void RowsTimesColumns(const T* a, Index a_row, Index a_col, const T* b, Index b_row, Index k, T* c,
                               Index c_row, bool add) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr int kLanes = GnuVector<T, bytes>::lanes, kWidth = 4;
  V sums[rows][kWidth];
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kWidth; ++v) sums[i][v] = V{};
  }
  for (Index p = 0; p < k; ++p, a += a_col, b += b_row) {
#pragma GCC unroll 4
    for (int v = 0; v < kWidth; ++v) {
      const V columns = *reinterpret_cast<const InMemory*>(b + v * kLanes);
#pragma GCC unroll 4
      for (int i = 0; i < rows; ++i) sums[i][v] += a[i * a_row] * columns;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kWidth; ++v) {
      InMemory* const to = reinterpret_cast<InMemory*>(c + i * c_row + v * kLanes);
      *to = add ? sums[i][v] + *to : sums[i][v];
    }
  }
}

// The columns from j on, which are fewer than eight vectors.
template <class T, int bytes>
TENON_HD void RowTimesLastColumns(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index j, Index n,
                                  bool add) {
  constexpr Index kLanes = GnuVector<T, bytes>::lanes;
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) RowTimesColumns<T, bytes, 2>(a, a_col, b + j, b_row, k, c + j, add);
  if (j == n) return;
  if (n >= kLanes) {  // one or two vectors more, some of their columns for the second time
    for (; j < n; j += kLanes) {
      const bool fits = j + kLanes <= n;
      const Index first = fits ? j : n - kLanes;
      T sums[kLanes];
      RowTimesColumns<T, bytes, 1>(a, a_col, b + first, b_row, k, fits ? c + j : sums, add && fits);
      if (fits) continue;
      for (Index i = j; i < n; ++i) c[i] = add ? c[i] + sums[i - first] : sums[i - first];
    }
    return;
  }
  for (; j < n; ++j) {
    T sum = T(0);
    for (Index p = 0; p < k; ++p) sum += a[p * a_col] * b[p * b_row + j];
    c[j] = add ? c[j] + sum : sum;
  }
}

// Column blocks, each from top to bottom.
template <class T, int bytes>
TENON_HD void RowsTimesMatrix(const T* a, Index a_row, Index a_col, Index rows, const T* b, Index b_row, Index k, T* c,
                              Index c_row, Index n, bool add) {
  constexpr Index kLanes = GnuVector<T, bytes>::lanes;
  // 16 bytes are what processors without AVX2 run, where it is compiled beside this: they do without.
  constexpr bool kRowsTogether = bytes > 16 || !TENON_DETAIL_TARGETS;
  Index j = 0;
  if (kRowsTogether && rows > 1) {
    const Index whole = n / (8 * kLanes) * (8 * kLanes);
    for (; j < whole; j += 4 * kLanes) {
      if (rows == 2)
        RowsTimesColumns<T, bytes, 2>(a, a_row, a_col, b + j, b_row, k, c + j, c_row, add);
      else
        RowsTimesColumns<T, bytes, 3>(a, a_row, a_col, b + j, b_row, k, c + j, c_row, add);
    }
  } else {
    for (; j + 8 * kLanes <= n; j += 8 * kLanes) {
      for (Index i = 0; i < rows; ++i)
        RowTimesColumns<T, bytes, 8>(a + i * a_row, a_col, b + j, b_row, k, c + i * c_row + j, add);
    }
  }
  if (j == n) return;
  for (Index i = 0; i < rows; ++i)
    RowTimesLastColumns<T, bytes>(a + i * a_row, a_col, b, b_row, k, c + i * c_row, j, n, add);
}

// Sums of so many rows of b are added to the sums of all.
inline constexpr Index kStreamBytes = 8 * 1024, kStreamRows = 32;

template <class T, int bytes>
TENON_HD void RowTimesStream(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr Index kLanes = GnuVector<T, bytes>::lanes, kMost = kStreamBytes / static_cast<Index>(sizeof(T));
  if (n < kLanes) {
    for (Index j = 0; j < n; ++j) {
      T total = T(0);
      for (Index p = 0; p < k;) {
        T sum = T(0);
        for (const Index end = k - p < kStreamRows ? k : p + kStreamRows; p < end; ++p)
          sum += a[p * a_col] * b[p * b_row + j];
        total += sum;
      }
      c[j] = total;
    }
    return;
  }
  // The last vector begins earlier in b and c where it would not be full.
  const Index whole = (n - 1) / kLanes * kLanes, last = n - kLanes;
  alignas(bytes) T sums[kMost + kLanes], totals[kMost + kLanes];
  for (Index j = 0; j <= whole; j += kLanes) *reinterpret_cast<V*>(totals + j) = V{};
  for (Index p = 0; p < k;) {
    for (Index j = 0; j <= whole; j += kLanes) *reinterpret_cast<V*>(sums + j) = V{};
    for (const Index end = k - p < kStreamRows ? k : p + kStreamRows; p < end; ++p, b += b_row) {
      const T x = a[p * a_col];
      for (Index j = 0; j < whole; j += kLanes)
        *reinterpret_cast<V*>(sums + j) += x * *reinterpret_cast<const InMemory*>(b + j);
      *reinterpret_cast<V*>(sums + whole) += x * *reinterpret_cast<const InMemory*>(b + last);
    }
    for (Index j = 0; j <= whole; j += kLanes)
      *reinterpret_cast<V*>(totals + j) += *reinterpret_cast<const V*>(sums + j);
  }
  for (Index j = 0; j < whole; j += kLanes)
    *reinterpret_cast<InMemory*>(c + j) = *reinterpret_cast<const V*>(totals + j);
  *reinterpret_cast<InMemory*>(c + last) = *reinterpret_cast<const V*>(totals + whole);
}

// The bodies as functions of an instruction set.
template <class T, class Isa>
struct ThinOf {
  static constexpr int kBytes = simd::kVectorBytes<Isa>;
  static void Dot(const T* x, const T* y, Index y_step, Index k, T* c, Index n) {
    for (Index j = 0; j < n; ++j) c[j] = DotProduct<T, kBytes>(x, y + j * y_step, k);
  }
  static void Rows(const T* a, Index a_row, Index a_col, Index rows, const T* b, Index b_row, Index k, T* c,
                   Index c_row, Index n, bool add) {
    RowsTimesMatrix<T, kBytes>(a, a_row, a_col, rows, b, b_row, k, c, c_row, n, add);
  }
  static void Stream(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n) {
    RowTimesStream<T, kBytes>(a, a_col, b, b_row, k, c, n);
  }
};
#if TENON_DETAIL_TARGETS
template <class T>
struct ThinOf<T, simd::Targeted<simd::isa::Avx2>> {
  TENON_DETAIL_TARGET_AVX2 static void Dot(const T* x, const T* y, Index y_step, Index k, T* c, Index n) {
    for (Index j = 0; j < n; ++j) c[j] = DotProduct<T, 32>(x, y + j * y_step, k);
  }
  TENON_DETAIL_TARGET_AVX2 static void Rows(const T* a, Index a_row, Index a_col, Index rows, const T* b, Index b_row,
                                            Index k, T* c, Index c_row, Index n, bool add) {
    RowsTimesMatrix<T, 32>(a, a_row, a_col, rows, b, b_row, k, c, c_row, n, add);
  }
  TENON_DETAIL_TARGET_AVX2 static void Stream(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c,
                                              Index n) {
    RowTimesStream<T, 32>(a, a_col, b, b_row, k, c, n);
  }
};
#endif

template <class T, class Isa>
inline constexpr ThinKernels<T> kThinKernels = {&ThinOf<T, Isa>::Dot, &ThinOf<T, Isa>::Rows, &ThinOf<T, Isa>::Stream};

// Returns the best kernels that this processor can run; 32-byte vectors read as fast as longer ones.
template <class T, class Isa = simd::Compiled>
const ThinKernels<T>& ThinKernelsOf() {
#if TENON_DETAIL_TARGETS
  if constexpr (simd::kVectorBytes<Isa> < 32) {
    if (simd::BestLevel() != simd::Level::kUnit) return kThinKernels<T, simd::Targeted<simd::isa::Avx2>>;
  }
#endif
  return kThinKernels<T, Isa>;
}

// The block of b that stays in the first cache while the rows of a go by: bytes, rows at least, columns at most.
inline constexpr Index kThinBytes = 16 * 1024, kThinRows = 8, kThinColumns = 256;
// A larger b may lie behind the second cache: processors foresee one stream from there, but not several rows. Short
// rows, in bytes, are read about in order without it.
inline constexpr Index kThinFarBytes = 512 * 1024, kThinShortRow = 512;

// Splits the longer side of c over the device's threads: body(row, row_end, column, column_end).
template <class Body>
void SplitProduct(Cpu& device, Index parts, Index m, Index n, const Body& body) {
  const bool by_rows = m >= n;
  RunParts(device, parts, [&](Index part) {
    // Each vector sums up the same numbers for any number of threads: parts begin at multiples of eight vectors of 64
    // bytes, or of whole blocks.
    const Index total = by_rows ? m : n, step = by_rows ? 1 : n % 128 == 0 ? 128 : kThinColumns;
    const Index begin = PartBegin(total, parts, step, part), end = PartBegin(total, parts, step, part + 1);
    if (begin < end) body(by_rows ? begin : 0, by_rows ? end : m, by_rows ? 0 : begin, by_rows ? n : end);
  });
}

// One part of a thin product; `a` has contiguous rows where b is transposed.
template <class T>
void RunThinPart(const ThinKernels<T>& kernels, const GemmArgs<T>& g, Index row, Index row_end, Index column,
                 Index column_end) {
  if (g.b_col != 1) {
    for (Index i = row; i < row_end; ++i) {
      kernels.dot(g.a + i * g.a_row, g.b + column * g.b_col, g.b_col, g.k, g.c + i * g.c_row + column,
                  column_end - column);
    }
    return;
  }
  const Index row_bytes = g.n * Index{sizeof(T)};
  if (g.m == 1 && row_bytes > kThinShortRow && g.k * row_bytes > kThinFarBytes) {
    constexpr Index kMost = kStreamBytes / static_cast<Index>(sizeof(T));
    for (Index j = column; j < column_end; j += kMost) {
      const Index n = column_end - j < kMost ? column_end - j : kMost;
      kernels.stream(g.a, g.a_col, g.b + j, g.b_row, g.k, g.c + j, n);
    }
    return;
  }
  constexpr Index kVectors = static_cast<Index>(256 / sizeof(T));  // columns whose sums stay in registers
  const Index rows = kThinBytes / (g.b_row * Index{sizeof(T)});
  const Index depth = g.n <= kVectors ? g.k : rows > kThinRows ? rows : kThinRows;
  for (Index p = 0; p < g.k; p += depth) {
    const Index k = g.k - p < depth ? g.k - p : depth;
    for (Index j = column; j < column_end; j += kThinColumns) {
      const Index n = column_end - j < kThinColumns ? column_end - j : kThinColumns;
      for (Index i = row; i < row_end; i += kThinRowsAtOnce) {
        const Index many = row_end - i < kThinRowsAtOnce ? row_end - i : kThinRowsAtOnce;
        kernels.rows(g.a + i * g.a_row + p * g.a_col, g.a_row, g.a_col, many, g.b + p * g.b_row + j, g.b_row, k,
                     g.c + i * g.c_row + j, g.c_row, n, p > 0);
      }
    }
  }
}

// c = a b; `ns` is about what one thread would need.
template <class T>
Status RunThinGemm(Cpu& device, const ThinKernels<T>& kernels, GemmArgs<T> g, double ns) {
  const bool copies_a = g.b_col != 1 && g.a_col != 1;
  Scratch scratch(device, copies_a ? ScratchBytes<T>(g.m * g.k) : 0);
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  if (copies_a) {
    T* const a = scratch.As<T>();
    for (Index i = 0; i < g.m; ++i) {
      for (Index p = 0; p < g.k; ++p) a[i * g.k + p] = g.a[i * g.a_row + p * g.a_col];
    }
    g.a = a;
    g.a_row = g.k;
    g.a_col = 1;
  }
  const CpuEpilogue* const epilogue = TakeEpilogue(device, false);
  SplitProduct(device, WorthwhileParts(device, ns), g.m, g.n,
               [&](Index row, Index row_end, Index column, Index column_end) {
                 RunThinPart(kernels, g, row, row_end, column, column_end);
                 if (epilogue != nullptr)
                   epilogue->run(*epilogue, {g.c, g.c_row, row, row_end - row, column, column_end - column});
               });
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // !__NVCC__
