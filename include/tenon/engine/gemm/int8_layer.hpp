// SPDX-License-Identifier: Apache-2.0
#pragma once
// A layer of an 8-bit network: a product of bytes without a sign by weights with one, whose sums become numbers with a
// factor, an offset and limits, or bytes again, while they lie in a cache. Weights are packed once; rows that lie as a
// tile reads them are not copied.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/gemm/dot4.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Steps behind the sums: y = sum * factor[column] + offset[column], between `low` and `high`; or, where these are
// within a byte's range, the byte (y - origin) * per_unit, rounded to the nearest. NaN is `low`.
struct Int8Steps {
  const float *factor = nullptr, *offset = nullptr;
  float low = 0, high = 0;
  bool to_bytes = false;
  float origin = 0, per_unit = 0;
};

// The rows of the left operand: k bytes each, which stand for the numbers less `zero`. They lie one after the other at
// `data`, or, where that is null, read(what, row, to) writes them, and up to kInt8Slack bytes behind. `read` is
// thread-safe.
inline constexpr Index kInt8Slack = 16;
struct Int8Rows {
  const unsigned char* data = nullptr;
  std::int32_t zero = 0;
  void (*read)(const void* what, Index row, unsigned char* to) = nullptr;
  const void* what = nullptr;
};

namespace detail {

// Sums [rows, columns] of a part of a result, from column `column` on. `moved`: is taken off the sums of a column.
struct Int8Part {
  const std::int32_t* sums;
  Index sums_row, rows, columns, column;
  const std::int32_t* moved;
  const Int8Steps* steps;
  void* out;  // the part's first element, float or byte
  Index out_row;
};

#if TENON_DETAIL_LANES
// bytes / 4 bytes as 32-bit numbers, and such numbers, none above 255, as bytes. g++ converts lane by lane where it is
// not told the instruction.
#if !defined(__clang__)  // the warning means functions that are called, none of which is here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
template <int bytes>
struct WideBytes {
  using Ints = typename GnuVector<std::int32_t, bytes>::type;
  using Bytes = typename GnuVector<unsigned char, bytes / 4>::type;
  using Chars = typename GnuVector<char, (bytes < 64 ? 16 : bytes / 4)>::type;  // an operand

  TENON_HD static void Load(const unsigned char* from, Ints* to) {
#if defined(__x86_64__) && !defined(__clang__)
    // Code for AVX alone has vectors of 32 bytes and no such instruction.
    constexpr bool kHasInstruction = bytes == 64 || (bytes == 32 && !std::is_same_v<simd::Compiled, simd::isa::Avx>);
    if constexpr (kHasInstruction) {
      Chars read{};
      __builtin_memcpy(&read, from, bytes / 4);
      if constexpr (bytes == 32) *to = __builtin_ia32_pmovzxbd256(read);
      if constexpr (bytes == 64) *to = __builtin_ia32_pmovzxbd512_mask(read, Ints{}, -1);
      return;
    }
#endif
    Bytes read;
    __builtin_memcpy(&read, from, sizeof read);
    *to = __builtin_convertvector(read, Ints);
  }
  TENON_HD static void Store(const Ints& x, unsigned char* to) {
#if defined(__x86_64__) && !defined(__clang__)
    if constexpr (bytes == 64) {
      const Chars narrow = __builtin_ia32_pmovdb512_mask(x, Chars{}, -1);
      __builtin_memcpy(to, &narrow, sizeof narrow);
      return;
    }
    if constexpr (bytes == 32) {
      const auto all = reinterpret_cast<typename GnuVector<unsigned char, bytes>::type>(x);
      const auto narrow = __builtin_shufflevector(all, all, 0, 4, 8, 12, 16, 20, 24, 28);
      __builtin_memcpy(to, &narrow, sizeof narrow);
      return;
    }
#endif
    const Bytes narrow = __builtin_convertvector(x, Bytes);
    __builtin_memcpy(to, &narrow, sizeof narrow);
  }
};
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#endif

struct Int8Finish {
  static float Value(const Int8Part& p, Index j, std::int32_t sum) {
    const Int8Steps& s = *p.steps;
    const auto moved = static_cast<std::uint32_t>(sum) - static_cast<std::uint32_t>(p.moved[j]);
    const float y =
        static_cast<float>(static_cast<std::int32_t>(moved)) * s.factor[p.column + j] + s.offset[p.column + j];
    return !(y >= s.low) ? s.low : y > s.high ? s.high : y;
  }
  static unsigned char Byte(const Int8Steps& s, float y) {
    return static_cast<unsigned char>((y - s.origin) * s.per_unit + 0.5f);
  }
#if TENON_DETAIL_LANES
  template <int bytes>
  TENON_HD static void Vectors(const Int8Part& p, const std::int32_t* sums, Index* at, void* out) {
    using L = simd::Lanes<float, bytes>;
    using Ints = typename L::Ints;
    const Int8Steps& s = *p.steps;
    const L low = L::Repeat(s.low), high = L::Repeat(s.high), origin = L::Repeat(s.origin);
    const L scale = L::Repeat(s.per_unit), half = L::Repeat(0.5f);
    Index j = *at;
    for (; j + L::size <= p.columns; j += L::size) {
      Ints sum, moved;
      __builtin_memcpy(&sum.v, sums + j, bytes);
      __builtin_memcpy(&moved.v, p.moved + j, bytes);
      const L number(__builtin_convertvector((sum - moved).v, typename L::Vector));
      L y = number * L::Load(s.factor + p.column + j) + L::Load(s.offset + p.column + j);
      y = simd::Lesser(simd::Greater(y, low), high);
      if (!s.to_bytes) {
        y.Store(static_cast<float*>(out) + j);
        continue;
      }
      const L steps = (y - origin) * scale + half;
      WideBytes<bytes>::Store(__builtin_convertvector(steps.v, typename Ints::Vector),
                              static_cast<unsigned char*>(out) + j);
    }
    *at = j;
  }
#endif
  template <int bytes>
  TENON_HD static void Run(const Int8Part& p) {
    const Int8Steps& s = *p.steps;
    for (Index i = 0; i < p.rows; ++i) {
      const std::int32_t* const sums = p.sums + i * p.sums_row;
      void* const out = static_cast<char*>(p.out) + i * p.out_row * (s.to_bytes ? 1 : 4);
      Index j = 0;
#if TENON_DETAIL_LANES
      Vectors<bytes>(p, sums, &j, out);
#endif
      for (; j < p.columns; ++j) {
        const float y = Value(p, j, sums[j]);
        if (s.to_bytes)
          static_cast<unsigned char*>(out)[j] = Byte(s, y);
        else
          static_cast<float*>(out)[j] = y;
      }
    }
  }
};
inline void FinishInt8(const Int8Part& part) {
#if TENON_DETAIL_LANES
  simd::detail::ForLevels<Int8Finish, simd::Compiled, const Int8Part&>::Best()(part);
#else
  Int8Finish::Run<16>(part);
#endif
}

// The weights [k, n] in panels as wide as a tile, then the sums of their columns.
class Int8Weights {
 public:
  Int8Weights(const Int8Kernels& kernels, Index n, Index k) : kernels_(kernels), n_(n), k_(k) {}

  Index panels() const { return (n_ + kernels_.columns - 1) / kernels_.columns; }
  Index groups() const { return (k_ + kernels_.in_group - 1) / kernels_.in_group; }
  Index panel_bytes() const { return groups() * kernels_.columns * 4; }
  std::size_t bytes() const {
    return static_cast<std::size_t>(panels() * panel_bytes()) + ScratchBytes<std::int32_t>(panels() * kernels_.columns);
  }
  const char* Panel(const char* packed, Index panel) const { return packed + panel * panel_bytes(); }
  const std::int32_t* Sums(const char* packed, Index panel) const {
    return reinterpret_cast<const std::int32_t*>(packed + panels() * panel_bytes()) + panel * kernels_.columns;
  }

  void Pack(const std::int8_t* from, char* to) const {
    auto* sums = reinterpret_cast<std::int32_t*>(to + panels() * panel_bytes());
    std::memset(to, 0, bytes());
    for (Index panel = 0; panel < panels(); ++panel, to += panel_bytes(), sums += kernels_.columns) {
      const Index first = panel * kernels_.columns, count = std::min(kernels_.columns, n_ - first);
      for (Index p = 0; p < k_; ++p) {
        char* const group = to + p / kernels_.in_group * kernels_.columns * 4;
        const Index place = p % kernels_.in_group;
        for (Index j = 0; j < count; ++j) {
          const std::int8_t weight = from[p * n_ + first + j];
          sums[j] += weight;
          if (kernels_.in_group == 4)
            reinterpret_cast<std::int8_t*>(group)[j * 4 + place] = weight;
          else
            reinterpret_cast<std::int16_t*>(group)[j * 2 + place] = weight;
        }
      }
    }
  }

 private:
  const Int8Kernels& kernels_;
  const Index n_, k_;
};

// One product. thread-safe.
class Int8Layer {
 public:
  static constexpr Index kMostRowsOfChunk = 60;

  Int8Layer(const Int8Kernels& kernels, Index m, Index n, Index k, const Int8Rows& rows, const Int8Steps& steps,
            void* out, const char* packed)
      : kernels_(kernels),
        weights_(kernels, n, k),
        m_(m),
        n_(n),
        k_(k),
        rows_(rows),
        steps_(steps),
        out_(out),
        packed_(packed) {
    // Chunks of about the same size, of whole tiles.
    const Index tiles = (m + kernels.rows - 1) / kernels.rows, most = kMostRowsOfChunk / kernels.rows;
    const Index chunks = (tiles + most - 1) / most;
    chunk_rows_ = (tiles + chunks - 1) / chunks * kernels.rows;
  }

  Index chunks() const { return (m_ + chunk_rows_ - 1) / chunk_rows_; }
  Index panels() const { return weights_.panels(); }
  // Memory for the copy of a chunk's rows, and one row as bytes.
  std::size_t scratch_bytes() const {
    return ScratchBytes<char>(chunk_rows_ * row_bytes() + kInt8Slack) + ScratchBytes<char>(k_ + kInt8Slack);
  }
  double ns_of_panel() const {
    const double sums = static_cast<double>(chunk_rows_) * static_cast<double>(kernels_.columns);
    return sums * (0.016 / static_cast<double>(kernels_.in_group) * static_cast<double>(k_) + 0.1);
  }

  void Run(Index chunk, Index panel, Index panel_end, char* memory) const {
    const Index row = chunk * chunk_rows_, rows = std::min(chunk_rows_, m_ - row);
    const bool direct = rows_.data != nullptr && kernels_.in_group == 4 && k_ % 4 == 0;
    const char* chunk_rows = memory;
    Index copied = 0;  // rows that lie in the matrix itself
    if (direct) {
      chunk_rows = reinterpret_cast<const char*>(rows_.data) + row * k_;
      copied = rows / kernels_.rows * kernels_.rows;
    }
    char* const own_row = memory + ScratchBytes<char>(chunk_rows_ * row_bytes() + kInt8Slack);
    for (Index i = copied; i < rows; ++i) CopyRow(row + i, memory + i * row_bytes(), own_row);
    for (; panel < panel_end; ++panel) {
      const std::int32_t* const sums_of_columns = weights_.Sums(packed_, panel);
      std::int32_t moved[kMostColumns];
      for (Index j = 0; j < kernels_.columns; ++j)
        moved[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(rows_.zero) *
                                             static_cast<std::uint32_t>(sums_of_columns[j]));
      for (Index i = 0; i < rows; i += kernels_.rows)
        RunTile(i < copied ? chunk_rows + i * row_bytes() : memory + i * row_bytes(), row + i,
                std::min(kernels_.rows, rows - i), panel, moved);
    }
  }

 private:
  static constexpr Index kMostRows = 6, kMostColumns = 64;

  Index row_bytes() const { return weights_.groups() * 4; }
  void CopyRow(Index row, char* to, char* bytes) const {
    auto* const direct = reinterpret_cast<unsigned char*>(kernels_.in_group == 4 ? to : bytes);
    if (k_ > 0) std::memset(to + row_bytes() - 4, 0, 4);  // what fills the last group is multiplied by zeros
    if (rows_.data != nullptr)
      std::memcpy(direct, rows_.data + row * k_, static_cast<std::size_t>(k_));
    else
      rows_.read(rows_.what, row, direct);
    if (kernels_.in_group != 4) Widen(direct, reinterpret_cast<std::int16_t*>(to), k_);
  }
  TENON_DETAIL_LOOPS_BEGIN
  static TENON_DETAIL_LOOP void Widen(const unsigned char* from, std::int16_t* to, Index n) {
    TENON_DETAIL_INDEPENDENT
    for (Index i = 0; i < n; ++i) to[i] = from[i];
  }
  TENON_DETAIL_LOOPS_END

  void RunTile(const char* a, Index row, Index rows, Index panel, const std::int32_t* moved) const {
    alignas(64) std::int32_t sums[kMostRows * kMostColumns];
    kernels_.tile({weights_.groups(), a, row_bytes(), weights_.Panel(packed_, panel), sums, kernels_.columns, false});
    const Index column = panel * kernels_.columns;
    FinishInt8({sums, kernels_.columns, rows, std::min(kernels_.columns, n_ - column), column, moved, &steps_,
                static_cast<char*>(out_) + (row * n_ + column) * (steps_.to_bytes ? 1 : 4), n_});
  }

  const Int8Kernels& kernels_;
  const Int8Weights weights_;
  const Index m_, n_, k_;
  const Int8Rows rows_;
  const Int8Steps steps_;
  void* const out_;
  const char* const packed_;
  Index chunk_rows_ = 0;
};

inline Status RunInt8Layer(Cpu& device, const Int8Kernels& kernels, Index m, Index n, Index k, const Int8Rows& rows,
                           const std::int8_t* filter, const Int8Steps& steps, void* out,
                           PackedWeights* packed_weights) {
  if (m == 0 || n == 0) return OkStatus();
  const Int8Weights weights(kernels, n, k);
  const auto pack = [&](char* to) { weights.Pack(filter, to); };
  const char* packed = packed_weights == nullptr
                           ? nullptr
                           : packed_weights->Find(filter, PackedWeights::Layout::kBytes, weights.bytes(), pack);
  Scratch own(device, packed == nullptr ? weights.bytes() : 0);
  TENON_RETURN_IF_ERROR(own.status("MultiplyInt8Layer"));
  if (packed == nullptr) {
    pack(own.As<char>());
    packed = own.As<char>();
  }
  const Int8Layer layer(kernels, m, n, k, rows, steps, out, packed);
  // Where there are few chunks of rows their panels are shared out, too.
  const Index together = layer.chunks() >= 8 ? layer.panels() : 1, pieces = layer.panels() / together;
  return RunWithScratch(device, layer.chunks() * pieces, layer.ns_of_panel() * static_cast<double>(together),
                        layer.scratch_bytes(), "MultiplyInt8Layer", [&](Cpu&, Index i, char* memory) {
                          const Index panel = i % pieces * together;
                          layer.Run(i / pieces, panel, panel + together, memory);
                          return OkStatus();
                        });
}

}  // namespace detail

// out[i, j] = steps(the sum over p of (rows[i, p] - rows.zero) filter[p, j]): [m, k] [k, n] -> [m, n] of float, or of
// bytes. Sums wrap around beyond 32 bits. The same for any number of threads; sums are the same on every machine.
// ResourceExhausted without scratch memory.
inline Status MultiplyInt8Layer(Cpu& device, Index m, Index n, Index k, const Int8Rows& rows, const std::int8_t* filter,
                                const Int8Steps& steps, void* out, PackedWeights* packed_weights) {
  return detail::RunInt8Layer(device, detail::BestInt8Kernels(), m, n, k, rows, filter, steps, out, packed_weights);
}

// Whether this processor multiplies bytes faster than floats.
inline bool HasFastInt8() { return simd::BestLevel() != simd::Level::kUnit; }

TENON_DETAIL_NAMESPACE_END
