// SPDX-License-Identifier: Apache-2.0
#pragma once
// Passes that change whole graphs before they run, for programs that ask for it: control-flow lowering, placement on
// devices, partition by device.

#include <tenon/graph/lower_functional.hpp>
#include <tenon/graph/partition.hpp>
#include <tenon/graph/placer.hpp>
#include <tenon/runtime/multi_device/registry_kernels.hpp>
