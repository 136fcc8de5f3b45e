// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reader/reader.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/reader/readers.hpp"

namespace reader_reader_test {
using namespace reader_test;

TEST_SUITE("readers") {
  TEST_CASE("lines of files from a queue") {
    const Files files;
    Readers r("TextLineReader", {{"skip_header_lines", 1}});
    r.Fill({files.Write("a", "0\n1\n2"), files.Write("b", ""), files.folder / "none", files.Write("c", "3\n4\n")});
    CHECK(r.Read() == "a:2=1");
    CHECK(r.Counts() == "1/0");
    CHECK(r.Some() == "a:3=2");
    CHECK(r.Counts() == "2/1");
    CHECK(r.Read() == "NOT_FOUND");
    CHECK(r.Read() == "c:2=4");
    CHECK(r.Read() == "OUT_OF_RANGE");
    CHECK(r.Counts() == "3/3");
    CHECK(r.Saved().status().code() == Code::kUnimplemented);
    CHECK(r.Do("reset").ok());
    CHECK(r.Counts() == "0/0");
  }
  TEST_CASE("names; states are saved and restored") {
    Readers r("IdentityReader", {});
    r.Fill({"a", "b", "c"});
    CHECK(r.Some() == "a=a");
    const Result<std::string> state = r.Saved();
    REQUIRE(state.ok());
    CHECK(*state ==
          "\x08\x01\x10\x01\x18\x01\x22\x01"
          "a");
    CHECK(r.Read() == "b=b");
    CHECK(r.Restore(*state).ok());
    CHECK(r.Counts() == "1/1");
    CHECK(r.Restore("\x08\x01\x10\x02\x18\x03").ok());
    CHECK(r.Counts() == "3/2");
    CHECK(r.Restore("\x08").code() == Code::kInvalidArgument);
    CHECK(r.Restore("\x08\x02\x10\x01\x22\x01z").code() == Code::kInvalidArgument);
    CHECK(r.Restore("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").code() == Code::kInvalidArgument);
    CHECK(r.Counts() == "0/0");
    CHECK(r.Read() == "c=c");
  }
  TEST_CASE("many files without records") {
    const Files files;
    Readers r("TextLineReader", {});
    const std::string empty = files.Write("empty", "");
    std::vector<std::string> names(20000, empty);
    names.push_back(files.Write("a", "x"));
    r.Fill(names);
    CHECK(r.Read() == "a:1=x");
    CHECK(r.Counts() == "1/20000");
  }
  TEST_CASE("a read waits for a name, and ends when its run is cancelled") {
    Readers r("IdentityReader", {});
    RunOptions options;
    options.timeout_in_ms = 50;
    const std::vector<std::string> fetches{"read:0"};
    const std::vector<NamedTensor> none;
    CHECK_FALSE(r.session->Run(none, fetches, {}, options, nullptr).ok());
    r.Fill({"a"});
    CHECK(r.Read() == "a=a");
  }
  TEST_CASE("numbers that are refused") {
    const Files files;
    const auto read = [&](const AttrArgs& attrs, Index most) {
      Readers r("FixedLengthRecordReader", attrs, "V2", most);
      r.Fill({files.Write("a", "abc")});
      return r.Some();
    };
    CHECK(read({{"record_bytes", 0}}, 5) == "a:0= a:1= a:2= a:3= a:4=");
    CHECK(read({{"record_bytes", 0}}, Index{1} << 40) == "RESOURCE_EXHAUSTED");
    CHECK(read({{"record_bytes", 2}}, -1) == "INVALID_ARGUMENT");
    CHECK(read({{"record_bytes", 2}}, 0).empty());
    CHECK(read({{"record_bytes", 2}}, Index{1} << 60) == "a:0=ab");
  }
}
}  // namespace reader_reader_test
