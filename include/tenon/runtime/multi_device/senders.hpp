// SPDX-License-Identifier: Apache-2.0
#pragma once
// Senders: finds the _Send of a _Recv among the nodes of several partitions.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/transfers.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// A node of a partition, both by number.
struct PartitionNode {
  int part = -1;  // -1: there is none
  int node = -1;
};

// immutable after the last Add.
class Senders {
 public:
  // Adds a _Send; ignores other nodes. The first of two with one key counts.
  void Add(const Node& node, PartitionNode at) {
    if (node.node_class != NodeClass::kSend) return;
    Result<std::string> key = TransferKeyOf(node.def);
    if (!key.ok()) return;
    const int number = static_cast<int>(sends_.size());
    if (index_.Insert(*key, number, KeyOf{&sends_}) < 0) sends_.push_back({*std::move(key), at});
  }
  // Returns the sender of a _Recv; part -1: nothing sends its tensor.
  PartitionNode Find(const NodeDef& receiver) const {
    const Result<std::string> key = TransferKeyOf(receiver);
    const int found = key.ok() ? index_.Find(*key, KeyOf{&sends_}) : -1;
    return found < 0 ? PartitionNode() : sends_[ToSize(found)].at;
  }

 private:
  struct Send {
    std::string key;
    PartitionNode at;
  };
  struct KeyOf {
    const SlimVector<Send>* sends;
    std::string_view operator()(int i) const { return (*sends)[ToSize(i)].key; }
  };

  SlimVector<Send> sends_;
  NameIndex index_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
