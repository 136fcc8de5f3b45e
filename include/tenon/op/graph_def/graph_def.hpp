// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphDef: a graph as plain data, as it stands in a file. op/graph_def/proto_io.hpp reads and writes it.

#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/versions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

struct GraphDef {
  SlimVector<NodeDef> node;  // in any order
  VersionDef versions;
  FunctionDefLibrary library;
  std::string debug_info;  // serialised GraphDebugInfo, kept as it came

  friend bool operator==(const GraphDef&, const GraphDef&) = default;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
