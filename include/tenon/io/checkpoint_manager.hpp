// SPDX-License-Identifier: Apache-2.0
#pragma once
// CheckpointManager: names of a training's checkpoints, the file `checkpoint`, and the removal of old ones.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/io/bundle_entry.hpp>
#include <tenon/io/checkpoint_state.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Removes all files of a checkpoint of either format, its .meta file too. Its index goes first: what is left when the
// process is killed is not a checkpoint. Without such files it does nothing. Errors of the system have the code that
// fits.
inline Status RemoveCheckpoint(const std::string& prefix) {
  const std::string folder(detail::FolderOf(prefix));
  const std::string inside = folder.empty() && !StartsWith(prefix, "/") ? "" : folder + "/";
  const std::string base = prefix.substr(inside.size());
  const std::string shard = "-????[0-9]-of-????[0-9]";  // with five '?' it has a trigraph
  SlimVector<std::string> names, files;
  const int error = detail::ListFolder(inside, &names);
  if (error == ENOENT || error == ENOTDIR) return OkStatus();
  if (error != 0) return detail::FileError("RemoveCheckpoint", inside, error);
  std::sort(names.begin(), names.end());
  files.push_back(detail::BundleIndexName(prefix));
  for (const std::string& name : names) {
    if (!StartsWith(name, base)) continue;
    const std::string rest = name.substr(base.size());
    if (rest.empty() || rest == ".meta" || detail::MatchesPattern(".data" + shard, rest) ||
        detail::MatchesPattern(shard, rest))
      files.push_back(inside + name);
  }
  for (const std::string& file : files) {
    if (detail::KindOf(file) == detail::PathKind::kFile && std::remove(file.c_str()) != 0 && errno != ENOENT)
      return detail::FileError("RemoveCheckpoint", file, errno);
  }
  return OkStatus();
}

// Options of CheckpointManager; the defaults are those of tf.compat.v1.train.Saver.
struct CheckpointManagerOptions {
  std::string name = "ckpt";  // checkpoints are FOLDER/NAME-NUMBER
  int max_to_keep = 5;  // newest checkpoints that stay; 0: all
  double keep_checkpoint_every_n_hours = 0;  // one of this many hours stays for good; 0: none
};

// Keeps the newest checkpoints of a folder, as tf.train.CheckpointManager does. one thread.
//
//   TENON_ASSIGN_OR_RETURN(CheckpointManager manager, CheckpointManager::Open("/models", {.max_to_keep = 3}));
//   BundleWriter writer(manager.PrefixOf(step));  // Open, Add, Finish
//   TENON_RETURN_IF_ERROR(manager.Add(manager.PrefixOf(step)));
class CheckpointManager {
 public:
  // Goes on from the folder's file `checkpoint`, if there is one. `now` is in seconds since 1970. InvalidArgument: the
  // file is not a CheckpointState, or an option is negative.
  static Result<CheckpointManager> Open(const std::string& folder, CheckpointManagerOptions options = {},
                                        double now = Now()) {
    if (options.max_to_keep < 0 || !(options.keep_checkpoint_every_n_hours >= 0))
      return errors::InvalidArgument("CheckpointManager: max_to_keep is ", options.max_to_keep,
                                     " and keep_checkpoint_every_n_hours ", options.keep_checkpoint_every_n_hours,
                                     "; 0 or more is right");
    CheckpointManager manager(folder, std::move(options));
    Result<CheckpointState> state = ReadCheckpointState(folder);
    if (errors::IsNotFound(state.status())) {
      manager.state_.last_preserved_timestamp = now - 1;
      return manager;
    }
    TENON_RETURN_IF_ERROR(state.status());
    manager.state_ = *std::move(state);
    SlimVector<double>& times = manager.state_.all_model_checkpoint_timestamps;
    if (times.size() != manager.checkpoints().size()) times = SlimVector<double>(manager.checkpoints().size(), now);
    for (double& time : times) time = std::min(time, now);  // the clock was set back
    manager.state_.last_preserved_timestamp = std::min(manager.state_.last_preserved_timestamp, now);
    return manager;
  }

  // Returns FOLDER/NAME-NUMBER.
  std::string PrefixOf(std::int64_t number) const {
    return detail::JoinPath(folder_, StrCat(options_.name, "-", number));
  }
  // Number behind the newest prefix of this name plus one, or 1.
  std::int64_t NextNumber() const {
    std::int64_t last = 0, number = 0;
    for (const std::string& path : checkpoints()) {
      const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
      if (StartsWith(name, options_.name + "-") && ParseInt(name.substr(options_.name.size() + 1), &number))
        last = std::max(last, number);
    }
    return last + 1;
  }
  const std::string& latest() const { return state_.model_checkpoint_path; }  // "": none
  const SlimVector<std::string>& checkpoints() const { return state_.all_model_checkpoint_paths; }  // the newest last

  // Makes a checkpoint that has been written the newest one, removes those that are too many and writes the file
  // `checkpoint`. NotFound: no checkpoint has the prefix. Returns the errors of WriteCheckpointState and
  // RemoveCheckpoint.
  Status Add(const std::string& prefix, double now = Now()) {
    if (!detail::CheckpointExists(prefix))
      return errors::NotFound("CheckpointManager: there is no checkpoint '", prefix,
                              "'; it must be written before Add");
    const CheckpointState before = state_;
    for (std::size_t i = 0; i < checkpoints().size(); ++i)
      if (checkpoints()[i] == prefix) Forget(i--);
    state_.model_checkpoint_path = prefix;
    state_.all_model_checkpoint_paths.push_back(prefix);
    state_.all_model_checkpoint_timestamps.push_back(now);
    // The file names the new checkpoint before an old one goes, and is written again when it has gone.
    if (const Status written = WriteCheckpointState(folder_, state_); !written.ok()) {
      state_ = before;
      return written;
    }
    if (options_.max_to_keep == 0 || checkpoints().size() <= static_cast<std::size_t>(options_.max_to_keep))
      return OkStatus();
    const double seconds = options_.keep_checkpoint_every_n_hours * 3600;
    while (checkpoints().size() > static_cast<std::size_t>(options_.max_to_keep)) {
      const double time = state_.all_model_checkpoint_timestamps[0];
      const std::string path = checkpoints()[0];
      Forget(0);
      if (seconds > 0 && time - seconds >= state_.last_preserved_timestamp)
        state_.last_preserved_timestamp = time;
      else
        TENON_RETURN_IF_ERROR(RemoveCheckpoint(path));
    }
    return WriteCheckpointState(folder_, state_);
  }

 private:
  CheckpointManager(std::string folder, CheckpointManagerOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {}

  static double Now() { return static_cast<double>(SystemNanoseconds()) * 1e-9; }
  void Forget(std::size_t i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    state_.all_model_checkpoint_paths.erase(state_.all_model_checkpoint_paths.begin() + at);
    state_.all_model_checkpoint_timestamps.erase(state_.all_model_checkpoint_timestamps.begin() + at);
  }

  std::string folder_;
  CheckpointManagerOptions options_;
  CheckpointState state_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
