// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rule: a pattern and the value that replaces it. ApplyRules lets a list of rules work on a graph until none fits.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/pattern.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The answer of a rule's functions: why nothing is to be changed; empty: go on.
using Refusal = std::string_view;

// Replaces the nodes that `pattern` fits by `result`, whose names are the pattern's: a name alone lets readers read
// that value, an op takes the place of the pattern's first node. `guard` may refuse; without a result `rewrite` makes
// the change, or refuses and changes nothing.
//
//   {"double negation", "Neg(Neg(x))", "x"}
//   {"power of 2", "Pow(x, 2)", "Square(x)", IsFloat}
struct Rule {
  std::string_view name;
  Pattern pattern;
  Pattern result;
  Refusal (*guard)(const Match& match) = nullptr;
  Refusal (*rewrite)(const Match& match) = nullptr;
  OptimizerLevel level = OptimizerLevel::kExact;
};

namespace detail {

inline Tensor ScalarOf(DataType type, double number) {
  const float value = static_cast<float>(number);
  switch (type) {
    case DataType::kFloat: return Tensor::Scalar(value);
    case DataType::kDouble: return Tensor::Scalar(number);
    case DataType::kHalf: return Tensor::Scalar(static_cast<half>(value));
    case DataType::kBfloat16: return Tensor::Scalar(static_cast<bfloat16>(value));
    case DataType::kInt32: return Tensor::Scalar(static_cast<std::int32_t>(number));
    case DataType::kInt64: return Tensor::Scalar(static_cast<std::int64_t>(number));
    default: return Tensor(DataType::kInvalid);
  }
}

inline AttrValue AttrFromText(std::string_view text) {
  if (text == "true" || text == "false") return AttrValue(text == "true");
  if (text.starts_with("DT_")) return AttrValue(DataTypeFromEnumName(text));
  return AttrValue(text);
}

// Makes the nodes of a rule's result. one thread.
class RuleResult {
 public:
  RuleResult(const Rule& rule, const Match& match) : rule_(rule), match_(match), graph_(match.graph()) {}

  Refusal Make() {
    const PatternTerm& root = rule_.result.terms[0];
    if (root.kind == PatternTerm::Kind::kValue) {
      const InEdge value = ValueOf(root);
      if (graph_.type(value) != graph_.type({match_.root(), 0})) return "the types differ";
      return graph_.Forward(match_.root(), value).ok() ? "" : "no Identity for the type";
    }
    SlimVector<InEdge> inputs;
    if (const Refusal why = MakeInputs(0, &inputs); !why.empty()) return why;
    const SlimVector<IndexedGraph::Attr> attrs = AttrsOf(root);
    const Status status = graph_.Change(match_.root(), root.ops, inputs, attrs);
    if (status.ok()) return {};
    for (const int id : made_) graph_.RemoveIfUnused(id);
    return "no kernel or other types";
  }

 private:
  InEdge ValueOf(const PatternTerm& term) const { return match_[rule_.result.names[term.slot]]; }
  static SlimVector<IndexedGraph::Attr> AttrsOf(const PatternTerm& term) {
    SlimVector<IndexedGraph::Attr> attrs;
    AnyPart(term.attrs, ',', [&](std::string_view part) {
      const std::size_t equals = part.find('=');
      attrs.push_back({part.substr(0, equals), AttrFromText(part.substr(equals + 1))});
      return false;
    });
    return attrs;
  }
  Refusal MakeInputs(int at, SlimVector<InEdge>* inputs) {
    int next = at + 1;
    for (int i = 0; i < rule_.result.terms[at].num_inputs; ++i) {
      const PatternTerm& term = rule_.result.terms[next];
      InEdge edge;
      if (term.kind == PatternTerm::Kind::kValue) {
        edge = ValueOf(term);
      } else {
        SlimVector<InEdge> own;
        if (const Refusal why = MakeInputs(next, &own); !why.empty()) return why;
        const SlimVector<IndexedGraph::Attr> attrs = AttrsOf(term);
        if (term.kind == PatternTerm::Kind::kNumber && graph_.frame(match_.root()) != 0) return "in a loop";
        const Result<int> id =
            term.kind == PatternTerm::Kind::kNumber
                ? graph_.AddConstant(ScalarOf(graph_.type({match_.root(), 0}), term.number), match_.root())
                : graph_.Add(term.ops, match_.root(), own, attrs);
        if (!id.ok()) {
          for (const int added : made_) graph_.RemoveIfUnused(added);
          return "no kernel or other types";
        }
        made_.push_back(*id);
        edge = {*id, 0};
      }
      inputs->push_back(edge);
      next = term.end;
    }
    return {};
  }

  const Rule& rule_;
  const Match& match_;
  IndexedGraph& graph_;
  SlimVector<int> made_;
};

// Which rules begin with an op.
class RuleIndex {
 public:
  RuleIndex(Span<const Rule> rules, OptimizerLevel level) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].level > level) continue;
      AnyPart(rules[i].pattern.terms[0].ops, '|', [&](std::string_view op) {
        const auto name_of = [this](int at) { return ops_[ToSize(at)]; };
        int at = index_.Insert(op, static_cast<int>(ops_.size()), name_of);
        if (at < 0) {
          at = static_cast<int>(ops_.size());
          ops_.push_back(op);
          rules_.emplace_back();
        }
        rules_[ToSize(at)].push_back(static_cast<int>(i));
        return false;
      });
    }
  }
  Span<const int> Of(std::string_view op) const {
    const int at = index_.Find(op, [this](int i) { return ops_[ToSize(i)]; });
    return at < 0 ? Span<const int>() : Span<const int>(rules_[ToSize(at)].data(), rules_[ToSize(at)].size());
  }

 private:
  SlimVector<std::string_view> ops_;
  SlimVector<SlimVector<int>> rules_;
  NameIndex index_;
};

}  // namespace detail

// Tries the rules at every node, inputs first, and again where a rule has changed something. Patterns and names of
// rules outlive the run's report.
inline void ApplyRules(Span<const Rule> rules, PassRun* run) {
  IndexedGraph& graph = run->graph();
  const detail::RuleIndex index(rules, run->level());
  SlimVector<int> todo = graph.Order(), changed;
  SlimVector<char> waits(ToSize(graph.num_nodes()), 1);
  const auto revisit = [&](int id) {
    if (waits.size() < ToSize(graph.num_nodes())) waits.resize(ToSize(graph.num_nodes()), 0);
    if (!graph.is_alive(id) || waits[ToSize(id)] != 0) return;
    waits[ToSize(id)] = 1;
    todo.push_back(id);
  };
  for (std::size_t i = 0; i < todo.size() && run->MayGoOn(); ++i) {
    const int id = todo[i];
    waits[ToSize(id)] = 0;
    if (!graph.is_alive(id)) continue;
    for (const int number : index.Of(graph.node(id).op_name())) {
      const Rule& rule = rules[ToSize(number)];
      Match match(&graph, &rule.pattern);
      if (!match.Fits({id, 0})) {
        if (!match.refused().empty()) run->Refuse(rule.name, match.refused());
        continue;
      }
      Refusal why = rule.guard != nullptr ? rule.guard(match) : Refusal();
      if (!why.empty() && why != kNoMatch) run->Refuse(rule.name, why);
      if (!why.empty()) continue;
      changed.clear();
      graph.ForEachReader(id, [&](const OutEdge& edge) { changed.push_back(edge.node); });
      const int first_new = graph.num_nodes();
      why = rule.result.empty() ? rule.rewrite(match) : detail::RuleResult(rule, match).Make();
      if (!why.empty()) {
        if (why != kNoMatch) run->Refuse(rule.name, why);
        continue;
      }
      run->Apply(rule.name);
      for (int made = first_new; made < graph.num_nodes(); ++made) revisit(made);
      revisit(id);
      for (const int reader : changed) revisit(reader);
      break;
    }
  }
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
