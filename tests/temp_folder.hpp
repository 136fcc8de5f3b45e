// SPDX-License-Identifier: Apache-2.0
#pragma once
// Folders of their own for tests, in $TMPDIR or /tmp: each goes away with the object, and with it all that is in it.
// A test that ends its process on purpose leaves its folder behind: it belongs to whoever waits for the process.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#if defined(_WIN32)
#include <process.h>

#include <filesystem>
#else
#include <ftw.h>
#include <unistd.h>
#endif

class TempFolder {
 public:
  // Where they are made.
  static std::string Parent() {
    const char* const folder = std::getenv("TMPDIR");
    return folder != nullptr && folder[0] != '\0' ? folder : "/tmp";
  }

#if defined(_WIN32)
  TempFolder() {
    static int count = 0;
    path_ = Parent() + "/tenon_test_" + std::to_string(::_getpid()) + "_" + std::to_string(count++);
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
#else
  TempFolder() : path_(Parent() + "/tenon_test_XXXXXX") {
    if (::mkdtemp(path_.data()) != nullptr) return;
    std::perror(path_.c_str());
    std::abort();
  }
  ~TempFolder() { ::nftw(path_.c_str(), &Remove, 16, FTW_DEPTH | FTW_PHYS); }
#endif
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return (path_ + '/').append(name); }

 private:
#if !defined(_WIN32)
  static int Remove(const char* path, const struct stat*, int, FTW*) {
    std::remove(path);
    return 0;
  }
#endif

  std::string path_;
};

// The working folder is a new one while this lives.
class InTempFolder {
 public:
  InTempFolder() : home_(::getcwd(nullptr, 0)) { Enter(folder_.path().c_str()); }
  InTempFolder(const InTempFolder&) = delete;
  InTempFolder& operator=(const InTempFolder&) = delete;
  ~InTempFolder() {
    Enter(home_);
    std::free(home_);
  }

  const std::string& path() const { return folder_.path(); }

 private:
  static void Enter(const char* path) {
    if (path != nullptr && ::chdir(path) == 0) return;
    std::perror(path);
    std::abort();
  }

  const TempFolder folder_;
  char* const home_;
};
