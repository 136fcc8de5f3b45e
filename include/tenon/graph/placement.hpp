// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs of a placement (the devices by preference, which kernels there are, options) and its result, the report.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/device/device_name.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Which kernels there are. one thread.
class KernelCatalog {
 public:
  virtual ~KernelCatalog() = default;
  // Whether devices of the type have a kernel for the node; if so, *priority is the kernel's: of two types the one with
  // the higher priority is preferred, whatever the devices' own order is. Usually 0.
  virtual bool Supports(const NodeDef& node, std::string_view device_type, int* priority) const = 0;
  // For messages: a line for each kernel of the op.
  virtual std::string ListKernels(std::string_view op) const = 0;
};

// The devices that a graph may be placed on. immutable after the last Add.
class PlacementDevices {
 public:
  struct Device {
    std::string name;  // complete
    DeviceName parsed;
    int type = 0;  // number among types()
  };
  struct Type {
    std::string name;
    int priority = 0;
  };

  // The first device is the client's: those of its task are local. Of two types the one with the higher priority is
  // preferred. InvalidArgument when the name is not complete, AlreadyExists when it is there.
  Status Add(std::string_view name, int type_priority) {
    Device device{std::string(name), DeviceName(), 0};
    if (!DeviceName::Parse(name, &device.parsed) || !device.parsed.IsComplete())
      return errors::InvalidArgument(
          "PlacementDevices: '", name,
          "' is no complete device name such as /job:localhost/replica:0/task:0/device:CPU:0");
    if (Find(name) != nullptr) return errors::AlreadyExists("PlacementDevices: '", name, "' was added before");
    if (devices_.empty()) client_ = device.parsed;
    AddType(device.parsed.type, type_priority);
    devices_.push_back(std::move(device));
    for (Device& d : devices_) d.type = TypeNumber(d.parsed.type);
    return OkStatus();
  }

  const SlimVector<Device>& devices() const { return devices_; }
  // By preference: priority, then name.
  const SlimVector<Type>& types() const { return types_; }
  // Null when there is no such device.
  const Device* Find(std::string_view name) const {
    for (const Device& device : devices_)
      if (device.name == name) return &device;
    return nullptr;
  }
  bool IsLocal(const Device& device) const { return IsSameAddressSpace(device.parsed, client_); }
  // -1 when no device is of that type.
  int TypeNumber(std::string_view type) const {
    for (std::size_t i = 0; i < types_.size(); ++i)
      if (types_[i].name == type) return static_cast<int>(i);
    return -1;
  }
  // "a, b, c", sorted.
  std::string Names() const {
    SlimVector<std::string> names;
    for (const Device& device : devices_) names.push_back(device.name);
    std::sort(names.begin(), names.end());
    return StrJoin(names, ", ");
  }

 private:
  void AddType(const std::string& name, int priority) {
    if (TypeNumber(name) >= 0) return;
    types_.push_back({name, priority});
    std::sort(types_.begin(), types_.end(), [](const Type& a, const Type& b) {
      return a.priority != b.priority ? a.priority > b.priority : a.name < b.name;
    });
  }

  SlimVector<Device> devices_;
  SlimVector<Type> types_;
  DeviceName client_;
};

struct PlacerOptions {
  bool allow_soft_placement = false;  // a device that cannot run the node gives way to one that can
  std::string_view default_device = {};  // for a function's body: first among the possible devices
};

// Why a node is where it is.
enum class PlacementReason : std::uint8_t {
  kAssigned,  // it was before
  kOnly,  // no other device is possible
  kPreferred,  // the first one of several that are possible
  kConsumer,  // a node without inputs goes where its outputs are used
  kInput,  // it only looks at its input's shape: it goes where that is
  kSoft,  // the device asked for cannot run it
};
constexpr std::string_view PlacementReasonText(PlacementReason reason) {
  switch (reason) {
    case PlacementReason::kAssigned: return "assigned before";
    case PlacementReason::kOnly: return "the only device possible";
    case PlacementReason::kPreferred: return "preferred";
    case PlacementReason::kConsumer: return "with its consumers";
    case PlacementReason::kInput: return "with its input";
    case PlacementReason::kSoft: return "soft placement";
  }
  return "";
}

struct PlacementReport {
  struct Row {
    std::string node, op, requested, device;
    PlacementReason reason = PlacementReason::kPreferred;
    int group = 0;  // nodes with the same number had to be together
    int candidates = 0;  // devices that were possible
  };
  SlimVector<Row> rows;  // per node, by id
  SlimVector<std::string> notes;  // what was asked for and not done: colocation and devices that were ignored

  // As TensorFlow logs it: "y: (MatMul): /job:localhost/replica:0/task:0/device:GPU:0", a line per node, then the
  // notes.
  std::string ToString() const {
    std::string text;
    for (const Row& row : rows)
      StrAppend(&text, row.node, ": (", row.op, "): ", row.device, "  # ", PlacementReasonText(row.reason), "\n");
    for (const std::string& note : notes) StrAppend(&text, "note: ", note, "\n");
    return text;
  }
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
