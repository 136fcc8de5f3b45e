// SPDX-License-Identifier: Apache-2.0
#pragma once
// One op in a graph, all its tensors fed, beside TensorFlow and what the processor can do with as many bytes.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/tensor/tensor.hpp>

#include "ceiling.hpp"
#include "graph_case.hpp"
#include "numbers.hpp"

namespace tenon::bench {

// What an op is held against.
enum class Ceiling { kNone, kCopying, kReading };

struct OpCase {
  std::string_view op;
  std::vector<Tensor> fed;
  std::vector<Tensor> constants = {};  // behind the fed ones
  std::vector<std::pair<std::string, AttrValue>> attrs = {};
  Ceiling ceiling = Ceiling::kCopying;
  double goal = 0;  // of the ceiling's time; 0: none
  double relative_error = 1e-4;  // of TensorFlow's floats
};

// The bytes are those of the fed tensors and the first output.
void TimeOp(State& state, const OpCase& c);

}  // namespace tenon::bench
