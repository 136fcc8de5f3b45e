// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several devices in one binary: sessions that have them (SessionOptions::devices), names, managers, graphs cut into
// partitions that run on them, and SimulatedDevice ("SIM:0") to try that without a GPU. One source file includes it.
// It is not a part of tenon.hpp: a binary that runs on one device compiles none of it.
//
//   auto session = tenon::Session::FromGraphDef(graph, {.devices = {"CPU:0", "GPU:0", "GPU:1"}});

#include <tenon/device/copy_tensor.hpp>
#include <tenon/device/device_attributes.hpp>
#include <tenon/device/device_factory.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/device/device_name.hpp>
#include <tenon/device/device_set.hpp>
#include <tenon/device/protected_memory.hpp>
#include <tenon/device/simulated_device.hpp>
#include <tenon/device/work_queue.hpp>
#include <tenon/kernel/rendezvous.hpp>
#include <tenon/kernel/simulated_kernels.hpp>
#include <tenon/ops/flow/send_recv.hpp>
#include <tenon/kernel/register.hpp>
#include <tenon/runtime/multi_device/device_rendezvous.hpp>
#include <tenon/runtime/executor/local_rendezvous.hpp>
#include <tenon/runtime/multi_device/partitioned_graph.hpp>
#include <tenon/runtime/multi_device/multi_device_session.hpp>
#include <tenon/runtime/multi_device/session_devices.hpp>

// Ops at the cuts between devices: no graph has them before, so a program would not think to register them. For GPUs
// a .cu file registers them, too.
#if !defined(__NVCC__)
TENON_REGISTER(tenon::ops::Send, tenon::ops::Recv, tenon::ops::HostSend, tenon::ops::HostRecv);
#endif
