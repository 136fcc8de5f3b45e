// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/slice.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace slice_test {
using namespace tenon;

namespace {

TensorSlice Parsed(std::string_view text) {
  Result<TensorSlice> slice = TensorSlice::Parse(text);
  REQUIRE_MESSAGE(slice.ok(), slice.status().ToString());
  return *slice;
}
std::string Error(std::string_view text) { return ShapeAndSlice::Parse(text).status().ToString(); }

}  // namespace

TEST_SUITE("TensorSlice") {
  TEST_CASE("texts") {
    for (const std::string_view text : {"", "-", "0,2:-", "3,1:0,4:-:7,9"}) CHECK(Parsed(text).DebugString() == text);
    CHECK(Parsed("0,2:-").dims() == 2);
    CHECK(Parsed("0,2:-").end(0, 5) == 2);
    CHECK(Parsed("0,2:-").end(1, 5) == 5);
    CHECK(Parsed("9223372036854775807,9").end(0, 5) == INT64_MAX);
    CHECK(Parsed("-:-").IsFull());
    CHECK(Parsed("-:-") == TensorSlice(2));
    CHECK(!Parsed("-:0,1").IsFull());
    CHECK(TensorSlice(0).IsFull());
    for (const std::string_view bad : {"nonsense", "1", "1,", ",1", "1,2,3", "a,1", "1,b", "- "}) {
      const Status status = TensorSlice::Parse(bad).status();
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(status.message().find("Expected a pair of numbers or '-' but got '") != status.message().npos);
    }
    for (const std::string_view bad : {"-1,2", "0,0", "0,-1"})
      CHECK(TensorSlice::Parse(bad).status().code() == Code::kInvalidArgument);
  }

  TEST_CASE("shapes of slices") {
    TensorShape shape;
    CHECK(Parsed("0,2:-").SliceShape({4, 3}, &shape).ok());
    CHECK(shape == TensorShape({2, 3}));
    CHECK(TensorSlice(0).SliceShape({}, &shape).ok());
    CHECK(shape == TensorShape({}));
    CHECK(Parsed("-").SliceShape({0}, &shape).ok());
    CHECK(shape == TensorShape({0}));
    CHECK(Parsed("0,9:-").SliceShape({4, 3}, &shape).ToString() ==
          "INTERNAL: Extent in dimension 0 out of bounds: shape = [4,3], slice = 0,9:-");
    CHECK(Parsed("3,2:-").SliceShape({4, 3}, &shape).code() == Code::kInternal);
    for (const auto& [start, length] : {std::pair<Index, Index>{-1, 2}, {INT64_MIN, 2}, {0, -2}, {4, INT64_MIN}}) {
      TensorSlice below;
      below.Add(start, length);
      CHECK(below.SliceShape({4}, &shape).ToString() ==
            StrCat("INTERNAL: Extent in dimension 0 out of bounds: shape = [4], slice = ", start, ",", length));
    }
    CHECK(Parsed("0,2").SliceShape({4, 3}, &shape).ToString() ==
          "INTERNAL: Mismatching ranks: shape = [4,3], slice = 0,2");
  }

  TEST_CASE("what two have in common") {
    TensorSlice both;
    CHECK(Parsed("0,4:-").Intersect(Parsed("2,5:1,2"), &both));
    CHECK(both.DebugString() == "2,2:1,2");
    CHECK(Parsed("-").Intersect(Parsed("-"), &both));
    CHECK(both.IsFull());
    CHECK(Parsed("5,3").Intersect(Parsed("0,6"), &both));
    CHECK(both.DebugString() == "5,1");
    CHECK(!Parsed("0,2").Intersect(Parsed("2,2"), &both));
    CHECK(!Parsed("0,2").Intersect(Parsed("9223372036854775000,2"), &both));
    CHECK(!Parsed("0,2").Intersect(Parsed("0,2:-"), &both));
    CHECK(TensorSlice(0).Intersect(TensorSlice(0), &both));
  }

  TEST_CASE("ShapeAndSlice") {
    const Result<ShapeAndSlice> parsed = ShapeAndSlice::Parse("4 3 0,2:-");
    REQUIRE(parsed.ok());
    CHECK(parsed->shape == TensorShape({4, 3}));
    CHECK(parsed->slice.DebugString() == "0,2:-");
    CHECK(parsed->part == TensorShape({2, 3}));
    CHECK(Error("") == "INVALID_ARGUMENT: Need least two elements in shape_and_slice specification: ");
    CHECK(Error("rubbish") == "INVALID_ARGUMENT: Need least two elements in shape_and_slice specification: rubbish");
    CHECK(Error("4 x 0,2:-") == "INVALID_ARGUMENT: Non numerical dimension in shape_and_slice: 4 x 0,2:-");
    CHECK(Error("4  3 0,2:-") == "INVALID_ARGUMENT: Non numerical dimension in shape_and_slice: 4  3 0,2:-");
    CHECK(Error(" ") == "INVALID_ARGUMENT: Non numerical dimension in shape_and_slice:  ");
    CHECK(Error("4 3 0,9:-").substr(0, 9) == "INTERNAL:");
    CHECK(Error("4 3 0,2").substr(0, 9) == "INTERNAL:");
    CHECK(Error("4 3 ").substr(0, 9) == "INTERNAL:");
    CHECK(Error("-2 3 -:-").substr(0, 17) == "INVALID_ARGUMENT:");
    CHECK(Error("4611686018427387904 4611686018427387904 -:-").substr(0, 17) == "INVALID_ARGUMENT:");
  }
}
}  // namespace slice_test
