// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of bfloat16 matrices on processors that multiply pairs of them and add both to a float: by tiles (AMX), or
// by vectors (AVX-512 BF16) where that is all there is. Neither operand is widened. Elsewhere Gemm computes them as
// float.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/amx.hpp>
#include <tenon/engine/gemm/amx_product.hpp>
#include <tenon/engine/gemm/blocking.hpp>
#include <tenon/engine/gemm/dot4.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/amx.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/half_conversion.hpp>

#if !defined(__NVCC__)  // vectors are for the host's compiler

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

using Bfloat16Kernels = GroupKernels<float>;

#if TENON_DETAIL_TARGETS
// The instruction by its name: the compilers' function for it needs <immintrin.h>, which is as much to compile as all
// engines here.
struct Bfloat16Dot {
  using Sums = GnuVector<float, 64>;
  static constexpr Index in_group = 2;
  TENON_DETAIL_TARGET_AVX512 TENON_DETAIL_ALWAYS_INLINE static void Add(Sums::type& sums,
                                                                        const GnuVector<std::int32_t, 64>::type& x,
                                                                        const GnuVector<std::int32_t, 64>::type& y) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(x), "v"(y));
  }
};
using Bfloat16Avx512 = GroupTileAvx512<float, Bfloat16Dot>;
#endif

// Null where the processor has no such instruction.
inline const Bfloat16Kernels* FindBfloat16Kernels() {
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() == simd::Level::kAvx512 && __builtin_cpu_supports("avx512bf16"))
    return &Bfloat16Avx512::kKernels;
#endif
  return nullptr;
}
// Null, too, where products of float are faster: processors with tiles take two cycles for each such vector.
inline const Bfloat16Kernels* BestBfloat16Kernels() {
#if TENON_DETAIL_AMX
  static const Bfloat16Kernels* const best = simd::detail::ProcessorHasAmx() ? nullptr : FindBfloat16Kernels();
  return best;
#else
  return FindBfloat16Kernels();
#endif
}

class Bfloat16Product : public GroupProduct<Bfloat16Product, float> {
 public:
  Bfloat16Product(const Bfloat16Kernels& kernels, const GemmArgs<bfloat16>& g, float* c)
      : GroupProduct(kernels, g.m, g.n, g.k, c, g.n), g_(g) {}

  void PackRow(Index i, char* to) const { CopyRun(g_.a + i * g_.a_row, g_.a_col, to, k_); }

  void PackPanel(Index panel) const {
    const Index first = panel * kernels_.columns, count = n_ - first < kernels_.columns ? n_ - first : kernels_.columns;
    char* to = PackedPanel(panel);
    alignas(64) bfloat16 copies[2][kMostColumns] = {};
    for (Index p = 0; p < k_; p += 2, to += kernels_.columns * 4) {
      const bfloat16* rows[2];
      for (Index q = 0; q < 2; ++q) {
        rows[q] = copies[q];
        if (p + q >= k_)
          std::memset(static_cast<void*>(copies[q]), 0, sizeof copies[q]);
        else if (g_.b_col == 1 && count == kernels_.columns)
          rows[q] = g_.b + (p + q) * g_.b_row + first;
        else
          CopyRun(g_.b + (p + q) * g_.b_row + first * g_.b_col, g_.b_col, reinterpret_cast<char*>(copies[q]), count);
      }
      Weave(reinterpret_cast<const char*>(rows[0]), reinterpret_cast<const char*>(rows[1]), to, kernels_.columns);
    }
  }

  bool Finishes() const { return false; }
  float Finish(Index, Index, float sum) const { return sum; }
  static float Add(float a, float b) { return a + b; }

 private:
  // n numbers, `step` apart, as bytes.
  static void CopyRun(const bfloat16* from, Index step, char* to, Index n) {
    if (step == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(n) * 2);
      return;
    }
    for (Index i = 0; i < n; ++i) std::memcpy(to + 2 * i, from + i * step, 2);
  }

  TENON_DETAIL_LOOPS_BEGIN

  // Pairs of numbers of two rows.
  static TENON_DETAIL_LOOP void Weave(const char* a, const char* b, char* to, Index columns) {
    TENON_DETAIL_INDEPENDENT
    for (Index j = 0; j < columns; ++j) {
      std::uint16_t x, y;
      __builtin_memcpy(&x, a + 2 * j, 2);
      __builtin_memcpy(&y, b + 2 * j, 2);
      const std::uint32_t pair = x | static_cast<std::uint32_t>(y) << 16;
      __builtin_memcpy(to + 4 * j, &pair, 4);
    }
  }

  TENON_DETAIL_LOOPS_END

  const GemmArgs<bfloat16> g_;
};

// c = a b with sums in float, each rounded once; g.c_row is g.n. No empty dimensions.
inline Status RunGemmBfloat16(Cpu& device, const Bfloat16Kernels& kernels, const GemmArgs<bfloat16>& g) {
  const std::size_t c_bytes = ScratchBytes<float>(g.m * g.n);
  Bfloat16Product sizes(kernels, g, nullptr);
  Scratch scratch(device, c_bytes + sizes.a_bytes() + sizes.b_bytes());
  TENON_RETURN_IF_ERROR(scratch.status("MatMul"));
  float* const c = scratch.As<float>();
  Bfloat16Product(kernels, g, c).Run(device, scratch.As<char>(c_bytes), scratch.As<char>(c_bytes + sizes.a_bytes()));
  NarrowFloats(device, c, DataType::kBfloat16, g.c, g.m * g.n);
  return OkStatus();
}

#if TENON_DETAIL_AMX
struct AmxBfloat16Dot {
  template <int c, int a, int b>
  static TENON_HD void Add() {
    asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(c), "i"(a), "i"(b));
  }
};

// Rows of up to 32 sums rounded to the nearest bfloat16. Tiles make no subnormal sums, which the instruction would make
// zero.
class AmxToBfloat16 {
 public:
  static void Round(const char* from, Index from_row, Index rows, Index columns, bfloat16* to, Index to_row) {
    if (columns == 2 * kAmxLines) return RoundWhole(from, from_row, rows, to, to_row);
    bfloat16 all[2 * kAmxLines];
    for (; rows > 0; --rows, from += from_row, to += to_row) {
      RoundWhole(from, from_row, 1, all, 0);
      std::memcpy(static_cast<void*>(to), all, static_cast<std::size_t>(columns) * 2);
    }
  }

 private:
  TENON_DETAIL_TARGET_AVX512 static void RoundWhole(const char* from, Index from_row, Index rows, bfloat16* to,
                                                    Index to_row) {
    using Sums = GnuVector<float, 64>;
    using Narrow = GnuVector<std::uint16_t, 64>;
    for (; rows > 0; --rows, from += from_row, to += to_row) {
      const Sums::type low = *reinterpret_cast<const Sums::in_memory*>(from),
                       high = *reinterpret_cast<const Sums::in_memory*>(from + 64);
      Narrow::type narrow;
      asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(narrow) : "v"(high), "v"(low));
      *reinterpret_cast<Narrow::in_memory*>(to) = narrow;
    }
  }
};

class AmxBfloat16Product final : public AmxProduct {
 public:
  AmxBfloat16Product(const GemmArgs<bfloat16>& g)
      : AmxProduct(AmxKernels<AmxBfloat16Dot>::kAll, g.m,
                   {reinterpret_cast<const char*>(g.b), g.b_col * 2, g.b_row * 2, g.n, g.k, 2}),
        a_({reinterpret_cast<const char*>(g.a), g.a_row * 2, g.a_col * 2, g.m, g.k, 2}, g.n),
        c_(g.c),
        c_row_(g.c_row) {}

 private:
  Rows FindRows(Index i, char* copy) const override { return a_.Find<Rows>(i, copy); }
  void Store(Index i, Index j, Index rows, Index columns, const char* sums, Index sums_row) const override {
    AmxToBfloat16::Round(sums, sums_row, rows, columns, c_ + i * c_row_ + j, c_row_);
  }

  const AmxRows a_;
  bfloat16* const c_;
  const Index c_row_;
};

// c = a b, as RunGemmBfloat16. `weights`: of b, or null.
inline Status RunAmxBfloat16(Cpu& device, const GemmArgs<bfloat16>& g, PackedWeights* weights) {
  AmxBfloat16Product product(g);
  return RunAmxWithWeights(device, product, g.b, weights, "MatMul");
}
#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // !__NVCC__
