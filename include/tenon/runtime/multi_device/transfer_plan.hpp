// SPDX-License-Identifier: Apache-2.0
#pragma once
// TransferPlan: gives each _Send and its _Recv one slot, when a signature is prepared.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/device/device.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/transfers.hpp>
#include <tenon/runtime/executor/transfer_slots.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// The transfers of a signature that need no key: both devices use host memory and run a part. All other ones meet in
// the run's rendezvous. immutable after Make.
class TransferPlan {
 public:
  // `programs`: one for each part.
  void Make(const SlimVector<Owned<Program>>& programs) {
    Pairs pairs;
    parts_.clear();
    num_slots_ = 0;
    for (const Owned<Program>& program : programs) {
      TransferNodes& part = *parts_.emplace_back(MakeOwned<TransferNodes>());
      part.slots.assign(program->nodes.size(), -1);
      part.may_wait.reserve(program->nodes.size());
      for (const ProgramNode& node : program->nodes) part.may_wait.push_back(MayWait(*node.node) ? 1 : 0);
      for (std::size_t n = 0; n < program->nodes.size(); ++n)
        if (CanLink(*program, program->nodes[n]))
          pairs.Add(program->nodes[n], {static_cast<int>(parts_.size()) - 1, static_cast<int>(n)});
    }
    for (const Pair& pair : pairs.all) {
      if (pair.is_odd || pair.from.part < 0 || pair.to.part < 0) continue;
      const Program &from = *programs[ToSize(pair.from.part)], &to = *programs[ToSize(pair.to.part)];
      if (from.has_control_flow() != to.has_control_flow()) continue;
      if (from.nodes[ToSize(pair.from.node)].node->input_type(0) != to.nodes[ToSize(pair.to.node)].node->output_type(0))
        continue;
      parts_[ToSize(pair.from.part)]->slots[ToSize(pair.from.node)] = static_cast<int>(num_slots_);
      parts_[ToSize(pair.to.part)]->slots[ToSize(pair.to.node)] = static_cast<int>(num_slots_);
      ++num_slots_;
    }
  }
  std::size_t num_slots() const { return num_slots_; }
  const TransferNodes& part(std::size_t number) const { return *parts_[number]; }

 private:
  struct End {
    int part = -1, node = -1;
  };
  struct Pair {
    std::string key;
    End from, to;
    bool is_odd = false;  // two of a kind
  };
  struct Pairs {
    SlimVector<Pair> all;
    NameIndex index;
    void Add(const ProgramNode& node, End at) {
      Result<std::string> key = TransferKeyOf(node.node->def);
      if (!key.ok()) return;
      const auto key_of = [this](int i) -> std::string_view { return all[ToSize(i)].key; };
      const int next = static_cast<int>(all.size());
      const int known = index.Insert(*key, next, key_of);
      if (known < 0) all.push_back({*std::move(key), {}, {}});
      Pair& pair = known < 0 ? all.back() : all[ToSize(known)];
      End& end = node.num_outputs == 0 ? pair.from : pair.to;
      pair.is_odd = pair.is_odd || end.part >= 0;
      end = at;
    }
  };

  static bool CanLink(const Program& program, const ProgramNode& node) {
    if (node.kind != ProgramNode::Kind::kKernel || node.reads_references) return false;
    const NodeClass kind = node.node->node_class;
    if (kind == NodeClass::kSend) {
      if (node.num_inputs != 1 || node.num_outputs != 0 || IsRefType(node.node->input_type(0))) return false;
    } else if (kind != NodeClass::kRecv || node.num_outputs != 1) {
      return false;
    }
    return program.device->uses_host_memory() && program.host->uses_host_memory();
  }
  static bool IsListOfFunctions(const AttrValue& value) {
    return value.kind() == AttrValue::Kind::kList && !value.list().func.empty();
  }
  // Kernels that call functions, of a program or of a dataset, and kernels with state other than variables and random
  // numbers.
  static bool MayWait(const Node& node) {
    for (const auto& [name, value] : node.def.attr)
      if (value.kind() == AttrValue::Kind::kFunc || IsListOfFunctions(value)) return true;
    const std::string_view op = node.op_name();
    if (op == "PyFuncStateless" || op == "DatasetCardinality") return true;
    if (!node.op->flags.is_stateful) return false;
    for (const char* const quick : {"_Send", "_Recv", "Var", "Assign", "Random", "Apply"})
      if (op.find(quick) != std::string_view::npos) return false;
    return true;
  }

  SlimVector<Owned<TransferNodes>> parts_;
  std::size_t num_slots_ = 0;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
