// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <tenon/io/compression/deflate_stream.hpp>
#include <tenon/io/record_source.hpp>

#include <doctest/doctest.h>

#include "temp_file.hpp"

namespace record_source_test {
using namespace tenon;

namespace {

std::string All(detail::RecordSource* source) {
  std::string all;
  char block[7];
  for (std::size_t got = 1; got != 0; all.append(block, got)) CHECK(source->Read(block, sizeof block, &got).ok());
  return all;
}

}  // namespace

TEST_SUITE("RecordSource") {
  TEST_CASE("plain and compressed bytes, from the beginning again") {
    const TempFile plain("plain", "some bytes, not records");
    DeflateStream stream(InflateFormat::kZlib);
    stream.Add("some bytes, not records");
    stream.Finish();
    const TempFile packed("packed", stream.out());
    for (const TempFile* file : {&plain, &packed}) {
      detail::RecordSource source(file->path());
      REQUIRE(source.Open(RecordCompression::kAuto).ok());
      CHECK(source.compression() == (file == &plain ? RecordCompression::kNone : RecordCompression::kZlib));
      CHECK(source.can_seek() == (file == &plain));
      CHECK(All(&source) == "some bytes, not records");
      REQUIRE(source.Restart(0).ok());
      CHECK(All(&source) == "some bytes, not records");
    }
    detail::RecordSource source(plain.path());
    REQUIRE(source.Open(RecordCompression::kNone).ok());
    CHECK(source.MostLeft() == 23);
    REQUIRE(source.Restart(5).ok());
    CHECK(source.MostLeft() == 18);
    CHECK(All(&source) == "bytes, not records");
    CHECK(source.MostLeft() == 0);
    REQUIRE(source.Restart(1000).ok());
    CHECK(All(&source).empty());
  }
  TEST_CASE("what cannot be opened") {
    const TempFile none("none");
    detail::RecordSource missing(none.path()), folder("/tmp");
    CHECK(missing.Open(RecordCompression::kNone).code() == Code::kNotFound);
    CHECK(folder.Open(RecordCompression::kNone).code() == Code::kFailedPrecondition);
    detail::RecordSource pipe("/dev/null");
    CHECK(pipe.Open(RecordCompression::kAuto).code() == Code::kInvalidArgument);
  }
}
}  // namespace record_source_test
