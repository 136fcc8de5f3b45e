// SPDX-License-Identifier: Apache-2.0
#pragma once
// One op in a graph, all its tensors fed, beside TensorFlow and what the processor can do with as many bytes.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/tensor/tensor.hpp>

#include "graph_case.hpp"

namespace tenon::bench {

// Numbers that look random, of at least `least` and less than `most`.
template <class T = float>
Tensor Numbers(TensorShape shape, double least = -1, double most = 1, std::uint32_t seed = 1) {
  Tensor numbers(dtype_of_v<T>, shape);
  for (T& x : numbers.template flat<T>()) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<float>(least + (most - least) * (seed >> 8) / 16777216.0));
  }
  return numbers;
}

// So many bytes read and as many written, by memcpy: "copying". One thread. Half of `bytes` each.
void AddCopying(State& state, std::size_t bytes);
// So many bytes read: "reading". One thread.
void AddReading(State& state, std::size_t bytes);

// What an op is held against.
enum class Ceiling { kNone, kCopying, kReading };

struct OpCase {
  std::string_view op;
  std::vector<Tensor> fed;
  std::vector<Tensor> constants = {};  // behind the fed ones
  std::vector<std::pair<std::string, AttrValue>> attrs = {};
  Ceiling ceiling = Ceiling::kCopying;
  double goal = 0;  // of the ceiling's time; 0: none
};

// The bytes are those of the fed tensors and the first output.
void TimeOp(State& state, const OpCase& c);

}  // namespace tenon::bench
