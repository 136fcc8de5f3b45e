// SPDX-License-Identifier: Apache-2.0
#pragma once
// ImportLimits: how large a graph may be that is imported.

#include <cstdint>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Limits of an import; ResourceExhausted beyond them.
struct ImportLimits {
  std::int64_t max_nodes = std::int64_t{1} << 26;      // in the graph and the bodies of its functions
  std::int64_t max_functions = std::int64_t{1} << 24;  // in its library
  int max_nesting = 100;                               // functions in the attrs of functions
};

TENON_DETAIL_NAMESPACE_END
