// SPDX-License-Identifier: Apache-2.0
// The tables are searched by halves: their entries must ascend and not overlap.
#include <tenon/engine/text/case_tables.hpp>

#include <cstddef>

#include <doctest/doctest.h>

namespace case_tables_test {
using namespace tenon;

namespace {
template <class Range, std::size_t N>
bool Ascends(const Range (&ranges)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    if (ranges[i].first > ranges[i].last || (i > 0 && ranges[i].first <= ranges[i - 1].last)) return false;
  return true;
}
}  // namespace

TEST_CASE("entries ascend") {
  CHECK(Ascends(detail::kLowerRanges));
  CHECK(Ascends(detail::kUpperRanges));
  CHECK(Ascends(detail::kLongUpper));
  CHECK(Ascends(detail::kCased));
  CHECK(Ascends(detail::kCaseIgnorable));
}
TEST_CASE("the ends of a range are among what it maps") {
  for (const detail::CaseRange& range : detail::kLowerRanges) CHECK((range.last - range.first) % range.step == 0);
  for (const detail::CaseRange& range : detail::kUpperRanges) CHECK((range.last - range.first) % range.step == 0);
}
}  // namespace case_tables_test
