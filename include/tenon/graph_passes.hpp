// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include the headers that it includes.
#pragma message("<tenon/graph_passes.hpp> is deprecated: include the headers that it includes")

#include <tenon/graph/lower_functional.hpp>
#include <tenon/graph/partition.hpp>
#include <tenon/graph/placer.hpp>
#include <tenon/runtime/multi_device/registry_kernels.hpp>
