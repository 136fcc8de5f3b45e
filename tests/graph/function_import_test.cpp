// SPDX-License-Identifier: Apache-2.0
// What import makes of functions is in tests/graph/import_test.cpp; here what it says without them.
#include <tenon/graph/function_import.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "function_graphs.hpp"
#include "test_ops.hpp"

namespace function_import_test {
using namespace tenon;

TEST_CASE("a library of functions is refused, with the header's name, where the part is not linked") {
  GraphDef def;
  def.versions.producer = 1500;
  def.library.function = {function_test::Double()};
  const FunctionImport* const part = function_import.exchange(nullptr);
  const Status refused = ImportGraphDef(GraphDef(def), testing::TestOps()).status();
  const Status plain = ImportGraphDef(GraphDef(), testing::TestOps()).status();
  function_import.store(part);
  CHECK(refused.code() == Code::kUnimplemented);
  CHECK(refused.message().find("<tenon/graph/function_import.hpp>") != std::string::npos);
  CHECK(plain.ok());
}
}  // namespace function_import_test
