// SPDX-License-Identifier: Apache-2.0
#pragma once
// LowerFunctionalOps: If, Case and While become Switch, Merge, Enter, Exit, NextIteration and LoopCond, and the bodies
// of their functions become part of the graph. As in TensorFlow's lowering, node by node.
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
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr_value.hpp>
#include <tenon/op/function_def.hpp>
#include <tenon/op/node_def.hpp>
#include <tenon/op/node_def_edit.hpp>
#include <tenon/op/op_registry.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/inline_function.hpp>
#include <tenon/graph/rewrite.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

inline constexpr std::string_view kLowerUsingSwitchMergeAttr = "_lower_using_switch_merge";
inline constexpr std::string_view kLowerAsMultiDeviceFunctionAttr = "_lower_as_multi_device_function";

struct LowerOptions {
  bool unmarked = false;      // also If, Case and While without _lower_using_switch_merge
  bool inline_calls = false;  // also the graph's own calls without _lower_as_multi_device_function
  int max_nodes = 1'000'000;  // that may be added: calls within calls multiply
};

// Does the work of LowerFunctionalOps; use that. one thread.
class FunctionalLowering {
 public:
  FunctionalLowering(const Graph& graph, const FunctionDefLibrary& library, const OpRegistry& registry,
                     const LowerOptions& options)
      : library_(library),
        registry_(registry),
        options_(options),
        given_(graph.num_nodes()),
        rewrite_(graph.ToGraphDef()) {
    for (const Node& node : graph.nodes()) has_retvals_ = has_retvals_ || node.node_class == NodeClass::kRetval;
    chain_of_.assign(static_cast<std::size_t>(given_), -1);
  }

  // Nodes that a lowering adds come last, so that they are lowered as well.
  Status Run() {
    for (int i = 0; i < rewrite_.size(); ++i) {
      TENON_RETURN_IF_ERROR(Lower(i));
      if (rewrite_.size() - given_ > options_.max_nodes) return TooMany(i);
      chain_of_.resize(static_cast<std::size_t>(rewrite_.size()), next_chain_);
    }
    return OkStatus();
  }
  bool changed() const { return changed_; }
  GraphDef Finish() && { return std::move(rewrite_).Finish(); }

 private:
  // The functions whose bodies a node comes from.
  struct Chain {
    int outer;  // chain, -1: the graph itself
    NameAttrList function;
  };
  struct Loop {
    const NodeDef& node;
    SlimVector<std::string> data;  // inputs
    SlimVector<DataType> types;
    std::int64_t parallel_iterations = 10;
    SlimVector<std::string> enter, merge, exit, inside;  // per variable; resources have only an enter
  };

  static std::size_t Slot(int i) { return static_cast<std::size_t>(i); }
  TENON_COLD Status TooMany(int i) const {
    return errors::ResourceExhausted("LowerFunctionalOps: more than ", options_.max_nodes,
                                     " nodes would be added, the last ones for ",
                                     FormatNodeForError(rewrite_.node(i).name),
                                     "; functions that call others many times are better called than inlined");
  }

  static bool Has(const NodeDef& node, std::string_view attr) {
    const AttrValue* value = node.attr.Find(attr);
    return value != nullptr && (value->kind() == AttrValue::Kind::kBool ? value->b() : !value->s().empty());
  }

  Status Lower(int i) {
    next_chain_ = chain_of_[Slot(i)];
    const NodeDef node = rewrite_.node(i);
    if (!rewrite_.is_live(i) || Has(node, "_tpu_replicate") || Has(node, "_xla_compile_id")) return OkStatus();
    if (node.op == "PartitionedCall" || node.op == "StatefulPartitionedCall") return LowerCall(i, node);
    if (!options_.unmarked && !Has(node, kLowerUsingSwitchMergeAttr)) return OkStatus();
    if (node.op == "If" || node.op == "StatelessIf") return LowerIf(i, node);
    if (node.op == "Case" || node.op == "StatelessCase") return LowerCase(i, node);
    if (node.op == "While" || node.op == "StatelessWhile") return LowerWhile(i, node);
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
    NameAttrList f;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "f", &f));
    if (!Has(node, kDirectCallAttr) && TakesLists(f.name)) return OkStatus();
    for (int at = next_chain_; at >= 0; at = chains_[Slot(at)].outer)
      if (chains_[Slot(at)].function == f) return OkStatus();  // a recursion: inlining it would never end
    InlineOptions options;
    options.keep_caller = Keep(i);
    if (!multi_device && Has(node, kDirectCallAttr)) {
      options.output_control = OutputControl::kDataOutputs;
      options.device = InlinedDevice::kCaller;
    }
    if (!InlineFunctionCall(library_, registry_, i, options, &rewrite_).ok()) return OkStatus();
    changed_ = true;
    chains_.push_back({next_chain_, std::move(f)});
    next_chain_ = static_cast<int>(chains_.size()) - 1;
    return OkStatus();
  }

  // Which a PartitionedCall refuses.
  bool TakesLists(std::string_view name) const {
    const FunctionDef* function = FindFunction(library_, name);
    if (function == nullptr) return false;
    bool lists = false;
    for (const auto* args : {&function->signature.input_arg, &function->signature.output_arg})
      for (const OpDef::ArgDef& arg : *args) lists = lists || !arg.number_attr.empty() || !arg.type_list_attr.empty();
    return lists;
  }

  // ---- nodes
  std::string NewName(const NodeDef& node, std::string_view part) {
    return rewrite_.NewName(StrCat(node.name, "/", part));
  }
  std::string Add(NodeDef node) {
    std::string name = node.name;
    rewrite_.Add(std::move(node));
    return name;
  }
  std::string Add(std::string name, std::string_view op, std::string_view device, SlimVector<std::string> inputs,
                  DataType type) {
    NodeDef node = MakeNodeDef(std::move(name), op, device, std::move(inputs));
    node.attr.Insert("T", AttrValue(type));
    return Add(std::move(node));
  }
  std::string AddMerge(std::string name, std::string_view device, SlimVector<std::string> inputs, std::size_t count,
                       DataType type) {
    NodeDef node = MakeNodeDef(std::move(name), "Merge", device, std::move(inputs));
    node.attr.Insert("N", AttrValue(static_cast<std::int64_t>(count)));
    node.attr.Insert("T", AttrValue(type));
    return Add(std::move(node));
  }
  // A call of a branch or of a loop's function, to be inlined in its turn.
  std::string AddCall(const NodeDef& node, std::string name, const NameAttrList& f, SlimVector<std::string> inputs,
                      const SlimVector<DataType>& in, const SlimVector<DataType>& out, const std::string& control) {
    NodeDef call =
        MakeNodeDef(std::move(name), StartsWith(node.op, "Stateless") ? "PartitionedCall" : "StatefulPartitionedCall",
                    node.device, std::move(inputs));
    call.input.push_back(StrCat("^", control));
    call.attr.Insert("Tin", AttrValue(in));
    call.attr.Insert("Tout", AttrValue(out));
    call.attr.Insert("f", AttrValue(f));
    call.attr.Insert(std::string(kLowerAsMultiDeviceFunctionAttr), AttrValue(true));
    call.attr.Insert(std::string(kDirectCallAttr), AttrValue(true));
    return Add(std::move(call));
  }
  static void Split(const NodeDef& node, SlimVector<std::string>* data, SlimVector<std::string>* control) {
    for (const std::string& input : node.input) (StartsWith(input, "^") ? control : data)->push_back(input);
  }
  // The device that the node making a tensor asks for, and the node's name.
  std::string_view DeviceOf(const std::string& resolved, std::string_view* source) const {
    *source = ParseTensorName(resolved).node;
    const int at = rewrite_.Find(*source);
    return at < 0 ? std::string_view() : std::string_view(rewrite_.node(at).device);
  }

  // ---- If and Case
  Status LowerIf(int i, const NodeDef& node) {
    DataType pred = DataType::kInvalid;
    SlimVector<NameAttrList> branches(2);  // else, then: the outputs of a Switch
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "Tcond", &pred));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "else_branch", &branches[0]));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "then_branch", &branches[1]));
    if (pred != DataType::kBool) return OkStatus();  // a Switch takes nothing else
    return LowerBranches(i, node, branches, "Switch", pred);
  }
  Status LowerCase(int i, const NodeDef& node) {
    SlimVector<NameAttrList> branches;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "branches", &branches));
    return LowerBranches(i, node, branches, "_SwitchN", DataType::kInt32);
  }

  Status LowerBranches(int i, const NodeDef& node, const SlimVector<NameAttrList>& branches, std::string_view op,
                       DataType selector) {
    SlimVector<DataType> in, out;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "Tin", &in));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "Tout", &out));
    SlimVector<std::string> data, control;
    Split(node, &data, &control);
    const bool is_if = op == "Switch";
    const auto add_switch = [&](std::string name, std::string_view device, SlimVector<std::string> inputs,
                                DataType type) {
      NodeDef made = MakeNodeDef(std::move(name), op, device, std::move(inputs));
      made.attr.Insert("T", AttrValue(type));
      if (!is_if) made.attr.Insert("num_outs", AttrValue(static_cast<std::int64_t>(branches.size())));
      return made;
    };

    // Pivots: one node of each branch that runs if and only if the branch is taken.
    SlimVector<std::string> by_selector{data[0], data[0]};
    by_selector.append(control.begin(), control.end());
    const std::string chosen =
        Add(add_switch(NewName(node, is_if ? "switch_pred" : "branch_index"), node.device, by_selector, selector));
    SlimVector<std::string> pivots, calls;
    for (std::size_t b = 0; b < branches.size(); ++b) {
      const std::string part = is_if ? (b == 0 ? "pivot_f" : "pivot_t") : StrCat("pivot_", b);
      pivots.push_back(
          Add(NewName(node, part), "Identity", node.device, {TensorNameOf(chosen, static_cast<int>(b))}, selector));
    }
    SlimVector<std::string> switches;
    for (std::size_t k = 0; k < in.size(); ++k) {
      const std::string resolved = rewrite_.Resolve(data[k + 1]);
      std::string_view source;
      const std::string device(DeviceOf(resolved, &source));
      NodeDef made = add_switch(NewName(node, source), device, {data[k + 1], data[0]}, in[k]);
      made.attr.Insert(std::string(kColocationAttr),
                       AttrValue(SlimVector<std::string>{StrCat(kColocationPrefix, source)}));
      switches.push_back(Add(std::move(made)));
    }
    for (std::size_t b = 0; b < branches.size(); ++b) {
      SlimVector<std::string> inputs;
      for (const std::string& name : switches) inputs.push_back(TensorNameOf(name, static_cast<int>(b)));
      const std::string part = is_if ? (b == 0 ? "else" : "then") : StrCat("branch", b);
      calls.push_back(AddCall(node, NewName(node, part), branches[b], std::move(inputs), in, out, pivots[b]));
    }
    FinishBranches(i, node, out, selector, pivots, calls);
    return OkStatus();
  }

  // Consumers read the merges, so that they need not wait for all outputs; who waits for the node waits for the branch.
  void FinishBranches(int i, const NodeDef& node, const SlimVector<DataType>& out, DataType selector,
                      const SlimVector<std::string>& pivots, const SlimVector<std::string>& calls) {
    const bool is_if = selector == DataType::kBool;
    SlimVector<std::string> merges;
    for (std::size_t k = 0; k < out.size(); ++k) {
      SlimVector<std::string> inputs;
      for (std::size_t b = calls.size(); b-- > 0;) inputs.push_back(TensorNameOf(calls[b], static_cast<int>(k)));
      merges.push_back(
          AddMerge(NewName(node, is_if ? "output" : "merge"), node.device, std::move(inputs), calls.size(), out[k]));
    }
    SlimVector<std::string> inputs;
    for (std::size_t b = pivots.size(); b-- > 0;) inputs.push_back(pivots[b]);
    for (const std::string& call : calls) inputs.push_back(StrCat("^", call));
    const std::string executed =
        AddMerge(NewName(node, "branch_executed"), node.device, std::move(inputs), pivots.size(), selector);
    Finish(i, node, out, merges, merges, executed);
  }

  // Puts `outputs` into the place of the node, and what keeps its name there for those who know it.
  void Finish(int i, const NodeDef& node, const SlimVector<DataType>& types, const SlimVector<std::string>& outputs,
              const SlimVector<std::string>& fetchable, const std::string& executed) {
    changed_ = true;
    NodeDef kept = MakeNodeDef(node.name, "NoOp", node.device, {});
    if (Keep(i) == KeepCaller::kFetchable && !fetchable.empty()) {
      kept.op = "IdentityN";
      kept.attr.Insert("T", AttrValue(types));
      kept.input = fetchable;
    }
    kept.input.push_back(StrCat("^", executed));
    if (Keep(i) == KeepCaller::kNo)
      rewrite_.Replace(i, outputs, {executed});
    else
      rewrite_.ReplaceKeepingName(i, std::move(kept), outputs, {executed});
  }

  // ---- While
  Status LowerWhile(int i, const NodeDef& node) {
    Loop loop{node, {}, {}, 10, {}, {}, {}, {}};
    SlimVector<std::string> control;
    NameAttrList cond, body;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "T", &loop.types));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "cond", &cond));
    TENON_RETURN_IF_ERROR(GetNodeAttr(node, "body", &body));
    static_cast<void>(TryGetNodeAttr(node, "parallel_iterations", &loop.parallel_iterations));
    Split(node, &loop.data, &control);
    if (!CanLower(loop, cond)) return OkStatus();

    AddEnters(&loop, control);
    SlimVector<std::string> next;  // names of nodes that are added last
    for (const DataType type : loop.types)
      next.push_back(type == DataType::kResource ? "" : NewName(node, "next_iteration"));
    std::string first;  // the first variable that goes round
    for (std::size_t k = 0; k < loop.types.size(); ++k) {
      if (next[k].empty()) {
        loop.merge.push_back(loop.enter[k]);
        continue;
      }
      loop.merge.push_back(AddMerge(NewName(node, "merge"), DeviceOfNode(loop.enter[k]), {loop.enter[k], next[k]}, 2,
                                    BaseType(loop.types[k])));
      if (first.empty()) first = loop.merge.back();
    }
    // The control edge puts what has no inputs in `cond` into the loop's frame.
    const std::string test =
        AddCall(node, NewName(node, "cond"), cond, loop.merge, loop.types, {DataType::kBool}, first);
    const std::string more = Add(MakeNodeDef(NewName(node, "LoopCond"), "LoopCond", node.device, {test}));
    const std::string start = AddSwitches(&loop, more);
    const std::string work = AddCall(node, NewName(node, "body"), body, loop.inside, loop.types, loop.types, start);
    for (std::size_t k = 0; k < next.size(); ++k)
      if (!next[k].empty())
        Add(next[k], "NextIteration", DeviceOfNode(loop.merge[k]),
            {TensorNameOf(work, static_cast<int>(k)), StrCat("^", work)}, BaseType(loop.types[k]));
    FinishLoop(i, loop);
    return OkStatus();
  }

  // A loop needs a variable that goes round, and a LoopCond takes a bool.
  bool CanLower(const Loop& loop, const NameAttrList& cond) const {
    bool goes_round = false;
    for (const DataType type : loop.types) goes_round = goes_round || type != DataType::kResource;
    const FunctionDef* function = FindFunction(library_, cond.name);
    if (!goes_round || function == nullptr || function->signature.output_arg.size() != 1) return false;
    SlimVector<DataType> types;
    return detail::TypesOfArg(function->signature, function->signature.output_arg[0], cond.attr, &types).ok() &&
           types == SlimVector<DataType>{DataType::kBool};
  }
  std::string DeviceOfNode(std::string_view name) const {
    const int at = rewrite_.Find(name);
    return at < 0 ? std::string() : rewrite_.node(at).device;
  }

  void AddEnters(Loop* loop, const SlimVector<std::string>& control) {
    const NodeDef& node = loop->node;
    std::string before;
    if (!control.empty()) {
      before = NewName(node, "LoopControlInputs");
      Add(MakeNodeDef(before, "NoOp", node.device, control));
    }
    for (std::size_t k = 0; k < loop->types.size(); ++k) {
      const std::string resolved = rewrite_.Resolve(loop->data[k]);
      std::string_view source;
      const std::string device(DeviceOf(resolved, &source));
      NodeDef enter = MakeNodeDef(NewName(node, "enter"), "Enter", device, {loop->data[k]});
      if (!before.empty()) enter.input.push_back(StrCat("^", before));
      enter.attr.Insert("T", AttrValue(BaseType(loop->types[k])));
      enter.attr.Insert("frame_name", AttrValue(node.name));
      enter.attr.Insert("parallel_iterations", AttrValue(loop->parallel_iterations));
      if (loop->types[k] == DataType::kResource) enter.attr.Insert("is_constant", AttrValue(true));
      loop->enter.push_back(Add(std::move(enter)));
    }
  }

  // A Switch for each variable that goes round, its Exit, and what the body gets. Returns the node that starts the
  // body.
  std::string AddSwitches(Loop* loop, const std::string& more) {
    const NodeDef& node = loop->node;
    std::string start;
    for (std::size_t k = 0; k < loop->types.size(); ++k) {
      if (loop->types[k] == DataType::kResource) {
        loop->inside.push_back(loop->enter[k]);
        loop->exit.push_back(loop->data[k]);
        continue;
      }
      const DataType type = BaseType(loop->types[k]);
      const std::string resolved = rewrite_.Resolve(loop->data[k]);
      const std::string device = DeviceOfNode(loop->merge[k]);
      const std::string name = Add(NewName(node, StrCat(ParseTensorName(resolved).node, "_switch")), "Switch", device,
                                   {loop->merge[k], more}, type);
      loop->inside.push_back(TensorNameOf(name, 1));
      loop->exit.push_back(Add(NewName(node, "exit"), "Exit", device, {name}, type));
      if (start.empty())
        start = Add(NewName(node, "loop_body_control"), "Identity", node.device, {TensorNameOf(name, 1)}, type);
    }
    return start;
  }

  // Consumers read the exits, of a resource what entered the loop; who waits for the loop waits for all exits.
  void FinishLoop(int i, const Loop& loop) {
    NodeDef executed = MakeNodeDef(NewName(loop.node, "LoopExecuted"), "NoOp", loop.node.device, {});
    for (std::size_t k = 0; k < loop.exit.size(); ++k)
      if (loop.types[k] != DataType::kResource) executed.input.push_back(StrCat("^", loop.exit[k]));
    const std::string name = Add(std::move(executed));
    Finish(i, loop.node, loop.types, loop.exit, loop.exit, name);
  }

  const FunctionDefLibrary& library_;
  const OpRegistry& registry_;
  const LowerOptions& options_;
  const int given_;  // nodes before the lowering
  GraphRewrite rewrite_;
  SlimVector<Chain> chains_;
  SlimVector<int> chain_of_;  // per node
  int next_chain_ = -1;  // of the nodes that are being added
  bool has_retvals_ = false;
  bool changed_ = false;
};

// Lowers the If, Case and While nodes of the graph that are marked so, and those in the functions that it inlines for
// them. A node of which a session may know the name stays: as an IdentityN of the results, or, in a graph with _Retval
// nodes, as a NoOp. Functions are those of `library`; `registry` outlives the graph, and has Switch, Merge and the
// other ops. What cannot be lowered (a recursion, a function marked _noinline, a condition that is no bool, a loop
// whose variables are all resources) stays as it is and runs natively. For is never lowered. ResourceExhausted when
// the graph would grow without measure; after an error the graph is what it was.
inline Status LowerFunctionalOps(Graph* graph, const FunctionDefLibrary& library, const OpRegistry& registry,
                                 const LowerOptions& options) {
  FunctionalLowering lowering(*graph, library, registry, options);
  TENON_RETURN_IF_ERROR(lowering.Run());
  if (!lowering.changed()) return OkStatus();
  ImportOptions import;
  import.allow_internal_ops = true;
  import.ignore_shape_errors = true;  // in a branch that never runs they do no harm
  TENON_ASSIGN_OR_RETURN(Graph lowered, ImportGraphDef(std::move(lowering).Finish(), registry, import));
  *graph = std::move(lowered);
  return OkStatus();
}
// What TensorFlow does: SessionOptions::lower_control_flow may be this.
inline Status LowerFunctionalOps(Graph* graph, const FunctionDefLibrary& library, const OpRegistry& registry) {
  return LowerFunctionalOps(graph, library, registry, LowerOptions{});
}
// Everything that can be lowered and inlined, marked or not: another choice for it.
inline Status LowerAllFunctionalOps(Graph* graph, const FunctionDefLibrary& library, const OpRegistry& registry) {
  return LowerFunctionalOps(graph, library, registry, LowerOptions{.unmarked = true, .inline_calls = true});
}

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
