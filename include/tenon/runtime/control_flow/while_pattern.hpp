// SPDX-License-Identifier: Apache-2.0
#pragma once
// SimpleLoop: a loop of TensorFlow 1 control flow that is what tf.while_loop makes of a condition and a body without
// conditionals or loops inside. It is cut into two programs, as those of a While; Merge, Switch, LoopCond, Identity and
// NextIteration only give their inputs other names.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/control_flow/frame_plan.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/program/builder.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

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

// Makes a SimpleLoop; use MakeSimpleLoop. one thread.
class SimpleLoopFinder {
 public:
  SimpleLoopFinder(const Program& program, const FramePlan& plan, int frame)
      : p_(program), plan_(plan), frame_(frame), flow_(plan.frames[At(frame)]) {}

  Owned<SimpleLoop> Find() {
    if (flow_.num_children != 0 || flow_.has_transfers || p_.has_references || p_.device != p_.host) return {};
    meanings_.resize(At(p_.num_values));
    regions_.assign(p_.nodes.size(), kAlways);
    loop_ = MakeOwned<SimpleLoop>();
    cond_ = {MakeProgram(), {}};
    body_ = {MakeProgram(), {}};
    for (const auto& [value, tensor] : p_.constants) Mean(value) = {Meaning::kConstant, kAlways, value, &tensor};
    if (!FindVariables() || !FindNodes() || condition_.kind == Meaning::kNothing) return {};
    for (const int next : next_)
      if (next < 0) return {};
    return Finish() ? std::move(loop_) : Owned<SimpleLoop>();
  }

 private:
  // Where in an iteration something happens: in every one; after the condition held; after it no longer did.
  static constexpr std::uint8_t kAlways = 0, kInBody = 1, kLeaving = 2;
  // The meaning of a value of the frame.
  struct Meaning {
    enum Kind : std::uint8_t { kNothing, kVariable, kConstant, kComputed, kCondition };
    Kind kind = kNothing;
    std::uint8_t region = kAlways;
    int number = -1;  // number of the variable; else the value of p_
    const Tensor* constant = nullptr;
  };
  // One of the two programs as it grows.
  struct Part {
    Owned<Program> program;
    SlimVector<std::pair<int, int>> values;  // numbers in p_ and here, of computed values and constants
  };
  static std::size_t At(int i) { return static_cast<std::size_t>(i); }
  Meaning& Mean(int value) { return meanings_[At(value)]; }
  const ProgramNode& Item(const FlowNode& node) const { return p_.nodes[At(node.program_node)]; }
  int Input(const ProgramNode& item, int i) const { return p_.inputs[At(item.first_input + i)]; }
  const FlowNode* ProducerOf(int value, FlowKind kind) const {
    for (const FlowFrame& frame : plan_.frames)
      for (const FlowNode& node : frame.nodes) {
        const ProgramNode& item = Item(node);
        if (value >= item.first_output && value < item.first_output + item.num_outputs)
          return node.kind == kind ? &node : nullptr;
      }
    return nullptr;
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
    for (const FlowNode& node : flow_.nodes) {
      if (node.kind != FlowKind::kMerge) continue;
      const ProgramNode& item = Item(node);
      if (item.num_inputs != 2 || (item.num_outputs > 1 && p_.readers[At(item.first_output + 1)] != 0)) return false;
      const FlowNode* enter = ProducerOf(Input(item, 0), FlowKind::kEnter);
      const FlowNode* next = ProducerOf(Input(item, 1), FlowKind::kNextIteration);
      if (enter == nullptr || next == nullptr || p_.readers[At(Input(item, 0))] != 1 ||
          p_.readers[At(Input(item, 1))] != 1)
        return false;
      AddVariable(enter->program_node, item.first_output, *item.node);
      nexts_.push_back(next->program_node);
      next_.push_back(-1);
    }
    for (const FlowNode& node : plan_.frames[At(flow_.parent)].nodes) {
      if (node.kind != FlowKind::kEnter && node.kind != FlowKind::kEnterConstant) continue;
      const ProgramNode& item = Item(node);
      if (p_.value_frames[At(item.first_output)] != frame_) continue;
      if (node.kind == FlowKind::kEnterConstant) AddVariable(node.program_node, item.first_output, *item.node);
    }
    return loop_->num_variables() == flow_.num_enters;
  }
  void AddVariable(int enter, int value, const Node& node) {
    const int number = loop_->num_variables();
    loop_->enters.push_back({enter, number});
    Mean(value) = {Meaning::kVariable, kAlways, number, nullptr};
    for (Part* part : {&cond_, &body_}) {
      const DataType type = BaseType(node.output_type(0));
      part->program->feeds.push_back({node.name(), NewValue(part->program.get()), type, PartialTensorShape()});
    }
  }

  bool FindNodes() {
    for (std::size_t n = 0; n < flow_.nodes.size(); ++n) {
      const FlowNode& node = flow_.nodes[n];
      const ProgramNode& item = Item(node);
      if (node.kind == FlowKind::kMerge) {
        for (const auto& [from, to] : p_.control_edges)
          if (to == node.program_node) return false;
        continue;
      }
      std::uint8_t region = kAlways;
      for (int i = 0; i < item.num_inputs; ++i) {
        const Meaning& meaning = Mean(Input(item, i));
        if (meaning.kind == Meaning::kNothing) return false;
        region |= meaning.region;
      }
      for (const auto& [from, to] : p_.control_edges)
        if (to == node.program_node) region |= regions_[At(from)];
      regions_[At(node.program_node)] = region;
      if (!AddNode(node, item, static_cast<int>(n), region)) return false;
    }
    return true;
  }
  bool AddNode(const FlowNode& node, const ProgramNode& item, int number, std::uint8_t region) {
    switch (node.kind) {
      case FlowKind::kNothing: return true;
      case FlowKind::kSwitch: {
        const Meaning& data = Mean(Input(item, 0));
        if (item.num_outputs != 2 || region != kAlways || data.kind != Meaning::kVariable ||
            Mean(Input(item, 1)).kind != Meaning::kCondition)
          return false;
        Mean(item.first_output) = {Meaning::kVariable, kLeaving, data.number, nullptr};
        Mean(item.first_output + 1) = {Meaning::kVariable, kInBody, data.number, nullptr};
        return true;
      }
      case FlowKind::kForward: {
        Meaning meaning = Mean(Input(item, 0));
        meaning.region = region;
        if (item.node->node_class == NodeClass::kLoopCond) {
          if (region != kAlways || condition_.kind != Meaning::kNothing) return false;
          condition_ = meaning;
          meaning.kind = Meaning::kCondition;
        }
        Mean(item.first_output) = meaning;
        return true;
      }
      case FlowKind::kExit: {
        const Meaning& value = Mean(Input(item, 0));
        if (value.kind != Meaning::kVariable || region != kLeaving) return false;
        loop_->exits.push_back({number, value.number});
        return true;
      }
      case FlowKind::kNextIteration:
        for (std::size_t i = 0; i < nexts_.size(); ++i)
          if (nexts_[i] == node.program_node) next_[i] = Input(item, 0);
        return region == kInBody;
      case FlowKind::kConstant:
        Mean(item.first_output) = {Meaning::kConstant, region, item.first_output, item.kernel->const_tensor()};
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
      const int value = ValueIn(part, Mean(Input(item, i)));
      if (value < 0) return false;
      program.inputs.push_back(value);
      ++program.readers[At(value)];
    }
    added.first_output = program.num_values;
    for (int i = 0; i < item.num_outputs; ++i) {
      const int value = item.first_output + i;
      Mean(value) = {Meaning::kComputed, region, value, nullptr};
      part->values.emplace_back(value, NewValue(&program));
    }
    program.sequence.push_back(static_cast<int>(program.nodes.size()));
    program.nodes.push_back(added);
    return true;
  }
  // The number that a value has in a part; -1: it is not known there.
  int ValueIn(Part* part, const Meaning& meaning) {
    if (meaning.kind == Meaning::kVariable) return meaning.number;  // feeds are numbered first
    for (const auto& [value, here] : part->values)
      if (value == meaning.number) return here;
    if (meaning.kind != Meaning::kConstant) return -1;
    const int here = NewValue(part->program.get());
    part->program->constants.emplace_back(here, *meaning.constant);
    part->values.emplace_back(meaning.number, here);
    return here;
  }

  bool Finish() {
    if (!Fetch(&cond_, condition_, "condition")) return false;
    for (int i = 0; i < loop_->num_variables(); ++i) {
      const bool changes = At(i) < next_.size();
      const Meaning next = changes ? Mean(next_[At(i)]) : Meaning{Meaning::kVariable, kAlways, i, nullptr};
      if (!Fetch(&body_, next, body_.program->feeds[At(i)].name)) return false;
    }
    FindLastUses(cond_.program.get());
    FindLastUses(body_.program.get());
    loop_->cond = std::move(cond_.program);
    loop_->body = std::move(body_.program);
    return true;
  }
  bool Fetch(Part* part, const Meaning& meaning, std::string name) {
    const int value = ValueIn(part, meaning);
    if (value < 0) return false;
    ++part->program->readers[At(value)];
    part->program->escapes[At(value)] = 1;
    part->program->fetches.push_back({std::move(name), value, false});
    return true;
  }

  const Program& p_;
  const FramePlan& plan_;
  const int frame_;
  const FlowFrame& flow_;
  Owned<SimpleLoop> loop_;
  Part cond_, body_;
  Meaning condition_;
  SlimVector<Meaning> meanings_;  // per value of p_
  SlimVector<std::uint8_t> regions_;  // per node of p_
  SlimVector<int> nexts_;  // per Merge: the NextIteration, a node of p_
  SlimVector<int> next_;  // per Merge: the value of p_ that it gets next
};

// The loop of a frame as two programs; null when it is no simple one.
inline Owned<SimpleLoop> MakeSimpleLoop(const Program& program, const FramePlan& plan, int frame) {
  return SimpleLoopFinder(program, plan, frame).Find();
}

}  // namespace detail

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
