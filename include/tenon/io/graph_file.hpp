// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs in files, with all that they may have in them: ReadGraphFile (io/read_graph.hpp) and WriteGraphFile.

#include <string>

#include <tenon/base/status.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/wire/tensor_writer.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/proto_io.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/read_graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

inline Status WriteGraphFile(const std::string& path, const GraphDef& graph) {
  wire::MessageWriter writer = wire::MakeMessageWriter();
  wire::SerializeMessage(wire::Schema<GraphDef>::message, writer, &graph);
  return WriteFile(path, writer.view());
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
