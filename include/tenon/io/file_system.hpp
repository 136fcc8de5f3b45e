// SPDX-License-Identifier: Apache-2.0
#pragma once
// Differences between file systems: kinds of files, folders, replacing a file. Errors are numbers of <cerrno>, 0: none.
// Names are bytes as std::fopen takes them, with '/' between folders; Windows reads them in the active code page.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <tenon/base/platform.hpp>
#include <tenon/base/slim_vector.hpp>

#if TENON_DETAIL_POSIX
#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <direct.h>
#include <io.h>
#include <sys/stat.h>

// Declared here: <windows.h> defines hundreds of macros.
extern "C" __declspec(dllimport) int __stdcall MoveFileExA(const char* from, const char* to, unsigned long flags);
struct _SECURITY_ATTRIBUTES;
extern "C" __declspec(dllimport) int __stdcall CreateHardLinkA(const char* to, const char* from,
                                                               struct _SECURITY_ATTRIBUTES* security);
extern "C" __declspec(dllimport) unsigned long __stdcall GetLastError();
#endif

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN
namespace detail {

enum class PathKind : std::uint8_t { kNone, kFile, kFolder };  // kNone: there is none, or none that can be seen

inline PathKind KindOf(const std::string& path) {
#if TENON_DETAIL_POSIX
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return PathKind::kNone;
  return S_ISDIR(info.st_mode) ? PathKind::kFolder : PathKind::kFile;
#else
  std::size_t length = path.size();  // the C library finds nothing behind a last '/'
  while (length > 1 && path[length - 1] == '/' && path[length - 2] != ':') --length;
  struct _stat64 info;
  if (::_stat64(path.substr(0, length).c_str(), &info) != 0) return PathKind::kNone;
  if ((info.st_mode & _S_IFDIR) != 0) return PathKind::kFolder;
  return length < path.size() ? PathKind::kNone : PathKind::kFile;
#endif
}

// EEXIST: there is a file or a folder of that name.
inline int MakeFolder(const std::string& path) {
#if TENON_DETAIL_POSIX
  return ::mkdir(path.c_str(), 0777) == 0 ? 0 : errno;
#else
  return ::_mkdir(path.c_str()) == 0 ? 0 : errno;
#endif
}
// ENOTEMPTY: files are in it.
inline int RemoveFolder(const std::string& path) {
#if TENON_DETAIL_POSIX
  return ::rmdir(path.c_str()) == 0 ? 0 : errno;
#else
  return ::_rmdir(path.c_str()) == 0 ? 0 : errno;
#endif
}

// Gives the file `from` the name `to`, in one step. A file of that name goes. EACCES on Windows: that file is open.
inline int RenameOver(const std::string& from, const std::string& to) {
#if TENON_DETAIL_POSIX
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
#else
  constexpr unsigned long kReplace = 1;  // MOVEFILE_REPLACE_EXISTING
  if (::MoveFileExA(from.c_str(), to.c_str(), kReplace) != 0) return 0;
  switch (::GetLastError()) {
    case 2:  // ERROR_FILE_NOT_FOUND
    case 3: return ENOENT;  // ERROR_PATH_NOT_FOUND
    case 5:  // ERROR_ACCESS_DENIED
    case 32: return EACCES;  // ERROR_SHARING_VIOLATION
    default: return EIO;
  }
#endif
}

// Gives a file a second name, which no file may have. Other errors: the file system has no such links.
inline int LinkFile(const std::string& from, const std::string& to) {
#if TENON_DETAIL_POSIX
  return ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno;
#else
  return ::CreateHardLinkA(to.c_str(), from.c_str(), nullptr) != 0 ? 0 : EIO;
#endif
}

// Appends the names in the folder ("" or ending with '/'), without "." and "..", in any order.
inline int ListFolder(const std::string& folder, SlimVector<std::string>* names) {
  const auto add = [names](std::string_view name) {
    if (name != "." && name != "..") names->push_back(std::string(name));
  };
#if TENON_DETAIL_POSIX
  DIR* const opened = ::opendir(folder.empty() ? "." : folder.c_str());
  if (opened == nullptr) return errno;
  while (const dirent* const entry = ::readdir(opened)) add(entry->d_name);
  ::closedir(opened);
#else
  if (KindOf(folder.empty() ? "." : folder) != PathKind::kFolder) return ENOENT;
  struct __finddata64_t entry;
  const std::intptr_t search = ::_findfirst64((folder + "*").c_str(), &entry);
  if (search == -1) return errno == ENOENT ? 0 : errno;
  do add(entry.name);
  while (::_findnext64(search, &entry) == 0);
  ::_findclose(search);
#endif
  return 0;
}

// Whether the name fits the pattern, as fnmatch() without flags says it in the locale "C"; without its [:classes:].
inline bool MatchesWithoutSystem(std::string_view pattern, std::string_view name) {
  // Matches one character other than '*'; moves *at behind its pattern.
  const auto matches_one = [pattern](std::size_t* at, char c) {
    const char p = pattern[(*at)++];
    if (p == '?') return true;
    if (p == '\\') return *at < pattern.size() && pattern[(*at)++] == c;
    if (p != '[') return p == c;
    std::size_t i = *at;
    const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
    if (negated) ++i;
    bool found = false;
    for (const std::size_t first = i; i < pattern.size() && (pattern[i] != ']' || i == first);) {
      const auto next = [&] {
        if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
        return static_cast<unsigned char>(pattern[i++]);
      };
      const unsigned char low = next();
      unsigned char high = low;
      if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
        ++i;
        high = next();
      }
      found |= low <= static_cast<unsigned char>(c) && static_cast<unsigned char>(c) <= high;
    }
    if (i >= pattern.size()) return p == c;  // without its ']' a '[' is an ordinary character
    *at = i + 1;
    return found != negated;
  };
  std::size_t p = 0, n = 0, star = pattern.npos, star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && matches_one(&p, name[n])) {
      ++n;
    } else if (star != pattern.npos) {  // the last '*' takes one character more
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}
inline bool MatchesPattern(const std::string& pattern, const std::string& name) {
#if TENON_DETAIL_POSIX
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
#else
  return MatchesWithoutSystem(pattern, name);
#endif
}

}  // namespace detail
TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
