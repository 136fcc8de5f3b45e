// SPDX-License-Identifier: Apache-2.0
#pragma once
// Front door for programs that run on several machines: TensorFlow's messages ConfigProto, RunOptions, ClusterDef,
// ServerDef and DeviceAttributes, session options from them, remote devices, the rendezvous of a step. PartitionedGraph
// runs the part of a task; <tenon/devices.hpp> has it.

#include <tenon/op/graph_def/config_proto.hpp>
#include <tenon/device/device_attributes_proto.hpp>
#include <tenon/device/remote_device.hpp>
#include <tenon/runtime/executor/local_rendezvous.hpp>
#include <tenon/runtime/multi_device/step_of_peers.hpp>
#include <tenon/runtime/session/options_from_proto.hpp>
