// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/page.hpp>

#include <doctest/doctest.h>

#include <string>

namespace trace_page_test {
using namespace tenon;

// tests/tools/trace_page_test.py opens the page in a browser.
TEST_SUITE("TracePage") {
  TEST_CASE("is ready for its runs and loads nothing from elsewhere") {
    const std::string page = detail::TracePage();
    CHECK(page.starts_with("<!doctype html>"));
    CHECK(page.ends_with("<script type=\"text/plain\" id=\"runs\">\n"));
    CHECK(detail::kTracePageTail == "</script>\n");
    for (const char* const other : {"http:", "https:", " src=", "@import", "url(", "fetch("})
      CHECK_MESSAGE(page.find(other) == std::string::npos, other);
  }
  TEST_CASE("its scripts end only where the page ends them") {
    std::size_t ends = 0;
    const std::string page = detail::TracePage();
    for (std::size_t at = 0; (at = page.find("</script", at)) != std::string::npos; ++at) ++ends;
    CHECK(ends == 2);
  }
}
}  // namespace trace_page_test
