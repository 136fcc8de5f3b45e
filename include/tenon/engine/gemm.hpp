// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gemm: the product of two matrices on the CPU, for every number type. float and double go through Eigen, and through
// loops of their own where there are too few rows to pack the operands for; half and bfloat16 are multiplied as float.

#include <cstddef>
#include <cstring>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/isa.hpp>
#include <tenon/engine/scratch.hpp>
#if !defined(__CUDACC__)
#include <tenon/engine/eigen.hpp>
#include <tenon/engine/simd.hpp>
#endif

TENON_NAMESPACE_BEGIN

// c = a b: [m, k] [k, n] -> [m, n]; a transposed operand is stored as [k, m] or [n, k] (complex numbers are not
// conjugated). Integers wrap around. Zeros where k is 0. InvalidArgument when the inner dimensions disagree. Allocates
// scratch memory from the device for large products. (nvcc does not compile the definition: another file of the program
// does.)
template <class T>
Status Gemm(Cpu& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> c);

#if !defined(__CUDACC__)

namespace detail {

// Operands with the distances, in elements, between rows and between columns; one of the two is 1.
template <class T>
struct GemmArgs {
  Index m, n, k;
  const T* a;
  Index a_row, a_col;
  const T* b;
  Index b_row, b_col;
  T* c;
  Index c_row;
};

TENON_COLD inline Status InnerDimensionsDisagree(Index a, Index b) {
  return errors::InvalidArgument("MatMul: inner dimensions of 'a' and 'b' must agree, got ", a, " and ", b);
}
TENON_COLD inline Status WrongProductShape(const TensorShape& got, Index m, Index n) {
  return errors::Internal("MatMul: the product has shape [", m, ",", n, "], but its output has ", got.DebugString());
}

// c + a b in the arithmetic of T: integers wrap, complex numbers are multiplied by the schoolbook rule.
template <class T>
TENON_HD T MultiplyAdd(T a, T b, T c) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(static_cast<U>(c) + static_cast<U>(a) * static_cast<U>(b));
  } else {
    return static_cast<T>(c + a * b);
  }
}
template <class T>
TENON_HD std::complex<T> MultiplyAdd(std::complex<T> a, std::complex<T> b, std::complex<T> c) {
  return {c.real() + (a.real() * b.real() - a.imag() * b.imag()),
          c.imag() + (a.real() * b.imag() + a.imag() * b.real())};
}

TENON_DETAIL_LOOPS_BEGIN

// c[j] += a0 b0[j] + ... + a3 b3[j] for j in [0, n); b1 is `b_row` elements behind b0, and so on.
template <class T>
TENON_DETAIL_LOOP void AddFourRows(const T* a, Index a_col, const T* b, Index b_row, T* c, Index n) {
  const T a0 = a[0], a1 = a[a_col], a2 = a[2 * a_col], a3 = a[3 * a_col];
  const T *b0 = b, *b1 = b + b_row, *b2 = b + 2 * b_row, *b3 = b + 3 * b_row;
  TENON_DETAIL_INDEPENDENT
  for (Index j = 0; j < n; ++j) {
    c[j] = MultiplyAdd(a3, b3[j], MultiplyAdd(a2, b2[j], MultiplyAdd(a1, b1[j], MultiplyAdd(a0, b0[j], c[j]))));
  }
}
template <class T>
TENON_DETAIL_LOOP void AddOneRow(T a, const T* b, T* c, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index j = 0; j < n; ++j) c[j] = MultiplyAdd(a, b[j], c[j]);
}

template <class From, class To>
TENON_DETAIL_LOOP void ConvertRun(const From* from, To* to, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

TENON_DETAIL_LOOPS_END

// The sum of x[i * x_step] y[i], i in [0, n).
template <class T, class Isa = simd::Unit>
T DotProduct(const T* x, Index x_step, const T* y, Index n) {
  T sum = T(0);
  Index i = 0;
  if constexpr (std::is_floating_point_v<T>) {
    using B = simd::Batch<T, Isa>;
    constexpr Index kStep = B::size;
    if (x_step == 1 && n >= kStep) {
      B s0(T(0)), s1(T(0)), s2(T(0)), s3(T(0));
      for (; i + 4 * kStep <= n; i += 4 * kStep) {
        s0 = Fma(B::Load(x + i), B::Load(y + i), s0);
        s1 = Fma(B::Load(x + i + kStep), B::Load(y + i + kStep), s1);
        s2 = Fma(B::Load(x + i + 2 * kStep), B::Load(y + i + 2 * kStep), s2);
        s3 = Fma(B::Load(x + i + 3 * kStep), B::Load(y + i + 3 * kStep), s3);
      }
      for (; i + kStep <= n; i += kStep) s0 = Fma(B::Load(x + i), B::Load(y + i), s0);
      sum = ((s0 + s1) + (s2 + s3)).Sum();
    }
  }
  for (; i < n; ++i) sum = MultiplyAdd(x[i * x_step], y[i], sum);
  return sum;
}

// c[0 .. width * B::size) = one row of a times so many columns of b. Eight sums in registers, so that no addition waits
// for another: of narrow blocks, several for each column.
template <class B, int width>
void RowTimesColumns(const typename B::value_type* a, Index a_col, const typename B::value_type* b, Index b_row,
                     Index k, typename B::value_type* c) {
  using T = typename B::value_type;
  constexpr int kChains = 8 / width;
  B sums[8];
#pragma GCC unroll 8
  for (B& sum : sums) sum = B(T(0));
  Index p = 0;
  for (; p + kChains <= k; p += kChains, a += kChains * a_col, b += kChains * b_row) {
#pragma GCC unroll 8
    for (int chain = 0; chain < kChains; ++chain) {
      const B x(a[chain * a_col]);
#pragma GCC unroll 8
      for (int v = 0; v < width; ++v) {
        B& sum = sums[chain * width + v];
        sum = B::Fma(x, B::Load(b + chain * b_row + v * B::size), sum);
      }
    }
  }
  for (; p < k; ++p, a += a_col, b += b_row) {
#pragma GCC unroll 8
    for (int v = 0; v < width; ++v) sums[v] = B::Fma(B(*a), B::Load(b + v * B::size), sums[v]);
  }
#pragma GCC unroll 8
  for (int v = 0; v < width; ++v) {
    B sum = sums[v];
#pragma GCC unroll 8
    for (int chain = 1; chain < kChains; ++chain) sum = sum + sums[chain * width + v];
    sum.Store(c + v * B::size);
  }
}

// One row of a [k] times b [k, n], for rows of b that lie close together: column blocks, each from top to bottom.
template <class T, class Isa = simd::Unit>
void RowTimesMatrix(const T* a, Index a_col, const T* b, Index b_row, Index k, T* c, Index n) {
  using B = simd::Batch<T, Isa>;
  constexpr Index kLanes = B::size;
  Index j = 0;
  for (; j + 8 * kLanes <= n; j += 8 * kLanes) RowTimesColumns<B, 8>(a, a_col, b + j, b_row, k, c + j);
  for (; j + 4 * kLanes <= n; j += 4 * kLanes) RowTimesColumns<B, 4>(a, a_col, b + j, b_row, k, c + j);
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) RowTimesColumns<B, 2>(a, a_col, b + j, b_row, k, c + j);
  for (; j + kLanes <= n; j += kLanes) RowTimesColumns<B, 1>(a, a_col, b + j, b_row, k, c + j);
  if (j == n) return;
  if (n >= kLanes) {  // the last columns, some of them for the second time
    RowTimesColumns<B, 1>(a, a_col, b + n - kLanes, b_row, k, c + n - kLanes);
  } else if constexpr (kLanes > 1) {
    RowTimesMatrix<T, simd::Narrower<Isa>>(a, a_col, b, b_row, k, c, n);
  }
}

// Rows [row, row_end) and columns [column, column_end) of c, whatever the type: b is read front to back, in pieces of a
// row that stay in the first cache while the rows of a go by. No scratch memory.
template <class T>
void GemmLoops(const GemmArgs<T>& g, Index row, Index row_end, Index column, Index column_end) {
  if (g.b_col != 1) {
    for (Index i = row; i < row_end; ++i) {
      for (Index j = column; j < column_end; ++j) {
        g.c[i * g.c_row + j] = DotProduct(g.a + i * g.a_row, g.a_col, g.b + j * g.b_col, g.k);
      }
    }
    return;
  }
  if constexpr (std::is_floating_point_v<T>) {
    constexpr Index kCloseBytes = 2048;  // from row to row; further apart, every row is another page
    if (g.b_row * Index{sizeof(T)} <= kCloseBytes) {
      for (Index i = row; i < row_end; ++i) {
        RowTimesMatrix(g.a + i * g.a_row, g.a_col, g.b + column, g.b_row, g.k, g.c + i * g.c_row + column,
                       column_end - column);
      }
      return;
    }
  }
  constexpr Index kPiece = static_cast<Index>(4096 / sizeof(T));
  for (; column < column_end; column += kPiece) {
    const Index n = column_end - column < kPiece ? column_end - column : kPiece;
    for (Index i = row; i < row_end; ++i) {
      for (Index j = 0; j < n; ++j) g.c[i * g.c_row + column + j] = T(0);
    }
    for (Index p = 0; p < g.k; p += 4) {
      for (Index i = row; i < row_end; ++i) {
        const T* a = g.a + i * g.a_row + p * g.a_col;
        const T* b = g.b + p * g.b_row + column;
        T* c = g.c + i * g.c_row + column;
        if (p + 4 <= g.k) {
          AddFourRows(a, g.a_col, b, g.b_row, c, n);
        } else {
          for (Index q = 0; q < g.k - p; ++q) AddOneRow(a[q * g.a_col], b + q * g.b_row, c, n);
        }
      }
    }
  }
}

// Splits the longer side of c over the device's threads: body(part, row, row_end, column, column_end).
template <class Body>
void SplitProduct(Cpu& device, Index parts, Index m, Index n, const Body& body) {
  const bool by_rows = m >= n;
  RunParts(device, parts, [&](Index part) {
    constexpr Index kStep = 16;
    const Index begin = PartBegin(by_rows ? m : n, parts, kStep, part),
                end = PartBegin(by_rows ? m : n, parts, kStep, part + 1);
    if (begin < end) body(part, by_rows ? begin : 0, by_rows ? end : m, by_rows ? 0 : begin, by_rows ? n : end);
  });
}

template <class T>
void GemmWithLoops(Cpu& device, const GemmArgs<T>& g, double ns) {
  SplitProduct(device, WorthwhileParts(device, ns), g.m, g.n,
               [&](Index, Index row, Index row_end, Index column, Index column_end) {
                 GemmLoops(g, row, row_end, column, column_end);
               });
}

template <class T>
Status GemmWithEigen(Cpu& device, const GemmArgs<T>& g, double ns) {
  const Index parts = WorthwhileParts(device, ns);
  const Index longest = g.m >= g.n ? g.m : g.n;
  const Index part_size = parts > 1 && longest / parts + 32 < longest ? longest / parts + 32 : longest;
  const EigenProduct<T> product(g.m >= g.n ? part_size : g.m, g.m >= g.n ? g.n : part_size, g.k);
  const std::size_t bytes = product.scratch_bytes();
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  SplitProduct(device, parts, g.m, g.n, [&](Index part, Index row, Index row_end, Index column, Index column_end) {
    T* c = g.c + row * g.c_row + column;
    for (Index i = 0; i < row_end - row; ++i) {
      std::memset(c + i * g.c_row, 0, static_cast<std::size_t>(column_end - column) * sizeof(T));
    }
    using Matrix = typename EigenProduct<T>::Matrix;
    const Matrix a = g.a_col == 1 ? Matrix{g.a + row * g.a_row, g.a_row, false} : Matrix{g.a + row, g.a_col, true};
    const Matrix b =
        g.b_col == 1 ? Matrix{g.b + column, g.b_row, false} : Matrix{g.b + column * g.b_col, g.b_col, true};
    product.Run(row_end - row, column_end - column, g.k, a, b, c, g.c_row,
                scratch.template As<char>(static_cast<std::size_t>(part) * bytes));
  });
  return OkStatus();
}

// A product without empty dimensions.
template <class T>
Status GemmArranged(Cpu& device, const GemmArgs<T>& g) {
  const double products = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  if constexpr (!std::is_floating_point_v<T>) {
    GemmWithLoops(device, g, 0.5 * products);
    return OkStatus();
  } else {
    if (g.n == 1 && g.m > 1) {  // c is a column: the same as a row
      return GemmArranged(device, GemmArgs<T>{1, g.m, g.k, g.b, g.b_col, g.b_row, g.a, g.a_col, g.a_row, g.c, g.m});
    }
    constexpr Index kThin = 4;  // rows; b is read about once, so packing it would cost more than multiplying
    constexpr double kSmall = 8 * 8 * 64;  // products
    if ((g.m <= kThin || products <= kSmall) && (g.b_col == 1 || g.a_col == 1)) {
      GemmWithLoops(device, g, 0.05 * products);
      return OkStatus();
    }
    return GemmWithEigen(device, g, 0.03 * products);
  }
}

// Operands as float, the product rounded once.
template <class T>
Status GemmAsFloat(Cpu& device, const GemmArgs<T>& g) {
  const std::size_t a_bytes = ScratchBytes<float>(g.m * g.k), b_bytes = ScratchBytes<float>(g.k * g.n);
  Scratch scratch(device, a_bytes + b_bytes + ScratchBytes<float>(g.m * g.n));
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  float* a = scratch.As<float>();
  float* b = scratch.As<float>(a_bytes);
  float* c = scratch.As<float>(a_bytes + b_bytes);
  ConvertRun(g.a, a, g.m * g.k);
  ConvertRun(g.b, b, g.k * g.n);
  TENON_RETURN_IF_ERROR(
      GemmArranged(device, GemmArgs<float>{g.m, g.n, g.k, a, g.a_row, g.a_col, b, g.b_row, g.b_col, c, g.n}));
  ConvertRun(c, g.c, g.m * g.n);
  return OkStatus();
}

}  // namespace detail

template <class T>
Status Gemm(Cpu& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> c) {
  const Index m = a.dim(transpose_a ? 1 : 0), k = a.dim(transpose_a ? 0 : 1);
  const Index n = b.dim(transpose_b ? 0 : 1), k_of_b = b.dim(transpose_b ? 1 : 0);
  if (k != k_of_b) return detail::InnerDimensionsDisagree(k, k_of_b);
  if (c.dim(0) != m || c.dim(1) != n) return detail::WrongProductShape(c.shape(), m, n);
  if (m == 0 || n == 0) return OkStatus();
  if (k == 0) {
    for (T& element : c) element = T(0);
    return OkStatus();
  }
  const detail::GemmArgs<T> g{
      m,      n, k, a.data, transpose_a ? 1 : k, transpose_a ? m : 1, b.data, transpose_b ? 1 : n, transpose_b ? k : 1,
      c.data, n};
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return detail::GemmAsFloat(device, g);
  else
    return detail::GemmArranged(device, g);
}

#endif

TENON_NAMESPACE_END
