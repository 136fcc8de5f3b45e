// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/function_index.hpp>

#include <doctest/doctest.h>

#include <tenon/base/str.hpp>

#include "function_graphs.hpp"
#include "growth.hpp"

namespace function_index_test {
using namespace tenon;

namespace {
FunctionDefLibrary Library(int functions) {
  FunctionDefLibrary library;
  for (int i = 0; i < functions; ++i) {
    library.function.emplace_back().signature.name = StrCat("f", i);
    library.gradient.push_back({StrCat("f", i), StrCat("g", i)});
  }
  return library;
}
}  // namespace

TEST_SUITE("FunctionIndex") {
  TEST_CASE("finds functions and gradients, the first of two") {
    FunctionDefLibrary library = Library(3);
    library.function.push_back(library.function[1]);
    library.gradient.push_back({"f1", "other"});
    const FunctionIndex index(library);
    CHECK(index.Find("f1") == &library.function[1]);
    CHECK(index.Find("f3") == nullptr);
    CHECK(index.FindGradient("f1") == &library.gradient[1]);
    CHECK(index.FindGradient("g1") == nullptr);
    CHECK(&index.library() == &library);
    CHECK(FunctionIndex().Find("f1") == nullptr);
    CHECK(FunctionIndex().library().empty());
  }

  TEST_CASE("takes linear time for all functions of a library") {
    const double growth = growth_test::Growth(4000, [](int n) {
      const FunctionDefLibrary library = Library(n);
      const FunctionIndex index(library);
      int found = 0;
      for (const FunctionDef& function : library.function) found += index.Find(function.signature.name) == &function;
      CHECK(found == n);
    });
    CHECK(growth < growth_test::kLinear);
  }
}

}  // namespace function_index_test
