// SPDX-License-Identifier: Apache-2.0
#pragma once
// NodeChoices as text: a line "winograd conv_1/Conv2D" for each node. `tenon bench --tune` writes such files.

#include <string>
#include <string_view>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/optimize/core/options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// Returns whether a node may have this algorithm.
inline bool IsAlgorithm(std::string_view name) { return name == "direct" || name == "winograd" || name == "size"; }

// Reads choices. Empty lines, and what follows a #, do not count. InvalidArgument: a line that is not an algorithm and
// a name; the error has its number.
inline Result<std::vector<NodeChoice>> ParseNodeChoices(std::string_view text) {
  std::vector<NodeChoice> choices;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    line = line.substr(0, line.find('#'));
    std::string_view words[3];
    int count = 0;
    while (count < 3) {
      const std::size_t begin = line.find_first_not_of(" \t\r");
      if (begin == line.npos) break;
      line.remove_prefix(begin);
      words[count++] = line.substr(0, line.find_first_of(" \t\r"));
      line.remove_prefix(words[count - 1].size());
    }
    if (count == 0) continue;
    if (count != 2 || !IsAlgorithm(words[0]))
      return errors::InvalidArgument("Choices, line ", number,
                                     ": expected 'direct', 'winograd' or 'size' and the name of a node, got '",
                                     words[0], count > 1 ? " " : "", words[1], count > 2 ? " ..." : "", "'");
    choices.push_back({std::string(words[1]), std::string(words[0])});
  }
  return choices;
}

// Returns text that ParseNodeChoices reads.
inline std::string ToText(const std::vector<NodeChoice>& choices) {
  std::string text;
  for (const NodeChoice& choice : choices) StrAppend(&text, choice.algorithm, " ", choice.node, "\n");
  return text;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
