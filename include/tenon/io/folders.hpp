// SPDX-License-Identifier: Apache-2.0
#pragma once
// Names of files: MatchFiles finds the files that a pattern describes, MakeFoldersOf makes the folders that a file's
// name asks for.

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/stack.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/io/file_system.hpp>
#include <tenon/io/mapped_file.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

inline bool FileExists(const std::string& path) { return KindOf(path) != PathKind::kNone; }
// "" for a name without a folder.
inline std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}
inline bool HasWildcard(std::string_view component) { return component.find_first_of("*?[\\") != component.npos; }

// The pattern that describes this path alone.
inline std::string QuotePattern(std::string_view path) {
  std::string pattern;
  for (const char c : path) {
    if (HasWildcard({&c, 1})) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

// Appends the names in the folder `base` ("" or ending with '/') that the components of `pattern` match.
inline Status MatchIn(std::string base, std::string_view pattern, SlimVector<std::string>* found) {
  std::size_t slash = pattern.find('/');
  if (StackIsShort(0))  // the pattern may have as many components as a path has room for
    return errors::ResourceExhausted("MatchFiles: the thread's stack is too small for folders as deep as '", base, "'");
  // A loop, since a pattern may have more components without wildcards than the stack has room for. A component with
  // a wildcard goes on only where there is such a folder.
  for (; !HasWildcard(pattern.substr(0, slash)); slash = pattern.find('/')) {
    base += pattern.substr(0, slash);
    if (slash == std::string_view::npos) {
      if (FileExists(base)) found->push_back(base);
      return OkStatus();
    }
    base += '/';
    pattern.remove_prefix(slash + 1);
  }
  const std::string component(pattern.substr(0, slash));
  const std::string_view rest = slash == std::string_view::npos ? std::string_view() : pattern.substr(slash);
  SlimVector<std::string> names;
  const int error = ListFolder(base, &names);
  if (error == ENOENT || error == ENOTDIR || error == EACCES) return OkStatus();
  if (error != 0) return FileError("MatchFiles", base, error);
  for (const std::string& entry : names) {
    if (!MatchesPattern(component, entry)) continue;
    const std::string name = base + entry;
    if (rest.empty())
      found->push_back(name);
    else if (KindOf(name) == PathKind::kFolder)
      TENON_RETURN_IF_ERROR(MatchIn(name + "/", rest.substr(1), found));
  }
  return OkStatus();
}

}  // namespace detail

// Makes the folders on the way to the file where they are missing. PermissionDenied and the like from the system.
inline Status MakeFoldersOf(const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    const std::string folder = path.substr(0, end);
    const int error = detail::MakeFolder(folder);
    if (error != 0 && error != EEXIST) return detail::FileError("MakeFoldersOf", folder, error);
  }
  return OkStatus();
}

// The files and folders whose names the pattern describes, in order: '*' any characters but '/', '?' one of them,
// "[a-c]" one of these, "[!a]" or "[^a]" any other, '\' takes the next character as it is. A pattern that begins with
// such a component gives names with "./" before them. Finding nothing is not an error.
inline Result<SlimVector<std::string>> MatchFiles(std::string_view pattern) {
  SlimVector<std::string> found;
  if (pattern.empty()) return found;
  if (detail::HasWildcard(pattern.substr(0, pattern.find('/'))))
    TENON_RETURN_IF_ERROR(detail::MatchIn("./", pattern, &found));
  else
    TENON_RETURN_IF_ERROR(detail::MatchIn("", pattern, &found));
  std::sort(found.begin(), found.end());
  return found;
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
