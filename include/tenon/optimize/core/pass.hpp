// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pass: a named function that improves an IndexedGraph. PassRun: the graph, the options and the counts of one pass.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/clock.hpp>
#include <tenon/base/config.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/report.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The refusal of a rule that has looked closer: the nodes do not have its form, and no report counts them.
inline constexpr std::string_view kNoMatch = "-";

// Computes nodes whose inputs are constants.
class NodeEvaluator {
 public:
  virtual ~NodeEvaluator() = default;
  // All outputs of the node; false: they are not to be had now.
  virtual bool Evaluate(const Node& node, Span<const Tensor> inputs, SlimVector<Tensor>* outputs) = 0;
};

// Limits of one optimisation. `cancellation` may be null.
struct PassLimits {
  std::int64_t end_ns = 0;  // 0: none
  int most_nodes = 0;
  const CancellationManager* cancellation = nullptr;
};

// One round of one pass. externally synchronised.
class PassRun {
 public:
  // All outlive this; `evaluator` may be null.
  PassRun(IndexedGraph* graph, const OptimizerOptions& options, const PassLimits& limits, NodeEvaluator* evaluator,
          PassReport* report)
      : graph_(graph), options_(options), limits_(limits), evaluator_(evaluator), report_(report) {}

  IndexedGraph& graph() const { return *graph_; }
  OptimizerLevel level() const { return options_.level; }
  NodeEvaluator* evaluator() const { return evaluator_; }
  void Apply(std::string_view rule) {
    ++applied_;
    report_->Count(rule);
  }
  void Refuse(std::string_view rule, std::string_view why) { report_->Count(rule, why); }
  int applied() const { return applied_; }
  // The algorithm that the options choose for a node; "size" without a choice. The report gets it.
  std::string_view Choose(std::string_view node) {
    std::string_view algorithm = "size";
    for (const NodeChoice& choice : options_.choices)
      if (choice.node == node) algorithm = choice.algorithm;
    for (const NodeChoice& known : report_->choices)
      if (known.node == node) return algorithm;
    report_->choices.push_back({std::string(node), std::string(algorithm)});
    return algorithm;
  }

  // False: a limit is reached, and the pass ends where it is.
  bool MayGoOn() {
    if (graph_->num_alive() > limits_.most_nodes) stopped_ = "the graph grew too large";
    if ((++steps_ & 255) == 0) {
      if (limits_.end_ns != 0 && SteadyNanoseconds() > limits_.end_ns) stopped_ = "time is over";
      if (limits_.cancellation != nullptr && limits_.cancellation->IsCancelled()) stopped_ = "cancelled";
    }
    if (steps_ > 64 * static_cast<std::int64_t>(graph_->num_nodes()) + 10'000) stopped_ = "too many steps";
    return stopped_.empty();
  }
  std::string_view stopped() const { return stopped_; }

 private:
  IndexedGraph* graph_;
  const OptimizerOptions& options_;
  const PassLimits& limits_;
  NodeEvaluator* evaluator_;
  PassReport* report_;
  int applied_ = 0;
  std::int64_t steps_ = 0;
  std::string_view stopped_;
};

// A row of the table of passes (optimize/passes.hpp). `level`: the lowest at which it runs. `run`: null where the pass
// does not take part in the rounds. `at_end`: runs where a round of the others has changed nothing.
struct Pass {
  std::string_view name;
  OptimizerLevel level;
  void (*run)(PassRun* run);
  bool at_end = false;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
