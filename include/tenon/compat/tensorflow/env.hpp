// SPDX-License-Identifier: Apache-2.0
#pragma once
// Env: the clock, threads, files and folders, of the system alone. Also paths, environment variables and hashes.

#if defined(__unix__) || defined(__APPLE__)
#include <fnmatch.h>
#include <glob.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <tenon/base/hash.hpp>
#include <tenon/engine/text/fingerprint.hpp>
#include <tenon/compat/tensorflow/base/logging.hpp>
#include <tenon/compat/tensorflow/op_kernel_context.hpp>

namespace tensorflow {

inline uint64_t Hash64(const char* data, std::size_t size, uint64_t seed) {
  return tenon::Hash64(std::string_view(data, size), seed);
}
inline uint64_t Hash64(const char* data, std::size_t size) { return tenon::Hash64(std::string_view(data, size)); }
inline uint64_t Hash64(StringPiece text) { return tenon::Hash64(text); }
inline uint64_t Hash64Combine(uint64_t a, uint64_t b) { return a ^ (b + 0x9e3779b97f4a7800u + (a << 10) + (a >> 4)); }
inline uint64_t Hash64CombineUnordered(uint64_t a, uint64_t b) { return a + b; }
// MurmurHash2 in 32 bits.
inline uint32 Hash32(const char* data, std::size_t size, uint32 seed) {
  constexpr uint32 kMul = 0x5bd1e995;
  uint32 hash = seed ^ static_cast<uint32>(size);
  for (; size >= 4; data += 4, size -= 4) {
    uint32 word = 0;
    std::memcpy(&word, data, 4);
    word *= kMul;
    hash = (hash * kMul) ^ ((word ^ (word >> 24)) * kMul);
  }
  for (std::size_t i = size; i > 0; --i)
    hash ^= static_cast<uint32>(static_cast<unsigned char>(data[i - 1])) << 8 * (i - 1);
  if (size > 0) hash *= kMul;
  hash = (hash ^ (hash >> 13)) * kMul;
  return hash ^ (hash >> 15);
}
struct StringPieceHasher {
  std::size_t operator()(StringPiece text) const { return static_cast<std::size_t>(Hash64(text)); }
};
// FarmHash's: equal in all programs and for all times.
inline uint64_t Fingerprint64(StringPiece text) { return tenon::Fingerprint64(text); }
inline uint64_t FingerprintCat64(uint64_t a, uint64_t b) {
  constexpr uint64_t kMul = 0xc6a4a7935bd1e995;
  const auto mix = [](uint64_t value) { return value ^ (value >> 47); };
  return mix(mix(((a ^ kMul) ^ mix(b * kMul) * kMul) * kMul) * kMul);
}
template <class T>
using hash = std::hash<T>;

namespace port {
inline int NumSchedulableCPUs() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }
inline int MaxParallelism() { return NumSchedulableCPUs(); }
inline int NumTotalCPUs() { return NumSchedulableCPUs(); }
}  // namespace port

class EnvTime {
 public:
  static uint64_t NowNanos() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }
  static uint64_t NowMicros() { return NowNanos() / 1000; }
  static uint64_t NowSeconds() { return NowNanos() / 1'000'000'000; }
};

// Joins its thread when it goes.
class Thread {
 public:
  explicit Thread(std::function<void()> run) : thread_(std::move(run)) {}
  ~Thread() { thread_.join(); }

 private:
  std::thread thread_;
};

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

class Env {
 public:
  static Env* Default() { return internal::DefaultEnv(); }
  uint64_t NowNanos() const { return EnvTime::NowNanos(); }
  uint64_t NowMicros() const { return EnvTime::NowMicros(); }
  uint64_t NowSeconds() const { return EnvTime::NowSeconds(); }
  void SleepForMicroseconds(int64_t us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }
  Thread* StartThread(const ThreadOptions&, const std::string&, std::function<void()> run) {
    return new Thread(std::move(run));
  }
  void StartDetachedThread(const ThreadOptions&, const std::string&, std::function<void()> run) {
    SchedClosure(std::move(run));
  }
  void SchedClosure(std::function<void()> run) { std::thread(std::move(run)).detach(); }

  Status FileExists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error) ? Status() : errors::NotFound(path, " not found");
  }
  Status IsDirectory(const std::string& path) {
    TF_RETURN_IF_ERROR(FileExists(path));
    std::error_code error;
    return std::filesystem::is_directory(path, error) ? Status() : errors::FailedPrecondition("Not a directory");
  }
  Status Stat(const std::string& path, FileStatistics* statistics) {
    TF_RETURN_IF_ERROR(FileExists(path));
    std::error_code error;
    statistics->is_directory = std::filesystem::is_directory(path, error);
    statistics->length = statistics->is_directory ? 0 : static_cast<int64_t>(std::filesystem::file_size(path, error));
    const auto time = std::filesystem::last_write_time(path, error).time_since_epoch();
    statistics->mtime_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
    return Done(path, error);
  }
  bool FilesExist(const std::vector<std::string>& paths, std::vector<Status>* statuses) {
    bool all = true;
    for (const std::string& path : paths) {
      const Status status = FileExists(path);
      all = all && status.ok();
      if (statuses != nullptr) statuses->push_back(status);
    }
    return all;
  }
  Status DeleteDir(const std::string& path) {
    TF_RETURN_IF_ERROR(IsDirectory(path));
    std::error_code error;
    std::filesystem::remove(path, error);
    return Done(path, error);
  }
  Status DeleteRecursively(const std::string& path, int64_t* undeleted_files, int64_t* undeleted_dirs) {
    *undeleted_files = *undeleted_dirs = 0;
    TF_RETURN_IF_ERROR(FileExists(path));
    std::error_code error;
    std::filesystem::remove_all(path, error);
    return Done(path, error);
  }
  Status CopyFile(const std::string& from, const std::string& to) {
    std::error_code error;
    std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
    return Done(from, error);
  }
  // Paths that match a pattern of the shell.
  Status GetMatchingPaths(const std::string& pattern, std::vector<std::string>* paths) {
    ::glob_t found{};
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
      for (std::size_t i = 0; i < found.gl_pathc; ++i) paths->push_back(found.gl_pathv[i]);
    ::globfree(&found);
    return Status();
  }
  bool MatchPath(const std::string& path, const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  }
  bool LocalTempFilename(std::string* path) {
    *path = (std::filesystem::temp_directory_path() / "tenon_XXXXXX").string();
    const int file = ::mkstemp(path->data());
    if (file < 0) return false;
    ::close(file);
    return true;
  }
  bool CreateUniqueFileName(std::string* prefix, const std::string& suffix) {
    *prefix = strings::StrCat(*prefix, "_", EnvTime::NowNanos(), suffix);
    return !FileExists(*prefix).ok();
  }
  void GetLocalTempDirectories(std::vector<std::string>* list) {
    list->push_back(std::filesystem::temp_directory_path().string());
  }
  std::string GetExecutablePath() { return std::filesystem::read_symlink("/proc/self/exe").string(); }
  std::string GetRunfilesDir() { return {}; }
  int64_t GetCurrentThreadId() {
    return static_cast<int64_t>(std::hash<std::thread::id>()(std::this_thread::get_id()) >> 1);
  }
  bool GetCurrentThreadName(std::string* name) { return name->clear(), false; }
  void SchedClosureAfter(int64_t us, std::function<void()> run) {
    SchedClosure([us, held = std::move(run)] {
      std::this_thread::sleep_for(std::chrono::microseconds(us));
      held();
    });
  }
  Status NewReadOnlyMemoryRegionFromFile(const std::string& path, std::unique_ptr<ReadOnlyMemoryRegion>* region);
  Status GetFileSize(const std::string& path, uint64_t* size) {
    std::error_code error;
    *size = std::filesystem::file_size(path, error);
    return Done(path, error);
  }
  Status GetChildren(const std::string& path, std::vector<std::string>* names) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      names->push_back(entry.path().filename().string());
    return Done(path, error);
  }
  Status CreateDir(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::create_directory(path, error) && !error) return errors::AlreadyExists(path);
    return Done(path, error);
  }
  Status RecursivelyCreateDir(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    return Done(path, error);
  }
  Status DeleteFile(const std::string& path) {
    return std::remove(path.c_str()) == 0 ? Status() : errors::NotFound(path, "; No such file or directory");
  }
  Status RenameFile(const std::string& from, const std::string& to) {
    std::error_code error;
    std::filesystem::rename(from, to, error);
    return Done(from, error);
  }
  Status NewRandomAccessFile(const std::string& path, std::unique_ptr<RandomAccessFile>* file) {
    return Open<internal::StdRandomAccessFile>(path, "rb", file);
  }
  Status NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>* file) {
    return Open<internal::StdWritableFile>(path, "wb", file);
  }
  Status NewAppendableFile(const std::string& path, std::unique_ptr<WritableFile>* file) {
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

inline Status ReadFileToString(Env* env, const std::string& path, std::string* data) {
  uint64_t size = 0;
  TF_RETURN_IF_ERROR(env->GetFileSize(path, &size));
  std::unique_ptr<RandomAccessFile> file;
  TF_RETURN_IF_ERROR(env->NewRandomAccessFile(path, &file));
  data->resize(size);
  StringPiece read;
  return size == 0 ? Status() : file->Read(0, size, &read, data->data());
}
inline Status WriteStringToFile(Env* env, const std::string& path, StringPiece data) {
  std::unique_ptr<WritableFile> file;
  TF_RETURN_IF_ERROR(env->NewWritableFile(path, &file));
  TF_RETURN_IF_ERROR(file->Append(data));
  return file->Close();
}

inline Status Env::NewReadOnlyMemoryRegionFromFile(const std::string& path,
                                                   std::unique_ptr<ReadOnlyMemoryRegion>* region) {
  std::string bytes;
  TF_RETURN_IF_ERROR(ReadFileToString(this, path, &bytes));
  *region = std::make_unique<internal::HeldRegion>(std::move(bytes));
  return Status();
}
// Messages in files, as bytes or in the text format.
template <class M>
Status ReadBinaryProto(Env* env, const std::string& path, M* message) {
  std::string bytes;
  TF_RETURN_IF_ERROR(ReadFileToString(env, path, &bytes));
  return message->ParseFromString(bytes) ? Status() : errors::DataLoss("Can't parse ", path, " as binary proto");
}
template <class M>
Status WriteBinaryProto(Env* env, const std::string& path, const M& message) {
  return WriteStringToFile(env, path, message.SerializeAsString());
}
template <class M>
Status ReadTextProto(Env* env, const std::string& path, M* message) {
  std::string text;
  TF_RETURN_IF_ERROR(ReadFileToString(env, path, &text));
  return message->ParseText(text) ? Status() : errors::DataLoss("Can't parse ", path, " as text proto");
}
template <class M>
Status WriteTextProto(Env* env, const std::string& path, const M& message) {
  return WriteStringToFile(env, path, message.DebugString());
}
template <class M>
Status ReadTextOrBinaryProto(Env* env, const std::string& path, M* message) {
  return ReadTextProto(env, path, message).ok() ? Status() : ReadBinaryProto(env, path, message);
}

namespace io {
template <class... Parts>
std::string JoinPath(const Parts&... parts) {
  std::string out;
  for (const StringPiece part : {StringPiece(parts)...}) {
    if (part.empty()) continue;
    if (out.empty()) {
      out = std::string(part);
    } else {
      if (out.back() != '/') out += '/';
      out += part.front() == '/' ? part.substr(1) : part;
    }
  }
  return out;
}
inline StringPiece Basename(StringPiece path) { return path.substr(path.rfind('/') + 1); }
inline StringPiece Dirname(StringPiece path) {
  const std::size_t slash = path.rfind('/');
  return slash == StringPiece::npos ? StringPiece() : path.substr(0, std::max<std::size_t>(slash, 1));
}
inline StringPiece Extension(StringPiece path) {
  const StringPiece name = Basename(path);
  const std::size_t dot = name.rfind('.');
  return dot == StringPiece::npos ? StringPiece() : name.substr(dot + 1);
}
inline bool IsAbsolutePath(StringPiece path) { return path.starts_with('/'); }
inline StringPiece BasenamePrefix(StringPiece path) {
  const StringPiece name = Basename(path);
  return name.substr(0, name.rfind('.'));
}
inline std::string CleanPath(StringPiece path) {
  std::string clean = std::filesystem::path(std::string(path)).lexically_normal().string();
  if (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean.empty() ? "." : clean;
}
inline void ParseURI(StringPiece uri, StringPiece* scheme, StringPiece* host, StringPiece* path) {
  const std::size_t at = uri.find("://");
  if (at == StringPiece::npos) {
    *scheme = *host = uri.substr(0, 0);
    *path = uri;
    return;
  }
  *scheme = uri.substr(0, at);
  const StringPiece rest = uri.substr(at + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  *host = rest.substr(0, slash);
  *path = rest.substr(slash);
}
inline std::string CreateURI(StringPiece scheme, StringPiece host, StringPiece path) {
  return scheme.empty() ? std::string(path) : strings::StrCat(scheme, "://", host, path);
}
inline std::string GetTempFilename(const std::string& extension) {
  std::string path;
  static_cast<void>(Env::Default()->LocalTempFilename(&path));
  return extension.empty() ? path : path + "." + extension;
}
}  // namespace io

inline Status ReadStringFromEnvVar(StringPiece name, StringPiece otherwise, std::string* value) {
  const char* const text = std::getenv(std::string(name).c_str());
  *value = text == nullptr ? std::string(otherwise) : std::string(text);
  return Status();
}
inline Status ReadInt64FromEnvVar(StringPiece name, int64_t otherwise, int64_t* value) {
  std::string text;
  *value = otherwise;
  TF_RETURN_IF_ERROR(ReadStringFromEnvVar(name, "", &text));
  if (text.empty() || strings::safe_strto64(text, value)) return Status();
  return errors::InvalidArgument("Failed to parse the env-var ${", name, "} into int64: ", text,
                                 ". Use the default value: ", otherwise);
}
inline Status ReadFloatFromEnvVar(StringPiece name, float otherwise, float* value) {
  std::string text;
  *value = otherwise;
  TF_RETURN_IF_ERROR(ReadStringFromEnvVar(name, "", &text));
  if (text.empty() || strings::safe_strtof(text, value)) return Status();
  return errors::InvalidArgument("Failed to parse the env-var ${", name, "} into float: ", text,
                                 ". Use the default value: ", otherwise);
}
inline Status ReadStringsFromEnvVar(StringPiece name, StringPiece otherwise, std::vector<std::string>* value) {
  std::string text;
  TF_RETURN_IF_ERROR(ReadStringFromEnvVar(name, otherwise, &text));
  *value = str_util::Split(text, ',');
  return Status();
}
inline Status ReadBoolFromEnvVar(StringPiece name, bool otherwise, bool* value) {
  std::string text;
  *value = otherwise;
  TF_RETURN_IF_ERROR(ReadStringFromEnvVar(name, "", &text));
  text = str_util::Lowercase(text);
  if (text == "1" || text == "true") *value = true;
  if (text == "0" || text == "false") *value = false;
  if (text.empty() || text == "0" || text == "1" || text == "true" || text == "false") return Status();
  return errors::InvalidArgument("Failed to parse the env-var ${", name, "} into bool: ", text,
                                 ". Use the default value: ", otherwise);
}

}  // namespace tensorflow
