// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rule: a pattern and the value that replaces it. ApplyRules lets a list of rules work on a graph until none fits.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/has_item.hpp>
#include <tenon/base/owned.hpp>
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
  PatternText pattern;
  PatternText result;
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
  RuleResult(const Rule& rule, const Match& match)
      : result_(rule.result.Read()), match_(match), graph_(match.graph()) {}

  Refusal Make() {
    const PatternTerm root = result_.term(0);
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
  InEdge ValueOf(const PatternTerm& term) const { return match_[result_.name(term.slot)]; }
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
    for (int i = 0; i < result_.term(at).num_inputs; ++i) {
      const PatternTerm term = result_.term(next);
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

  const Pattern result_;
  const Match& match_;
  IndexedGraph& graph_;
  SlimVector<int> made_;
};

// Ops, by their address: many nodes are asked for.
class OpSet {
 public:
  // Number of the op, in the order of their first Add.
  int Find(const OpView* op) const {
    if (slots_.empty()) return -1;
    for (std::size_t at = SlotOf(op);; at = (at + 1) & (slots_.size() - 1)) {
      if (slots_[at] < 0) return -1;
      if (ops_[ToSize(slots_[at])] == op) return slots_[at];
    }
  }
  bool Has(const OpView* op) const { return Find(op) >= 0; }
  // True: the op is new.
  bool Add(const OpView* op) {
    if (Has(op)) return false;
    ops_.push_back(op);
    if (slots_.size() < 4 * ops_.size()) {
      slots_.assign(slots_.empty() ? 16 : 4 * slots_.size(), -1);
      for (std::size_t i = 0; i < ops_.size(); ++i) Place(static_cast<int>(i));
    } else {
      Place(static_cast<int>(ops_.size()) - 1);
    }
    return true;
  }

 private:
  std::size_t SlotOf(const OpView* op) const {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(op));
    return static_cast<std::size_t>((address * 0x9E3779B97F4A7C15u) >> 40) & (slots_.size() - 1);
  }
  void Place(int number) {
    std::size_t at = SlotOf(ops_[ToSize(number)]);
    while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = number;
  }

  SlimVector<const OpView*> ops_;
  SlimVector<int> slots_;  // numbers in ops_
};

// Which rules begin with an op, and which nodes these need to read.
class RuleIndex {
 public:
  // An input of the first node: it computes one of these ops, or is a constant.
  struct Need {
    int input = 0;
    bool either = false;  // input 0 or 1
    bool constant = false;
    SlimVector<const OpView*> ops;
  };
  struct Entry {
    const Rule* rule = nullptr;
    const Pattern* pattern = nullptr;
    SlimVector<Need> needs;
  };

  // Leaves out rules that need ops of which `present` has none.
  RuleIndex(Span<const Rule> rules, OptimizerLevel level, OpInfoCache* ops, const OpSet& present) {
    for (const Rule& rule : rules) {
      if (rule.level > level) continue;
      auto pattern = MakeOwned<Pattern>(rule.pattern.Read());
      if (!MayOccur(*pattern, ops, present)) continue;
      const Entry entry{&rule, pattern.get(), NeedsOf(*pattern, ops)};
      for (const OpView* const op : OpsOf(pattern->term(0).ops, ops)) {
        if (first_.Add(op)) entries_.emplace_back();
        entries_[ToSize(first_.Find(op))].push_back(entry);
      }
      patterns_.push_back(std::move(pattern));
    }
  }
  // The rules whose first node may be this one.
  Span<const Entry> Of(const Node& node) const {
    const int at = first_.Find(node.op);
    return at < 0 ? Span<const Entry>() : Span<const Entry>(entries_[ToSize(at)].data(), entries_[ToSize(at)].size());
  }
  // False: an input is not what the pattern asks for.
  static bool MayFit(const IndexedGraph& graph, const Node& node, const Entry& entry) {
    const auto fits = [&](const Need& need, int input) {
      if (ToSize(input) >= node.inputs.size() || node.inputs[ToSize(input)].node < 0) return false;
      const Node& from = graph.node(node.inputs[ToSize(input)].node);
      if (need.constant) return from.node_class == NodeClass::kConstant;
      for (const OpView* const op : need.ops)
        if (from.op == op) return true;
      return false;
    };
    for (const Need& need : entry.needs)
      if (need.either ? !fits(need, 0) && !fits(need, 1) : !fits(need, need.input)) return false;
    return true;
  }

 private:
  static SlimVector<const OpView*> OpsOf(std::string_view names, OpInfoCache* ops) {
    SlimVector<const OpView*> found;
    AnyPart(names, '|', [&](std::string_view name) {
      if (const OpInfo* const info = ops->Find(name)) found.push_back(&info->op());
      return false;
    });
    return found;
  }
  // Whether the graph has some op for each term of the pattern.
  static bool MayOccur(const Pattern& pattern, OpInfoCache* ops, const OpSet& present) {
    for (int i = 0; i < pattern.size; ++i) {
      const PatternTerm term = pattern.term(i);
      if (term.kind == PatternTerm::Kind::kOp &&
          !AnyItem(OpsOf(term.ops, ops), [&](const OpView* op) { return present.Has(op); }))
        return false;
    }
    return true;
  }
  static SlimVector<Need> NeedsOf(const Pattern& pattern, OpInfoCache* ops) {
    SlimVector<Need> needs;
    int next = 1;
    for (int i = 0; i < pattern.term(0).num_inputs; ++i) {
      const PatternTerm term = pattern.term(next);
      next = term.end;
      const bool constant = term.kind == PatternTerm::Kind::kNumber || term.constant;
      Need need{i, pattern.term(0).commutes && i < 2, constant, {}};
      if (term.kind == PatternTerm::Kind::kOp)
        need.ops = OpsOf(term.ops, ops);
      else if (!need.constant)
        continue;
      needs.push_back(std::move(need));
    }
    return needs;
  }
  SlimVector<Owned<Pattern>> patterns_;
  OpSet first_;
  SlimVector<SlimVector<Entry>> entries_;  // per op in first_
};

}  // namespace detail

// Tries the rules at every node, inputs first, and again where a rule has changed something. Patterns and names of
// rules outlive the run's report.
inline void ApplyRules(Span<const Rule> rules, PassRun* run) {
  IndexedGraph& graph = run->graph();
  detail::OpSet present;
  for (int id = 0; id < graph.num_nodes(); ++id)
    if (graph.is_alive(id)) present.Add(graph.node(id).op);
  detail::RuleIndex index(rules, run->level(), graph.ops(), present);
  bool any = false;
  for (int id = 0; id < graph.num_nodes() && !any; ++id) any = graph.is_alive(id) && !index.Of(graph.node(id)).empty();
  if (!any) return;
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
    for (const detail::RuleIndex::Entry& entry : index.Of(graph.node(id))) {
      if (!detail::RuleIndex::MayFit(graph, graph.node(id), entry)) continue;
      const Rule& rule = *entry.rule;
      Match match(&graph, entry.pattern);
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
      // Ops that were not there may make other rules fit.
      bool is_new = graph.is_alive(id) && present.Add(graph.node(id).op);
      for (int made = first_new; made < graph.num_nodes(); ++made) is_new = present.Add(graph.node(made).op) || is_new;
      if (is_new) index = detail::RuleIndex(rules, run->level(), graph.ops(), present);
      for (int made = first_new; made < graph.num_nodes(); ++made) revisit(made);
      revisit(id);
      for (const int reader : changed) revisit(reader);
      break;
    }
  }
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
