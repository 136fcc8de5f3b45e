// SPDX-License-Identifier: Apache-2.0
#pragma once
// NewFolder: a folder that is filled under another name and gets its own in one step.

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/folders.hpp>
#include <tenon/io/mapped_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Removes a folder and what is in it, as far as it can; goes 16 folders deep.
inline void RemoveFolderTree(const std::string& folder, int depth = 16) {
  SlimVector<std::string> names;
  if (depth == 0 || ListFolder(folder + "/", &names) != 0) return;
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    if (std::remove(path.c_str()) != 0) RemoveFolderTree(path, depth - 1);
  }
  RemoveFolder(folder);
}

// one thread. Without Finish nothing stays.
class NewFolder {
 public:
  // Makes the folder under another name. AlreadyExists: `path` is a file, or a folder that is not empty. The system's
  // other errors have the code that fits.
  static Result<NewFolder> Make(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    TENON_RETURN_IF_ERROR(CheckFree(path));
    TENON_RETURN_IF_ERROR(MakeFoldersOf(path));
    NewFolder made(std::move(path));
    if (const int error = MakeFolder(made.path_); error != 0) {
      Status status = FileError("NewFolder", made.path_, error);
      made.path_.clear();
      return status;
    }
    return made;
  }
  NewFolder(NewFolder&& other) noexcept
      : final_path_(std::move(other.final_path_)), path_(std::exchange(other.path_, std::string())) {}
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder() {
    if (!path_.empty()) RemoveFolderTree(path_);
  }

  const std::string& path() const { return path_; }  // where its files are written until Finish
  // Gives the folder its name. AlreadyExists: another one has got it meanwhile.
  Status Finish() {
    RemoveFolder(final_path_);  // an empty one
    const int error = RenameOver(path_, final_path_);
    if (error == ENOTEMPTY || error == EEXIST || error == ENOTDIR) return IsThere(final_path_);
    if (error != 0) return FileError("NewFolder", final_path_, error);
    path_.clear();
    return OkStatus();
  }

 private:
  explicit NewFolder(std::string path) : final_path_(std::move(path)), path_(TemporaryName(final_path_)) {}
  static Status IsThere(const std::string& path) {
    return errors::AlreadyExists("NewFolder: '", path, "' is there already; a new or an empty folder is wanted");
  }
  static Status CheckFree(const std::string& path) {
    if (KindOf(path) == PathKind::kNone) return OkStatus();
    SlimVector<std::string> names;
    return ListFolder(path + "/", &names) == 0 && names.empty() ? OkStatus() : IsThere(path);
  }

  std::string final_path_, path_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
