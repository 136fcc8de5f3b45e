// SPDX-License-Identifier: Apache-2.0
#pragma once
// The table of passes, in the order of a round. Names are those of TensorFlow's RewriterConfig where it has them.

#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/passes/arithmetic.hpp>
#include <tenon/optimize/passes/common_subexpressions.hpp>
#include <tenon/optimize/passes/constant_folding.hpp>
#include <tenon/optimize/passes/convolutions.hpp>
#include <tenon/optimize/passes/dead_branches.hpp>
#include <tenon/optimize/passes/dependency.hpp>
#include <tenon/optimize/passes/fold_batch_norms.hpp>
#include <tenon/optimize/passes/fusion.hpp>
#include <tenon/optimize/passes/inline_functions.hpp>
#include <tenon/optimize/passes/loop_invariants.hpp>
#include <tenon/optimize/passes/movement.hpp>
#include <tenon/optimize/passes/prune.hpp>
#include <tenon/optimize/passes/quantization.hpp>
#include <tenon/optimize/passes/remap.hpp>
#include <tenon/optimize/passes/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr std::string_view kFunctionPass = "function";

inline void OptimizeLoops(PassRun* run) {
  RemoveDeadBranches(run);
  MoveLoopInvariants(run);
}

inline constexpr Pass kPasses[] = {
    {kFunctionPass, OptimizerLevel::kExact, nullptr},  // once, before the rounds: InlineFunctions
    {"pruning", OptimizerLevel::kExact, Prune},
    {"shape", OptimizerLevel::kExact, MaterialiseShapes},
    {"quantization", OptimizerLevel::kFast, Quantize},  // before the FakeQuant nodes of weights are folded
    {"constant_folding", OptimizerLevel::kExact, FoldConstants},
    {"common_subgraph_elimination", OptimizerLevel::kExact, MergeCommonSubexpressions},
    {"loop", OptimizerLevel::kExact, OptimizeLoops},
    {"arithmetic", OptimizerLevel::kExact, SimplifyArithmetic},
    {"movement", OptimizerLevel::kExact, SimplifyMovement},
    {"fold_batch_norms", OptimizerLevel::kFast, FoldBatchNorms},
    {"remap", OptimizerLevel::kExact, Remap},
    {"dependency", OptimizerLevel::kExact, OptimizeDependencies},
    {"convolutions", OptimizerLevel::kFast, MarkConvolutions, true},
    {"fusion", OptimizerLevel::kExact, FuseElementwise, true},
    {"products", OptimizerLevel::kExact, FuseProducts, true},
};

TENON_DETAIL_NAMESPACE_END
