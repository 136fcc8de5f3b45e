// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reader/reader_reference.hpp>

#include <doctest/doctest.h>

#include "ops/reader/readers.hpp"

namespace reader_reference_test {
using namespace reader_test;

TEST_SUITE("readers by reference") {
  TEST_CASE("the older names") {
    const Files files;
    Readers r("WholeFileReader", {}, "");
    r.Fill({files.Write("a", "aa"), files.Write("b", "bb")});
    CHECK(r.Read() == "a=aa");
    CHECK(r.Some() == "b=bb");
    CHECK(r.Counts() == "2/2");
    const Result<std::string> state = r.Saved();
    REQUIRE(state.ok());
    CHECK(r.Do("reset").ok());
    CHECK(r.Counts() == "0/0");
    CHECK(r.Restore(*state).ok());
    CHECK(r.Counts() == "2/2");
    CHECK(r.Read() == "OUT_OF_RANGE");
  }
}
}  // namespace reader_reference_test
