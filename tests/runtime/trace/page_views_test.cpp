// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/page_views.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace trace_page_views_test {
using namespace tenon;

// tests/tools/trace_page_test.py runs the script in a browser.
TEST_CASE("kTracePageViews has the views") {
  for (const char* const part : {"class Timeline", "class Memory", "class Graph", "class Flame"})
    CHECK_MESSAGE(detail::kTracePageViews.find(part) != std::string_view::npos, part);
}
}  // namespace trace_page_views_test
