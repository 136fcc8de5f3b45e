// SPDX-License-Identifier: Apache-2.0
#pragma once
// GraphDef: a graph as plain data, as it stands in a file. op/graph_def/proto_io.hpp reads and writes it.

#include <cstdint>
#include <string>

#include <tenon/base/slim_vector.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/graph_def/versions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// A graph as plain data. externally synchronised.
struct GraphDef {
  SlimVector<NodeDef> node;  // in any order
  VersionDef versions;  // versions of the program that wrote it
  std::int32_t version = 0;  // older than `versions`, and without a meaning: kept as it came
  FunctionDefLibrary library;  // functions that nodes call
  std::string debug_info;  // serialised GraphDebugInfo, kept as it came

  friend bool operator==(const GraphDef&, const GraphDef&) = default;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
