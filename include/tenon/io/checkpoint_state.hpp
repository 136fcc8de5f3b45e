// SPDX-License-Identifier: Apache-2.0
#pragma once
// CheckpointState: the text file `checkpoint` in a folder, which names the newest checkpoint and those that are kept.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/wire/schema.hpp>
#include <tenon/op/graph_def/graph_text.hpp>
#include <tenon/io/bundle_entry.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// The checkpoints of a folder. Times are seconds since 1970.
struct CheckpointState {
  std::string model_checkpoint_path;  // prefix of the newest checkpoint
  SlimVector<std::string> all_model_checkpoint_paths;  // from the oldest to the newest
  SlimVector<double> all_model_checkpoint_timestamps;  // one for each of these, or none
  double last_preserved_timestamp = 0;  // time of the last checkpoint that stays for good

  friend bool operator==(const CheckpointState&, const CheckpointState&) = default;
};

namespace wire {
template <>
struct Schema<CheckpointState> {
  static const Message message;
};
inline constexpr Field kCheckpointStateFields[] = {
    MakeField<&CheckpointState::model_checkpoint_path>(1, "model_checkpoint_path"),
    MakeField<&CheckpointState::all_model_checkpoint_paths>(2, "all_model_checkpoint_paths"),
    MakeField<&CheckpointState::all_model_checkpoint_timestamps>(3, "all_model_checkpoint_timestamps"),
    MakeField<&CheckpointState::last_preserved_timestamp>(4, "last_preserved_timestamp"),
};
inline constexpr Message Schema<CheckpointState>::message("CheckpointState", kCheckpointStateFields);
}  // namespace wire

namespace detail {

inline bool IsAbsolutePath(std::string_view path) {
  return StartsWith(path, "/") || (path.size() > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\'));
}
inline std::string JoinPath(std::string_view folder, std::string_view path) {
  if (folder.empty() || IsAbsolutePath(path)) return std::string(path);
  return StrCat(folder, folder.ends_with('/') ? "" : "/", path);
}
// The path as seen from the folder. Both begin in the same place; without that the path stays as it is.
inline std::string RelativePath(std::string_view folder, std::string_view path) {
  if (IsAbsolutePath(folder) != IsAbsolutePath(path)) return std::string(path);
  const auto next = [](std::string_view* rest) {  // its next component, "" at the end; skips "." and doubled '/'
    for (;;) {
      const std::size_t slash = rest->find('/');
      const std::string_view component = rest->substr(0, slash);
      rest->remove_prefix(slash == rest->npos ? rest->size() : slash + 1);
      if ((!component.empty() && component != ".") || rest->empty()) return component == "." ? "" : component;
    }
  };
  std::string_view whole = path;
  std::string_view from = next(&folder), rest = path, to = next(&rest);
  while (!from.empty() && from == to && !rest.empty()) {
    path = rest;
    from = next(&folder);
    to = next(&rest);
  }
  std::string ups;
  for (; !from.empty(); from = next(&folder)) {
    if (from == "..") return std::string(whole);
    ups += "../";
  }
  while (StartsWith(path, "/") || StartsWith(path, "./")) path.remove_prefix(path[0] == '/' ? 1 : 2);
  return ups.append(path);
}
inline bool CheckpointExists(const std::string& prefix) {
  return FileExists(BundleIndexName(prefix)) || KindOf(prefix) == PathKind::kFile;
}

}  // namespace detail

// Reads FOLDER/NAME. Paths in it that are not absolute get the folder before them. NotFound: no such file.
// InvalidArgument: its text is not a CheckpointState, or names no newest checkpoint.
inline Result<CheckpointState> ReadCheckpointState(const std::string& folder, std::string_view name = "checkpoint") {
  const std::string path = detail::JoinPath(folder, name);
  TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path, FileAccess::kRead));
  CheckpointState state;
  if (const Status parsed = ParseText(wire::AsText(file.bytes()), &state); !parsed.ok())
    return Status(parsed.code(), StrCat(path, ":", parsed.message()));
  if (state.model_checkpoint_path.empty())
    return errors::InvalidArgument("Invalid checkpoint state loaded from ", path, ": model_checkpoint_path is missing");
  state.model_checkpoint_path = detail::JoinPath(folder, state.model_checkpoint_path);
  for (std::string& checkpoint : state.all_model_checkpoint_paths) checkpoint = detail::JoinPath(folder, checkpoint);
  return state;
}

// Writes FOLDER/NAME in one step. Paths are written as seen from the folder, so that the folder may move, unless they
// begin elsewhere or `relative` is false. The newest path is added to the others where it is not the last of them.
// InvalidArgument: another number of times than of paths. Returns the errors of WriteFile.
inline Status WriteCheckpointState(const std::string& folder, CheckpointState state,
                                   std::string_view name = "checkpoint", bool relative = true) {
  SlimVector<std::string>& paths = state.all_model_checkpoint_paths;
  if (state.model_checkpoint_path.empty())
    return errors::InvalidArgument("WriteCheckpointState: model_checkpoint_path of '", folder, "' is empty");
  if (paths.empty() || paths[paths.size() - 1] != state.model_checkpoint_path)
    paths.push_back(state.model_checkpoint_path);
  const std::size_t times = state.all_model_checkpoint_timestamps.size();
  if (times != 0 && times != paths.size())
    return errors::InvalidArgument("Checkpoint timestamps, if provided, must match checkpoint paths: ", times,
                                   " times for ", paths.size(), " paths in '", folder, "'");
  if (relative || !detail::IsAbsolutePath(folder)) {
    state.model_checkpoint_path = detail::RelativePath(folder, state.model_checkpoint_path);
    for (std::string& path : paths) path = detail::RelativePath(folder, path);
  }
  const std::string path = detail::JoinPath(folder, name);
  TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
  return WriteFile(path, ToText(state));
}

// Returns the prefix of the newest checkpoint in the folder, for CheckpointReader::Open. NotFound: there is no file
// `checkpoint`, or no checkpoint with the name in it. InvalidArgument: see ReadCheckpointState.
inline Result<std::string> LatestCheckpoint(const std::string& folder, std::string_view name = "checkpoint") {
  TENON_ASSIGN_OR_RETURN(CheckpointState state, ReadCheckpointState(folder, name));
  if (!detail::CheckpointExists(state.model_checkpoint_path))
    return errors::NotFound("Couldn't match files for checkpoint ", state.model_checkpoint_path);
  return std::move(state.model_checkpoint_path);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
