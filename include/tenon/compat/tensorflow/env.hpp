// SPDX-License-Identifier: Apache-2.0
#pragma once
// Env: the clock, threads, files and folders. Also paths, environment variables and hashes.

#if defined(__unix__) || defined(__APPLE__)
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
#include <tenon/compat/tensorflow/file_system.hpp>
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

  // Files: of the system, or of the file system that is registered for the scheme of the path.
#define TENON_COMPAT_FILES(NAME)                            \
  Status NAME(const std::string& path) {                    \
    FileSystem* files = nullptr;                            \
    TF_RETURN_IF_ERROR(GetFileSystemForFile(path, &files)); \
    return files->NAME(path);                               \
  }
  TENON_COMPAT_FILES(FileExists)
  TENON_COMPAT_FILES(IsDirectory)
  TENON_COMPAT_FILES(DeleteFile)
  TENON_COMPAT_FILES(CreateDir)
  TENON_COMPAT_FILES(RecursivelyCreateDir)
  TENON_COMPAT_FILES(DeleteDir)
#undef TENON_COMPAT_FILES
#define TENON_COMPAT_FILES(NAME, Type)                      \
  Status NAME(const std::string& path, Type* result) {      \
    FileSystem* files = nullptr;                            \
    TF_RETURN_IF_ERROR(GetFileSystemForFile(path, &files)); \
    return files->NAME(path, result);                       \
  }
  TENON_COMPAT_FILES(NewRandomAccessFile, std::unique_ptr<RandomAccessFile>)
  TENON_COMPAT_FILES(NewWritableFile, std::unique_ptr<WritableFile>)
  TENON_COMPAT_FILES(NewAppendableFile, std::unique_ptr<WritableFile>)
  TENON_COMPAT_FILES(NewReadOnlyMemoryRegionFromFile, std::unique_ptr<ReadOnlyMemoryRegion>)
  TENON_COMPAT_FILES(GetChildren, std::vector<std::string>)
  TENON_COMPAT_FILES(GetMatchingPaths, std::vector<std::string>)
  TENON_COMPAT_FILES(Stat, FileStatistics)
  TENON_COMPAT_FILES(GetFileSize, uint64_t)
  TENON_COMPAT_FILES(HasAtomicMove, bool)
#undef TENON_COMPAT_FILES
  // Unimplemented: no file system has the path's scheme.
  Status GetFileSystemForFile(const std::string& path, FileSystem** result) {
    const std::size_t colon = path.find("://");
    const std::string scheme = colon == std::string::npos ? std::string() : path.substr(0, colon);
    *result = FileSystems().Lookup(scheme);
    if (*result != nullptr) return Status();
    return errors::Unimplemented("File system scheme '", scheme, "' not implemented (file: '", path, "')");
  }
  Status GetRegisteredFileSystemSchemes(std::vector<std::string>* schemes) {
    return FileSystems().GetRegisteredFileSystemSchemes(schemes);
  }
  // AlreadyExists: the scheme has a file system.
  template <class System>
  Status RegisterFileSystem(const std::string& scheme, System&& system) {
    return FileSystems().Register(scheme, std::forward<System>(system));
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
  Status DeleteRecursively(const std::string& path, int64_t* undeleted_files, int64_t* undeleted_dirs) {
    FileSystem* files = nullptr;
    TF_RETURN_IF_ERROR(GetFileSystemForFile(path, &files));
    return files->DeleteRecursively(path, undeleted_files, undeleted_dirs);
  }
  Status RenameFile(const std::string& from, const std::string& to) {
    FileSystem *files = nullptr, *other = nullptr;
    TF_RETURN_IF_ERROR(GetFileSystemForFile(from, &files));
    TF_RETURN_IF_ERROR(GetFileSystemForFile(to, &other));
    if (files != other) return errors::Unimplemented("Renaming ", from, " to ", to, " not implemented");
    return files->RenameFile(from, to);
  }
  Status CopyFile(const std::string& from, const std::string& to);
  bool MatchPath(const std::string& path, const std::string& pattern) { return FileSystem().Match(path, pattern); }
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

 private:
  static FileSystemRegistry& FileSystems() {
    static FileSystemRegistry* const all = new FileSystemRegistry();  // never destroyed
    return *all;
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

inline Status Env::CopyFile(const std::string& from, const std::string& to) {
  FileSystem *files = nullptr, *other = nullptr;
  TF_RETURN_IF_ERROR(GetFileSystemForFile(from, &files));
  TF_RETURN_IF_ERROR(GetFileSystemForFile(to, &other));
  if (files == other) return files->CopyFile(from, to);
  std::string bytes;
  TF_RETURN_IF_ERROR(ReadFileToString(this, from, &bytes));
  return WriteStringToFile(this, to, bytes);
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
// The folders that all paths begin with, up to and with a slash.
inline std::string CommonPathPrefix(const std::vector<std::string>& paths) {
  if (paths.empty()) return {};
  StringPiece common = paths[0];
  for (const std::string& path : paths) {
    std::size_t equal = 0;
    while (equal < common.size() && equal < path.size() && common[equal] == path[equal]) ++equal;
    common = common.substr(0, equal);
  }
  return std::string(common.substr(0, common.rfind('/') + 1));
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

// REGISTER_FILE_SYSTEM("s3", Class): paths that start with "s3://" are files of an object of the class.
#define REGISTER_FILE_SYSTEM(scheme, Class) REGISTER_FILE_SYSTEM_ENV(::tensorflow::Env::Default(), scheme, Class, false)
#define REGISTER_FILE_SYSTEM_ENV(env, scheme, Class, modular)                               \
  [[maybe_unused]] static const bool TENON_DETAIL_CONCAT(tenon_file_system_, __COUNTER__) = \
      (env) -> RegisterFileSystem(scheme, std::unique_ptr<::tensorflow::FileSystem>(std::make_unique<Class>())).ok()
#define REGISTER_LEGACY_FILE_SYSTEM(scheme, Class) REGISTER_FILE_SYSTEM(scheme, Class)
