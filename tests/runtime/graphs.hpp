// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small graphs for the runtime tests.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace runtime_test {

using namespace tenon;

inline bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// y = x + 1, z = y * y, both fetched by name.
inline GraphBuilder SmallGraph() {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
  const Output one = b.Const("one", Tensor::Scalar(1.0f));
  const Output y = b.Add("AddV2", "y", {x, one});
  b.Add("Mul", "z", {y, y});
  return b;
}

// `width` chains of `depth` additions of x, joined by additions.
inline GraphBuilder WideGraph(int width, int depth) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat);
  Output sum = x;
  for (int w = 0; w < width; ++w) {
    Output chain = x;
    for (int d = 0; d < depth; ++d) chain = b.Add("AddV2", StrCat("c", w, "_", d), {chain, x});
    sum = b.Add("AddV2", StrCat("sum", w), {sum, chain});
  }
  b.Add("Identity", "out", {sum});
  return b;
}

inline std::span<const std::byte> Bytes(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace runtime_test
