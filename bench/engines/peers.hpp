// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who else does memory-bound work, each in a file of its own. Every peer's answer is compared with ours before it is
// timed. A peer whose library was not there when this was built is reported as absent.

#include <tenon/tensor/shape.hpp>

#include "agree.hpp"
#include "ceiling.hpp"
#include "harness.hpp"

namespace tenon::bench {

enum class MapKind { kAdd, kMul, kRelu, kExp, kTanh, kGelu, kSigmoid };

// n elements; b is null for functions of one.
struct Map {
  MapKind kind;
  const float *a, *b;
  Index n;
  const float* answer;  // ours
};

enum class Repeated { kRow, kColumn, kScalar };

// a + b: [rows, columns] and [columns], [rows, 1] or [].
struct BroadcastSum {
  Repeated repeated;
  const float *a, *b;
  Index rows, columns;
  const float* answer;
};

// The sums of x: [outer, middle, inner] over the axes named.
struct AxisSum {
  bool over_outer, over_middle, over_inner;
  const float* x;
  Index outer, middle, inner;
  const float* answer;
};

// Work on [rows, columns].
struct Rows {
  const float* x;
  Index rows, columns;
  const float* answer;
};

// x: [blocks, n] or one [n, n], real or complex; `results` complex numbers.
template <class T>
struct FourierTransform {
  bool is_real;
  int dims;
  Index n, blocks;
  const T *x, *answer;
  Index results;
};

void AddEigen(State& state, const Map& m);
void AddEigen(State& state, const BroadcastSum& s);
void AddEigen(State& state, const AxisSum& s);
void AddEigenTranspose(State& state, const Rows& r);

void AddXtensor(State& state, const Map& m);
void AddXtensor(State& state, const BroadcastSum& s);
void AddXtensor(State& state, const AxisSum& s);

void AddOneDnnSoftmax(State& state, const Rows& r);
// (x - mean) / sqrt(variance + epsilon) of every row.
void AddOneDnnLayerNorm(State& state, const Rows& r, float epsilon);
void AddOneDnnTranspose(State& state, const Rows& r);

template <class T>
void AddFftw(State& state, const FourierTransform<T>& f);

}  // namespace tenon::bench
