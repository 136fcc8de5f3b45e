// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text graphs (.pbtxt, .prototxt) in files. A program with this header also has a ReadGraphFile, and so a
// Session::FromGraphFile, that reads them: the content tells, not the name.

#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/read_graph.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline Result<GraphDef> ReadTextOfFile(std::string_view path, std::string_view text) {
  Result<GraphDef> graph = ParseTextGraphDef(text);
  if (graph.ok()) return graph;
  const std::string_view separator = errors::IsInvalidArgument(graph.status()) ? ":" : ": ";
  return Status(graph.status().code(), StrCat(path, separator, graph.status().message()));
}
inline const bool fills_read_graph_text = FillExtension(&extensions.read_graph_text, &ReadTextOfFile);

}  // namespace detail

// Returns the graph of a file in protobuf's text format; a file of blanks and comments is an empty graph.
// NotFound, and other errors of the system: the file cannot be opened.
// InvalidArgument: the text is not a GraphDef ("path:line:column: ...").
inline Result<GraphDef> ReadTextGraphFile(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path, FileAccess::kMap));
  Result<GraphDef> graph = detail::ReadTextOfFile(path, wire::AsText(file.bytes()));
  TENON_RETURN_IF_ERROR(file.CheckUnchanged(path));
  return graph;
}

// Writes a graph as tf.io.write_graph does with as_text=True. Returns the errors of WriteFile, with the path.
inline Status WriteTextGraphFile(const std::string& path, const GraphDef& graph) {
  return detail::CatchAll("WriteTextGraphFile", [&] { return WriteFile(path, ToText(graph)); });
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
