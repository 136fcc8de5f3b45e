// SPDX-License-Identifier: Apache-2.0
// Sentences about files are tested one by one in tests/io/recognize_test.cpp.
#include <tenon/io/file_kind.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>

namespace file_kind_test {
using namespace tenon;

TEST_CASE("each kind has a sentence of its own, with what to do") {
  std::set<std::string> sentences;
  const int count = static_cast<int>(FileKind::kText) + 1;
  for (int i = 0; i < count; ++i) {
    const std::string_view sentence = Describe(static_cast<FileKind>(i));
    CHECK((sentence.starts_with("is ") || sentence.starts_with("has ")));
    CHECK_MESSAGE(sentence.find_first_of(";,") != std::string_view::npos, sentence);
    CHECK(!sentence.ends_with("."));
    sentences.insert(std::string(sentence));
  }
  CHECK(sentences.size() == static_cast<std::size_t>(count));
}
}  // namespace file_kind_test
