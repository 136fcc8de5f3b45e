// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/function_def.hpp>

#include <doctest/doctest.h>

namespace function_def_test {
using namespace tenon;

TEST_SUITE("FunctionDef") {
  TEST_CASE("two are equal when all their fields are") {
    FunctionDef a;
    a.signature.name = "f";
    a.ret = {{"y", "n:out:0"}};
    a.arg_attr = {{0u, AttrMap{{"_user_specified_name", "x"}}}};
    FunctionDef b = a;
    CHECK(a == b);
    b.arg_attr[0].second.Set("_user_specified_name", "z");
    CHECK(!(a == b));
    b = a;
    b.control_ret = {{"c", "n"}};
    CHECK(!(a == b));
  }
  TEST_CASE("a library is empty until something is in it") {
    FunctionDefLibrary library;
    CHECK(library.empty());
    library.gradient.push_back({"f", "f_grad"});
    CHECK(!library.empty());
    CHECK(!(library == FunctionDefLibrary()));
  }
}
}  // namespace function_def_test
