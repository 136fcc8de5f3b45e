// SPDX-License-Identifier: Apache-2.0
#pragma once
// File systems: the system's own, and those that sources register for a scheme such as "s3".

#if defined(__unix__) || defined(__APPLE__)
#include <fnmatch.h>
#include <glob.h>
#endif

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tenon/compat/tensorflow/base/status.hpp>
#include <tenon/compat/tensorflow/base/sync.hpp>

namespace tensorflow {

class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  virtual Status Name(StringPiece*) const { return errors::Unimplemented("This filesystem does not support Name()"); }
  // OutOfRange: the file ends before.
  virtual Status Read(uint64_t offset, std::size_t n, StringPiece* result, char* scratch) const = 0;
};
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual Status Append(StringPiece data) = 0;
  virtual Status Name(StringPiece*) const { return errors::Unimplemented("This filesystem does not support Name()"); }
  virtual Status Tell(int64_t*) { return errors::Unimplemented("This filesystem does not support Tell()"); }
  virtual Status Close() = 0;
  virtual Status Flush() = 0;
  virtual Status Sync() = 0;
};

class ReadOnlyMemoryRegion {
 public:
  virtual ~ReadOnlyMemoryRegion() = default;
  virtual const void* data() = 0;
  virtual uint64_t length() = 0;
};
struct FileStatistics {
  FileStatistics() = default;
  FileStatistics(int64_t l, int64_t mtime, bool dir) : length(l), mtime_nsec(mtime), is_directory(dir) {}
  int64_t length = -1;
  int64_t mtime_nsec = 0;
  bool is_directory = false;
};
struct TransactionToken {
  void* owner = nullptr;
  void* token = nullptr;
};

// Functions over files. Sources override those with a token or those without, which call the others. thread-safe.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
#define TENON_COMPAT_ONE_PATH(NAME)                                            \
  virtual Status NAME(const std::string& path) { return NAME(path, nullptr); } \
  virtual Status NAME(const std::string& path, TransactionToken*) { return Missing(#NAME, path); }
#define TENON_COMPAT_PATH_AND(NAME, Type)                                                            \
  virtual Status NAME(const std::string& path, Type* result) { return NAME(path, nullptr, result); } \
  virtual Status NAME(const std::string& path, TransactionToken*, Type*) { return Missing(#NAME, path); }
#define TENON_COMPAT_TWO_PATHS(NAME)                                                                      \
  virtual Status NAME(const std::string& from, const std::string& to) { return NAME(from, to, nullptr); } \
  virtual Status NAME(const std::string& from, const std::string&, TransactionToken*) { return Missing(#NAME, from); }
  TENON_COMPAT_ONE_PATH(FileExists)
  TENON_COMPAT_ONE_PATH(DeleteFile)
  TENON_COMPAT_ONE_PATH(CreateDir)
  TENON_COMPAT_ONE_PATH(DeleteDir)
  TENON_COMPAT_PATH_AND(NewRandomAccessFile, std::unique_ptr<RandomAccessFile>)
  TENON_COMPAT_PATH_AND(NewWritableFile, std::unique_ptr<WritableFile>)
  TENON_COMPAT_PATH_AND(NewAppendableFile, std::unique_ptr<WritableFile>)
  TENON_COMPAT_PATH_AND(NewReadOnlyMemoryRegionFromFile, std::unique_ptr<ReadOnlyMemoryRegion>)
  TENON_COMPAT_PATH_AND(GetChildren, std::vector<std::string>)
  TENON_COMPAT_PATH_AND(GetMatchingPaths, std::vector<std::string>)
  TENON_COMPAT_PATH_AND(Stat, FileStatistics)
  TENON_COMPAT_PATH_AND(GetFileSize, uint64_t)
  TENON_COMPAT_TWO_PATHS(RenameFile)
  TENON_COMPAT_TWO_PATHS(CopyFile)
#undef TENON_COMPAT_ONE_PATH
#undef TENON_COMPAT_PATH_AND
#undef TENON_COMPAT_TWO_PATHS
  virtual Status IsDirectory(const std::string& path) { return IsDirectory(path, nullptr); }
  virtual Status IsDirectory(const std::string& path, TransactionToken*) {
    TF_RETURN_IF_ERROR(FileExists(path));
    FileStatistics statistics;
    TF_RETURN_IF_ERROR(Stat(path, &statistics));
    return statistics.is_directory ? Status() : errors::FailedPrecondition("Not a directory");
  }
  // Makes the folders above, too.
  virtual Status RecursivelyCreateDir(const std::string& path) { return RecursivelyCreateDir(path, nullptr); }
  virtual Status RecursivelyCreateDir(const std::string& path, TransactionToken*) {
    const std::size_t host = path.find("://") == std::string::npos ? 0 : path.find("://") + 3;
    for (std::size_t end = host; end != std::string::npos;) {
      end = path.find('/', end + 1);
      const std::string part = path.substr(0, end);
      if (FileExists(part).ok()) continue;
      const Status made = CreateDir(part);
      if (!made.ok() && !errors::IsAlreadyExists(made)) return made;
    }
    return Status();
  }
  virtual Status DeleteRecursively(const std::string& path, int64_t* undeleted_files, int64_t* undeleted_dirs) {
    return DeleteRecursively(path, nullptr, undeleted_files, undeleted_dirs);
  }
  // Goes on behind errors, which it counts; returns the first one.
  virtual Status DeleteRecursively(const std::string& path, TransactionToken*, int64_t* undeleted_files,
                                   int64_t* undeleted_dirs) {
    *undeleted_files = *undeleted_dirs = 0;
    Status all = FileExists(path);
    if (!all.ok()) return ++*undeleted_dirs, all;
    if (!IsDirectory(path).ok()) {
      all = DeleteFile(path);
      *undeleted_files = all.ok() ? 0 : 1;
      return all;
    }
    std::vector<std::string> names;
    all = GetChildren(path, &names);
    for (const std::string& name : names) {
      int64_t files = 0, dirs = 0;
      all.Update(DeleteRecursively(path + "/" + name, &files, &dirs));
      *undeleted_files += files;
      *undeleted_dirs += dirs;
    }
    const Status last = DeleteDir(path);
    if (!last.ok()) ++*undeleted_dirs;
    all.Update(last);
    return all;
  }
  virtual bool FilesExist(const std::vector<std::string>& paths, std::vector<Status>* statuses) {
    return FilesExist(paths, nullptr, statuses);
  }
  virtual bool FilesExist(const std::vector<std::string>& paths, TransactionToken*, std::vector<Status>* statuses) {
    bool all = true;
    for (const std::string& path : paths) {
      const Status status = FileExists(path);
      all = all && status.ok();
      if (statuses != nullptr) statuses->push_back(status);
    }
    return all;
  }
  virtual bool Match(const std::string& path, const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  }
  virtual std::string TranslateName(const std::string& path) const { return path; }
  virtual Status HasAtomicMove(const std::string&, bool* has_atomic_move) { return *has_atomic_move = true, Status(); }
  virtual void FlushCaches() { FlushCaches(nullptr); }
  virtual void FlushCaches(TransactionToken*) {}
  virtual char Separator() const { return '/'; }
  virtual Status SetOption(const std::string& name, const std::string&) { return Missing("SetOption", name); }
  virtual Status SetOption(const std::string& name, const std::vector<std::string>&) {
    return Missing("SetOption", name);
  }
  virtual Status SetOption(const std::string& name, const std::vector<int64_t>&) { return Missing("SetOption", name); }
  virtual Status SetOption(const std::string& name, const std::vector<double>&) { return Missing("SetOption", name); }

 private:
  static Status Missing(StringPiece function, StringPiece path) {
    return errors::Unimplemented(function, " of ", path, ": its file system does not have it");
  }
};
#define TF_USE_FILESYSTEM_METHODS_WITH_NO_TRANSACTION_SUPPORT \
  using FileSystem::NewRandomAccessFile;                      \
  using FileSystem::NewWritableFile;                          \
  using FileSystem::NewAppendableFile;                        \
  using FileSystem::NewReadOnlyMemoryRegionFromFile;          \
  using FileSystem::FileExists;                               \
  using FileSystem::GetChildren;                              \
  using FileSystem::GetMatchingPaths;                         \
  using FileSystem::Stat;                                     \
  using FileSystem::DeleteFile;                               \
  using FileSystem::RecursivelyCreateDir;                     \
  using FileSystem::DeleteDir;                                \
  using FileSystem::DeleteRecursively;                        \
  using FileSystem::GetFileSize;                              \
  using FileSystem::RenameFile;                               \
  using FileSystem::CopyFile;                                 \
  using FileSystem::IsDirectory;                              \
  using FileSystem::FlushCaches

// A file system without any files: every call is Unimplemented.
class NullFileSystem : public FileSystem {};

namespace internal {
class HeldRegion : public ReadOnlyMemoryRegion {
 public:
  explicit HeldRegion(std::string bytes) : bytes_(std::move(bytes)) {}
  const void* data() override { return bytes_.data(); }
  uint64_t length() override { return bytes_.size(); }

 private:
  std::string bytes_;
};
struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OpenFile = std::unique_ptr<std::FILE, CloseFile>;
class StdRandomAccessFile : public RandomAccessFile {
 public:
  explicit StdRandomAccessFile(OpenFile file) : file_(std::move(file)) {}
  Status Read(uint64_t offset, std::size_t n, StringPiece* result, char* scratch) const override {
    mutex_lock lock(mutex_);
    std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET);
    const std::size_t got = std::fread(scratch, 1, n, file_.get());
    *result = StringPiece(scratch, got);
    return got == n ? Status() : errors::OutOfRange("Read less bytes than requested");
  }

 private:
  mutable mutex mutex_;
  OpenFile file_;
};
class StdWritableFile : public WritableFile {
 public:
  explicit StdWritableFile(OpenFile file) : file_(std::move(file)) {}
  Status Append(StringPiece data) override {
    return Done(std::fwrite(data.data(), 1, data.size(), file_.get()) == data.size());
  }
  Status Close() override { return Done(std::fclose(file_.release()) == 0); }
  Status Flush() override { return Done(std::fflush(file_.get()) == 0); }
  Status Sync() override { return Flush(); }

 private:
  static Status Done(bool ok) { return ok ? Status() : errors::Internal("a file could not be written"); }
  OpenFile file_;
};
}  // namespace internal

// Files of the system, by paths or by "file://" and a path. thread-safe.
class LocalFileSystem : public FileSystem {
 public:
  TF_USE_FILESYSTEM_METHODS_WITH_NO_TRANSACTION_SUPPORT;
  using FileSystem::CreateDir;
  std::string TranslateName(const std::string& name) const override {
    constexpr StringPiece kScheme = "file://";
    if (!name.starts_with(kScheme)) return name;
    const std::size_t slash = name.find('/', kScheme.size());  // behind the host
    return slash == std::string::npos ? std::string() : name.substr(slash);
  }
  Status FileExists(const std::string& name) override {
    const std::string path = TranslateName(name);
    std::error_code error;
    return std::filesystem::exists(path, error) ? Status() : errors::NotFound(path, " not found");
  }
  Status IsDirectory(const std::string& name) override {
    const std::string path = TranslateName(name);
    TF_RETURN_IF_ERROR(FileExists(path));
    std::error_code error;
    return std::filesystem::is_directory(path, error) ? Status() : errors::FailedPrecondition("Not a directory");
  }
  Status Stat(const std::string& name, FileStatistics* statistics) override {
    const std::string path = TranslateName(name);
    TF_RETURN_IF_ERROR(FileExists(path));
    std::error_code error;
    statistics->is_directory = std::filesystem::is_directory(path, error);
    statistics->length = statistics->is_directory ? 0 : static_cast<int64_t>(std::filesystem::file_size(path, error));
    const auto time = std::filesystem::last_write_time(path, error).time_since_epoch();
    statistics->mtime_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
    return Done(path, error);
  }
  Status DeleteDir(const std::string& name) override {
    const std::string path = TranslateName(name);
    TF_RETURN_IF_ERROR(IsDirectory(path));
    std::error_code error;
    std::filesystem::remove(path, error);
    return Done(path, error);
  }
  Status DeleteRecursively(const std::string& name, int64_t* undeleted_files, int64_t* undeleted_dirs) override {
    const std::string path = TranslateName(name);
    *undeleted_files = *undeleted_dirs = 0;
    TF_RETURN_IF_ERROR(FileExists(path));
    std::error_code error;
    std::filesystem::remove_all(path, error);
    return Done(path, error);
  }
  Status CopyFile(const std::string& source, const std::string& target) override {
    const std::string from = TranslateName(source), to = TranslateName(target);
    std::error_code error;
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
    return Done(from, error);
  }
  // Paths that match a pattern of the shell.
  Status GetMatchingPaths(const std::string& name, std::vector<std::string>* paths) override {
    const std::string path = TranslateName(name);
    ::glob_t found{};
    if (::glob(path.c_str(), 0, nullptr, &found) == 0)
      for (std::size_t i = 0; i < found.gl_pathc; ++i)
        paths->push_back(name.substr(0, name.size() - path.size()) + found.gl_pathv[i]);
    ::globfree(&found);
    return Status();
  }
  Status NewReadOnlyMemoryRegionFromFile(const std::string& name,
                                         std::unique_ptr<ReadOnlyMemoryRegion>* region) override {
    const std::string path = TranslateName(name);
    uint64_t size = 0;
    TF_RETURN_IF_ERROR(GetFileSize(path, &size));
    std::unique_ptr<RandomAccessFile> file;
    TF_RETURN_IF_ERROR(NewRandomAccessFile(path, &file));
    std::string bytes(size, '\0');
    StringPiece read;
    if (size > 0) TF_RETURN_IF_ERROR(file->Read(0, size, &read, bytes.data()));
    *region = std::make_unique<internal::HeldRegion>(std::move(bytes));
    return Status();
  }
  Status GetFileSize(const std::string& name, uint64_t* size) override {
    const std::string path = TranslateName(name);
    std::error_code error;
    *size = std::filesystem::file_size(path, error);
    return Done(path, error);
  }
  Status GetChildren(const std::string& name, std::vector<std::string>* names) override {
    const std::string path = TranslateName(name);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      names->push_back(entry.path().filename().string());
    return Done(path, error);
  }
  Status CreateDir(const std::string& name) override {
    const std::string path = TranslateName(name);
    std::error_code error;
    if (!std::filesystem::create_directory(path, error) && !error) return errors::AlreadyExists(path);
    return Done(path, error);
  }
  Status RecursivelyCreateDir(const std::string& name) override {
    const std::string path = TranslateName(name);
    std::error_code error;
    std::filesystem::create_directories(path, error);
    return Done(path, error);
  }
  Status DeleteFile(const std::string& name) override {
    const std::string path = TranslateName(name);
    return std::remove(path.c_str()) == 0 ? Status() : errors::NotFound(path, "; No such file or directory");
  }
  Status RenameFile(const std::string& source, const std::string& target) override {
    const std::string from = TranslateName(source), to = TranslateName(target);
    std::error_code error;
    std::filesystem::rename(from, to, error);
    return Done(from, error);
  }
  Status NewRandomAccessFile(const std::string& name, std::unique_ptr<RandomAccessFile>* file) override {
    const std::string path = TranslateName(name);
    return Open<internal::StdRandomAccessFile>(path, "rb", file);
  }
  Status NewWritableFile(const std::string& name, std::unique_ptr<WritableFile>* file) override {
    const std::string path = TranslateName(name);
    return Open<internal::StdWritableFile>(path, "wb", file);
  }
  Status NewAppendableFile(const std::string& name, std::unique_ptr<WritableFile>* file) override {
    const std::string path = TranslateName(name);
    return Open<internal::StdWritableFile>(path, "ab", file);
  }

 private:
  static Status Done(const std::string& path, std::error_code error) {
    return !error ? Status() : errors::NotFound(path, "; ", error.message());
  }
  template <class File, class Base>
  static Status Open(const std::string& path, const char* mode, std::unique_ptr<Base>* file) {
    internal::OpenFile opened(std::fopen(path.c_str(), mode));
    if (opened == nullptr) return errors::NotFound(path, "; No such file or directory");
    *file = std::make_unique<File>(std::move(opened));
    return Status();
  }
};

// File systems by scheme. Null for a scheme that none is registered for; "" and "file" are the system's. thread-safe.
class FileSystemRegistry {
 public:
  using Factory = std::function<FileSystem*()>;
  FileSystemRegistry() {
    for (const char* scheme : {"", "file"}) systems_[scheme] = std::make_unique<LocalFileSystem>();
  }
  // AlreadyExists: the scheme has one.
  Status Register(const std::string& scheme, std::unique_ptr<FileSystem> system) {
    const mutex_lock lock(mutex_);
    if (!systems_.emplace(scheme, std::move(system)).second)
      return errors::AlreadyExists("File system for ", scheme, " already registered");
    return Status();
  }
  Status Register(const std::string& scheme, const Factory& factory) {
    return Register(scheme, std::unique_ptr<FileSystem>(factory()));
  }
  FileSystem* Lookup(const std::string& scheme) {
    const mutex_lock lock(mutex_);
    const auto found = systems_.find(scheme);
    return found == systems_.end() ? nullptr : found->second.get();
  }
  Status GetRegisteredFileSystemSchemes(std::vector<std::string>* schemes) {
    const mutex_lock lock(mutex_);
    for (const auto& [scheme, system] : systems_) schemes->push_back(scheme);
    return Status();
  }

 private:
  mutex mutex_;
  std::map<std::string, std::unique_ptr<FileSystem>> systems_;
};

}  // namespace tensorflow
