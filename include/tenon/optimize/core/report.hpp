// SPDX-License-Identifier: Apache-2.0
#pragma once
// OptimizationReport: counts of each pass and each of its rules, before and after.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/optimize/core/options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// A rule of a pass, or one of its reasons to leave matched nodes alone. Texts are static.
struct RuleReport {
  std::string_view rule;
  std::string_view refused;  // why; empty: the rule was applied
  std::int64_t count = 0;
};

// Sums of one pass over all rounds.
struct PassReport {
  std::string_view name;
  int nodes_before = 0, nodes_after = 0;  // before the first round and after the last one
  std::int64_t nanoseconds = 0;
  SlimVector<RuleReport> rules;
  SlimVector<NodeChoice> choices;  // nodes that have a choice

  // Returns how often a rule was applied.
  std::int64_t applied() const {
    std::int64_t sum = 0;
    for (const RuleReport& rule : rules) sum += rule.refused.empty() ? rule.count : 0;
    return sum;
  }
  // Counts one match of a rule. `refused`: why nothing changed; empty: the rule was applied.
  void Count(std::string_view rule, std::string_view refused = {}) {
    for (RuleReport& known : rules) {
      if (known.rule != rule || known.refused != refused) continue;
      ++known.count;
      return;
    }
    rules.push_back({rule, refused, 1});
  }
};

// immutable once made.
struct OptimizationReport {
  int nodes_before = 0, nodes_after = 0;  // nodes that a run needs, constants too
  int rounds = 0;
  std::string_view stopped;  // why the rounds ended early; empty: the last one changed nothing
  SlimVector<PassReport> passes;  // in their order

  // Returns the pass of that name, or null.
  const PassReport* Find(std::string_view name) const {
    for (const PassReport& pass : passes)
      if (pass.name == name) return &pass;
    return nullptr;
  }
  // "158 nodes -> 97 in 3 rounds", and a line for each pass and rule that matched.
  std::string DebugString() const {
    std::string text = StrCat(nodes_before, " nodes -> ", nodes_after, " in ", rounds, " rounds");
    if (!stopped.empty()) StrAppend(&text, ", stopped: ", stopped);
    text += '\n';
    for (const PassReport& pass : passes) {
      if (pass.rules.empty()) continue;
      StrAppend(&text, pass.name, ": ", pass.nodes_before, " -> ", pass.nodes_after, ", ", pass.nanoseconds / 1000,
                " us\n");
      for (const RuleReport& rule : pass.rules) {
        StrAppend(&text, "  ", rule.rule, ": ", rule.count);
        if (!rule.refused.empty()) StrAppend(&text, " left alone, ", rule.refused);
        text += '\n';
      }
    }
    return text;
  }
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
