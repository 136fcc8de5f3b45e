// SPDX-License-Identifier: Apache-2.0
#pragma once
// A file name of its own for a test; the file goes away with the object.

#include <cstdio>
#include <string>
#include <string_view>

#include <tenon/base/platform.hpp>

#include <temp_folder.hpp>

class TempFile {
 public:
  explicit TempFile(std::string_view name) {
    static int count = 0;
    path_ = TempFolder::Parent() + "/tenon_test_" + std::to_string(tenon::detail::ProcessId()) + "_" +
            std::to_string(count++) + "_" + std::string(name);
  }
  TempFile(std::string_view name, std::string_view bytes) : TempFile(name) { Write(bytes); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  ~TempFile() { std::remove(path_.c_str()); }

  const std::string& path() const { return path_; }
  void Write(std::string_view bytes) const {
    std::FILE* file = std::fopen(path_.c_str(), "wb");
    if (file == nullptr) return;
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
  std::string Read() const {
    std::string bytes;
    std::FILE* file = std::fopen(path_.c_str(), "rb");
    if (file == nullptr) return bytes;
    char block[4096];
    for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes.append(block, n);
    std::fclose(file);
    return bytes;
  }

 private:
  std::string path_;
};
