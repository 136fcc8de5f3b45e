// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/graph_tables.hpp>

#include <doctest/doctest.h>

namespace graph_tables_test {
using namespace tenon;

TEST_CASE("each message of a graph that functions read has a table") {
  for (const wire::Message* const message :
       {&wire::Schema<Tensor>::message, &wire::Schema<PartialTensorShape>::message, &wire::Schema<Variant>::message,
        &wire::Schema<FunctionDefLibrary>::message}) {
    const wire::Message* const table = wire::detail::TableOf(*message, detail::kGraphTextTables);
    REQUIRE(table != nullptr);
    CHECK(table->name == message->name);
    CHECK(!table->fields.empty());
  }
}
}  // namespace graph_tables_test
