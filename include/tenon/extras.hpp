// SPDX-License-Identifier: Apache-2.0
#pragma once
// Features that few programs need, kept out of tenon.hpp so that it stays quick to compile: threads of other
// libraries as a session's pool, subgraphs, canonical forms and hashes of graphs, functions called from C++. Each
// header may be included alone.

#include <tenon/device/executor_pool.hpp>
#include <tenon/graph/canonical.hpp>
#include <tenon/graph/import_into.hpp>
#include <tenon/graph/subgraph.hpp>
#include <tenon/runtime/session/function_library_runtime.hpp>
