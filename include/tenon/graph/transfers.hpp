// SPDX-License-Identifier: Apache-2.0
#pragma once
// _Send and _Recv nodes: how they are written, and whether each has its counterpart.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

inline bool IsSendOp(std::string_view op) { return op == "_Send" || op == "_HostSend"; }
inline bool IsRecvOp(std::string_view op) { return op == "_Recv" || op == "_HostRecv"; }

// One tensor on its way from one device to another, or between a device's memory and the host's.
struct Transfer {
  std::string tensor_name;
  std::string_view send_device, recv_device;
  std::uint64_t send_incarnation = 0;
  DataType dtype = DataType::kInvalid;
  std::string_view src, dst;  // nodes, for those who look at the graph
};

namespace detail {
inline NodeDef MakeTransferNode(std::string name, std::string_view op, std::string_view device, const Transfer& t) {
  NodeDef node;
  node.name = std::move(name);
  node.op = std::string(op);
  node.device = std::string(device);
  node.attr.Insert(IsSendOp(op) ? "T" : "tensor_type", AttrValue(t.dtype));
  node.attr.Insert("tensor_name", AttrValue(t.tensor_name));
  node.attr.Insert("send_device", AttrValue(t.send_device));
  node.attr.Insert("send_device_incarnation", AttrValue(static_cast<std::int64_t>(t.send_incarnation)));
  node.attr.Insert("recv_device", AttrValue(t.recv_device));
  node.attr.Insert("client_terminated", AttrValue(false));
  node.attr.Insert("_src", AttrValue(t.src));
  node.attr.Insert("_dst", AttrValue(t.dst));
  return node;
}
}  // namespace detail

// `on_host`: the tensor is in host memory at that end.
inline NodeDef MakeSend(std::string name, bool on_host, const Transfer& t, std::string input) {
  NodeDef node = detail::MakeTransferNode(std::move(name), on_host ? "_HostSend" : "_Send", t.send_device, t);
  node.input.push_back(std::move(input));
  return node;
}
inline NodeDef MakeRecv(std::string name, bool on_host, const Transfer& t) {
  return detail::MakeTransferNode(std::move(name), on_host ? "_HostRecv" : "_Recv", t.recv_device, t);
}

// Whether each _Send of the graphs, which run together, has the _Recv that takes its tensor, and the other way round;
// those that the client ends (client_terminated) need none. InvalidArgument, with the node and what it waits for, when
// a run would wait for ever or leave a tensor behind, and when two of a kind use one name.
class TransferCheck {
 public:
  void Add(const GraphDef& graph) {
    for (const NodeDef& node : graph.node) {
      const bool send = IsSendOp(node.op);
      bool client = false;
      if ((!send && !IsRecvOp(node.op)) || (TryGetNodeAttr(node, "client_terminated", &client) && client)) continue;
      AddNode(node, send);
    }
  }
  Status Finish() const {
    if (!status_.ok()) return status_;
    for (const Entry& entry : entries_)
      if (entry.send == nullptr || entry.recv == nullptr) return Unpaired(entry);
    return OkStatus();
  }

 private:
  struct Entry {
    std::string key;
    const NodeDef* send = nullptr;
    const NodeDef* recv = nullptr;
  };
  struct KeyOf {
    const TransferCheck* self;
    std::string_view operator()(int i) const { return self->entries_[static_cast<std::size_t>(i)].key; }
  };

  void AddNode(const NodeDef& node, bool send) {
    std::string tensor, from, to;
    std::int64_t incarnation = 0;
    status_.Update(GetNodeAttr(node, "tensor_name", &tensor));
    status_.Update(GetNodeAttr(node, "send_device", &from));
    status_.Update(GetNodeAttr(node, "recv_device", &to));
    static_cast<void>(TryGetNodeAttr(node, "send_device_incarnation", &incarnation));
    const int number = static_cast<int>(entries_.size());
    std::string key = StrCat(from, ";", incarnation, ";", to, ";", tensor);
    int at = index_.Find(key, KeyOf{this});
    if (at < 0) {
      at = number;
      entries_.push_back({std::move(key), nullptr, nullptr});
      index_.Insert(entries_.back().key, at, KeyOf{this});
    }
    Entry& entry = entries_[static_cast<std::size_t>(at)];
    const NodeDef*& place = send ? entry.send : entry.recv;
    if (place != nullptr)
      status_.Update(errors::InvalidArgument("Two ", node.op, " nodes, ", FormatNodeForError(place->name), " and ",
                                             FormatNodeForError(node.name), ", have the same key '", entry.key, "'"));
    place = &node;
  }
  TENON_DETAIL_COLD static Status Unpaired(const Entry& entry) {
    const NodeDef& node = entry.send != nullptr ? *entry.send : *entry.recv;
    return errors::InvalidArgument(node.op, " ", FormatNodeForError(node.name), " has no ",
                                   entry.send != nullptr ? "_Recv" : "_Send", " with its key '", entry.key,
                                   "' in any of the graphs that run together");
  }

  SlimVector<Entry> entries_;
  detail::NameIndex index_;
  Status status_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
