// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the benchmarks feed.

#include <cstdint>

#include <tenon/tensor/tensor.hpp>

namespace tenon::bench {

// Numbers that look random, of at least `least` and less than `most`.
template <class T = float>
Tensor Numbers(const TensorShape& shape, double least = -1, double most = 1, std::uint32_t seed = 1) {
  Tensor numbers(dtype_of_v<T>, shape);
  for (T& x : numbers.template flat<T>()) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<float>(least + (most - least) * (seed >> 8) / 16777216.0));
  }
  return numbers;
}

}  // namespace tenon::bench
