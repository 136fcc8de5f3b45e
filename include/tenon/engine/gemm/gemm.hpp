// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gemm: the product of two matrices on the CPU, for every number type. float and double are multiplied tile by tile
// (engine/gemm/microkernel.hpp, blocking.hpp, small.hpp), and by loops of their own where there are too few rows for
// that (engine/gemm/gemv.hpp); bfloat16 by instructions of its own where there are some (engine/gemm/bfloat16.hpp);
// half, and bfloat16 elsewhere, as float; integers of 32 bits tile by tile (engine/gemm/integers.hpp); other integers
// and complex numbers by the plain loops here.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/bfloat16.hpp>
#include <tenon/engine/gemm/blocking.hpp>
#include <tenon/engine/gemm/small.hpp>
#include <tenon/engine/gemm/gemv.hpp>
#include <tenon/engine/gemm/integers.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/half_conversion.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/result_epilogue.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// c = a b: [m, k] [k, n] -> [m, n]; a transposed operand is stored as [k, m] or [n, k] (complex numbers are not
// conjugated). Integers wrap around. Zeros where k is 0. InvalidArgument when the inner dimensions disagree. Allocates
// scratch memory from the device for large products. `weights` are of b where it may be the same in every run: used for
// float, double, and bfloat16 by tiles. (nvcc does not compile the definition: another file of the program does.)
template <class T>
Status Gemm(Cpu& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> c,
            PackedWeights* weights = nullptr);

namespace detail {

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

}  // namespace detail

#if !defined(__NVCC__)

namespace detail {

TENON_DETAIL_COLD inline Status InnerDimensionsDisagree(Index a, Index b) {
  return errors::InvalidArgument("MatMul: inner dimensions of 'a' and 'b' must agree, got ", a, " and ", b);
}
TENON_DETAIL_COLD inline Status WrongProductShape(const TensorShape& got, Index m, Index n) {
  return errors::Internal("MatMul: the product has shape [", m, ",", n, "], but its output has ", got.DebugString());
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

// c = a b where b and c have N columns, whose sums stay in registers: the code below takes longer to begin than such a
// product takes.
template <class T, int N>
TENON_DETAIL_LOOP void GemmFewColumns(const GemmKernels&, const GemmArgs<void>& g) {
  for (Index i = 0; i < g.m; ++i) {
    const T* a = static_cast<const T*>(g.a) + i * g.a_row;
    const T* b = static_cast<const T*>(g.b);
    T sums[N] = {};
    for (Index p = 0; p < g.k; ++p, a += g.a_col, b += g.b_row) {
      for (int j = 0; j < N; ++j) sums[j] = MultiplyAdd(*a, b[j * g.b_col], sums[j]);
    }
    T* const c = static_cast<T*>(g.c) + i * g.c_row;
    for (int j = 0; j < N; ++j) c[j] = sums[j];
  }
}

TENON_DETAIL_LOOPS_END

// Rows [row, row_end) and columns [column, column_end) of c, whatever the type: b is read front to back, in pieces of a
// row that stay in the first cache while the rows of a go by; a transposed b by its columns.
template <class T>
void GemmLoops(const GemmArgs<T>& g, Index row, Index row_end, Index column, Index column_end) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 4) {
    const auto* const a = reinterpret_cast<const std::uint32_t*>(g.a) + row * g.a_row;
    const auto* const b = reinterpret_cast<const std::uint32_t*>(g.b) + column * g.b_col;
    auto* const c = reinterpret_cast<std::uint32_t*>(g.c) + row * g.c_row + column;
    return MultiplyWords(
        {a, g.a_row, g.a_col, b, g.b_row, g.b_col, c, g.c_row, row_end - row, column_end - column, g.k});
  }
  if (g.b_col != 1) {
    for (Index i = row; i < row_end; ++i) {
      for (Index j = column; j < column_end; ++j) {
        T sum = T(0);
        for (Index p = 0; p < g.k; ++p) {
          sum = MultiplyAdd(g.a[i * g.a_row + p * g.a_col], g.b[p * g.b_row + j * g.b_col], sum);
        }
        g.c[i * g.c_row + j] = sum;
      }
    }
    return;
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

template <class T>
void GemmWithLoops(Cpu& device, const GemmArgs<T>& g) {
  const double ns = 0.5 * static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  SplitProduct(device, WorthwhileParts(device, ns), g.m, g.n,
               [&](Index row, Index row_end, Index column, Index column_end) {
                 GemmLoops(g, row, row_end, column, column_end);
               });
}

// So few products of elements are not worth a tile.
inline constexpr double kThinProducts = 256;

// Multiplies small matrices of certain sizes and layouts on this thread, without planning. FindSmallProduct returns
// null if the matrices are not small, or a copy of b would lie better.
using SmallProduct = void (*)(const GemmKernels& kernels, const GemmArgs<void>& g);
template <class T>
SmallProduct FindSmallProduct(const GemmKernels& kernels, const GemmArgs<void>& g, bool may_copy) {
  constexpr SmallProduct kFewColumns[] = {&GemmFewColumns<T, 1>, &GemmFewColumns<T, 2>, &GemmFewColumns<T, 3>,
                                          &GemmFewColumns<T, 4>};
  const double products = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  if (products <= kThinProducts) return g.n <= 4 ? kFewColumns[g.n - 1] : nullptr;
  return IsSmallProduct(kernels, g) && (g.b_col == 1 || !may_copy) ? &RunSmallProduct : nullptr;
}

// A product without empty dimensions.
template <class T>
Status GemmArranged(Cpu& device, const GemmArgs<T>& g, [[maybe_unused]] PackedWeights* weights = nullptr) {
  if constexpr (!std::is_floating_point_v<T>) {
    GemmWithLoops(device, g);
    return OkStatus();
  } else {
    if (g.n == 1 && g.m > 1 && g.c_row == 1) {  // c is a column: the same as a row
      Cpu without = device;  // its epilogue is for columns
      without.epilogue = nullptr;
      return GemmArranged(without, GemmArgs<T>{1, g.m, g.k, g.b, g.b_col, g.b_row, g.a, g.a_col, g.a_row, g.c, g.m});
    }
    const GemmKernels& kernels = GemmKernelsOf<T>(g.n);
    const GemmArgs<void> plain{g.m, g.n, g.k, g.a, g.a_row, g.a_col, g.b, g.b_row, g.b_col, g.c, g.c_row};
    if (const SmallProduct run = FindSmallProduct<T>(kernels, plain, weights != nullptr); run != nullptr) {
      run(kernels, plain);
      if (const CpuEpilogue* const epilogue = TakeEpilogue(device); epilogue != nullptr)
        epilogue->run(*epilogue, {g.c, g.c_row, 0, g.m, 0, g.n});
      return OkStatus();
    }
    const double products = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
    constexpr Index kThin = kGemmFewRows - 1;  // b is read about once: copying it would cost more than multiplying
    if (g.m <= kThin || products <= kThinProducts) return RunThinGemm(device, ThinKernelsOf<T>(), g, 0.05 * products);
    return RunGemmBlocks(device, kernels, plain, 0.16 * products / static_cast<double>(kernels.lanes), weights);
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
  constexpr DataType kType = std::is_same_v<T, half> ? DataType::kHalf : DataType::kBfloat16;
  WidenFloats(device, kType, g.a, a, g.m * g.k);
  WidenFloats(device, kType, g.b, b, g.k * g.n);
  TENON_RETURN_IF_ERROR(
      GemmArranged(device, GemmArgs<float>{g.m, g.n, g.k, a, g.a_row, g.a_col, b, g.b_row, g.b_col, c, g.n}));
  NarrowFloats(device, c, kType, g.c, g.m * g.n);
  return OkStatus();
}

}  // namespace detail

template <class T>
Status Gemm(Cpu& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> c,
            [[maybe_unused]] PackedWeights* weights) {
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
  if constexpr (std::is_same_v<T, bfloat16>) {
#if TENON_DETAIL_AMX
    if (detail::FavoursAmx(m, n, k, 2)) return detail::RunAmxBfloat16(device, g, weights);
#endif
    if (const detail::Bfloat16Kernels* const kernels = detail::BestBfloat16Kernels(); kernels != nullptr)
      return detail::RunGemmBfloat16(device, *kernels, g);
  }
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return detail::GemmAsFloat(device, g);
  else
    return detail::GemmArranged(device, g, weights);
}

#endif

TENON_DETAIL_NAMESPACE_END
