// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions of bfloat16 by tiles of AMX: 16 pixels' windows are copied beside each other and are then rows of a
// matrix product (engine/gemm/amx_product.hpp) whose other operand is the filter. The copies stay in the second cache.

#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/window_dim.hpp>
#include <tenon/engine/gemm/amx.hpp>
#include <tenon/engine/gemm/amx_product.hpp>
#include <tenon/engine/gemm/bfloat16.hpp>

#if TENON_DETAIL_AMX

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// NHWC images [batch, rows, columns, depth], filter [rows, columns, depth, out_depth]; one group.
struct AmxImages {
  Index batch;
  Window rows, columns;
  Index depth, out_depth;

  Index pixels() const { return batch * rows.output * columns.output; }
  Index taps() const { return rows.size * columns.size * depth; }
};

class AmxConv final : public AmxProduct {
 public:
  AmxConv(const AmxImages& g, const bfloat16* input, const bfloat16* filter, bfloat16* output)
      : AmxProduct(AmxKernels<AmxBfloat16Dot>::kAll, g.pixels(),
                   {reinterpret_cast<const char*>(filter), 2, g.out_depth * 2, g.out_depth, g.taps(), 2}),
        g_(g),
        input_(reinterpret_cast<const char*>(input)),
        output_(output) {}

 private:
  Rows FindRows(Index first, char* copy) const override {
    const Index count = m_ - first < kAmxLines ? m_ - first : kAmxLines;
    Index column = first % g_.columns.output, row = first / g_.columns.output % g_.rows.output,
          image = first / g_.columns.output / g_.rows.output;
    for (Index i = 0; i < count; ++i) {
      CopyWindow(image, row, column, copy + i * kAmxStep);
      if (++column < g_.columns.output) continue;
      column = 0;
      if (++row < g_.rows.output) continue;
      row = 0;
      ++image;
    }
    for (Index i = count; i < kAmxLines; ++i) Line{copy + i * kAmxStep}.Put(nullptr, steps_ * kAmxStep);
    return {copy, kAmxStep, kAmxTile, nullptr};
  }
  void Store(Index i, Index j, Index rows, Index columns, const char* sums, Index sums_row) const override {
    AmxToBfloat16::Round(sums, sums_row, rows, columns, output_ + i * g_.out_depth + j, g_.out_depth);
  }

  // A line of the tiles, filled from its begin: 64 bytes of each step.
  struct Line {
    char* to;
    Index used = 0;  // bytes of this step

    // Bytes from `from`, or zeros where it is null.
    void Put(const char* from, Index bytes) {
      while (bytes > 0) {
        if (used == 0 && bytes >= kAmxStep && from != nullptr) {
          const Index steps = bytes / kAmxStep;
          AmxCopies::Steps(from, steps, to);
          to += steps * kAmxTile;
          from += steps * kAmxStep;
          bytes -= steps * kAmxStep;
          continue;
        }
        const Index room = kAmxStep - used, part = bytes < room ? bytes : room;
        if (from == nullptr) {
          std::memset(to + used, 0, static_cast<std::size_t>(part));
        } else {
          std::memcpy(to + used, from, static_cast<std::size_t>(part));
          from += part;
        }
        bytes -= part;
        used += part;
        if (used < kAmxStep) continue;
        used = 0;
        to += kAmxTile;
      }
    }
  };

  // The window of one output pixel, zeros where it is outside of the image, and behind its end.
  void CopyWindow(Index image, Index row, Index column, char* to) const {
    Line line{to};
    const Index pixel = g_.depth * 2, left = column * g_.columns.stride - g_.columns.pad_before;
    Index y = row * g_.rows.stride - g_.rows.pad_before;
    for (Index r = 0; r < g_.rows.size; ++r, y += g_.rows.dilation) {
      if (y < 0 || y >= g_.rows.input) {
        line.Put(nullptr, g_.columns.size * pixel);
        continue;
      }
      const char* const from = input_ + (image * g_.rows.input + y) * g_.columns.input * pixel;
      if (g_.columns.dilation != 1) {
        for (Index c = 0; c < g_.columns.size; ++c) {
          const Index x = left + c * g_.columns.dilation;
          line.Put(x < 0 || x >= g_.columns.input ? nullptr : from + x * pixel, pixel);
        }
        continue;
      }
      const Index begin = Inside(left), end = Inside(left + g_.columns.size);
      const Index outside = begin > left ? begin - left : 0;
      const Index before = outside < g_.columns.size ? outside : g_.columns.size;
      line.Put(nullptr, before * pixel);
      line.Put(from + begin * pixel, (end - begin) * pixel);
      line.Put(nullptr, (g_.columns.size - before - (end - begin)) * pixel);
    }
    line.Put(nullptr, steps_ * kAmxStep - g_.taps() * 2);
  }
  // The nearest column of the image, or its end.
  Index Inside(Index column) const { return column < 0 ? 0 : column < g_.columns.input ? column : g_.columns.input; }

  const AmxImages g_;
  const char* const input_;
  bfloat16* const output_;
};

// Overwrites the output: sums of float, each rounded once. No empty dimensions. `weights`: of the filter, or null.
inline Status RunAmxConv(Cpu& device, const AmxImages& g, const bfloat16* input, const bfloat16* filter,
                         bfloat16* output, PackedWeights* weights) {
  AmxConv work(g, input, filter, output);
  return RunAmxWithWeights(device, work, filter, weights, "Conv2D");
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // TENON_DETAIL_AMX
