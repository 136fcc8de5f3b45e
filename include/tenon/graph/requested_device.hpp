// SPDX-License-Identifier: Apache-2.0
#pragma once
// The device that a NodeDef asks for: "/job:localhost/task:0/device:GPU:1", or a part of such a name.

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/device/device_name.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// Reads the name; an empty one asks for nothing. InvalidArgument: not a device name.
inline Status ParseRequestedDevice(const NodeDef& node, DeviceName* name) {
  *name = DeviceName();
  if (node.device.empty() || DeviceName::Parse(node.device, name)) return OkStatus();
  return errors::InvalidArgument("Malformed device specification '", node.device,
                                 "' in node: ", SummarizeNodeDef(node));
}
// Checks the name without returning it. InvalidArgument: not a device name.
inline Status CheckRequestedDevice(const NodeDef& node) {
  if (node.device.empty()) return OkStatus();
  DeviceName name;
  return ParseRequestedDevice(node, &name);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
