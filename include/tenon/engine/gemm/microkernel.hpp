// SPDX-License-Identifier: Apache-2.0
#pragma once
// The innermost part of a matrix product: a tile of c, 6 or 4 rows by a few vectors, is summed up in registers while
// one column of a and one row of b after the other go by. Each step loads the row's vectors once and multiplies them by
// every row's number, so that the processor multiplies more than it loads. The one body is compiled for the unit's
// instruction set, and on x86-64 for those above it; GemmKernelsOf picks one while running. Everything here knows its
// element type by size and function pointer, so that the code around it (engine/gemm/blocking.hpp) is compiled once.

#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>

#if !defined(__NVCC__)  // vectors are for the host's compiler

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// c = a b, or c += a b, for one tile. Distances are in elements. Rows of b lie next to each other in what a tile is
// wide.
struct GemmTile {
  Index k;
  const void* a;
  Index a_row, a_col;
  const void* b;
  Index b_row;
  void* c;
  Index c_row;
  bool add;
  const char* ahead;  // data to prefetch into the cache: one line at each step, two where there are few rows
  Index ahead_step;  // in bytes
  Index last;  // column at which the last vector of a row begins: in a narrower tile it overlaps the one before it
};

// The sides of a tile: rows, many or few, and vectors of a row at most.
inline constexpr Index kGemmRows = 6, kGemmFewRows = 4;
template <class Isa>
inline constexpr int kGemmWidth = simd::kVectorRegisters<Isa> == 32 ? 4 : 2;

// Kernels of one instruction set for one element type.
struct GemmKernels {
  Index size;  // bytes of an element
  Index lanes;  // elements of a vector
  Index width;  // vectors of the widest tile, 2 or 4
  void (*tile[2][4])(const GemmTile&);  // [has few rows][vectors - 1]
  // Copies k rows of a tile's width, `step` bytes apart, so that they lie one behind the other.
  void (*pack[4])(const char* from, Index step, Index k, char* to);  // [vectors - 1]
  // to[c * to_row + r] = from[r * from_row + c]; distances in elements.
  void (*transpose)(const void* from, Index from_row, Index rows, Index columns, void* to, Index to_row);

  // Columns of the next tile where so many are left: as many as the widest has, unless less than a vector would be left
  // then.
  Index ColumnsOfTile(Index left) const {
    const Index most = width * lanes;
    return left <= most ? left : left < most + lanes ? most - lanes : most;
  }
};

// Whether the next tile is one of few rows where so many are left, and it is the first.
constexpr bool TakesFewRows(Index left, bool is_first) {
  return left <= kGemmFewRows || left == 7 || left == 8 || (left == 5 && is_first);
}

#if defined(__GNUC__)

// Vectors stay inside of the functions that use them: as parameters, their passing would depend on compiler flags.
template <class T, int bytes>
struct GnuVector {
  typedef T type __attribute__((vector_size(bytes)));
  typedef T in_memory __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
  static constexpr int lanes = bytes / static_cast<int>(sizeof(T));
};

template <class T, int bytes, int rows, int width>
TENON_HD void MultiplyTile(const GemmTile& t) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr int kLanes = GnuVector<T, bytes>::lanes;
  const T* a = static_cast<const T*>(t.a);
  const T* b = static_cast<const T*>(t.b);
  T* const c = static_cast<T*>(t.c);
  const char* ahead = t.ahead;
  const Index a_row = t.a_row, a_col = t.a_col, b_row = t.b_row, c_row = t.c_row, ahead_step = t.ahead_step;
  Index column[width];  // first column of each vector
#pragma GCC unroll 4
  for (int v = 0; v < width; ++v) column[v] = v + 1 < width ? v * kLanes : t.last;
  V sums[rows][width];
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * c_row);
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v] = V{};
  }
  for (Index p = t.k; p > 0; --p, a += a_col, b += b_row, ahead += ahead_step) {
    __builtin_prefetch(ahead, 0, 2);  // into the second cache: the first has no room for distant data
    if constexpr (rows < kGemmRows) __builtin_prefetch(ahead + 64, 0, 2);
    V y[width];
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) y[v] = *reinterpret_cast<const InMemory*>(b + column[v]);
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
      const T x = a[i * a_row];
#pragma GCC unroll 4
      for (int v = 0; v < width; ++v) sums[i][v] += x * y[v];
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
    T* const to = c + i * c_row;
    if (t.add) {  // all of a row is read before any of it is written
#pragma GCC unroll 4
      for (int v = 0; v < width; ++v) sums[i][v] += *reinterpret_cast<const InMemory*>(to + column[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) *reinterpret_cast<InMemory*>(to + column[v]) = sums[i][v];
  }
}

template <int bytes>
TENON_HD void PackRows(const char* from, Index step, Index k, char* to) {
  for (; k > 0; --k, from += step, to += bytes) __builtin_memcpy(to, from, bytes);
}

// Squares of 16 bytes a side at a time.
template <class U>
void TransposeInto(const void* from_data, Index from_row, Index rows, Index columns, void* to_data, Index to_row) {
  using V = typename GnuVector<U, 16>::in_memory;
  constexpr Index kSide = GnuVector<U, 16>::lanes;
  const U* const from = static_cast<const U*>(from_data);
  U* const to = static_cast<U*>(to_data);
  Index r = 0;
  for (; r + kSide <= rows; r += kSide) {
    const U* x = from + r * from_row;
    U* y = to + r;
    Index c = 0;
    for (; c + kSide <= columns; c += kSide, x += kSide, y += kSide * to_row) {
      const auto row = [&](Index i) -> const V& { return *reinterpret_cast<const V*>(x + i * from_row); };
      const auto column = [&](Index i) -> V& { return *reinterpret_cast<V*>(y + i * to_row); };
      if constexpr (sizeof(U) == 4) {
        const V even01 = __builtin_shufflevector(row(0), row(1), 0, 4, 2, 6),
                odd01 = __builtin_shufflevector(row(0), row(1), 1, 5, 3, 7),
                even23 = __builtin_shufflevector(row(2), row(3), 0, 4, 2, 6),
                odd23 = __builtin_shufflevector(row(2), row(3), 1, 5, 3, 7);
        column(0) = __builtin_shufflevector(even01, even23, 0, 1, 4, 5);
        column(1) = __builtin_shufflevector(odd01, odd23, 0, 1, 4, 5);
        column(2) = __builtin_shufflevector(even01, even23, 2, 3, 6, 7);
        column(3) = __builtin_shufflevector(odd01, odd23, 2, 3, 6, 7);
      } else {
        column(0) = __builtin_shufflevector(row(0), row(1), 0, 2);
        column(1) = __builtin_shufflevector(row(0), row(1), 1, 3);
      }
    }
    for (; c < columns; ++c, ++x, y += to_row) {
      for (Index i = 0; i < kSide; ++i) y[i] = x[i * from_row];
    }
  }
  for (; r < rows; ++r) {
    for (Index c = 0; c < columns; ++c) to[c * to_row + r] = from[r * from_row + c];
  }
}

// The bodies as functions of an instruction set.
template <class T, class Isa>
struct TileOf {
  template <int rows, int width>
  static void Multiply(const GemmTile& t) {
    MultiplyTile<T, simd::kVectorBytes<Isa>, rows, width>(t);
  }
  template <int width>
  static void Pack(const char* from, Index step, Index k, char* to) {
    PackRows<simd::kVectorBytes<Isa> * width>(from, step, k, to);
  }
};
#if TENON_DETAIL_TARGETS
template <class T>
struct TileOf<T, simd::Targeted<simd::isa::Avx2>> {
  template <int rows, int width>
  TENON_DETAIL_TARGET_AVX2 static void Multiply(const GemmTile& t) {
    MultiplyTile<T, 32, rows, width>(t);
  }
  template <int width>
  TENON_DETAIL_TARGET_AVX2 static void Pack(const char* from, Index step, Index k, char* to) {
    PackRows<32 * width>(from, step, k, to);
  }
};
template <class T>
struct TileOf<T, simd::Targeted<simd::isa::Avx512>> {
  template <int rows, int width>
  TENON_DETAIL_TARGET_AVX512 static void Multiply(const GemmTile& t) {
    MultiplyTile<T, 64, rows, width>(t);
  }
  template <int width>
  TENON_DETAIL_TARGET_AVX512 static void Pack(const char* from, Index step, Index k, char* to) {
    PackRows<64 * width>(from, step, k, to);
  }
};
#endif

template <class T, class Isa>
constexpr GemmKernels MakeGemmKernels() {
  using Of = TileOf<T, Isa>;
  GemmKernels kernels{sizeof(T),
                      simd::kVectorBytes<Isa> / sizeof(T),
                      kGemmWidth<Isa>,
                      {{&Of::template Multiply<kGemmRows, 1>, &Of::template Multiply<kGemmRows, 2>},
                       {&Of::template Multiply<kGemmFewRows, 1>, &Of::template Multiply<kGemmFewRows, 2>}},
                      {&Of::template Pack<1>, &Of::template Pack<2>},
                      &TransposeInto<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>};
  if constexpr (kGemmWidth<Isa> == 4) {
    kernels.tile[0][2] = &Of::template Multiply<kGemmRows, 3>;
    kernels.tile[0][3] = &Of::template Multiply<kGemmRows, 4>;
    kernels.tile[1][2] = &Of::template Multiply<kGemmFewRows, 3>;
    kernels.tile[1][3] = &Of::template Multiply<kGemmFewRows, 4>;
    kernels.pack[2] = &Of::template Pack<3>;
    kernels.pack[3] = &Of::template Pack<4>;
  }
  return kernels;
}
template <class T, class Isa>
inline constexpr GemmKernels kGemmKernels = MakeGemmKernels<T, Isa>();

// For T = float and double, the best that this processor has for products of so many columns: shorter vectors where
// they do not fill one of the longest.
template <class T, class Isa = simd::Compiled>
const GemmKernels& GemmKernelsOf([[maybe_unused]] Index columns) {
#if TENON_DETAIL_TARGETS
  if (columns * Index{sizeof(T)} < 64) {
    if constexpr (std::is_same_v<Isa, simd::isa::Avx512>) return kGemmKernels<T, simd::isa::Avx2>;
    if constexpr (!std::is_same_v<Isa, simd::isa::Avx2>) {
      if (simd::BestLevel() == simd::Level::kAvx512) return kGemmKernels<T, simd::Targeted<simd::isa::Avx2>>;
    }
  }
  if constexpr (!std::is_same_v<Isa, simd::isa::Avx512>) {
    const simd::Level level = simd::BestLevel();
    if (level == simd::Level::kAvx512) return kGemmKernels<T, simd::Targeted<simd::isa::Avx512>>;
    if constexpr (!std::is_same_v<Isa, simd::isa::Avx2>) {
      if (level == simd::Level::kAvx2) return kGemmKernels<T, simd::Targeted<simd::isa::Avx2>>;
    }
  }
#endif
  return kGemmKernels<T, Isa>;
}

#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // !__NVCC__
