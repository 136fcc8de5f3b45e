// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of matrices of 8-bit integers, summed in 32 bits, as quantized networks need them. AMX multiplies tiles
// whose bytes have any sign. AVX-512 VNNI multiplies four unsigned by four signed bytes and adds all to a 32-bit sum,
// AVX2 two pairs of 16 bits. With VNNI, operands of the other sign are moved by 128, and what that adds to a sum - a
// multiple of the row's or the column's own sum - is taken off again, together with the zero points.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/amx.hpp>
#include <tenon/engine/gemm/amx_product.hpp>
#include <tenon/engine/gemm/dot4.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/amx.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A matrix of int8 or uint8, element [i, j] at data[i * row + j * column]; it stands for the numbers less `zero`.
struct Int8Matrix {
  const void* data;
  bool is_signed;
  Index row, column;
  std::int32_t zero = 0;
};

namespace detail {

using Int8Tile = GroupTile<std::int32_t>;
using Int8Kernels = GroupKernels<std::int32_t>;

struct Int8Plain {
  static void Tile(const Int8Tile& t) {
    for (Index i = 0; i < 4; ++i) {
      std::int32_t sums[8] = {};
      for (Index g = 0; g < t.groups; ++g) {
        std::int16_t a[2], b[16];
        std::memcpy(a, t.a + i * t.a_row + g * 4, sizeof a);
        std::memcpy(b, t.b + g * 32, sizeof b);
        for (Index j = 0; j < 8; ++j) sums[j] += a[0] * b[2 * j] + a[1] * b[2 * j + 1];
      }
      std::int32_t* const c = t.c + i * t.c_row;
      for (Index j = 0; j < 8; ++j) {
        const auto before = static_cast<std::uint32_t>(t.add ? c[j] : 0);
        c[j] = static_cast<std::int32_t>(before + static_cast<std::uint32_t>(sums[j]));
      }
    }
  }
  static constexpr Int8Kernels kKernels = {4, 8, 2, &Tile};
};

#if TENON_DETAIL_TARGETS
struct Int8Avx2 {
  TENON_DETAIL_TARGET_AVX2 static void Tile(const Int8Tile& t) {
    constexpr int kRows = 6, kVectors = 2, kLanes = 8;
    using Sums = GnuVector<std::uint32_t, 32>;
    using Groups = GnuVector<std::int32_t, 32>;
    using Pairs = GnuVector<std::int16_t, 32>;
    Sums::type sums[kRows][kVectors];
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) sums[i][0] = sums[i][1] = Sums::type{};
    const char *a = t.a, *b = t.b;
    for (Index g = t.groups; g > 0; --g, a += 4, b += kVectors * kLanes * 4) {
      const Pairs::type y0 = *reinterpret_cast<const Pairs::in_memory*>(b),
                        y1 = *reinterpret_cast<const Pairs::in_memory*>(b + 32);
#pragma GCC unroll 6
      for (int i = 0; i < kRows; ++i) {
        const Groups::type group = LoadGroup(a + i * t.a_row) - Groups::type{};
        const auto x = reinterpret_cast<Pairs::type>(group);
        sums[i][0] += reinterpret_cast<Sums::type>(__builtin_ia32_pmaddwd256(x, y0));
        sums[i][1] += reinterpret_cast<Sums::type>(__builtin_ia32_pmaddwd256(x, y1));
      }
    }
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        auto* const to = reinterpret_cast<Sums::in_memory*>(t.c + i * t.c_row + v * kLanes);
        *to = t.add ? sums[i][v] + *to : sums[i][v];
      }
    }
  }
  static constexpr Int8Kernels kKernels = {6, 16, 2, &Tile};
};

// By the instruction's name, as in engine/gemm/bfloat16.hpp.
struct Int8Dot {
  using Sums = GnuVector<std::uint32_t, 64>;
  static constexpr Index in_group = 4;
  TENON_DETAIL_TARGET_AVX512 TENON_DETAIL_ALWAYS_INLINE static void Add(Sums::type& sums,
                                                                        const GnuVector<std::int32_t, 64>::type& x,
                                                                        const GnuVector<std::int32_t, 64>::type& y) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sums) : "v"(x), "v"(y));
  }
};
using Int8Vnni = GroupTileAvx512<std::int32_t, Int8Dot>;
#endif

// Returns the best kernels that this processor can run.
inline const Int8Kernels& BestInt8Kernels() {
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() == simd::Level::kAvx512 && __builtin_cpu_supports("avx512vnni")) return Int8Vnni::kKernels;
  if (simd::BestLevel() != simd::Level::kUnit) return Int8Avx2::kKernels;
#endif
  return Int8Plain::kKernels;
}

// With the sums of the rows and columns. All sums wrap around: they are unsigned where C++ would not let them.
class Int8Product : public GroupProduct<Int8Product, std::int32_t> {
 public:
  Int8Product(const Int8Kernels& kernels, Index m, Index n, Index k, const Int8Matrix& a, const Int8Matrix& b,
              std::int32_t* c, Index c_row)
      : GroupProduct(kernels, m, n, k, c, c_row), a_(a), b_(b) {
    // Bytes are multiplied unsigned by signed.
    if (kernels.in_group == 4) {
      a_moved_ = a.is_signed ? 128 : 0;
      b_moved_ = b.is_signed ? 0 : -128;
    }
    a_zero_ = Unsigned(a.zero) + Unsigned(a_moved_);
    b_zero_ = Unsigned(b.zero) + Unsigned(b_moved_);
  }

  std::size_t sums_bytes() const { return row_sums_bytes() + ScratchBytes<std::uint32_t>(panels() * kernels_.columns); }
  void SetSums(char* sums) {
    row_sums_ = reinterpret_cast<std::uint32_t*>(sums);
    column_sums_ = reinterpret_cast<std::uint32_t*>(sums + row_sums_bytes());
  }

  // The sum of (a' - a_zero) (b' - b_zero) from that of a' b'.
  bool Finishes() const { return a_zero_ != 0 || b_zero_ != 0; }
  std::int32_t Finish(Index i, Index j, std::int32_t sum) const {
    return static_cast<std::int32_t>(Unsigned(sum) - b_zero_ * row_sums_[i] - a_zero_ * column_sums_[j] +
                                     Unsigned(k_) * a_zero_ * b_zero_);
  }
  static std::int32_t Add(std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(Unsigned(a) + Unsigned(b));
  }

  // A row, and its sum.
  void PackRow(Index i, char* to) const {
    const auto* const from = static_cast<const unsigned char*>(a_.data) + i * a_.row;
    if (kernels_.in_group == 4)
      row_sums_[i] = MoveBytes(from, a_.column, a_moved_, reinterpret_cast<unsigned char*>(to), k_);
    else
      row_sums_[i] = WidenBytes(from, a_.column, a_.is_signed, reinterpret_cast<std::int16_t*>(to), k_);
  }

  // The columns of a panel, and, where they count, their sums.
  void PackPanel(Index panel) const {
    const Index first = panel * kernels_.columns, count = n_ - first < kernels_.columns ? n_ - first : kernels_.columns;
    char* to = PackedPanel(panel);
    std::uint32_t sums[kMostColumns] = {};
    alignas(64) unsigned char copies[4][kMostColumns] = {};
    for (Index p = 0; p < k_; p += kernels_.in_group, to += kernels_.columns * 4) {
      const unsigned char* rows[4];
      for (Index q = 0; q < kernels_.in_group; ++q) {
        rows[q] = copies[q];
        if (p + q >= k_) {  // what b is moved by is taken off again
          std::memset(copies[q], b_moved_ == 0 ? 0 : 0x80, sizeof copies[q]);
          continue;
        }
        const auto* const from = static_cast<const unsigned char*>(b_.data) + (p + q) * b_.row + first * b_.column;
        if (b_.column == 1 && count == kernels_.columns)
          rows[q] = from;
        else
          for (Index j = 0; j < count; ++j) copies[q][j] = from[j * b_.column];
      }
      if (kernels_.in_group == 4)
        WeaveFour(rows, b_moved_ == 0 ? 0 : 0x80, reinterpret_cast<unsigned char*>(to), kernels_.columns);
      else
        WeaveTwo(rows, b_.is_signed ? 0x80 : 0, reinterpret_cast<std::int16_t*>(to), kernels_.columns);
      if (a_zero_ == 0) continue;
      if (kernels_.in_group == 4)
        AddGroups<signed char, 4>(reinterpret_cast<const signed char*>(to), sums, kernels_.columns);
      else
        AddGroups<std::int16_t, 2>(reinterpret_cast<const std::int16_t*>(to), sums, kernels_.columns);
    }
    std::memcpy(column_sums_ + first, sums, static_cast<std::size_t>(kernels_.columns) * sizeof sums[0]);
  }

 private:
  std::size_t row_sums_bytes() const { return ScratchBytes<std::uint32_t>(row_tiles() * kernels_.rows); }

  TENON_DETAIL_LOOPS_BEGIN

  static TENON_DETAIL_LOOP std::uint32_t MoveBytes(const unsigned char* from, Index step, int moved, unsigned char* to,
                                                   Index n) {
    const auto flip = static_cast<unsigned char>(moved == 0 ? 0 : 0x80);
    std::uint32_t sum = 0;
    if (step == 1) {
      for (Index i = 0; i < n; ++i) {
        to[i] = static_cast<unsigned char>(from[i] ^ flip);
        sum += to[i];
      }
    } else {
      for (Index i = 0; i < n; ++i) {
        to[i] = static_cast<unsigned char>(from[i * step] ^ flip);
        sum += to[i];
      }
    }
    return sum;
  }
  static TENON_DETAIL_LOOP std::uint32_t WidenBytes(const unsigned char* from, Index step, bool is_signed,
                                                    std::int16_t* to, Index n) {
    const int flip = is_signed ? 0x80 : 0;  // sign bit of two's complement: (x ^ 128) - 128
    std::uint32_t sum = 0;
    for (Index i = 0; i < n; ++i) {
      to[i] = static_cast<std::int16_t>((from[i * step] ^ flip) - flip);
      sum += Unsigned(to[i]);
    }
    return sum;
  }
  // to[4 j + q] = rows[q][j], with some bits flipped.
  static TENON_DETAIL_LOOP void WeaveFour(const unsigned char* const* rows, int flip, unsigned char* to,
                                          Index columns) {
    const unsigned char *const a = rows[0], *const b = rows[1], *const c = rows[2], *const d = rows[3];
    const auto bits = static_cast<unsigned char>(flip);
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < columns; ++j) {
      to[4 * j] = a[j] ^ bits;
      to[4 * j + 1] = b[j] ^ bits;
      to[4 * j + 2] = c[j] ^ bits;
      to[4 * j + 3] = d[j] ^ bits;
    }
  }
  static TENON_DETAIL_LOOP void WeaveTwo(const unsigned char* const* rows, int flip, std::int16_t* to, Index columns) {
    const unsigned char *const a = rows[0], *const b = rows[1];
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < columns; ++j) {
      to[2 * j] = static_cast<std::int16_t>((a[j] ^ flip) - flip);
      to[2 * j + 1] = static_cast<std::int16_t>((b[j] ^ flip) - flip);
    }
  }
  // sums[j] += the numbers of group j.
  template <class I, int size>
  static TENON_DETAIL_LOOP void AddGroups(const I* groups, std::uint32_t* sums, Index columns) {
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < columns; ++j) {
      for (int q = 0; q < size; ++q) sums[j] += Unsigned(groups[size * j + q]);
    }
  }

  TENON_DETAIL_LOOPS_END

  template <class I>
  static std::uint32_t Unsigned(I x) {
    return static_cast<std::uint32_t>(x);
  }

  const Int8Matrix a_, b_;
  int a_moved_ = 0, b_moved_ = 0;  // numbers that were added to the elements
  std::uint32_t a_zero_, b_zero_;
  std::uint32_t *row_sums_ = nullptr, *column_sums_ = nullptr;
};

inline Status RunGemmInt8(Cpu& device, const Int8Kernels& kernels, Index m, Index n, Index k, const Int8Matrix& a,
                          const Int8Matrix& b, std::int32_t* c, Index c_row) {
  if (m == 0 || n == 0) return OkStatus();
  if (k == 0) {
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) c[i * c_row + j] = 0;
    }
    return OkStatus();
  }
  Int8Product product(kernels, m, n, k, a, b, c, c_row);
  Scratch scratch(device, product.a_bytes() + product.b_bytes() + product.sums_bytes());
  TENON_RETURN_IF_ERROR(scratch.status("GemmInt8"));
  product.SetSums(scratch.As<char>(product.a_bytes() + product.b_bytes()));
  product.Run(device, scratch.As<char>(), scratch.As<char>(product.a_bytes()));
  return OkStatus();
}

#if TENON_DETAIL_AMX

// Tiles of a and of b are signed, or not.
template <bool a_signed, bool b_signed>
struct AmxInt8Dot {
  template <int c, int a, int b>
  static TENON_HD void Add() {
    if constexpr (a_signed && b_signed)
      asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(c), "i"(a), "i"(b));
    else if constexpr (a_signed)
      asm volatile("tdpbsud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(c), "i"(a), "i"(b));
    else if constexpr (b_signed)
      asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(c), "i"(a), "i"(b));
    else
      asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(c), "i"(a), "i"(b));
  }
};
inline const AmxKernel (&AmxInt8Kernels(bool a_signed, bool b_signed))[2][2] {
  if (a_signed) return b_signed ? AmxKernels<AmxInt8Dot<true, true>>::kAll : AmxKernels<AmxInt8Dot<true, false>>::kAll;
  return b_signed ? AmxKernels<AmxInt8Dot<false, true>>::kAll : AmxKernels<AmxInt8Dot<false, false>>::kAll;
}

// Sums of 8-bit integers, by four at a time: products with 1.
class AmxInt8Sums {
 public:
  // Sums of 16 columns over the tiles of a panel of b.
  TENON_DETAIL_TARGET_AVX512 static void Columns(const char* tiles, Index steps, bool is_signed, std::uint32_t* to) {
    Sums::type sums = {};
    for (Index i = 0; i < steps * kAmxLines; ++i) Add(sums, tiles + i * kAmxStep, is_signed);
    *reinterpret_cast<Sums::in_memory*>(to) = sums;
  }
  // The sum of k numbers that lie `step` apart.
  TENON_DETAIL_TARGET_AVX512 static std::uint32_t Row(const char* from, Index step, Index k, bool is_signed) {
    std::uint32_t sum = 0;
    Index p = 0;
    if (step == 1 && k >= kAmxStep) {
      Sums::type sums = {};
      for (; p + kAmxStep <= k; p += kAmxStep) Add(sums, from + p, is_signed);
      for (int l = 0; l < 16; ++l) sum += sums[l];
    }
    for (; p < k; ++p) {
      const auto byte = static_cast<unsigned char>(from[p * step]);
      sum += is_signed ? static_cast<std::uint32_t>(static_cast<signed char>(byte)) : byte;
    }
    return sum;
  }

 private:
  using Sums = Int8Dot::Sums;
  using Groups = GnuVector<std::int32_t, 64>;
  using Bytes = GnuVector<unsigned char, 64>;  // anywhere
  TENON_DETAIL_TARGET_AVX512 static TENON_HD void Add(Sums::type& sums, const char* groups, bool is_signed) {
    const Bytes::type bytes = *reinterpret_cast<const Bytes::in_memory*>(groups);
    const auto x = reinterpret_cast<Groups::type>(bytes), ones = 0x01010101 - Groups::type{};
    if (is_signed)
      Int8Dot::Add(sums, ones, x);
    else
      Int8Dot::Add(sums, x, ones);
  }
};

class AmxInt8Product final : public AmxProduct {
 public:
  AmxInt8Product(Index m, Index n, Index k, const Int8Matrix& a, const Int8Matrix& b, std::int32_t* c, Index c_row)
      : AmxProduct(AmxInt8Kernels(a.is_signed, b.is_signed), m,
                   {static_cast<const char*>(b.data), b.column, b.row, n, k, 1}),
        a_({static_cast<const char*>(a.data), a.row, a.column, m, k, 1}, n),
        left_{static_cast<const char*>(a.data), a.row, a.column, m, k, 1},
        a_zero_(static_cast<std::uint32_t>(a.zero)),
        b_zero_(static_cast<std::uint32_t>(b.zero)),
        a_signed_(a.is_signed),
        b_signed_(b.is_signed),
        c_(c),
        c_row_(c_row) {}

  // Sums of the rows and of the columns, where the other operand's zero point makes them count.
  std::size_t sums_bytes() const {
    return row_sums_bytes() + ScratchBytes<std::uint32_t>(a_zero_ == 0 ? 0 : panels() * kAmxLines);
  }
  // `packed`: b, from PackAll.
  void AddUp(Cpu& device, const char* packed, char* sums) {
    auto* const rows = reinterpret_cast<std::uint32_t*>(sums);
    auto* const columns = reinterpret_cast<std::uint32_t*>(sums + row_sums_bytes());
    row_sums_ = rows;
    column_sums_ = columns;
    const double depth = static_cast<double>(left_.k);
    if (b_zero_ != 0) {
      ParallelFor(device, m_, 0.02 * depth, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) rows[i] = AmxInt8Sums::Row(left_.At(i, 0), left_.along, left_.k, a_signed_);
      });
    }
    if (a_zero_ != 0) {
      ParallelFor(device, panels(), 0.3 * depth, [&](Index begin, Index end) {
        for (Index j = begin; j < end; ++j)
          AmxInt8Sums::Columns(packed + j * steps_ * kAmxTile, steps_, b_signed_, columns + j * kAmxLines);
      });
    }
  }

 private:
  std::size_t row_sums_bytes() const { return ScratchBytes<std::uint32_t>(b_zero_ == 0 ? 0 : m_); }
  Rows FindRows(Index i, char* copy) const override { return a_.Find<Rows>(i, copy); }
  char* Place(Index i, Index j, Index* row) const override {
    if ((a_zero_ | b_zero_) != 0) return nullptr;
    *row = c_row_ * 4;
    return reinterpret_cast<char*>(c_ + i * c_row_ + j);
  }
  // The sum of (a - a_zero) (b - b_zero) from that of a b.
  void Store(Index i, Index j, Index rows, Index columns, const char* sums, Index sums_row) const override {
    for (Index r = 0; r < rows; ++r, sums += sums_row) {
      const auto* const from = reinterpret_cast<const std::uint32_t*>(sums);
      std::int32_t* const to = c_ + (i + r) * c_row_ + j;
      if ((a_zero_ | b_zero_) == 0) {
        std::memcpy(to, from, static_cast<std::size_t>(columns) * 4);
        continue;
      }
      const std::uint32_t of_row =
          (b_zero_ == 0 ? 0 : b_zero_ * row_sums_[i + r]) - static_cast<std::uint32_t>(left_.k) * a_zero_ * b_zero_;
      if (a_zero_ == 0)
        Correct(from, of_row, columns, to);
      else
        Correct(from, of_row, a_zero_, column_sums_ + j, columns, to);
    }
  }

  TENON_DETAIL_LOOPS_BEGIN
  static TENON_DETAIL_LOOP void Correct(const std::uint32_t* from, std::uint32_t of_row, Index n, std::int32_t* to) {
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < n; ++j) to[j] = static_cast<std::int32_t>(from[j] - of_row);
  }
  static TENON_DETAIL_LOOP void Correct(const std::uint32_t* from, std::uint32_t of_row, std::uint32_t a_zero,
                                        const std::uint32_t* columns, Index n, std::int32_t* to) {
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < n; ++j) to[j] = static_cast<std::int32_t>(from[j] - of_row - a_zero * columns[j]);
  }
  TENON_DETAIL_LOOPS_END

  const AmxRows a_;
  const AmxMatrix left_;
  const std::uint32_t a_zero_, b_zero_;
  const bool a_signed_, b_signed_;
  std::int32_t* const c_;
  const Index c_row_;
  const std::uint32_t *row_sums_ = nullptr, *column_sums_ = nullptr;
};

inline Status RunAmxInt8(Cpu& device, Index m, Index n, Index k, const Int8Matrix& a, const Int8Matrix& b,
                         std::int32_t* c, Index c_row) {
  AmxInt8Product product(m, n, k, a, b, c, c_row);
  const std::size_t packed_bytes = product.packed_bytes();
  Scratch scratch(device, packed_bytes + product.sums_bytes());
  TENON_RETURN_IF_ERROR(scratch.status("GemmInt8"));
  const char* const packed = product.PackAll(device, scratch.As<char>());
  product.AddUp(device, packed, scratch.As<char>(packed_bytes));
  return product.Run(device, packed, "GemmInt8");
}
#endif

}  // namespace detail

// c[i, j] = the sum over p of (a[i, p] - a.zero) (b[p, j] - b.zero): [m, k] [k, n] -> [m, n], c's rows `c_row` apart.
// Sums wrap around beyond 32 bits. Zeros where k is 0. Exact, so the same on every machine and for any number of
// threads. ResourceExhausted without scratch memory for a copy of both operands.
inline Status GemmInt8(Cpu& device, Index m, Index n, Index k, const Int8Matrix& a, const Int8Matrix& b,
                       std::int32_t* c, Index c_row) {
#if TENON_DETAIL_AMX
  if (detail::FavoursAmx(m, n, k, 1)) return detail::RunAmxInt8(device, m, n, k, a, b, c, c_row);
#endif
  return detail::RunGemmInt8(device, detail::BestInt8Kernels(), m, n, k, a, b, c, c_row);
}

TENON_DETAIL_NAMESPACE_END
