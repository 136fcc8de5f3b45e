// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReadSavedModelFile: the content of a SavedModel's saved_model.pb or saved_model.pbtxt. TakeMetaGraph: its graph with
// given tags.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/extensions.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/meta_graph.hpp>
#include <tenon/op/graph_def/meta_graph_proto.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/wire/reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Returns whether the last field of a message goes beyond the end of the bytes, as in a file that was cut.
inline bool IsCutMessage(Span<const std::byte> bytes) {
  wire::Reader reader(bytes);
  wire::Tag tag;
  while (!reader.AtEnd()) {
    if (!reader.ReadTag(&tag)) return false;
    if (!reader.Skip(tag)) return true;
  }
  return false;
}
// Returns whether "line:column: ..." names the end of the text, blanks apart.
inline bool IsAtEnd(std::string_view text, std::string_view message) {
  std::size_t line = 0, column = 0;
  const std::size_t colon = message.find(':'), second = message.find(':', colon + 1);
  if (second == message.npos || !ParseInt(message.substr(0, colon), &line) ||
      !ParseInt(message.substr(colon + 1, second - colon - 1), &column))
    return false;
  std::size_t at = 0;
  while (--line > 0 && at < text.size()) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return text.find_first_not_of(" \t\r\n", at + column - 1) == text.npos;
}

inline std::string SavedModelPath(std::string_view folder, std::string_view file) {
  return StrCat(folder, folder.ends_with('/') ? "" : "/", file);
}

inline Result<SavedModelDef> ReadBinarySavedModel(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path, FileAccess::kMap));
  Result<SavedModelDef> saved_model = ParseSavedModelDef(file.bytes(), file.buffer());
  TENON_RETURN_IF_ERROR(file.CheckUnchanged(path));
  if (saved_model.ok() || !errors::IsDataLoss(saved_model.status())) return saved_model;
  const std::string_view why = saved_model.status().message();
  if (IsCutMessage(file.bytes()))
    return errors::OutOfRange("Read less bytes than requested: '", path, "' ends too early: ", why);
  return errors::DataLoss("Can't parse '", path, "' as binary proto: ", why);
}
inline Result<SavedModelDef> ReadTextSavedModel(const std::string& path) {
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path, FileAccess::kMap));
  const std::string_view text = wire::AsText(file.bytes());
  Result<SavedModelDef> saved_model = ParseTextSavedModelDef(text);
  TENON_RETURN_IF_ERROR(file.CheckUnchanged(path));
  if (saved_model.ok() || !errors::IsInvalidArgument(saved_model.status())) return saved_model;
  const std::string_view why = saved_model.status().message();
  if (IsAtEnd(text, why))
    return errors::OutOfRange("Read less bytes than requested: the text ends too early: ", path, ":", why);
  return errors::DataLoss("Can't parse '", path, "' as text proto: ", path, ":", why);
}

// "{ gpu serve }"
inline std::string TagsToString(SlimVector<std::string_view> tags) {
  std::sort(tags.begin(), tags.end());
  std::string text = "{";
  for (const std::string_view tag : tags) StrAppend(&text, " ", tag);
  return text += " }";
}

}  // namespace detail

// Reads FOLDER/saved_model.pb or, where that is not there, FOLDER/saved_model.pbtxt. Large constants stay views of the
// mapped file. The codes are TensorFlow's. NotFound: neither file is there. OutOfRange: the file was cut. DataLoss: it
// is not a SavedModel. FailedPrecondition: it was written to meanwhile. Each message names the file.
inline Result<SavedModelDef> ReadSavedModelFile(std::string_view folder) {
  const std::string binary = detail::SavedModelPath(folder, "saved_model.pb");
  if (detail::FileExists(binary)) return detail::ReadBinarySavedModel(binary);
  const std::string text = detail::SavedModelPath(folder, "saved_model.pbtxt");
  if (detail::FileExists(text)) return detail::ReadTextSavedModel(text);
  const detail::PathKind kind = detail::KindOf(std::string(folder));
  const auto describe = detail::extensions.describe_file.load(std::memory_order_acquire);
  Status none =
      errors::NotFound("Could not find SavedModel .pb or .pbtxt at supplied export directory path: ", folder,
                       ". Check that the directory exists and that you have the right permissions for accessing it",
                       kind == detail::PathKind::kNone   ? "; there is no such folder"
                       : describe != nullptr             ? ""
                       : kind == detail::PathKind::kFile ? "; it is a file; the folder that it is in is wanted"
                                                         : "; neither saved_model.pb nor saved_model.pbtxt is "
                                                           "in the folder");
  if (describe != nullptr && kind != detail::PathKind::kNone) describe(std::string(folder), &none);
  return none;
}

// Takes the first graph whose tags are `tags`, in any order. NotFound: there is none; the message has the tags that
// there are. `folder` is for messages.
inline Result<MetaGraphDef> TakeMetaGraph(SavedModelDef&& saved_model, Span<const std::string> tags,
                                          std::string_view folder) {
  const auto as_set = [](const auto& names) {
    SlimVector<std::string_view> set;
    for (const std::string& name : names) set.push_back(name);
    std::sort(set.begin(), set.end());
    while (std::adjacent_find(set.begin(), set.end()) != set.end())
      set.erase(std::adjacent_find(set.begin(), set.end()));
    return set;
  };
  const SlimVector<std::string_view> wanted = as_set(tags);
  std::string there;
  for (MetaGraphDef& meta_graph : saved_model.meta_graphs) {
    const SlimVector<std::string_view> has = as_set(meta_graph.meta_info_def.tags);
    if (has == wanted) return std::move(meta_graph);
    StrAppend(&there, there.empty() ? "" : ", ", detail::TagsToString(has));
  }
  return errors::NotFound("Could not find meta graph def matching supplied tags: ", detail::TagsToString(wanted),
                          ". To inspect available tag-sets in the SavedModel, please use the SavedModel CLI: "
                          "`saved_model_cli`; '",
                          folder, "' has ", there.empty() ? std::string_view("no graph") : std::string_view(there));
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
