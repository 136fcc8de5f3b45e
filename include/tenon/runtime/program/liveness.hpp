// SPDX-License-Identifier: Apache-2.0
#pragma once
// Last reader of each value of a program, in sequential order: it may take the value over. Then its memory can go.

#include <cstddef>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// When `nodes`, `sequence`, `constants` and `fetches` stand, with readers and escapes: who takes a value last, in
// sequential order, and when it can go.
inline void FindLastUses(Program* program) {
  Program& p = *program;
  const auto At = [](int i) { return static_cast<std::size_t>(i); };
  SlimVector<char> pinned(At(p.num_values), 0);  // constants stay, fetches go to the caller
  for (const auto& [value, tensor] : p.constants) pinned[At(value)] = 1;
  SlimVector<char> taken(pinned);  // a constant is copied out, never moved
  for (std::size_t i = p.fetches.size(); i-- > 0;)
    p.fetches[i].last = std::exchange(taken[At(p.fetches[i].value)], char{1}) == 0;
  for (std::size_t v = 0; v < p.escapes.size(); ++v)
    if (p.escapes[v] != 0) pinned[v] = 1;
  p.last_use.assign(p.inputs.size(), 0);
  p.only_use.assign(p.inputs.size(), 0);
  SlimVector<int> used(At(p.num_values), -1);  // the input that reads the value last
  SlimVector<char> ends(p.inputs.size(), 0);  // here
  for (std::size_t s = p.sequence.size(); s-- > 0;) {
    const ProgramNode& node = p.nodes[At(p.sequence[s])];
    for (int i = node.num_inputs - 1; i >= 0; --i) {
      const std::size_t input = At(node.first_input + i);
      const std::size_t value = At(p.inputs[input]);
      if (pinned[value] != 0) continue;
      p.only_use[input] = p.readers[value] == 1;
      if (used[value] >= 0) {
        // A node that reads a value twice must not overwrite it through one of the two.
        if (used[value] >= node.first_input && used[value] < node.first_input + node.num_inputs)
          p.last_use[At(used[value])] = 0;
        continue;
      }
      used[value] = node.first_input + i;
      p.last_use[input] = 1;
      ends[input] = 1;
    }
  }
  for (const int n : p.sequence) {
    ProgramNode& node = p.nodes[At(n)];
    node.first_release = static_cast<int>(p.releases.size());
    for (int i = node.num_inputs - 1; i >= 0; --i)
      if (ends[At(node.first_input + i)] != 0) p.releases.push_back(p.inputs[At(node.first_input + i)]);
    for (int i = 0; i < node.num_outputs; ++i)
      if (p.readers[At(node.first_output + i)] == 0) p.releases.push_back(node.first_output + i);
    node.num_releases = static_cast<int>(p.releases.size()) - node.first_release;
  }
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
