// SPDX-License-Identifier: Apache-2.0
#include <tenon/io/mapped_file.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include <tenon/base/thread.hpp>
#include <tenon/tensor/release_pages.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include <io/temp_file.hpp>

namespace mapped_file_test {
using namespace tenon;

namespace {
std::string_view Text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}
}  // namespace

TEST_SUITE("MappedFile") {
#if TENON_DETAIL_POSIX
  TEST_CASE("shows the bytes of a file, page-aligned") {
    const TempFile temp("bytes", "some bytes");
    const Result<MappedFile> file = MappedFile::Open(temp.path());
    REQUIRE_MESSAGE(file.ok(), file.status().message());
    CHECK(Text(*file) == "some bytes");
    CHECK(reinterpret_cast<std::uintptr_t>(file->bytes().data()) % 4096 == 0);
    CHECK(!file->buffer()->OwnsMemory());
  }
#endif
  TEST_CASE("an empty file has no bytes") {
    const TempFile temp("empty", "");
    const Result<MappedFile> file = MappedFile::Open(temp.path());
    REQUIRE(file.ok());
    CHECK(file->bytes().empty());
  }
  TEST_CASE("whoever refers to the buffer keeps the bytes") {
    const TempFile temp("kept", "kept");
    Buffer* buffer = nullptr;
    {
      Result<MappedFile> file = MappedFile::Open(temp.path());
      REQUIRE(file.ok());
      buffer = file->buffer();
      buffer->Ref();
    }
    CHECK(std::string_view(static_cast<const char*>(buffer->data()), buffer->size()) == "kept");
    buffer->Unref();
  }
#if TENON_DETAIL_POSIX
  TEST_CASE("tensors are views of it, and outlive it") {
    const TempFile temp("tensor", std::string_view("head\0\0\x80\x3f\0\0\0\x40", 12));
    Tensor view, copy;
    {
      Result<MappedFile> file = MappedFile::Open(temp.path());
      REQUIRE(file.ok());
      Result<Tensor> made = tensor::ViewOfBytes(file->buffer(), 4, DataType::kFloat, {2});
      REQUIRE_MESSAGE(made.ok(), made.status().message());
      view = *made;
      CHECK(view.raw_data() == file->bytes().data() + 4);
      copy = tensor::ViewOfBytes(file->buffer(), 3, DataType::kFloat, {2}).value();
      CHECK_FALSE(tensor::ViewOfBytes(file->buffer(), 8, DataType::kFloat, {2}).ok());
    }
    CHECK(tensor::Equal(view, MakeTensor<float>({2}, {1, 2})));
    CHECK_FALSE(view.RefCountIsOne());  // nobody writes to it in place
    CHECK_FALSE(copy.SharesBufferWith(view));
  }
#endif
  TEST_CASE("a write changes a private copy, never the file") {
    const TempFile temp("private", "abc");
    const Result<MappedFile> file = MappedFile::Open(temp.path());
    REQUIRE(file.ok());
    static_cast<char*>(file->buffer()->data())[0] = 'X';
    CHECK(Text(*file) == "Xbc");
    CHECK(temp.Read() == "abc");
  }
  TEST_CASE("can be moved") {
    const TempFile temp("moved", "abc"), other("other", "d");
    Result<MappedFile> opened = MappedFile::Open(temp.path());
    REQUIRE(opened.ok());
    MappedFile file = *std::move(opened);
    CHECK(Text(file) == "abc");
    Result<MappedFile> second = MappedFile::Open(other.path());
    REQUIRE(second.ok());
    file = *std::move(second);
    CHECK(Text(file) == "d");
  }
  TEST_CASE("says what the system says when there is no such file, or it is a folder") {
    const Status missing = MappedFile::Open("/no/such/file.pb").status();
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message() == "MappedFile: '/no/such/file.pb': No such file or directory");
    const Status folder = MappedFile::Open("/").status();
    CHECK(folder.code() == Code::kFailedPrecondition);
    CHECK(folder.message() == "MappedFile: '/': Is a directory");
#if TENON_DETAIL_POSIX
    const TempFile temp("secret", "abc");
    ::chmod(temp.path().c_str(), 0);
    const Status secret = MappedFile::Open(temp.path()).status();
    if (::geteuid() != 0) CHECK(secret.code() == Code::kPermissionDenied);
#endif
  }
  TEST_CASE("the bytes of a buffer are a file too") {
    char text[] = "abc";
    const MappedFile file = MappedFile::Adopt(Buffer::Wrap(text, 3, nullptr, nullptr));
    CHECK(file.bytes().size() == 3);
    CHECK(file.bytes().data() == reinterpret_cast<const std::byte*>(text));
  }
#if TENON_DETAIL_POSIX
  TEST_CASE("reads what cannot be mapped") {
    const Result<MappedFile> file = MappedFile::Open("/dev/null");
    REQUIRE(file.ok());
    CHECK(file->bytes().empty());
    const Result<MappedFile> process = MappedFile::Open("/proc/self/cmdline");  // says that it has no bytes
    if (process.ok()) CHECK(!process->bytes().empty());
  }
#endif
}

TEST_SUITE("FileAccess") {
#if TENON_DETAIL_POSIX
  TEST_CASE("a copy has the bytes, and memory of its own") {
    const TempFile temp("copied", "some bytes");
    const Result<MappedFile> file = MappedFile::Open(temp.path(), FileAccess::kRead);
    REQUIRE_MESSAGE(file.ok(), file.status().message());
    CHECK(Text(*file) == "some bytes");
    CHECK(reinterpret_cast<std::uintptr_t>(file->bytes().data()) % 64 == 0);
    CHECK_FALSE(file->buffer()->is_mapped_file());
    CHECK(MappedFile::Open(temp.path())->buffer()->is_mapped_file());
    const TempFile empty("empty", "");
    CHECK(MappedFile::Open(empty.path(), FileAccess::kRead)->bytes().empty());
    CHECK(MappedFile::Open("/no/such/file", FileAccess::kRead).status().code() == Code::kNotFound);
    CHECK(MappedFile::Open("/", FileAccess::kRead).status().code() == Code::kFailedPrecondition);
    CHECK(MappedFile::Open("/dev/null", FileAccess::kRead)->bytes().empty());
  }
  TEST_CASE("a copy stays when the file is written to, cut short, removed; pages of it are not given back") {
    const std::string before(300'000, 'a');
    const TempFile temp("changing", before);
    const Result<MappedFile> file = MappedFile::Open(temp.path(), FileAccess::kRead);
    REQUIRE(file.ok());
    temp.Write(std::string(300'000, 'b'));
    ReleasePages(file->buffer(), file->buffer()->data(), file->buffer()->size());
    CHECK(Text(*file) == before);
    REQUIRE(::truncate(temp.path().c_str(), 10) == 0);
    ReleasePages(file->buffer(), file->buffer()->data(), file->buffer()->size());
    CHECK(Text(*file) == before);
    REQUIRE(::unlink(temp.path().c_str()) == 0);
    CHECK(Text(*file) == before);
  }
  TEST_CASE("a mapping keeps the old bytes when a new file is renamed over it") {
    const TempFile temp("replaced", "old bytes");
    const Result<MappedFile> file = MappedFile::Open(temp.path());
    REQUIRE(file.ok());
    CHECK(file->CheckUnchanged(temp.path()).ok());
    REQUIRE(WriteFile(temp.path(), "new").ok());
    CHECK(Text(*file) == "old bytes");
    CHECK(file->CheckUnchanged(temp.path()).ok());
  }
  TEST_CASE("a mapping can tell that its file was written to in place") {
    const TempFile temp("grown", "abc");
    Result<MappedFile> file = MappedFile::Open(temp.path());
    REQUIRE(file.ok());
    std::FILE* const out = std::fopen(temp.path().c_str(), "ab");
    REQUIRE(out != nullptr);
    std::fputs("de", out);
    std::fclose(out);
    const Status changed = file->CheckUnchanged(temp.path());
    CHECK(changed.code() == Code::kFailedPrecondition);
    CHECK(changed.message() == StrCat("MappedFile: '", temp.path(),
                                      "' was written to while it was read: 3 bytes before, 5 after; write a "
                                      "new file beside it and rename that over the old one"));
    MappedFile moved = *std::move(file);
    CHECK_FALSE(moved.CheckUnchanged(temp.path()).ok());
    moved = *MappedFile::Open(temp.path());
    CHECK(moved.CheckUnchanged(temp.path()).ok());
  }
  TEST_CASE("a file that grows while it is read is refused") {
    const TempFile temp("growing", std::string(8 << 20, 'a'));
    struct Writer {
      void Main() {
        std::FILE* const out = std::fopen(path.c_str(), "ab");
        while (!done.load()) {
          std::fputc('b', out);
          std::fflush(out);
        }
        std::fclose(out);
      }
      std::string path;
      std::atomic<bool> done{false};
    } writer;
    writer.path = temp.path();
    Thread thread;
    REQUIRE(thread.Start<&Writer::Main>(&writer));
    Status status;
    for (int i = 0; i < 1000 && status.ok(); ++i) status = MappedFile::Open(temp.path(), FileAccess::kRead).status();
    writer.done = true;
    thread.Join();
    CHECK(status.code() == Code::kFailedPrecondition);
    CHECK(MappedFile::Open(temp.path(), FileAccess::kRead).ok());
  }
#endif
}

TEST_SUITE("WriteFile") {
  TEST_CASE("writes and replaces; a mapping of the old file keeps its bytes") {
    const TempFile temp("written");
    CHECK(WriteFile(temp.path(), "first").ok());
    const Result<MappedFile> old = MappedFile::Open(temp.path());
    REQUIRE(old.ok());
    CHECK(WriteFile(temp.path(), "").ok());
    CHECK(temp.Read().empty());
    CHECK(Text(*old) == "first");
  }
  TEST_CASE("pieces come one after the other") {
    const TempFile temp("pieces");
    const std::string_view pieces[] = {"one", "", " two"};
    CHECK(WriteFile(temp.path(), pieces).ok());
    CHECK(temp.Read() == "one two");
  }
#if TENON_DETAIL_POSIX
  TEST_CASE("keeps a symbolic link and replaces the file behind it") {
    const TempFile file("behind_link", "old"), link("link");
    REQUIRE(::symlink(file.path().c_str(), link.path().c_str()) == 0);
    CHECK(WriteFile(link.path(), "new").ok());
    CHECK(file.Read() == "new");
    struct stat info = {};
    REQUIRE(::lstat(link.path().c_str(), &info) == 0);
    CHECK(S_ISLNK(info.st_mode));
  }
  TEST_CASE("writes to what is not a file in place") {
    const TempFile pipe("pipe");
    REQUIRE(::mkfifo(pipe.path().c_str(), 0600) == 0);
    const int reader = ::open(pipe.path().c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(reader >= 0);
    CHECK(WriteFile(pipe.path(), "bytes").ok());
    char block[8] = {};
    CHECK(::read(reader, block, sizeof block) == 5);
    CHECK(std::string_view(block) == "bytes");
    ::close(reader);
    struct stat info = {};
    REQUIRE(::stat(pipe.path().c_str(), &info) == 0);
    CHECK(S_ISFIFO(info.st_mode));
    if (::access("/dev/full", W_OK) == 0) CHECK(WriteFile("/dev/full", "x").code() == Code::kResourceExhausted);
  }
#endif
  TEST_CASE("leaves nothing behind when it fails") {
    const Status s = WriteFile("/no/such/folder/file", "x");
    CHECK(s.code() == Code::kNotFound);
    CHECK(s.message() == "WriteFile: '/no/such/folder/file': No such file or directory");
  }
}
}  // namespace mapped_file_test
