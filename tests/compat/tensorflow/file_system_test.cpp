// SPDX-License-Identifier: Apache-2.0
// File systems of a program's own, by the scheme of the path, and the system's behind them.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/env.hpp>
#include <tenon/compat/tensorflow/file_system.hpp>

#include "temp_folder.hpp"

namespace compat_file_system_test {
using namespace tensorflow;
namespace {

std::map<string, string>& Files() {
  static auto* const files = new std::map<string, string>();
  return *files;
}
class MemoryFile : public RandomAccessFile, public WritableFile {
 public:
  explicit MemoryFile(const string& name) : name_(name) {}
  Status Read(uint64 offset, size_t n, StringPiece* result, char* scratch) const override {
    const string part = Files()[name_].substr(offset, n);
    std::copy(part.begin(), part.end(), scratch);
    *result = StringPiece(scratch, part.size());
    return part.size() == n ? Status::OK() : errors::OutOfRange("eof");
  }
  Status Name(StringPiece* result) const override { return *result = name_, Status::OK(); }
  Status Append(StringPiece data) override { return Files()[name_].append(data), Status::OK(); }
  Status Close() override { return Status::OK(); }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return Status::OK(); }

 private:
  string name_;
};
// Overrides the functions with a token, as sources since TensorFlow 2.4 do.
class MemoryFileSystem : public FileSystem {
 public:
  TF_USE_FILESYSTEM_METHODS_WITH_NO_TRANSACTION_SUPPORT;
  Status NewRandomAccessFile(const string& name, TransactionToken*, std::unique_ptr<RandomAccessFile>* file) override {
    TF_RETURN_IF_ERROR(FileExists(name));
    return file->reset(new MemoryFile(name)), Status::OK();
  }
  Status NewWritableFile(const string& name, TransactionToken*, std::unique_ptr<WritableFile>* file) override {
    Files()[name] = "";
    return file->reset(new MemoryFile(name)), Status::OK();
  }
  Status FileExists(const string& name, TransactionToken*) override {
    return Files().count(name) > 0 || IsFolder(name) ? Status::OK() : errors::NotFound(name);
  }
  Status Stat(const string& name, TransactionToken*, FileStatistics* statistics) override {
    *statistics = FileStatistics(static_cast<int64_t>(Files()[name].size()), 0, IsFolder(name));
    if (IsFolder(name)) Files().erase(name);
    return Status::OK();
  }
  Status GetFileSize(const string& name, TransactionToken*, uint64* size) override {
    return *size = Files()[name].size(), Status::OK();
  }
  Status GetChildren(const string& name, TransactionToken*, std::vector<string>* names) override {
    for (const auto& [path, text] : Files())
      if (path.starts_with(name + "/")) names->push_back(path.substr(name.size() + 1));
    return Status::OK();
  }
  Status DeleteFile(const string& name, TransactionToken*) override {
    return Files().erase(name) > 0 ? Status::OK() : errors::NotFound(name);
  }
  Status DeleteDir(const string& name, TransactionToken*) override {
    return IsFolder(name) ? errors::FailedPrecondition("not empty") : Status::OK();
  }
  Status CreateDir(const string& name, TransactionToken*) override { return made.push_back(name), Status::OK(); }
  std::vector<string> made;

 private:
  static bool IsFolder(const string& name) {
    const auto next = Files().upper_bound(name);
    return next != Files().end() && next->first.starts_with(name + "/");
  }
};
REGISTER_FILE_SYSTEM("memory", MemoryFileSystem);
// Overrides a function without a token, as older sources do.
class OldFileSystem : public FileSystem {
 public:
  Status FileExists(const string& name) override { return name == "old://a" ? Status() : errors::NotFound(name); }
  Status RenameFile(const string&, const string&) override { return errors::Aborted("asked to rename"); }
};
REGISTER_FILE_SYSTEM("old", OldFileSystem);

}  // namespace

TEST_SUITE("file systems by TensorFlow's names") {
  TEST_CASE("files of a scheme of one's own") {
    Env* const env = Env::Default();
    CHECK(WriteStringToFile(env, "memory://d/a", "hello").ok());
    CHECK(WriteStringToFile(env, "memory://d/b", "").ok());
    string text;
    CHECK(ReadFileToString(env, "memory://d/a", &text).ok());
    CHECK(text == "hello");
    uint64 size = 0;
    CHECK(env->GetFileSize("memory://d/a", &size).ok());
    CHECK(size == 5);
    CHECK(env->IsDirectory("memory://d").ok());
    CHECK(errors::IsFailedPrecondition(env->IsDirectory("memory://d/a")));
    CHECK(errors::IsNotFound(env->IsDirectory("memory://e")));
    std::vector<string> names;
    CHECK(env->GetChildren("memory://d", &names).ok());
    CHECK(names == std::vector<string>{"a", "b"});
    std::vector<Status> statuses;
    CHECK_FALSE(env->FilesExist({"memory://d/a", "memory://c"}, &statuses));
    REQUIRE(statuses.size() == 2);
    CHECK(statuses[0].ok());
    CHECK_FALSE(statuses[1].ok());
    FileSystem* files = nullptr;
    REQUIRE(env->GetFileSystemForFile("memory://d/a", &files).ok());
    CHECK(files->FilesExist({"memory://d/a"}, nullptr));
    CHECK(files->Match("memory://d/a", "memory://d/?"));
    CHECK(files->TranslateName("memory://d/a") == "memory://d/a");
    CHECK(env->RecursivelyCreateDir("memory://d/x/y").ok());
    CHECK(static_cast<MemoryFileSystem*>(files)->made == std::vector<string>{"memory://d/x", "memory://d/x/y"});
    std::unique_ptr<WritableFile> none;
    CHECK(errors::IsUnimplemented(env->NewAppendableFile("memory://d/a", &none)));
    int64_t undeleted_files = 7, undeleted_dirs = 7;
    CHECK(env->DeleteRecursively("memory://d", &undeleted_files, &undeleted_dirs).ok());
    CHECK(undeleted_files == 0);
    CHECK(undeleted_dirs == 0);
    CHECK(Files().empty());
    CHECK(errors::IsNotFound(env->DeleteRecursively("memory://d", &undeleted_files, &undeleted_dirs)));
  }
  TEST_CASE("between file systems") {
    Env* const env = Env::Default();
    const TempFolder folder;
    const string path = folder.path() + "/file";
    CHECK(WriteStringToFile(env, path, "hello").ok());
    CHECK(env->CopyFile(path, "memory://copy").ok());
    CHECK(Files()["memory://copy"] == "hello");
    CHECK(errors::IsUnimplemented(env->RenameFile(path, "memory://moved")));
    CHECK(env->DeleteFile("memory://copy").ok());
    std::unique_ptr<ReadOnlyMemoryRegion> region;
    CHECK(env->NewReadOnlyMemoryRegionFromFile(path, &region).ok());
    CHECK(StringPiece(static_cast<const char*>(region->data()), region->length()) == "hello");
    CHECK(env->CopyFile(path, path + "2").ok());
    CHECK(env->RenameFile(path + "2", path + "3").ok());
    CHECK(env->FileExists(path + "3").ok());
  }
  TEST_CASE("files of the system by their scheme") {
    Env* const env = Env::Default();
    const TempFolder folder;
    const string at = "file://" + folder.path();
    CHECK(env->RecursivelyCreateDir(at + "/a/b").ok());
    CHECK(WriteStringToFile(env, at + "/a/one", "hello").ok());
    CHECK(env->FileExists(folder.path() + "/a/one").ok());
    CHECK(env->FileExists("file://localhost" + folder.path() + "/a/one").ok());
    std::vector<string> names;
    CHECK(env->GetMatchingPaths(at + "/a/o*", &names).ok());
    CHECK(names == std::vector<string>{at + "/a/one"});
    CHECK(env->CopyFile(at + "/a/one", at + "/a/two").ok());
    CHECK(env->RenameFile(at + "/a/two", at + "/a/three").ok());
    string text;
    CHECK(ReadFileToString(env, at + "/a/three", &text).ok());
    CHECK(text == "hello");
    CHECK(env->IsDirectory(at + "/a/b").ok());
    CHECK_FALSE(env->FileExists("file://").ok());
  }
  TEST_CASE("functions without tokens, and schemes") {
    Env* const env = Env::Default();
    CHECK(env->FileExists("old://a").ok());
    CHECK(errors::IsNotFound(env->FileExists("old://b")));
    CHECK(errors::IsAborted(env->RenameFile("old://a", "old://b")));
    std::vector<string> names;
    CHECK(errors::IsUnimplemented(env->GetChildren("old://a", &names)));
    const Status missing = env->FileExists("gopher://a");
    CHECK(errors::IsUnimplemented(missing));
    CHECK(missing.message() == "File system scheme 'gopher' not implemented (file: 'gopher://a')");
    CHECK(env->GetRegisteredFileSystemSchemes(&names).ok());
    CHECK(names == std::vector<string>{"", "file", "memory", "old"});
    CHECK(errors::IsAlreadyExists(env->RegisterFileSystem("old", [] { return new OldFileSystem(); })));
    bool moves = false;
    CHECK(env->HasAtomicMove("old://a", &moves).ok());
    CHECK(moves);
  }
}
}  // namespace compat_file_system_test
