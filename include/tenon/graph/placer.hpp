// SPDX-License-Identifier: Apache-2.0
#pragma once
// PlaceGraph: gives every node of a graph a device. TensorFlow's rules: groups that must be together, the device asked
// for, soft placement, kernel and device priorities, and where nodes without inputs or without data go.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/graph/colocation.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/placement.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Does the work of PlaceGraph; use that. one thread.
class Placer {
 public:
  Placer(Graph* graph, const PlacementDevices& devices, const KernelCatalog& kernels, const PlacerOptions& options,
         PlacementReport* report)
      : graph_(*graph),
        devices_(devices),
        options_(options),
        report_(report),
        groups_(*graph, devices, kernels, options, report),
        kernels_(kernels) {}

  Status Run() {
    if (devices_.devices().empty()) return errors::FailedPrecondition("No devices are registered");
    TENON_RETURN_IF_ERROR(groups_.Build());
    possible_.resize(static_cast<std::size_t>(graph_.num_nodes()));
    if (report_ != nullptr) report_->rows.resize(static_cast<std::size_t>(graph_.num_nodes()));
    for (const bool generators : {false, true}) {
      for (int id = 0; id < graph_.num_nodes(); ++id) {
        const Node& node = graph_.node(id);
        if (node.assigned_device != 0) {
          if (!generators) Report(node, PlacementReason::kAssigned, 1);
        } else if (IsGenerator(node) == generators) {
          TENON_RETURN_IF_ERROR(Place(node));
        }
      }
    }
    return OkStatus();
  }

 private:
  using Device = PlacementDevices::Device;
  using Group = ColocationGraph::Group;

  Status Place(const Node& node) {
    const SlimVector<const Device*>* possible = nullptr;
    if (const Status status = DevicesFor(node, &possible); !status.ok())
      return AttachNode(
          errors::InvalidArgument("Cannot assign a device for operation ", node.name(), ": ", status.message()),
          node.name());
    PlacementReason reason = possible->size() == 1 ? PlacementReason::kOnly : PlacementReason::kPreferred;
    if (groups_.group_of(node.id).soft) reason = PlacementReason::kSoft;
    std::string_view device = possible->front()->name;
    if (const std::string_view better = Follow(node); !better.empty() && Contains(*possible, better)) {
      if (possible->size() > 1) reason = IsGenerator(node) ? PlacementReason::kConsumer : PlacementReason::kInput;
      device = better;
    }
    const int candidates = static_cast<int>(possible->size());
    TENON_RETURN_IF_ERROR(graph_.AssignDevice(node.id, std::string(device)));
    Report(node, reason, candidates);
    possible_[ToSize(groups_.Root(node.id))].clear();
    return groups_.FollowAssigned(node.id);
  }

  // The device that suits the node best if it is possible; "" when nothing speaks for one.
  std::string_view Follow(const Node& node) const {
    if (node.node_class == NodeClass::kMetadata && node.num_inputs() > 0 && node.input(0).node >= 0)
      return graph_.assigned_device_name(node.input(0).node);
    if (!IsGenerator(node) || node.outputs.empty()) return {};
    const std::string_view first = graph_.assigned_device_name(node.outputs[0].node);
    for (const OutEdge& edge : node.outputs)
      if (graph_.assigned_device_name(edge.node) != first) return {};
    return first;
  }
  static bool Contains(const SlimVector<const Device*>& devices, std::string_view name) {
    return std::any_of(devices.begin(), devices.end(), [name](const Device* d) { return d->name == name; });
  }

  // ---- candidates
  // By kernel priority, type, locality and name; those of the group that have every part of `spec`.
  SlimVector<const Device*> Matching(const Group& group, const DeviceName& spec) const {
    struct Candidate {
      const Device* device;
      int kernel_priority;
    };
    SlimVector<Candidate> found;
    for (const Device& device : devices_.devices()) {
      if (!IsSpecification(spec, device.parsed)) continue;
      for (const ColocationGraph::SupportedType& type : group.supported)
        if (type.type == device.type) found.push_back({&device, type.priority});
    }
    std::sort(found.begin(), found.end(), [this](const Candidate& a, const Candidate& b) {
      const bool a_default = a.device->name == options_.default_device;
      if (a_default != (b.device->name == options_.default_device)) return a_default;
      if (a.kernel_priority != b.kernel_priority) return a.kernel_priority > b.kernel_priority;
      if (a.device->type != b.device->type) return a.device->type < b.device->type;
      const bool a_local = devices_.IsLocal(*a.device), b_local = devices_.IsLocal(*b.device);
      return a_local != b_local ? a_local : a.device->name < b.device->name;
    });
    SlimVector<const Device*> devices;
    for (const Candidate& candidate : found) devices.push_back(candidate.device);
    return devices;
  }

  // All nodes of a group have the same ones.
  Status DevicesFor(const Node& node, const SlimVector<const Device*>** possible) {
    SlimVector<const Device*>& known = possible_[ToSize(groups_.Root(node.id))];
    *possible = &known;
    if (!known.empty()) return OkStatus();
    Group& group = groups_.group_of(node.id);
    known = Matching(group, group.requested);
    if (!known.empty()) return OkStatus();
    const bool asked = !(group.requested == DeviceName());
    if (asked && options_.allow_soft_placement) known = SoftCandidates(node, &group);
    if (!known.empty()) return OkStatus();
    return asked ? CannotSatisfy(node, group)
                 : errors::InvalidArgument("Node had no OpKernel registered to support this operation: Operation was ",
                                           node.op_name(), " and inputs were [", StrJoin(node.input_types, ", "),
                                           "].\n", groups_.DebugInfo(node.id));
  }

  // Type and number give way where nothing assigned, and if need be no resource, fixes them.
  SlimVector<const Device*> SoftCandidates(const Node& node, Group* group) {
    group->soft = true;
    const auto soften = [group](bool keep_resource) {
      DeviceName name = group->requested;
      if (!group->assigned.has_type && !(keep_resource && group->resource.has_type)) name.ClearType();
      if (!group->assigned.has_id && !(keep_resource && group->resource.has_id)) name.ClearId();
      return name;
    };
    SlimVector<const Device*> found = Matching(*group, soften(true));
    if (!found.empty()) return found;
    found = Matching(*group, soften(false));
    if (!found.empty() && report_ != nullptr)
      report_->notes.push_back(StrCat("'", node.name(), "' cannot be placed without moving resources from '",
                                      group->resource.ToString(),
                                      "': some operation that must be with them has no kernel there"));
    return found;
  }

  // ---- why there is none
  TENON_DETAIL_COLD Status CannotSatisfy(const Node& node, const Group& group) {
    DeviceName asked;
    const std::string& device = node.def.device;
    const std::string debug = groups_.DebugInfo(node.id);
    if (!DeviceName::Parse(device, &asked) || !(asked == group.requested))
      return errors::InvalidArgument("Could not satisfy explicit device specification '", device, "' because the node ",
                                     FormatColocationNodeForError(node.name()),
                                     " was colocated with a group of nodes that required incompatible device '",
                                     group.requested.ToString(), "'. All available devices [", devices_.Names(), "]. ",
                                     debug);
    bool exists = false;
    for (const Device& d : devices_.devices()) exists = exists || IsSpecification(asked, d.parsed);
    if (!exists)
      return errors::InvalidArgument(FormatNodeForError(node.name()), " was explicitly assigned to ", device,
                                     " but available devices are [ ", devices_.Names(),
                                     " ]. Make sure the device specification refers to a valid device.",
                                     asked.type == "GPU" && devices_.TypeNumber("GPU") < 0
                                         ? " The requested device appears to be a GPU, but CUDA is not enabled."
                                         : "");
    std::string attrs;
    for (const auto& [name, value] : node.def.attr)
      StrAppend(&attrs, attrs.empty() ? "" : ", ", name, "=", SummarizeAttrValue(value));
    return errors::InvalidArgument("Could not satisfy explicit device specification '", device,
                                   "' because no supported kernel for ", asked.has_type ? asked.type : "its",
                                   " devices is available.", debug, "\nOp: ", node.op_name(), "\nNode attrs: ", attrs,
                                   "\nRegistered kernels:\n", kernels_.ListKernels(node.op_name()));
  }

  void Report(const Node& node, PlacementReason reason, int candidates) {
    if (report_ == nullptr) return;
    report_->rows[ToSize(node.id)] = {
        node.name(), node.op_name(),        node.def.device, std::string(graph_.assigned_device_name(node.id)),
        reason,      groups_.Root(node.id), candidates};
  }

  Graph& graph_;
  const PlacementDevices& devices_;
  const PlacerOptions& options_;
  PlacementReport* report_;
  ColocationGraph groups_;
  const KernelCatalog& kernels_;
  SlimVector<SlimVector<const Device*>> possible_;  // per group: empty, not known
};

// Assigns a device of `devices` to every node that has none. `report`, if not null, says for each node why it is where
// it is. InvalidArgument, with all reasons, when there is no such placement; FailedPrecondition without devices; then
// some nodes may have a device and some not.
//
//   PlacementDevices devices;
//   TENON_RETURN_IF_ERROR(devices.Add("/job:localhost/replica:0/task:0/device:CPU:0", 60));
//   TENON_RETURN_IF_ERROR(PlaceGraph(&graph, devices, kernels, {.allow_soft_placement = true}, &report));
inline Status PlaceGraph(Graph* graph, const PlacementDevices& devices, const KernelCatalog& kernels,
                         const PlacerOptions& options = {}, PlacementReport* report = nullptr) {
  return Placer(graph, devices, kernels, options, report).Run();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
