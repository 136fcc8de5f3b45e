// SPDX-License-Identifier: Apache-2.0
#pragma once
// RecordingPlan: which nodes of a program a device may record, which run in every step, and in which order.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/kernel/adapted_kernel.hpp>
#include <tenon/kernel/row.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

// Facts about a program for runs with equal feed shapes. immutable.
class RecordingPlan {
 public:
  enum class Kind : std::uint8_t {
    kEach,      // runs in every step
    kRecorded,  // a kernel of the device whose work follows from shapes and constants
    kFrozen,    // its outputs, in host memory, are equal in all steps
  };
  // A part of the order: one node that runs in every step, or the number of a segment of recorded nodes.
  struct Item {
    int node = -1;
    int segment = -1;
  };
  struct Segment {
    SlimVector<int> nodes;     // in the program's order
    SlimVector<int> expected;  // values from outside that its kernels read
  };

  explicit RecordingPlan(const Program& program) : p_(program) {
    FindMemory();
    Classify();
    DemoteKept();
    Order();
    FindLifetimes();
  }

  Kind kind(int node) const { return kind_[ToSize(node)]; }
  Span<const Item> items() const { return {items_.data(), items_.size()}; }
  Span<const Segment> segments() const { return {segments_.data(), segments_.size()}; }
  int num_recorded() const { return num_recorded_; }
  // A value that one segment alone makes and reads.
  bool is_internal(int value) const { return internal_[ToSize(value)] != 0; }
  // A value that stays in the step from run to run.
  bool stays(int value) const { return stays_[ToSize(value)] != 0; }
  // A value that some segment expects, from outside.
  bool is_expected(int value) const { return expected_[ToSize(value)] != 0; }
  bool in_host_memory(int value) const { return host_[ToSize(value)] != 0; }
  // Per input of the program: as Program::last_use, right in the program's order and in the plan's.
  const SlimVector<std::uint8_t>& last_use() const { return last_use_; }

 private:
  const ProgramNode& node(int n) const { return p_.nodes[ToSize(n)]; }
  int input(const ProgramNode& n, int i) const { return p_.inputs[ToSize(n.first_input + i)]; }

  void FindMemory() {
    host_.assign(ToSize(p_.num_values), 0);
    constant_.assign(ToSize(p_.num_values), 0);
    producer_.assign(ToSize(p_.num_values), -1);
    for (const Program::Feed& feed : p_.feeds) host_[ToSize(feed.value)] = 1;
    for (const auto& [value, tensor] : p_.constants) {
      constant_[ToSize(value)] = 1;
      host_[ToSize(value)] = tensor.HostAccessible() ? 1 : 0;
    }
    for (const int number : p_.sequence) {
      const ProgramNode& n = node(number);
      for (int i = 0; i < n.num_outputs; ++i) {
        const int value = n.first_output + i;
        producer_[ToSize(value)] = number;
        host_[ToSize(value)] =
            n.on_host || (n.kind == ProgramNode::Kind::kKernel && n.kernel->output_memory_type(i) == MemoryType::kHost);
      }
    }
  }
  static bool IsPlain(DataType type) {
    return SizeOf(type) != 0 && !IsRefType(type) && type != DataType::kString && type != DataType::kResource &&
           type != DataType::kVariant;
  }
  // A kernel that is a function of its inputs, which are plain data.
  static bool IsPure(const ProgramNode& n) {
    if (n.kind != ProgramNode::Kind::kKernel || n.async != nullptr || n.reads_references || n.num_outputs == 0 ||
        n.kernel->op().flags.is_stateful)
      return false;
    for (const AttrSpec& attr : n.kernel->op().attrs)
      if (attr.kind == AttrKind::kFunc) return false;
    for (int i = 0; i < n.num_inputs; ++i)
      if (!IsPlain(n.kernel->input_type(i))) return false;
    for (int i = 0; i < n.num_outputs; ++i)
      if (!IsPlain(n.kernel->output_type(i))) return false;
    return true;
  }
  // Kernels that read nothing but the shapes of their inputs.
  static bool ReadsShapes(const ProgramNode& n) {
    const std::string_view op = n.node->op_name();
    return op == "Shape" || op == "ShapeN" || op == "Size" || op == "Rank";
  }
  bool AllOutputs(const ProgramNode& n, bool host) const {
    for (int i = 0; i < n.num_outputs; ++i)
      if ((host_[ToSize(n.first_output + i)] != 0) != host) return false;
    return true;
  }
  bool IsFetched(const ProgramNode& n) const {
    for (int i = 0; i < n.num_outputs; ++i)
      if (p_.escapes[ToSize(n.first_output + i)] != 0) return true;
    return false;
  }

  // `fixed` values have shapes that follow from those of the feeds; `known` ones are equal in all steps.
  void Classify() {
    kind_.assign(p_.nodes.size(), Kind::kEach);
    SlimVector<std::uint8_t> known(constant_), fixed(constant_);
    for (const Program::Feed& feed : p_.feeds) fixed[ToSize(feed.value)] = 1;
    for (const int number : p_.sequence) {
      const ProgramNode& n = node(number);
      bool all_known = true, all_fixed = true, host_known = true;
      for (int i = 0; i < n.num_inputs; ++i) {
        const std::size_t value = ToSize(input(n, i));
        all_known = all_known && known[value] != 0;
        all_fixed = all_fixed && fixed[value] != 0;
        host_known = host_known && (host_[value] == 0 || known[value] != 0);
      }
      const bool pure = IsPure(n);
      const bool follows = pure && (ReadsShapes(n) ? all_fixed : n.on_host && all_known);
      if (follows && AllOutputs(n, true) && !IsFetched(n))
        kind_[ToSize(number)] = Kind::kFrozen;
      else if (pure && !n.on_host && AllOutputs(n, false))
        kind_[ToSize(number)] = Kind::kRecorded;
      const bool is_copy = n.kind == ProgramNode::Kind::kToDevice || n.kind == ProgramNode::Kind::kToHost;
      const Kind kind = kind_[ToSize(number)];
      for (int i = 0; i < n.num_outputs; ++i) {
        known[ToSize(n.first_output + i)] = kind == Kind::kFrozen;
        fixed[ToSize(n.first_output + i)] =
            all_fixed && (is_copy || kind == Kind::kFrozen || (kind == Kind::kRecorded && host_known));
      }
    }
  }
  // A node may give its inputs' memory to its outputs; if it is kept, the input is.
  static bool MakesNewTensors(const ProgramNode& n) {
    if (n.kind != ProgramNode::Kind::kKernel) return true;
    const AdaptedCore* const core = n.kernel->adapted();
    return core != nullptr && !core->row().takes_context && core->sized_outputs().size() == ToSize(n.num_outputs);
  }
  static bool MayKeepInputs(const ProgramNode& n) { return n.kind == ProgramNode::Kind::kKernel && !IsPure(n); }
  // A kernel does not write to the same place in every step whose output somebody may keep.
  void DemoteKept() {
    SlimVector<std::uint8_t> kept(p_.escapes);
    for (std::size_t s = p_.sequence.size(); s-- > 0;) {
      const int number = p_.sequence[s];
      const ProgramNode& n = node(number);
      bool any = false;
      for (int i = 0; i < n.num_outputs; ++i) any = any || kept[ToSize(n.first_output + i)] != 0;
      if (any) kind_[ToSize(number)] = Kind::kEach;
      if (!MayKeepInputs(n) && !(any && !MakesNewTensors(n))) continue;
      for (int i = 0; i < n.num_inputs; ++i) kept[ToSize(input(n, i))] = 1;
    }
  }

  // Nodes that run in every step come as early as they can, so that the recorded ones form few segments.
  void Order() {
    SlimVector<int> waits(p_.nodes.size(), 0);
    SlimVector<std::uint8_t> done(p_.nodes.size(), 0);
    for (const ProgramNode& n : p_.nodes)
      for (int c = 0; c < n.num_consumers; ++c) ++waits[ToSize(p_.consumers[ToSize(n.first_consumer + c)])];
    const auto finish = [&](int number) {
      done[ToSize(number)] = 1;
      const ProgramNode& n = node(number);
      for (int c = 0; c < n.num_consumers; ++c) --waits[ToSize(p_.consumers[ToSize(n.first_consumer + c)])];
    };
    segment_of_.assign(p_.nodes.size(), -1);
    std::size_t left = p_.nodes.size();
    for (std::size_t n = 0; n < p_.nodes.size(); ++n)
      if (kind_[n] == Kind::kFrozen) finish(static_cast<int>(n)), --left;
    while (left > 0) {
      const std::size_t before = left;
      for (std::size_t i = 0; i < p_.nodes.size(); ++i) {
        const int number = static_cast<int>(i);
        if (done[i] != 0 || kind_[i] != Kind::kEach || waits[i] != 0) continue;
        if (p_.nodes[i].kind != ProgramNode::Kind::kNothing) items_.push_back({number, -1});
        finish(number);
        --left;
      }
      Segment segment;
      for (std::size_t i = 0; i < p_.nodes.size(); ++i) {
        const int number = static_cast<int>(i);
        if (done[i] != 0 || kind_[i] != Kind::kRecorded || waits[i] != 0) continue;
        segment.nodes.push_back(number);
        segment_of_[i] = static_cast<int>(segments_.size());
        ++num_recorded_;
        finish(number);
        --left;
      }
      if (!segment.nodes.empty()) {
        items_.push_back({-1, static_cast<int>(segments_.size())});
        segments_.push_back(std::move(segment));
      }
      if (left == before) break;  // a cycle: the caller records nothing
    }
    if (left > 0) num_recorded_ = 0;
  }

  void FindLifetimes() {
    internal_.assign(ToSize(p_.num_values), 0);
    stays_.assign(ToSize(p_.num_values), 0);
    expected_.assign(ToSize(p_.num_values), 0);
    for (int v = 0; v < p_.num_values; ++v) {
      const int made = producer_[ToSize(v)];
      if (constant_[ToSize(v)] != 0 || made < 0) continue;
      internal_[ToSize(v)] = kind_[ToSize(made)] == Kind::kRecorded && p_.escapes[ToSize(v)] == 0;
      stays_[ToSize(v)] = kind_[ToSize(made)] != Kind::kEach;
    }
    for (const int number : p_.sequence) {
      const ProgramNode& n = node(number);
      for (int i = 0; i < n.num_inputs; ++i) {
        const std::size_t v = ToSize(input(n, i));
        const int made = producer_[v];
        const bool recorded = kind_[ToSize(number)] == Kind::kRecorded;
        const bool inside = made >= 0 && recorded && segment_of_[ToSize(made)] == segment_of_[ToSize(number)];
        if (!inside) internal_[v] = 0;
        if (!recorded || inside || constant_[v] != 0) continue;
        if (made < 0 || kind_[ToSize(made)] == Kind::kEach) {
          Expect(&segments_[ToSize(segment_of_[ToSize(number)])], static_cast<int>(v));
          expected_[v] = 1;
          if (made >= 0 && host_[v] == 0 && p_.escapes[v] == 0) stays_[v] = 1;
        }
      }
    }
    last_use_ = p_.last_use;
    for (std::size_t i = 0; i < last_use_.size(); ++i)
      if (!is_internal(p_.inputs[i])) last_use_[i] = 0;
    for (int v = 0; v < p_.num_values; ++v)
      if (internal_[ToSize(v)] != 0) stays_[ToSize(v)] = 0;
  }
  static void Expect(Segment* segment, int value) {
    for (const int known : segment->expected)
      if (known == value) return;
    segment->expected.push_back(value);
  }

  const Program& p_;
  SlimVector<Kind> kind_;               // per node
  SlimVector<std::uint8_t> host_;       // per value: in host memory
  SlimVector<std::uint8_t> constant_;   // per value
  SlimVector<int> producer_;            // per value; -1: a feed or constant
  SlimVector<std::uint8_t> internal_, stays_, expected_;  // per value
  SlimVector<std::uint8_t> last_use_;   // per input
  SlimVector<int> segment_of_;          // per node; -1: none
  SlimVector<Item> items_;
  SlimVector<Segment> segments_;
  int num_recorded_ = 0;
};

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
