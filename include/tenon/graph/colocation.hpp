// SPDX-License-Identifier: Apache-2.0
#pragma once
// ColocationGraph: which nodes have to be on one device, and what is known of that device. Groups are the sets of a
// union-find; each has the device names asked for, assigned or fixed by a resource, and the types that can run it.

#include <algorithm>
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
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/inline_function.hpp>
#include <tenon/graph/placement.hpp>
#include <tenon/graph/requested_device.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// "{{colocation_node x}}": how messages name a node of a group.
inline std::string FormatColocationNodeForError(std::string_view name) {
  return StrCat("{{colocation_node ", name, "}}");
}

// True for a node that makes a reference or a resource from nothing: where it is, its users must be.
inline bool IsResourceGenerator(const Node& node) {
  return node.num_inputs() == 0 && node.num_outputs() == 1 &&
         (IsRefType(node.output_type(0)) || node.output_type(0) == DataType::kResource);
}
// True for a node that makes a value from nothing.
inline bool IsGenerator(const Node& node) {
  return node.num_inputs() == 0 && node.num_outputs() == 1 && !IsRefType(node.output_type(0));
}

// externally synchronised. Build once, then ask; the placer adds what it assigns.
class ColocationGraph {
 public:
  struct SupportedType {
    int type;  // number among PlacementDevices::types()
    int priority;  // the kernel's
  };
  struct Group {
    int parent, rank = 0;
    DeviceName assigned, resource, requested;  // `requested` has all parts of the other two
    SlimVector<SupportedType> supported;       // by preference
    bool soft = false;                         // gave up a part of what was requested
  };

  // All arguments outlive this; `report` gets notes and may be null.
  ColocationGraph(const Graph& graph, const PlacementDevices& devices, const KernelCatalog& kernels,
                  const PlacerOptions& options, PlacementReport* report)
      : graph_(graph), devices_(devices), kernels_(kernels), options_(options), report_(report) {}

  // InvalidArgument: no kernel, a device that cannot be read, groups that cannot be together. Internal: an assigned
  // device that does not exist or cannot run its node.
  Status Build() {
    for (const Node& node : graph_.nodes()) TENON_RETURN_IF_ERROR(AddNode(node));
    for (const Node& node : graph_.nodes()) TENON_RETURN_IF_ERROR(ColocateReferences(node));
    for (const Node& node : graph_.nodes()) LimitHostOnlyLists(node);
    for (const Node& node : graph_.nodes()) TENON_RETURN_IF_ERROR(ColocateByAttr(node));
    for (Group& group : groups_) DropXla(&group);
    return OkStatus();
  }

  // The group's representative.
  int Root(int node) {
    int root = node;
    while (groups_[ToSize(root)].parent != root) root = groups_[ToSize(root)].parent;
    while (groups_[ToSize(node)].parent != root) node = std::exchange(groups_[ToSize(node)].parent, root);
    return root;
  }
  Group& group_of(int node) { return groups_[ToSize(Root(node))]; }

  // The rest of the node's group goes where the node is.
  Status FollowAssigned(int node) {
    Group& group = group_of(node);
    DeviceName device;
    if (!DeviceName::Parse(graph_.assigned_device_name(node), &device) ||
        !MergeDeviceNames(&group.assigned, device).ok())
      return errors::Internal("the assigned device '", graph_.assigned_device_name(node), "' of ",
                              FormatNodeForError(graph_.node(node).name()), " contradicts '", group.assigned.ToString(),
                              "' of its group");
    static_cast<void>(MergeDeviceNames(&group.resource, device, DeviceMergeConflict::kOverride));
    static_cast<void>(MergeDeviceNames(&group.requested, device, DeviceMergeConflict::kOverride));
    return OkStatus();
  }

  // Describes a group, for messages; empty for a node alone.
  std::string DebugInfo(int node) {
    const int root = Root(node);
    const Group& group = groups_[ToSize(root)];
    SlimVector<std::string> ops;
    std::string types, members;
    int count = 0;
    for (const Node& other : graph_.nodes()) {
      if (Root(other.id) != root) continue;
      ++count;
      StrAppend(&members, "  ", other.name(), " (", other.op_name(), ") ", other.def.device);
      if (other.assigned_device != 0)
        StrAppend(&members, " framework assigned device=", graph_.assigned_device_name(other.id));
      members += "\n";
      bool known = false;
      for (const std::string& op : ops) known = known || op == other.op_name();
      if (known) continue;
      ops.push_back(other.op_name());
      StrAppend(&types, other.op_name(), ": ", TypeNames(SupportedTypes(other)), "\n");
    }
    if (count <= 1) return "";
    return StrCat("\nColocation Debug Info:\nColocation group had the following types and supported devices:\n",
                  "requested_device_name='", group.requested.ToString(), "' assigned_device_name='",
                  group.assigned.ToString(), "' resource_device_name='", group.resource.ToString(),
                  "' supported_device_types=[", TypeNames(group.supported), "]\n", types,
                  "\nColocation members, user-requested devices, and framework assigned devices, if any:\n", members);
  }

 private:
  void Note(std::string text) {
    if (report_ != nullptr) report_->notes.push_back(std::move(text));
  }

  std::string TypeNames(const SlimVector<SupportedType>& types) const {
    return StrJoin(types, ", ", [this](std::string* out, const SupportedType& type) {
      out->append(devices_.types()[ToSize(type.type)].name);
    });
  }
  static void Sort(SlimVector<SupportedType>* types) {
    std::sort(types->begin(), types->end(), [](const SupportedType& a, const SupportedType& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.type < b.type;
    });
  }
  SlimVector<SupportedType> SupportedTypes(const Node& node) const {
    SlimVector<SupportedType> types;
    for (int type = 0; ToSize(type) < devices_.types().size(); ++type) {
      int priority = 0;
      // A call runs its body wherever the body's nodes are.
      if (IsFunctionCall(node.op_name()) || kernels_.Supports(node.def, devices_.types()[ToSize(type)].name, &priority))
        types.push_back({type, priority});
    }
    Sort(&types);
    return types;
  }

  // ---- single nodes
  Status AddNode(const Node& node) {
    Group& group = groups_.emplace_back();
    group.parent = node.id;
    group.supported = SupportedTypes(node);
    if (group.supported.empty()) return NoKernel(node);
    if (node.assigned_device != 0) return AddAssigned(node, &group);
    if (node.def.device.empty()) return OkStatus();
    TENON_RETURN_IF_ERROR(ParseRequestedDevice(node.def, &group.requested));
    if (IsResourceGenerator(node)) group.resource = group.requested;
    return OkStatus();
  }
  Status AddAssigned(const Node& node, Group* group) {
    const std::string_view name = graph_.assigned_device_name(node.id);
    const PlacementDevices::Device* device = devices_.Find(name);
    if (device == nullptr)
      return errors::Internal("Assigned device '", name, "' does not match any device. Op ", node.op_name(), " named ",
                              node.name(), "; available devices are [ ", devices_.Names(), " ]");
    for (const SupportedType& type : group->supported) {
      if (type.type != device->type) continue;
      group->assigned = group->requested = device->parsed;
      return OkStatus();
    }
    return errors::Internal("Assigned device '", name, "' does not have registered OpKernel support for ",
                            node.op_name(), "; ", FormatNodeForError(node.name()));
  }
  TENON_DETAIL_COLD Status NoKernel(const Node& node) const {
    std::string attrs;
    for (const auto& [name, value] : node.def.attr)
      StrAppend(&attrs, attrs.empty() ? "" : ", ", name, "=", SummarizeAttrValue(value));
    SlimVector<std::string> types;
    for (const PlacementDevices::Type& type : devices_.types()) types.push_back(type.name);
    std::sort(types.begin(), types.end());
    return AttachNode(errors::InvalidArgument("No OpKernel was registered to support Op '", node.op_name(),
                                              "' used by ", FormatNodeForError(node.name()), " with these attrs: [",
                                              attrs, "]\nRegistered devices: [", StrJoin(types, ", "),
                                              "]\nRegistered kernels:\n", kernels_.ListKernels(node.op_name())),
                      node.name());
  }

  // ---- references and resources
  static bool IsDatasetOp(const Node& node) {
    return node.op_name().find("Dataset") != std::string::npos && node.num_outputs() == 1 &&
           node.output_type(0) == DataType::kVariant;
  }
  // Nodes that hand their inputs on to where they are used.
  static bool ForwardsResources(const Node& node) {
    if (node.op_name() == "IdentityN" || node.op_name() == "DeleteMultiDeviceIterator" ||
        node.op_name() == "PartitionedCall" || node.op_name() == "StatefulPartitionedCall")
      return true;
    return IsDatasetOp(node) && HasNodeAttr(node.def, "f");
  }
  // A call that returns a resource: where that is follows from the function's body.
  static bool ReturnsResource(const Node& node) {
    if (!IsFunctionCall(node.op_name())) return false;
    for (const DataType type : node.output_types)
      if (type == DataType::kResource) return true;
    return false;
  }

  Status ColocateReferences(const Node& dst) {
    if (ForwardsResources(dst) || ReturnsResource(dst)) return OkStatus();
    for (int i = 0; i < dst.num_inputs(); ++i) {
      const int src_id = dst.input(i).node;
      if (src_id < 0) continue;
      const Node& src = graph_.node(src_id);
      const DataType type = dst.input_type(i);
      const bool together = type == DataType::kResource || IsRefType(type) ||
                            (type == DataType::kVariant && IsDatasetOp(src) && IsDatasetOp(dst));
      if (together && !ReturnsResource(src)) TENON_RETURN_IF_ERROR(ColocateEdge(src, dst));
    }
    return OkStatus();
  }
  Status ColocateEdge(const Node& src, const Node& dst) {
    if (Root(src.id) == Root(dst.id)) return OkStatus();
    Group& from = group_of(src.id);
    Group& to = group_of(dst.id);
    if (!AreCompatible(from.assigned, to.assigned))
      return EdgeConflict("assigned", src, from.assigned, dst, to.assigned);
    if (!AreCompatible(from.resource, to.resource))
      return EdgeConflict("resource", src, from.resource, dst, to.resource);
    if (!AreCompatible(from.requested, to.requested)) {
      Note(StrCat("the device '", to.requested.ToString(), "' asked for by '", dst.name(), "' is ignored: it reads '",
                  src.name(), "', which is on '", from.requested.ToString(), "'"));
      to.requested = from.requested;
      EnsureSpecification(&to.requested, to.assigned);
      EnsureSpecification(&to.requested, to.resource);
    }
    return AttachNode(Colocate(src.id, dst.id), dst.name());
  }
  TENON_DETAIL_COLD static Status EdgeConflict(std::string_view what, const Node& src, const DeviceName& from,
                                               const Node& dst, const DeviceName& to) {
    return errors::InvalidArgument(
        "Cannot place the graph because a reference or resource edge connects colocation groups with incompatible ",
        what, " devices: ", from.ToString(), " vs ", to.ToString(), ". The edge src node is ", src.name(),
        " , and the dst node is ", dst.name());
  }

  // ---- lists whose elements only the host has
  void LimitHostOnlyLists(const Node& node) {
    bool variant = false;
    for (const DataType type : node.input_types) variant = variant || type == DataType::kVariant;
    const int cpu = devices_.TypeNumber("CPU");
    if (!variant || cpu < 0 || !HoldsHostOnly(node)) return;
    SlimVector<SupportedType> only;
    for (const SupportedType& type : group_of(node.id).supported)
      if (type.type == cpu) only.push_back(type);
    if (!only.empty()) group_of(node.id).supported = std::move(only);
  }
  // Follows variants back to the op that says what their lists hold.
  bool HoldsHostOnly(const Node& node) {
    bool found = false, host_only = false;
    seen_from_.resize(ToSize(graph_.num_nodes()), -1);
    SlimVector<int> todo{node.id};
    while (!todo.empty() && !found) {
      const Node& at = graph_.node(todo.back());
      todo.pop_back();
      if (std::exchange(seen_from_[ToSize(at.id)], node.id) == node.id) continue;
      DataType element = DataType::kInvalid;
      found = at.op_name().find("TensorList") != std::string::npos && TryGetNodeAttr(at.def, "element_dtype", &element);
      host_only = element == DataType::kString || element == DataType::kResource;
      for (int i = 0; i < at.num_inputs(); ++i)
        if (at.input(i).node >= 0 && at.input_type(i) == DataType::kVariant) todo.push_back(at.input(i).node);
    }
    return found && host_only;
  }

  // ---- asked for: _class
  struct GroupName {
    const ColocationGraph* self;
    std::string_view operator()(int i) const { return self->names_[ToSize(i)].first; }
  };
  // A node is in the groups that it names and in the one of its own name, whose node need not exist.
  Status ColocateByAttr(const Node& node) {
    if (const AttrValue* groups = node.def.attr.Find(kColocationAttr); groups != nullptr)
      for (const std::string& entry : groups->list().s)
        if (StartsWith(entry, kColocationPrefix))
          TENON_RETURN_IF_ERROR(Join(node, std::string_view(entry).substr(kColocationPrefix.size())));
    return Join(node, node.name());
  }
  Status Join(const Node& node, std::string_view group) {
    const int number = static_cast<int>(names_.size());
    const int at = name_index_.Find(group, GroupName{this});
    if (at < 0) {
      names_.push_back({std::string(group), node.id});
      name_index_.Insert(names_.back().first, number, GroupName{this});
      return OkStatus();
    }
    const Status status = Colocate(node.id, names_[ToSize(at)].second);
    if (status.ok()) return status;
    if (!options_.allow_soft_placement) return AttachNode(status, node.name());
    Note(StrCat("'", node.name(), "' is not with '", group, "', as it asked: ", status.message()));
    return OkStatus();
  }

  // ---- merging
  // Unchanged when it fails.
  Status Colocate(int x, int y) {
    int to = Root(x), from = Root(y);
    if (to == from) return OkStatus();
    if (groups_[ToSize(to)].rank < groups_[ToSize(from)].rank) std::swap(to, from);
    Group merged = groups_[ToSize(to)];
    const Group& other = groups_[ToSize(from)];
    const Status status = MergeNames(&merged, other);
    const auto name = [this](int id) { return FormatColocationNodeForError(graph_.node(id).name()); };
    if (!status.ok())
      return errors::InvalidArgument("Cannot colocate nodes ", name(x), " and ", name(y), ": ", status.message());
    merged.supported = Intersection(merged.supported, other.supported);
    if (merged.supported.empty())
      return errors::InvalidArgument("Cannot colocate nodes ", name(x), " and ", name(y),
                                     " because no device type supports both of those nodes and the other nodes "
                                     "colocated with them.",
                                     DebugInfo(x), DebugInfo(y));
    merged.soft = merged.soft || other.soft;
    if (merged.rank == other.rank) ++merged.rank;
    groups_[ToSize(to)] = std::move(merged);
    groups_[ToSize(from)].parent = to;
    return OkStatus();
  }
  Status MergeNames(Group* group, const Group& other) const {
    TENON_RETURN_IF_ERROR(MergeDeviceNames(&group->assigned, other.assigned));
    TENON_RETURN_IF_ERROR(MergeDeviceNames(&group->resource, other.resource));
    const bool differ = !AreCompatible(group->requested, other.requested);
    TENON_RETURN_IF_ERROR(
        MergeDeviceNames(&group->requested, other.requested,
                         options_.allow_soft_placement ? DeviceMergeConflict::kDrop : DeviceMergeConflict::kFail));
    group->soft = group->soft || differ;
    EnsureSpecification(&group->requested, group->assigned);
    EnsureSpecification(&group->requested, group->resource);
    return OkStatus();
  }
  // The types of both. Kernel priorities of one side count when the other has none; where they disagree nobody's do.
  static SlimVector<SupportedType> Intersection(const SlimVector<SupportedType>& a,
                                                const SlimVector<SupportedType>& b) {
    const auto common = [](const SlimVector<SupportedType>& of, const SlimVector<SupportedType>& with) {
      SlimVector<SupportedType> types;
      for (const SupportedType& x : of)
        for (const SupportedType& y : with)
          if (x.type == y.type) types.push_back(x);
      return types;
    };
    const auto prioritised = [](const SlimVector<SupportedType>& types) {
      for (const SupportedType& type : types)
        if (type.priority != 0) return true;
      return false;
    };
    SlimVector<SupportedType> x = common(a, b), y = common(b, a);
    if (!prioritised(y)) return x;
    if (!prioritised(x)) return y;
    bool agree = true;
    for (std::size_t i = 0; i < x.size(); ++i) agree = agree && x[i].type == y[i].type;
    if (agree) return x;
    for (SupportedType& type : x) type.priority = 0;
    Sort(&x);
    return x;
  }
  // Only a group that asks for a device of XLA keeps XLA's devices, unless it has no other.
  void DropXla(Group* group) const {
    const auto is_xla = [](std::string_view type) { return StartsWith(type, "XLA_"); };
    if (group->requested.has_type && is_xla(group->requested.type)) return;
    SlimVector<SupportedType> kept;
    for (const SupportedType& type : group->supported)
      if (!is_xla(devices_.types()[ToSize(type.type)].name)) kept.push_back(type);
    if (!kept.empty()) group->supported = std::move(kept);
  }

  const Graph& graph_;
  const PlacementDevices& devices_;
  const KernelCatalog& kernels_;
  const PlacerOptions& options_;
  PlacementReport* report_;
  SlimVector<Group> groups_;                             // per node
  SlimVector<int> seen_from_;                            // per node: the last one whose variants led here
  SlimVector<std::pair<std::string, int>> names_;  // names of groups, each with a node of the group
  detail::NameIndex name_index_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
