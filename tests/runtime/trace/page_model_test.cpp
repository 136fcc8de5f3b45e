// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/page_model.hpp>

#include <doctest/doctest.h>

#include <string_view>

namespace trace_page_model_test {
using namespace tenon;

// tests/tools/trace_page_test.py runs the script in a browser.
TEST_CASE("kTracePageModel reads pages and Chrome traces") {
  for (const char* const part :
       {"function readPage(", "function readChrome(", "function tally(", "function criticalPath("})
    CHECK_MESSAGE(detail::kTracePageModel.find(part) != std::string_view::npos, part);
}
}  // namespace trace_page_model_test
