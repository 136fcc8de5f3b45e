// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who else multiplies matrices and convolves images, each in a file of its own, and what the processor can do at most.
// Every peer's answer is compared with ours before it is timed. A peer whose library was not there when this was built
// is reported as absent.

#include <cstddef>
#include <cstdint>

#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>

#include "agree.hpp"
#include "harness.hpp"

namespace tenon::bench {

// c = a b, all stored by rows without gaps: [m, k] [k, n]; transposed b is stored as [n, k]. `batch` such products, one
// behind the other.
template <class T>
struct Product {
  Index m, n, k;
  bool transpose_b = false;
  Index batch = 1;
  const T *a = nullptr, *b = nullptr, *c = nullptr;  // c: our answer

  Index elements() const { return batch * m * n; }
};

// The same of a: uint8 [m, k], b: int8 [k, n] and 32-bit sums.
struct Int8Product {
  Index m, n, k;
  const std::uint8_t* a = nullptr;
  const std::int8_t* b = nullptr;
  const std::int32_t* c = nullptr;  // our answer
};

struct Bfloat16Product {
  Index m, n, k;
  const bfloat16 *a = nullptr, *b = nullptr;
  const float* c = nullptr;  // our answer, widened
};

// NHWC, HWIO, padded like SAME; depthwise where depth and out_depth are `groups`.
struct Convolution {
  Index batch, rows, columns, depth, out_depth, window, stride;
  Index groups = 1;
  const float *input = nullptr, *filter = nullptr, *output = nullptr;  // output: our answer

  Index out_rows() const { return (rows + stride - 1) / stride; }
  Index out_columns() const { return (columns + stride - 1) / stride; }
  Index pad_before(Index size) const {
    const Index pad = ((size + stride - 1) / stride - 1) * stride + window - size;
    return pad > 0 ? pad / 2 : 0;
  }
  Index pad_after(Index size) const {
    const Index pad = ((size + stride - 1) / stride - 1) * stride + window - size;
    return pad > 0 ? pad - pad / 2 : 0;
  }
  Index elements() const { return batch * out_rows() * out_columns() * out_depth; }
};

void AddEigen(State& state, const Product<float>& p);
void AddEigen(State& state, const Product<double>& p);
void AddOpenBlas(State& state, const Product<float>& p);
void AddOpenBlas(State& state, const Product<double>& p);
// oneDNN has no double.
void AddOneDnn(State& state, const Product<float>& p);
// Weights in the layout that oneDNN likes, arranged before the clock starts.
void AddOneDnnPacked(State& state, const Product<float>& p);
void AddOneDnn(State& state, const Int8Product& p);
void AddOneDnn(State& state, const Bfloat16Product& p);
void AddOneDnn(State& state, const Convolution& c);

// So many multiplications and additions of T in registers: the processor's peak. One thread.
void AddPeak(State& state, float, double flops);
void AddPeak(State& state, double, double flops);
// Reads so many bytes at `data`. One thread.
void AddRead(State& state, const void* data, std::size_t bytes);

}  // namespace tenon::bench
