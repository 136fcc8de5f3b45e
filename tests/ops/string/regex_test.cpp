// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/regex.hpp>

#include "ops/support.hpp"

namespace string_regex_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Text(std::string_view text) { return Tensor::Scalar(text); }
}  // namespace

TEST_SUITE("Regular expressions") {
  TEST_CASE("by RE2, or a hint where it is missing") {
    const Tensor text = Text("a1b22");
    const auto replaced = Call<ops::RegexReplace>({}, {text, Text("([0-9]+)"), Text("<\\1>")});
#ifdef TENON_WITH_RE2
    REQUIRE_MESSAGE(replaced.ok(), replaced.status().ToString());
    CHECK((*replaced)[0].data<tstring>()[0] == "a<1>b<22>");
    CHECK(Run<ops::StaticRegexFullMatch>({{"pattern", AttrValue("[a-z0-9]*")}}, {text}).data<bool>()[0]);
    CHECK(!Run<ops::RegexFullMatch>({}, {text, Text("a1")}).data<bool>()[0]);
    CHECK(ErrorOf<ops::RegexFullMatch>({}, {text, Text("(a")}).find("Invalid pattern: (a, error:") !=
          std::string::npos);
#else
    CHECK(replaced.status().code() == Code::kUnimplemented);
    CHECK(replaced.status().message().find("tenon::re2") != std::string::npos);
#endif
  }
  TEST_CASE("literal beginnings need no RE2") {
    const auto match = [](std::string_view pattern, std::string_view text) {
      ops::detail::PrefixRegex regex;
      REQUIRE(regex.Compile(pattern).ok());
      const Tensor in = Text(text);
      Tensor out = Tensor::Scalar(false);
      REQUIRE(regex.FullMatch(in.flat<tstring>(), out.flat<bool>()).ok());
      return out.data<bool>()[0];
    };
    CHECK(match("^s3://.*", "s3://bucket/model"));
    CHECK(match("s3://.*", "s3://"));
    CHECK(!match("^s3://.*", "/models/s3://"));
    CHECK(!match("^s3://.*", "s3://a\nb"));  // RE2's dot matches no end of a line
    CHECK(match(".*", ""));
    for (const std::string_view pattern : {"s3", "^s3://.*$", "s.*", "a|b.*", "[a].*", "a.*b.*", "\\d.*", "(a).*"}) {
      ops::detail::PrefixRegex regex;
      CAPTURE(pattern);
      CHECK(regex.Compile(pattern).code() == (pattern == "s.*" ? Code::kOk : Code::kUnimplemented));
    }
  }
}
}  // namespace string_regex_test
