// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads the files of tests/golden/types (tools/make_golden_types.py says what is in them).

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <tenon/types/dtype.hpp>

// A file from its beginning to its end; a read past the end fails the test.
class GoldenBytes {
 public:
  explicit GoldenBytes(const std::string& name) {
    const std::string path = std::string(TENON_TEST_DATA "/types/") + name;
    std::FILE* file = std::fopen(path.c_str(), "rb");
    REQUIRE_MESSAGE(file != nullptr, "no ", path);
    char chunk[1 << 14];
    for (std::size_t n = 0; (n = std::fread(chunk, 1, sizeof chunk, file)) > 0;) bytes_.append(chunk, n);
    std::fclose(file);
  }
  bool at_end() const { return position_ == bytes_.size(); }

  template <class T>
  T Read() {
    return ReadArray<T>(1).front();
  }
  template <class T>
  std::vector<T> ReadArray(std::size_t n) {
    REQUIRE(bytes_.size() - position_ >= n * sizeof(T));
    std::vector<T> values(n);
    std::memcpy(values.data(), bytes_.data() + position_, n * sizeof(T));
    position_ += n * sizeof(T);
    return values;
  }
  std::string ReadBytes(std::size_t n) {
    REQUIRE(bytes_.size() - position_ >= n);
    position_ += n;
    return bytes_.substr(position_ - n, n);
  }
  tenon::DataType ReadType() { return static_cast<tenon::DataType>(Read<unsigned char>()); }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
};
