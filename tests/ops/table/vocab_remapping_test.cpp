// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/table/vocab_remapping.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tenon/io/mapped_file.hpp>

#include "ops/outputs.hpp"
#include "temp_folder.hpp"

namespace vocab_remapping_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("GenerateVocabRemapping") {
  TEST_CASE("the places of words, and what is refused") {
    const TempFolder folder;
    const auto file = [&](std::string_view name, std::string_view text) {
      const std::string path = folder / name;
      REQUIRE(WriteFile(path, text).ok());
      return Tensor::Scalar(std::string_view(path));
    };
    const Tensor words = file("new", "b\nc\r\na\nz"), old = file("old", "a\nb\nc\nd\n"),
                 twice = file("twice", "a\na\n");
    const auto got = [&](const Tensor& to, std::int64_t offset, std::int64_t count, std::int64_t size = -1) {
      return OutputsOf<ops::GenerateVocabRemapping>(
          {{"new_vocab_offset", offset}, {"num_new_vocab", count}, {"old_vocab_size", size}}, {words, to});
    };
    CHECK(got(old, 0, 4) == "1 2 0 -1 | 3");
    CHECK(got(old, 1, 2) == "2 0 | 2");
    CHECK(got(old, 0, 4, 2) == "1 -1 0 -1 | 2");
    CHECK(got(old, 4, 0) == " | 0");
    CHECK(got(old, 3, 2).find("INVALID_ARGUMENT: lookup table size must be larger") == 0);
    CHECK(got(old, INT64_MAX, INT64_MAX).find("INVALID_ARGUMENT: lookup table size must be larger") == 0);
    CHECK(got(old, 0, 4, 9).find("INVALID_ARGUMENT: Invalid vocab_size in") == 0);
    CHECK(got(old, 0, 4, 0).find("OUT_OF_RANGE") == 0);
    CHECK(got(twice, 0, 4).find("FAILED_PRECONDITION: HashTable has different value for same key. Key a has 0") == 0);
    CHECK(got(file("empty", ""), 0, 4).find("OUT_OF_RANGE") == 0);
    CHECK(got(Tensor::Scalar(std::string_view("/none/x")), 0, 4).find("NOT_FOUND") == 0);
    CHECK(got(Tensor::Scalar(std::string_view("")), 0, 4) == "INVALID_ARGUMENT: old vocab filename cannot be empty.");
    CHECK(got(MakeTensor<tstring>({1}, {tstring("a")}), 0, 4).find("INVALID_ARGUMENT: old_vocab_file should be") == 0);
  }
}
}  // namespace vocab_remapping_test
