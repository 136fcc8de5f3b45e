// SPDX-License-Identifier: Apache-2.0
#include <tenon/compat/tensorflow/base/absl_time_format.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace compat_absl_time_format_test {

// Nanoseconds since 1970, or the error.
std::string Parsed(std::string_view format, std::string_view text) {
  absl::Time time;
  std::string error;
  return absl::ParseTime(format, text, &time, &error) ? std::to_string(absl::ToUnixNanos(time)) : error;
}

TEST_SUITE("formats of times for TensorFlow's sources") {
  // The answers are those of the Abseil inside TensorFlow 2.21.
  TEST_CASE("texts are read by a format") {
    struct Case {
      std::string_view format, text, want;
    };
    for (const Case& c : {
             Case{"%Y-%m-%d", "1970-01-02", "86400000000000"},
             {"%Y-%m-%dT%H:%M:%E*S%Ez", "2019-03-01T05:06:07.25+01:30", "1551411367250000000"},
             {"%Y-%m-%d%ET%H:%M:%E*S%Ez", "1969-12-31t23:59:59.5Z", "-500000000"},
             {"%H:%M", "05:30", "19800000000000"},
             {"%I:%M %p", "01:30 PM", "48600000000000"},
             {"%I %p", "12 AM", "0"},
             {"%E4Y", "1971", "31536000000000000"},
             {"%E4Y", "971", "Failed to parse input"},
             {"%s", "-17", "-17000000000"},
             {"%S", "60", "60000000000"},
             {"%Y %U %w", "2020 01 3", "1578441600000000000"},
             {" %d  %m", "  2 3 ", "5184000000000000"},
             {"%z", "-0130", "5400000000000"},
             {"%Y-%m-%d", "2021-02-29", "Out-of-range field"},
             {"%Y", "1970 more", "Illegal trailing data in input string"},
             {"%Y", "x", "Failed to parse input"},
             {"%d", "0", "Failed to parse input"},
             {"%Z %Y", "CET 1971", "31536000000000000"},
             {"%%%Y", "%1970", "0"},
         }) {
      CAPTURE(c.format);
      CAPTURE(c.text);
      CHECK(Parsed(c.format, c.text) == c.want);
    }
  }
  TEST_CASE("the two infinities") {
    absl::Time time;
    CHECK(absl::ParseTime("%Y", " infinite-future ", &time, nullptr));
    CHECK(time == absl::InfiniteFuture());
    CHECK(time + absl::Hours(1) == time);
    CHECK(absl::ParseTime("%Y", "infinite-past", &time, nullptr));
    CHECK(time == absl::InfinitePast());
    CHECK(absl::FormatTime("%Y", time, absl::UTCTimeZone()) == "infinite-past");
    CHECK(absl::ToUnixNanos(absl::InfinitePast()) == std::numeric_limits<std::int64_t>::min());
    CHECK_FALSE(absl::ParseTime("%Y", "infinite-pasta", &time, nullptr));
  }
  TEST_CASE("times are written by a format") {
    const absl::Time time = absl::FromUnixNanos(1551411367250000000);
    const auto text = [&](std::string_view format) { return absl::FormatTime(format, time, absl::UTCTimeZone()); };
    CHECK(text(absl::RFC3339_full) == "2019-03-01T03:36:07.25+00:00");
    CHECK(text(absl::RFC3339_sec) == "2019-03-01T03:36:07+00:00");
    CHECK(text(absl::RFC1123_full) == "Fri, 01 Mar 2019 03:36:07 +0000");
    CHECK(text("%E3S %E*f %E2f %s %:z %Z %j %%") == "07.250 25 25 1551411367 +00:00 UTC 060 %");
    CHECK(absl::FormatTime("%E4Y-%m-%d", absl::FromUnixSeconds(-62198755200), absl::UTCTimeZone()) == "-001-01-01");
    CHECK(absl::ToUnixMicros(absl::FromUnixNanos(-1)) == -1);  // rounded down
  }
}

}  // namespace compat_absl_time_format_test
