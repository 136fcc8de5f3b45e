// SPDX-License-Identifier: Apache-2.0
#pragma once
// Front door for programs that run on several machines: TensorFlow's messages ConfigProto, RunOptions, ClusterDef,
// ServerDef and DeviceAttributes, and session options from them.

#include <tenon/op/graph_def/config_proto.hpp>
#include <tenon/device/device_attributes_proto.hpp>
#include <tenon/runtime/session/options_from_proto.hpp>
