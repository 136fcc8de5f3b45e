// SPDX-License-Identifier: Apache-2.0
#pragma once
// Deprecated since 0.1.0; 0.2.0 removes it: include the headers that it includes.
#pragma message("<tenon/extras.hpp> is deprecated: include the headers that it includes")

#include <tenon/device/executor_pool.hpp>
#include <tenon/graph/canonical.hpp>
#include <tenon/graph/import_into.hpp>
#include <tenon/graph/subgraph.hpp>
#include <tenon/runtime/session/function_library_runtime.hpp>
