// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/summary/summary_proto.hpp>

#include <limits>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace summary_proto_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops::detail;

TEST_SUITE("summary messages") {
  TEST_CASE("parts of messages; numbers and texts without contents are left out") {
    std::string out;
    PutInt(1, 0, &out);
    PutText(1, "", &out);
    PutDouble(1, 0.0, &out);
    CHECK(out.empty());
    PutInt(1, 300, &out);
    PutText(2, "ab", &out);
    PutFloat(3, 1.0f, &out);
    PutDouble(4, -0.0, &out);
    CHECK(out == std::string_view("\x08\xac\x02\x12\x02"
                                  "ab\x1d\0\0\x80\x3f\x21\0\0\0\0\0\0\0\x80",
                                  21));
    out.clear();
    PutInt(1, -1, &out);
    CHECK(out.size() == 11);
  }
  TEST_CASE("elements of any type as numbers") {
    CHECK(ElementAs<float>(Make<half>({2}, {1, 2.5}), 1) == 2.5f);
    CHECK(ElementAs<double>(Make<std::uint64_t>({1}, {7}), 0) == 7);
    CHECK(ElementAs<float>(Tensor::Scalar<std::int64_t>((std::int64_t{1} << 53) + 1), 0) == 9007199254740992.0f);
    CHECK(ElementAs<double>(Tensor::Scalar(std::string_view("x")), 0) == 0);
  }
  TEST_CASE("a histogram counts every value, the largest double too") {
    constexpr double kMost = std::numeric_limits<double>::max();
    std::string message;
    CHECK(HistogramMessage(MakeTensor<double>({3}, {kMost, -kMost, 0.0}), "h", &message).ok());
    // The bounds, the count and the two lists: -max's own bucket, a run of empty ones, and so on.
    CHECK(message.size() > 5 * 9);
    CHECK(HistogramMessage(Make<float>({1}, {kNaN}), "h", &message).message() == "Nan in summary histogram for: h");
    CHECK(HistogramMessage(Make<float>({1}, {kInfinity}), "h", &message).code() == Code::kInvalidArgument);
    const SlimVector<double> limits = BucketLimits();
    for (std::size_t i = 0; i + 1 < limits.size(); ++i) CHECK(limits[i] < limits[i + 1]);
  }
  TEST_CASE("given messages are checked") {
    const std::string_view one(
        "\x0a\x08\x0a\x01"
        "a\x15\0\0\x80\x3f",
        10);
    CHECK(IsMessage(one, kGivenSummary));
    for (std::size_t n = 1; n < one.size(); ++n) CHECK_FALSE(IsMessage(one.substr(0, n), kGivenSummary));
    CHECK_FALSE(IsMessage("\x0a\x03\x0a\x01\xff", kGivenSummary));
    std::string out;
    SlimVector<std::string_view> tags;
    CHECK(AppendValues(one, &out, &tags));
    CHECK(out == one);
    REQUIRE(tags.size() == 1);
    CHECK(tags[0] == "a");
    CHECK_FALSE(AppendValues("abc", &out, &tags));
  }
}
}  // namespace summary_proto_test
