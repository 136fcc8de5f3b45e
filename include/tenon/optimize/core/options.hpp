// SPDX-License-Identifier: Apache-2.0
#pragma once
// OptimizerOptions: how a session optimises its graph before it runs. Plain data with designated initialisers.

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct OptimizationReport;

// Which passes run.
enum class OptimizerLevel : std::uint8_t {
  kOff,  // runs the graph as it is
  kExact,  // passes after which every output has the same bits
  kFast,  // also passes that change the rounding of results
};

// Gets the report of each optimised signature. thread-safe.
class OptimizationSink {
 public:
  virtual ~OptimizationSink() = default;
  // Called once for each signature and each called function that was optimised.
  virtual void Optimized(const OptimizationReport& report) = 0;
};

// How a node computes where the optimizer has a choice. A convolution that the pass "convolutions" finds: "direct",
// "winograd", or "size", by which the kernel knows the faster one of most images.
struct NodeChoice {
  std::string node;  // its name before nodes are fused, as OptimizationReport has it
  std::string algorithm;
};

// Options of the optimizer, as TensorFlow's RewriterConfig. A level other than kOff needs <tenon/optimizer.hpp> in one
// source file of the program.
//
//   Session::FromGraphFile("model.pb", {.optimizer = {.level = OptimizerLevel::kExact, .disabled = {"remap"}}})
struct OptimizerOptions {
  OptimizerLevel level = OptimizerLevel::kOff;
  std::vector<std::string> only = {};  // names of the passes that run, whatever their level; empty: those of the level
  std::vector<std::string> disabled = {};  // names of passes that do not run
  std::vector<std::string> keep = {};  // names of nodes that stay, besides those that a run names
  int max_iterations = 8;  // rounds over all passes; fewer when a round changes nothing
  int time_limit_in_ms = 10'000;  // no pass starts later [ms]; 0: none. The graph so far runs
  double max_growth = 4;  // the graph gets at most this many nodes per node it had
  std::vector<NodeChoice> choices = {};  // measured ones (`tenon bench --tune`) at kFast; other nodes have "size"
  OptimizationSink* sink = nullptr;  // gets reports; outlives the session
};

TENON_DETAIL_NAMESPACE_END
