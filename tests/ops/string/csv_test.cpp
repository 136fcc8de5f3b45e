// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/string/csv.hpp>

#include "ops/support.hpp"

namespace string_csv_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("DecodeCSV") {
  TEST_CASE("quotes, line ends and columns to keep") {
    const std::int64_t kept[] = {1, 3};
    const ops::detail::CsvReader some{';', true, kept};
    SlimVector<std::string> fields;
    CHECK(some.Read("a;\"b;\"\"c\"\"\";d;e;f", &fields) == nullptr);
    REQUIRE(fields.size() == 2);
    CHECK(fields[0] == "b;\"c\"");
    CHECK(fields[1] == "e");
    const ops::detail::CsvReader all{',', true, {}};
    CHECK(all.Read("a,", &fields) == nullptr);
    CHECK(fields.size() == 2);
    CHECK(all.Read("", &fields) == nullptr);
    CHECK(fields.empty());
    for (const char* bad : {"\"", "\"a", "\"a\"b", "a\"b", "a\n"}) CHECK(all.Read(bad, &fields) != nullptr);
  }
}
}  // namespace string_csv_test
