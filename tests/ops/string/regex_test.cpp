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
}
}  // namespace string_regex_test
