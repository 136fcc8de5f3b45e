// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/amx.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include "engine/amx_support.hpp"
#include "engine/support.hpp"

namespace gemm_amx_test {
using namespace tenon;

#if TENON_DETAIL_AMX
namespace {

std::vector<char> Random(Index n) {
  testing::Numbers numbers(3);
  std::vector<char> bytes(static_cast<std::size_t>(n));
  for (char& byte : bytes) byte = static_cast<char>(numbers.Below(256));
  return bytes;
}

// The bytes of number [i, p], or of 0 beyond the matrix.
char Byte(const detail::AmxMatrix& x, Index i, Index p, Index byte) {
  return i < x.lines && p < x.k ? x.At(i, p)[byte] : '\0';
}
bool LinesAreRight(const detail::AmxMatrix& x, Index i, Index p) {
  alignas(64) char to[detail::kAmxTile];
  std::memset(to, 77, sizeof to);
  detail::AmxCopies::Lines(x, i, p, to);
  for (Index l = 0; l < 16; ++l)
    for (Index q = 0; q < x.in_step(); ++q)
      for (Index byte = 0; byte < x.size; ++byte)
        if (to[l * 64 + q * x.size + byte] != Byte(x, i + l, p + q, byte)) return false;
  return true;
}
bool GroupsAreRight(const detail::AmxMatrix& x, Index i, Index p, Index panels) {
  std::vector<char> to(static_cast<std::size_t>(panels * 1100), 77);
  detail::AmxCopies::Groups(x, i, p, panels, to.data(), 1100);
  for (Index v = 0; v < panels; ++v) {
    for (Index l = 0; l < 16; ++l)
      for (Index q = 0; q < x.in_step(); ++q)
        for (Index byte = 0; byte < x.size; ++byte) {
          const Index in_line = q * x.size + byte;
          const char got = to[static_cast<std::size_t>(v * 1100 + in_line / 4 * 64 + l * 4 + in_line % 4)];
          if (got != Byte(x, i + v * 16 + l, p + q, byte)) return false;
        }
    for (Index rest = 1024; rest < 1100; ++rest)
      if (to[static_cast<std::size_t>(v * 1100 + rest)] != 77) return false;
  }
  return true;
}

// Products of unsigned bytes.
struct Unsigned {
  template <int c, int a, int b>
  static TENON_HD void Add() {
    asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(c), "i"(a), "i"(b));
  }
};

}  // namespace

TEST_SUITE("AmxCopies") {
  TEST_CASE("lines and groups of matrices stored by lines, by numbers or with gaps, with zeros behind their ends") {
    if (!testing::HasAmxToTest()) return;
    for (const Index size : {1, 2}) {
      for (const Index lines : {1, 16, 37, 64}) {
        for (const Index k : {1, 5, 32, 64, 101}) {
          // Exactly as large as the matrix, for the sanitizers.
          const std::vector<char> data = Random(lines * k * size), wide = Random(lines * k * size * 3);
          const detail::AmxMatrix by_line{data.data(), k * size, size, lines, k, size},
              by_number{data.data(), size, lines * size, lines, k, size},
              apart{wide.data(), k * size * 3, size * 3, lines, k, size};
          for (const detail::AmxMatrix* x : {&by_line, &by_number, &apart}) {
            for (Index i = 0; i < lines; i += 16) {
              for (Index p = 0; p < k; p += x->in_step()) {
                CHECK(LinesAreRight(*x, i, p));
                for (Index panels = 1; panels <= detail::AmxCopies::PanelsTogether(*x); ++panels)
                  CHECK(GroupsAreRight(*x, i, p, panels));
              }
            }
          }
        }
      }
    }
  }
}

TEST_SUITE("AmxKernels") {
  TEST_CASE("one and two tiles of rows and columns, with a tail and without, added or not") {
    if (!testing::HasAmxToTest()) return;
    const std::vector<char> a = Random(4 * 1024), b = Random(8 * 1024);
    for (Index rows = 1; rows <= 2; ++rows) {
      for (Index columns = 1; columns <= 2; ++columns) {
        for (int bits = 0; bits < 4; ++bits) {
          const bool tail = (bits & 1) != 0, add = (bits & 2) != 0;
          std::vector<std::uint32_t> c(32 * 40, 5);
          detail::AmxBlock t{};
          t.steps = 2;
          for (int i = 0; i < 2; ++i) {
            t.a[i] = a.data() + i * 16 * 128;
            t.a_line[i] = 128;
            t.a_step[i] = 64;
            t.tail[i] = tail ? a.data() + 1024 * i : nullptr;
            t.b[i] = b.data() + i * 3 * 1024;
          }
          t.c = reinterpret_cast<char*>(c.data());
          t.c_row = 40 * 4;
          t.add = add;
          {
            const simd::AmxTiles tiles;
            detail::AmxKernels<Unsigned>::kAll[rows - 1][columns - 1](t);
          }
          bool right = true;
          for (Index i = 0; i < 32; ++i) {
            for (Index j = 0; j < 40; ++j) {
              const bool inside = i < rows * 16 && j < columns * 16;
              std::uint32_t sum = add || !inside ? 5 : 0;
              for (Index p = 0; inside && p < (tail ? 192 : 128); ++p) {
                const char* const x = p < 128 ? t.a[i / 16] + i % 16 * 128 + p : t.tail[i / 16] + i % 16 * 64 + p - 128;
                const char* const y = t.b[j / 16] + p / 64 * 1024 + p % 64 / 4 * 64 + j % 16 * 4 + p % 4;
                sum += static_cast<std::uint32_t>(static_cast<unsigned char>(*x)) * static_cast<unsigned char>(*y);
              }
              right = right && c[static_cast<std::size_t>(i * 40 + j)] == sum;
            }
          }
          CHECK(right);
        }
      }
    }
  }
}
#endif
}  // namespace gemm_amx_test
