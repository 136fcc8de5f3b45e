// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs as JSON in files. A program with this header also has a ReadGraphFile, and so a Session::FromGraphFile, that
// reads them: the content tells, not the name.

#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/graph_json.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/read_graph.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline Result<GraphDef> ReadJsonOfFile(std::string_view path, std::string_view json) {
  Result<GraphDef> graph = ParseJsonGraphDef(json);
  if (graph.ok()) return graph;
  const std::string_view separator = errors::IsInvalidArgument(graph.status()) ? ":" : ": ";
  return Status(graph.status().code(), StrCat(path, separator, graph.status().message()));
}
inline const bool fills_read_graph_json = FillExtension(&extensions.read_graph_json, &ReadJsonOfFile);

}  // namespace detail

// Returns the graph of a JSON file.
// NotFound, and other errors of the system: the file cannot be opened.
// InvalidArgument: the text is not a GraphDef ("path:line:column: ...").
inline Result<GraphDef> ReadJsonGraphFile(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path, FileAccess::kMap));
  Result<GraphDef> graph = detail::ReadJsonOfFile(path, wire::AsText(file.bytes()));
  TENON_RETURN_IF_ERROR(file.CheckUnchanged(path));
  return graph;
}

// Writes a graph as JSON, in the layout of ToJson. Returns the errors of WriteFile, with the path.
inline Status WriteJsonGraphFile(const std::string& path, const GraphDef& graph) {
  return detail::CatchAll("WriteJsonGraphFile", [&] { return WriteFile(path, ToJson(graph)); });
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
