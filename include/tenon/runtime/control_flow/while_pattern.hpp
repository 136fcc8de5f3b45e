// SPDX-License-Identifier: Apache-2.0
#pragma once
// SimpleLoop: a loop of TensorFlow 1 control flow that is what tf.while_loop makes of a condition and a body without
// conditionals or loops inside. It is cut into two programs, as those of a While; Merge, Switch, LoopCond, Identity and
// NextIteration only give their inputs other names.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/has_item.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/control_flow/frame_plan.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/program/builder.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// immutable once made.
struct SimpleLoop {
  // Both take all variables in order: first those that change, then what is the same in all iterations.
  Owned<Program> cond, body;
  struct Enter {
    int program_node;
    int variable;
  };
  struct Exit {
    int node;  // number in the frame
    int variable;
  };
  SlimVector<Enter> enters;
  SlimVector<Exit> exits;
  int num_variables() const { return static_cast<int>(enters.size()); }
};

// Makes the SimpleLoops of a program, each in the time of its frame. one thread.
class SimpleLoopFinder {
 public:
  // Both outlive this.
  SimpleLoopFinder(const Program& program, const FramePlan& plan) : p_(program), plan_(plan) {
    const std::size_t values = ToSize(p_.num_values), nodes = p_.nodes.size();
    origins_.resize(values);
    for (const auto& [value, tensor] : p_.constants) Origin(value) = {ValueOrigin::kConstant, kAlways, value, &tensor};
    for (Part* part : {&cond_, &body_}) part->numbers.assign(values, -1);
    producers_.assign(values, nullptr);
    regions_.assign(nodes, kAlways);
    merge_of_.assign(nodes, -1);
    constant_enters_.resize(plan_.frames.size());
    for (const FlowFrame& frame : plan_.frames)
      for (const FlowNode& node : frame.nodes) {
        const ProgramNode& item = Item(node);
        for (int i = 0; i < item.num_outputs; ++i) producers_[ToSize(item.first_output + i)] = &node;
        if (node.kind == FlowKind::kEnterConstant)
          constant_enters_[ToSize(p_.value_frames[ToSize(item.first_output)])].push_back(&node);
      }
    controls_begin_.assign(nodes + 1, 0);
    for (const auto& [from, to] : p_.control_edges) ++controls_begin_[ToSize(to) + 1];
    for (std::size_t n = 0; n < nodes; ++n) controls_begin_[n + 1] += controls_begin_[n];
    controls_.resize(p_.control_edges.size());
    SlimVector<int> next(controls_begin_);
    for (const auto& [from, to] : p_.control_edges) controls_[ToSize(next[ToSize(to)]++)] = from;
  }

  // Null: the frame is no simple loop.
  Owned<SimpleLoop> Find(int frame) {
    flow_ = &plan_.frames[ToSize(frame)];
    frame_ = frame;
    if (flow_->num_children != 0 || flow_->has_transfers || p_.has_references || p_.device != p_.host) return {};
    loop_ = MakeOwned<SimpleLoop>();
    condition_ = {};
    next_.clear();
    for (Part* part : {&cond_, &body_}) part->program = MakeProgram();
    const bool found =
        FindVariables() && FindNodes() && condition_.kind != ValueOrigin::kNothing && !HasItem(next_, -1) && Finish();
    Forget();
    return found ? std::move(loop_) : Owned<SimpleLoop>();
  }

 private:
  // Where in an iteration something happens: in every one; after the condition held; after it no longer did.
  static constexpr std::uint8_t kAlways = 0, kInBody = 1, kLeaving = 2;
  // The origin of a value of the frame.
  struct ValueOrigin {
    enum Kind : std::uint8_t { kNothing, kVariable, kConstant, kComputed, kCondition };
    Kind kind = kNothing;
    std::uint8_t region = kAlways;
    int number = -1;  // number of the variable; else the value of p_
    const Tensor* constant = nullptr;
  };
  // One of the two programs as it grows.
  struct Part {
    Owned<Program> program;
    // Numbers here of computed values and constants, per value of p_; -1: it has none.
    SlimVector<int> numbers;
    SlimVector<int> numbered;  // values of p_ that have one
    void Number(int value, int here) {
      numbers[ToSize(value)] = here;
      numbered.push_back(value);
    }
  };
  // Clears the marks of the last loop.
  void Forget() {
    for (const FlowNode& node : flow_->nodes) {
      const ProgramNode& item = Item(node);
      for (int i = 0; i < item.num_outputs; ++i) Origin(item.first_output + i) = {};
      regions_[ToSize(node.program_node)] = kAlways;
      merge_of_[ToSize(node.program_node)] = -1;
    }
    for (const SimpleLoop::Enter& enter : loop_->enters) Origin(p_.nodes[ToSize(enter.program_node)].first_output) = {};
    for (Part* part : {&cond_, &body_}) {
      for (const int value : part->numbered) part->numbers[ToSize(value)] = -1;
      part->numbered.clear();
    }
  }
  ValueOrigin& Origin(int value) { return origins_[ToSize(value)]; }
  const ProgramNode& Item(const FlowNode& node) const { return p_.nodes[ToSize(node.program_node)]; }
  int Input(const ProgramNode& item, int i) const { return p_.inputs[ToSize(item.first_input + i)]; }
  const FlowNode* ProducerOf(int value, FlowKind kind) const {
    const FlowNode* const producer = producers_[ToSize(value)];
    return producer != nullptr && producer->kind == kind ? producer : nullptr;
  }
  Span<const int> ControlsOf(int node) const {
    const int begin = controls_begin_[ToSize(node)];
    return Span<const int>(controls_).subspan(ToSize(begin), ToSize(controls_begin_[ToSize(node) + 1] - begin));
  }
  Owned<Program> MakeProgram() const {
    Owned<Program> made = MakeOwned<Program>();
    made->device = p_.device;
    made->host = p_.host;
    made->functions = p_.functions;
    made->graph = p_.graph;
    made->plan_after_runs = p_.plan_after_runs;
    made->graph_def_version = p_.graph_def_version;
    return made;
  }
  static int NewValue(Program* program) {
    program->readers.push_back(0);
    program->escapes.push_back(0);
    return program->num_values++;
  }

  // Each Merge has an Enter and a NextIteration; every other Enter is constant.
  bool FindVariables() {
    for (const FlowNode& node : flow_->nodes) {
      if (node.kind != FlowKind::kMerge) continue;
      const ProgramNode& item = Item(node);
      if (item.num_inputs != 2 || (item.num_outputs > 1 && p_.readers[ToSize(item.first_output + 1)] != 0))
        return false;
      const FlowNode* enter = ProducerOf(Input(item, 0), FlowKind::kEnter);
      const FlowNode* next = ProducerOf(Input(item, 1), FlowKind::kNextIteration);
      if (enter == nullptr || next == nullptr || p_.readers[ToSize(Input(item, 0))] != 1 ||
          p_.readers[ToSize(Input(item, 1))] != 1)
        return false;
      AddVariable(enter->program_node, item.first_output, *item.node);
      merge_of_[ToSize(next->program_node)] = static_cast<int>(next_.size());
      next_.push_back(-1);
    }
    for (const FlowNode* node : constant_enters_[ToSize(frame_)])
      AddVariable(node->program_node, Item(*node).first_output, *Item(*node).node);
    return loop_->num_variables() == flow_->num_enters;
  }
  void AddVariable(int enter, int value, const Node& node) {
    const int number = loop_->num_variables();
    loop_->enters.push_back({enter, number});
    Origin(value) = {ValueOrigin::kVariable, kAlways, number, nullptr};
    for (Part* part : {&cond_, &body_}) {
      const DataType type = BaseType(node.output_type(0));
      part->program->feeds.push_back({node.name(), NewValue(part->program.get()), type, PartialTensorShape()});
    }
  }

  bool FindNodes() {
    for (std::size_t n = 0; n < flow_->nodes.size(); ++n) {
      const FlowNode& node = flow_->nodes[n];
      const ProgramNode& item = Item(node);
      if (node.kind == FlowKind::kMerge) {
        if (!ControlsOf(node.program_node).empty()) return false;
        continue;
      }
      std::uint8_t region = kAlways;
      for (int i = 0; i < item.num_inputs; ++i) {
        const ValueOrigin& origin = Origin(Input(item, i));
        if (origin.kind == ValueOrigin::kNothing) return false;
        region |= origin.region;
      }
      for (const int control : ControlsOf(node.program_node)) region |= regions_[ToSize(control)];
      regions_[ToSize(node.program_node)] = region;
      if (!AddNode(node, item, static_cast<int>(n), region)) return false;
    }
    return true;
  }
  bool AddNode(const FlowNode& node, const ProgramNode& item, int number, std::uint8_t region) {
    switch (node.kind) {
      case FlowKind::kNothing: return true;
      case FlowKind::kSwitch: {
        const ValueOrigin& data = Origin(Input(item, 0));
        if (item.num_outputs != 2 || region != kAlways || data.kind != ValueOrigin::kVariable ||
            Origin(Input(item, 1)).kind != ValueOrigin::kCondition)
          return false;
        Origin(item.first_output) = {ValueOrigin::kVariable, kLeaving, data.number, nullptr};
        Origin(item.first_output + 1) = {ValueOrigin::kVariable, kInBody, data.number, nullptr};
        return true;
      }
      case FlowKind::kForward: {
        ValueOrigin origin = Origin(Input(item, 0));
        origin.region = region;
        if (item.node->node_class == NodeClass::kLoopCond) {
          if (region != kAlways || condition_.kind != ValueOrigin::kNothing) return false;
          condition_ = origin;
          origin.kind = ValueOrigin::kCondition;
        }
        Origin(item.first_output) = origin;
        return true;
      }
      case FlowKind::kExit: {
        const ValueOrigin& value = Origin(Input(item, 0));
        if (value.kind != ValueOrigin::kVariable || region != kLeaving) return false;
        loop_->exits.push_back({number, value.number});
        return true;
      }
      case FlowKind::kNextIteration:
        if (const int merge = merge_of_[ToSize(node.program_node)]; merge >= 0) next_[ToSize(merge)] = Input(item, 0);
        return region == kInBody;
      case FlowKind::kConstant:
        Origin(item.first_output) = {ValueOrigin::kConstant, region, item.first_output, item.kernel->const_tensor()};
        return (region & kLeaving) == 0;
      case FlowKind::kKernel:
        if (item.async != nullptr || (region & kLeaving) != 0) return false;
        return AddKernel(item, region, region == kInBody ? &body_ : &cond_);
      default: return false;
    }
  }
  bool AddKernel(const ProgramNode& item, std::uint8_t region, Part* part) {
    Program& program = *part->program;
    ProgramNode added = item;
    added.first_input = static_cast<int>(program.inputs.size());
    for (int i = 0; i < item.num_inputs; ++i) {
      const int value = ValueIn(part, Origin(Input(item, i)));
      if (value < 0) return false;
      program.inputs.push_back(value);
      ++program.readers[ToSize(value)];
    }
    added.first_output = program.num_values;
    for (int i = 0; i < item.num_outputs; ++i) {
      const int value = item.first_output + i;
      Origin(value) = {ValueOrigin::kComputed, region, value, nullptr};
      part->Number(value, NewValue(&program));
    }
    program.sequence.push_back(static_cast<int>(program.nodes.size()));
    program.nodes.push_back(added);
    return true;
  }
  // The number that a value has in a part; -1: it is not known there.
  int ValueIn(Part* part, const ValueOrigin& origin) {
    if (origin.kind == ValueOrigin::kVariable) return origin.number;  // feeds are numbered first
    if (const int known = part->numbers[ToSize(origin.number)]; known >= 0) return known;
    if (origin.kind != ValueOrigin::kConstant) return -1;
    const int here = NewValue(part->program.get());
    part->program->constants.emplace_back(here, *origin.constant);
    part->Number(origin.number, here);
    return here;
  }

  bool Finish() {
    if (!Fetch(&cond_, condition_, "condition")) return false;
    for (int i = 0; i < loop_->num_variables(); ++i) {
      const bool changes = ToSize(i) < next_.size();
      const ValueOrigin next =
          changes ? Origin(next_[ToSize(i)]) : ValueOrigin{ValueOrigin::kVariable, kAlways, i, nullptr};
      if (!Fetch(&body_, next, body_.program->feeds[ToSize(i)].name)) return false;
    }
    FindLastUses(cond_.program.get());
    FindLastUses(body_.program.get());
    loop_->cond = std::move(cond_.program);
    loop_->body = std::move(body_.program);
    return true;
  }
  bool Fetch(Part* part, const ValueOrigin& origin, std::string name) {
    const int value = ValueIn(part, origin);
    if (value < 0) return false;
    ++part->program->readers[ToSize(value)];
    part->program->escapes[ToSize(value)] = 1;
    part->program->fetches.push_back({std::move(name), value, false});
    return true;
  }

  const Program& p_;
  const FramePlan& plan_;
  int frame_ = 0;
  const FlowFrame* flow_ = nullptr;
  Owned<SimpleLoop> loop_;
  Part cond_, body_;
  ValueOrigin condition_;
  SlimVector<ValueOrigin> origins_;  // per value of p_
  SlimVector<std::uint8_t> regions_;  // per node of p_
  SlimVector<const FlowNode*> producers_;  // per value of p_
  SlimVector<SlimVector<const FlowNode*>> constant_enters_;  // per frame: that lead there
  SlimVector<int> controls_begin_, controls_;  // per node of p_: the nodes it waits for
  SlimVector<int> merge_of_;  // per node of p_, a NextIteration: the number of its Merge
  SlimVector<int> next_;  // per Merge: the value of p_ that it gets next
};

// The loop of a frame as two programs; null when it is no simple one.
inline Owned<SimpleLoop> MakeSimpleLoop(const Program& program, const FramePlan& plan, int frame) {
  return SimpleLoopFinder(program, plan).Find(frame);
}

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
