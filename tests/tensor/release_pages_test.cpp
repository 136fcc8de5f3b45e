// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/release_pages.hpp>

#include <cstddef>
#include <cstdio>
#include <string>

#include <doctest/doctest.h>

#include <tenon/io/mapped_file.hpp>

#include <io/temp_file.hpp>

namespace release_pages_test {
using namespace tenon;

namespace {

constexpr std::size_t kBytes = 8 << 20;

std::string Contents() {
  std::string bytes(kBytes, 'a');
  for (std::size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = static_cast<char>('b' + i / 1000 % 20);
  return bytes;
}
bool SameBytes(const Buffer* buffer, const std::string& bytes) {
  return std::string_view(static_cast<const char*>(buffer->data()), buffer->size()) == bytes;
}
#if defined(__linux__)
long ResidentPages() {
  long all = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &all, &resident) != 2) resident = -1;
  if (file != nullptr) std::fclose(file);
  return resident;
}
#endif

}  // namespace

TEST_SUITE("ReleasePages") {
  TEST_CASE("the memory goes, the bytes stay") {
    const std::string bytes = Contents();
    const TempFile temp("pages", bytes);
    Result<MappedFile> file = MappedFile::Open(temp.path());
    REQUIRE(file.ok());
    REQUIRE(SameBytes(file->buffer(), bytes));
#if defined(__linux__)
    const long before = ResidentPages();
    ReleasePages(file->buffer(), file->buffer()->data(), kBytes);
    const long most = before - static_cast<long>(kBytes / 4096 / 2);
    CHECK(ResidentPages() < most);
#endif
    CHECK(SameBytes(file->buffer(), bytes));
  }
  TEST_CASE("what somebody wrote there stays, in a part of the file and in a slice") {
    std::string bytes = Contents();
    const TempFile temp("written", bytes);
    Result<MappedFile> file = MappedFile::Open(temp.path());
    REQUIRE(file.ok());
    char* const data = static_cast<char*>(file->buffer()->data());
    data[300'000] = bytes[300'000] = '!';
    Buffer* const slice = Buffer::Slice(file->buffer(), data + 1000, 1 << 20);
    ReleasePages(slice, data + 1000, 1 << 20);
    ReleasePages(file->buffer(), data, kBytes);
    ReleasePages(file->buffer(), data + 5, 4 << 20);
    CHECK(SameBytes(file->buffer(), bytes));
    slice->Unref();
  }
  TEST_CASE("other memory is left alone") {
    std::string bytes = Contents();
    const std::string same = bytes;
    Buffer* const wrapped = Buffer::Wrap(bytes.data(), bytes.size(), nullptr, nullptr);
    ReleasePages(wrapped, bytes.data(), bytes.size());
    ReleasePages(nullptr, bytes.data(), bytes.size());
    CHECK(SameBytes(wrapped, same));
    wrapped->Unref();
  }
}
}  // namespace release_pages_test
