// SPDX-License-Identifier: Apache-2.0
#pragma once
// LowerFunctionalOps: If, Case, While and For become Switch, Merge, Enter, Exit, NextIteration and LoopCond, and the
// bodies of their functions become part of the graph. As in TensorFlow's lowering, node by node; For is Tenon's
// addition.
//
//   Session::FromGraphFile("model.pb", {.lower_control_flow = LowerFunctionalOps})

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/op_def/call_settings.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/call_numbers.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/import_limits.hpp>
#include <tenon/graph/inline_function.hpp>
#include <tenon/graph/lower_loop.hpp>
#include <tenon/graph/lowered_nodes.hpp>
#include <tenon/graph/rewrite.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

inline constexpr std::string_view kLowerUsingSwitchMergeAttr = "_lower_using_switch_merge";

// If and Case become Switch and Merge nodes with a call for each branch between them. one thread.
class BranchLowering final : public LoweredNodes {
 public:
  using LoweredNodes::LoweredNodes;

  Status LowerIf() {
    DataType pred = DataType::kInvalid;
    SlimVector<NameAttrList> branches(2);  // else, then: the outputs of a Switch
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "Tcond", &pred));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "else_branch", &branches[0]));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "then_branch", &branches[1]));
    if (pred != DataType::kBool) return OkStatus();  // a Switch takes nothing else
    return LowerBranches(branches, "Switch", pred);
  }
  Status LowerCase() {
    SlimVector<NameAttrList> branches;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "branches", &branches));
    return LowerBranches(branches, "_SwitchN", DataType::kInt32);
  }

 private:
  Status LowerBranches(const SlimVector<NameAttrList>& branches, std::string_view op, DataType selector) {
    SlimVector<DataType> in, out;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "Tin", &in));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node_, "Tout", &out));
    const bool is_if = op == "Switch";
    const auto add_switch = [&](std::string name, std::string_view device, SlimVector<std::string> inputs,
                                DataType type) {
      NodeDef made = MakeNodeDef(std::move(name), op, device, std::move(inputs));
      made.attr.Insert("T", AttrValue(type));
      if (!is_if) made.attr.Insert("num_outs", AttrValue(static_cast<std::int64_t>(branches.size())));
      return made;
    };

    // Pivots: one node of each branch that runs if and only if the branch is taken.
    SlimVector<std::string> by_selector{data_[0], data_[0]};
    by_selector.append(control_.begin(), control_.end());
    const std::string chosen =
        Add(add_switch(NewName(is_if ? "switch_pred" : "branch_index"), node_.device, by_selector, selector));
    SlimVector<std::string> pivots, calls;
    for (std::size_t b = 0; b < branches.size(); ++b) {
      const std::string part = is_if ? (b == 0 ? "pivot_f" : "pivot_t") : StrCat("pivot_", b);
      pivots.push_back(
          Add(NewName(part), "Identity", node_.device, {TensorNameOf(chosen, static_cast<int>(b))}, selector));
    }
    SlimVector<std::string> switches;
    for (std::size_t k = 0; k < in.size(); ++k) {
      const std::string source = SourceOf(data_[k + 1]);
      NodeDef made = add_switch(NewName(source), DeviceOf(source), {data_[k + 1], data_[0]}, in[k]);
      made.attr.Insert(std::string(kColocationAttr),
                       AttrValue(SlimVector<std::string>{StrCat(kColocationPrefix, source)}));
      switches.push_back(Add(std::move(made)));
    }
    for (std::size_t b = 0; b < branches.size(); ++b) {
      SlimVector<std::string> inputs;
      for (const std::string& name : switches) inputs.push_back(TensorNameOf(name, static_cast<int>(b)));
      const std::string part = is_if ? (b == 0 ? "else" : "then") : StrCat("branch", b);
      calls.push_back(AddCall(part, branches[b], std::move(inputs), in, out, pivots[b]));
    }
    FinishBranches(out, selector, pivots, calls);
    return OkStatus();
  }

  // Consumers read the merges, so that they need not wait for all outputs; who waits for the node waits for the branch.
  void FinishBranches(const SlimVector<DataType>& out, DataType selector, const SlimVector<std::string>& pivots,
                      const SlimVector<std::string>& calls) {
    const bool is_if = selector == DataType::kBool;
    SlimVector<std::string> merges;
    for (std::size_t k = 0; k < out.size(); ++k) {
      SlimVector<std::string> inputs;
      for (std::size_t b = calls.size(); b-- > 0;) inputs.push_back(TensorNameOf(calls[b], static_cast<int>(k)));
      merges.push_back(AddMerge(NewName(is_if ? "output" : "merge"), node_.device, std::move(inputs), out[k]));
    }
    SlimVector<std::string> inputs;
    for (std::size_t b = pivots.size(); b-- > 0;) inputs.push_back(pivots[b]);
    const std::string executed = AddMerge(NewName("branch_executed"), node_.device, std::move(inputs), selector, calls);
    Finish(out, merges, executed);
  }
};

struct LowerOptions {
  bool unmarked = false;  // also If, Case, While and For without _lower_using_switch_merge
  bool branches_and_loops = true;  // false: calls alone
  bool inline_calls = false;  // also the graph's own calls without _lower_as_multi_device_function
  int max_nodes = 1'000'000;  // that may be added: calls within calls multiply
};

namespace detail {

// Sets of numbers that are not negative. Each is made from another one, which stays, in a time that grows with the
// logarithm of its size. one thread.
class NumberSets {
 public:
  static constexpr int kEmpty = 0;
  bool Has(int set, int number) const {
    for (int bit = 0; set > 0; ++bit) set = forks_[ToSize(set)].child[number >> bit & 1];
    return set == ~number;
  }
  // Returns the set with one number more, which is not in it.
  int With(int set, int number, int bit = 0) {
    if (set == kEmpty) return ~number;
    Fork made = set > 0 ? forks_[ToSize(set)] : Fork();
    if (set < 0) made.child[~set >> bit & 1] = set;
    int& child = made.child[number >> bit & 1];
    child = With(child, number, bit + 1);
    forks_.push_back(made);
    return static_cast<int>(forks_.size()) - 1;
  }

 private:
  struct Fork {
    int child[2] = {kEmpty, kEmpty};  // by the next bit of the number: a fork, or a number inverted
  };
  SlimVector<Fork> forks_{Fork()};  // the first is not used
};

}  // namespace detail

// Does the work of LowerFunctionalOps; use that. one thread.
class FunctionalLowering {
 public:
  FunctionalLowering(const Graph& graph, const FunctionDefLibrary& library, const OpRegistry& registry,
                     const LowerOptions& options)
      : functions_(library),
        ops_(registry),
        options_(options),
        given_(graph.num_nodes()),
        rewrite_(graph.ToGraphDef()) {
    for (const Node& node : graph.nodes()) {
      has_retvals_ = has_retvals_ || node.node_class == NodeClass::kRetval;
      chooses_by_shape_.push_back(ChoosesByShape(graph, node));
    }
    callers_of_.assign(static_cast<std::size_t>(given_), detail::NumberSets::kEmpty);
  }

  // Nodes that a lowering adds come last, so that they are lowered as well.
  Status Run() {
    for (int i = 0; i < rewrite_.size(); ++i) {
      TENON_RETURN_IF_ERROR(Lower(i));
      if (rewrite_.size() - given_ > options_.max_nodes) return TooMany(i);
      callers_of_.resize(static_cast<std::size_t>(rewrite_.size()), next_callers_);
    }
    return OkStatus();
  }
  bool changed() const { return changed_; }
  GraphDef Finish() && { return std::move(rewrite_).Finish(); }

 private:
  TENON_DETAIL_COLD Status TooMany(int i) const {
    return errors::ResourceExhausted("LowerFunctionalOps: more than ", options_.max_nodes,
                                     " nodes would be added, the last ones for ",
                                     FormatNodeForError(rewrite_.node(i).name),
                                     "; functions that call others many times are better called than inlined");
  }

  static bool Has(const NodeDef& node, std::string_view attr) {
    const AttrValue* value = node.attr.Find(attr);
    return value != nullptr && (value->kind() == AttrValue::Kind::kBool ? value->b() : !value->s().empty());
  }

  // An If whose condition is known to be no scalar: not marked, it runs by whether that has elements.
  static bool ChoosesByShape(const Graph& graph, const Node& node) {
    if ((node.op_name() != "If" && node.op_name() != "StatelessIf") || node.num_inputs() == 0) return false;
    const InEdge edge = node.input(0);
    return edge.node >= 0 && graph.node(edge.node).output_shape(edge.output).dims() > 0;
  }

  Status Lower(int i) {
    next_callers_ = callers_of_[ToSize(i)];
    const NodeDef node = rewrite_.node(i);
    if (!rewrite_.is_live(i) || Has(node, "_tpu_replicate") || Has(node, "_xla_compile_id")) return OkStatus();
    if (node.op == "PartitionedCall" || node.op == "StatefulPartitionedCall") return LowerCall(i, node);
    if (!options_.branches_and_loops) return OkStatus();
    if (!Has(node, kLowerUsingSwitchMergeAttr) && (!options_.unmarked || (i < given_ && chooses_by_shape_[ToSize(i)])))
      return OkStatus();
    const bool is_case = node.op == "Case" || node.op == "StatelessCase";
    if (node.op == "If" || node.op == "StatelessIf" || is_case) {
      BranchLowering branches(&rewrite_, i, Keep(i));
      TENON_RETURN_IF_ERROR(is_case ? branches.LowerCase() : branches.LowerIf());
      changed_ = changed_ || branches.replaced();
    } else if (node.op == "While" || node.op == "StatelessWhile" || node.op == "For") {
      LoopLowering loop(&rewrite_, i, Keep(i));
      TENON_RETURN_IF_ERROR(node.op == "For" ? loop.LowerFor(ops_.registry()) : loop.LowerWhile(functions_));
      changed_ = changed_ || loop.replaced();
    }
    return OkStatus();
  }

  KeepCaller Keep(int i) const {
    if (i >= given_) return KeepCaller::kNo;
    return has_retvals_ ? KeepCaller::kTargetable : KeepCaller::kFetchable;
  }

  // ---- calls
  // A call that cannot be inlined stays one: what is wrong with it is said when it runs.
  Status LowerCall(int i, const NodeDef& node) {
    const bool multi_device = Has(node, kLowerAsMultiDeviceFunctionAttr);
    if (!options_.inline_calls && !multi_device && i < given_) return OkStatus();
    if (options_.inline_calls && !multi_device && !CheckCallSettings(node).ok()) return OkStatus();
    NameAttrList f;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "f", &f));
    if (!Has(node, kDirectCallAttr) && TakesLists(f.name)) return OkStatus();
    const int number = numbers_.Insert(f);
    if (sets_.Has(next_callers_, number)) return OkStatus();  // a recursion: inlining it would never end
    InlineOptions options;
    options.keep_caller = Keep(i);
    if (!multi_device && Has(node, kDirectCallAttr)) {
      options.output_control = OutputControl::kDataOutputs;
      options.device = InlinedDevice::kCaller;
    }
    if (!InlineFunctionCall(functions_, &ops_, i, options, &rewrite_).ok()) return OkStatus();
    changed_ = true;
    next_callers_ = sets_.With(next_callers_, number);
    return OkStatus();
  }

  // Which a PartitionedCall refuses.
  bool TakesLists(std::string_view name) const {
    const FunctionDef* function = functions_.Find(name);
    if (function == nullptr) return false;
    bool lists = false;
    for (const auto* args : {&function->signature.input_arg, &function->signature.output_arg})
      for (const OpDef::ArgDef& arg : *args) lists = lists || !arg.number_attr.empty() || !arg.type_list_attr.empty();
    return lists;
  }

  const FunctionIndex functions_;
  OpInfoCache ops_;
  const LowerOptions& options_;
  const int given_;  // nodes before the lowering
  GraphRewrite rewrite_;
  CallNumbers numbers_;  // numbers of the called functions
  detail::NumberSets sets_;
  SlimVector<int> callers_of_;  // per node: the functions whose bodies it comes from, a set
  SlimVector<bool> chooses_by_shape_;  // per node given
  int next_callers_ = detail::NumberSets::kEmpty;  // set for the nodes that are being added
  bool has_retvals_ = false;
  bool changed_ = false;
};

// Lowers the If, Case, While and For nodes of the graph that are marked so, and those in the functions that it inlines
// for them. A node of which a session may know the name stays: as an IdentityN of the results, or, in a graph with
// _Retval nodes, as a NoOp. Functions are those of `library`; `registry` outlives the graph, and has Switch, Merge and
// the other ops. What cannot be lowered (a recursion, a function marked _noinline, a condition that is no bool or
// known to be no scalar, a While whose variables are all resources, a For where the registry lacks an op of its
// counter) stays as it is and runs natively. ResourceExhausted when the graph would grow without measure; after an
// error the graph is what it was.
inline Status LowerFunctionalOps(Graph* graph, const FunctionDefLibrary& library, const OpRegistry& registry,
                                 const LowerOptions& options) {
  FunctionalLowering lowering(*graph, library, registry, options);
  TENON_RETURN_IF_ERROR(lowering.Run());
  if (!lowering.changed()) return OkStatus();
  ImportOptions as_lowered;
  as_lowered.allow_internal_ops = true;
  as_lowered.ignore_shape_errors = true;  // in a branch that never runs they do no harm
  as_lowered.limits = ImportLimits::OfCheckedGraph();
  TENON_ASSIGN_OR_RETURN(Graph lowered, ImportGraphDef(std::move(lowering).Finish(), registry, as_lowered));
  lowered.mutable_left_out() = std::move(graph->mutable_left_out());
  *graph = std::move(lowered);
  return OkStatus();
}
// Lowers as TensorFlow does: SessionOptions::lower_control_flow may be this.
inline Status LowerFunctionalOps(Graph* graph, const FunctionDefLibrary& library, const OpRegistry& registry) {
  return LowerFunctionalOps(graph, library, registry, LowerOptions{});
}
// Lowers and inlines calls, so that the nodes of a function have devices of their own and may use objects that live
// on several: TensorFlow's multi-device functions. The default of sessions on several devices. Calls that would
// multiply without measure stay calls.
inline Status LowerForDevices(Graph* graph, const FunctionDefLibrary& library, const OpRegistry& registry) {
  const Status status = LowerFunctionalOps(graph, library, registry, LowerOptions{.inline_calls = true});
  return status.code() != Code::kResourceExhausted ? status : LowerFunctionalOps(graph, library, registry);
}
// Everything that can be lowered and inlined, marked or not: another choice for it.
inline Status LowerAllFunctionalOps(Graph* graph, const FunctionDefLibrary& library, const OpRegistry& registry) {
  return LowerFunctionalOps(graph, library, registry, LowerOptions{.unmarked = true, .inline_calls = true});
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
