// SPDX-License-Identifier: Apache-2.0
#pragma once
// What few programs need, so that tenon.hpp stays quick to compile without it: threads of other libraries as a
// session's pool, parts of graphs, their canonical form and hash, functions called from C++. Each may be included
// alone.

#include <tenon/device/executor_pool.hpp>
#include <tenon/graph/canonical.hpp>
#include <tenon/graph/import_into.hpp>
#include <tenon/graph/subgraph.hpp>
#include <tenon/runtime/session/function_library_runtime.hpp>
