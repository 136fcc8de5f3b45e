// SPDX-License-Identifier: Apache-2.0
#pragma once
// MetaGraphs in files (.meta), binary or in protobuf's text format.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>
#include <tenon/op/op_def/meta_graph_edit.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Reads a MetaGraph from a file, binary or text: the content tells. Large constants of a binary file stay views of the
// mapped file, which must not be written to in place while they live. NotFound, and other errors of the system: the
// file cannot be opened. DataLoss: binary content is not a MetaGraphDef. InvalidArgument: text is not one
// ("path:line:column: ..."). FailedPrecondition: the file was written to meanwhile.
inline Result<MetaGraphDef> ReadMetaGraphFile(const std::string& path, FileAccess access = FileAccess::kMap) {
  return detail::CatchAll("ReadMetaGraphFile", [&]() -> Result<MetaGraphDef> {
    TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path, access));
    const std::string_view text = wire::AsText(file.bytes());
    const char first = text.empty() ? '\0' : text[0];  // a binary file begins with a tag: no letter, no '#'
    const bool is_text = first == '#' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
    Result<MetaGraphDef> meta_graph = errors::DataLoss("a text");
    if (!is_text) meta_graph = ParseMetaGraphDef(file.bytes(), file.buffer());
    if (errors::IsDataLoss(meta_graph.status())) {
      Result<MetaGraphDef> parsed = ParseTextMetaGraphDef(text);
      if (parsed.ok())
        meta_graph = std::move(parsed);
      else if (is_text && errors::IsInvalidArgument(parsed.status()))
        meta_graph = errors::InvalidArgument(path, ":", parsed.status().message());
      else if (is_text)
        meta_graph = parsed.status();
      else
        meta_graph = errors::DataLoss("Can't parse '", path, "' as binary proto: ", meta_graph.status().message());
    }
    if (access == FileAccess::kMap) TENON_RETURN_IF_ERROR(file.CheckUnchanged(path));
    return meta_graph;
  });
}

// Writes a MetaGraph in one step, binary or, with `as_text`, as text. Makes missing folders. Returns the errors of
// WriteFile, with the path.
inline Status WriteMetaGraphFile(const std::string& path, const MetaGraphDef& meta_graph, bool as_text = false) {
  return detail::CatchAll("WriteMetaGraphFile", [&]() -> Status {
    TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
    return WriteFile(path, as_text ? MetaGraphDefToText(meta_graph) : SerializeMetaGraphDef(meta_graph));
  });
}

// Changes that ImportMetaGraph makes.
struct ImportMetaGraphOptions {
  bool clear_devices = false;  // ClearDevices
  std::string import_scope = {};  // AddImportScope; "": names stay
};

// Reads a MetaGraph for Session::FromGraphDef(meta_graph.graph_def). Returns the errors of ReadMetaGraphFile and
// AddImportScope.
//
//   TENON_ASSIGN_OR_RETURN(const MetaGraphDef meta_graph, ImportMetaGraph("/models/model.ckpt-1000.meta"));
//   TENON_ASSIGN_OR_RETURN(const Session session, Session::FromGraphDef(meta_graph.graph_def));
//   TENON_RETURN_IF_ERROR(RunRestorer(session, meta_graph.saver_def, "/models/model.ckpt-1000"));
inline Result<MetaGraphDef> ImportMetaGraph(const std::string& path, const ImportMetaGraphOptions& options = {}) {
  TENON_ASSIGN_OR_RETURN(MetaGraphDef meta_graph, ReadMetaGraphFile(path));
  if (options.clear_devices) ClearDevices(&meta_graph.graph_def);
  TENON_RETURN_IF_ERROR(AddImportScope(options.import_scope, &meta_graph));
  return meta_graph;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
